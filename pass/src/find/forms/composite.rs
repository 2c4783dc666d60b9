//! clang's loop over the chunks of `distribute parallel for dist_schedule(static,c)`: each chunk is
//! handed to a parallel region, and the bounds are clamped before the loop and after each step.
//!
//! ```text
//!          upper = min(upper, last); iv = lower
//! header:  if (iv < last + 1) body else exit
//! body:    fork(lower, upper)
//! advance: iv += stride; lower += stride; upper += stride
//!          upper = min(upper, last); iv = lower; goto header
//! ```

use super::chunks::{self, available_at, directly_in, each_time_round, is_one_more, loop_over_chunks, only_test};
use crate::find::bounds::{Stores, is_load_of, sum_of_loads};
use crate::find::comparison::{Comparison, same_value};
use crate::find::{Call, Chunk, Chunks, Form, UserLoop};
use crate::llvm::{Analysis, Value};
use crate::reason::Reason;

pub fn recognise(analysis: &Analysis, call: &Call, stores: &Stores) -> Result<(Form, UserLoop), Reason> {
    let unknown = Reason::UnknownDispatchLoop;
    let [lower_step] = stores.lower[..] else { return Err(unknown) };
    let stepped = |store: Value, bound| sum_of_loads(store.operand(0)?, bound, call.stride);
    let advance = stepped(lower_step, call.lower).ok_or(unknown)?;
    let header = loop_over_chunks(analysis, call, lower_step).ok_or(unknown)?;
    let in_loop = |store: Value| directly_in(analysis, store, header);
    let steps_upper = |store: Value| stepped(store, call.upper).is_some();
    let (upper_step, before, after) = step_and_clamps(stores, steps_upper, in_loop).ok_or(unknown)?;
    let last = chunks::last_of(before, call).ok_or(Reason::UnknownClamp)?;
    let copies_lower = |value: Value| {
        let stored = value.loaded_from().map(Value::users).unwrap_or_default().into_iter().filter_map(Value::stored);
        stored.into_iter().any(|value| is_load_of(value, call.lower))
    };
    // With overflow checks it is not the loop's first branch.
    let (branch, body, _) = only_test(analysis, header, copies_lower, |_, holds| tests_start(holds, call, last))
        .ok_or(Reason::UnknownChunkTest)?;
    let first_in_body = body.first().ok_or(unknown)?;
    // Chunk after chunk: clamp, test, body, step, clamp.
    let is_in_order = in_loop(lower_step)
        && in_loop(upper_step)
        && analysis.dominates(before, branch)
        && analysis.dominates(first_in_body, upper_step)
        && analysis.dominates(first_in_body, lower_step)
        && analysis.dominates(upper_step, after)
        && each_time_round(analysis, header, lower_step)
        && each_time_round(analysis, header, after);
    if !is_in_order {
        return Err(unknown);
    }

    let last_again = chunks::last_of(after, call).ok_or(Reason::UnknownClamp)?;
    if !same_value(last, last_again) || !available_at(analysis, last, branch) {
        return Err(Reason::UnknownClamp);
    }
    let chunks = Chunks::new(analysis, header, branch, body, Chunk::Variables { last }, advance);
    Ok((Form::Chunks(chunks), UserLoop::default()))
}

/// The stores to the upper bound: the step, and the clamps before the loop and in it.
fn step_and_clamps(
    stores: &Stores,
    is_step: impl Fn(Value) -> bool,
    in_loop: impl Fn(Value) -> bool,
) -> Option<(Value, Value, Value)> {
    let upper = stores.upper.iter().copied();
    let (steps, clamps): (Vec<_>, Vec<_>) = upper.partition(|&store| is_step(store));
    let (&[step], &[first, second]) = (&steps[..], &clamps[..]) else { return None };
    match (in_loop(first), in_loop(second)) {
        (false, true) => Some((step, first, second)),
        (true, false) => Some((step, second, first)),
        (false, false) | (true, true) => None,
    }
}

/// `iv < last + 1`, `iv` being a copy of the lower bound.
fn tests_start(holds: Comparison, call: &Call, last: Value) -> bool {
    let beyond = match (holds.right.const_int(), last.const_int()) {
        (Some(end), Some(last)) => last.checked_add(1) == Some(end),
        _ => is_one_more(holds.right, |value| same_value(value, last)),
    };
    beyond && holds.is_strictly_less(call.entry)
}
