//! A loop that was understood, with all that is known of it.

use std::rc::Rc;

use ompchunk_abi::GroupLoop;

use super::{end::Ends, init::Call, location::Location, user::UserLoop};
use crate::llvm::{Analysis, Block, Value};

pub struct FoundLoop {
    pub call: Call,
    pub form: Form,
    /// The calls that end it; none if control leaving it does.
    pub ends: Ends,
    /// How its schedule can be changed, or one of `ompchunk_abi::fixed`.
    pub change: Result<Change, u8>,
    pub promise: Promise,
    /// The loops that are mapped as it is, itself included; none if it is mapped alone.
    pub group: Vec<GroupLoop>,
    pub surroundings: Surroundings,
    pub user: UserLoop,
    pub location: Location,
}

impl FoundLoop {
    pub fn new(call: Call, form: Form, ends: Ends, user: UserLoop) -> FoundLoop {
        FoundLoop {
            location: Location::from_instruction(call.instruction),
            call,
            form,
            ends,
            change: Err(ompchunk_abi::fixed::UNKNOWN),
            promise: Promise::default(),
            group: Vec::new(),
            surroundings: Surroundings::default(),
            user,
        }
    }

    pub fn is_free(&self) -> bool {
        self.change.is_ok() && self.promise == Promise::Free
    }

    pub fn bound_sentence(&self) -> Option<&'static str> {
        (self.promise != Promise::Free).then(|| ompchunk_abi::bound::sentence(self.bound()))
    }

    /// What binds it, as one of `ompchunk_abi::bound`; 0 if it is free.
    pub fn bound(&self) -> u8 {
        match self.promise {
            Promise::Free => 0,
            Promise::Bound(bound) => bound,
            Promise::Mapped(_) => ompchunk_abi::bound::PAIR,
        }
    }
}

#[derive(Clone, Copy)]
pub struct Change {
    /// The call of fini after the last iteration; none where the runtime deals the chunks in any case.
    pub end: Option<Value>,
    /// Where a loop over chunks goes after its last chunk.
    pub way_out: Option<Block>,
    /// Where its end begins, if control may come there right from the call that starts the loop.
    pub joins: Option<Value>,
}

/// Who may rely on which thread runs which iteration of a loop.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Promise {
    Free,
    /// Somebody, as one of `ompchunk_abi::bound` says.
    Bound(u8),
    /// The loops of its group alone, these calls that start one, in order: they give a thread the same iterations.
    Mapped(Rc<[Value]>),
}

impl Default for Promise {
    fn default() -> Promise {
        Promise::Bound(ompchunk_abi::bound::UNKNOWN)
    }
}

#[derive(Clone, Copy, Default)]
pub struct Surroundings {
    /// Nothing waits for the other threads between this loop and what comes after it.
    pub no_barrier: bool,
    /// Which thread ran the last iteration is read.
    pub last_read: bool,
    /// What the emitted code knows of an execution may stand at the variable that says so ([`FoundLoop::lends_last`]).
    pub lends_last: bool,
    /// Cut into sub-blocks, it may give results that differ in their last bits. None: it cannot be.
    pub reassociated: Option<bool>,
}

pub enum Form {
    /// Before `before` the bounds of the thread's only chunk are final; the chunk may be empty.
    Range {
        before: Value,
        chunk: Chunk,
        /// The branch that leaves the loop after the last iteration, if it was found.
        test: Option<Value>,
    },
    Chunks(Chunks),
}

impl Form {
    pub fn chunk(&self) -> Chunk {
        match self {
            Form::Chunks(chunks) => chunks.chunk,
            Form::Range { chunk, .. } => *chunk,
        }
    }

    pub fn test(&self) -> Option<Value> {
        match self {
            Form::Chunks(chunks) => chunks.test,
            Form::Range { test, .. } => *test,
        }
    }
}

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
    pub chunk: Chunk,
    /// The branch that leaves the loop after the last chunk, if it was found.
    pub test: Option<Value>,
    /// The first instruction of the step to the next chunk.
    pub advance: Value,
}

impl Chunks {
    pub fn new(analysis: &Analysis, header: Block, branch: Value, body: Block, chunk: Chunk, advance: Value) -> Chunks {
        Chunks {
            header,
            blocks: analysis.loop_blocks(header),
            exits: Vec::new(),
            starts: Vec::new(),
            place: ProgramPoint::Edge { branch, to: body },
            chunk,
            test: Some(branch),
            advance,
        }
    }

    /// All values by which its place and its chunk are found.
    pub fn values(&mut self) -> Vec<&mut Value> {
        let place = match &mut self.place {
            ProgramPoint::Edge { branch, .. } => branch,
            ProgramPoint::Before(instruction) => instruction,
        };
        let mut values = vec![place, &mut self.advance];
        match &mut self.chunk {
            Chunk::Variables { last } | Chunk::Iteration { last, .. } | Chunk::Dealt { last, .. } => values.push(last),
            Chunk::Section { .. } => {}
            Chunk::Counted { lower, count, progress } => {
                values.extend([lower, count]);
                values.extend(progress.iter_mut().flat_map(|(number, chunks)| [number, chunks]));
            }
        }
        values
    }

    /// To copies of its blocks, and of the one that leads to it.
    pub fn move_to(&mut self, originals: &[Block], copies: &[Block]) {
        let copy_of = |block: &mut Block| {
            if let Some(at) = originals.iter().position(|original| original == block) {
                *block = copies[at];
            }
        };
        copy_of(&mut self.header);
        self.exits.iter_mut().for_each(|(from, _)| copy_of(from));
        self.starts.iter_mut().for_each(copy_of);
        self.blocks.iter_mut().for_each(copy_of);
        if let ProgramPoint::Edge { to, .. } = &mut self.place {
            copy_of(to);
        }
    }

    pub fn is_dealt(&self) -> bool {
        matches!(self.chunk, Chunk::Dealt { .. })
    }
}

#[derive(Clone, Copy)]
pub enum ProgramPoint {
    Edge { branch: Value, to: Block },
    Before(Value),
}

#[derive(Clone, Copy)]
pub enum Chunk {
    /// In the variables that the runtime filled in, advanced by the loop to `last`, its last iteration. (clang's own)
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
    /// Just filled in by the runtime, counted from `first`; `last` says whether it holds the loop's last iteration.
    Dealt { last: Value, first: i64 },
}
