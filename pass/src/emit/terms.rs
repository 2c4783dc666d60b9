//! What several pieces of emitted code have in common: which pieces there are, and what an execution is known to be.

use inkwell::values::IntValue;
use ompchunk_abi::{LISTENING_LOOPS, LISTENING_SCHEDULES};

/// Also a loop whose schedule is fixed asks where there are orders, since one of them may name it.
pub(super) const OF_LOOPS: u32 = LISTENING_LOOPS | LISTENING_SCHEDULES;

/// A piece of reporting.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Piece {
    /// `(frame, loop record, ident, thread, start, step, chunk size)`, if somebody listens to loops.
    Ask,
    /// `(frame)`
    Ready,
    /// `(frame, lower, upper, is last, is there one)`
    Chunk,
    /// `(frame)`
    Bookkeeping,
    /// `(frame)`
    Leave,
    /// `(stack pointer)`, of the creation of a task, if somebody listens to tasks.
    Tell(usize),
}

impl Piece {
    pub(super) const fn name(self) -> &'static str {
        match self {
            Piece::Ask => ".ompchunk.ask",
            Piece::Ready => ".ompchunk.ready",
            Piece::Chunk => ".ompchunk.chunk",
            Piece::Bookkeeping => ".ompchunk.bookkeeping",
            Piece::Leave => ".ompchunk.leave",
            Piece::Tell(_) => ".ompchunk.tell",
        }
    }
}

/// Whether the reporting code runs only in a reporting execution, or must ask.
#[derive(Clone, Copy)]
pub(super) enum Guard<'ctx> {
    /// In the copy: it runs only when somebody listens, or of a loop that can be changed, when it is.
    Copy {
        /// What the frame said where the copy began.
        on: IntValue<'ctx>,
        may_be_changed: bool,
    },
    /// In the loop that everybody runs.
    Flag,
}
