//! What the user wrote: source position, first value and step of the loop variable.
//!
//! clang normalises every loop to 0..N-1 and computes the user's variable as `start + iv * step` at
//! the top of the body.

use inkwell::llvm_sys::LLVMOpcode;
use inkwell::llvm_sys::core::*;

use crate::llvm::Value;

/// The user's start and step, where the program's constants tell.
#[derive(Default, Clone, Copy)]
pub struct UserLoop {
    pub start: Option<i64>,
    pub step: Option<i64>,
}

/// Reads start and step from the uses of the counting variable.
pub fn user_loop(induction: Value) -> UserLoop {
    let mut found = None;
    for load in induction
        .users()
        .into_iter()
        .filter(|user| user.loaded_from() == Some(induction))
    {
        for user in load.users() {
            let scaled = match user.opcode() {
                Some(LLVMOpcode::LLVMICmp) => continue,
                // The step to the next iteration.
                Some(LLVMOpcode::LLVMAdd)
                    if user.operand(1).and_then(Value::const_int) == Some(1) =>
                {
                    continue;
                }
                Some(LLVMOpcode::LLVMMul) => user,
                // Several variables from one (`collapse`), pointers, checked arithmetic: unknown.
                _ => return UserLoop::default(),
            };
            if found.replace(scaled).is_some() {
                return UserLoop::default();
            }
        }
    }
    let Some(scaled) = found else {
        return UserLoop::default();
    };
    let Some(factor) = scaled.operand(1).and_then(Value::const_int) else {
        return UserLoop::default();
    };
    let users = scaled.users();
    let [variable] = users[..] else {
        return UserLoop::default();
    };
    let (base, step) = match variable.opcode() {
        Some(LLVMOpcode::LLVMAdd) => {
            let other = if variable.operand(0) == Some(scaled) {
                1
            } else {
                0
            };
            (variable.operand(other), factor)
        }
        Some(LLVMOpcode::LLVMSub) if variable.operand(1) == Some(scaled) => {
            (variable.operand(0), factor.wrapping_neg())
        }
        _ => return UserLoop::default(),
    };
    // Without `nsw` the variable may be unsigned, and a set top bit no sign.
    let start = base
        .and_then(Value::const_int)
        .filter(|&start| start >= 0 || variable.has_nsw());
    UserLoop {
        start,
        step: Some(step),
    }
}

/// Source position of a call, from debug information; empty without.
#[derive(Default)]
pub struct Location {
    pub file: Vec<u8>,
    pub function: Vec<u8>,
    pub line: u32,
    pub column: u32,
}

impl Location {
    pub fn of(instruction: Value) -> Location {
        let function = instruction
            .block()
            .map(|block| {
                // SAFETY: a block of the module lies in a function.
                unsafe { Value::from_raw(LLVMGetBasicBlockParent(block.raw())) }
            })
            .and_then(|function| function.map(Value::name))
            .unwrap_or_default();
        // SAFETY: instructions are asked only; without a location LLVM answers 0 and null.
        unsafe {
            let line = LLVMGetDebugLocLine(instruction.raw());
            let column = LLVMGetDebugLocColumn(instruction.raw());
            let mut length = 0;
            let directory = text(
                LLVMGetDebugLocDirectory(instruction.raw(), &mut length),
                length,
            );
            let mut length = 0;
            let name = text(
                LLVMGetDebugLocFilename(instruction.raw(), &mut length),
                length,
            );
            let file = if name.starts_with(b"/") || directory.is_empty() || name.is_empty() {
                name
            } else {
                [&directory[..], b"/", &name].concat()
            };
            Location {
                file,
                function,
                line,
                column,
            }
        }
    }
}

/// # Safety
/// `bytes` is null or points to `length` bytes.
unsafe fn text(bytes: *const std::ffi::c_char, length: std::ffi::c_uint) -> Vec<u8> {
    if bytes.is_null() {
        return Vec::new();
    }
    // SAFETY: the caller's promise.
    unsafe { std::slice::from_raw_parts(bytes.cast::<u8>(), length as usize) }.to_vec()
}
