//! What a lane adds up, and what it knows of scopes that it may not tell.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};
use std::ptr::NonNull;
use std::sync::Arc;

use ompchunk_trace_format::{SumOf, Unwanted};

use crate::cells::Cells;
use crate::slot::Slot;

/// What a lane adds up.
#[derive(Debug, Default)]
pub(crate) struct Untold {
    /// By depth in the lane's scopes.
    pub(crate) marks: Vec<Mark>,
    pub(crate) sums: HashMap<Key, Cells, BuildHasherDefault<Mix>>,
    /// The one of them that something was added to last.
    pub(crate) latest: Option<(Key, NonNull<u64>)>,
    /// Blocks that are full and hold records that still change.
    pub(crate) blocks: Vec<Arc<Slot>>,
    /// Which of them is written next.
    pub(crate) next: usize,
    /// The lane's block holds such records.
    pub(crate) is_in_block: bool,
    /// When the lane fell silent.
    pub(crate) paused: u64,
}

/// What is known of a scope.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Mark {
    pub(crate) since: u64,
    pub(crate) told: bool,
    /// Of a task: so many of the next events are told.
    pub(crate) telling: u8,
    /// Of a task: executions of loops since the barrier before.
    pub(crate) executions: u32,
    /// Of a task: the loop that ended last, if nothing came after it. Of a barrier: the one right before.
    pub(crate) after: u32,
    /// Of a task: an execution that nobody wants, since the barrier before and not told.
    pub(crate) omitted: Option<(u32, Unwanted)>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct Key {
    pub(crate) what: SumOf,
    pub(crate) of: u32,
    pub(crate) code: u64,
    pub(crate) the_loop: u32,
}

/// Few words, all of them the recorder's own: multiplying is enough.
#[derive(Debug, Default)]
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
