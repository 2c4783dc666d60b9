//! What is printed: the run, all loops together, and each loop, against the number of threads.

use ompchunk_figures::{Interval, counted};

use super::curve::Point;
use super::found::{Found, Judged, LoopFound, RunPoint, listed};
use crate::prose::wrapped;
use crate::report::units::{BOLD, number, percent, time};
use crate::signature::short;
use crate::table::{Field, printable, render};

/// A loop that takes less of each run is not shown.
const MATTERS: f64 = 0.01;
/// Behind a number of threads that are more than processors.
const MARK: &str = "*";

pub struct Head<'a> {
    pub command: &'a str,
    pub asked: Vec<u32>,
    pub rounds: usize,
    pub processors: u32,
    /// What must be known before any number is believed.
    pub notes: &'a [String],
    /// Why the processor's counters could not be read; `None`: they were.
    pub no_counters: Option<&'a str>,
}

impl Head<'_> {
    pub fn runs(&self, on: &str) -> String {
        let runs = counted(self.rounds as u64, "run");
        let processors = counted(self.processors.into(), "processor");
        format!("{} threads, {runs} each in turns, {on}{processors}; {}", listed(&self.asked), Interval::<90>::legend())
    }
}

pub fn text(head: &Head<'_>, found: &Found, top: usize, width: Option<usize>) -> String {
    let mut text = printable(&format!("{}: with {}", head.command, head.runs("on ")));
    text.push('\n');
    for note in head.notes {
        text += &wrapped(&format!("note: {}", printable(note)), width);
    }
    text += &title("the run");
    let rows: Vec<_> = found.run.iter().map(run_row).collect();
    text += &render(&rows, 2, width);
    text += &counters(head, &found.run, width);
    if let Some(together) = found.together_shown() {
        text += &title("all loops together");
        text += &curve(together, &[], width);
    }
    let shown = found.loops.iter().filter(|the_loop| the_loop.share.is_none_or(|share| share >= MATTERS));
    let most = if top == 0 { usize::MAX } else { top };
    let shown: Vec<&LoopFound> = shown.take(most).collect();
    for shown in &shown {
        text += &title(&printable(&name(shown)));
        text += &curve(&shown.judged, &shown.remarks, width);
    }
    let rest = found.loops.len() - shown.len();
    if rest > 0 {
        let more = counted(rest as u64, "more loop");
        text += &wrapped(
            &format!("\n{more} not shown, with less than 1 % of the run or beyond --top: --json has all"),
            width,
        );
    }
    text
}

fn counters(head: &Head<'_>, run: &[RunPoint], width: Option<usize>) -> String {
    let rows: Option<Vec<_>> = run.iter().map(counters_row).collect();
    match (rows, head.no_counters) {
        (Some(rows), _) => render(&rows, 2, width),
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

fn counters_row(point: &RunPoint) -> Option<Vec<Field>> {
    let counters = point.counters?;
    let (instructions, cycles) = (counters.instructions.middle, counters.cycles.middle);
    let misses = counters.cache_misses.map(|misses| misses.middle);
    let per_thousand = misses.map(|misses| 1000.0 * misses / instructions);
    Some(vec![
        Field::number("threads", 0, threads(point.threads, point.comparable)),
        Field::number("10⁹ instructions", 0, format!("{:.3}", instructions / 1e9)),
        Field::number("per cycle", 0, format!("{:.2}", instructions / cycles)),
        Field::number("cache misses per 1000", 1, number(per_thousand)),
    ])
}

pub fn name(loop_found: &LoopFound) -> String {
    let identity = &loop_found.identity;
    let function = identity.function.as_ref().map_or_else(String::new, |function| format!(" in {}", short(function)));
    let schedule = identity.schedule.as_ref().map_or_else(String::new, |schedule| format!(", {schedule}"));
    format!("{}{function}{schedule}", loop_found.name)
}

fn title(text: &str) -> String {
    format!("\n{BOLD}{text}{BOLD:#}\n")
}

pub fn run_row(run_point: &RunPoint) -> Vec<Field> {
    vec![
        Field::number("threads", 0, threads(run_point.threads, run_point.comparable)),
        Field::number("time", 0, time(middle(run_point.seconds))),
        Field::number("speedup", 0, number(middle(run_point.speedup))),
        Field::number("efficiency", 0, percent(middle(run_point.efficiency))),
        Field::number("outside of loops", 1, time(middle(run_point.outside_seconds))),
    ]
}

fn curve(judged: &Judged, remarks: &[String], width: Option<usize>) -> String {
    let rows: Vec<_> = judged.curve.points.iter().map(row).collect();
    let mut text = render(&rows, 2, width);
    for remark in remarks {
        text += &wrapped(&format!("  {}", printable(remark)), width);
    }
    if let Some(verdict) = &judged.verdict {
        text += &wrapped(&format!("  → {}", verdict.says), width);
    }
    text
}

pub fn row(point: &Point) -> Vec<Field> {
    let inflation = point.work_inflation.as_ref();
    vec![
        Field::number("threads", 0, threads(point.threads, point.comparable)),
        Field::number("time", 0, time(middle(point.seconds))),
        Field::number("speedup", 0, number(middle(point.speedup))),
        Field::number("efficiency", 4, percent(middle(point.efficiency))),
        Field::number("work", 2, time(middle(point.work_seconds))),
        Field::number("work inflation", 0, inflation.map_or_else(|| "-".to_owned(), Interval::to_string)),
        Field::number("load balance", 3, percent(middle(point.load_balance))),
        Field::number("communication", 3, percent(middle(point.communication_efficiency))),
        Field::number("parallel", 0, percent(middle(point.parallel_efficiency))),
        Field::number("scalability", 5, percent(middle(point.computational_scalability))),
        Field::number("global", 1, percent(middle(point.global_efficiency))),
    ]
}

fn threads(number: u32, comparable: bool) -> String {
    if comparable { number.to_string() } else { format!("{number}{MARK}") }
}

fn middle(interval: Option<Interval>) -> Option<f64> {
    interval.map(|interval| interval.middle)
}
