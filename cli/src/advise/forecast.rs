//! What other schedules would make of the loops of a trace, for `ompchunk advise` and for the page of a report.

use std::path::Path;

use anyhow::{Context, Result};
use ompchunk_advice::{Costs, LoopAdvice, Measured, Question, advise};
use ompchunk_analysis::profile::Profile;
use ompchunk_analysis::{Analysis, LoopReport};
use ompchunk_trace_format::Part;

use super::{dealing, recorded};

/// What the user says of it.
#[derive(Debug, Clone, Copy, Default)]
pub struct Asked<'a> {
    /// Another team than the recorded one.
    pub threads: Option<u64>,
    /// The program's runtime, where it is not found.
    pub runtime: Option<&'a Path>,
}

/// Of some loops.
#[derive(Debug)]
pub struct Forecast {
    /// In the order in which they were asked about.
    pub loops: Vec<LoopAdvice>,
    /// What dealing costs; `None`: it could not be measured, or nothing is simulated.
    pub dealing: Option<Measured>,
    /// Why that could not be.
    pub note: Option<String>,
}

/// Reads the trace a second time; `read` is told of the bytes.
pub fn of(
    analysis: &Analysis<'_>,
    loops: &[&LoopReport],
    parts: &[&Part],
    asked: &Asked<'_>,
    read: &(dyn Fn(u64) + Sync),
) -> Result<Forecast> {
    let profiles = analysis.profiles(loops, read);
    let profiles = profiles.context("the trace cannot be read a second time")?;
    let (measured, note) = match team(&profiles, asked.threads) {
        Some(threads) => dealing::costs(asked.runtime, parts, threads),
        None => (None, None),
    };
    let command = recorded::command(parts);
    let question = Question {
        threads: asked.threads.map(|it| it as usize),
        costs: Costs {
            measured: measured.clone(),
            ..Costs::default()
        },
        command: &command,
    };
    let all = loops.iter().zip(&profiles);
    Ok(Forecast {
        loops: all
            .map(|(the_loop, profile)| advise(the_loop, profile, &question))
            .collect(),
        dealing: measured,
        note,
    })
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
