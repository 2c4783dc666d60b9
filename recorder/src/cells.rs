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
    /// The words, where no block had room for them: nobody will read them.
    own: Option<Box<[u64]>>,
}

/// Which words of a record have the sum of durations, the shortest and the longest.
pub(crate) type Durations = [usize; 3];

impl Cells {
    fn of_nobody(words: Vec<u64>) -> Cells {
        let mut own = words.into_boxed_slice();
        Cells {
            at: NonNull::from(&mut own[..]).cast(),
            is_fresh: true,
            own: Some(own),
        }
    }

    /// It is in no block.
    pub(crate) fn is_lost(&self) -> bool {
        self.own.is_some()
    }

    pub(crate) fn get(&self, word: usize) -> u64 {
        // SAFETY: a word of the record, in memory that the lane or this holds.
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
    /// A record whose numbers are to grow where it is. Where there is no room, nobody will read it.
    pub(crate) fn in_place(&mut self, now: u64, event: &Event<'_>) -> Cells {
        let ticks = now.max(self.last);
        let mut words = Vec::new();
        event.encode(ticks, &mut words);
        if self.full.is_some() || !self.append(ticks, &words) {
            return Cells::of_nobody(words);
        }
        self.last = ticks;
        self.added.is_in_block = true;
        let at = self.cursor.wrapping_sub(words.len());
        match NonNull::new(at) {
            Some(at) => Cells {
                at,
                is_fresh: true,
                own: None,
            },
            None => Cells::of_nobody(words),
        }
    }
}
