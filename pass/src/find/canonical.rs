//! The canonical loops of LLVM's OpenMPIRBuilder, as flang emits them and clang with
//! `-fopenmp-enable-irbuilder`. The bounds are read once; everything after is computed in SSA form.
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
use super::{Call, Chunk, Chunks, Form, ProgramPoint, UserLoop};
use crate::llvm::{Analysis, Block, Value};
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
    let counting = counting_to(analysis, count).ok_or(unknown)?;
    let iterations = added_to(counting.number, first);
    let before = count
        .block()
        .and_then(Block::terminator)
        .filter(|&end| analysis.dominates(end, counting.branch))
        .ok_or(unknown)?;
    if decides_a_switch(counting.number) || iterations.is_some_and(decides_a_switch) {
        return Err(Reason::Sections);
    }
    let chunk = Chunk::Counted { lower: first, count, progress: None };
    Ok((Form::Range { before, chunk, test: Some(counting.branch) }, user_loop(analysis, call, iterations)))
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
    let counting = counting_to(analysis, count).ok_or(unknown)?;
    let place = count.block().and_then(Block::terminator).ok_or(unknown)?;
    let (test, chunks, body) = number_of_chunks(analysis, number, header).ok_or(Reason::UnknownChunkTest)?;
    let first_in_body = body.first().ok_or(unknown)?;
    // Chunk after chunk: test, bounds, inner loop, step.
    let is_in_order = directly_in(analysis, place, header)
        && (first_in_body == start || analysis.dominates(first_in_body, place))
        && analysis.dominates(place, counting.branch)
        && analysis.dominates(place, next)
        && available_at(analysis, chunks, place);
    if !is_in_order {
        return Err(unknown);
    }
    let chunks = Chunks {
        header,
        blocks: analysis.loop_blocks(header),
        exits: Vec::new(),
        starts: Vec::new(),
        place: ProgramPoint::Before(place),
        chunk: Chunk::Counted { lower: start, count, progress: Some((number, chunks)) },
        test: Some(test),
        advance: next,
    };
    Ok((Form::Chunks(chunks), user_loop(analysis, call, added_to(counting.number, start))))
}

/// `upper + 1 - first`
fn size_of_chunks(first: Value, upper: Value) -> Option<Value> {
    let end = plus_one(upper)?;
    let mut users = end.users().into_iter();
    users.find(|user| is(*user, LLVMOpcode::LLVMSub, end, first))
}

/// The number of a chunk, and `number * stride + first`.
fn start_of_chunk(first: Value, stride: Value) -> Option<(Value, Value)> {
    let users = stride.users().into_iter();
    let mut scaled = users.filter(|user| user.opcode() == Some(LLVMOpcode::LLVMMul));
    scaled.find_map(|scaled| {
        let number = u32::from(scaled.operand(0) == Some(stride));
        Some((scaled.operand(number)?, added_to(scaled, first)?))
    })
}

/// The loop that counts from 0 to a limit.
struct Counting {
    number: Value,
    branch: Value,
}

/// The only loop that runs while its number is below `limit`.
fn counting_to(analysis: &Analysis, limit: Value) -> Option<Counting> {
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
        if found.replace(Counting { number, branch }).is_some() {
            return None;
        }
    }
    found
}

/// The test of a chunk's number, what it is compared with, and where the loop goes on.
fn number_of_chunks(analysis: &Analysis, number: Value, header: Block) -> Option<(Value, Value, Block)> {
    let mut tests = number.users().into_iter().filter_map(|condition| {
        if !condition.is_icmp() || condition.operand(0) != Some(number) {
            return None;
        }
        let branch = branch_on(condition)?;
        let body = stays_while_below(analysis, branch, header)?;
        Some((branch, condition.operand(1)?, body))
    });
    match (tests.next(), tests.next()) {
        (Some(test), None) => Some(test),
        _ => None,
    }
}

/// Where the branch stays in the loop, if it does so while a number is below another, and leaves it
/// then.
fn stays_while_below(analysis: &Analysis, branch: Value, header: Block) -> Option<Block> {
    let body = stays(analysis, branch, header)?;
    let below = branch.branch_condition()?.predicate() == Some(LLVMIntPredicate::LLVMIntULT);
    (below && branch.successors().first() == Some(&body)).then_some(body)
}

fn branch_on(condition: Value) -> Option<Value> {
    let users = condition.users();
    let [branch] = users[..] else { return None };
    (branch.branch_condition() == Some(condition)).then_some(branch)
}

/// A PHI that is 0 at first and one more each time round: the addition.
fn steps_by_one(analysis: &Analysis, number: Value, header: Block) -> Option<Value> {
    let incoming = number.incoming();
    let [one, other] = incoming[..] else {
        return None;
    };
    let (start, next) = if analysis.loop_contains(header, one.1) { (other.0, one.0) } else { (one.0, other.0) };
    let steps = next.opcode() == Some(LLVMOpcode::LLVMAdd)
        && next.operand(0) == Some(number)
        && next.operand(1).and_then(Value::const_int) == Some(1);
    (start.const_int() == Some(0) && steps).then_some(next)
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

/// Does a switch depend on the number, through arithmetic alone? So `sections` pick the section; a user's
/// `switch` or `select case` reads a variable.
pub fn decides_a_switch(number: Value) -> bool {
    let mut work = vec![number];
    let mut seen = work.clone();
    while let Some(value) = work.pop() {
        for user in value.users() {
            match user.opcode() {
                Some(LLVMOpcode::LLVMSwitch) => return true,
                Some(
                    LLVMOpcode::LLVMAdd
                    | LLVMOpcode::LLVMSub
                    | LLVMOpcode::LLVMMul
                    | LLVMOpcode::LLVMTrunc
                    | LLVMOpcode::LLVMZExt
                    | LLVMOpcode::LLVMSExt,
                ) if !seen.contains(&user) => {
                    seen.push(user);
                    work.push(user);
                }
                _ => {}
            }
        }
    }
    false
}

fn user_loop(analysis: &Analysis, call: &Call, iteration: Option<Value>) -> UserLoop {
    match iteration {
        Some(iteration) => UserLoop::from_number(analysis, call, iteration),
        None => UserLoop::default(),
    }
}

fn only_load(variable: Value) -> Option<Value> {
    let mut loads = variable.users().into_iter().filter(|user| user.loaded_from() == Some(variable));
    match (loads.next(), loads.next()) {
        (Some(load), None) => Some(load),
        _ => None,
    }
}

/// The sum of the two, if it is computed.
fn added_to(left: Value, right: Value) -> Option<Value> {
    left.users()
        .into_iter()
        .find(|user| is(*user, LLVMOpcode::LLVMAdd, left, right) || is(*user, LLVMOpcode::LLVMAdd, right, left))
}

fn plus_one(value: Value) -> Option<Value> {
    value.users().into_iter().find(|user| {
        user.opcode() == Some(LLVMOpcode::LLVMAdd)
            && user.operand(0) == Some(value)
            && user.operand(1).and_then(Value::const_int) == Some(1)
    })
}

fn is(user: Value, opcode: LLVMOpcode, left: Value, right: Value) -> bool {
    user.opcode() == Some(opcode) && user.operand(0) == Some(left) && user.operand(1) == Some(right)
}
