//! The loops under the schedules that were advised and under their own, in turns within each run, until it is known what that
//! changes or the time is over.

use std::path::Path;
use std::time::{Duration, Instant};

use anyhow::{Context, Result};
use ompchunk_schedules::{Pattern, Schedule};
use ompchunk_trace_format::Trace;
use ompchunk_trial::{
    Interval, Ran, Sample, Verdict, in_turns, median_time, noise, ratio, verdict,
};

use super::culprits::culprits;
use super::runs::{Recorded, Runs};
use super::trial::Trial;

/// What came of it.
#[derive(Debug, Clone)]
pub struct Measured {
    /// What the program did under the other schedule that it does not do as compiled.
    pub alarm: Option<String>,
    /// Time under the other schedule as a multiple of that under its own. `None`: too few executions.
    pub ratio: Option<Interval>,
    /// How much equal executions seem to differ.
    pub noise: f64,
    /// Of an execution under its own.
    pub before: Option<Interval>,
    /// Under its own, and under the other.
    pub executions: [usize; 2],
    pub verdict: Verdict,
}

/// Fewer could be the first by chance.
const FEWEST_RUNS: usize = 2;
/// So narrow an interval says all that there is to know.
const NARROW: f64 = 0.01;
/// So narrow a one is enough where the verdict is clear.
const CLEAR: f64 = 0.03;

/// Runs the program until all is known, or so long, with a directory for traces. Says after each run how far it is.
pub fn loops(
    runs: &mut Runs<'_>,
    trials: &[Trial],
    directory: &Path,
    limit: Duration,
    mut progress: impl FnMut(usize, &[Measured]),
) -> Result<Vec<Measured>> {
    let begin = Instant::now();
    let mut executions = ompchunk_trial::Runs::default();
    let mut alarms: Vec<Option<String>> = vec![None; trials.len()];
    let mut round = 0;
    loop {
        let tried: Vec<(usize, &Trial)> = (trials.iter().enumerate())
            .filter(|(number, _)| alarms[*number].is_none())
            .collect();
        let entries = tried
            .iter()
            .flat_map(|(_, it)| it.entries_with(&in_turns(&it.schedule, round)));
        let schedules = entries.collect::<Vec<_>>().join(";");
        let place = directory.join(format!("run-{round}"));
        match runs.under(Recorded::Executions(&place), &schedules)? {
            Ok(_) => read(&place, &mut executions)?,
            Err(oddity) => {
                for (number, alarm) in culprits(runs, &tried, &oddity)? {
                    alarms[number] = Some(alarm);
                }
            }
        }
        // What an odd run left, too.
        if place.exists() {
            std::fs::remove_dir_all(&place)
                .with_context(|| format!("cannot remove {}", place.display()))?;
        }
        round += 1;
        let both = trials.iter().zip(&alarms);
        let measured: Vec<Measured> = both
            .map(|(it, alarm)| match alarm {
                Some(alarm) => Measured::odd(alarm.clone()),
                None => of(&executions, it),
            })
            .collect();
        progress(round, &measured);
        let over = begin.elapsed() >= limit;
        let known = round >= FEWEST_RUNS && measured.iter().all(is_known);
        let all_odd = alarms.iter().all(Option::is_some);
        if known || all_odd || over {
            return Ok(measured);
        }
    }
}

fn read(place: &Path, executions: &mut ompchunk_trial::Runs) -> Result<()> {
    let trace = Trace::open(place)?;
    for part in &trace.parts {
        executions.read(part)?;
    }
    Ok(())
}

impl Measured {
    /// Of a schedule under which the program does something else.
    fn odd(alarm: String) -> Measured {
        Measured {
            alarm: Some(alarm),
            ..compared(&[], &[])
        }
    }
}

/// Nothing that further runs could say would change what is said.
fn is_known(measured: &Measured) -> bool {
    let is_narrow = measured.ratio.is_some_and(|ratio| {
        let enough = match measured.verdict {
            Verdict::Unknown => NARROW,
            _ => CLEAR,
        };
        ratio.half_width() <= enough
    });
    measured.alarm.is_some() || is_narrow
}

fn of(executions: &ompchunk_trial::Runs, trial: &Trial) -> Measured {
    let parsed = trial.loops.iter().flat_map(|it| Pattern::parse(it));
    let ran = Schedule::parse(&trial.schedule).ok().and_then(Ran::of);
    let (source, other) = match (&parsed.collect::<Vec<_>>()[..], ran) {
        ([pattern], Some(ran)) => executions.compared(pattern, ran),
        (patterns, Some(ran)) => executions.compared_together(patterns, ran),
        (_, None) => (Vec::new(), Vec::new()),
    };
    compared(&source, &other)
}

/// Two sets of times.
pub fn compared(source: &[Sample], other: &[Sample]) -> Measured {
    let ratio = ratio(source, other);
    // Where there are too few to tell, what is known is no better than the interval itself.
    let noise = noise(source).or_else(|| ratio.map(|it| it.half_width()));
    let noise = noise.unwrap_or(0.0);
    Measured {
        alarm: None,
        ratio,
        noise,
        before: median_time(source),
        executions: [source.len(), other.len()],
        verdict: ratio.map_or(Verdict::Unknown, |it| verdict(&it, noise)),
    }
}
