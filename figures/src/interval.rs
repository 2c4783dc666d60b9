//! Between what and what a number lies. Nothing that is predicted or measured is a bare number.

use std::fmt;

use serde::Serialize;

/// A number and the ends between which it lies in so many of 100 cases; half of the others are below, half above.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize)]
pub struct Interval<const LEVEL: u32 = 90> {
    pub low: f64,
    pub middle: f64,
    pub high: f64,
}

impl<const LEVEL: u32> Interval<LEVEL> {
    pub const fn exactly(value: f64) -> Self {
        Interval { low: value, middle: value, high: value }
    }

    /// From draws, each with its weight: both ends are theirs, unless the middle is beyond.
    pub fn around(middle: f64, draws: &[(f64, f64)]) -> Self {
        let beyond = (1.0 - f64::from(LEVEL) / 100.0) / 2.0;
        let end = |share| quantile(draws.iter().copied(), share).unwrap_or(middle);
        Interval { low: end(beyond).min(middle), middle, high: end(1.0 - beyond).max(middle) }
    }

    pub fn times(self, factor: f64) -> Self {
        self.map(|end| end * factor)
    }

    /// Each of the three numbers becomes another, in the same order.
    pub fn map(self, each: impl Fn(f64) -> f64) -> Self {
        Interval { low: each(self.low), middle: each(self.middle), high: each(self.high) }
    }

    pub fn plus(self, more: Self) -> Self {
        Interval { low: self.low + more.low, middle: self.middle + more.middle, high: self.high + more.high }
    }

    /// Further on both sides, by a share of each end.
    pub fn wider(self, share: f64) -> Self {
        Interval { low: self.low * (1.0 - share).max(0.0), middle: self.middle, high: self.high * (1.0 + share) }
    }

    pub fn half_width(&self) -> f64 {
        (self.high - self.low) / 2.0
    }

    pub fn spread(&self) -> f64 {
        self.half_width() / self.middle
    }

    pub fn is_above(&self, limit: f64) -> bool {
        self.low > limit
    }

    pub fn is_below(&self, limit: f64) -> bool {
        self.high < limit
    }

    pub fn holds(&self, value: f64) -> bool {
        (self.low..=self.high).contains(&value)
    }

    /// The middle, and both ends in brackets where they are not the same, each written by a function.
    pub fn written(&self, each: impl Fn(f64) -> String) -> String {
        if self.low == self.high {
            each(self.middle)
        } else {
            format!("{} [{}, {}]", each(self.middle), each(self.low), each(self.high))
        }
    }

    pub fn legend() -> String {
        format!("[low, high]: {LEVEL} % interval")
    }
}

/// With as many digits, and a sign, as are asked for: `{:+.2}`.
impl<const LEVEL: u32> fmt::Display for Interval<LEVEL> {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        let digits = to.precision().unwrap_or(2);
        to.write_str(&self.written(|end| match to.sign_plus() {
            true => format!("{end:+.digits$}"),
            false => format!("{end:.digits$}"),
        }))
    }
}

/// The median, and where that of further values would lie (ranks of a sign test). Few values count as a whole. `None` of none or no number.
pub fn median_between<const LEVEL: u32>(values: impl IntoIterator<Item = f64>) -> Option<Interval<LEVEL>> {
    let mut values: Vec<f64> = values.into_iter().collect();
    values.sort_by(f64::total_cmp);
    let last = values.len().checked_sub(1).filter(|_| values.iter().all(|value| value.is_finite()))?;
    let cut = left_out(values.len(), f64::from(LEVEL) / 100.0);
    let middle = f64::midpoint(values[last / 2], values[last - last / 2]);
    Some(Interval { low: values[cut], middle, high: values[last - cut] })
}

/// How many values at each end are not needed: as many coins neither too few nor too many of which fall the same way.
fn left_out(count: usize, level: f64) -> usize {
    let pairs = count.div_ceil(2);
    // The chance that as many coins fall the one way as the other, or but for one.
    let mut chance: f64 = (1..=pairs).map(|pair| (2 * pair - 1) as f64 / (2 * pair) as f64).product();
    let mut inside = if count % 2 == 0 { chance } else { 2.0 * chance };
    let mut cut = (count / 2).saturating_sub(1);
    while inside < level && cut > 0 {
        chance *= (cut + 1) as f64 / (count - cut) as f64;
        inside += 2.0 * chance;
        cut -= 1;
    }
    cut
}

/// The one in the middle; of an even number, the mean of both. `None` of nothing.
pub fn median(values: impl IntoIterator<Item = f64>) -> Option<f64> {
    let mut values: Vec<f64> = values.into_iter().collect();
    let last = values.len().checked_sub(1)?;
    let (below, middle, _) = values.select_nth_unstable_by(last.div_ceil(2), f64::total_cmp);
    Some(match last % 2 {
        0 => *middle,
        _ => f64::midpoint(below.iter().copied().fold(f64::NEG_INFINITY, f64::max), *middle),
    })
}

/// The value below which this share of the weight is; between two values, their mean. `None`: nothing has weight.
pub fn quantile(weighted: impl IntoIterator<Item = (f64, f64)>, share: f64) -> Option<f64> {
    let mut weighted: Vec<(f64, f64)> = weighted.into_iter().filter(|(_, weight)| *weight > 0.0).collect();
    weighted.sort_by(|(left, _), (right, _)| left.total_cmp(right));
    let wanted = share * weighted.iter().map(|(_, weight)| weight).sum::<f64>();
    let mut below = 0.0;
    let at = weighted.iter().position(|(_, weight)| {
        below += weight;
        below >= wanted
    });
    let at = at.or(weighted.len().checked_sub(1))?;
    let next = weighted.get(at + 1).filter(|_| below == wanted);
    Some(next.map_or(weighted[at].0, |(next, _)| f64::midpoint(weighted[at].0, *next)))
}

