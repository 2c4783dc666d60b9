//! clang's form of `schedule(static)`: one range per thread, no loop over chunks.
//!
//! ```text
//! upper = min(upper, last); iv = lower
//! loop from iv to upper
//! ```

use crate::find::bounds::{Stores, is_load_of};
use crate::find::canonical::decides_a_switch;
use crate::find::change::test_of_range;
use crate::find::{Call, Chunk, Form, UserLoop, chunks};
use crate::llvm::{Analysis, Value};
use crate::reason::Reason;

pub fn recognise(analysis: &Analysis, call: &Call, stores: &Stores) -> Result<(Form, UserLoop), Reason> {
    let unknown = Reason::UnknownDispatchLoop;
    // LLVM 24 is proposed to mark sections as loops.
    if picks_sections(call) {
        return Err(Reason::Sections);
    }
    let ([], [clamp_store]) = (&stores.lower[..], &stores.upper[..]) else {
        return Err(unknown);
    };
    let last = chunks::last_of(*clamp_store, call).ok_or(Reason::UnknownClamp)?;
    let block = clamp_store.block().ok_or(unknown)?;
    let call_block = call.instruction.block().ok_or(unknown)?;
    if !analysis.dominates(call.instruction, *clamp_store)
        || analysis.loop_header(block) != analysis.loop_header(call_block)
    {
        return Err(unknown);
    }
    let induction = std::iter::successors(Some(*clamp_store), |value| value.next())
        .filter(|value| value.is_store())
        .find(|store| store.operand(0).is_some_and(|value| super::bounds::is_load_of(value, call.lower)))
        .and_then(|store| store.operand(1));
    let before: Value = block.terminator().ok_or(unknown)?;
    let chunk = Chunk::Variables { last };
    let user = induction.map(|variable| UserLoop::from_variable(analysis, call, variable)).unwrap_or_default();
    let test = induction.and_then(|variable| test_of_range(analysis, call, variable));
    let form = Form::Range { before, chunk, test };
    Ok((form, user))
}

/// Does the variable that counts from the lower bound on pick what runs?
fn picks_sections(call: &Call) -> bool {
    let starts = call.lower.users().into_iter();
    let starts =
        starts.filter(|&user| is_load_of(user, call.lower)).flat_map(Value::users).filter(|user| user.is_store());
    starts
        .filter_map(|store| store.operand(1))
        .filter(|variable| variable.is_alloca())
        .flat_map(Value::users)
        .any(|user| user.is_load() && decides_a_switch(user))
}
