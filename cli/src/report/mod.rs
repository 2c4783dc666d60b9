//! `ompchunk report`. Data flow: parts are opened, the analysis reads them, what is asked for is selected, `between` says how
//! processes differ and `verdict` what to do, and one of `listing`, `details`, `comparison` or `page` writes it.

mod account;
mod advice;
mod between;
mod causes;
mod check;
pub mod command;
mod comparison;
mod costs;
mod dealing;
mod details;
mod gate;
mod listing;
mod open;
mod openacc;
mod page;
mod profiles;
mod ranges;
mod regions;
mod serial;
mod tasks;
pub mod units;
pub mod verdict;

use std::ops::RangeInclusive;
use std::path::Path;
use std::process::ExitCode;

use anyhow::Result;
use ompchunk_analysis::{Analysis, Report, analyse, diff, is_meant, sort};
use ompchunk_export::Ranks;
use ompchunk_trace_format::{Part, parts_in};

pub use self::open::{Error, Opened, bar, for_many_parts, open, progress};
pub use self::profiles::hot_lines;

use crate::args::Report as Arguments;
use crate::output;
use crate::record::is_growing;

pub fn next(cause: &(dyn std::error::Error + 'static)) -> Option<String> {
    let of_trace = |error: &ompchunk_trace_format::Error| error.next().to_owned();
    cause.downcast_ref().map(Error::next).or_else(|| cause.downcast_ref().map(of_trace))
}

pub fn print(arguments: &Arguments) -> Result<ExitCode> {
    let traces = open(&arguments.traces)?;
    let parts = parts(&traces, &arguments.ranks)?;
    if arguments.check {
        return check::print(&parts, &traces);
    }
    let mut analysis = read(&parts)?;
    let mut report = std::mem::take(&mut analysis.report);
    name_what_is_missing(&mut report, &traces, &parts, arguments);
    if let Some(path) = &arguments.diff {
        return compare(path, report, arguments);
    }
    if let Some(tasks) = &mut report.tasks {
        analysis.add_task_activity(tasks, &progress(&parts))?;
    }
    tasks::add_critical_path(&analysis, &mut report, &parts)?;
    sort(&mut report.loops, arguments.sort);
    keep(&mut report, &arguments.loops);
    if report.loops.is_empty() {
        missing(&arguments.loops)?;
    }
    if arguments.json {
        let curves = profiles::curves(&analysis, &report, &parts)?;
        let hot = hot_lines(&analysis, &mut report)?;
        output::print(&profiles::json(&report, &curves, &hot)?)?;
    } else if let Some(path) = &arguments.html {
        page::write(path, &analysis, &mut report, &parts)?;
    } else {
        print_text(&analysis, &mut report, arguments)?;
    }
    Ok(gate::judge(&arguments.fail_if, &report, None))
}

fn name_what_is_missing(report: &mut Report, traces: &[Opened], parts: &[&Part], arguments: &Arguments) {
    for error in traces.iter().flat_map(|trace| &trace.skipped) {
        report.skips(error);
    }
    if !arguments.ranks.is_empty() {
        return;
    }
    let files: Vec<_> = arguments.traces.iter().filter_map(|trace| parts_in(trace).ok()).flatten().collect();
    if let Some(missing) = ranges::missing(parts, &files) {
        report.misses(&missing);
    }
}

/// `--diff`: the recording at `path` is what was before.
fn compare(path: &Path, mut after: Report, arguments: &Arguments) -> Result<ExitCode> {
    let traces = open(&[path])?;
    for error in traces.iter().flat_map(|trace| &trace.skipped) {
        output::notice(&format!("{error}; the comparison is without that part"));
    }
    let mut before = read(&parts(&traces, &arguments.ranks)?)?.report;
    keep(&mut before, &arguments.loops);
    keep(&mut after, &arguments.loops);
    if before.loops.is_empty() && after.loops.is_empty() {
        missing(&arguments.loops)?;
    }
    if !arguments.loops.is_empty() {
        (before.tasks, after.tasks) = (None, None);
    }
    let diff = diff(&before, &after);
    if arguments.json {
        output::print(&(comparison::json(&diff)? + "\n"))?;
    } else {
        let text = comparison::text(&diff, path, &arguments.traces[0], arguments.top, terminal_width());
        output::print_styled(&text)?;
    }
    Ok(gate::judge(&arguments.fail_if, &after, Some(&diff)))
}

fn print_text(analysis: &Analysis, report: &mut Report, arguments: &Arguments) -> Result<()> {
    let width = terminal_width();
    let close = if arguments.loops.is_empty() { 1 } else { units::shown(arguments.top, report.loops.len()) };
    let lines = hot_lines(analysis, report)?;
    let verdict = verdict::Verdict::from_report(report);
    let mut text = listing::text(report, &verdict, arguments.top, width);
    if arguments.loops.is_empty() {
        tasks::text(report, arguments.top, width, &mut text);
    }
    for (place, the_loop) in report.loops.iter().take(close).enumerate() {
        text += &details::text(report, &verdict, the_loop, width);
        if let Some(Some(hot)) = lines.get(place) {
            text += &profiles::hot_text(hot, width);
        }
    }
    regions::text(report, arguments.top, width, &mut text);
    openacc::text(report, arguments.top, width, &mut text);
    Ok(output::print_styled(&text)?)
}

pub fn parts<'t>(traces: &'t [impl AsRef<[Part]>], ranks: &[RangeInclusive<u64>]) -> Result<Vec<&'t Part>> {
    let all: Vec<&Part> = traces.iter().flat_map(|trace| trace.as_ref()).collect();
    for asked in ranks {
        let is_there = |part: &&Part| part.meta().rank.is_some_and(|rank| asked.contains(&rank));
        if !all.iter().any(is_there) {
            let has = ranges::ranges(all.iter().filter_map(|part| part.meta().rank)).join(",");
            let has = if has.is_empty() { "none".to_owned() } else { has };
            return Err(Error::Rank { asked: ranges::range(asked), has }.into());
        }
    }
    let ranks = Ranks(ranks.to_vec());
    Ok(all.into_iter().filter(|part| ranks.have(part.meta().rank)).collect())
}

