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

use super::bounds::{Stores, addition, clamp, is_load_of, sum_of_loads};
use super::chunks::{available_at, directly_in, loop_over_chunks, stays};
use super::{Call, Chunk, Chunks, Form, Place, UserLoop};
use crate::llvm::{Analysis, Value};
use crate::reason::Reason;

/// Recognises the loop. Its body does not count, so nothing is known of the user's variable.
pub fn recognise(
    analysis: &Analysis,
    call: &Call,
    stores: &Stores,
) -> Result<(Form, UserLoop), Reason> {
    let unknown = Reason::UnknownDispatchLoop;
    let [lower_step] = stores.lower[..] else {
        return Err(unknown);
    };
    let stepped = |store: Value, bound| sum_of_loads(store.operand(0)?, bound, call.stride);
    let advance = stepped(lower_step, call.lower).ok_or(unknown)?;
    let header = loop_over_chunks(analysis, call, lower_step).ok_or(unknown)?;
    let in_loop = |store: Value| directly_in(analysis, store, header);

    let (steps, clamps): (Vec<_>, Vec<_>) = stores
        .upper
        .iter()
        .copied()
        .partition(|&store| stepped(store, call.upper).is_some());
    let ([upper_step], [first, second]) = (&steps[..], &clamps[..]) else {
        return Err(unknown);
    };
    let (before, after) = match (in_loop(*first), in_loop(*second)) {
        (false, true) => (*first, *second),
        (true, false) => (*second, *first),
        _ => return Err(unknown),
    };
    let branch = header.terminator().ok_or(unknown)?;
    let body = stays(analysis, branch, header).ok_or(Reason::UnknownChunkTest)?;
    let first_in_body = body.first().ok_or(unknown)?;
    // Chunk after chunk: clamp, test, body, step, clamp.
    if !in_loop(lower_step)
        || !in_loop(*upper_step)
        || !analysis.dominates(before, branch)
        || !analysis.dominates(first_in_body, *upper_step)
        || !analysis.dominates(first_in_body, lower_step)
        || !analysis.dominates(*upper_step, after)
    {
        return Err(unknown);
    }

    let last = clamp(before, call.upper).ok_or(Reason::UnknownClamp)?;
    let last_again = clamp(after, call.upper).ok_or(Reason::UnknownClamp)?;
    if !same_value(last, last_again) || !available_at(analysis, last, branch) {
        return Err(Reason::UnknownClamp);
    }
    if !tests_start(branch, call, last) {
        return Err(Reason::UnknownChunkTest);
    }
    let chunks = Chunks {
        header,
        blocks: analysis.loop_blocks(header),
        place: Place::Edge { branch, to: body },
        chunk: Chunk::Variables { last },
        advance,
    };
    Ok((Form::Chunks(chunks), UserLoop::default()))
}

/// `iv < last + 1`, `iv` being a copy of the lower bound.
fn tests_start(branch: Value, call: &Call, last: Value) -> bool {
    let Some(condition) = branch.branch_condition().filter(|value| value.is_icmp()) else {
        return false;
    };
    let (Some(start), Some(end)) = (condition.operand(0), condition.operand(1)) else {
        return false;
    };
    let copies_lower = |variable: Value| {
        let mut stored = variable.users().into_iter().filter(|user| user.is_store());
        stored.any(|store| {
            store
                .operand(0)
                .is_some_and(|value| is_load_of(value, call.lower))
        })
    };
    let one_more = match (end.const_int(), last.const_int()) {
        (Some(end), Some(last)) => last.checked_add(1) == Some(end),
        _ => addition(end).is_some_and(|sum| {
            sum.operand(0)
                .is_some_and(|operand| same_value(operand, last))
                && sum.operand(1).and_then(Value::const_int) == Some(1)
        }),
    };
    one_more && start.loaded_from().is_some_and(copies_lower)
}

/// The same value, or loads of the same variable.
fn same_value(left: Value, right: Value) -> bool {
    left == right
        || left.loaded_from().is_some() && left.loaded_from() == right.loaded_from()
        || left.const_int().is_some() && left.const_int() == right.const_int()
}
