//! What the cost of iterations looks like, in a few words with numbers.

use crate::work::Work;

const BINS: u64 = 128;

#[derive(Debug, Clone, PartialEq)]
pub enum Shape {
    Even,
    /// The costs of some iterations next to each other are a multiple of the others'.
    Step {
        range: [u64; 2],
        times: f64,
    },
    Spike {
        range: [u64; 2],
        share: f64,
        work: f64,
    },
    /// From more to less, or the other way.
    Ramp {
        /// Cost of the first iterations to the mean.
        first: f64,
        /// ... and of the last.
        last: f64,
    },
    Uneven {
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

impl Shape {
    pub fn from_work(work: &Work) -> Shape {
        let trips = work.trips();
        let width = trips.div_ceil(BINS).max(1);
        let mean = work.total() / trips.max(1) as f64;
        let size = |bin: usize| width.min(trips - bin as u64 * width) as f64;
        let bins = work.chunks(width).into_iter().enumerate();
        // The cost of iterations in cells of equal width, to the mean.
        let costs: &Vec<f64> = &bins.map(|(bin, work)| work / size(bin) / mean).collect();
        let variation = variation_of(costs);
        if costs.len() < 2 || mean <= 0.0 || (variation / costs.len() as f64).sqrt() < EVEN {
            return Shape::Even;
        }
        let (left_by_line, ramp) = unexplained_by_line(costs);
        let ramp_explains = 1.0 - left_by_line / variation;
        let (from, to, left_by_step) = best_range(costs);
        let step_explains = 1.0 - left_by_step / variation;
        let end = (to as u64).saturating_mul(width).min(trips);
        let (inside, range) = (&costs[from..to], [from as u64 * width, end - 1]);
        let share = inside.len() as f64 / costs.len() as f64;
        let work = inside.iter().sum::<f64>() / costs.iter().sum::<f64>();
        if share <= NARROW && work >= HIGH * share && step_explains >= EXPLAINED / 2.0 {
            return Shape::Spike { range, share, work };
        }
        if step_explains >= EXPLAINED && step_explains >= ramp_explains {
            let times = cost_ratio(inside, costs);
            if times.is_finite() && times < 1e6 {
                return Shape::Step { range, times };
            }
        }
        if ramp_explains >= EXPLAINED {
            return Shape::Ramp { first: ramp.0.max(0.0), last: ramp.1.max(0.0) };
        }
        Shape::Uneven { work: costliest_tenth(costs) }
    }
}

fn variation_of(costs: &[f64]) -> f64 {
    let mean = costs.iter().sum::<f64>() / costs.len().max(1) as f64;
    costs.iter().map(|cost| (cost - mean).powi(2)).sum()
}

/// How many times what the other iterations cost these cost.
fn cost_ratio(inside: &[f64], costs: &[f64]) -> f64 {
    let mean = |sum: f64, count: usize| sum / count.max(1) as f64;
    let sum: f64 = inside.iter().sum();
    let outside = mean(costs.iter().sum::<f64>() - sum, costs.len() - inside.len());
    mean(sum, inside.len()) / outside.max(f64::MIN_POSITIVE)
}

fn costliest_tenth(costs: &[f64]) -> f64 {
    let mut sorted = costs.to_vec();
    sorted.sort_by(|left, right| right.total_cmp(left));
    let tenth = sorted.len().div_ceil(10);
    sorted[..tenth].iter().sum::<f64>() / costs.iter().sum::<f64>()
}

/// What a straight line leaves, and its ends.
fn unexplained_by_line(costs: &[f64]) -> (f64, (f64, f64)) {
    let count = costs.len() as f64;
    let middle = (count - 1.0) / 2.0;
    let mean = costs.iter().sum::<f64>() / count;
    let points = || costs.iter().enumerate().map(|(bin, cost)| (bin as f64 - middle, cost - mean));
    let slope = points().map(|(x, y)| x * y).sum::<f64>() / points().map(|(x, _)| x * x).sum::<f64>();
    let left = points().map(|(x, y)| (y - slope * x).powi(2)).sum();
    (left, (mean - slope * middle, mean + slope * middle))
}

/// The range that differs most from the rest, and what two levels leave.
fn best_range(costs: &[f64]) -> (usize, usize, f64) {
    let count = costs.len();
    let mut sums = vec![(0.0, 0.0)];
    for cost in costs {
        let last = sums[sums.len() - 1];
        sums.push((last.0 + cost, last.1 + cost * cost));
    }
    let totals = sums[count];
    let mut best = (0, count, f64::MAX);
    for from in 0..count {
        for to in from + 1..=count {
            let inside = (to - from) as f64;
            let outside = count as f64 - inside;
            let sum = sums[to].0 - sums[from].0;
            let rest = totals.0 - sum;
            if outside < 1.0 || sum / inside < rest / outside {
                continue;
            }
            let left = totals.1 - sum * sum / inside - rest * rest / outside;
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
    use fastrand::Rng;

    fn shape(cost: impl FnMut(u64) -> f64) -> Shape {
        Shape::from_work(&Work::new((0..1280).map(cost).map(|ns| (1, ns))))
    }

    #[test]
    fn shapes_are_told_apart() {
        assert_eq!(shape(|_| 3.0), Shape::Even);
        let Shape::Step { range, times } = shape(|i| if i < 640 { 9.0 } else { 1.0 }) else {
            panic!("no step");
        };
        assert_eq!(range, [0, 639]);
        assert!((times - 9.0).abs() < 1e-6, "{times}");
        let Shape::Ramp { first, last } = shape(|i| 1280.0 - i as f64) else {
            panic!("no ramp");
        };
        assert!(first > 1.9 && last < 0.1, "{first} {last}");
        let Shape::Spike { range, share, work } = shape(|i| if i / 10 == 50 { 500.0 } else { 1.0 }) else {
            panic!("no spike");
        };
        assert_eq!(range, [500, 509]);
        assert!(share < 0.01 && work > 0.7, "{share} {work}");
        let broad = shape(|i| if (400..656).contains(&i) { 50.0 } else { 1.0 });
        assert!(matches!(broad, Shape::Step { .. }), "{broad:?}");
        let mut random = Rng::with_seed(3);
        let mut noise = |_| if random.usize(..20) == 0 { 3000.0 } else { 1.0 };
        let uneven = shape(&mut noise);
        assert!(matches!(uneven, Shape::Uneven { work } if work > 0.1), "{uneven:?}");
    }

    #[test]
    fn nothing_to_look_at() {
        assert_eq!(Shape::from_work(&Work::new([])), Shape::Even);
        assert_eq!(Shape::from_work(&Work::new([(1, 5.0)])), Shape::Even);
        assert_eq!(Shape::from_work(&Work::new([(100, 0.0)])), Shape::Even);
        assert_eq!(Shape::from_work(&Work::new([(u64::MAX, 1e9)])), Shape::Even);
    }
}