pub fn read<'p>(parts: &[&'p Part]) -> Result<Analysis<'p>> {
    if let Some(part) = parts.iter().find(|part| part.meta().mode.executions) {
        return Err(Error::Chunks(part.path().to_owned()).into());
    }
    // Before they are read: a process that ends meanwhile wrote more than is read.
    let growing: Vec<&Part> = parts.iter().copied().filter(|part| is_growing(part)).collect();
    let mut found = analyse(parts, &progress(parts)).map_err(|error| match growing.first() {
        Some(part) => anyhow::Error::from(Error::Growing { path: part.path().to_owned(), pid: part.meta().pid }),
        None => error.into(),
    })?;
    let files: Vec<String> = growing.iter().map(|part| part.path().display().to_string()).collect();
    for number in 0..found.report.parts.len() {
        if files.contains(&found.report.parts[number].file) {
            found.report.grows(number);
        }
    }
    Ok(found)
}

fn keep(found: &mut Report, patterns: &[String]) {
    if !patterns.is_empty() {
        found.loops.retain(|the_loop| patterns.iter().any(|pattern| is_meant(the_loop, pattern)));
    }
}

pub fn missing(patterns: &[String]) -> Result<(), Error> {
    if patterns.is_empty() { Ok(()) } else { Err(Error::Loop(patterns.join(" or "))) }
}

/// `None` where standard output is no terminal: nothing is left away there.
pub fn terminal_width() -> Option<usize> {
    let (width, _) = terminal_size::terminal_size_of(std::io::stdout())?;
    Some(width.0.into())
}
