//! What may be said of a measured ratio.

use serde::Serialize;

use crate::Interval;

/// What a schedule did.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Verdict {
    /// All of the interval is faster, by more than equal executions seem to differ.
    Faster,
    /// All of it is slower, likewise.
    Slower,
    /// All of it is too close to 1 to matter.
    Same,
    /// The interval holds more than one of these.
    Unknown,
}

/// Less is not worth another schedule.
pub const MATTERS: f64 = 0.01;

/// What may be said of a ratio, where equal executions seem to differ by `noise`.
#[must_use]
pub fn verdict(ratio: &Interval, noise: f64) -> Verdict {
    let floor = noise.max(MATTERS);
    if ratio.high < 1.0 - floor {
        Verdict::Faster
    } else if ratio.low > 1.0 + floor {
        Verdict::Slower
    } else if ratio.low > 1.0 - 2.0 * MATTERS && ratio.high < 1.0 + 2.0 * MATTERS {
        Verdict::Same
    } else {
        Verdict::Unknown
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(low: f64, high: f64, noise: f64) -> Verdict {
        let middle = (low + high) / 2.0;
        verdict(&Interval { low, middle, high }, noise)
    }

    #[test]
    fn only_what_all_of_the_interval_says() {
        assert_eq!(of(0.7, 0.8, 0.02), Verdict::Faster);
        assert_eq!(of(1.2, 1.3, 0.02), Verdict::Slower);
        assert_eq!(of(0.99, 1.01, 0.005), Verdict::Same);
        assert_eq!(of(0.7, 1.1, 0.02), Verdict::Unknown);
        // A machine on which equal executions differ as much.
        assert_eq!(of(0.7, 0.8, 0.3), Verdict::Unknown);
    }
}
