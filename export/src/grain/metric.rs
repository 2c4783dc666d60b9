//! The metrics of grains; `docs/export.md` has the definitions and where they come from.

use std::collections::HashMap;

use super::region::{Execution, Grain, Item, Region};
use super::scatter::Processors;

/// Of one execution of a loop, over all of its threads.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(crate) struct Balance {
    /// Longest chunk through the mean of all.
    pub(crate) chunks: Option<f64>,
    /// Most loaded thread through the mean of those that ran any chunk.
    pub(crate) threads: Option<f64>,
    /// Median distance between the processors of two chunks.
    pub(crate) scatter: Option<f64>,
    /// Chunks.
    pub(crate) count: u64,
    /// Ticks of all of them, and their iterations.
    pub(crate) ticks: Option<u64>,
    pub(crate) iterations: u64,
}

/// Of the chunks of an execution.
#[derive(Debug, Default)]
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
    pub(super) fn add(&mut self, grain: &Grain) {
        let ticks = grain.ticks.unwrap_or(0);
        self.cut |= grain.ticks.is_none();
        self.count += 1;
        self.sum += ticks;
        self.iterations = self.iterations.wrapping_add(grain.iterations);
        self.longest = self.longest.max(ticks);
        *self.threads.entry(grain.thread).or_default() += ticks;
        self.processors.add(grain.cpu);
    }

    pub(super) fn balance(&self) -> Balance {
        // Of an execution that the trace is cut in, nothing is known; of one without time, nothing can be.
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

/// The balance of all executions of loops in a region.
pub(crate) fn balances(region: &Region) -> HashMap<Execution, Balance> {
    let items = region.tasks.iter().flat_map(|task| &task.items);
    let mut sums: HashMap<Execution, Sums> = HashMap::new();
    for item in items {
        if let Item::Grain(grain) = item {
            sums.entry(grain.execution).or_default().add(grain);
        }
    }
    sums.into_iter().map(|(execution, sums)| (execution, sums.balance())).collect()
}

/// Time of the iterations through the time of the bookkeeping that led to them.
pub(crate) fn parallel_benefit(grain: &Grain) -> Option<f64> {
    let ticks = grain.ticks?;
    (grain.creation > 0).then(|| ticks as f64 / grain.creation as f64)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::grain::path::GrainPath;
    use crate::grain::region::Task;

    fn grain(thread: u32, ticks: Option<u64>) -> Item {
        Item::Grain(Grain {
            execution: (1, 0),
            thread,
            cpu: Some(2 * thread),
            lower: 0,
            iterations: 1,
            variable: None,
            begin: 0,
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
}
