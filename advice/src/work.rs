//! The work of one execution over its iterations: piecewise constant, so that any range's can be told.

use ompchunk_analysis::profile::Piece;

#[derive(Debug, Clone, Default, PartialEq)]
pub struct Work {
    /// First iterations of the pieces, then the number of all.
    bounds: Vec<u64>,
    before: Vec<f64>,
}

impl Work {
    /// From pieces in order, without gaps: how many iterations, and what all of them take.
    pub fn new(pieces: impl IntoIterator<Item = (u64, f64)>) -> Work {
        let mut work = Work { bounds: vec![0], before: vec![0.0] };
        let (mut end, mut sum) = (0u64, 0.0);
        for (iterations, ns) in pieces {
            end = end.saturating_add(iterations);
            sum += if ns.is_finite() { ns.max(0.0) } else { 0.0 };
            work.bounds.push(end);
            work.before.push(sum);
        }
        work
    }

    pub fn from_pieces(pieces: &[Piece]) -> Work {
        Work::new(pieces.iter().map(|piece| (piece.iterations, piece.ns)))
    }

    pub fn trips(&self) -> u64 {
        self.bounds.last().copied().unwrap_or(0)
    }

    pub fn total(&self) -> f64 {
        self.before.last().copied().unwrap_or(0.0)
    }

    pub fn before(&self, iteration: u64) -> f64 {
        let after = self.bounds.partition_point(|bound| *bound <= iteration);
        match self.bounds.get(after) {
            Some(_) if after > 0 => self.within(after - 1, iteration),
            Some(_) => 0.0,
            None => self.total(),
        }
    }

    pub fn between(&self, from: u64, to: u64) -> f64 {
        (self.before(to) - self.before(from)).max(0.0)
    }

    pub fn costliest(&self) -> f64 {
        let ranges = self.bounds.windows(2).zip(self.before.windows(2));
        let each = ranges.map(|(bounds, ns)| (ns[1] - ns[0]) / (bounds[1] - bounds[0]).max(1) as f64);
        each.fold(0.0, f64::max)
    }

    fn within(&self, piece: usize, iteration: u64) -> f64 {
        let (from, to) = (self.bounds[piece], self.bounds[piece + 1]);
        let (low, high) = (self.before[piece], self.before[piece + 1]);
        let share = (iteration - from) as f64 / (to - from).max(1) as f64;
        low + (high - low) * share
    }

    /// The work of each chunk of so many iterations, the last one may have fewer.
    pub fn chunks(&self, size: u64) -> Vec<f64> {
        let (size, trips) = (size.max(1), self.trips());
        let mut chunks = Vec::with_capacity(trips.div_ceil(size) as usize);
        let (mut piece, mut from, mut before) = (0, 0u64, 0.0);
        while from < trips {
            let to = from.saturating_add(size).min(trips);
            while self.bounds[piece + 1] < to {
                piece += 1;
            }
            let until = self.within(piece, to);
            chunks.push((until - before).max(0.0));
            (from, before) = (to, until);
        }
        chunks
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn pro_rata_within_a_piece() {
        let work = Work::new([(10, 100.0), (5, 0.0), (5, 10.0)]);
        assert_eq!(work.trips(), 20);
        assert_eq!(work.total(), 110.0);
        assert_eq!(work.between(0, 5), 50.0);
        assert_eq!(work.between(5, 16), 52.0);
        assert_eq!(work.before(99), 110.0);
        assert_eq!(work.chunks(8), [80.0, 22.0, 8.0]);
        assert_eq!(work.costliest(), 10.0);
        assert_eq!(Work::new([]).chunks(4), [0.0; 0]);
    }

    #[test]
    fn huge_loops() {
        let half = u64::MAX / 2;
        let work = Work::new([(half, 4e9), (u64::MAX - half, 8e9)]);
        assert_eq!(work.trips(), u64::MAX);
        assert!((work.between(half, u64::MAX) - 8e9).abs() < 1.0);
        assert_eq!(work.chunks(1 << 62).len(), 4);
    }

    proptest! {
        #[test]
        fn chunks_are_ranges_and_lose_nothing(
            pieces in proptest::collection::vec((1u64..50, 0.0f64..1000.0), 0..40),
            size in 1u64..70,
        ) {
            let work = Work::new(pieces);
            let chunks = work.chunks(size);
            let sum: f64 = chunks.iter().sum();
            prop_assert!((sum - work.total()).abs() < 1e-6);
            for (number, chunk) in chunks.iter().enumerate() {
                let from = number as u64 * size;
                let range = work.between(from, (from + size).min(work.trips()));
                prop_assert!((range - chunk).abs() < 1e-6);
            }
        }
    }
}
