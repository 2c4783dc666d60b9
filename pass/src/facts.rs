//! Reads from the IR what the plan is made of.

use std::ffi::CStr;

use inkwell::llvm_sys::LLVMAttributeFunctionIndex;
use inkwell::llvm_sys::core::{LLVMGetEnumAttributeAtIndex, LLVMGetEnumAttributeKindForName};

use crate::ffi;
use crate::find::task::Creation;
use crate::find::{Form, FoundLoop, starts_loop};
use crate::instrumentation_plan::{Facts, MOST_COPIED, Obstacle};
use crate::llvm::{Block, Value};

pub fn gather(function: Value, found: &FoundLoop, optimize: bool, largest_copy: Option<usize>) -> Facts {
    let blocks = match &found.form {
        Form::Range { .. } => &[],
        Form::Chunks(chunks) => &chunks.blocks[..],
    };
    let facts = Facts {
        chunked: !blocks.is_empty(),
        dealt: found.call.entry.dealt,
        ..of_blocks(function, blocks, false, optimize, largest_copy)
    };
    let mut instructions = blocks.iter().copied().flat_map(Block::instructions);
    if instructions.any(starts_loop) { Facts { obstacle: Some(Obstacle::OtherLoop), ..facts } } else { facts }
}

pub fn of_creation(function: Value, creation: &Creation, optimize: bool, largest_copy: Option<usize>) -> Facts {
    let way = creation.alloc.block().map(|first| creation.way(first)).unwrap_or_default();
    // What a test costs is measured in loops alone.
    of_blocks(function, &way, true, optimize, largest_copy.or(Some(MOST_COPIED)))
}

/// The facts about blocks of which a copy is wanted. Those that are left in one direction only may have values that are used after them.
fn of_blocks(function: Value, blocks: &[Block], one_way: bool, optimize: bool, largest_copy: Option<usize>) -> Facts {
    let blocks: Vec<_> = blocks.iter().map(|block| block.raw()).collect();
    let obstacle = if one_way { ffi::oc_way_obstacle } else { ffi::oc_clone_obstacle };
    // SAFETY: blocks of one function of the module.
    let (code, instructions) =
        unsafe { (obstacle(blocks.as_ptr(), blocks.len()), ffi::oc_instruction_count(blocks.as_ptr(), blocks.len())) };
    Facts {
        chunked: true,
        unoptimized: !optimize || has(function, "optnone"),
        for_size: has(function, "optsize") || has(function, "minsize"),
        counted: function.counts_lines(),
        obstacle: Obstacle::from_glue(code),
        instructions,
        dealt: false,
        largest_copy,
    }
}

/// Environment variable that says what copies of loops are emitted: `report` leaves away what runs them under another schedule, a
/// number is the largest loop that is duplicated; 0: no loop is duplicated. Both are separated by a comma.
///
/// Another value is as good as none: the compiler is no place to stop for it, and the remark of each loop says how it was treated.
const COPIES_VARIABLE: &str = "OMPCHUNK_COPIES";

pub fn deals() -> bool {
    copies().split(',').all(|word| word.trim() != "report")
}

pub fn largest_copy() -> Option<usize> {
    copies().split(',').find_map(|word| word.trim().parse().ok())
}

fn copies() -> String {
    std::env::var(COPIES_VARIABLE).unwrap_or_default()
}

fn has(function: Value, name: &str) -> bool {
    // SAFETY: `function` is a function; the name is `len` bytes long.
    unsafe {
        let kind = LLVMGetEnumAttributeKindForName(name.as_ptr().cast(), name.len());
        !LLVMGetEnumAttributeAtIndex(function.raw(), LLVMAttributeFunctionIndex, kind).is_null()
    }
}

/// How many arguments processors pass in registers on which a call can stand in place of its caller. (On others the caller stays.)
const IN_REGISTERS: [(&str, usize); 3] = [("x86_64", 6), ("aarch64", 8), ("riscv64", 8)];

/// The same for the one that is compiled for.
pub fn in_registers(triple: &CStr) -> Option<usize> {
    let processor = triple.to_bytes().split(|&byte| byte == b'-').next()?;
    IN_REGISTERS.iter().find(|known| known.0.as_bytes() == processor).map(|known| known.1)
}
