//! What other schedules would make of the loops of a trace, for `ompchunk advise` and for the page of a report.

use anyhow::{Context, Result};
use ompchunk_advice::{Costs, LoopAdvice, Measured, Question, advise, are_in_one_line, are_one};
use ompchunk_analysis::profile::Profile;
use ompchunk_analysis::{Analysis, LoopReport, Promise};
use ompchunk_trace_format::Part;

use super::dealing;
use crate::args::Advise as Arguments;
use crate::report::command;

pub struct Forecast {
    /// In the order in which they were asked about.
    pub loops: Vec<LoopAdvice>,
    /// What dealing costs; `None`: it could not be measured, or nothing is simulated.
    pub dealing: Option<Measured>,
    pub notes: Vec<String>,
}

/// Reads the trace a second time; `read` is told of the bytes. `all` are the loops of the trace, as some are judged with others.
pub fn forecasts(
    analysis: &Analysis<'_>,
    asked_about: &[&LoopReport],
    all: &[LoopReport],
    parts: &[&Part],
    asked: &Arguments,
    read: &(dyn Fn(u64) + Sync),
) -> Result<Forecast> {
    let loops = with_groups(asked_about, all);
    let profiles = analysis.profiles(&loops, read).context("the trace cannot be read a second time")?;
    let team = team(&profiles, asked.threads);
    let (measured, note) =
        team.map_or((None, None), |threads| dealing::costs(asked.runtime.as_deref(), parts, threads));
    let command = command::recorded(parts);
    let question = Question {
        threads: asked.threads.map(|threads| threads as usize),
        costs: Costs { measured: measured.clone(), ..Costs::default() },
        profiled: parts.iter().all(|part| part.meta().mode.profile),
        command: &command,
    };
    let known: Vec<_> = loops.iter().copied().zip(&profiles).collect();
    let mut forecast = advise(&known, &question);
    forecast.truncate(asked_about.len());
    let notes = old(&known[..asked_about.len()]).into_iter().chain(note).collect();
    Ok(Forecast { loops: forecast, dealing: measured, notes })
}

/// And behind them the others of their groups and lines, which are judged with them.
fn with_groups<'a>(some: &[&'a LoopReport], all: &'a [LoopReport]) -> Vec<&'a LoopReport> {
    let others = all.iter().filter(|loop_report| {
        let is_asked_about = some.iter().any(|one| one.identity == loop_report.identity);
        let is_judged_with = |one: &&LoopReport| are_one(one, loop_report) || are_in_one_line(one, loop_report);
        !is_asked_about && some.iter().any(is_judged_with)
    });
    some.iter().copied().chain(others).collect()
}

/// Says for how many loops it is not known what relies on their threads, since plugin or recorder are too old.
fn old(loops: &[(&LoopReport, &Profile)]) -> Option<String> {
    let old = loops.iter().filter(|(one, profile)| one.promise == Promise::Unknown && profile.facts.changeable);
    let count = old.count();
    let plural = if count == 1 { "" } else { "s" };
    (count > 0).then(|| {
        format!(
            "for {count} loop{plural} it is not known whether anything relies on which thread runs which iteration, because an older \
             ompchunk compiled or recorded it; compile and record again with this one before you change a schedule"
        )
    })
}

/// The team in which dealing is measured; `None` where nothing is simulated.
fn team(profiles: &[Profile], asked: Option<u64>) -> Option<u32> {
    let executions = profiles.iter().flat_map(|profile| &profile.executions);
    let most = executions.map(|execution| execution.threads.len()).filter(|team| *team > 1).max()?;
    let team = asked.map_or(most as u64, |asked| asked.max(2));
    let cores = std::thread::available_parallelism().map_or(2, |cores| cores.get() as u64);
    Some(team.min(cores.max(2)) as u32)
}
