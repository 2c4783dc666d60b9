//! OpenACC, below the loops: what was done where, the longest first. Nothing where nothing was done.

use std::fmt::Write as _;

use ompchunk_analysis::Report;
use ompchunk_analysis::model::OpenAccReport;

use super::units::{BOLD, count, percent, several, time};
use crate::prose::wrapped;
use crate::table::{Cell, Column, render};

const COLUMNS: [Column; 12] = [
    Column::number("time", 0),
    Column::number("of run", 8),
    Column::number("times", 0),
    Column::number("shortest", 7),
    Column::number("longest", 6),
    Column::number("bytes", 3),
    Column::number("async", 5),
    Column::text("operation", 0),
    Column::text("construct", 4),
    Column::text("gangs, workers, vector", 9),
    Column::text("name", 2),
    Column::text("place", 1),
];

/// The section, `top` rows of it (0: all).
pub fn text(report: &Report, top: usize, width: Option<usize>, to: &mut String) {
    let all = &report.openacc;
    if all.is_empty() {
        return;
    }
    let operations: u64 = all.iter().map(|it| it.count).sum();
    let mut line = format!(
        "\n{}OpenACC{}: {}",
        BOLD.render(),
        BOLD.render_reset(),
        several(operations, "operation")
    );
    if let Some(seconds) = report.openacc_seconds.filter(|it| *it > 0.0) {
        let _ = write!(
            line,
            ", {} of thread time; what is inside another operation is in both",
            time(seconds)
        );
    }
    line.push('\n');
    *to += &wrapped(&line, width);
    let shown = match top {
        0 => all.len(),
        top => top.min(all.len()),
    };
    let rows: Vec<Vec<Cell>> = all[..shown].iter().map(|it| row(report, it)).collect();
    *to += &render(&COLUMNS, &rows, 0, width);
    if shown < all.len() {
        let more = count((all.len() - shown) as u64);
        let _ = writeln!(to, "{more} more: --top 0 lists all");
    }
}

fn row(report: &Report, it: &OpenAccReport) -> Vec<Cell> {
    let or_none = |value: Option<f64>| value.map_or_else(|| "-".to_owned(), time);
    let run = report.run.seconds;
    let one = report.run.processes == 1 && it.threads.len() == 1;
    // Of several threads or processes it is no share of the run.
    let share = it.seconds.filter(|_| one && run > 0.0).map(|it| it / run);
    let times = match it.untimed {
        untimed if it.lasts() && untimed > 0 => {
            format!("{} ({} without an end)", count(it.count), count(untimed))
        }
        _ => count(it.count),
    };
    let name = it.name.clone().unwrap_or_default();
    vec![
        or_none(it.seconds).into(),
        share
            .map_or_else(String::new, |it| percent(Some(it)))
            .into(),
        times.into(),
        or_none(it.shortest_seconds).into(),
        or_none(it.longest_seconds).into(),
        it.bytes.map_or_else(String::new, count).into(),
        match it.asynchronous {
            0 => String::new(),
            some => count(some),
        }
        .into(),
        it.operation.into(),
        it.construct.unwrap_or_default().into(),
        it.dimensions.map_or_else(String::new, dimensions).into(),
        name.into(),
        place(it).into(),
    ]
}

fn dimensions(all: [Option<u64>; 3]) -> String {
    let one = |it: Option<u64>| it.map_or_else(|| "?".to_owned(), count);
    all.map(one).join(", ")
}

/// `app.c:17 in solve`, as far as it is told.
fn place(it: &OpenAccReport) -> String {
    let file = it.file.as_deref().unwrap_or_default();
    let name = file.rsplit('/').next().unwrap_or_default();
    let position = match (name, it.line) {
        ("", None) => String::new(),
        ("", Some(line)) => format!("line {line}"),
        (name, None) => name.to_owned(),
        (name, Some(line)) => format!("{name}:{line}"),
    };
    match (&it.function, position.as_str()) {
        (None, _) => position,
        (Some(function), "") => format!("in {function}"),
        (Some(function), _) => format!("{position} in {function}"),
    }
}
