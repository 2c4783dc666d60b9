//! OpenACC and OpenMP's `target`, below the loops: what was done where, the longest first. Nothing where nothing was done.

use ompchunk_analysis::Report;
use ompchunk_analysis::model::OpenAccReport;

use super::units::{BOLD, count, counted, first_rows, percent, time};
use crate::prose::wrapped;
use crate::table::Field;

pub fn text(report: &Report, top: usize, width: Option<usize>, to: &mut String) {
    let sections = [
        ("OpenACC", &report.openacc, report.openacc_seconds),
        ("OpenMP target", &report.target, report.target_seconds),
    ];
    for (title, all, seconds) in sections {
        if !all.is_empty() {
            *to += &wrapped(&heading(title, all, seconds), width);
            first_rows(all, top, |openacc| row(report, openacc), width, to);
        }
    }
}

fn heading(title: &str, all: &[OpenAccReport], seconds: Option<f64>) -> String {
    let operations: u64 = all.iter().map(|openacc| openacc.count).sum();
    let mut line = format!("\n{BOLD}{title}{BOLD:#}: {}", counted(operations, "operation"));
    if let Some(seconds) = seconds.filter(|seconds| *seconds > 0.0) {
        line += &format!(", {} of thread time; an operation inside another one counts in both", time(seconds));
    }
    line + "\n"
}

fn row(report: &Report, openacc: &OpenAccReport) -> Vec<Field> {
    let run = report.run.seconds;
    let one = report.run.processes == 1 && openacc.threads.len() == 1;
    // With several threads or processes it is no share of the run.
    let share = openacc.seconds.filter(|_| one && run > 0.0).map(|seconds| seconds / run);
    let untimed = Some(openacc.untimed).filter(|untimed| openacc.lasts() && *untimed > 0);
    let untimed = untimed.map(|untimed| format!(" ({} without an end)", count(untimed)));
    let times = count(openacc.count) + &untimed.unwrap_or_default();
    vec![
        Field::number("time", 0, time(openacc.seconds)),
        Field::number("of run", 8, share.map_or_else(String::new, percent)),
        Field::number("times", 0, times),
        Field::number("shortest", 7, time(openacc.shortest_seconds)),
        Field::number("longest", 6, time(openacc.longest_seconds)),
        Field::number("bytes", 3, openacc.bytes.map_or_else(String::new, count)),
        Field::number("async", 5, Some(openacc.asynchronous).filter(|some| *some > 0).map_or_else(String::new, count)),
        Field::text("operation", 0, openacc.operation),
        Field::text("construct", 4, openacc.construct.unwrap_or_default()),
        Field::number("device", 4, openacc.device.map_or_else(String::new, |device| device.to_string())),
        Field::text("gangs, workers, vector", 9, openacc.dimensions.map_or_else(String::new, dimensions)),
        Field::number("teams", 9, openacc.teams.map_or_else(String::new, count)),
        Field::text("name", 2, openacc.name.as_deref().unwrap_or_default()),
        Field::text("place", 1, place(openacc)),
    ]
}

fn dimensions(all: [Option<u64>; 3]) -> String {
    all.map(|number| number.map_or_else(|| "?".to_owned(), count)).join(", ")
}

/// `app.c:17 in solve`, as far as it is told.
fn place(openacc: &OpenAccReport) -> String {
    let name = openacc.file.as_deref().unwrap_or_default().rsplit('/').next().unwrap_or_default();
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

fn address(openacc: &OpenAccReport) -> String {
    let object = openacc.object.as_deref().unwrap_or_default();
    match (object.rsplit('/').next(), openacc.offset) {
        (_, None) => String::new(),
        (Some(""), Some(offset)) | (None, Some(offset)) => format!("{offset:#x}"),
        (Some(name), Some(offset)) => format!("{name}+{offset:#x}"),
    }
}
