//! What pieces of a loop's iteration space took in one region, of executions in which each thread ran its block in parts.
//!
//! A block's time alone says nothing of what is dear within it, so where few iterations are very dear it takes many corrections to find
//! them. Its parts' times say that at once.

use core::sync::atomic::{AtomicU32, AtomicU64, Ordering};

use super::costs::{Costs, PIECES, WITHIN};
use super::part_times::Times;

/// A part shall take so many nanoseconds, beside which reading the clock twice takes little.
const SHORTEST_PART: f64 = 5_000.0;

/// Of one loop in one team. Zeros are none.
pub(super) struct Pieces {
    /// Nanoseconds.
    took: [AtomicU64; PIECES],
    /// Executions of threads that ran so from begin to end.
    executions: AtomicU32,
    /// Each thread's block has so many parts in this region; 0: it is whole.
    parts: AtomicU32,
}

impl Pieces {
    pub(super) fn parts(&self) -> u32 {
        self.parts.load(Ordering::Relaxed)
    }

    /// For the next region. No thread is in the loop.
    pub(super) fn set_parts(&self, parts: u32) {
        self.parts.store(parts, Ordering::Relaxed);
    }

    /// A thread has run the iterations between two numbers of them, of so many, in so many nanoseconds. Pieces of a part cost in proportion
    /// what they cost by what was known before, which says how much is before a share of the iteration space: so ends of parts tell smaller
    /// pieces apart, as ends of blocks do.
    pub(super) fn took(&self, [begin, end]: [u64; 2], iterations: u64, took: u64, cost_before: impl Fn(u64) -> u64) {
        let share = |before: u64| ((u128::from(before) << 32) / u128::from(iterations)) as u64;
        let (begin, end) = (share(begin), share(end));
        let cost = |low, high| u128::from(cost_before(high).saturating_sub(cost_before(low)));
        let all = cost(begin, end).max(1);
        let first = (begin >> WITHIN) as usize;
        for (piece, sum) in (first..).zip(self.took.iter().skip(first)) {
            let low = begin.max((piece as u64) << WITHIN);
            let high = end.min((piece as u64 + 1) << WITHIN);
            if low >= high {
                return;
            }
            let part = u128::from(took) * cost(low, high) / all;
            sum.fetch_add(part as u64, Ordering::Relaxed);
        }
    }

    /// A thread has run all parts of its block.
    pub(super) fn ran(&self) {
        self.executions.fetch_add(1, Ordering::Relaxed);
    }

    /// What was found in the region, if all of a team's threads ran so in all executions. No thread is in the loop.
    pub(super) fn collect(&self, times: Option<&Times>) -> Option<Costs> {
        let executions = self.executions.swap(0, Ordering::Relaxed);
        if executions == 0 {
            return None;
        }
        let mut took = [0; PIECES];
        for (took, sum) in took.iter_mut().zip(&self.took) {
            *took = sum.swap(0, Ordering::Relaxed);
        }
        let times = times?;
        let all = u64::from(times.executions) * times.ticks().len() as u64;
        (u64::from(executions) == all).then(|| Costs::of_pieces(&took))
    }
}

/// Into how many parts blocks are worth dividing of which a team's threads took such times; 0: into none.
pub(super) fn parts_for(times: &Times) -> u32 {
    let most = PIECES / times.ticks().len();
    let parts = (times.mean() / SHORTEST_PART) as usize;
    match parts.min(most) {
        0 | 1 => 0,
        parts => parts as u32,
    }
}

#[cfg(test)]
mod tests {
    use core::array;

    use super::*;

    fn pieces() -> Pieces {
        Pieces { took: array::from_fn(|_| AtomicU64::new(0)), executions: AtomicU32::new(0), parts: AtomicU32::new(0) }
    }

    /// All iterations cost the same.
    fn even(share: u64) -> u64 {
        share << 8
    }

    /// Two threads of the same time, for so many executions.
    fn times(executions: u32) -> Times {
        let mut times = Times::new(&[1_000_000; 2]);
        times.executions = executions;
        times
    }

    #[test]
    fn one_execution_finds_a_spike() {
        // One iteration of a thousand takes as long as all others.
        let pieces = pieces();
        for block in [[0, 500], [500, 1000]] {
            for begin in (block[0]..block[1]).step_by(5) {
                let spike = if begin == 300 { 99_900 } else { 0 };
                pieces.took([begin, begin + 5], 1000, 500 + spike, even);
            }
            pieces.ran();
        }
        let costs = pieces.collect(Some(&times(1))).unwrap();
        let cut = costs.share(1, 2) as f64 / (1_u64 << 32) as f64;
        assert!((0.298..0.306).contains(&cut), "{cut}");
        assert!(pieces.collect(Some(&times(1))).is_none());
    }

    #[test]
    fn parts_of_any_size_add_up() {
        for iterations in [1, 3, 255, 256, 257, 1000, u64::MAX] {
            let pieces = pieces();
            let middle = iterations / 3;
            pieces.took([0, middle], iterations, 1 << 30, even);
            pieces.took([middle, iterations], iterations, 1 << 31, even);
            let all: u64 = pieces.took.iter().map(|sum| sum.load(Ordering::Relaxed)).sum();
            let expected = if middle == 0 { 1 << 31 } else { 3 << 30 };
            assert!((all as i64 - expected).abs() < 600, "{iterations}: {all}");
        }
    }

    #[test]
    fn what_was_known_within_a_part_stays() {
        let pieces = pieces();
        let known = |share: u64| share.min(1 << 30);
        pieces.took([0, 50], 100, 1000, known);
        pieces.took([50, 100], 100, 1000, known);
        let took = |piece: usize| pieces.took[piece].load(Ordering::Relaxed);
        assert_eq!([took(0), took(63), took(64)], [15, 15, 0]);
    }

    #[test]
    fn what_is_not_whole_tells_nothing_and_is_forgotten() {
        let pieces = pieces();
        pieces.took([0, 10], 10, 1000, even);
        pieces.ran();
        assert!(pieces.collect(Some(&times(1))).is_none());
        pieces.took([0, 10], 10, 1000, even);
        pieces.ran();
        pieces.ran();
        assert!(pieces.collect(None).is_none());
        assert!(pieces.took.iter().all(|sum| sum.load(Ordering::Relaxed) == 0));
    }

    #[test]
    fn short_blocks_are_not_divided() {
        assert_eq!(parts_for(&Times::new(&[9_000, 8_000])), 0);
        assert_eq!(parts_for(&Times::new(&[50_000, 150_000])), 20);
        assert_eq!(parts_for(&Times::new(&[50_000_000, 150_000_000])), 128);
        assert_eq!(parts_for(&Times::new(&[50_000_000; 300])), 0);
    }
}
