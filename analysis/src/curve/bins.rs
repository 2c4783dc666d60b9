//! Iterations in bins, and what those of each bin took.

use ompchunk_figures::median;

pub const BINS: u64 = 1024;

#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Bin {
    pub(crate) time: f64,
    pub(crate) iterations: f64,
    /// Time per iteration, in the execution with the least and that with the most.
    pub(crate) low: f64,
    pub(crate) high: f64,
    /// The same of some executions, and of how many they are some.
    samples: [f32; SAMPLES],
    seen: u64,
}

/// Odd, so that one of them is in the middle.
const SAMPLES: usize = 15;

impl Bin {
    /// Another one, of `of` that it stands for. Each has the same chance to stay.
    fn sample(&mut self, value: f32, of: u64) {
        let before = self.seen;
        self.seen += of;
        if before < SAMPLES as u64 {
            self.samples[before as usize] = value;
            self.seen = before + 1;
            return;
        }
        // As good as by chance, and the same each time.
        let chance = self.seen.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 11;
        let at = (chance % (self.seen / of.max(1)).max(1)) as usize;
        if let Some(place) = self.samples.get_mut(at) {
            *place = value;
        }
    }

    fn kept(&self) -> &[f32] {
        &self.samples[..SAMPLES.min(self.seen as usize)]
    }

    /// The one in the middle; of no executions 0.
    pub(crate) fn median(&self) -> f64 {
        median(self.kept().iter().map(|value| f64::from(*value))).unwrap_or(0.0)
    }
}

const NOTHING: Bin =
    Bin { time: 0.0, iterations: 0.0, low: f64::INFINITY, high: 0.0, samples: [0.0; SAMPLES], seen: 0 };

#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Bins {
    pub(crate) all: Vec<Bin>,
    pub(crate) pieces: u64,
    pub(crate) parts: u64,
}

#[derive(Debug, Clone, Default)]
pub(crate) struct PartBins {
    all: Vec<(f64, f64)>,
    pub(super) pieces: u64,
    /// The bins that have something lie between.
    from: usize,
    to: usize,
}

/// How many bins a loop has, and the iterations in each.
fn bins(iterations: u64) -> (usize, f64) {
    let bins = iterations.clamp(1, BINS);
    (bins as usize, iterations as f64 / bins as f64)
}

impl PartBins {
    /// So many iterations from `lower` on, of a loop of `of`, took this long, each the same.
    pub(crate) fn add(&mut self, of: u64, lower: u64, iterations: u64, time: f64) {
        let (count, width) = bins(of);
        if lower >= of || iterations == 0 {
            return;
        }
        if self.all.len() != count {
            *self = PartBins::default();
            self.all = vec![(0.0, 0.0); count];
            self.from = count;
        }
        self.pieces += 1;
        let (begin, end) = (lower as f64, lower.saturating_add(iterations) as f64);
        let per_iteration = time / iterations as f64;
        let bin = |at: f64| ((at / width) as usize).min(count - 1);
        let (first, last) = (bin(begin), bin(end.min(of as f64)));
        for number in first..=last {
            let (left, right) = (number as f64 * width, (number + 1) as f64 * width);
            let some = right.min(end) - left.max(begin);
            if some > 0.0 {
                self.all[number].0 += per_iteration * some;
                self.all[number].1 += some;
                self.to = self.to.max(number + 1);
            }
        }
        self.from = self.from.min(first);
    }
}

impl Bins {
    /// The part is over: takes it in, and leaves it empty.
    pub(crate) fn take(&mut self, part: &mut PartBins) {
        if part.pieces == 0 {
            return;
        }
        if self.all.is_empty() {
            self.all = vec![NOTHING; part.all.len()];
        }
        for number in part.from..part.to {
            let (time, iterations) = std::mem::take(&mut part.all[number]);
            if iterations > 0.0 {
                let to = &mut self.all[number];
                to.time += time;
                to.iterations += iterations;
                to.low = to.low.min(time / iterations);
                to.high = to.high.max(time / iterations);
                to.sample((time / iterations) as f32, 1);
            }
        }
        self.pieces += part.pieces;
        self.parts += 1;
        (part.from, part.to, part.pieces) = (part.all.len(), 0, 0);
    }

    /// Adds another lane's bins, whose times are in units of `unit`.
    pub(crate) fn add(&mut self, other: &Bins, unit: f64) {
        if self.all.is_empty() {
            self.all = vec![NOTHING; other.all.len()];
        }
        for (to, bin) in self.all.iter_mut().zip(&other.all) {
            to.time += bin.time * unit;
            to.iterations += bin.iterations;
            to.low = to.low.min(bin.low * unit);
            to.high = to.high.max(bin.high * unit);
            let of = bin.seen / bin.kept().len().max(1) as u64;
            for value in bin.kept() {
                to.sample(value * unit as f32, of.max(1));
            }
        }
        self.pieces += other.pieces;
        self.parts += other.parts;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pieces_are_shared_out() {
        let mut part = PartBins::default();
        let of = 4 * BINS;
        part.add(of, 2, 4, 40.0);
        part.add(of, of - 1, 1, 7.0);
        let mut bins = Bins::default();
        bins.take(&mut part);
        let told: Vec<_> = bins.all[..3].iter().map(|bin| (bin.time, bin.iterations)).collect();
        assert_eq!(told, [(20.0, 2.0), (20.0, 2.0), (0.0, 0.0)]);
        assert_eq!(bins.all.last().unwrap().time, 7.0);
        // The next execution costs twice as much.
        part.add(of, 2, 4, 80.0);
        bins.take(&mut part);
        assert_eq!((bins.all[1].low, bins.all[1].high), (10.0, 20.0));
        assert_eq!((bins.pieces, bins.parts), (3, 2));
        let mut both = Bins::default();
        both.add(&bins, 0.5);
        both.add(&bins, 0.5);
        assert_eq!(both.all[1].time, bins.all[1].time);
        assert_eq!((both.all[1].low, both.all[1].high), (5.0, 10.0));
        assert_eq!(both.all[1].median(), 7.5, "5, 5, 10 and 10");
    }

    /// A few disturbed executions of many do not move it.
    #[test]
    fn the_median_is_that_of_most() {
        let mut part = PartBins::default();
        let mut lanes = [Bins::default(), Bins::default()];
        for execution in 0..1000 {
            for lane in &mut lanes {
                part.add(4, 0, 4, if execution % 10 == 0 { 400.0 } else { 40.0 });
                lane.take(&mut part);
            }
        }
        assert_eq!(lanes[0].all[2].median(), 10.0);
        let mut both = Bins::default();
        lanes.iter().for_each(|lane| both.add(lane, 1.0));
        assert_eq!(both.all[2].median(), 10.0);
        assert_eq!(both.all[2].high, 100.0);
    }

    #[test]
    fn any_numbers_stay_within() {
        for of in [1, 2, BINS - 1, BINS, BINS + 1, 1 << 53, u64::MAX] {
            for lower in [0, 1, of / 2, of - 1, of, u64::MAX] {
                for iterations in [0, 1, 3, of, u64::MAX] {
                    let mut part = PartBins::default();
                    part.add(of, lower, iterations, 5.0);
                    let mut bins = Bins::default();
                    bins.take(&mut part);
                    assert!(bins.all.iter().all(|bin| bin.time.is_finite()), "{of} {lower}");
                }
            }
        }
    }
}
