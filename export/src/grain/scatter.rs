//! Scatter: how far apart the processors are on which siblings ran, as the authors' prototype computes it.

use std::collections::BTreeMap;
use std::ops::Bound;

use ompchunk_figures::quantile;

/// The processors of siblings.
#[derive(Debug, Clone, Default)]
pub(super) struct Processors {
    /// How many siblings ran on each.
    counts: BTreeMap<u32, u64>,
    /// Of some it is not known.
    is_unknown: bool,
}

impl Processors {
    pub(super) fn add(&mut self, cpu: Option<u32>) {
        match cpu {
            Some(cpu) => *self.counts.entry(cpu).or_default() += 1,
            None => self.is_unknown = true,
        }
    }

    /// The median of the distances between every two siblings, which are the differences of their processors' numbers. `None`: there
    /// are no two, or the processor of one is not known.
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

    fn scatter(cpus: &[u32]) -> Option<f64> {
        let mut processors = Processors::default();
        cpus.iter().for_each(|cpu| processors.add(Some(*cpu)));
        processors.scatter()
    }

    /// All pairs, one by one.
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
            processors.add(cpu);
        }
        assert_eq!(processors.scatter(), None);
    }
}
