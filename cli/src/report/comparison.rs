//! `--diff`: two runs side by side, after what differs between them.

use std::path::Path;

use ompchunk_analysis::model::{ConstructReport, LoopReport};
use ompchunk_analysis::{Diff, Pair, TaskPair, Verdict};
use serde::Serialize;

use super::dealing::hides_work;
use super::differences::{interval, remarks, summary};
use super::units::{GREEN, RED, YELLOW, count, first_rows, percent, percent_at_most, schedule, shown, time};
use crate::prose::wrapped;
use crate::signature::short;
use crate::table::{Cell, Field, printable, render};

#[derive(Debug, Serialize)]
pub struct Data<'d> {
    #[serde(flatten)]
    diff: &'d Diff<'d>,
    /// The first lines of the text.
    summary: Vec<String>,
}

impl<'d> Data<'d> {
    pub fn from_diff(diff: &'d Diff<'d>) -> Data<'d> {
        Data { diff, summary: summary(diff) }
    }
}

/// What differs, the table, `top` loops of it (0: all), and what must be said of these.
pub fn text(diff: &Diff<'_>, before: &Path, after: &Path, top: usize, width: Option<usize>) -> String {
    let name = |path: &Path| printable(&path.display().to_string());
    let mut text = format!("before: {}\nafter:  {}\n\n", name(before), name(after));
    for sentence in summary(diff) {
        text += &wrapped(&sentence, width);
    }
    text.push('\n');
    let shown = shown(top, diff.loops.len());
    let rows: Vec<Vec<Field>> = diff.loops[..shown].iter().map(row).collect();
    if !rows.is_empty() || diff.tasks.is_empty() {
        text += &render(&rows, 0, width);
    }
    if shown < diff.loops.len() {
        text += &format!("{} more: --top 0 lists all\n", diff.loops.len() - shown);
    }
    for remark in remarks(&diff.loops[..shown]) {
        text += &wrapped(&remark, width);
    }
    tasks_text(&diff.tasks, top, width, &mut text);
    text
}

fn row(pair: &Pair<'_>) -> Vec<Field> {
    let both = |of: &dyn Fn(&LoopReport) -> String| {
        let side = |found: Option<&LoopReport>| found.map_or("-".to_owned(), of);
        let (before, after) = (side(pair.before), side(pair.after));
        if before == after { before } else { format!("{before} → {after}") }
    };
    let cost = |found: Option<&LoopReport>| found.map(LoopReport::cost);
    vec![
        Field::text("verdict", 0, verdict(pair)),
        Field::number(
            "execution [95 %]",
            1,
            pair.change.and_then(|change| change.ratio()).map_or("-".to_owned(), interval),
        ),
        Field::number("runs", 3, both(&|found| count(found.executions + found.counted_executions))),
        Field::number("change", 2, change(cost(pair.before), cost(pair.after))),
        Field::number("time", 0, both(&|found| time(found.cost()))),
        Field::number(
            "efficiency",
            1,
            both(&|found| percent_at_most(found.metrics.parallel_efficiency, hides_work(found))),
        ),
        Field::number("balance", 3, both(&|found| percent(found.metrics.load_balance.or(found.total_load_balance)))),
        Field::number("chunks", 4, both(&|found| count(found.chunks))),
        Field::number("longest chunk", 6, both(&|found| time(found.chunk_seconds.as_ref().map(|chunks| chunks.max)))),
        Field::text("schedule", 2, both(&schedule)),
        Field::text("loop", 0, both(&|found| found.name.clone())),
        Field::text(
            "function",
            5,
            both(&|found| {
                let function = found.identity.function.as_deref();
                function.map_or_else(|| "-".to_owned(), short)
            }),
        ),
    ]
}

fn verdict(pair: &Pair<'_>) -> Cell {
    let Some(change) = pair.change else {
        return Cell::from(if pair.after.is_some() { "new" } else { "gone" });
    };
    match change.verdict {
        Verdict::Slower => Cell::styled("slower", RED),
        Verdict::Faster => Cell::styled("faster", GREEN),
        Verdict::WithinNoise => Cell::from("within noise"),
        Verdict::Load => Cell::styled("machine load", YELLOW),
        Verdict::Unclear => Cell::from("unclear"),
    }
}

/// Compares all executions together, without a verdict.
fn change(before: Option<f64>, after: Option<f64>) -> Cell {
    match (before, after) {
        (Some(before), Some(after)) if before > 0.0 => Cell::from(format!("{:+.1} %", (after / before - 1.0) * 100.0)),
        _ => Cell::from("-"),
    }
}

fn tasks_text(pairs: &[TaskPair<'_>], top: usize, width: Option<usize>, to: &mut String) {
    if pairs.is_empty() {
        return;
    }
    let head = "\nexplicit tasks; work is their own time, and change is that of work: sums of one run each, so without a verdict; creation is the mean of one task\n";
    *to += &wrapped(head, width);
    first_rows(pairs, top, task_row, width, to);
}

fn task_row(pair: &TaskPair<'_>) -> Vec<Field> {
    let both = |of: &dyn Fn(&ConstructReport) -> String| {
        let side = |found: Option<&ConstructReport>| found.map_or_else(|| "-".to_owned(), of);
        let (before, after) = (side(pair.before), side(pair.after));
        match before == after {
            true => before,
            false => format!("{before} → {after}"),
        }
    };
    let change = match (pair.before, pair.after) {
        (Some(before), Some(after)) if before.work_seconds > 0.0 => {
            let ratio = after.work_seconds / before.work_seconds;
            format!("{:+.1} %", (ratio - 1.0) * 100.0)
        }
        (Some(_), Some(_)) => "-".to_owned(),
        (None, _) => "new".to_owned(),
        (_, None) => "gone".to_owned(),
    };
    let function = |of: &ConstructReport| of.site.function.clone();
    vec![
        Field::number("tasks", 0, both(&|of| count(of.created))),
        Field::number("change", 2, change),
        Field::number("work", 0, both(&|of| time(of.work_seconds))),
        Field::number("creation", 1, both(&|of| time(of.mean_creation()))),
        Field::text("created at", 0, printable(&both(&|of| of.site.name.clone()))),
        Field::text("function", 3, printable(&both(&|of| function(of).unwrap_or_else(|| "-".to_owned())))),
    ]
}
