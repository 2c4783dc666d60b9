//! What a loop's iterations cost, as a share of all and piece by piece, and where a team's blocks of equal cost end: arithmetic alone.
//!
//! Pieces are shares of the iteration space, so other bounds, another number of iterations and another team use the same costs. Costs
//! come from the times that threads took for their blocks: all pieces of a block are scaled by what it took more or less than its
//! share (feedback-guided dynamic loop scheduling: J. M. Bull, Euro-Par 1998). As blocks move, smaller pieces are told apart.

use core::sync::atomic::{AtomicU32, AtomicU64, Ordering};

use crate::balance::part_times::Times;

pub(crate) const PIECES: usize = 256;
/// A share of the iteration space: this is all of it.
pub(crate) const WHOLE: u64 = 1 << 32;
/// Bits of a share that are within a piece.
pub(super) const WITHIN: u32 = 24;
const _: () = assert!((PIECES as u64) << WITHIN == WHOLE);

/// All pieces together cost about this.
const TOTAL: u64 = 1 << 40;
/// A piece costs at least a so-manieth part of what the average one does, so that it can become dear again.
const LEAST: u64 = 1 << 10;

/// What the first so many pieces cost, for each number of them. It never decreases, and all pieces cost something.
/// Not on the stack: threads that begin regions may have one of a few pages.
#[derive(Clone, Debug)]
pub(crate) struct Costs(pub(crate) Vec<u64>);

impl Costs {
    pub(crate) fn even() -> Self {
        Self((0..=PIECES as u64).map(|piece| TOTAL / PIECES as u64 * piece).collect())
    }

    pub(crate) fn pieces(&self) -> impl Iterator<Item = u64> {
        self.0.windows(2).map(|sums| sums[1] - sums[0])
    }

    /// The share that the first so many of a team's threads get: from 0 to [`WHOLE`], and never less for more threads.
    pub(crate) fn share(&self, threads: u32, team: u32) -> u64 {
        share(|piece| self.0[piece], threads, team)
    }

    /// These costs after the threads of a team took so long for their blocks. `None`: the times tell nothing.
    pub(crate) fn after(&self, times: &[u64]) -> Option<Self> {
        let all: u128 = times.iter().map(|time| u128::from(*time)).sum();
        if all == 0 {
            return None;
        }
        let team = times.len() as u32;
        let mut costs = vec![0; PIECES];
        for (thread, time) in (0..).zip(times) {
            let block = [self.share(thread, team), self.share(thread + 1, team)];
            // What the block should cost is the same for each thread.
            let scale = ((u128::from(*time) * u128::from(team)) << 20) / all;
            self.add_scaled(&mut costs, block, scale);
        }
        Some(Self::of_pieces(&costs))
    }

    /// Adds what the pieces within a block cost, times `scale` / 2^20.
    fn add_scaled(&self, costs: &mut [u64], block: [u64; 2], scale: u128) {
        for (piece, cost) in costs.iter_mut().enumerate() {
            let begin = (piece as u64) << WITHIN;
            let low = block[0].max(begin);
            let high = block[1].min(begin + (1 << WITHIN));
            let Some(width) = high.checked_sub(low) else { continue };
            let whole = self.0[piece + 1] - self.0[piece];
            let part = (u128::from(whole) * u128::from(width)) >> WITHIN;
            *cost += ((part * scale) >> 20) as u64;
        }
    }

    /// From what each piece costs, in any unit.
    pub(crate) fn of_pieces(costs: &[u64]) -> Self {
        let all: u128 = costs.iter().map(|cost| u128::from(*cost)).sum();
        let least = TOTAL / PIECES as u64 / LEAST;
        let mut sums = vec![0; costs.len() + 1];
        for (piece, cost) in costs.iter().enumerate() {
            let cost = (u128::from(*cost) * u128::from(TOTAL)).checked_div(all).unwrap_or(0) as u64;
            sums[piece + 1] = sums[piece] + cost.max(least);
        }
        Self(sums)
    }

    pub(crate) fn half_way(&self, others: &Self) -> Self {
        Self(self.0.iter().zip(&others.0).map(|(sum, other)| (sum + other) / 2).collect())
    }
}

/// As [`Costs::share`], of sums that stand elsewhere.
pub(crate) fn share(sum: impl Fn(usize) -> u64, threads: u32, team: u32) -> u64 {
    if threads == 0 {
        return 0;
    }
    if threads >= team {
        return WHOLE;
    }
    let all = sum(PIECES);
    let cost = (u128::from(all) * u128::from(threads) / u128::from(team)) as u64;
    // The last piece that begins at that cost or before it.
    let (mut low, mut high) = (0, PIECES);
    while high - low > 1 {
        let middle = (low + high) / 2;
        if sum(middle) <= cost { low = middle } else { high = middle }
    }
    let begin = sum(low);
    let width = (sum(low + 1) - begin).max(1);
    let within = (u128::from(cost.saturating_sub(begin)) << WITHIN) / u128::from(width);
    ((low as u64) << WITHIN) + (within as u64).min((1 << WITHIN) - 1)
}

