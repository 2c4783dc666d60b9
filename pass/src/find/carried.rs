//! Does a loop keep something from one iteration to the next in a register?
//!
//! Frontends keep all variables in memory, but another pass may have run before this one. A loop under another schedule is
//! entered anew for each chunk, and what it carries in a register would then begin anew, too.

use inkwell::llvm_sys::LLVMOpcode;

use super::form::Chunk;
use super::found::FoundLoop;
use crate::llvm::{Analysis, Block, Value};

/// Longest way from a loop's first value back to the bounds of a chunk.
const MOST_STEPS: usize = 32;

/// Is there a value of that kind in the loop with this header? Its own number is none: each chunk has numbers of its own.
pub fn is_any(analysis: &Analysis, found: &FoundLoop, header: Block) -> bool {
    let phis = header.instructions().take_while(|value| value.is_phi());
    phis.filter(|&phi| !is_number(found, phi)).any(|phi| {
        let mut first = phi.incoming().into_iter();
        first.any(|(value, from)| !analysis.loop_contains(header, from) && !is_read_anew(analysis, found, value))
    })
}

/// Does a canonical loop count its chunks or its iterations with it, from 0 on, and nothing else?
fn is_number(found: &FoundLoop, phi: Value) -> bool {
    let Chunk::Counted { lower, .. } = found.form.chunk() else {
        return false;
    };
    let condition = found.form.test().and_then(Value::branch_condition);
    let is_tested = condition.is_some_and(|condition| condition.operand(0) == Some(phi));
    let counts = |user: Value| {
        let mut operands = operands(user).filter(|&operand| operand != phi);
        let only = (operands.next(), operands.next());
        match (user.opcode(), only) {
            (Some(LLVMOpcode::LLVMICmp), _) => true,
            (Some(LLVMOpcode::LLVMAdd), (Some(added), None)) => added == lower || added.const_int() == Some(1),
            (Some(LLVMOpcode::LLVMMul), (Some(stride), None)) => stride.is_load(),
            _ => false,
        }
    };
    is_tested && phi.users().into_iter().all(counts)
}

fn operands(value: Value) -> impl Iterator<Item = Value> {
    (0..).map_while(move |index| value.operand(index))
}

/// Is it computed from the bounds of a chunk when the loop is entered, and from those alone? What is read from another
/// variable may be what an iteration should have left there: a store that nothing seems to read is removed.
fn is_read_anew(analysis: &Analysis, found: &FoundLoop, value: Value) -> bool {
    let bounds = [found.call.lower, found.call.upper, found.call.stride];
    let mut is_read = false;
    let mut work = vec![value];
    for _ in 0..MOST_STEPS {
        let Some(next) = work.pop() else {
            return is_read;
        };
        if next.const_int().is_some() {
            continue;
        }
        if !analysis.dominates(found.call.instruction, next) || next.calls_out() {
            return false;
        }
        match next.loaded_from() {
            Some(variable) if bounds.contains(&variable) => is_read = true,
            Some(_) => return false,
            None => work.extend(operands(next)),
        }
    }
    false
}
