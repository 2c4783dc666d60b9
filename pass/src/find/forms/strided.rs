//! clang's `distribute parallel for schedule(static,1)`: one loop, of which each step is that to the next chunk.
//!
//! ```text
//!          iv = lower
//! header:  if (iv <= bound) body else exit         bound: the last iteration of the team
//! body:    ...
//! advance: iv += stride; goto header
//! ```

use super::chunks::{directly_in, each_time_round, is_one_more, loop_over_chunks, only_test};
use crate::find::bounds::{is_load_of, sum_of_loads};
use crate::find::{Call, Chunk, Chunks, Form, UserLoop, comparison::Comparison, init::Entry, user::keeps_its_value};
use crate::llvm::{Analysis, Value, only};
use crate::reason::Reason;

pub fn recognise(analysis: &Analysis, call: &Call) -> Result<(Form, UserLoop), Reason> {
    let unknown = Reason::UnknownDispatchLoop;
    let (variable, start) = counted_in(analysis, call).ok_or(unknown)?;
    let step = only_step(variable, start).ok_or(unknown)?;
    let advance = step.operand(0).and_then(|next| sum_of_loads(next, variable, call.stride)).ok_or(unknown)?;
    let header = loop_over_chunks(analysis, call, step).ok_or(unknown)?;
    let first = header.first().ok_or(unknown)?;
    let in_loop = |value: Value| directly_in(analysis, value, header);
    if !analysis.dominates(start, first) || !in_loop(advance) {
        return Err(unknown);
    }

    let is_count = |value: Value| {
        let of = if value.is_extension() { value.operand(0) } else { Some(value) };
        of.is_some_and(|value| is_load_of(value, variable))
    };
    let (branch, body, holds) = only_test(analysis, header, is_count, |_, holds| bound_of(holds, call).is_some())
        .ok_or(Reason::UnknownChunkTest)?;
    // The test uses it, so it is known there.
    let last = bound_of(holds, call)
        .filter(|&last| in_loop(last))
        .filter(|last| last.loaded_from().is_some_and(|bound| keeps_its_value(analysis, call, bound)))
        .ok_or(Reason::UnknownClamp)?;
    if !analysis.dominates(branch, advance) || !each_time_round(analysis, header, step) {
        return Err(unknown);
    }
    let chunks = Chunks::new(analysis, header, branch, body, Chunk::Iteration { variable, last }, advance);
    let user = UserLoop::from_variable(analysis, call, variable);
    Ok((Form::Chunks(chunks), user))
}

pub fn counted_in(analysis: &Analysis, call: &Call) -> Option<(Value, Value)> {
    let load = only(call.lower.users().into_iter().filter(|&user| is_load_of(user, call.lower)))?;
    let store = load.only_user()?;
    let variable = store.stored_to().filter(|_| store.is_simple_access())?;
    let starts = store.operand(0) == Some(load) && analysis.dominates(call.instruction, load);
    (starts && variable.is_alloca() && variable != call.lower).then_some((variable, store))
}

pub fn only_step(variable: Value, start: Value) -> Option<Value> {
    let mut step = None;
    for user in variable.users() {
        let stores = user.writes_to(variable) && user.is_simple_access();
        if stores && user != start {
            if step.replace(user).is_some() {
                return None;
            }
        } else if !stores && user.loaded_from().is_none() && !user.is_lifetime() {
            return None;
        }
    }
    step
}

/// The bound is handed over in 64 bits, so clang compares in them, and without a sign.
fn bound_of(holds: Comparison, call: &Call) -> Option<Value> {
    let unsigned = Entry { signed: false, ..call.entry };
    if holds.is_at_most(unsigned) {
        return Some(holds.right);
    }
    let one_less = |sum: Value| {
        let mut operands = [sum.operand(0), sum.operand(1)].into_iter().flatten();
        operands.find(|value| value.loaded_from().is_some())
    };
    let bound = one_less(holds.right)?;
    (holds.is_strictly_less(unsigned) && is_one_more(holds.right, |value| value == bound)).then_some(bound)
}
