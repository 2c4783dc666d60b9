//! The canonical loops of OpenMPIRBuilder, for flang and clang's `-fopenmp-enable-irbuilder`. Bounds are read once.
//!
//! ```text
//! first = load lower; range = load upper + 1 - first
//!
//! without a chunk size:   for (k = 0; k < range; k++) body(first + k)
//!
//! with one:  for (i = 0; i < chunks; i++)
//!              start = i * (load stride) + first
//!              count = start + range >= trip count ? trip count - start : range
//!              for (k = 0; k < count; k++) body(start + k)
//! ```
//!
//! `range` is 0 for a thread without iterations, whatever the bounds look like in 64 bits.

use inkwell::llvm_sys::{LLVMIntPredicate, LLVMOpcode};

use super::chunks::{available_at, directly_in, loop_over_chunks, stays};
use crate::find::{Call, Chunk, Chunks, Form, ProgramPoint, UserLoop};
use crate::llvm::{Analysis, Block, Value, leads_astray, only};
use crate::reason::Reason;

pub fn recognise(analysis: &Analysis, call: &Call) -> Result<(Form, UserLoop), Reason> {
    let unknown = Reason::UnknownDispatchLoop;
    let first = only_load(call.lower).ok_or(unknown)?;
    let upper = only_load(call.upper).ok_or(unknown)?;
    if ![first, upper].into_iter().all(|load| analysis.dominates(call.instruction, load)) {
        return Err(unknown);
    }
    if call.chunked { chunked(analysis, call, first, upper) } else { unchunked(analysis, call, first, upper) }
}

fn unchunked(analysis: &Analysis, call: &Call, first: Value, upper: Value) -> Result<(Form, UserLoop), Reason> {
    let unknown = Reason::UnknownDispatchLoop;
    // upper - first + 1
    let difference =
        upper.users().into_iter().find(|user| is(*user, LLVMOpcode::LLVMSub, upper, first)).ok_or(unknown)?;
    let count = plus_one(difference).ok_or(unknown)?;
    let (number, test) = counting_to(analysis, count).ok_or(unknown)?;
    let iterations = added_to(number, first);
    let before =
        count.block().and_then(Block::terminator).filter(|&end| analysis.dominates(end, test)).ok_or(unknown)?;
    if decides_a_switch(number) || iterations.is_some_and(decides_a_switch) {
        return Err(Reason::Sections);
    }
    let chunk = Chunk::Counted { lower: first, count, progress: None };
    Ok((Form::Range { before, chunk, test: Some(test) }, user_loop(analysis, call, iterations)))
}

fn chunked(analysis: &Analysis, call: &Call, first: Value, upper: Value) -> Result<(Form, UserLoop), Reason> {
    let unknown = Reason::UnknownDispatchLoop;
    let stride = only_load(call.stride).ok_or(unknown)?;
    let range = size_of_chunks(first, upper).ok_or(unknown)?;
    let (number, start) = start_of_chunk(first, stride).ok_or(unknown)?;
    let count = clamped(start, range).ok_or(Reason::UnknownClamp)?;

    let header = loop_over_chunks(analysis, call, number)
        .filter(|&header| number.is_phi() && number.block() == Some(header))
        .ok_or(unknown)?;
    let next = steps_by_one(analysis, number, header).ok_or(unknown)?;
    let (iteration, inner_test) = counting_to(analysis, count).ok_or(unknown)?;
    let place = count.block().and_then(Block::terminator).ok_or(unknown)?;
    let (test, chunks, body) = number_of_chunks(analysis, number, header).ok_or(Reason::UnknownChunkTest)?;
    let first_in_body = body.first().ok_or(unknown)?;
    // Chunk after chunk: test, bounds, inner loop, step.
    let is_in_order = directly_in(analysis, place, header)
        && (first_in_body == start || analysis.dominates(first_in_body, place))
        && analysis.dominates(place, inner_test)
        && analysis.dominates(place, next)
        && available_at(analysis, chunks, place);
    if !is_in_order {
        return Err(unknown);
    }
    let chunk = Chunk::Counted { lower: start, count, progress: Some((number, chunks)) };
    let mut chunks = Chunks::new(analysis, header, test, body, chunk, next);
    chunks.place = ProgramPoint::Before(place);
    Ok((Form::Chunks(chunks), user_loop(analysis, call, added_to(iteration, start))))
}

fn size_of_chunks(first: Value, upper: Value) -> Option<Value> {
    let end = plus_one(upper)?;
    let mut users = end.users().into_iter();
    users.find(|user| is(*user, LLVMOpcode::LLVMSub, end, first))
}

