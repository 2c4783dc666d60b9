//! OpenACC and OpenMP's `target`, below the loops: what was done where, the longest first. Nothing where nothing was done.

use std::fmt::Write as _;

use ompchunk_analysis::Report;
use ompchunk_analysis::model::OpenAccReport;

use super::top::{rest, shown};
use super::units::{BOLD, count, percent, several, time};
use crate::prose::wrapped;
use crate::table::{Cell, Column, render};

const COLUMNS: [Column; 14] = [
    Column::number("time", 0),
    Column::number("of run", 8),
    Column::number("times", 0),
    Column::number("shortest", 7),
    Column::number("longest", 6),
    Column::number("bytes", 3),
    Column::number("async", 5),
    Column::text("operation", 0),
    Column::text("construct", 4),
    Column::number("device", 4),
    Column::text("gangs, workers, vector", 9),
    Column::number("teams", 9),
    Column::text("name", 2),
    Column::text("place", 1),
];

/// The sections, `top` rows of each (0: all).
pub fn text(report: &Report, top: usize, width: Option<usize>, to: &mut String) {
    let sections = [
        ("OpenACC", &report.openacc, report.openacc_seconds),
        ("OpenMP target", &report.target, report.target_seconds),
    ];
    for (title, all, seconds) in sections {
        if !all.is_empty() {
            *to += &wrapped(&heading(title, all, seconds), width);
            let shown = shown(top, all.len());
            let rows = all[..shown].iter().map(|openacc| row(report, openacc));
            let rows: Vec<Vec<Cell>> = rows.collect();
            *to += &render(&COLUMNS, &rows, 0, width);
            rest(all.len() - shown, to);
        }
    }
}

fn heading(title: &str, all: &[OpenAccReport], seconds: Option<f64>) -> String {
    let operations: u64 = all.iter().map(|openacc| openacc.count).sum();
    let mut line = format!("\n{}{title}{}: {}", BOLD.render(), BOLD.render_reset(), several(operations, "operation"));
    if let Some(seconds) = seconds.filter(|seconds| *seconds > 0.0) {
        let _ = write!(line, ", {} of thread time; an operation inside another one counts in both", time(seconds));
    }
    line.push('\n');
    line
}

fn row(report: &Report, openacc: &OpenAccReport) -> Vec<Cell> {
    let or_none = |value: Option<f64>| value.map_or_else(|| "-".to_owned(), time);
    let run = report.run.seconds;
    let one = report.run.processes == 1 && openacc.threads.len() == 1;
    // Of several threads or processes it is no share of the run.
    let share = openacc.seconds.filter(|_| one && run > 0.0).map(|seconds| seconds / run);
    let times = match openacc.untimed {
        untimed if openacc.lasts() && untimed > 0 => {
            format!("{} ({} without an end)", count(openacc.count), count(untimed))
        }
        _ => count(openacc.count),
    };
    let name = openacc.name.clone().unwrap_or_default();
    vec![
        or_none(openacc.seconds).into(),
        share.map_or_else(String::new, |share| percent(Some(share))).into(),
        times.into(),
        or_none(openacc.shortest_seconds).into(),
        or_none(openacc.longest_seconds).into(),
        openacc.bytes.map_or_else(String::new, count).into(),
        match openacc.asynchronous {
            0 => String::new(),
            some => count(some),
        }
        .into(),
        openacc.operation.into(),
        openacc.construct.unwrap_or_default().into(),
        openacc.device.map_or_else(String::new, |device| device.to_string()).into(),
        openacc.dimensions.map_or_else(String::new, dimensions).into(),
        openacc.teams.map_or_else(String::new, count).into(),
        name.into(),
        place(openacc).into(),
    ]
}

fn dimensions(all: [Option<u64>; 3]) -> String {
    let one = |number: Option<u64>| number.map_or_else(|| "?".to_owned(), count);
    all.map(one).join(", ")
}

/// `app.c:17 in solve`, as far as it is told.
fn place(openacc: &OpenAccReport) -> String {
    let file = openacc.file.as_deref().unwrap_or_default();
    let name = file.rsplit('/').next().unwrap_or_default();
    let position = match (name, openacc.line) {
        ("", None) => address(openacc),
        ("", Some(line)) => format!("line {line}"),
        (name, None) => name.to_owned(),
        (name, Some(line)) => format!("{name}:{line}"),
    };
    match (&openacc.function, position.as_str()) {
        (None, _) => position,
        (Some(function), "") => format!("in {function}"),
        (Some(function), _) => format!("{position} in {function}"),
    }
}

/// `app+0x1234`, where no line is known.
fn address(openacc: &OpenAccReport) -> String {
    let object = openacc.object.as_deref().unwrap_or_default();
    match (object.rsplit('/').next(), openacc.offset) {
        (_, None) => String::new(),
        (Some(""), Some(offset)) | (None, Some(offset)) => format!("{offset:#x}"),
        (Some(name), Some(offset)) => format!("{name}+{offset:#x}"),
    }
}
