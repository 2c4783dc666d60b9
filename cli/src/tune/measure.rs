//! Loops under advised schedules and their own, in turns within each run, until the difference is known or time over.

use std::cell::RefCell;
use std::path::Path;
use std::time::{Duration, Instant};

use anyhow::{Context, Result};
use ompchunk_abi::overrides::{Pattern, Schedule};
use ompchunk_figures::{Interval, Sample, Verdict, median_between, noise, ratio, typical_time, verdict};
use ompchunk_trace_format::Trace;

use super::runs::{Checked, Oddity, Recorded, Trial, culprits};
use crate::repeat::{Compared, DealtAs, Executions, Turn, in_turns, take_turns};

#[derive(Debug, Clone)]
pub struct Measured {
    /// What the program did under the other schedule that it does not do as compiled.
    pub alarm: Option<String>,
    /// Time under the other schedule as a multiple of that under its own. `None`: too few executions.
    pub ratio: Option<Interval>,
    /// How much equal executions seem to differ.
    pub noise: f64,
    /// Time of an execution under its own schedule.
    pub before: Option<Interval>,
    /// Seconds that all executions of a run take under its own, if that is known of the loop, but for what single ones take longer.
    pub of_run: Option<f64>,
    /// Under its own, and under the other.
    pub executions: [usize; 2],
    pub verdict: Verdict,
    /// Threads of the team, where one of them has each execution under the other schedule alone. If that is faster, no schedule is the cause.
    pub alone: Option<u32>,
}

/// Fewer could be the first by chance.
const FEWEST_RUNS: usize = 2;
/// Where the verdict is clear, so narrow an interval is enough.
const CLEAR: f64 = 0.03;

/// Share of the time that the loops have if one of them is faster; the whole program has the rest.
pub const OF_LOOPS: f64 = 0.6;

#[derive(Debug, Clone, Copy)]
pub struct Limit {
    /// All of the time. It is used up where nothing is decided yet.
    pub all: Duration,
    /// So long, where something is faster already: the rest is the whole program's.
    pub of_loops: Duration,
}

impl Limit {
    fn is_over(&self, elapsed: Duration, measured: &[Measured]) -> bool {
        elapsed >= self.all || elapsed >= self.of_loops && measured.iter().any(Measured::is_faster)
    }
}

/// Runs the program until all is known, or so long, with a directory for traces. Says after each run how far it is.
pub fn loops(
    runs: &mut Checked<'_>,
    trials: &[Trial],
    directory: &Path,
    limit: Limit,
    mut progress: impl FnMut(usize, &[Measured]),
) -> Result<Vec<Measured>> {
    if trials.is_empty() {
        return Ok(Vec::new());
    }
    let begin = Instant::now();
    let mut executions = Executions::default();
    let mut alarms: Vec<Option<String>> = vec![None; trials.len()];
    let mut round = 0;
    let mut read_runs = Some(0);
    loop {
        let tried: Vec<(usize, &Trial)> =
            (trials.iter().enumerate()).filter(|(number, _)| alarms[*number].is_none()).collect();
        let entries =
            tried.iter().flat_map(|(_, trial)| trial.entries_with(&in_turns(&trial.schedule, tried.len(), round)));
        let schedules = entries.collect::<Vec<_>>().join(";");
        let place = directory.join(format!("run-{round}"));
        match runs.under(Recorded::Executions(&place), &schedules)? {
            Ok(_) => {
                // Whether processes run at a time or one after the other is not known.
                let trace = Trace::open(&place)?;
                trace.parts.iter().try_for_each(|part| executions.read(part))?;
                read_runs = read_runs.filter(|_| trace.parts.len() == 1).map(|runs| runs + 1);
            }
            Err(oddity) => {
                for (number, alarm) in culprits(runs, &tried, &oddity)? {
                    alarms[number] = Some(alarm);
                }
            }
        }
        // What an odd run left, too.
        if place.exists() {
            std::fs::remove_dir_all(&place).with_context(|| format!("cannot remove {}", place.display()))?;
        }
        round += 1;
        let both = trials.iter().zip(&alarms);
        let measured: Vec<Measured> = both
            .map(|(trial, alarm)| match alarm {
                Some(alarm) => Measured::odd(alarm.clone()),
                None => measured(&executions, trial, read_runs),
            })
            .collect();
        progress(round, &measured);
        let known = round >= FEWEST_RUNS && measured.iter().all(is_known);
        let all_odd = alarms.iter().all(Option::is_some);
        if known || all_odd || limit.is_over(begin.elapsed(), &measured) {
            return Ok(measured);
        }
    }
}

impl Measured {
    /// It is, the program does what it does as compiled, and its threads share the loop.
    pub fn is_faster(&self) -> bool {
        self.verdict == Verdict::Faster && self.alarm.is_none() && self.alone.is_none()
    }

    pub fn odd(alarm: String) -> Measured {
        Measured { alarm: Some(alarm), ..compared(&[], &[]) }
    }
}

/// Nothing that further runs could say would change what is said. What is not decided may be by the next run.
fn is_known(measured: &Measured) -> bool {
    let is_narrow = measured.ratio.is_some_and(|ratio| ratio.spread() <= CLEAR);
    measured.alarm.is_some() || measured.verdict != Verdict::Unknown && is_narrow
}

