//! Reads from the IR what the plan is made of.

use inkwell::llvm_sys::LLVMAttributeFunctionIndex;
use inkwell::llvm_sys::core::{LLVMGetEnumAttributeAtIndex, LLVMGetEnumAttributeKindForName};

use crate::ffi;
use crate::find::task::Creation;
use crate::find::{Form, FoundLoop, entry_of};
use crate::llvm::{Block, Value, counts_lines};
use crate::plan::{Facts, LARGEST_COPY, Obstacle};

/// The facts about one loop.
pub fn gather(function: Value, found: &FoundLoop, optimize: bool, largest_copy: usize) -> Facts {
    let (obstacle, instructions) = match &found.form {
        Form::Range { .. } => (None, 0),
        Form::Chunks(chunks) => {
            let blocks: Vec<_> = chunks.blocks.iter().map(|block| block.raw()).collect();
            // SAFETY: blocks of one function of the module.
            let (code, count) = unsafe {
                (
                    ffi::oc_clone_obstacle(blocks.as_ptr(), blocks.len()),
                    ffi::oc_instruction_count(blocks.as_ptr(), blocks.len()),
                )
            };
            let other_loop = chunks
                .blocks
                .iter()
                .copied()
                .flat_map(Block::instructions)
                .any(|instruction| entry_of(instruction).is_some());
            let obstacle = if other_loop { Some(Obstacle::OtherLoop) } else { Obstacle::from_glue(code) };
            (obstacle, count)
        }
    };
    Facts {
        chunked: matches!(found.form, Form::Chunks(_)),
        unoptimized: !optimize || has(function, "optnone"),
        for_size: has(function, "optsize") || has(function, "minsize"),
        counted: counts_lines(function),
        obstacle,
        instructions,
        largest_copy,
    }
}

/// The facts about the code from the allocation of a task to its start.
pub fn of_creation(function: Value, creation: &Creation, optimize: bool, largest_copy: usize) -> Facts {
    let first = creation.alloc.block();
    let blocks: Vec<_> =
        first.map(|first| creation.way(first)).unwrap_or_default().iter().map(|block| block.raw()).collect();
    // SAFETY: blocks of one function of the module.
    let (code, instructions) = unsafe {
        (ffi::oc_way_obstacle(blocks.as_ptr(), blocks.len()), ffi::oc_instruction_count(blocks.as_ptr(), blocks.len()))
    };
    Facts {
        chunked: false,
        unoptimized: !optimize || has(function, "optnone"),
        counted: counts_lines(function),
        for_size: has(function, "optsize") || has(function, "minsize"),
        obstacle: Obstacle::from_glue(code),
        instructions,
        largest_copy,
    }
}

/// Environment variable that says what copies of loops are emitted: `report` leaves away what runs them under another schedule, a
/// number replaces [`LARGEST_COPY`]; 0: no loop is duplicated. Both are separated by a comma.
///
/// Another value is as good as none: the compiler is no place to stop for it, and the remark of each loop says how it was treated.
const COPIES_VARIABLE: &str = "OMPCHUNK_COPIES";

/// Whether loops shall be able to run under another schedule.
pub fn deals() -> bool {
    copies().split(',').all(|word| word.trim() != "report")
}

/// What the user wants, once per module.
pub fn largest_copy() -> usize {
    copies().split(',').find_map(|word| word.trim().parse().ok()).unwrap_or(LARGEST_COPY)
}

fn copies() -> String {
    std::env::var(COPIES_VARIABLE).unwrap_or_default()
}

/// Has the function this attribute?
fn has(function: Value, name: &str) -> bool {
    // SAFETY: `function` is a function; the name is `len` bytes long.
    unsafe {
        let kind = LLVMGetEnumAttributeKindForName(name.as_ptr().cast(), name.len());
        !LLVMGetEnumAttributeAtIndex(function.raw(), LLVMAttributeFunctionIndex, kind).is_null()
    }
}