/// What costs before a share of the iteration space, of sums that stand elsewhere.
pub(super) fn cost_before(sum: impl Fn(usize) -> u64, share: u64) -> u64 {
    let piece = ((share >> WITHIN) as usize).min(PIECES - 1);
    let within = u128::from(share - ((piece as u64) << WITHIN));
    let begin = sum(piece);
    let width = u128::from(sum(piece + 1) - begin);
    begin + ((width * within) >> WITHIN) as u64
}

pub(crate) const fn iterations_before(share: u64, iterations: u64) -> u64 {
    ((share as u128 * iterations as u128) >> 32) as u64
}

/// The iterations before begin and end of a block that is given by shares.
#[inline(always)]
pub(crate) const fn block_of([begin, end]: [u64; 2], iterations: u64) -> (u64, u64) {
    (iterations_before(begin, iterations), iterations_before(end, iterations))
}

/// The end of a block, moved to the nearest end of a chunk of so many iterations, from 1 on; the loop's own end is one.
pub(super) fn at_chunk(before: u64, iterations: u64, whole: u32) -> u64 {
    let whole = u64::from(whole);
    let beyond = before % whole;
    if beyond == 0 || before >= iterations {
        return before;
    }
    let begin = before - beyond;
    if beyond > whole / 2 { begin.saturating_add(whole).min(iterations) } else { begin }
}

/// A thread's block where there are no more chunks than threads: they may wait for each other, so none has two.
pub(super) fn only_chunk(thread: u32, iterations: u64, chunk: u64) -> (u64, u64) {
    let begin = u64::from(thread).saturating_mul(chunk).min(iterations);
    (begin, begin.saturating_add(chunk).min(iterations))
}

/// The last iteration stays with the thread that would have it under `static`: the last one that would have any.
pub(super) fn with_last(
    (begin, end): (u64, u64),
    (thread, team): (u32, u32),
    iterations: u64,
    whole: u32,
) -> (u64, u64) {
    let last_chunk = iterations.saturating_sub(1) / u64::from(whole) * u64::from(whole);
    if u64::from(thread) + 1 == iterations.min(team.into()) {
        (begin.min(last_chunk), iterations)
    } else {
        (begin.min(last_chunk), end.min(last_chunk))
    }
}

// What pieces took in one region, of executions in which each thread ran its block in parts. A block's time alone does not
// say what is dear within it, so where few iterations are very dear it takes many corrections to find them.

/// A part shall take so many nanoseconds, beside which reading the clock twice takes little.
const SHORTEST_PART: f64 = 5_000.0;

/// What pieces take, of one loop in one team. Zeros are none.
pub(crate) struct Pieces {
    /// Nanoseconds.
    took: [AtomicU64; PIECES],
    /// Executions of threads that ran so from begin to end.
    executions: AtomicU32,
    /// Each thread's block has so many parts in this region; 0: it is whole.
    parts: AtomicU32,
}

impl Pieces {
    pub(crate) fn parts(&self) -> u32 {
        self.parts.load(Ordering::Relaxed)
    }

    /// For the next region. No thread is in the loop.
    pub(super) fn set_parts(&self, parts: u32) {
        self.parts.store(parts, Ordering::Relaxed);
    }

    /// A thread ran the iterations between two numbers in so many nanoseconds. Pieces of a part cost in proportion to what was
    /// known before, so ends of parts tell smaller pieces apart, as ends of blocks do.
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

    pub(crate) fn ran(&self) {
        self.executions.fetch_add(1, Ordering::Relaxed);
    }

    /// What was found in the region, if all of a team's threads ran so in all executions. No thread is in the loop.
    pub(super) fn collect(&self, times: Option<&Times>) -> Option<Costs> {
        let executions = self.executions.swap(0, Ordering::Relaxed);
        if executions == 0 {
            return None;
        }
        let took: Vec<u64> = self.took.iter().map(|sum| sum.swap(0, Ordering::Relaxed)).collect();
        let times = times?;
        let all = u64::from(times.executions) * times.ticks.len() as u64;
        (u64::from(executions) == all).then(|| Costs::of_pieces(&took))
    }
}

/// Into how many parts blocks are worth dividing of which a team's threads took such times; 0: into none.
pub(super) fn parts_for(times: &Times) -> u32 {
    let most = PIECES / times.ticks.len();
    let parts = (times.mean() / SHORTEST_PART) as usize;
    let parts = parts.min(most) as u32;
    if parts > 1 { parts } else { 0 }
}

#[cfg(test)]
mod tests;

#[cfg(test)]
mod pieces_tests {
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
