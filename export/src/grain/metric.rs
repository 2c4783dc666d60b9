//! The metrics of grains; `docs/export.md` has the definitions and where they come from.

use std::collections::{BTreeMap, HashMap};
use std::hash::Hash;
use std::ops::Bound;

use ompchunk_figures::quantile;
use ompchunk_trace_format::At;

use super::region::{Execution, Grain, Item, Region};

/// Balance of one execution of a loop, over all of its threads, or of explicit tasks that meet.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(crate) struct Balance {
    /// Longest chunk or task divided by the mean of all.
    pub(crate) chunks: Option<f64>,
    /// Most loaded thread divided by the mean of those that ran any chunk.
    pub(crate) threads: Option<f64>,
    /// Median distance between the processors of two chunks.
    pub(crate) scatter: Option<f64>,
    pub(crate) count: u64,
    pub(crate) ticks: Option<u64>,
    pub(crate) iterations: u64,
}

#[derive(Default)]
pub(super) struct Sums {
    count: u64,
    sum: u64,
    longest: u64,
    iterations: u64,
    threads: HashMap<u32, u64>,
    processors: Processors,
    cut: bool,
}

impl Sums {
    /// `ticks`: `None` if it has no end.
    pub(super) fn add(&mut self, at: At, ticks: Option<u64>, iterations: u64) {
        self.cut |= ticks.is_none();
        let ticks = ticks.unwrap_or(0);
        self.count += 1;
        self.sum += ticks;
        self.iterations = self.iterations.wrapping_add(iterations);
        self.longest = self.longest.max(ticks);
        *self.threads.entry(at.thread).or_default() += ticks;
        self.processors.add(at);
    }

    pub(super) fn balance(&self) -> Balance {
        // Nothing is known of an execution that the trace is cut in; nothing can be of one without time.
        let known = !self.cut && self.sum > 0;
        let ratio = |most: u64, count: usize| most as f64 * count as f64 / self.sum as f64;
        let busiest = self.threads.values().max().copied().unwrap_or(0);
        Balance {
            chunks: known.then(|| ratio(self.longest, self.count as usize)),
            threads: known.then(|| ratio(busiest, self.threads.len())),
            scatter: self.processors.scatter(),
            count: self.count,
            ticks: known.then_some(self.sum),
            iterations: self.iterations,
        }
    }
}

pub(crate) fn balances(region: &Region) -> HashMap<Execution, Balance> {
    let items = region.tasks.iter().flat_map(|task| &task.items);
    balances_by(items.filter_map(|item| match item {
        Item::Grain(grain) => Some((grain.execution, grain)),
        _ => None,
    }))
}

pub(crate) fn balances_by<'g, K: Eq + Hash>(grains: impl Iterator<Item = (K, &'g Grain)>) -> HashMap<K, Balance> {
    let mut sums: HashMap<K, Sums> = HashMap::new();
    for (key, grain) in grains {
        sums.entry(key).or_default().add(grain.at, grain.ticks, grain.iterations);
    }
    sums.into_iter().map(|(key, sums)| (key, sums.balance())).collect()
}

/// Time of the iterations through the time of the bookkeeping that led to them.
pub(crate) fn parallel_benefit(grain: &Grain) -> Option<f64> {
    let ticks = grain.ticks?;
    (grain.creation > 0).then(|| ticks as f64 / grain.creation as f64)
}

/// The processors of siblings, for their scatter: how far apart these are, as the authors' prototype computes it.
#[derive(Debug, Clone, Default)]
pub(super) struct Processors {
    counts: BTreeMap<u32, u64>,
    is_unknown: bool,
}

impl Processors {
    pub(super) fn add(&mut self, at: At) {
        match at.cpu {
            Some(cpu) => *self.counts.entry(cpu).or_default() += 1,
            None => self.is_unknown = true,
        }
    }

