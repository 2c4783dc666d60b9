//! Counts of durations in buckets that grow with them: memory does not depend on the number of durations,
//! and a quantile is off by a bounded share of itself.

use std::ops::Range;

/// Each power of two is divided into so many buckets.
const PARTS: usize = 1 << PART_BITS;
const PART_BITS: u32 = 4;

/// Most that a quantile can be off, as a share of it: half a bucket.
pub const QUANTILE_ERROR: f64 = 0.5 / PARTS as f64;
/// The same where a recorder counted by powers of two: a bucket's middle as a multiple of its lower end.
pub const COARSE_ERROR: f64 = std::f64::consts::SQRT_2 - 1.0;

/// How many durations there were of which length, in ticks.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Durations {
    /// The bucket that `counts` begins with: loops have chunks of similar length, so few are needed.
    first: usize,
    counts: Vec<u64>,
    total: u64,
    coarse: bool,
}

/// Buckets 0 to 15 hold one value each; from there on 16 buckets hold a power of two.
#[inline]
fn bucket(ticks: u64) -> usize {
    let shift = (u64::BITS - PART_BITS - 1).saturating_sub((ticks | 1).leading_zeros());
    ((shift as usize) << PART_BITS) + (ticks >> shift) as usize
}

/// Lowest value of a bucket, and how many it holds.
fn range(bucket: usize) -> (u64, u64) {
    if bucket < 2 * PARTS {
        return (bucket as u64, 1);
    }
    let shift = bucket / PARTS - 1;
    (((bucket % PARTS + PARTS) as u64) << shift, 1 << shift)
}

impl Durations {
    #[inline]
    pub fn add(&mut self, ticks: u64) {
        let bucket = bucket(ticks);
        self.total += 1;
        match self.counts.get_mut(bucket.wrapping_sub(self.first)) {
            Some(count) => *count += 1,
            None => *self.count_mut(bucket) += 1,
        }
    }

    /// Counts `count` durations of which only the power of two is known.
    pub fn add_octave(&mut self, exponent: usize, count: u64) {
        if count == 0 {
            return;
        }
        self.coarse = true;
        self.total += count;
        let middle = 2f64.powi(exponent.min(63) as i32) * std::f64::consts::SQRT_2;
        *self.count_mut(bucket(middle as u64)) += count;
    }

    #[cold]
    #[inline(never)]
    fn count_mut(&mut self, bucket: usize) -> &mut u64 {
        if self.counts.is_empty() {
            self.first = bucket;
        }
        if bucket < self.first {
            self.counts.splice(0..0, std::iter::repeat_n(0, self.first - bucket));
            self.first = bucket;
        }
        let index = bucket - self.first;
        if index >= self.counts.len() {
            self.counts.resize(index + 1, 0);
        }
        &mut self.counts[index]
    }

    /// Adds the counts of another, measured with a clock of `ratio` of its ticks to one of ours.
    pub fn merge(&mut self, other: &Durations, ratio: f64) {
        self.coarse |= other.coarse;
        // Clocks of one kind of machine differ by less than what a bucket holds.
        let same = (ratio - 1.0).abs() < 0.002;
        for (number, count) in (other.first..).zip(&other.counts) {
            if *count == 0 {
                continue;
            }
            let to = if same {
                number
            } else {
                let (low, width) = range(number);
                bucket(((low as f64 + (width - 1) as f64 / 2.0) / ratio) as u64)
            };
            *self.count_mut(to) += count;
            self.total += count;
        }
    }

    pub fn total(&self) -> u64 {
        self.total
    }

    pub fn error(&self) -> f64 {
        if self.coarse { COARSE_ERROR } else { QUANTILE_ERROR }
    }

    /// The smallest duration that at least the share `q` of all do not exceed, as far as buckets tell.
    pub fn quantile(&self, q: f64) -> Option<f64> {
        let wanted = ((q * self.total as f64).ceil() as u64).clamp(1, self.total.max(1));
        let mut seen = 0;
        for (number, count) in (self.first..).zip(&self.counts) {
            seen += count;
            if seen >= wanted {
                let (low, width) = range(number);
                return Some(low as f64 + (width - 1) as f64 / 2.0);
            }
        }
        None
    }

    /// Values and count of each bucket that is not empty.
    pub fn buckets(&self) -> impl Iterator<Item = (Range<u64>, u64)> + '_ {
        (self.first..).zip(&self.counts).filter(|(_, count)| **count > 0).map(|(number, count)| {
            let (low, width) = range(number);
            (low..low.saturating_add(width), *count)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn buckets_cover_every_value_once() {
        let mut next = 0u64;
        for number in 0..=bucket(u64::MAX) {
            let (low, width) = range(number);
            assert_eq!(low, next, "bucket {number}");
            assert_eq!(bucket(low), number);
            assert_eq!(bucket(low + (width - 1)), number);
            next = low.wrapping_add(width);
        }
        assert_eq!(next, 0, "the last one ends at 2^64");
    }

    #[test]
    fn quantiles_of_small_numbers_are_exact() {
        let mut all = Durations::default();
        assert_eq!(all.quantile(0.5), None);
        for ticks in (1..=20).rev() {
            all.add(ticks);
        }
        assert_eq!(all.quantile(0.0), Some(1.0));
        assert_eq!(all.quantile(0.5), Some(10.0));
        assert_eq!(all.quantile(0.95), Some(19.0));
        assert_eq!(all.quantile(1.0), Some(20.0));
        assert_eq!(all.buckets().count(), 20);
        assert_eq!(all.total(), 20);
    }

    #[test]
    fn merging_rescales() {
        let (mut slow, mut fast) = (Durations::default(), Durations::default());
        slow.add(1000);
        // A clock twice as fast.
        fast.add(2000);
        slow.merge(&fast, 2.0);
        let both: Vec<_> = slow.buckets().collect();
        assert_eq!(both.len(), 1, "{both:?}");
        assert_eq!(both[0].1, 2);
    }

    #[test]
    fn octaves_say_that_they_are_coarse() {
        let mut all = Durations::default();
        all.add_octave(10, 4);
        let median = all.quantile(0.5).unwrap();
        assert!((1024.0..2048.0).contains(&median));
        assert!(all.error() > 0.4);
    }

    proptest::proptest! {
        #[test]
        fn quantiles_are_within_the_error(mut values in proptest::collection::vec(proptest::num::u64::ANY, 1..200), q in 0.0..1.0f64, shift in 0u32..60) {
            let mut all = Durations::default();
            for value in &mut values {
                *value >>= shift;
                all.add(*value);
            }
            values.sort_unstable();
            let rank = ((q * values.len() as f64).ceil() as usize).clamp(1, values.len());
            let (exact, found) = (values[rank - 1] as f64, all.quantile(q).unwrap());
            proptest::prop_assert!((found - exact).abs() <= exact * QUANTILE_ERROR + 1e-9, "{found} for {exact}");
        }
    }
}
