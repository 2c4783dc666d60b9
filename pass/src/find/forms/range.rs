//! clang's form of `schedule(static)`: one range per thread, no loop over chunks.
//!
//! ```text
//! upper = min(upper, last); iv = lower
//! loop from iv to upper
//! ```

use super::{canonical::decides_a_switch, chunks};
use crate::find::bounds::{Stores, is_load_of};
use crate::find::{Call, Chunk, Form, UserLoop, change::test_of_range};
use crate::llvm::{Analysis, Value};
use crate::reason::Reason;

pub fn recognise(analysis: &Analysis, call: &Call, stores: &Stores) -> Result<(Form, UserLoop), Reason> {
    let unknown = Reason::UnknownDispatchLoop;
    // LLVM 24 is proposed to mark sections as loops.
    if picks_sections(call) {
        return Err(Reason::Sections);
    }
    let ([], [clamp_store]) = (&stores.lower[..], &stores.upper[..]) else { return Err(unknown) };
    let last = chunks::last_of(*clamp_store, call).ok_or(Reason::UnknownClamp)?;
    let block = clamp_store.block().ok_or(unknown)?;
    let call_block = call.instruction.block().ok_or(unknown)?;
    if !analysis.dominates(call.instruction, *clamp_store)
        || analysis.loop_header(block) != analysis.loop_header(call_block)
    {
        return Err(unknown);
    }
    let mut stores = clamp_store.and_next();
    let starts = |store: &Value| store.stored().is_some_and(|value| is_load_of(value, call.lower));
    let induction = stores.find(starts).and_then(Value::stored_to);
    let before: Value = block.terminator().ok_or(unknown)?;
    let chunk = Chunk::Variables { last };
    let user = induction.map(|variable| UserLoop::from_variable(analysis, call, variable)).unwrap_or_default();
    let test = induction.and_then(|variable| test_of_range(analysis, call, variable));
    let form = Form::Range { before, chunk, test };
    Ok((form, user))
}

fn picks_sections(call: &Call) -> bool {
    let loads = call.lower.users().into_iter().filter(|&user| is_load_of(user, call.lower));
    let variables = loads.flat_map(Value::users).filter_map(Value::stored_to).filter(|variable| variable.is_alloca());
    variables.flat_map(Value::users).any(|user| user.is_load() && decides_a_switch(user))
}
