//! Finds worksharing loops and understands them, without changing anything.
//!
//! [`init`] knows the runtime's functions that start a loop; [`read`] and [`dispatch`] read a call of one, which is a
//! [`call`]; [`bounds`] follows the variables it is given; [`range`], [`chunks`], [`composite`] and [`strided`] recognise
//! the forms clang emits, without a loop over chunks and with one, [`sections`] that of `sections`, [`canonical`] those of LLVM's OpenMPIRBuilder,
//! [`dealt`] loops whose chunks the runtime deals; [`end`] finds where the loop ends, [`user`] and [`location`] what the
//! user wrote, [`change`] whether its schedule can be changed (what it keeps in registers, [`carried`] knows), [`numerics`] whether
//! results stay the same when it runs in sub-blocks. All of it is a [`found`] loop, with its [`form`].
//! [`task`] finds where tasks are created.

mod bounds;
mod call;
mod canonical;
pub mod change;
mod chunks;
mod comparison;
mod composite;
mod dispatch;
mod dispatched_loop;
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
pub use form::{Chunk, Chunks, Form, ProgramPoint};
pub use found::{FoundLoop, Promise};
pub use init::{DONE, any_declared, called, entry_of};
pub use location::Location;
pub use numerics::Numerics;
pub use paths::CleanupDestinations;
pub use read::{is_dealt_again, is_local_of_width};
pub use user::{Expression, UserLoop, UserValue};

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
    destinations: &CleanupDestinations,
    wanted: bool,
    numerics: &mut Numerics,
    loops: &mut [FoundLoop],
) {
    let counted = counts_lines(function);
    let changes: Vec<_> = loops
        .iter()
        .map(|found| match (counted, wanted) {
            (true, _) => Err(ompchunk_abi::fixed::COUNTED),
            (false, true) => change::prove(analysis, found, loops),
            (false, false) => Err(ompchunk_abi::fixed::UNWANTED),
        })
        .collect();
    for (found, change) in loops.iter_mut().zip(changes) {
        found.change = change;
        found.surroundings = change::surroundings(found, change.ok(), destinations);
        // Chunks that the runtime deals are as short as they are.
        found.surroundings.reassociated =
            (change.is_ok() && !found.call.entry.dealt).then(|| numerics.may_differ(analysis, found)).flatten();
    }
}

/// Understands the loop that `call` starts.
pub fn understand(analysis: &Analysis, destinations: &CleanupDestinations, call: Value) -> Result<FoundLoop, Reason> {
    let call = Call::read(call)?;
    let block = call.instruction.block().ok_or(Reason::MalformedCall)?;
    if !analysis.reachable(block) {
        return Err(Reason::Unreachable);
    }
    if call.entry.dealt {
        let (form, user) = dispatched_loop::recognise(analysis, &call)?;
        return Ok(FoundLoop::new(call, form, Ends::default(), user));
    }
    let (form, user) = recognise(analysis, &call)?;
    let ends = end::find(&call, destinations)?;
    match is_announced(destinations, &call, &form, &ends) {
        true => Ok(FoundLoop::new(call, form, ends, user)),
        false => Err(Reason::EndsEarly),
    }
}

/// Which form a loop has that deals its chunks itself: clang's change the variables that the runtime fills in.
fn recognise(analysis: &Analysis, call: &Call) -> Result<(Form, UserLoop), Reason> {
    let stores = bounds::stores(analysis, call)?;
    if call.construct == Construct::Sections {
        return sections::recognise(analysis, call, &stores);
    }
    let changes_bounds = !(stores.lower.is_empty() && stores.upper.is_empty());
    match (changes_bounds, call.marked, call.chunked) {
        // From LLVM 23 on, OpenMPIRBuilder marks its loops, too.
        (false, true, true) => strided::recognise(analysis, call)
            .or_else(|reason| canonical::recognise(analysis, call).map_err(|_| reason)),
        (false, ..) => canonical::recognise(analysis, call),
        (true, false, _) => Err(Reason::NotMarkedAsLoop),
        (true, true, false) => range::recognise(analysis, call, &stores),
        (true, true, true) => match (call.construct, stores.upper.len()) {
            (Construct::Distribute, 3) => composite::recognise(analysis, call, &stores),
            (Construct::Distribute | Construct::For | Construct::Sections, _) => {
                chunks::recognise(analysis, call, &stores)
            }
        },
    }
}

/// Each chunk is announced between the start and an end, and no range is left out.
fn is_announced(destinations: &CleanupDestinations, call: &Call, form: &Form, ends: &Ends) -> bool {
    let mut calls = ends.calls.iter();
    match form {
        Form::Range { before, .. } => {
            let is_passed = |block| !end::avoids(call, destinations, block);
            !calls.any(|&end| end::precedes(end, *before, destinations)) && before.block().is_some_and(is_passed)
        }
        Form::Chunks(chunks) => {
            let is_inside = |block: Block| chunks.blocks.contains(&block);
            !calls.any(|end| end.block().is_some_and(is_inside))
        }
    }
}