/// The quantile of the normal distribution that leaves 2.5 % above it.
const Z: f64 = 1.959_964;

/// So many samples of equal weight tell as much as these, given their weights' sum and that of the squares.
pub fn worth(samples: u64, sum: f64, squares: f64) -> f64 {
    if squares > 0.0 { sum * sum / squares } else { samples as f64 }
}

/// Wilson's score interval, of 95 %.
pub fn share_between(share: f64, samples: f64) -> [f64; 2] {
    let square = Z * Z / samples;
    let middle = (share + square / 2.0) / (1.0 + square);
    let half = Z / (1.0 + square) * (share * (1.0 - share) / samples + square / (4.0 * samples)).max(0.0).sqrt();
    [(middle - half).max(0.0), (middle + half).min(1.0)]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wider_never_below_nothing() {
        let interval: Interval = Interval::exactly(2.0).wider(0.5);
        assert_eq!((interval.low, interval.middle, interval.high), (1.0, 2.0, 3.0));
        assert_eq!(interval.wider(3.0).low, 0.0);
    }

    #[test]
    fn ends_stand_in_brackets() {
        let interval = Interval::<95> { low: 0.5, middle: 1.0, high: 1.25 };
        assert_eq!(format!("{interval:.3}"), "1.000 [0.500, 1.250]");
        assert_eq!(format!("{interval:+.1}"), "+1.0 [+0.5, +1.2]");
        assert_eq!(interval.written(crate::time), "1.00 s [500 ms, 1.25 s]");
        assert_eq!(Interval::<90>::exactly(2.0).to_string(), "2.00");
        assert_eq!(Interval::<95>::legend(), "[low, high]: 95 % interval");
    }

    /// The usual table of ranks for the median: of 7 values all, of 8 all but one at each end, of 20 all but five.
    #[test]
    fn many_values_make_it_narrower() {
        let cut = |count| left_out(count, 0.9);
        assert_eq!([0, 1, 2, 3, 5, 7, 8, 10, 11, 20].map(cut), [0, 0, 0, 0, 0, 0, 1, 1, 2, 5]);
        assert_eq!([6, 8, 9, 20, 25].map(|count| left_out(count, 0.95)), [0, 0, 1, 5, 7]);
        // For very many, 1.645 standard deviations to both sides.
        assert!(cut(1_000_000).abs_diff(500_000 - 822) < 3, "{}", cut(1_000_000));
        let found = median_between::<90>((0..8).map(f64::from)).unwrap();
        assert_eq!((found.low, found.middle, found.high), (1.0, 3.5, 6.0));
        assert!(found.is_above(0.5) && found.is_below(6.5) && !found.is_below(6.0));
    }

    #[test]
    fn few_values_count_as_a_whole() {
        assert_eq!(median_between::<90>([]), None);
        assert_eq!(median_between::<90>([1.0, f64::NAN]), None);
        let (low, middle, high) = (1.0, 2.0, 9.0);
        assert_eq!(median_between::<90>([9.0, 1.0, 2.0]), Some(Interval { low, middle, high }));
        assert_eq!(median_between::<90>([3.0]), Some(Interval::exactly(3.0)));
        assert_eq!(median_between::<90>([1.0, 2.0]).unwrap().middle, 1.5);
    }

    #[test]
    fn one_wild_value_does_not_decide() {
        let values = std::iter::repeat_n(1.0, 19).chain([1e9]);
        assert_eq!(median_between::<95>(values).unwrap().high, 1.0);
    }

    /// About 95 % of the intervals of many experiments whose truth is known must hold it.
    #[test]
    fn intervals_hold_the_truth_as_often_as_they_claim() {
        let mut random = fastrand::Rng::with_seed(7);
        let held = (0..400).filter(|_| {
            // Skewed, as times are; its median is ln 2.
            let values = std::iter::repeat_with(|| -(1.0 - random.f64()).ln()).take(25);
            let found = median_between::<95>(values).unwrap();
            found.low <= std::f64::consts::LN_2 && std::f64::consts::LN_2 <= found.high
        });
        let held = held.count();
        assert!((372..=396).contains(&held), "{held} of 400");
    }

    #[test]
    fn medians() {
        assert_eq!(median([]), None);
        assert_eq!(median([3.0]), Some(3.0));
        assert_eq!(median([9.0, 1.0, 5.0]), Some(5.0));
        assert_eq!(median([9.0, 1.0, 5.0, 2.0]), Some(3.5));
    }

    #[test]
    fn weight_counts() {
        let weighted = [(3.0, 1.0), (1.0, 1.0), (2.0, 98.0)];
        assert_eq!(quantile(weighted, 0.5), Some(2.0));
        assert_eq!(quantile(weighted, 0.001), Some(1.0));
        assert_eq!(quantile(weighted, 1.0), Some(3.0));
        assert_eq!(quantile([(1.0, 2.0), (4.0, 2.0)], 0.5), Some(2.5));
        assert_eq!(quantile([(1.0, 2.0), (2.0, 0.0), (4.0, 2.0)], 0.5), Some(2.5));
        assert_eq!(quantile([(1.0, 0.0)], 0.5), None);
    }

    #[test]
    fn intervals_are_wilsons() {
        // Newcombe 1998, table I: 81 of 263, and 0 of 20.
        let [low, high] = share_between(81.0 / 263.0, 263.0);
        assert!((low - 0.2553).abs() < 1e-4 && (high - 0.3662).abs() < 1e-4);
        let [low, high] = share_between(0.0, 20.0);
        assert!(low == 0.0 && (high - 0.1611).abs() < 1e-4);
    }
}
