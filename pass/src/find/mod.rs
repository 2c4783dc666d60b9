//! Finds worksharing loops and understands them, without changing anything.
//!
//! [`call`] reads one call of `__kmpc_for_static_init_*` or `__kmpc_dispatch_init_*`; [`bounds`] follows
//! the variables it is given; [`range`], [`chunks`], [`composite`] and [`strided`] recognise the forms clang
//! emits, without a loop over chunks and with one, [`canonical`] those of LLVM's OpenMPIRBuilder, [`dealt`]
//! loops whose chunks the runtime deals; [`end`] finds where the loop ends, [`user`] and [`location`] what the
//! user wrote, [`change`] whether its schedule can be changed. [`task`] finds where tasks are created.

mod arithmetic;
mod bounds;
mod call;
mod canonical;
pub mod change;
mod chunks;
mod clamp;
mod comparison;
mod composite;
mod dealt;
mod end;
mod location;
mod paths;
mod range;
mod strided;
pub mod task;
mod user;

use crate::llvm::{Analysis, Block, Value, blocks};
use crate::reason::Reason;

pub use call::{Call, Construct, DONE, any_declared, called, entry_of};
pub use end::Ends;
pub use location::Location;
pub use paths::Reasons;
pub use user::{Expression, UserLoop, UserValue};

/// A loop that was understood.
pub struct FoundLoop {
    /// The runtime call that starts it.
    pub call: Call,
    /// Where chunks begin.
    pub form: Form,
    /// The calls that end it; none if control leaving it does.
    pub ends: Ends,
    /// How its schedule can be changed, or one of `ompchunk_abi::fixed`.
    pub change: Result<change::Change, u8>,
    /// What else matters where it is.
    pub surroundings: change::Surroundings,
    /// The user's own start and step.
    pub user: UserLoop,
    /// Where it stands in the source.
    pub location: Location,
}

/// The two forms.
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

/// The loop over chunks.
#[derive(Clone)]
pub struct Chunks {
    /// Its header.
    pub header: Block,
    /// Its blocks.
    pub blocks: Vec<Block>,
    /// The edges that leave it, where these are its ends.
    pub exits: Vec<(Block, Block)>,
    /// Where a chunk is about to run.
    pub place: Place,
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
pub enum Place {
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

/// Every call of an init entry in a function that has not been handled yet, in order.
pub fn calls(function: Value) -> Vec<Value> {
    blocks(function)
        .flat_map(Block::instructions)
        .filter(|&instruction| call::entry_of(instruction).is_some() && !call::is_done(instruction))
        .filter(|&instruction| !call::is_dealt_again(instruction))
        .collect()
}

/// Finds out of each loop of a function whether its schedule can be changed.
pub fn look_around(
    function: Value,
    analysis: &Analysis,
    reasons: &Reasons,
    wanted: bool,
    loops: &mut [FoundLoop],
) {
    let counted = crate::emit::counts_lines(function);
    let changes: Vec<_> = loops
        .iter()
        .map(|found| match (counted, wanted) {
            (true, _) => Err(ompchunk_abi::fixed::COUNTED),
            (false, true) => change::of(analysis, found, loops),
            (false, false) => Err(ompchunk_abi::fixed::UNWANTED),
        })
        .collect();
    for (found, change) in loops.iter_mut().zip(changes) {
        found.change = change;
        found.surroundings = change::surroundings(found, change.ok(), reasons);
    }
}

/// Understands the loop that `call` starts.
pub fn understand(
    analysis: &Analysis,
    reasons: &Reasons,
    call: Value,
) -> Result<FoundLoop, Reason> {
    let call = Call::read(call)?;
    let block = call.instruction.block().ok_or(Reason::MalformedCall)?;
    if !analysis.reachable(block) {
        return Err(Reason::Unreachable);
    }
    let location = Location::of(call.instruction);
    if call.entry.dealt {
        let (form, user) = dealt::recognise(analysis, &call)?;
        return Ok(FoundLoop {
            call,
            form,
            ends: Ends::default(),
            change: Err(ompchunk_abi::fixed::UNKNOWN),
            surroundings: change::Surroundings::default(),
            user,
            location,
        });
    }
    let stores = bounds::stores(analysis, &call)?;
    let (form, user) = if stores.lower.is_empty() && stores.upper.is_empty() {
        match call.marked && call.chunked {
            true => strided::recognise(analysis, &call)?,
            false => canonical::recognise(analysis, &call)?,
        }
    } else if !call.marked {
        return Err(Reason::NotMarkedAsLoop);
    } else if !call.chunked {
        range::recognise(analysis, &call, &stores)?
    } else if call.construct == Construct::Distribute && stores.upper.len() == 3 {
        composite::recognise(analysis, &call, &stores)?
    } else {
        chunks::recognise(analysis, &call, &stores)?
    };
    let ends = end::find(&call, reasons)?;
    // Each chunk is announced between the start and an end, and no range is left out.
    let announced = match &form {
        Form::Range { before, .. } => {
            !ends
                .calls
                .iter()
                .any(|&end| analysis.dominates(end, *before))
                && before
                    .block()
                    .is_some_and(|block| !end::avoids(&call, reasons, block))
        }
        Form::Chunks(chunks) => {
            let inside = |end: &Value| {
                end.block()
                    .is_some_and(|block| chunks.blocks.contains(&block))
            };
            !ends.calls.iter().any(inside)
        }
    };
    if !announced {
        return Err(Reason::EndsEarly);
    }
    Ok(FoundLoop {
        call,
        form,
        ends,
        change: Err(ompchunk_abi::fixed::UNKNOWN),
        surroundings: change::Surroundings::default(),
        user,
        location,
    })
}
