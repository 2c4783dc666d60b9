//! A ratio of two times and its interval, by resampling processes, and in each stretches of consecutive executions, as neighbours share
//! the speed of the machine. Executions are compared in groups of equal numbers of iterations, by medians, which odd ones do not move.

use std::cmp::Ordering;
use std::collections::BTreeMap;

use serde::Serialize;

use crate::{Interval, median};

#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Sample {
    pub run: usize,
    pub begin: f64,
    pub iterations: u64,
    pub seconds: f64,
}

impl Sample {
    /// As they came: process by process.
    pub fn in_time(&self, other: &Sample) -> Ordering {
        self.run.cmp(&other.run).then(self.begin.total_cmp(&other.begin))
    }
}

/// Executions of one stretch: some of each schedule, mostly.
const STRETCH: usize = 8;
/// With fewer stretches, or processes, resampling them says nothing.
const FEWEST: usize = 3;
/// More say nothing new.
const MOST: usize = 20_000;
const RESAMPLED: usize = 400;

/// Time under the second as a multiple of that under the first. `None`: there are too few of one.
pub fn ratio(first: &[Sample], second: &[Sample]) -> Option<Interval> {
    let both = first.iter().map(|sample| (false, *sample)).chain(second.iter().map(|sample| (true, *sample)));
    let mut all: Vec<(bool, Sample)> = both.collect();
    all.sort_by(|(_, a), (_, b)| a.in_time(b));
    let all = &all[all.len().saturating_sub(MOST)..];
    let runs: Vec<Vec<Stretch<'_>>> = runs(all);
    let stretches = runs.iter().map(Vec::len).sum::<usize>();
    if stretches < FEWEST {
        return None;
    }
    let middle = ratio_of(runs.iter().flatten().copied())?;
    // The same numbers each time, so that a report does not change while one looks at it.
    let mut random = fastrand::Rng::with_seed(stretches as u64);
    let draws: Vec<(f64, f64)> =
        (0..RESAMPLED).filter_map(|_| Some((ratio_of(drawn(&runs, &mut random).into_iter())?, 1.0))).collect();
    (draws.len() >= RESAMPLED / 2).then(|| Interval::around(middle, &draws))
}

/// Seconds of executions, each the median of those with as many iterations: the first, which has pages to fill, is no other elsewhere.
pub fn typical_time(samples: &[Sample]) -> f64 {
    let mut groups: BTreeMap<u64, Vec<f64>> = BTreeMap::new();
    for sample in samples {
        groups.entry(sample.iterations).or_default().push(sample.seconds);
    }
    groups.into_values().map(|times| times.len() as f64 * median(times).unwrap_or(0.0)).sum()
}

/// How far two halves of equal executions seem to differ: the farther end of the interval of their ratio.
pub fn noise(samples: &[Sample]) -> Option<f64> {
    let mut sorted = samples.to_vec();
    sorted.sort_by(Sample::in_time);
    // In the order of turns, of one execution each.
    let half = |odd: u32| {
        let chosen = sorted.iter().enumerate().filter(move |(at, _)| at.count_ones() % 2 == odd);
        chosen.map(|(_, sample)| *sample).collect::<Vec<_>>()
    };
    let between = ratio(&half(0), &half(1))?;
    Some((1.0 - between.low).abs().max((between.high - 1.0).abs()))
}

type Stretch<'a> = &'a [(bool, Sample)];

/// The stretches of each process. Where there are few executions in each of many, one is a process.
fn runs(all: &[(bool, Sample)]) -> Vec<Vec<Stretch<'_>>> {
    all.chunk_by(|(_, a), (_, b)| a.run == b.run).map(|run| run.chunks(STRETCH).collect()).collect()
}

/// As many stretches, drawn at random: of processes that are drawn as well, or of all together where two are too few for that.
fn drawn<'a>(runs: &[Vec<Stretch<'a>>], random: &mut fastrand::Rng) -> Vec<Stretch<'a>> {
    let some = |of: &[Stretch<'a>], random: &mut fastrand::Rng| -> Vec<Stretch<'a>> {
        (0..of.len()).map(|_| of[random.usize(..of.len())]).collect()
    };
    if runs.len() < FEWEST {
        return some(&runs.concat(), random);
    }
    let drawn = (0..runs.len()).flat_map(|_| some(&runs[random.usize(..runs.len())], random));
    drawn.collect()
}

