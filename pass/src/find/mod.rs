//! Finds static loops and understands them, without changing anything.
//!
//! [`call`] reads one call of `__kmpc_for_static_init_*`; [`bounds`] follows the variables it is
//! given; [`range`], [`chunks`] and [`composite`] recognise the forms clang emits, without a loop over
//! chunks and with one; [`end`] finds where the loop ends, [`source`] what the user wrote.

mod bounds;
mod call;
mod chunks;
mod composite;
mod end;
mod range;
mod source;

use crate::llvm::{Analysis, Block, Value, blocks};
use crate::reason::Reason;

pub use call::{Call, Construct, DONE, any_declared, entry_of};
pub use end::Ends;
pub use source::{Location, UserLoop};

/// A loop that was understood.
pub struct StaticLoop {
    /// The runtime call that starts it.
    pub call: Call,
    /// Where chunks begin.
    pub form: Form,
    /// Where it ends.
    pub ends: Ends,
    /// The user's own start and step.
    pub user: UserLoop,
    /// Where it stands in the source.
    pub location: Location,
}

/// The two forms.
pub enum Form {
    /// No chunk size: before this instruction the bounds of the thread's only chunk are final; the
    /// chunk may be empty.
    Range { before: Value },
    /// With a chunk size.
    Chunks(Chunks),
}

/// The loop over chunks.
pub struct Chunks {
    /// Its header.
    pub header: Block,
    /// Its blocks.
    pub blocks: Vec<Block>,
    /// The branch that tests whether there is a chunk.
    pub test: Value,
    /// Where that branch leads if there is.
    pub body: Block,
    /// The loop's last iteration, in the bounds' type; available at `test`.
    pub last: Value,
    /// The first instruction of the step to the next chunk.
    pub advance: Value,
}

/// Every call of a static init entry in a function that has not been handled yet, in order.
pub fn calls(function: Value) -> Vec<Value> {
    blocks(function)
        .flat_map(Block::instructions)
        .filter(|&instruction| call::entry_of(instruction).is_some() && !call::is_done(instruction))
        .collect()
}

/// Understands the loop that `call` starts.
pub fn understand(analysis: &Analysis, call: Value) -> Result<StaticLoop, Reason> {
    let call = Call::read(call)?;
    let block = call.instruction.block().ok_or(Reason::MalformedCall)?;
    if !analysis.reachable(block) {
        return Err(Reason::Unreachable);
    }
    let stores = bounds::stores(analysis, &call)?;
    let (form, induction) = if !call.chunked {
        range::recognise(analysis, &call, &stores)?
    } else if call.construct == Construct::Distribute && stores.upper.len() == 3 {
        composite::recognise(analysis, &call, &stores)?
    } else {
        chunks::recognise(analysis, &call, &stores)?
    };
    let ends = end::find(&call)?;
    let user = induction.map(source::user_loop).unwrap_or_default();
    let location = Location::of(call.instruction);
    Ok(StaticLoop {
        call,
        form,
        ends,
        user,
        location,
    })
}
