//! Where a loop stands in the source.

use inkwell::llvm_sys::core::*;

use super::ident;
use crate::llvm::Value;

/// Of a call, from debug information; empty without. Where clang gives the call the line of its `for`, as under
/// `parallel for schedule(dynamic)`, the line above at which the construct begins: other schedules keep a loop's place.
#[derive(Default)]
pub struct Location {
    pub file: Vec<u8>,
    pub function: Vec<u8>,
    pub line: u32,
    pub column: u32,
}

impl Location {
    pub fn from_instruction(instruction: Value) -> Location {
        let function = named_function(instruction).map(Value::name).unwrap_or_default();
        // SAFETY: instructions are asked only; without a location LLVM answers 0 and null.
        unsafe {
            let line = LLVMGetDebugLocLine(instruction.raw());
            let column = LLVMGetDebugLocColumn(instruction.raw());
            let mut length = 0;
            let directory = text(LLVMGetDebugLocDirectory(instruction.raw(), &mut length), length);
            let mut length = 0;
            let name = text(LLVMGetDebugLocFilename(instruction.raw(), &mut length), length);
            let file = if name.starts_with(b"/") || directory.is_empty() || name.is_empty() {
                name
            } else {
                [&directory[..], b"/", &name].concat()
            };
            let construct = instruction
                .operand(0)
                .and_then(|ident| ident::position(ident, &file))
                .filter(|(above, _)| *above < line);
            let (line, column) = construct.unwrap_or((line, column));
            Location { file, function, line, column }
        }
    }
}

/// Of functions that clang up to 16 outlines and gives no name of their own, the one that hands them to the runtime.
fn named_function(instruction: Value) -> Option<Value> {
    let around = |instruction: Value| instruction.block()?.function();
    let mut function = around(instruction)?;
    // Regions in regions, each with a second function for debug information.
    for _ in 0..16 {
        if !function.with_name(|name| name.starts_with(b".omp_outlined")) {
            break;
        }
        let mut users = function.users().into_iter();
        match users.find(|user| user.is_instruction()).and_then(around) {
            Some(outer) => function = outer,
            None => break,
        }
    }
    Some(function)
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
