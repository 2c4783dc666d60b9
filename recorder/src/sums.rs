//! What a lane adds up, and what it knows of scopes that it may not tell.

use std::collections::HashMap;
use std::hash::BuildHasherDefault;
use std::ptr::NonNull;
use std::sync::Arc;

use ompchunk_trace_format::{SumOf, Unwanted};

use crate::cells::Cells;
use crate::mix::Mix;
use crate::slot::Slot;
use crate::tasks::cells::TaskCells;

/// What a lane adds up.
#[derive(Debug, Default)]
pub(crate) struct LaneSums {
    /// By depth in the lane's scopes.
    pub(crate) marks: Vec<Mark>,
    pub(crate) sums: HashMap<Key, Cells, BuildHasherDefault<Mix>>,
    /// The one of them that something was added to last.
    pub(crate) latest: Option<(Key, NonNull<u64>)>,
    /// Cells of explicit tasks.
    pub(crate) tasks: TaskCells,
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
    /// How many of a task's next events are told.
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
