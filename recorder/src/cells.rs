//! A record that stays where it is while its numbers grow: what a thread adds up lives in its lane's block, in memory
//! that outlives the program where somebody keeps it, and is written with the block.

use std::ptr::NonNull;

use ompchunk_trace_format::Event;

use crate::lane::Lane;

/// The words of a record, in a block of the lane's, which the lane holds as long as this is used.
#[derive(Debug)]
pub(crate) struct Cells {
    at: NonNull<u64>,
    /// No duration was added yet.
    is_fresh: bool,
}

/// Which words of a record have the sum of durations, the shortest and the longest.
pub(crate) type Durations = [usize; 3];

impl Cells {
    pub(crate) fn get(&self, word: usize) -> u64 {
        // SAFETY: a word of the record, in memory that the lane holds.
        u64::from_le(unsafe { self.at.add(word).read_volatile() })
    }

    pub(crate) fn set(&mut self, word: usize, value: u64) {
        // SAFETY: as above; only the lane's thread stores to it.
        unsafe { self.at.add(word).write_volatile(value.to_le()) };
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

impl Lane {
    /// A record whose numbers are to grow where it is; `None`: there is no room. It has the time of the record before: what
    /// is around it may yet be told, and began earlier.
    pub(crate) fn in_place(&mut self, event: &Event<'_>) -> Option<Cells> {
        let ticks = self.last;
        let mut words = Vec::new();
        event.encode(ticks, &mut words);
        if self.full.is_some() || !self.append(ticks, &words) {
            return None;
        }
        if !self.slot.as_ref().is_some_and(|slot| slot.changes()) {
            return None;
        }
        self.added.is_in_block = true;
        Some(Cells {
            at: NonNull::new(self.cursor.wrapping_sub(words.len()))?,
            is_fresh: true,
        })
    }
}