fn start_of_chunk(first: Value, stride: Value) -> Option<(Value, Value)> {
    let users = stride.users().into_iter();
    let mut scaled = users.filter(|user| user.opcode() == Some(LLVMOpcode::LLVMMul));
    scaled.find_map(|scaled| {
        let number = u32::from(scaled.operand(0) == Some(stride));
        Some((scaled.operand(number)?, added_to(scaled, first)?))
    })
}

/// The number, and the test, of the only loop that counts from 0 on and runs while its number is below `limit`.
fn counting_to(analysis: &Analysis, limit: Value) -> Option<(Value, Value)> {
    let mut found = None;
    for condition in limit.users() {
        if !condition.is_icmp() || condition.operand(1) != Some(limit) {
            continue;
        }
        let number = condition.operand(0).filter(|number| number.is_phi())?;
        let header = analysis.loop_header(number.block()?)?;
        let branch = branch_on(condition)?;
        stays_while_below(analysis, branch, header)?;
        steps_by_one(analysis, number, header)?;
        if found.replace((number, branch)).is_some() {
            return None;
        }
    }
    found
}

fn number_of_chunks(analysis: &Analysis, number: Value, header: Block) -> Option<(Value, Value, Block)> {
    only(number.users().into_iter().filter_map(|condition| {
        let limit = condition.operand(1).filter(|_| condition.is_icmp() && condition.operand(0) == Some(number))?;
        let branch = branch_on(condition)?;
        Some((branch, limit, stays_while_below(analysis, branch, header)?))
    }))
}

fn stays_while_below(analysis: &Analysis, branch: Value, header: Block) -> Option<Block> {
    let body = stays(analysis, branch, header)?;
    let below = branch.branch_condition()?.predicate() == Some(LLVMIntPredicate::LLVMIntULT);
    (below && branch.successors().first() == Some(&body)).then_some(body)
}

fn branch_on(condition: Value) -> Option<Value> {
    condition.only_user().filter(|branch| branch.branch_condition() == Some(condition))
}

fn steps_by_one(analysis: &Analysis, number: Value, header: Block) -> Option<Value> {
    let [one, other] = number.incoming()[..] else { return None };
    let (start, next) = if analysis.loop_contains(header, one.1) { (other.0, one.0) } else { (one.0, other.0) };
    (start.const_int() == Some(0) && is_one_more_than(next, number)).then_some(next)
}

/// `start + range >= trip count ? trip count - start : range`
fn clamped(start: Value, range: Value) -> Option<Value> {
    let end = added_to(start, range)?;
    range.users().into_iter().find(|select| {
        let clamps = || {
            let comparison = select.operand(0)?;
            let trip_count = comparison.operand(1)?;
            let rest = select.operand(1)?;
            Some(
                comparison.predicate() == Some(LLVMIntPredicate::LLVMIntUGE)
                    && comparison.operand(0) == Some(end)
                    && is(rest, LLVMOpcode::LLVMSub, trip_count, start),
            )
        };
        select.is_select() && select.operand(2) == Some(range) && clamps() == Some(true)
    })
}

/// Through arithmetic alone: so `sections` pick the section; a user's `switch` or `select case` reads a variable.
pub fn decides_a_switch(number: Value) -> bool {
    use LLVMOpcode::*;
    leads_astray(number, |_, user| match user.opcode() {
        Some(LLVMSwitch) => None,
        Some(LLVMAdd | LLVMSub | LLVMMul | LLVMTrunc | LLVMZExt | LLVMSExt) => Some(vec![user]),
        _ => Some(Vec::new()),
    })
}

fn user_loop(analysis: &Analysis, call: &Call, iteration: Option<Value>) -> UserLoop {
    iteration.map(|iteration| UserLoop::from_number(analysis, call, iteration)).unwrap_or_default()
}

fn only_load(variable: Value) -> Option<Value> {
    only(variable.users().into_iter().filter(|user| user.loaded_from() == Some(variable)))
}

fn added_to(left: Value, right: Value) -> Option<Value> {
    let is_sum =
        |user: &Value| is(*user, LLVMOpcode::LLVMAdd, left, right) || is(*user, LLVMOpcode::LLVMAdd, right, left);
    left.users().into_iter().find(is_sum)
}

fn plus_one(value: Value) -> Option<Value> {
    value.users().into_iter().find(|&user| is_one_more_than(user, value))
}

fn is_one_more_than(sum: Value, value: Value) -> bool {
    sum.opcode() == Some(LLVMOpcode::LLVMAdd)
        && sum.operand(0) == Some(value)
        && sum.operand(1).and_then(Value::const_int) == Some(1)
}

fn is(user: Value, opcode: LLVMOpcode, left: Value, right: Value) -> bool {
    user.opcode() == Some(opcode) && user.operand(0) == Some(left) && user.operand(1) == Some(right)
}
