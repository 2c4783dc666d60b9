//! What a lane adds up, and what it knows of scopes that it may not tell. A record stays where it is while its numbers
//! grow, in the lane's block, in memory that outlives the program where somebody keeps it.

pub(crate) mod scope_sums;
pub(crate) mod tally;

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hash, Hasher};
use std::ptr::NonNull;
use std::sync::atomic::{AtomicU64, Ordering};

use ompchunk_guest::memory::Grow;
use ompchunk_trace_format::{SumOf, Unwanted};

/// The words of a record, in a block of the lane's, which the lane holds as long as this is used.
#[derive(Debug, Clone, Copy)]
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

/// Records of one kind, by what they are of, with the one that was used last at hand.
pub(crate) struct CellsBy<K> {
    all: HashMap<K, Cells, BuildHasherDefault<Mix>>,
    latest: Option<(K, Cells)>,
}

impl<K> Default for CellsBy<K> {
    fn default() -> Self {
        CellsBy { all: HashMap::default(), latest: None }
    }
}

impl<K: Copy + Eq + Hash> CellsBy<K> {
    #[inline]
    pub(crate) fn find(&mut self, key: K) -> Option<Cells> {
        if let Some((latest, cells)) = self.latest
            && latest == key
        {
            return Some(cells);
        }
        let cells = *self.all.get(&key)?;
        self.latest = Some((key, cells));
        Some(cells)
    }

    pub(crate) fn has(&self, key: K) -> bool {
        self.latest.is_some_and(|(latest, _)| latest == key) || self.all.contains_key(&key)
    }

    pub(crate) fn grow(&mut self) -> bool {
        self.all.grow(1)
    }

    /// Its memory stays, for the lane's next thread.
    pub(crate) fn clear(&mut self) {
        self.all.clear();
        self.latest = None;
    }

    pub(crate) fn put(&mut self, key: K, cells: Cells) {
        let known = Cells { is_fresh: false, ..cells };
        self.latest = Some((key, known));
        if self.grow() {
            self.all.insert(key, known);
        }
    }
}

/// How a lane finds what it adds up. Few words, all of them the recorder's own: multiplying is enough.
#[derive(Default)]
pub(crate) struct Mix(u64);

impl Hasher for Mix {
    fn finish(&self) -> u64 {
        self.0 ^ self.0 >> 32
    }

    fn write(&mut self, bytes: &[u8]) {
        bytes.iter().for_each(|byte| self.write_u64((*byte).into()));
    }

    fn write_u32(&mut self, value: u32) {
        self.write_u64(value.into());
    }

    fn write_isize(&mut self, value: isize) {
        self.write_u64(value as u64);
    }

    fn write_u64(&mut self, value: u64) {
        self.0 = (self.0 ^ value).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        self.0 ^= self.0 >> 29;
    }
}

#[derive(Debug, Clone, Copy)]
pub(crate) struct Mark {
    pub(crate) since: u64,
    pub(crate) told: bool,
    /// So many of a task's next events are told.
    pub(crate) telling: u8,
    /// A task's executions of loops since the barrier before.
    pub(crate) executions: u32,
    /// The loop that ended last in a task, if nothing came after it; for a barrier, the one right before.
    pub(crate) after: u32,
    /// A task's execution that nobody wants, since the barrier before and not told.
    pub(crate) omitted: Option<(u32, Unwanted)>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct Key {
    pub(crate) what: SumOf,
    pub(crate) of: u32,
    pub(crate) code: u64,
    pub(crate) the_loop: u32,
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
