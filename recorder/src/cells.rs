//! A record that stays where it is while its numbers grow: what a thread adds up lives in its lane's block, in memory
//! that outlives the program where somebody keeps it, and is written with the block.

use std::ptr::NonNull;
use std::sync::atomic::{AtomicU64, Ordering};

/// The words of a record, in a block of the lane's, which the lane holds as long as this is used.
#[derive(Debug)]
pub(crate) struct Cells {
    pub(crate) at: NonNull<u64>,
    /// No duration was added yet.
    pub(crate) is_fresh: bool,
}

/// Which words of a record have the sum of durations, the shortest and the longest.
pub(crate) type Durations = [usize; 3];

impl Cells {
    /// Only the lane's thread stores to it; others copy the block.
    fn word(&self, word: usize) -> &AtomicU64 {
        // SAFETY: a word of the record, aligned, in memory that the lane holds.
        unsafe { AtomicU64::from_ptr(self.at.as_ptr().add(word)) }
    }

    pub(crate) fn get(&self, word: usize) -> u64 {
        u64::from_le(self.word(word).load(Ordering::Relaxed))
    }

    pub(crate) fn set(&mut self, word: usize, value: u64) {
        self.word(word).store(value.to_le(), Ordering::Relaxed);
    }

    pub(crate) fn add(&mut self, word: usize, value: u64) {
        self.set(word, self.get(word).wrapping_add(value));
    }

    pub(crate) fn duration(&mut self, [sum, min, max]: Durations, ticks: u64) {
        self.add(sum, ticks);
        if std::mem::replace(&mut self.is_fresh, false) || ticks < self.get(min) {
            self.set(min, ticks);
        }
        if ticks > self.get(max) {
            self.set(max, ticks);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_duration_is_the_shortest_whatever_stood_there() {
        let mut words = [0u64; 3];
        let mut cells = Cells { at: NonNull::from(&mut words).cast(), is_fresh: true };
        for ticks in [5, 7, 3, 4] {
            cells.duration([0, 1, 2], ticks);
        }
        assert_eq!([0, 1, 2].map(|word| cells.get(word)), [19, 3, 7]);
        let mut words = [0u64; 3];
        let mut cells = Cells { at: NonNull::from(&mut words).cast(), is_fresh: true };
        cells.duration([0, 1, 2], 5);
        assert_eq!(cells.get(1), 5);
    }
}
