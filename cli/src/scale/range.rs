//! A quantity over the rounds: its median, and what the median of further rounds would lie between.

use serde::Serialize;

/// From one value for each round.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Range {
    /// The lowest, or of many rounds a higher one.
    pub low: f64,
    /// The median.
    pub middle: f64,
    /// The highest, or of many rounds a lower one.
    pub high: f64,
}

/// How often the range shall hold the median at least, if there are enough rounds for that.
const CONFIDENCE: f64 = 0.9;

impl Range {
    /// `None`: of no round, or of values that are none.
    pub fn of(values: impl IntoIterator<Item = f64>) -> Option<Range> {
        let mut values: Vec<f64> = values.into_iter().collect();
        values.sort_by(f64::total_cmp);
        let count = values.len();
        if count == 0 || values.iter().any(|value| !value.is_finite()) {
            return None;
        }
        let cut = left_out(count);
        Some(Range {
            low: values[cut],
            middle: f64::midpoint(values[(count - 1) / 2], values[count / 2]),
            high: values[count - 1 - cut],
        })
    }

    /// All of it is above.
    pub fn is_above(&self, limit: f64) -> bool {
        self.low > limit
    }

    /// All of it is below.
    pub fn is_below(&self, limit: f64) -> bool {
        self.high < limit
    }
}

/// How many values at each end are not needed, whatever distribution they are from: that the median lies outside is that
/// more of a number of coins than these fall the same way.
fn left_out(count: usize) -> usize {
    let mut ways = 1.0;
    let mut outside = 0.0;
    let all = 2.0_f64.powi(count as i32);
    for cut in 0..count / 2 {
        outside += 2.0 * ways / all;
        if 1.0 - outside < CONFIDENCE {
            return cut.saturating_sub(1);
        }
        ways *= (count - cut) as f64 / (cut + 1) as f64;
    }
    0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn few_rounds_count_as_a_whole() {
        let of = |values: &[f64]| Range::of(values.iter().copied());
        assert_eq!(of(&[]), None);
        assert_eq!(of(&[1.0, f64::NAN]), None);
        let (low, middle, high) = (1.0, 2.0, 9.0);
        assert_eq!(of(&[9.0, 1.0, 2.0]), Some(Range { low, middle, high }));
        let one = of(&[3.0]).unwrap();
        assert_eq!((one.low, one.middle, one.high), (3.0, 3.0, 3.0));
        assert_eq!(of(&[1.0, 2.0]).unwrap().middle, 1.5);
    }

    /// The usual table of ranks for the median: of 7 rounds all, of 8 all but one at each end, of 20 all but five.
    #[test]
    fn many_rounds_make_it_narrower() {
        let cut = |count| left_out(count);
        assert_eq!([1, 3, 5, 7, 8, 10, 11, 20].map(cut), [0, 0, 0, 0, 1, 1, 2, 5]);
        let range = Range::of((0..8).map(f64::from)).unwrap();
        assert_eq!((range.low, range.middle, range.high), (1.0, 3.5, 6.0));
        assert!(range.is_above(0.5) && range.is_below(6.5) && !range.is_below(6.0));
    }
}
