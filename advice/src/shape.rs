//! What the cost of iterations looks like, in a few words with numbers.

use crate::work::Work;

/// Bins in which a loop is looked at.
const BINS: u64 = 128;

/// A shape.
#[derive(Debug, Clone, PartialEq)]
pub enum Shape {
    /// All alike.
    Even,
    /// The costs of some iterations next to each other are a multiple of the others'.
    Step {
        /// The first and the last of them.
        range: [u64; 2],
        /// How many times the others.
        times: f64,
    },
    /// A few iterations have much of the work.
    Spike {
        /// The first and the last of them.
        range: [u64; 2],
        /// Of the iterations.
        share: f64,
        /// Of the work.
        work: f64,
    },
    /// From more to less, or the other way.
    Ramp {
        /// Cost of the first iterations to the mean.
        first: f64,
        /// ... and of the last.
        last: f64,
    },
    /// Here and there.
    Uneven {
        /// The work of the costliest tenth.
        work: f64,
    },
}

/// Variation of bins, to their mean, that is none.
const EVEN: f64 = 0.08;
/// What of the variation a simple shape has to explain.
const EXPLAINED: f64 = 0.8;
/// A spike has at most this share of the iterations, ...
const NARROW: f64 = 0.1;
/// ... and at least so many times as much of the work.
const HIGH: f64 = 3.0;

/// Looks at it.
#[must_use]
pub fn shape(work: &Work) -> Shape {
    let trips = work.trips();
    let width = trips.div_ceil(BINS).max(1);
    let bins = work.chunks(width);
    let size = |at: usize| width.min(trips - at as u64 * width) as f64;
    let costs: Vec<f64> = bins
        .iter()
        .enumerate()
        .map(|(at, it)| it / size(at))
        .collect();
    let mean = work.total() / trips.max(1) as f64;
    if costs.len() < 2 || mean <= 0.0 {
        return Shape::Even;
    }
    let costs: Vec<f64> = costs.iter().map(|it| it / mean).collect();
    let squares = |all: &[f64]| {
        let mean = all.iter().sum::<f64>() / all.len().max(1) as f64;
        all.iter().map(|it| (it - mean).powi(2)).sum::<f64>()
    };
    let variation = squares(&costs);
    if (variation / costs.len() as f64).sqrt() < EVEN {
        return Shape::Even;
    }
    let iterations = |from: usize, to: usize| {
        [
            from as u64 * width,
            (to as u64).saturating_mul(width).min(trips) - 1,
        ]
    };
    let (left, ramp) = unexplained_by_line(&costs);
    let ramp_explains = 1.0 - left / variation;
    let (from, to, left) = best_range(&costs);
    let step_explains = 1.0 - left / variation;
    let inside = &costs[from..to];
    let share = inside.len() as f64 / costs.len() as f64;
    let part = inside.iter().sum::<f64>() / costs.iter().sum::<f64>();
    if share <= NARROW && part >= HIGH * share && step_explains >= EXPLAINED / 2.0 {
        return Shape::Spike {
            range: iterations(from, to),
            share,
            work: part,
        };
    }
    if step_explains >= EXPLAINED && step_explains >= ramp_explains {
        let mean = |all: f64, count: usize| all / count.max(1) as f64;
        let sum: f64 = inside.iter().sum();
        let outside = mean(costs.iter().sum::<f64>() - sum, costs.len() - inside.len());
        let times = mean(sum, inside.len()) / outside.max(f64::MIN_POSITIVE);
        if times.is_finite() && times < 1e6 {
            return Shape::Step {
                range: iterations(from, to),
                times,
            };
        }
    }
    if ramp_explains >= EXPLAINED {
        return Shape::Ramp {
            first: ramp.0.max(0.0),
            last: ramp.1.max(0.0),
        };
    }
    let mut sorted = costs.clone();
    sorted.sort_by(|one, other| other.total_cmp(one));
    let tenth = sorted.len().div_ceil(10);
    Shape::Uneven {
        work: sorted[..tenth].iter().sum::<f64>() / costs.iter().sum::<f64>(),
    }
}

/// What a straight line leaves, and its ends.
fn unexplained_by_line(costs: &[f64]) -> (f64, (f64, f64)) {
    let count = costs.len() as f64;
    let middle = (count - 1.0) / 2.0;
    let mean = costs.iter().sum::<f64>() / count;
    let points = || {
        costs
            .iter()
            .enumerate()
            .map(|(at, it)| (at as f64 - middle, it - mean))
    };
    let slope =
        points().map(|(x, y)| x * y).sum::<f64>() / points().map(|(x, _)| x * x).sum::<f64>();
    let left = points().map(|(x, y)| (y - slope * x).powi(2)).sum();
    (left, (mean - slope * middle, mean + slope * middle))
}

/// The range that differs most from the rest, and what two levels leave.
fn best_range(costs: &[f64]) -> (usize, usize, f64) {
    let count = costs.len();
    let mut sums = vec![(0.0, 0.0)];
    for it in costs {
        let last = sums[sums.len() - 1];
        sums.push((last.0 + it, last.1 + it * it));
    }
    let all = sums[count];
    let mut best = (0, count, f64::MAX);
    for from in 0..count {
        for to in from + 1..=count {
            let inside = (to - from) as f64;
            let outside = count as f64 - inside;
            let sum = sums[to].0 - sums[from].0;
            let rest = all.0 - sum;
            if outside < 1.0 || sum / inside < rest / outside {
                continue;
            }
            let left = all.1 - sum * sum / inside - rest * rest / outside;
            if left < best.2 {
                best = (from, to, left);
            }
        }
    }
    best
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Random;

    fn of(cost: impl FnMut(u64) -> f64) -> Shape {
        shape(&Work::new((0..1280).map(cost).map(|it| (1, it))))
    }

    #[test]
    fn shapes_are_told_apart() {
        assert_eq!(of(|_| 3.0), Shape::Even);
        let Shape::Step { range, times } = of(|i| if i < 640 { 9.0 } else { 1.0 }) else {
            panic!("no step");
        };
        assert_eq!(range, [0, 639]);
        assert!((times - 9.0).abs() < 1e-6, "{times}");
        let Shape::Ramp { first, last } = of(|i| 1280.0 - i as f64) else {
            panic!("no ramp");
        };
        assert!(first > 1.9 && last < 0.1, "{first} {last}");
        let Shape::Spike { range, share, work } = of(|i| if i / 10 == 50 { 500.0 } else { 1.0 })
        else {
            panic!("no spike");
        };
        assert_eq!(range, [500, 509]);
        assert!(share < 0.01 && work > 0.7, "{share} {work}");
        let mut random = Random::new(3);
        let mut noise = |_| if random.below(20) == 0 { 3000.0 } else { 1.0 };
        let uneven = of(&mut noise);
        assert!(
            matches!(uneven, Shape::Uneven { work } if work > 0.1),
            "{uneven:?}"
        );
    }

    #[test]
    fn nothing_to_look_at() {
        assert_eq!(shape(&Work::new([])), Shape::Even);
        assert_eq!(shape(&Work::new([(1, 5.0)])), Shape::Even);
        assert_eq!(shape(&Work::new([(100, 0.0)])), Shape::Even);
        assert_eq!(shape(&Work::new([(u64::MAX, 1e9)])), Shape::Even);
    }
}
