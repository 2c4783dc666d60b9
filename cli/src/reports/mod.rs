//! `ompchunk report`: what a trace tells, as text, JSON or a page.
//!
//! Data flow: parts are opened, the analysis reads them (a bar shows how far it is), what is asked for is
//! selected, and one of `listing`, `details`, `comparison` or `page` writes it.

mod check;
mod comparison;
mod details;
mod listing;
mod page;
mod progress;
mod units;

use std::path::Path;
use std::process::ExitCode;

use anyhow::Result;
use ompchunk_analysis::{Analysis, LoopReport, Order, Report, analyse, diff, is_meant, sort};
use ompchunk_trace_format::{Part, Trace};

use crate::args::{Report as Arguments, Sort};
use crate::report;

/// What was asked for is not in the trace.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// No such rank.
    #[error("no part of the trace is of rank {asked}: it has {has}")]
    Rank {
        /// What was asked for.
        asked: u64,
        /// What there is.
        has: String,
    },
    /// No such loop.
    #[error("no loop of the trace is {0}")]
    Loop(String),
}

impl Error {
    /// What to do about it.
    pub fn next(&self) -> String {
        match self {
            Error::Rank { .. } => "name one of these, or leave --rank away",
            Error::Loop(_) => "ompchunk report without --loop lists them; --top 0 lists all",
        }
        .to_owned()
    }
}

/// Reads, selects, prints.
pub fn print(arguments: &Arguments) -> Result<ExitCode> {
    let traces = open(&arguments.traces)?;
    let parts = parts(&traces, &arguments.ranks)?;
    if arguments.check {
        return check::print(&parts);
    }
    let width = terminal_width();
    let mut analysis = read(&parts)?;
    let mut found = std::mem::take(&mut analysis.report);
    if let Some(path) = &arguments.diff {
        let before = open(std::slice::from_ref(path))?;
        let mut before = read(&self::parts(&before, &arguments.ranks)?)?.report;
        keep(&mut before, &arguments.loops);
        keep(&mut found, &arguments.loops);
        if before.loops.is_empty() && found.loops.is_empty() {
            missing(&arguments.loops)?;
        }
        let diff = diff(&before, &found);
        if arguments.json {
            report::print(&(serde_json::to_string_pretty(&diff)? + "\n"))?;
        } else {
            let text = comparison::text(&diff, path, &arguments.traces[0], arguments.top, width);
            report::print_styled(&text)?;
        }
        return Ok(ExitCode::SUCCESS);
    }
    sort(&mut found.loops, order(arguments.sort));
    keep(&mut found, &arguments.loops);
    if found.loops.is_empty() {
        missing(&arguments.loops)?;
    }
    if arguments.json {
        report::print(&(serde_json::to_string_pretty(&found)? + "\n"))?;
        return Ok(ExitCode::SUCCESS);
    }
    if let Some(path) = &arguments.html {
        let some = found.loops.len().min(page::PICTURES);
        let loops: Vec<&LoopReport> = found.loops[..some].iter().collect();
        let bar = progress::bar(&parts);
        let pictures = analysis.pictures(&loops, &|bytes| bar.inc(bytes))?;
        bar.finish_and_clear();
        page::write(path, &found, &pictures)?;
        return Ok(ExitCode::SUCCESS);
    }
    let mut text = listing::text(&found, arguments.top, width);
    let close = match arguments.loops.is_empty() {
        true => 1,
        false => listing::shown(&found, arguments.top),
    };
    for the_loop in found.loops.iter().take(close) {
        text += &details::text(&found, the_loop, width);
    }
    report::print_styled(&text)?;
    Ok(ExitCode::SUCCESS)
}

fn open(paths: &[impl AsRef<Path>]) -> Result<Vec<Trace>> {
    let all = paths.iter().map(|path| Trace::open(path.as_ref()));
    Ok(all.collect::<Result<Vec<_>, _>>()?)
}

/// The parts of some ranks, or all.
fn parts<'t>(traces: &'t [Trace], ranks: &[u64]) -> Result<Vec<&'t Part>> {
    let all: Vec<&Part> = traces.iter().flat_map(|trace| &trace.parts).collect();
    for asked in ranks {
        if !all.iter().any(|part| part.meta().rank == Some(*asked)) {
            let has: Vec<String> = all
                .iter()
                .filter_map(|part| part.meta().rank.map(|rank| rank.to_string()))
                .collect();
            let has = if has.is_empty() {
                "none".to_owned()
            } else {
                has.join(", ")
            };
            return Err(Error::Rank { asked: *asked, has }.into());
        }
    }
    let wanted = |part: &&Part| match part.meta().rank {
        _ if ranks.is_empty() => true,
        Some(rank) => ranks.contains(&rank),
        None => false,
    };
    Ok(all.into_iter().filter(wanted).collect())
}

fn read<'p>(parts: &[&'p Part]) -> Result<Analysis<'p>> {
    let bar = progress::bar(parts);
    let found = analyse(parts, &|bytes| bar.inc(bytes));
    bar.finish_and_clear();
    Ok(found?)
}

fn keep(found: &mut Report, patterns: &[String]) {
    if !patterns.is_empty() {
        found
            .loops
            .retain(|it| patterns.iter().any(|pattern| is_meant(it, pattern)));
    }
}

fn missing(patterns: &[String]) -> Result<(), Error> {
    match patterns {
        [] => Ok(()),
        all => Err(Error::Loop(all.join(" or "))),
    }
}

fn order(sort: Sort) -> Order {
    match sort {
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
fn terminal_width() -> Option<usize> {
    let (width, _) = terminal_size::terminal_size_of(std::io::stdout())?;
    Some(width.0.into())
}
