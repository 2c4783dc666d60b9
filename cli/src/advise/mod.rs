//! `ompchunk advise`: which schedule to write for the loops of a recorded run, and what that would save.
//!
//! Data flow: the trace is read as for a report, and once more for profiles; what dealing costs is measured, or found
//! where it was kept (`dealing`); a crate of its own predicts and chooses; `text` or JSON says so.

mod dealing;
mod text;

use std::ffi::OsString;
use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::{Context, Result};
use ompchunk_advice::model::{SCHEMA, VERSION};
use ompchunk_advice::{Advice, Costs, Interval, LoopAdvice, Question, advise};
use ompchunk_analysis::profile::Profile;
use ompchunk_analysis::{LoopReport, Order, is_meant, sort};
use ompchunk_trace_format::Part;

pub use self::dealing::child;

use crate::args::Advise as Arguments;
use crate::output;
use crate::report::{self, missing};

/// Reads, predicts, prints.
pub fn print(arguments: &Arguments) -> Result<ExitCode> {
    let (advice, command) = of(arguments)?;
    if arguments.json {
        output::print(&(serde_json::to_string_pretty(&advice)? + "\n"))?;
    } else {
        let width = report::terminal_width();
        let text = text::text(&advice, &command, arguments.all, arguments.top, width);
        output::print_styled(&text)?;
    }
    Ok(ExitCode::SUCCESS)
}

/// Advice for the loops that are asked about, and the program that was recorded.
pub fn of(arguments: &Arguments) -> Result<(Advice, String)> {
    let traces = report::open(&[&arguments.trace])?;
    let parts = report::parts(&traces, &arguments.ranks)?;
    let mut analysis = report::read(&parts)?;
    let mut found = std::mem::take(&mut analysis.report);
    for error in traces.iter().flat_map(|it| &it.skipped) {
        found.skips(error);
    }
    sort(&mut found.loops, Order::Lost);
    if !arguments.loops.is_empty() {
        let meant = |it: &LoopReport| arguments.loops.iter().any(|one| is_meant(it, one));
        found.loops.retain(meant);
        if found.loops.is_empty() {
            missing(&arguments.loops)?;
        }
    }
    let loops: Vec<&LoopReport> = found.loops.iter().collect();
    let bar = report::bar(&parts);
    let profiles = analysis.profiles(&loops, &|bytes| bar.inc(bytes));
    bar.finish_and_clear();
    let profiles = profiles.context("the trace cannot be read a second time")?;
    let mut notes: Vec<String> = found.notes.iter().map(|it| it.text.clone()).collect();
    let measured = match team(&profiles, arguments.threads) {
        Some(threads) => {
            let (measured, why) = dealing::costs(arguments.runtime.as_deref(), &parts, threads);
            notes.extend(why);
            measured
        }
        None => None,
    };
    let command = command(&parts);
    let question = Question {
        threads: arguments.threads.map(|it| it as usize),
        costs: Costs {
            measured: measured.clone(),
            ..Costs::default()
        },
        command: &command,
    };
    let all = loops.iter().zip(&profiles);
    let loops: Vec<LoopAdvice> = all
        .map(|(the_loop, profile)| advise(the_loop, profile, &question))
        .collect();
    let advice = Advice {
        schema: SCHEMA,
        version: VERSION,
        gain_of_run: gain(&loops, &found.loops),
        loops,
        threads: question.threads,
        run_seconds: found.run.seconds,
        dealing: measured,
        notes,
    };
    Ok((advice, command))
}

/// The team in which dealing is measured; `None` where nothing is simulated.
fn team(profiles: &[Profile], asked: Option<u64>) -> Option<u32> {
    let executions = profiles.iter().flat_map(|it| &it.executions);
    let teams = executions.map(|it| it.threads.len());
    let most = teams.filter(|it| *it > 1).max()?;
    let team = asked.map_or(most as u64, |it| it.max(2));
    let cores = std::thread::available_parallelism().map_or(2, |it| it.get() as u64);
    Some(team.min(cores.max(2)) as u32)
}

/// What all advice together saves: loops within others are in their time.
fn gain(loops: &[LoopAdvice], reports: &[LoopReport]) -> Option<Interval> {
    let outer = loops.iter().zip(reports);
    let outer = outer.filter(|(_, report)| report.nested_executions == 0);
    let gains = outer.filter_map(|(it, _)| it.gain_of_run);
    gains.reduce(|one, other| Interval {
        low: one.low + other.low,
        middle: one.middle + other.middle,
        high: one.high + other.high,
    })
}

/// The program that was recorded, as one types it.
fn command(parts: &[&Part]) -> String {
    let words = parts.first().map_or(&[][..], |it| &it.meta().command);
    let words = words.iter().map(|word| {
        let plain = |c: char| c.is_ascii_alphanumeric() || "_-./=,:+@%".contains(c);
        match !word.is_empty() && word.chars().all(plain) {
            true => word.clone(),
            false => format!("'{}'", word.replace('\'', r"'\''")),
        }
    });
    words.collect::<Vec<String>>().join(" ")
}

/// The recorded program's file, if it is still there.
fn program(parts: &[&Part]) -> Option<PathBuf> {
    let meta = parts.first()?.meta();
    let name = meta.command.first()?;
    match name.contains('/') {
        true => Some(PathBuf::from(&meta.directory).join(name)),
        false => ompchunk_toolchain::program::find(&OsString::from(name)),
    }
}
