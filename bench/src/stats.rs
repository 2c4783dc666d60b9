//! The statistics: medians of paired log-ratios, with bootstrap intervals. Pure.
//!
//! Every value is one block's, and a block holds each layout of each variant once (`measure`), so that
//! values differ by what the intervals shall tell of and are independent of each other. The median keeps
//! a block in which the machine did something else from deciding the result.

use fastrand::Rng;
use serde::Serialize;

/// Resamples for what is printed.
pub const RESAMPLES: usize = 2000;

/// Where a value lies, with 95 % confidence.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Interval {
    /// The lower end.
    pub low: f64,
    /// The best single guess.
    pub middle: f64,
    /// The upper end.
    pub high: f64,
}

impl Interval {
    /// Half of its width.
    pub fn half_width(self) -> f64 {
        (self.high - self.low) / 2.0
    }

    /// Each of the three through a rising function.
    pub fn map(self, rising: impl Fn(f64) -> f64) -> Interval {
        Interval { low: rising(self.low), middle: rising(self.middle), high: rising(self.high) }
    }
}

/// The median; of an even number, the mean of the two in the middle. NaN of nothing.
pub fn median(values: &[f64]) -> f64 {
    median_in_place(&mut values.to_vec())
}

fn median_in_place(values: &mut [f64]) -> f64 {
    if values.is_empty() {
        return f64::NAN;
    }
    ompchunk_trial::median(values)
}

/// The median with its 95 % interval: the percentile bootstrap (Efron and Tibshirani, An Introduction
/// to the Bootstrap, chapter 13). The same values always give the same interval.
pub fn bootstrap(values: &[f64], resamples: usize) -> Interval {
    let middle = median(values);
    if values.len() < 2 {
        // One value tells nothing of how far it may be off.
        return Interval { low: f64::NEG_INFINITY, middle, high: f64::INFINITY };
    }
    let mut rng = Rng::with_seed(0x6f6d_7063);
    let mut resample = vec![0.0; values.len()];
    let mut medians: Vec<f64> = (0..resamples)
        .map(|_| {
            resample.fill_with(|| values[rng.usize(..values.len())]);
            median_in_place(&mut resample)
        })
        .collect();
    medians.sort_unstable_by(f64::total_cmp);
    let at = |share: f64| medians[((resamples - 1) as f64 * share).round() as usize];
    Interval { low: at(0.025), middle, high: at(0.975) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn medians() {
        assert!(median(&[]).is_nan());
        assert_eq!(median(&[3.0]), 3.0);
        assert_eq!(median(&[9.0, 1.0, 5.0]), 5.0);
        assert_eq!(median(&[9.0, 1.0, 5.0, 2.0]), 3.5);
    }

    #[test]
    fn equal_values_leave_no_doubt() {
        let interval = bootstrap(&[2.0; 10], 100);
        assert_eq!((interval.low, interval.middle, interval.high), (2.0, 2.0, 2.0));
        assert!(bootstrap(&[2.0], 100).half_width().is_infinite());
    }

    #[test]
    fn one_wild_value_does_not_decide() {
        let mut values = vec![1.0; 19];
        values.push(1e9);
        assert_eq!(bootstrap(&values, 500).high, 1.0);
    }

    /// Of many experiments whose truth is known, about 95 % of the intervals must hold it.
    #[test]
    fn intervals_hold_the_truth_as_often_as_they_claim() {
        let mut rng = Rng::with_seed(7);
        let held = (0..400)
            .filter(|_| {
                // Skewed, as times are; its median is ln 2.
                let values: Vec<f64> = (0..25).map(|_| -(1.0 - rng.f64()).ln()).collect();
                let interval = bootstrap(&values, 400);
                interval.low <= std::f64::consts::LN_2 && std::f64::consts::LN_2 <= interval.high
            })
            .count();
        assert!((360..=396).contains(&held), "{held} of 400");
    }

    #[test]
    fn more_values_narrow_the_interval() {
        let mut rng = Rng::with_seed(3);
        let values: Vec<f64> = (0..900).map(|_| rng.f64()).collect();
        let few = bootstrap(&values[..9], 400).half_width();
        let many = bootstrap(&values, 400).half_width();
        assert!(many < few / 4.0, "{many} {few}");
    }
}
