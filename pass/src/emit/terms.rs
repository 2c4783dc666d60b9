//! What several pieces of emitted code have in common: which pieces there are, and what an execution is known to be.

use inkwell::values::IntValue;
use ompchunk_abi::{LISTENING_LOOPS, LISTENING_SCHEDULES};

use crate::llvm::Value;

/// Also a loop whose schedule is fixed asks where there are orders, since one of them may name it.
pub(super) const OF_LOOPS: u32 = LISTENING_LOOPS | LISTENING_SCHEDULES;

/// A piece of reporting.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Piece {
    /// `(slot, module record, loop record, start, step)`, if somebody listens to loops.
    Ask,
    /// `(slot, lower, upper, is last, is there one)`
    Chunk,
    /// `(slot)`
    Bookkeeping,
    /// `(slot)`
    Leave,
    /// `(module record, stack pointer)`, of the creation of a task, if somebody listens to tasks.
    Tell(usize),
}

impl Piece {
    pub(super) const fn name(self) -> &'static str {
        match self {
            Piece::Ask => ".ompchunk.ask",
            Piece::Chunk => ".ompchunk.chunk",
            Piece::Bookkeeping => ".ompchunk.bookkeeping",
            Piece::Leave => ".ompchunk.leave",
            Piece::Tell(_) => ".ompchunk.tell",
        }
    }
}

/// A piece of reporting that is called.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Part {
    /// `(slot, loop record, start, step)`: the execution begins, if the shim wants it.
    Enter,
    /// `(slot, lower, upper)`: the thread's only chunk, if it has one.
    Only(Width),
    /// `(slot, lower, upper, last, stride)`: one of the thread's chunks.
    OneOf(Width),
    /// `(slot, lower, upper, is last, is there one)`
    Given(Bookkeeping),
    /// `(slot)`, before the runtime is asked for a chunk.
    Bookkeeping,
    /// `(slot)`
    Leave(Bookkeeping),
    /// `(location, thread, slot)`: the runtime's call that ends a loop, after `Leave` if the execution reports.
    End(Value),
}

/// The bounds of a loop's chunks.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) struct Width {
    pub(super) bits: u32,
    pub(super) signed: bool,
}

/// Where the bookkeeping for a chunk is said to begin.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Bookkeeping {
    /// Right before the chunk, or the end: all that a loop of clang's does between two chunks is to add to its bounds.
    Here,
    /// Where the runtime is asked, which takes a while.
    Elsewhere,
}

/// Whether an execution runs under another schedule, and whether it is that or timed.
#[derive(Clone, Copy)]
pub(super) struct Dealt<'ctx> {
    pub(super) is: IntValue<'ctx>,
    pub(super) steps: IntValue<'ctx>,
}

/// Whether the reporting code runs only in a reporting execution, or must ask.
#[derive(Clone, Copy)]
pub(super) enum Guard<'ctx> {
    /// In the copy: it runs only when somebody listens. Holds whether timing is wanted.
    /// And whether the runtime deals the chunks, if it may.
    Copy { timed: IntValue<'ctx>, dealt: Option<Dealt<'ctx>> },
    /// In the loop that everybody runs.
    Flag,
}
