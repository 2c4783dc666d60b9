//! The run as a whole: the program from its start to its end, and all of its loops together.

use std::collections::BTreeMap;

use ompchunk_figures::{Interval, median_between};
use serde::Serialize;

use super::counters::Counters;
use super::curve::{Curve, Measured, curve};
use super::gather::{LoopRun, Run};
use super::sample::{Amount, Sample};

/// The program with `OMP_NUM_THREADS` of so many.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct RunPoint {
    pub threads: u32,
    pub rounds: usize,
    /// There are no more threads than processors that the program may use.
    pub comparable: bool,
    /// From its start to its end, recorded.
    pub seconds: Option<Interval>,
    /// The part of that which is in no loop; `None`: not known.
    pub outside_seconds: Option<Interval>,
    /// Time with the fewest threads / with these.
    pub speedup: Option<Interval>,
    /// Speedup / how many times the fewest threads these are.
    pub efficiency: Option<Interval>,
    /// The processor's; `None`: they cannot be read.
    pub counters: Option<Counters>,
}

/// A point per team size. `follows`: teams are as large as they were asked to be; else nothing is compared.
pub fn points(runs: &[Run], processors: u32, follows: bool) -> Vec<RunPoint> {
    let mut all: BTreeMap<u32, BTreeMap<usize, &Run>> = BTreeMap::new();
    for run in runs {
        all.entry(run.asked).or_default().insert(run.round, run);
    }
    let comparable = all.keys().filter(|key| **key <= processors).count();
    let base = all.iter().next().filter(|_| follows && comparable > 1);
    let point = |threads: u32, rounds: &BTreeMap<usize, &Run>| {
        let seconds = |of: &Run| of.ran.took.as_secs_f64();
        let outside = rounds.values().map(|round| Some(seconds(round) - round.loop_seconds?));
        let outside: Option<Vec<f64>> = outside.collect();
        let base = base.filter(|_| threads <= processors);
        let speedup = |per: f64| {
            let (_, base) = base?;
            let both = rounds.iter().filter_map(|(round, run)| Some((base.get(round)?, run)));
            median_between(both.map(|(base, run)| seconds(base) / seconds(run) / per))
        };
        let counted: Vec<_> = rounds.values().map(|run| run.ran.counted).collect();
        let growth = base.map_or(1.0, |(base, _)| f64::from(threads) / f64::from(*base));
        RunPoint {
            threads,
            rounds: rounds.len(),
            comparable: threads <= processors,
            seconds: median_between(rounds.values().map(|round| seconds(round))),
            outside_seconds: outside.and_then(median_between),
            speedup: speedup(1.0),
            efficiency: speedup(growth),
            counters: Counters::from_runs(&counted),
        }
    };
    all.iter().map(|(threads, rounds)| point(*threads, rounds)).collect()
}

/// All loops together, by what `OMP_NUM_THREADS` was. `None`: of some loop it is not known. `same`: each does the same in all runs.
pub fn loops(runs: &[Run], processors: u32, same: bool) -> Option<Curve> {
    let amount = match same {
        true => Amount::Executions(0, None),
        false => Amount::Different,
    };
    let together = |run: &Run| {
        let mut sum = Sample::none(run.asked, amount);
        for LoopRun { sample, outermost, .. } in &run.loops {
            sum.add(sample.as_ref().ok()?, *outermost);
        }
        Some(Measured { asked: run.asked, round: run.round, sample: sum })
    };
    let all: Option<Vec<Measured>> = runs.iter().map(together).collect();
    all.map(|all| curve(&all, processors))
}
