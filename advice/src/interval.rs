//! Between what and what a number is expected. No prediction is a bare number.

use serde::Serialize;

/// 5 of 100 cases are below, 5 above.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize)]
pub struct Interval {
    /// The low end.
    pub low: f64,
    /// What is expected.
    pub middle: f64,
    /// The high end.
    pub high: f64,
}

impl Interval {
    /// No doubt at all.
    #[must_use]
    pub const fn exactly(value: f64) -> Interval {
        Interval { low: value, middle: value, high: value }
    }

    /// Multiplied by a number that is not negative.
    #[must_use]
    pub fn times(self, factor: f64) -> Interval {
        self.map(|end| end * factor)
    }

    /// Each of the three numbers becomes another, in the same order.
    #[must_use]
    pub fn map(self, each: impl Fn(f64) -> f64) -> Interval {
        Interval { low: each(self.low), middle: each(self.middle), high: each(self.high) }
    }

    /// Both together.
    #[must_use]
    pub fn plus(self, more: Interval) -> Interval {
        Interval { low: self.low + more.low, middle: self.middle + more.middle, high: self.high + more.high }
    }

    /// Further on both sides, by a share of each end.
    #[must_use]
    pub fn wider(self, share: f64) -> Interval {
        Interval { low: self.low * (1.0 - share).max(0.0), middle: self.middle, high: self.high * (1.0 + share) }
    }
}

/// The value below which this share of the weight is; `None` of nothing.
#[must_use]
pub fn quantile(weighted: &mut [(f64, f64)], share: f64) -> Option<f64> {
    weighted.sort_by(|(left, _), (right, _)| left.total_cmp(right));
    let total: f64 = weighted.iter().map(|(_, weight)| weight).sum();
    let mut sum = 0.0;
    for (value, weight) in weighted.iter() {
        sum += weight;
        if sum >= total * share {
            return Some(*value);
        }
    }
    weighted.last().map(|(value, _)| *value)
}

/// The middle one; of two, their mean. 0 of none.
#[must_use]
pub fn median(values: &mut [f64]) -> f64 {
    values.sort_by(f64::total_cmp);
    ompchunk_analysis::median(values).unwrap_or(0.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn weight_counts() {
        let mut weighted = [(3.0, 1.0), (1.0, 1.0), (2.0, 98.0)];
        assert_eq!(quantile(&mut weighted, 0.5), Some(2.0));
        assert_eq!(quantile(&mut weighted, 0.001), Some(1.0));
        assert_eq!(quantile(&mut weighted, 1.0), Some(3.0));
        assert_eq!(quantile(&mut [], 0.5), None);
    }

    #[test]
    fn wider_never_below_nothing() {
        let interval = Interval::exactly(2.0).wider(0.5);
        assert_eq!((interval.low, interval.middle, interval.high), (1.0, 2.0, 3.0));
        assert_eq!(interval.wider(3.0).low, 0.0);
    }
}
