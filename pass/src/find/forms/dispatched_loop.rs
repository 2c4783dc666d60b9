//! `dynamic`, `guided`, `runtime`, `auto`, and all `ordered` loops. clang, OpenMPIRBuilder and flang agree on the form:
//!
//! ```text
//!          __kmpc_dispatch_init_4(…, first, last, 1, chunk)
//! header:  if (__kmpc_dispatch_next_4(…, &is_last, &lower, &upper, &stride)) body else exit
//! body:    ... goto header
//! ```
//!
//! clang counts from 0, OpenMPIRBuilder from 1. No call ends such a loop on every way out.

use inkwell::llvm_sys::{LLVMIntPredicate, LLVMOpcode};

use super::chunks::{directly_in, loop_over_chunks, stays};
use crate::find::{Call, Chunk, Chunks, Form, UserLoop, dispatch::next_of};
use crate::llvm::{Analysis, Block, Value, only};
use crate::reason::Reason;

pub fn recognise(analysis: &Analysis, call: &Call) -> Result<(Form, UserLoop), Reason> {
    let unknown = Reason::UnknownDispatchLoop;
    let next = next_of(call.instruction, call.entry)?;
    let last = next.operand(2).ok_or(unknown)?;
    let first = match call.instruction.operand(3).map(Value::const_int) {
        Some(Some(first @ (0 | 1))) => first,
        Some(Some(_)) => return Err(Reason::FirstUnknown),
        // In a combined construct the chunk of `distribute`, which clang counts from 0.
        _ => 0,
    };
    let header = loop_over_chunks(analysis, call, next).ok_or(unknown)?;
    if !directly_in(analysis, next, header) {
        return Err(unknown);
    }
    let (test, body) = tested(analysis, next, header).ok_or(Reason::UnknownChunkTest)?;
    let mut chunks = Chunks::new(analysis, header, test, body, Chunk::Dealt { last, first }, next);
    chunks.exits = exits(analysis, header, &chunks.blocks).ok_or(unknown)?;
    let user = user_loop(analysis, call, &chunks).unwrap_or_default();
    Ok((Form::Chunks(chunks), user))
}

fn tested(analysis: &Analysis, next: Value, header: Block) -> Option<(Value, Block)> {
    let condition = next.only_user()?;
    let compares = condition.operand(0) == Some(next) && condition.operand(1).and_then(Value::const_int) == Some(0);
    let branch = condition.only_user()?;
    let body = stays(analysis, branch, header)?;
    let on_true = branch.successors().first() == Some(&body);
    let asked = match condition.predicate()? {
        LLVMIntPredicate::LLVMIntNE => on_true,
        LLVMIntPredicate::LLVMIntEQ => !on_true,
        _ => false,
    };
    (compares && asked && branch.branch_condition() == Some(condition)).then_some((branch, body))
}

/// An exception that leaves the loop ends the program: clang lets none pass a worksharing region.
fn exits(analysis: &Analysis, header: Block, blocks: &[Block]) -> Option<Vec<(Block, Block)>> {
    let mut exits = Vec::new();
    for &block in blocks {
        let terminator = block.terminator()?;
        let mut outside: Vec<Block> = terminator
            .successors()
            .into_iter()
            .filter(|&to| !analysis.loop_contains(header, to) && !is_landing_pad(to))
            .collect();
        let jumps_by_address = matches!(terminator.opcode(), Some(LLVMOpcode::LLVMIndirectBr | LLVMOpcode::LLVMCallBr));
        if jumps_by_address && !outside.is_empty() {
            return None;
        }
        while let Some(to) = outside.pop() {
            if !outside.contains(&to) {
                exits.push((block, to));
            }
        }
    }
    Some(exits)
}

fn is_landing_pad(block: Block) -> bool {
    let first = block.instructions().find(|value| !value.is_phi());
    first.is_some_and(|value| value.opcode() == Some(LLVMOpcode::LLVMLandingPad))
}

/// clang keeps an iteration's number in a variable, OpenMPIRBuilder in a PHI that starts with `lower - 1`.
fn user_loop(analysis: &Analysis, call: &Call, chunks: &Chunks) -> Option<UserLoop> {
    let instructions = chunks.blocks.iter().flat_map(|block| block.instructions());
    let load = only(instructions.filter(|value| value.loaded_from() == Some(call.lower)))?;
    let user = load.only_user()?;
    if user.stored() == Some(load) {
        return Some(UserLoop::from_variable(analysis, call, user.stored_to()?));
    }
    let number = only(user.users().into_iter().filter(|value| value.is_phi()))?;
    Some(UserLoop::from_number(analysis, call, number))
}
