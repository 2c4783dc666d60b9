//! clang's loop over chunks, `schedule(static,c)`:
//!
//! ```text
//! header:  upper = min(upper, last); iv = lower
//!          if (iv <= upper) body else exit
//! body:    ...
//! advance: lower += stride; upper += stride; goto header
//! ```

use inkwell::llvm_sys::LLVMOpcode;

use super::bounds::{Stores, addition, clamp, is_load_of, sum_of_loads};
use super::{Call, Chunks};
use crate::llvm::{Analysis, Block, Value};
use crate::reason::Reason;

/// Recognises the loop; also returns the variable that the body counts with, if it is apparent.
pub fn recognise(
    analysis: &Analysis,
    call: &Call,
    stores: &Stores,
) -> Result<(Chunks, Option<Value>), Reason> {
    let unknown = Reason::UnknownDispatchLoop;
    let [lower_step] = stores.lower[..] else {
        return Err(unknown);
    };
    let [first, second] = stores.upper[..] else {
        return Err(unknown);
    };

    let stepped = |store: Value, bound| sum_of_loads(store.operand(0)?, bound, call.stride);
    let lower_load = stepped(lower_step, call.lower).ok_or(unknown)?;
    let (clamp_store, upper_step, upper_load) =
        match (stepped(first, call.upper), stepped(second, call.upper)) {
            (None, Some(load)) => (first, second, load),
            (Some(load), None) => (second, first, load),
            _ => return Err(unknown),
        };

    let step_block = lower_step.block().ok_or(unknown)?;
    let header = analysis.loop_header(step_block).ok_or(unknown)?;
    let in_loop = |value: Value| {
        value
            .block()
            .is_some_and(|block| analysis.loop_header(block) == Some(header))
    };
    let call_block = call.instruction.block().ok_or(unknown)?;
    let header_start = header.first().ok_or(unknown)?;
    if ![lower_load, upper_load, upper_step, clamp_store]
        .into_iter()
        .all(in_loop)
        || analysis.loop_contains(header, call_block)
        || !analysis.dominates(call.instruction, header_start)
    {
        return Err(unknown);
    }
    let outside = |block: &Block| !analysis.loop_contains(header, *block);
    if header
        .predecessors()
        .iter()
        .filter(|block| outside(block))
        .count()
        != 1
    {
        return Err(unknown);
    }

    let last = clamp(clamp_store, call.upper).ok_or(Reason::UnknownClamp)?;
    let (test, body, induction) =
        chunk_test(analysis, call, header, clamp_store).ok_or(Reason::UnknownChunkTest)?;
    if !available_at(analysis, last, test) {
        return Err(Reason::UnknownClamp);
    }
    // Every step to a next chunk comes after a chunk.
    if ![lower_step, upper_step]
        .into_iter()
        .all(|step| analysis.dominates(test, step))
    {
        return Err(unknown);
    }
    let advance = if analysis.dominates(lower_load, upper_load) {
        lower_load
    } else {
        upper_load
    };

    let blocks = analysis.loop_blocks(header);
    Ok((
        Chunks {
            header,
            blocks,
            test,
            body,
            last,
            advance,
        },
        induction,
    ))
}

/// From the clamp on: the first conditional branch, which must test the chunk and leave the loop if
/// it is empty.
fn chunk_test(
    analysis: &Analysis,
    call: &Call,
    header: Block,
    clamp_store: Value,
) -> Option<(Value, Block, Option<Value>)> {
    let mut block = clamp_store.block()?;
    let mut instruction = Some(clamp_store);
    let mut induction = None;
    // Bounded: sanitizers put a few blocks in between, nothing puts many.
    for _ in 0..8 {
        while let Some(current) = instruction {
            if current.is_store()
                && current
                    .operand(0)
                    .is_some_and(|value| is_load_of(value, call.lower))
            {
                induction = current.operand(1);
            }
            instruction = current.next();
        }
        let terminator = block.terminator()?;
        let (inside, outside): (Vec<_>, Vec<_>) = terminator
            .successors()
            .into_iter()
            .partition(|&successor| analysis.loop_contains(header, successor));
        let [next] = inside[..] else { return None };
        if let Some(condition) = terminator.branch_condition()
            && outside.len() == 1
            && tests_chunk(condition, call, induction)
        {
            return Some((terminator, next, induction));
        }
        // Straight on, or past a check that traps.
        if next == header || !outside.iter().all(|&block| never_returns(block)) {
            return None;
        }
        block = next;
        instruction = block.first();
    }
    None
}

/// `iv <= upper`, or `iv < upper + 1` as clang writes it for unsigned variables.
fn tests_chunk(condition: Value, call: &Call, induction: Option<Value>) -> bool {
    if !condition.is_icmp() {
        return false;
    }
    let is_start = |value: Value| {
        is_load_of(value, call.lower) || induction.is_some_and(|iv| is_load_of(value, iv))
    };
    let is_end = |value: Value| {
        is_load_of(value, call.upper)
            || addition(value).is_some_and(|sum| {
                let operands = [sum.operand(0), sum.operand(1)];
                operands
                    .iter()
                    .flatten()
                    .any(|&operand| is_load_of(operand, call.upper))
                    && operands
                        .iter()
                        .flatten()
                        .any(|operand| operand.const_int() == Some(1))
            })
    };
    let (Some(left), Some(right)) = (condition.operand(0), condition.operand(1)) else {
        return false;
    };
    (is_start(left) && is_end(right)) || (is_end(left) && is_start(right))
}

fn never_returns(block: Block) -> bool {
    block
        .terminator()
        .is_some_and(|terminator| terminator.opcode() == Some(LLVMOpcode::LLVMUnreachable))
}

fn available_at(analysis: &Analysis, value: Value, user: Value) -> bool {
    !value.is_instruction() || analysis.dominates(value, user)
}
