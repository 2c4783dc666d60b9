//! Finds worksharing loops and understands them, without changing anything.
//!
//! [`init`] knows the runtime's functions that start a loop; [`read`] and [`dispatch`] read a call of one, which is a
//! [`call`]; [`bounds`] follows the variables it is given; [`range`], [`chunks`], [`composite`] and [`strided`] recognise
//! the forms clang emits, without a loop over chunks and with one, [`sections`] that of `sections`, [`canonical`] those of LLVM's OpenMPIRBuilder,
//! [`dealt`] loops whose chunks the runtime deals; [`end`] finds where the loop ends, [`user`] and [`location`] what the
//! user wrote, [`change`] whether its schedule can be changed, [`numerics`] whether
//! results stay the same when it runs in sub-blocks. All of it is a [`found`] loop, with its [`form`].
//! [`task`] finds where tasks are created.

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
mod dispatch;
pub mod end;
mod form;
mod found;
pub mod ident;
mod init;
mod location;
mod numerics;
pub mod paths;
mod range;
mod read;
mod sections;
mod strided;
pub mod task;
mod user;

use crate::llvm::{Analysis, Block, Value, blocks, counts_lines};
use crate::reason::Reason;

pub use call::{Call, Construct};
pub use dispatch::next_of as dispatch_next_of;
pub use end::Ends;
pub use form::{Chunk, Chunks, Form, Place};
pub use found::{FoundLoop, Promise};
pub use init::{DONE, any_declared, called, entry_of};
pub use location::Location;
pub use numerics::Numerics;
pub use paths::Reasons;
pub use read::is_dealt_again;
pub use user::{Expression, UserLoop, UserValue};

use self::found::Surroundings;

/// Every call of an init entry in a function that has not been handled yet, in order.
pub fn calls(function: Value) -> Vec<Value> {
    blocks(function)
        .flat_map(Block::instructions)
        .filter(|&instruction| init::entry_of(instruction).is_some() && !init::is_done(instruction))
        .filter(|&instruction| !read::is_dealt_again(instruction))
        .collect()
}

/// Finds out of each loop of a function whether its schedule can be changed.
pub fn look_around(
    function: Value,
    analysis: &Analysis,
    reasons: &Reasons,
    wanted: bool,
    numerics: &mut Numerics,
    loops: &mut [FoundLoop],
) {
    let counted = counts_lines(function);
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
        // Chunks that the runtime deals are as short as they are.
        found.surroundings.reassociated = (change.is_ok() && !found.call.entry.dealt)
            .then(|| numerics.may_differ(analysis, found))
            .flatten();
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
            promise: Promise::default(),
            group: Vec::new(),
            surroundings: Surroundings::default(),
            user,
            location,
        });
    }
    let stores = bounds::stores(analysis, &call)?;
    let (form, user) = if call.construct == Construct::Sections {
        sections::recognise(analysis, &call, &stores)?
    } else if stores.lower.is_empty() && stores.upper.is_empty() {
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
        promise: Promise::default(),
        group: Vec::new(),
        surroundings: Surroundings::default(),
        user,
        location,
    })
}