    /// The median difference of the numbers of every two. `None`: there are no two, or one is not known.
    pub(super) fn scatter(&self) -> Option<f64> {
        if self.is_unknown {
            return None;
        }
        let mut pairs: BTreeMap<u32, u128> = BTreeMap::new();
        for (cpu, count) in &self.counts {
            let count = u128::from(*count);
            *pairs.entry(0).or_default() += count * (count - 1) / 2;
            for (further, other) in self.counts.range((Bound::Excluded(cpu), Bound::Unbounded)) {
                *pairs.entry(further - cpu).or_default() += count * u128::from(*other);
            }
        }
        quantile(pairs.iter().map(|(distance, pairs)| (f64::from(*distance), *pairs as f64)), 0.5)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::grain::region::GrainPath;
    use crate::grain::region::Task;

    fn grain(thread: u32, ticks: Option<u64>) -> Item {
        Item::Grain(Grain {
            execution: (1, 0),
            at: At { thread, cpu: Some(2 * thread), ..At::default() },
            lower: 0,
            iterations: 1,
            variable: None,
            ticks,
            creation: 4,
            regions: Vec::new(),
            path: GrainPath::default(),
        })
    }

    fn region(items: Vec<Item>) -> Region {
        Region { tasks: vec![Task { index: 0, items }], ..Region::default() }
    }

    #[test]
    fn longest_through_mean() {
        let region = region(vec![grain(0, Some(10)), grain(0, Some(20)), grain(1, Some(30))]);
        let balance = balances(&region)[&(1, 0)];
        assert_eq!(balance.chunks, Some(1.5));
        assert_eq!(balance.threads, Some(1.0));
        assert_eq!(balance.scatter, Some(2.0));
        assert_eq!(balance.count, 3);
    }

    #[test]
    fn of_a_cut_execution_nothing_is_known() {
        let balance = balances(&region(vec![grain(0, Some(10)), grain(1, None)]))[&(1, 0)];
        assert_eq!((balance.chunks, balance.threads), (None, None));
    }

    #[test]
    fn benefit_is_what_the_bookkeeping_buys() {
        let Item::Grain(mut chunk) = grain(0, Some(10)) else { unreachable!() };
        assert_eq!(parallel_benefit(&chunk), Some(2.5));
        chunk.creation = 0;
        assert_eq!(parallel_benefit(&chunk), None);
    }

    fn on(cpu: Option<u32>) -> At {
        At { cpu, ..At::default() }
    }

    fn scatter(cpus: &[u32]) -> Option<f64> {
        let mut processors = Processors::default();
        cpus.iter().for_each(|cpu| processors.add(on(Some(*cpu))));
        processors.scatter()
    }

    fn by_pairs(cpus: &[u32]) -> Option<f64> {
        let pairs = (0..cpus.len()).flat_map(|one| (0..one).map(move |other| (one, other)));
        let mut distances: Vec<u32> = pairs.map(|(one, other)| cpus[one].abs_diff(cpus[other])).collect();
        distances.sort_unstable();
        let last = distances.len().checked_sub(1)?;
        let middle = [last / 2, last.div_ceil(2)].map(|place| f64::from(distances[place]));
        Some((middle[0] + middle[1]) / 2.0)
    }

    /// What R says of `median(c(dist(cpu_id)))`.
    #[test]
    fn the_median_of_all_distances() {
        assert_eq!(scatter(&[3, 3, 3]), Some(0.0));
        assert_eq!(scatter(&[0, 1]), Some(1.0));
        assert_eq!(scatter(&[7, 0]), Some(7.0));
        // 1 3 0 2 1 3
        assert_eq!(scatter(&[0, 1, 3, 0]), Some(1.5));
        assert_eq!(scatter(&[0, 0, 4, 4]), Some(4.0));
        // 1 5 4
        assert_eq!(scatter(&[0, 1, 5]), Some(4.0));
        // 1 2 10 1 9 8
        assert_eq!(scatter(&[0, 1, 2, 10]), Some(5.0));
    }

    #[test]
    fn it_is_that_of_all_pairs() {
        let mut seed = 1_u32;
        let mut random = |below: u32| {
            seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            (seed >> 16) % below
        };
        for _ in 0..300 {
            let cpus: Vec<u32> = (0..random(12)).map(|_| random(9)).collect();
            assert_eq!(scatter(&cpus), by_pairs(&cpus), "{cpus:?}");
        }
        assert_eq!(scatter(&[0, u32::MAX]), Some(f64::from(u32::MAX)));
    }

    #[test]
    fn of_one_or_where_it_is_not_known_there_is_none() {
        assert_eq!(scatter(&[]), None);
        assert_eq!(scatter(&[5]), None);
        let mut processors = Processors::default();
        for cpu in [Some(1), None, Some(1)] {
            processors.add(on(cpu));
        }
        assert_eq!(processors.scatter(), None);
    }
}