/// The ratio of the sums over all groups that both have.
fn ratio_of<'a>(stretches: impl Iterator<Item = &'a [(bool, Sample)]>) -> Option<f64> {
    let mut groups: BTreeMap<u64, [Vec<f64>; 2]> = BTreeMap::new();
    for (is_second, sample) in stretches.flatten() {
        groups.entry(sample.iterations).or_default()[usize::from(*is_second)].push(sample.seconds);
    }
    let mut sums = [0.0, 0.0];
    for [first, second] in groups.into_values() {
        let weight = (first.len() + second.len()) as f64;
        if let (Some(one), Some(other)) = (median(first), median(second)) {
            sums = [sums[0] + weight * one, sums[1] + weight * other];
        }
    }
    (sums[0] > 0.0).then(|| sums[1] / sums[0])
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Verdict {
    Faster,
    Slower,
    Same,
    Unknown,
}

/// Less is not worth another schedule.
pub const MATTERS: f64 = 0.01;

/// What may be said of a ratio, where equal executions seem to differ by `noise`.
pub fn verdict(ratio: &Interval, noise: f64) -> Verdict {
    let floor = noise.max(MATTERS);
    if ratio.high < 1.0 - floor {
        Verdict::Faster
    } else if ratio.low > 1.0 + floor {
        Verdict::Slower
    } else if ratio.low > 1.0 - 2.0 * MATTERS && ratio.high < 1.0 + 2.0 * MATTERS {
        Verdict::Same
    } else {
        Verdict::Unknown
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Executions in turns, with noise, under schedules that take 1 and `factor`.
    fn samples(count: usize, runs: usize, factor: f64, seed: u64) -> (Vec<Sample>, Vec<Sample>) {
        let mut random = fastrand::Rng::with_seed(seed);
        let (mut first, mut second) = (Vec::new(), Vec::new());
        for run in 0..runs {
            for at in 0..count / runs {
                let is_second = (at + run).count_ones() % 2 == 1;
                let small = at % 2 == 0;
                // A machine that becomes slower, and a core that is lost now and then.
                let drift = 1.0 + at as f64 / count as f64;
                let lost = if random.u8(..20) == 0 { 5.0 } else { 1.0 };
                let work = if small { 1.0 } else { 10.0 };
                let seconds = work * drift * lost * (0.97 + 0.06 * random.f64());
                let sample = Sample {
                    run,
                    begin: at as f64,
                    iterations: if small { 10 } else { 100 },
                    seconds: if is_second { seconds * factor } else { seconds },
                };
                if is_second { second.push(sample) } else { first.push(sample) }
            }
        }
        (first, second)
    }

    #[test]
    fn finds_the_factor_and_its_interval_holds_it() {
        let mut held = 0;
        for seed in 0..8 {
            for factor in [0.5, 0.98, 1.0, 1.7] {
                let (first, second) = samples(400, 2, factor, seed);
                let ratio = ratio(&first, &second).unwrap();
                assert!((ratio.middle / factor - 1.0).abs() < 0.06, "{factor}: {ratio:?}");
                held += u32::from(ratio.low <= factor && factor <= ratio.high);
            }
        }
        assert!(held > 32 * 8 / 10, "{held}");
    }

    /// Within each process all executions agree, and processes do not.
    #[test]
    fn processes_that_differ_make_the_interval_wide() {
        let of = |factors: [f64; 6]| {
            let (mut first, mut second) = (Vec::new(), Vec::new());
            for (run, factor) in factors.into_iter().enumerate() {
                let (ones, others) = samples(60, 1, factor, run as u64);
                let of_run = |sample: Sample| Sample { run, ..sample };
                first.extend(ones.into_iter().map(of_run));
                second.extend(others.into_iter().map(of_run));
            }
            ratio(&first, &second).unwrap()
        };
        let (alike, apart) = (of([0.7; 6]), of([0.5, 0.9, 0.5, 0.9, 0.5, 0.9]));
        assert!(alike.spread() < 0.05, "{alike:?}");
        assert!(apart.spread() > 0.1, "{apart:?}");
    }

    #[test]
    fn a_first_execution_that_takes_longer_counts_as_the_others() {
        let of = |iterations, seconds| Sample { run: 0, begin: 0.0, iterations, seconds };
        let samples = [of(8, 9.0), of(8, 1.0), of(8, 1.0), of(2, 0.25), of(2, 0.25)];
        assert!((typical_time(&samples) - 3.5).abs() < 1e-9);
    }

    #[test]
    fn a_process_for_each_execution() {
        let (first, second) = samples(12, 12, 0.8, 3);
        let ratio = ratio(&first, &second).unwrap();
        assert!(ratio.low <= 0.85 && ratio.high >= 0.75, "{ratio:?}");
    }

    #[test]
    fn too_few_are_no_ratio() {
        let (first, second) = samples(16, 1, 1.0, 1);
        assert_eq!(ratio(&first, &second), None);
        assert_eq!(ratio(&first, &[]), None);
        assert_eq!(ratio(&[], &[]), None);
        // Nothing in common.
        let other: Vec<Sample> = first.iter().map(|sample| Sample { iterations: 7, ..*sample }).collect();
        assert_eq!(ratio(&other, &second), None);
        let nothing: Vec<Sample> = first.iter().map(|sample| Sample { seconds: 0.0, ..*sample }).collect();
        assert_eq!(ratio(&nothing, &second), None);
    }

    #[test]
    fn noise_of_equal_executions_is_small() {
        let (first, _) = samples(800, 2, 1.0, 9);
        let noise = noise(&first).unwrap();
        assert!(noise < 0.2, "{noise}");
    }

    fn verdict_of(low: f64, high: f64, noise: f64) -> Verdict {
        let middle = (low + high) / 2.0;
        verdict(&Interval { low, middle, high }, noise)
    }

    #[test]
    fn only_what_all_of_the_interval_says() {
        assert_eq!(verdict_of(0.7, 0.8, 0.02), Verdict::Faster);
        assert_eq!(verdict_of(1.2, 1.3, 0.02), Verdict::Slower);
        assert_eq!(verdict_of(0.99, 1.01, 0.005), Verdict::Same);
        assert_eq!(verdict_of(0.7, 1.1, 0.02), Verdict::Unknown);
        // A machine on which equal executions differ as much.
        assert_eq!(verdict_of(0.7, 0.8, 0.3), Verdict::Unknown);
    }
}
