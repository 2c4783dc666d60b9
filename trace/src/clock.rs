//! From ticks to nanoseconds.

/// The clock of a part: a straight line through two readings of both clocks.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Clock {
    /// Ticks at the start of the recording.
    pub start: u64,
    /// `CLOCK_MONOTONIC` at the start, in nanoseconds: comparable between parts of one machine.
    pub start_ns: u64,
    /// Ticks per second.
    pub hertz: f64,
}

/// A shorter recording measures the rate worse than the recorder did at the start.
const LONG_ENOUGH: u64 = 100_000_000;

impl Clock {
    pub(crate) fn between(start: (u64, u64), end: (u64, u64), estimate: f64) -> Clock {
        let (ticks, ns) = (end.0.wrapping_sub(start.0), end.1.wrapping_sub(start.1));
        let estimated = estimate.is_finite() && estimate > 0.0;
        let measured = end.0 > start.0 && end.1 > start.1;
        let hertz = if measured && (ns >= LONG_ENOUGH || !estimated) {
            ticks as f64 * 1e9 / ns as f64
        } else if estimated {
            estimate
        } else {
            1e9
        };
        Clock { start: start.0, start_ns: start.1, hertz }
    }

    /// Nanoseconds that so many ticks are.
    #[must_use]
    pub fn duration(&self, ticks: u64) -> f64 {
        ticks as f64 * (1e9 / self.hertz)
    }

    /// Nanoseconds from the start of the recording to `ticks`; 0 for a time before it.
    #[must_use]
    pub fn since_start(&self, ticks: u64) -> f64 {
        self.duration(ticks.saturating_sub(self.start))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_recording_knows_its_rate_better_than_the_estimate() {
        let hertz = |ns: u64, estimate: f64| Clock::between((5, 5), (5 + 2 * ns, 5 + ns), estimate).hertz;
        assert_eq!(hertz(LONG_ENOUGH, 1e9), 2e9);
        assert_eq!(hertz(LONG_ENOUGH - 1, 1e9), 1e9);
        assert_eq!(hertz(1000, 0.0), 2e9);
        assert_eq!(hertz(0, 0.0), 1e9);
    }
}
