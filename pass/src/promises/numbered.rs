//! Does a region's code choose memory by its thread's number? What an iteration leaves there is for the thread's next one. A number that is
//! compared, or stored as a value, chooses none.

use std::collections::HashSet;

use inkwell::llvm_sys::LLVMOpcode;

use crate::llvm::{Block, Value, blocks, body_is_what_runs};

use super::behind::calls_one_of;
use super::called::Called;
use super::given::loads_alone;
use super::region::Region;

/// By which a program asks, in C and in Fortran.
const NUMBER: [&[u8]; 2] = [b"omp_get_thread_num", b"omp_get_thread_num_"];

/// Does it, or may it, with all that it calls?
pub fn chooses_memory(region: &Region, called: &mut Called) -> bool {
    let mut functions = vec![region.function];
    let mut known: HashSet<Value> = functions.iter().copied().collect();
    while let Some(function) = functions.pop() {
        for instruction in blocks(function).flat_map(Block::instructions) {
            if !called.deeds(instruction).asks_who {
                continue;
            }
            match instruction.callee().filter(|&callee| body_is_what_runs(callee)) {
                Some(callee) if instruction.calls_out() => {
                    functions.extend(known.insert(callee).then_some(callee));
                }
                _ if calls_one_of(instruction, &NUMBER) && !leads_to_memory(instruction) => {}
                _ => return true,
            }
        }
    }
    false
}

/// Is an address computed from a number, or does it get where it is not followed?
fn leads_to_memory(number: Value) -> bool {
    let mut values = vec![number];
    let mut known: HashSet<Value> = HashSet::from([number]);
    while let Some(value) = values.pop() {
        for user in value.users() {
            let Some(more) = follow_use(value, user) else {
                return true;
            };
            values.extend(more.into_iter().filter(|value| known.insert(*value)));
        }
    }
    false
}

/// What else holds the number, or something computed from it; none where memory may be chosen by it.
fn follow_use(value: Value, user: Value) -> Option<Vec<Value>> {
    use LLVMOpcode::*;
    match user.opcode()? {
        LLVMICmp | LLVMBr | LLVMSwitch => Some(Vec::new()),
        LLVMStore if user.operand(1) != Some(value) => {
            let variable = user.operand(1)?;
            // What is stored in other memory is a value there.
            match variable.is_alloca() {
                true => loads_alone(variable),
                false => Some(Vec::new()),
            }
        }
        LLVMAtomicRMW if user.operand(0) != Some(value) => Some(Vec::new()),
        LLVMTrunc | LLVMZExt | LLVMSExt | LLVMSIToFP | LLVMUIToFP | LLVMAdd | LLVMSub | LLVMMul | LLVMUDiv
        | LLVMSDiv | LLVMURem | LLVMSRem | LLVMShl | LLVMLShr | LLVMAShr | LLVMAnd | LLVMOr | LLVMXor | LLVMFAdd
        | LLVMFSub | LLVMFMul | LLVMFDiv | LLVMPHI | LLVMSelect | LLVMFCmp => Some(vec![user]),
        _ => None,
    }
}
