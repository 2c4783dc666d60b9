//! What is printed: the run, all loops together, and each loop, against the number of threads.

use ompchunk_trace_format::words::counted;

use super::curve::{Curve, Point};
use super::found::{Found, LoopFound, listed};
use super::range::Range;
use super::sentence::times;
use super::verdict::Verdict;
use super::whole::RunPoint;
use crate::prose::wrapped;
use crate::report::units::{BOLD, percent, time};
use crate::table::{Cell, Column, printable, render};

pub const RUN: [Column; 5] = [
    Column::number("threads", 0),
    Column::number("time", 0),
    Column::number("speedup", 0),
    Column::number("efficiency", 0),
    Column::number("outside of loops", 1),
];

/// Of all of the run's threads and processes, in user mode.
const COUNTERS: [Column; 4] = [
    Column::number("threads", 0),
    Column::number("10⁹ instructions", 0),
    Column::number("per cycle", 0),
    Column::number("cache misses per 1000", 1),
];

pub const CURVE: [Column; 11] = [
    Column::number("threads", 0),
    Column::number("time", 0),
    Column::number("speedup", 0),
    Column::number("efficiency", 4),
    Column::number("work", 2),
    Column::number("work inflation", 0),
    Column::number("load balance", 3),
    Column::number("communication", 3),
    Column::number("parallel", 0),
    Column::number("scalability", 5),
    Column::number("global", 1),
];

/// A loop that takes less of each run is not shown.
const MATTERS: f64 = 0.01;
/// Behind a number of threads that are more than processors.
const MARK: &str = "*";

/// What stands above all of it.
#[derive(Debug)]
pub struct Head<'a> {
    /// The program and its arguments.
    pub command: &'a str,
    pub asked: Vec<u32>,
    pub rounds: usize,
    pub processors: u32,
    /// What must be known before any number is believed.
    pub notes: &'a [String],
    /// Why the processor's counters could not be read; `None`: they were.
    pub no_counters: Option<&'a str>,
}

/// Most loops in it (0: all).
pub fn text(head: &Head<'_>, found: &Found, top: usize, width: Option<usize>) -> String {
    let mut text = printable(&format!(
        "{}: with {} threads, {} each in turns, on {}",
        head.command,
        listed(&head.asked),
        counted(head.rounds as u64, "run"),
        counted(head.processors.into(), "processor")
    ));
    text.push('\n');
    for note in head.notes {
        text += &wrapped(&format!("note: {}", printable(note)), width);
    }
    text += &title("the run");
    let rows: Vec<_> = found.run.iter().map(run_row).collect();
    text += &render(&RUN, &rows, 2, width);
    text += &counters(head, &found.run, width);
    if let Some(together) = found.together_shown() {
        text += &title("all loops together");
        text += &curve(together, found.verdict.as_ref(), &[], width);
    }
    let shown = found.loops.iter().filter(|the_loop| the_loop.share.is_none_or(|share| share >= MATTERS));
    let most = if top == 0 { usize::MAX } else { top };
    let shown: Vec<&LoopFound> = shown.take(most).collect();
    for shown in &shown {
        text += &title(&printable(&name(shown)));
        text += &curve(&shown.curve, shown.verdict.as_ref(), &shown.remarks, width);
    }
    text + &rest(found.loops.len() - shown.len(), width)
}

/// The processor's counters of the run, or why there are none.
fn counters(head: &Head<'_>, run: &[RunPoint], width: Option<usize>) -> String {
    let rows: Option<Vec<_>> = run.iter().map(counters_row).collect();
    match (rows, head.no_counters) {
        (Some(rows), _) => render(&COUNTERS, &rows, 2, width),
        (None, Some(why)) => wrapped(
            &format!(
                "  instructions, cycles and cache misses cannot be counted here (perf_event_open: {why}); they would tell whether \
                 more instructions run or each takes longer\n"
            ),
            width,
        ),
        (None, None) => String::new(),
    }
}

fn counters_row(point: &RunPoint) -> Option<Vec<Cell>> {
    let counters = point.counters?;
    let (instructions, cycles) = (counters.instructions.middle, counters.cycles.middle);
    let misses = counters.cache_misses.map(|misses| misses.middle);
    let per_thousand = misses.map(|misses| 1000.0 * misses / instructions);
    Some(vec![
        threads(point.threads, point.comparable).into(),
        format!("{:.3}", instructions / 1e9).into(),
        format!("{:.2}", instructions / cycles).into(),
        per_thousand.map_or_else(|| "-".to_owned(), |misses| format!("{misses:.2}")).into(),
    ])
}

/// Where it is, what it is in and how it is dealt out.
pub fn name(loop_found: &LoopFound) -> String {
    let identity = &loop_found.identity;
    let function = identity.function.as_ref();
    let function = function.map_or_else(String::new, |function| format!(" in {function}"));
    let schedule = identity.schedule.as_ref();
    let schedule = schedule.map_or_else(String::new, |schedule| format!(", {schedule}"));
    format!("{}{function}{schedule}", loop_found.name)
}

fn title(text: &str) -> String {
    format!("\n{}{text}{}\n", BOLD.render(), BOLD.render_reset())
}

fn rest(number: usize, width: Option<usize>) -> String {
    match number {
        0 => String::new(),
        number => {
            let more = counted(number as u64, "more loop");
            wrapped(
                &format!("\n{more} not shown, with less than 1 % of the run or beyond --top: --json has all"),
                width,
            )
        }
    }
}

pub fn run_row(run_point: &RunPoint) -> Vec<Cell> {
    vec![
        threads(run_point.threads, run_point.comparable).into(),
        seconds(run_point.seconds).into(),
        factor(run_point.speedup).into(),
        share(run_point.efficiency).into(),
        seconds(run_point.outside_seconds).into(),
    ]
}

fn curve(curve: &Curve, verdict: Option<&Verdict>, remarks: &[String], width: Option<usize>) -> String {
    let rows: Vec<_> = curve.points.iter().map(row).collect();
    let mut text = match rows.is_empty() {
        true => String::new(),
        false => render(&CURVE, &rows, 2, width),
    };
    for remark in remarks {
        text += &wrapped(&format!("  {}", printable(remark)), width);
    }
    if let Some(verdict) = verdict {
        text += &wrapped(&format!("  → {}", verdict.says), width);
    }
    text
}

pub fn row(point: &Point) -> Vec<Cell> {
    let inflation = point.work_inflation.as_ref();
    vec![
        threads(point.threads, point.comparable).into(),
        seconds(point.seconds).into(),
        factor(point.speedup).into(),
        share(point.efficiency).into(),
        seconds(point.work_seconds).into(),
        inflation.map_or_else(|| "-".to_owned(), times).into(),
        share(point.load_balance).into(),
        share(point.communication_efficiency).into(),
        share(point.parallel_efficiency).into(),
        share(point.computational_scalability).into(),
        share(point.global_efficiency).into(),
    ]
}

fn threads(number: u32, comparable: bool) -> String {
    match comparable {
        true => number.to_string(),
        false => format!("{number}{MARK}"),
    }
}

fn seconds(range: Option<Range>) -> String {
    range.map_or_else(|| "-".to_owned(), |range| time(range.middle))
}

fn factor(range: Option<Range>) -> String {
    range.map_or_else(|| "-".to_owned(), |range| format!("{:.2}", range.middle))
}

fn share(range: Option<Range>) -> String {
    percent(range.map(|range| range.middle))
}
