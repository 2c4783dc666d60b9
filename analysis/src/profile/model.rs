//! What is kept of a loop's executions: data.

use ompchunk_abi::{CONSTRUCT_DISTRIBUTE, CONSTRUCT_SECTIONS, LOOP_CHANGEABLE, LOOP_LAST_READ, LOOP_NO_BARRIER};
use ompchunk_trace_format::{LoopDefinition, NotProfiled};

/// Executions of a loop that are kept, about.
pub const KEPT: u64 = 24;

#[derive(Debug, Clone, Default, PartialEq)]
pub struct Profile {
    pub facts: Facts,
    /// Some of those of which everything is there.
    pub executions: Vec<Execution>,
    pub complete: u64,
    pub elapsed_ns: f64,
    /// The first one of each part, if it is complete.
    pub firsts: Vec<First>,
    /// Executions of which something is missing: chunks that were lost, a trace that is cut, a pause.
    pub incomplete: u64,
    /// Executions of a part of the iterations, though nothing was lost: a team's of `distribute`, or what `cancel` ended.
    pub partial: u64,
    /// Parts of executions of which the runtime tells some chunks only.
    pub without_chunks: u64,
    /// Executions whose chunks are not told, as they cost more to tell than to run.
    pub unprofiled: u64,
}

/// A loop's first execution in a process, which may be the one that touches its memory for the first time.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct First {
    pub trips: u64,
    pub threads: usize,
    pub elapsed_ns: f64,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Facts {
    /// `enum sched_type` with modifier bits; 0: not known.
    pub schedule: u32,
    /// Its chunk size, where that is a constant.
    pub chunk: Option<i64>,
    /// Width of the logical iteration variable.
    pub bits: u8,
    pub distribute: bool,
    pub sections: bool,
    pub instrumented: bool,
    pub changeable: bool,
    pub no_barrier: bool,
    /// Something reads which thread ran the last iteration.
    pub last_read: bool,
    /// Why no sub-blocks of it can be recorded, if they cannot.
    pub not_profiled: Option<NotProfiled>,
}

#[derive(Debug, Clone, Default, PartialEq)]
pub struct Execution {
    pub part: usize,
    pub trips: u64,
    pub work: u32,
    /// In the order of the iterations, without gaps: what each range of them took.
    pub pieces: Vec<Piece>,
    pub threads: Vec<Thread>,
    /// From the first thread's begin to the last one's end.
    pub elapsed_ns: f64,
    /// What one reading of the clock takes, which is in the pieces' times.
    pub reading_ns: f64,
    pub chunks: u64,
    pub largest: u64,
    /// A thread's block or chunk is told in sub-blocks.
    pub divided: bool,
    pub nested: bool,
    /// Its team of several threads is within another one.
    pub in_nested_team: bool,
    pub first: bool,
    /// What dealing a chunk took in the mean, where the bookkeeping between chunks was timed: then it is in no piece.
    pub dealing_ns: Option<f64>,
}

#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Piece {
    pub first: u64,
    pub iterations: u64,
    /// What they took, without the recorder's own work and without time that was taken from the thread. Dealing the next chunk is in it,
    /// unless the bookkeeping was timed.
    pub ns: f64,
    /// Index of the thread; [`Piece::SEVERAL`]: more than one.
    pub thread: u32,
    /// Readings of the clock in it, one for each chunk or sub-block.
    pub readings: u64,
}

impl Piece {
    /// In place of a thread.
    pub const SEVERAL: u32 = u32::MAX;

    pub fn end(&self) -> u64 {
        self.first.saturating_add(self.iterations)
    }

    pub fn density(&self) -> f64 {
        self.ns / self.iterations.max(1) as f64
    }
}

#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Thread {
    pub thread: u32,
    pub arrives_ns: f64,
    pub ends_ns: f64,
    pub taken_ns: f64,
}

impl Facts {
    pub(crate) fn from_definition(loop_definition: &LoopDefinition<'_>) -> Facts {
        let has = |flag| loop_definition.flags & flag != 0;
        Facts {
            schedule: loop_definition.schedule,
            chunk: loop_definition.chunk_size().known(),
            bits: loop_definition.bits,
            distribute: loop_definition.construct == CONSTRUCT_DISTRIBUTE,
            sections: loop_definition.construct == CONSTRUCT_SECTIONS,
            instrumented: loop_definition.instrumented,
            changeable: has(LOOP_CHANGEABLE),
            no_barrier: has(LOOP_NO_BARRIER),
            last_read: has(LOOP_LAST_READ),
            not_profiled: loop_definition.not_profiled(),
        }
    }
}
