//! `ompchunk report`: what a trace tells, as text, JSON or a page.
//!
//! Data flow: parts are opened, the analysis reads them (a bar shows how far it is), what is asked for is
//! selected, and `verdict` says what to do, and one of `listing`, `details`, `comparison` or `page` writes it.

mod advice;
mod check;
pub mod command;
mod comparison;
mod costs;
mod details;
mod listing;
mod names;
mod open;
mod page;
mod profiles;
mod progress;
mod run;
pub mod units;
mod verdict;

use std::collections::BTreeSet;
use std::ops::RangeInclusive;
use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::Result;
use ompchunk_analysis::{Analysis, LoopReport, Order, Report, analyse, diff, is_meant, sort};
use ompchunk_export::Ranks;
use ompchunk_trace_format::Part;

pub use self::open::{Opened, open};
pub use self::progress::bar;

use crate::args::{Report as Arguments, Sort};
use crate::output;
use crate::record::is_growing;

/// What was asked for is not in the trace.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// No such rank.
    #[error("no part of the trace is of rank {asked}: it has {has}")]
    Rank {
        /// What was asked for.
        asked: String,
        /// What there is.
        has: String,
    },
    /// A part whose last blocks are being written.
    #[error("{} is still being written, by process {pid}, and cannot be read at this moment", .path.display())]
    Growing {
        /// The part.
        path: PathBuf,
        /// Its process.
        pid: u32,
    },
    /// Nothing is known of what threads did within loops.
    #[error("{} was recorded without chunks ({}=1)", .0.display(), ompchunk_trace_format::environment::EXECUTIONS)]
    Chunks(PathBuf),
    /// No such loop.
    #[error("no loop of the trace is {0}")]
    Loop(String),
}

impl Error {
    fn next(&self) -> String {
        match self {
            Error::Rank { .. } => "name one of these, or leave --rank away",
            Error::Chunks(_) => "record it again without that variable: a report is made of chunks",
            Error::Growing { .. } => "the same again, or when the process has ended",
            Error::Loop(_) => "ompchunk report without --loop lists them; --top 0 lists all",
        }
        .to_owned()
    }
}

/// What to do about an error of this command, and of any that reads a trace.
pub fn next(cause: &(dyn std::error::Error + 'static)) -> Option<String> {
    let of_trace = |it: &ompchunk_trace_format::Error| it.next().to_owned();
    cause
        .downcast_ref()
        .map(Error::next)
        .or_else(|| cause.downcast_ref().map(of_trace))
}

/// Reads, selects, prints.
pub fn print(arguments: &Arguments) -> Result<ExitCode> {
    let traces = open(&arguments.traces)?;
    let parts = parts(&traces, &arguments.ranks)?;
    if arguments.check {
        return check::print(&parts, &traces);
    }
    let width = terminal_width();
    let mut analysis = read(&parts)?;
    let mut found = std::mem::take(&mut analysis.report);
    for error in traces.iter().flat_map(|it| &it.skipped) {
        found.skips(error);
    }
    if let Some(path) = &arguments.diff {
        let before = open(std::slice::from_ref(path))?;
        for error in before.iter().flat_map(|it| &it.skipped) {
            output::notice(&format!("{error}; the comparison is without that part"));
        }
        let mut before = read(&self::parts(&before, &arguments.ranks)?)?.report;
        keep(&mut before, &arguments.loops);
        keep(&mut found, &arguments.loops);
        if before.loops.is_empty() && found.loops.is_empty() {
            missing(&arguments.loops)?;
        }
        let diff = diff(&before, &found);
        if arguments.json {
            output::print(&(serde_json::to_string_pretty(&diff)? + "\n"))?;
        } else {
            let text = comparison::text(&diff, path, &arguments.traces[0], arguments.top, width);
            output::print_styled(&text)?;
        }
        return Ok(ExitCode::SUCCESS);
    }
    sort(&mut found.loops, order(arguments.sort));
    keep(&mut found, &arguments.loops);
    if found.loops.is_empty() {
        missing(&arguments.loops)?;
    }
    if arguments.json {
        let curves = profiles::of(&analysis, &found, &parts)?;
        output::print(&profiles::json(&found, &curves)?)?;
        return Ok(ExitCode::SUCCESS);
    }
    if let Some(path) = &arguments.html {
        let some = found.loops.len().min(page::PICTURES);
        let loops: Vec<&LoopReport> = found.loops[..some].iter().collect();
        let bar = progress::bar(&parts);
        let pictures = analysis.pictures(&loops, &|bytes| bar.inc(bytes))?;
        bar.finish_and_clear();
        let curves = profiles::of(&analysis, &found, &parts)?;
        let forecasts = profiles::forecasts(&analysis, &found, &parts)?;
        page::write(path, &found, &pictures, &curves, &forecasts)?;
        return Ok(ExitCode::SUCCESS);
    }
    let verdict = verdict::Verdict::of(&found);
    let mut text = listing::text(&found, &verdict, arguments.top, width);
    let close = match arguments.loops.is_empty() {
        true => 1,
        false => listing::shown(&found, arguments.top),
    };
    for the_loop in found.loops.iter().take(close) {
        text += &details::text(&found, &verdict, the_loop, width);
    }
    output::print_styled(&text)?;
    Ok(ExitCode::SUCCESS)
}

/// The parts of some ranks, or all.
pub fn parts<'t>(
    traces: &'t [impl AsRef<[Part]>],
    ranks: &[RangeInclusive<u64>],
) -> Result<Vec<&'t Part>> {
    let all: Vec<&Part> = traces.iter().flat_map(|trace| trace.as_ref()).collect();
    for asked in ranks {
        let is_there = |part: &&Part| part.meta().rank.is_some_and(|rank| asked.contains(&rank));
        if !all.iter().any(is_there) {
            return Err(Error::Rank {
                asked: range(asked),
                has: ranks_of(&all),
            }
            .into());
        }
    }
    let ranks = Ranks(ranks.to_vec());
    let wanted = |part: &&Part| ranks.have(part.meta().rank);
    Ok(all.into_iter().filter(wanted).collect())
}

