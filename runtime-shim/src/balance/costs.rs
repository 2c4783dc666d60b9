//! What a loop's iterations cost, as a share of all and piece by piece, and where a team's blocks of equal cost end: arithmetic alone.
//!
//! Pieces are shares of the iteration space, so other bounds, another number of iterations and another team use the same costs. Costs
//! come from the times that threads took for their blocks: all pieces of a block are scaled by what it took more or less than its
//! share (feedback-guided dynamic loop scheduling: J. M. Bull, Euro-Par 1998). As blocks move, smaller pieces are told apart.

/// Pieces of the iteration space.
pub(crate) const PIECES: usize = 256;
/// A share of the iteration space: this is all of it.
pub(crate) const WHOLE: u64 = 1 << 32;
/// Of a share, the part within a piece.
pub(super) const WITHIN: u32 = 24;
const _: () = assert!((PIECES as u64) << WITHIN == WHOLE);

/// All pieces together cost about this.
const TOTAL: u64 = 1 << 40;
/// A piece costs at least a so-manieth part of what the average one does, so that it can become dear again.
const LEAST: u64 = 1 << 10;

/// What the first so many pieces cost, for each number of them. It never decreases, and all pieces cost something.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Costs(pub(crate) [u64; PIECES + 1]);

impl Costs {
    /// All iterations cost the same.
    pub(crate) const fn even() -> Self {
        let mut sums = [0; PIECES + 1];
        let mut piece = 0;
        while piece <= PIECES {
            sums[piece] = TOTAL / PIECES as u64 * piece as u64;
            piece += 1;
        }
        Self(sums)
    }

    /// What each piece costs.
    pub(crate) fn pieces(&self) -> impl Iterator<Item = u64> {
        self.0.windows(2).map(|sums| sums[1] - sums[0])
    }

    /// The share of the iteration space that the first so many of a team's threads get. From 0 to [`WHOLE`], and never less for more
    /// threads.
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
        let mut costs = [0; PIECES];
        for (thread, time) in (0..).zip(times) {
            let block = [self.share(thread, team), self.share(thread + 1, team)];
            // What the block should cost is the same for each thread.
            let scale = ((u128::from(*time) * u128::from(team)) << 20) / all;
            self.add_scaled(&mut costs, block, scale);
        }
        Some(Self::of_pieces(&costs))
    }

    /// Adds what the pieces within a block cost, times `scale` / 2^20.
    fn add_scaled(&self, costs: &mut [u64; PIECES], block: [u64; 2], scale: u128) {
        for (piece, cost) in costs.iter_mut().enumerate() {
            let begin = (piece as u64) << WITHIN;
            let low = block[0].max(begin);
            let high = block[1].min(begin + (1 << WITHIN));
            let Some(width) = high.checked_sub(low) else {
                continue;
            };
            let whole = self.0[piece + 1] - self.0[piece];
            let part = (u128::from(whole) * u128::from(width)) >> WITHIN;
            *cost += ((part * scale) >> 20) as u64;
        }
    }

    /// Of what each piece costs, in any unit.
    pub(crate) fn of_pieces(costs: &[u64; PIECES]) -> Self {
        let all: u128 = costs.iter().map(|cost| u128::from(*cost)).sum();
        let least = TOTAL / PIECES as u64 / LEAST;
        let mut sums = [0; PIECES + 1];
        for (piece, cost) in costs.iter().enumerate() {
            let cost = (u128::from(*cost) * u128::from(TOTAL)).checked_div(all).unwrap_or(0) as u64;
            sums[piece + 1] = sums[piece] + cost.max(least);
        }
        Self(sums)
    }

    /// Half way between these and others.
    pub(crate) fn half_way(&self, others: &Self) -> Self {
        let mut sums = self.0;
        for (sum, other) in sums.iter_mut().zip(others.0) {
            *sum = (*sum + other) / 2;
        }
        Self(sums)
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
        match sum(middle) <= cost {
            true => low = middle,
            false => high = middle,
        }
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

/// How many of a loop's iterations stand before a share of them.
pub(crate) const fn iterations_before(share: u64, iterations: u64) -> u64 {
    ((share as u128 * iterations as u128) >> 32) as u64
}

/// The iterations before begin and end of a block that is given by shares.
#[inline(always)]
pub(crate) const fn block_of([begin, end]: [u64; 2], iterations: u64) -> (u64, u64) {
    (iterations_before(begin, iterations), iterations_before(end, iterations))
}

/// The end of a block, which lies behind so many iterations, where no chunk of so many iterations is cut, from 1 on: the nearest end of a
/// chunk. The loop's own end is one.
pub(super) fn at_chunk(before: u64, iterations: u64, whole: u32) -> u64 {
    let whole = u64::from(whole);
    let beyond = before % whole;
    if beyond == 0 || before >= iterations {
        return before;
    }
    let begin = before - beyond;
    match beyond > whole / 2 {
        true => begin.saturating_add(whole).min(iterations),
        false => begin,
    }
}

/// A block that ends so, of a loop of which that thread must have the last iteration which would have it under `static`: the team's last
/// one, or of fewer iterations than threads the last that would have any. `None`: it is as under `static`, which cuts nothing then.
pub(super) fn with_last(
    (begin, end): (u64, u64),
    (thread, team): (u32, u32),
    iterations: u64,
    whole: u32,
) -> Option<(u64, u64)> {
    let followers = iterations.min(team.into()).checked_sub(u64::from(thread) + 1);
    if iterations < team.into() {
        let has_all = followers == Some(0);
        return (whole > 1).then_some((if has_all { 0 } else { iterations }, iterations));
    }
    let most = iterations - 1;
    let most = most - most % u64::from(whole);
    match followers {
        Some(0) => Some((begin.min(most), iterations)),
        _ => Some((begin.min(most), end.min(most))),
    }
}

#[cfg(test)]
mod tests;
