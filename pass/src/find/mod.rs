//! Finds worksharing loops and understands them, without changing anything.
//!
//! A call of the runtime ([`init`]) is read, its bounds are followed, and a form recognised ([`forms`]): clang's own,
//! those of OpenMPIRBuilder, or that of loops which the runtime deals.

mod bounds;
pub mod change;
mod comparison;
pub mod description;
mod dispatch;
pub mod end;
mod forms;
mod found;
pub mod ident;
mod init;
mod location;
mod numerics;
pub mod paths;
mod read;
pub mod task;
mod user;

use crate::llvm::{Analysis, Block, Value, instructions};
use crate::reason::Reason;

pub use dispatch::next_of as dispatch_next_of;
pub use end::Ends;
pub use found::{Chunk, Chunks, Form, FoundLoop, ProgramPoint, Promise};
pub use init::{Call, Construct, DONE, TYPES, called, entry_of, functions_with_loops, starts_loop};
pub use location::Location;
pub use numerics::Numerics;
pub use paths::CleanupDestinations;
pub use read::{is_dealt_again, is_local_of_width};
pub use user::{Expression, UserLoop, UserValue};

pub fn calls(function: Value) -> Vec<Value> {
    let is_new = |&call: &Value| init::entry_of(call).is_some() && !init::is_done(call) && !read::is_dealt_again(call);
    instructions(function).filter(is_new).collect()
}

pub fn look_around(
    function: Value,
    analysis: &Analysis,
    destinations: &CleanupDestinations,
    wanted: bool,
    numerics: &mut Numerics,
    loops: &mut [FoundLoop],
) {
    let counted = function.counts_lines();
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
        found.surroundings.lends_last = found.lends_last();
        // Chunks that the runtime deals are as short as they are.
        found.surroundings.reassociated =
            (change.is_ok() && !found.call.entry.dealt).then(|| numerics.may_differ(analysis, found)).flatten();
    }
}

pub fn understand(analysis: &Analysis, destinations: &CleanupDestinations, call: Value) -> Result<FoundLoop, Reason> {
    let call = Call::read(call)?;
    let block = call.instruction.block().ok_or(Reason::MalformedCall)?;
    if !analysis.reachable(block) {
        return Err(Reason::Unreachable);
    }
    if call.entry.dealt {
        let (form, user) = forms::dispatched_loop::recognise(analysis, &call)?;
        return Ok(FoundLoop::new(call, form, Ends::default(), user));
    }
    let (form, user) = forms::recognise(analysis, &call)?;
    let ends = end::find(&call, destinations)?;
    if is_announced(destinations, &call, &form, &ends) {
        Ok(FoundLoop::new(call, form, ends, user))
    } else {
        Err(Reason::EndsEarly)
    }
}

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
