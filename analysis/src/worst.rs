//! The longest chunks, a few of them.

use crate::off_core::Off;

/// How many are kept per loop.
pub const KEPT: usize = 10;

/// A chunk that took long.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Long {
    /// Ticks.
    pub duration: u64,
    /// What of it is not work; the recorder's is beside it.
    pub off: Off,
    /// When it began.
    pub begin: u64,
    /// Who ran it.
    pub thread: u32,
    /// First logical iteration.
    pub lower: u64,
    /// Number of iterations.
    pub iterations: u64,
    /// The user's first value in that execution.
    pub start: Option<i64>,
    /// The user's step in that execution.
    pub step: Option<i64>,
}

/// The longest so far, the longest first; of equal ones those that came first.
#[derive(Debug, Clone, Default)]
pub struct Worst {
    kept: Vec<Long>,
    least: Option<u64>,
}

impl Worst {
    /// Whether a duration is among the longest.
    #[inline]
    #[must_use]
    pub fn wants(&self, duration: u64) -> bool {
        // `None` is less than everything.
        self.least < Some(duration)
    }

    /// Keeps it if it is among the longest.
    #[cold]
    pub fn add(&mut self, long: Long) {
        let key = |long: &Long| (std::cmp::Reverse(long.duration), long.begin, long.thread, long.lower);
        let at = self.kept.partition_point(|kept| key(kept) < key(&long));
        self.kept.insert(at, long);
        self.kept.truncate(KEPT);
        if self.kept.len() == KEPT {
            self.least = self.kept.last().map(|kept| kept.duration);
        }
    }

    /// The longest first.
    #[must_use]
    pub fn kept(&self) -> &[Long] {
        &self.kept
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keeps_the_longest() {
        let mut worst = Worst::default();
        for duration in 0..100u64 {
            let duration = duration * 37 % 100;
            if worst.wants(duration) {
                worst.add(Long {
                    duration,
                    off: Off::default(),
                    begin: 0,
                    thread: 0,
                    lower: duration,
                    iterations: 1,
                    start: None,
                    step: None,
                });
            }
        }
        let kept: Vec<u64> = worst.kept().iter().map(|kept| kept.duration).collect();
        assert_eq!(kept, (90..100).rev().collect::<Vec<_>>());
        assert!(!worst.wants(90) && worst.wants(91));
    }
}