/// What so many runs say of it, if they are one process each.
fn measured(executions: &Executions, trial: &Trial, runs: Option<usize>) -> Measured {
    let parsed = trial.loops.iter().flat_map(|the_loop| Pattern::parse(the_loop.trim_start_matches('!')));
    let patterns: Vec<Pattern> = parsed.collect();
    let ran = Schedule::parse(&trial.schedule).ok().and_then(DealtAs::ordered);
    let Compared { source, other, after_a_change } = match (&patterns[..], ran) {
        ([pattern], Some(ran)) => executions.compared(pattern, ran),
        (patterns, Some(ran)) => executions.compared_together(patterns, ran),
        (_, None) => Compared::default(),
    };
    let of_run = runs.and_then(|runs| {
        let seconds = typical_time(&source);
        let all = (source.len() + other.len() + after_a_change) as f64;
        (runs > 0 && !source.is_empty()).then(|| seconds / source.len() as f64 * all / runs as f64)
    });
    let alone = ran.and_then(|ran| executions.alone(&patterns, ran));
    Measured { of_run, alone, ..compared(&source, &other) }
}

/// With fewer executions under one of both, chance decides which are alike.
const FEWEST_OF_EACH: usize = 3;

pub fn compared(source: &[Sample], other: &[Sample]) -> Measured {
    let are_few = source.len().min(other.len()) < FEWEST_OF_EACH;
    let ratio = if are_few { None } else { ratio(source, other) };
    // Where there are too few to tell, what is known is no better than the interval itself.
    let noise = noise(source).or_else(|| ratio.map(|ratio| ratio.spread())).unwrap_or(0.0);
    Measured {
        alarm: None,
        ratio,
        noise,
        before: median_between(source.iter().map(|sample| sample.seconds)),
        of_run: None,
        executions: [source.len(), other.len()],
        verdict: ratio.map_or(Verdict::Unknown, |ratio| verdict(&ratio, noise)),
        alone: None,
    }
}

/// Fewer pairs are believed only if there is no time for more.
const FEWEST: usize = 4;
const NARROW: f64 = 0.01;

/// Runs it in pairs until the difference is known, or so long; or until a run does something that it does not do as compiled.
pub fn whole_program(
    runs: &mut Checked<'_>,
    schedules: &str,
    limit: Duration,
    mut progress: impl FnMut(usize),
) -> Result<Result<Measured, Oddity>> {
    let begin = Instant::now();
    let samples = RefCell::new([Vec::new(), Vec::new()]);
    let mut odd = None;
    let turn = |pair: usize, changed: bool| {
        let took = if changed { runs.under(Recorded::Not, schedules)? } else { Ok(runs.plain(Recorded::Not)?) };
        let took = match took {
            Ok(took) => took,
            Err(oddity) => {
                odd = Some(oddity);
                return Ok(Turn::EndsAll);
            }
        };
        let sample =
            Sample { run: pair, begin: begin.elapsed().as_secs_f64(), iterations: 0, seconds: took.as_secs_f64() };
        samples.borrow_mut()[usize::from(changed)].push(sample);
        Ok(Turn::Stays)
    };
    let measured = || {
        let samples = samples.borrow();
        compared(&samples[0], &samples[1])
    };
    take_turns(&[false, true], turn, |pairs| {
        progress(pairs);
        let is_narrow = measured().ratio.is_some_and(|ratio| ratio.spread() <= NARROW);
        pairs >= FEWEST && is_narrow || begin.elapsed() >= limit
    })?;
    Ok(odd.map_or_else(|| Ok(measured()), Err))
}

/// The same: what is odd then is its alarm, under schedules of this name.
pub fn alone(
    runs: &mut Checked<'_>,
    schedules: &str,
    name: &str,
    limit: Duration,
    progress: impl FnMut(usize),
) -> Result<Measured> {
    let found = whole_program(runs, schedules, limit, progress)?;
    Ok(found.unwrap_or_else(|oddity| Measured::odd(oddity.under(name))))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn measured(low: f64, high: f64, verdict: Verdict) -> Measured {
        let middle = (low + high) / 2.0;
        Measured { ratio: Some(Interval { low, middle, high }), executions: [40, 40], verdict, ..compared(&[], &[]) }
    }

    /// What is undecided has all of the time, however narrow its interval is, unless something is faster already.
    #[test]
    fn the_undecided_has_all_of_the_time() {
        let faster = measured(0.68, 0.70, Verdict::Faster);
        let undecided = measured(0.979, 0.981, Verdict::Unknown);
        let odd = Measured { alarm: Some("it printed something else".into()), ..faster.clone() };
        assert!(is_known(&faster) && is_known(&odd) && !is_known(&undecided));
        assert!(!is_known(&measured(0.5, 0.9, Verdict::Faster)));
        let limit = Limit { all: Duration::from_secs(100), of_loops: Duration::from_secs(60) };
        let is_over = |seconds, all: &[Measured]| limit.is_over(Duration::from_secs(seconds), all);
        let in_vain = [undecided.clone(), odd];
        assert!(!is_over(99, &in_vain) && is_over(100, &in_vain));
        let found = [undecided, faster];
        assert!(!is_over(59, &found) && is_over(60, &found));
    }
}
