//! How long an execution of a loop takes: its median, which some odd executions do not move, and the medians of some long stretches
//! of the run, which tell how far times differ within it.

use std::collections::HashSet;

use ompchunk_figures::quantile;

use crate::model::{Pace, PaceReport};
use crate::process::{Context, InPart};
use crate::stretches::{Stretch, Stretches};

/// With fewer executions nothing is said of how they differ.
const FEWEST: u64 = 5;
/// Long stretches of a run.
const LONG: usize = 8;

/// The mean of some consecutive executions, in seconds.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Mean {
    executions: f64,
    pub(crate) elapsed: f64,
    pub(crate) own: f64,
}

/// The pace of a loop in all parts. `None`: too few executions.
pub(crate) fn report(context: &Context<'_>, in_parts: &[InPart<'_>]) -> Option<PaceReport> {
    let counts = || in_parts.iter().map(|in_part| in_part.executions().count);
    let executions: u64 = counts().sum();
    if executions < FEWEST {
        return None;
    }
    let part_means =
        |in_part: &InPart<'_>| means(&in_part.executions().stretches, context.sums[in_part.part].clock.hertz);
    let mut parts: Vec<Vec<Mean>> = in_parts.iter().map(part_means).collect();
    parts.retain(|means| !means.is_empty());
    let mut least = counts().filter(|count| *count > 0).min().unwrap_or(0);
    if least < FEWEST {
        // Too few in one part: as if they were of one.
        parts = vec![parts.concat()];
        least = executions;
    }
    let long = LONG.min(usize::try_from(least).unwrap_or(LONG));
    let own = in_parts.iter().all(|in_part| context.sums[in_part.part].knows_cores);
    let processes = in_parts.iter().map(|in_part| context.processes.of[in_part.part]);
    let sum =
        |of: fn(&Stretches) -> f64| in_parts.iter().map(|in_part| &in_part.executions().stretches).map(of).sum::<f64>();
    Some(PaceReport {
        executions,
        mean_trip_count: sum(|stretches| stretches.iterations) / executions as f64,
        mean_team_size: sum(|stretches| stretches.threads) / executions as f64,
        processes: processes.collect::<HashSet<_>>().len(),
        elapsed: pace(&parts, long, |mean| mean.elapsed)?,
        own: own.then(|| pace(&parts, long, |mean| mean.own)).flatten(),
    })
}

pub(crate) fn means(stretches: &Stretches, hertz: f64) -> Vec<Mean> {
    let mean = |stretch: &Stretch| {
        let executions = stretch.count as f64;
        Mean { executions, elapsed: stretch.elapsed / hertz / executions, own: stretch.own / hertz / executions }
    };
    stretches.all().iter().map(mean).collect()
}

/// The mean of several parts, over all and over each stretch.
pub(crate) fn pace(parts: &[Vec<Mean>], long: usize, of: fn(&Mean) -> f64) -> Option<Pace> {
    let mut all = Weighted::default();
    let mut stretches = vec![Weighted::default(); long];
    for means in parts {
        all.add(median(means, of)?, weight(means));
        for (sum, stretch) in stretches.iter_mut().zip(divided(means, long)) {
            // Where short stretches are unequal a long one may have none.
            if let Some(value) = median(&stretch, of) {
                sum.add(value, weight(&stretch));
            }
        }
    }
    let stretches: Vec<f64> = stretches.iter().filter_map(Weighted::mean).collect();
    let are_enough = stretches.len() as u64 >= FEWEST;
    let seconds = all.mean()?;
    are_enough.then_some(Pace { seconds, stretches })
}

fn divided(means: &[Mean], long: usize) -> Vec<Vec<Mean>> {
    let whole = weight(means);
    let mut divided = vec![Vec::new(); long];
    let mut before = 0.0;
    for mean in means {
        let middle = before + mean.executions / 2.0;
        let at = (middle / whole * long as f64) as usize;
        divided[at.min(long - 1)].push(*mean);
        before += mean.executions;
    }
    divided
}

fn weight(means: &[Mean]) -> f64 {
    means.iter().map(|mean| mean.executions).sum()
}

/// Half of the executions are in stretches whose mean is not longer.
fn median(means: &[Mean], of: fn(&Mean) -> f64) -> Option<f64> {
    quantile(means.iter().map(|mean| (of(mean), mean.executions)), 0.5)
}

#[derive(Debug, Clone, Default)]
struct Weighted {
    sum: f64,
    weight: f64,
}

impl Weighted {
    fn add(&mut self, value: f64, weight: f64) {
        self.sum += value * weight;
        self.weight += weight;
    }

    fn mean(&self) -> Option<f64> {
        (self.weight > 0.0).then(|| self.sum / self.weight)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn means(seconds: impl IntoIterator<Item = f64>) -> Vec<Mean> {
        let mean = |seconds| Mean { executions: 1.0, elapsed: seconds, own: seconds / 2.0 };
        seconds.into_iter().map(mean).collect()
    }

    #[test]
    fn odd_executions_do_not_move_it() {
        let mut all = vec![1.0; 40];
        all[0] = 100.0;
        all[17] = 50.0;
        let found = pace(&[means(all)], 8, |mean| mean.elapsed).unwrap();
        assert_eq!((found.seconds, found.stretches), (1.0, vec![1.0; 8]));
    }

    #[test]
    fn stretches_are_in_order_and_have_all() {
        let all = means((0..16).map(f64::from));
        let found = pace(std::slice::from_ref(&all), 8, |mean| mean.elapsed).unwrap();
        let expected: Vec<f64> = (0..8).map(|at| 2.0 * f64::from(at) + 0.5).collect();
        assert_eq!((found.seconds, found.stretches), (7.5, expected));
        let own = pace(&[all], 8, |mean| mean.own).unwrap();
        assert_eq!(own.seconds, 3.75);
    }

    #[test]
    fn of_several_parts_it_is_the_mean() {
        let parts = [means(vec![1.0; 10]), means(vec![3.0; 30])];
        let found = pace(&parts, 5, |mean| mean.elapsed).unwrap();
        assert_eq!((found.seconds, found.stretches), (2.5, vec![2.5; 5]));
    }

    #[test]
    fn unequal_stretches_count_by_their_executions() {
        let mut all = means([1.0, 9.0, 9.0]);
        all[0].executions = 10.0;
        assert_eq!(median(&all, |mean| mean.elapsed), Some(1.0));
        let divided: Vec<usize> = divided(&all, 5).iter().map(Vec::len).collect();
        assert_eq!(divided, [0, 0, 1, 0, 2]);
        assert_eq!(median(&[], |mean| mean.elapsed), None);
    }
}
