//! The C++ glue's functions; `glue/glue.h` documents them.

use inkwell::llvm_sys::LLVMIntPredicate;
use inkwell::llvm_sys::prelude::{LLVMBasicBlockRef, LLVMMetadataRef, LLVMModuleRef, LLVMTypeRef, LLVMValueRef};
use std::ffi::{CString, c_char, c_int, c_uint};

pub enum Analysis {}
pub enum Fills {}

pub const UNCHANGED: u32 = 0;
pub const CHANGED: u32 = 1;

pub const REORDERED: u32 = 1;
pub const FLOATING: u32 = 2;
pub const FUSIBLE: u32 = 4 | 8;

pub const ARGUMENT_READ: u32 = 1;
pub const ARGUMENT_RESULT: u32 = 2;

unsafe extern "C" {
    pub fn oc_analysis_new(function: LLVMValueRef) -> *mut Analysis;
    pub fn oc_analysis_free(analysis: *mut Analysis);
    pub fn oc_reachable(analysis: *const Analysis, block: LLVMBasicBlockRef) -> c_int;
    pub fn oc_dominates(analysis: *const Analysis, instruction: LLVMValueRef, user: LLVMValueRef) -> c_int;
    pub fn oc_loop_header(analysis: *const Analysis, block: LLVMBasicBlockRef) -> LLVMBasicBlockRef;
    pub fn oc_loop_contains(analysis: *const Analysis, header: LLVMBasicBlockRef, block: LLVMBasicBlockRef) -> c_int;
    pub fn oc_loop_blocks(
        analysis: *const Analysis,
        header: LLVMBasicBlockRef,
        out: *mut LLVMBasicBlockRef,
        capacity: usize,
    ) -> usize;
    pub fn oc_callee(value: LLVMValueRef) -> LLVMValueRef;
    pub fn oc_calls_out(value: LLVMValueRef) -> c_int;
    pub fn oc_returns_twice(instruction: LLVMValueRef) -> c_int;
    pub fn oc_switch_target(switch: LLVMValueRef, constant: i64) -> LLVMBasicBlockRef;
    pub fn oc_mirrored(predicate: LLVMIntPredicate) -> LLVMIntPredicate;
    pub fn oc_inverse(predicate: LLVMIntPredicate) -> LLVMIntPredicate;
    pub fn oc_predecessors(block: LLVMBasicBlockRef, out: *mut LLVMBasicBlockRef, capacity: usize) -> usize;

    pub fn oc_clone_obstacle(blocks: *const LLVMBasicBlockRef, count: usize) -> u32;
    pub fn oc_way_obstacle(blocks: *const LLVMBasicBlockRef, count: usize) -> u32;
    pub fn oc_instruction_count(blocks: *const LLVMBasicBlockRef, count: usize) -> usize;
    pub fn oc_clone(
        blocks: *const LLVMBasicBlockRef,
        count: usize,
        clones: *mut LLVMBasicBlockRef,
        watched: *mut LLVMValueRef,
        watched_count: usize,
    );

    pub fn oc_split_before(instruction: LLVMValueRef) -> LLVMBasicBlockRef;
    pub fn oc_split_edge(from: LLVMBasicBlockRef, to: LLVMBasicBlockRef) -> LLVMBasicBlockRef;
    pub fn oc_split_exit(from: LLVMBasicBlockRef, to: LLVMBasicBlockRef) -> LLVMBasicBlockRef;
    pub fn oc_named(module: LLVMModuleRef, name: *const c_char) -> LLVMValueRef;
    pub fn oc_must_tail(call: LLVMValueRef);
    pub fn oc_move_variable(variable: LLVMValueRef, frame: LLVMValueRef, offset: i64);
    pub fn oc_function_new(module: LLVMModuleRef, name: *const c_char, of_type: LLVMTypeRef) -> LLVMValueRef;
    pub fn oc_global_no_sanitize(global: LLVMValueRef);
    pub fn oc_global_keep(module: LLVMModuleRef, global: LLVMValueRef);
    pub fn oc_mark_nosanitize(instruction: LLVMValueRef);
    pub fn oc_branch_weights(branch: LLVMValueRef, taken: u32, otherwise: u32);
    pub fn oc_is_host_elf64(module: LLVMModuleRef) -> c_int;

    pub fn oc_lines_are_counted(function: LLVMValueRef) -> c_int;
    pub fn oc_uncounted_position(instruction: LLVMValueRef) -> LLVMMetadataRef;

    pub fn oc_numerics(instruction: LLVMValueRef) -> u32;
    pub fn oc_fuses(function: LLVMValueRef) -> c_int;
    pub fn oc_is_unsafe(function: LLVMValueRef) -> c_int;
    pub fn oc_vectorize_wanted(branch: LLVMValueRef) -> c_int;

    pub fn oc_names_thread_local(instruction: LLVMValueRef) -> c_int;
    pub fn oc_is_library_function(callee: LLVMValueRef, caller: LLVMValueRef) -> c_int;
    pub fn oc_body_is_what_runs(callee: LLVMValueRef) -> c_int;
    pub fn oc_is_local(callee: LLVMValueRef) -> c_int;
    pub fn oc_accesses_are_parallel(branch: LLVMValueRef) -> c_int;
    pub fn oc_offset(getelementptr: LLVMValueRef, offset: *mut i64) -> c_int;
    pub fn oc_size(access: LLVMValueRef) -> i64;
    pub fn oc_is_assembly_of_threads(call: LLVMValueRef) -> c_int;
    pub fn oc_argument(call: LLVMValueRef, index: c_uint) -> u32;

    pub fn oc_fills_new(function: LLVMValueRef, roots: *const LLVMValueRef, count: usize) -> *mut Fills;
    pub fn oc_fills_free(fills: *mut Fills);
    pub fn oc_fills_hold(
        fills: *mut Fills,
        root: usize,
        repeated: *const LLVMBasicBlockRef,
        count: usize,
        in_chunks: c_int,
    ) -> c_int;

    pub fn oc_remark(instruction: LLVMValueRef, passed: c_int, name: *const c_char, message: *const c_char);
    pub fn oc_warning(module: LLVMModuleRef, message: *const c_char);
    pub fn oc_error(module: LLVMModuleRef, message: *const c_char);
}

/// A text for the glue.
pub(crate) fn c_text(text: &str) -> CString {
    CString::new(text.replace('\0', " ")).unwrap_or_default()
}