/// The ranks of parts, as they are asked for.
fn ranks_of(parts: &[&Part]) -> String {
    let ranks: BTreeSet<u64> = parts.iter().filter_map(|part| part.meta().rank).collect();
    let mut ranges: Vec<RangeInclusive<u64>> = Vec::new();
    for rank in ranks {
        match ranges.last_mut() {
            Some(last) if last.end() + 1 == rank => *last = *last.start()..=rank,
            _ => ranges.push(rank..=rank),
        }
    }
    let ranges: Vec<String> = ranges.iter().map(range).collect();
    match ranges.is_empty() {
        true => "none".to_owned(),
        false => ranges.join(","),
    }
}

fn range(ranks: &RangeInclusive<u64>) -> String {
    match (ranks.start(), ranks.end()) {
        (first, last) if first == last => first.to_string(),
        (first, last) => format!("{first}-{last}"),
    }
}

/// Reads parts, and shows how far it is.
pub fn read<'p>(parts: &[&'p Part]) -> Result<Analysis<'p>> {
    if let Some(part) = parts.iter().find(|it| it.meta().mode.executions) {
        return Err(Error::Chunks(part.path().to_owned()).into());
    }
    // Before they are read: a process that ends meanwhile wrote more than is read.
    let growing: Vec<&Part> = parts.iter().copied().filter(|it| is_growing(it)).collect();
    let bar = progress::bar(parts);
    let found = analyse(parts, &|bytes| bar.inc(bytes));
    bar.finish_and_clear();
    let mut found = match found {
        Ok(found) => found,
        Err(error) => match growing.first() {
            Some(part) => {
                return Err(Error::Growing {
                    path: part.path().to_owned(),
                    pid: part.meta().pid,
                }
                .into());
            }
            None => return Err(error.into()),
        },
    };
    let files: Vec<String> = growing
        .iter()
        .map(|part| part.path().display().to_string())
        .collect();
    for number in 0..found.report.parts.len() {
        if files.contains(&found.report.parts[number].file) {
            found.report.grows(number);
        }
    }
    Ok(found)
}

fn keep(found: &mut Report, patterns: &[String]) {
    if !patterns.is_empty() {
        found
            .loops
            .retain(|it| patterns.iter().any(|pattern| is_meant(it, pattern)));
    }
}

/// For loops of which there is none.
pub fn missing(patterns: &[String]) -> Result<(), Error> {
    match patterns {
        [] => Ok(()),
        all => Err(Error::Loop(all.join(" or "))),
    }
}

fn order(sort: Sort) -> Order {
    match sort {
        Sort::Lost => Order::Lost,
        Sort::Time => Order::Time,
        Sort::Imbalance => Order::Imbalance,
        Sort::Efficiency => Order::Efficiency,
        Sort::Barrier => Order::Barrier,
        Sort::Bookkeeping => Order::Bookkeeping,
        Sort::Chunks => Order::Chunks,
        Sort::Longest => Order::Longest,
        Sort::Position => Order::Position,
    }
}

/// `None` where standard output is no terminal: nothing is left away there.
pub fn terminal_width() -> Option<usize> {
    let (width, _) = terminal_size::terminal_size_of(std::io::stdout())?;
    Some(width.0.into())
}
