//! Where the chunks of a loop begin, and where their bounds are.

use crate::llvm::{Block, Value};

pub enum Form {
    /// No chunk size: before `before` the bounds of the thread's only chunk are final; the chunk may
    /// be empty.
    Range {
        before: Value,
        chunk: Chunk,
        /// The branch that leaves the loop after the last iteration, if it was found.
        test: Option<Value>,
    },
    /// With a chunk size.
    Chunks(Chunks),
}

impl Form {
    /// Where the bounds of a chunk are.
    pub fn chunk(&self) -> Chunk {
        match self {
            Form::Chunks(chunks) => chunks.chunk,
            Form::Range { chunk, .. } => *chunk,
        }
    }

    /// The branch that leaves the loop after the last chunk, or the last iteration of the only one, if it was found.
    pub fn test(&self) -> Option<Value> {
        match self {
            Form::Chunks(chunks) => chunks.test,
            Form::Range { test, .. } => *test,
        }
    }
}

/// The loop over chunks.
#[derive(Clone)]
pub struct Chunks {
    pub header: Block,
    pub blocks: Vec<Block>,
    /// The edges that leave it, where these are its ends.
    pub exits: Vec<(Block, Block)>,
    /// Where a chunk is about to run, if that depends on which: the first blocks of sections, in their order.
    pub starts: Vec<Block>,
    /// Where a chunk is about to run, whichever it is.
    pub place: ProgramPoint,
    /// The chunk's bounds there.
    pub chunk: Chunk,
    /// The branch that leaves the loop after the last chunk, if it was found.
    pub test: Option<Value>,
    /// The first instruction of the step to the next chunk.
    pub advance: Value,
}

impl Chunks {
    /// Does the runtime deal the chunks?
    pub fn is_dealt(&self) -> bool {
        matches!(self.chunk, Chunk::Dealt { .. })
    }
}

/// A place in the program.
#[derive(Clone, Copy)]
pub enum ProgramPoint {
    /// The way from a branch to one of its successors.
    Edge { branch: Value, to: Block },
    /// Before an instruction.
    Before(Value),
}

/// Where the bounds of a chunk are found.
#[derive(Clone, Copy)]
pub enum Chunk {
    /// In the variables that the runtime filled in, which the loop advances; `last` is the loop's
    /// last iteration. (clang's own loops)
    Variables { last: Value },
    /// One iteration, whose number is in `variable`; `last` is the last that any thread of the team runs.
    Iteration { variable: Value, last: Value },
    /// One section, whose number is in `variable`; the thread's last is the upper bound.
    Section { variable: Value },
    /// `count` iterations from `lower` on. (OpenMPIRBuilder's canonical loops)
    Counted {
        lower: Value,
        count: Value,
        /// Number of this chunk and number of chunks of this thread, in a loop over chunks.
        progress: Option<(Value, Value)>,
    },
    /// In the variables that the runtime has just filled in, counted from `first`; `last` says whether
    /// the chunk holds the loop's last iteration.
    Dealt { last: Value, first: i64 },
}
