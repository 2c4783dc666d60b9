//! Small pieces of code: positions, loads, stores, calls, branches.
//!
//! Everything emitted into the user's functions carries `!nosanitize`: the frame is written by the
//! shim, which no sanitizer has seen.

use std::mem::offset_of;

use inkwell::IntPredicate;
use inkwell::attributes::{Attribute, AttributeLoc};
use inkwell::basic_block::BasicBlock;
use inkwell::builder::BuilderError;
use inkwell::llvm_sys::LLVMAtomicOrdering;
use inkwell::llvm_sys::core::{
    LLVMInsertIntoBuilder, LLVMInstructionClone, LLVMSetCurrentDebugLocation2, LLVMSetOperand, LLVMSetOrdering,
};
use inkwell::llvm_sys::debuginfo::LLVMInstructionSetDebugLoc;
use inkwell::llvm_sys::prelude::LLVMValueRef;
use inkwell::types::{BasicType, FunctionType};
use inkwell::values::{
    AsValueRef, BasicMetadataValueEnum, BasicValue, BasicValueEnum, CallSiteValue, FunctionValue, InstructionValue,
    IntValue, PointerValue,
};
use ompchunk_abi::{FRAME_ALIGN, FRAME_SIZE, Frame};

use crate::emit::Emitter;
use crate::ffi;
use crate::llvm::{Block, Value, blocks};

/// The builder fails only when it is not positioned, which is a mistake in this module.
pub(super) fn built<T>(result: Result<T, BuilderError>) -> T {
    match result {
        Ok(value) => value,
        Err(error) => panic!("cannot build an instruction: {error}"),
    }
}

impl<'ctx> Emitter<'ctx> {
    /// What is emitted from here on has the source position of `instruction`, but does not count as code of
    /// that line.
    pub(super) fn locate(&self, instruction: Value) {
        // SAFETY: an instruction of the module; a null location clears the builder's.
        unsafe {
            let location = ffi::oc_uncounted_position(instruction.raw());
            LLVMSetCurrentDebugLocation2(self.builder.as_mut_ptr(), location);
        }
    }

    /// Gives an instruction the position of what is being emitted.
    pub(super) fn relocate(&self, instruction: Value) {
        // SAFETY: an instruction of the module; the location is the builder's.
        unsafe {
            let location = inkwell::llvm_sys::core::LLVMGetCurrentDebugLocation2(self.builder.as_mut_ptr());
            LLVMInstructionSetDebugLoc(instruction.raw(), location);
        }
    }

    /// Positions before an instruction, keeping the source position.
    pub(super) fn before(&self, instruction: Value) {
        // SAFETY: an instruction of the module.
        let (place, location) = unsafe {
            (
                InstructionValue::new(instruction.raw()),
                inkwell::llvm_sys::core::LLVMGetCurrentDebugLocation2(self.builder.as_mut_ptr()),
            )
        };
        // LLVM takes over the source position of the instruction it is positioned at.
        self.builder.position_before(&place);
        // SAFETY: the location is the builder's own of a moment ago.
        unsafe { LLVMSetCurrentDebugLocation2(self.builder.as_mut_ptr(), location) }
    }

    pub(super) fn at_end(&self, block: BasicBlock<'ctx>) {
        self.builder.position_at_end(block);
    }

    /// A block at the end of the function, out of the way of what usually runs.
    pub(super) fn cold_block(&self, function: FunctionValue<'ctx>) -> BasicBlock<'ctx> {
        self.context.append_basic_block(function, "")
    }

    pub(super) fn load<T: BasicType<'ctx>>(&self, of: T, from: PointerValue<'ctx>) -> BasicValueEnum<'ctx> {
        let loaded = built(self.builder.build_load(of, from, ""));
        self.quiet(loaded.as_value_ref());
        loaded
    }

    pub(super) fn load_atomic<T: BasicType<'ctx>>(
        &self,
        of: T,
        from: PointerValue<'ctx>,
        alignment: u32,
        ordering: LLVMAtomicOrdering,
    ) -> BasicValueEnum<'ctx> {
        let loaded = self.load(of, from);
        let instruction = loaded.as_instruction_value();
        if let Some(instruction) = instruction {
            let _ = instruction.set_alignment(alignment);
            // SAFETY: a load just built.
            unsafe { LLVMSetOrdering(instruction.as_value_ref(), ordering) }
        }
        loaded
    }

    pub(super) fn store(&self, value: impl BasicValue<'ctx>, to: PointerValue<'ctx>) {
        let stored = built(self.builder.build_store(to, value));
        self.quiet(stored.as_value_ref());
    }

    /// Stores where a function begins: with a position, debuggers would take it for the end of the prologue and
    /// stop before the arguments are there.
    pub(super) fn store_first(&self, value: impl BasicValue<'ctx>, to: PointerValue<'ctx>) {
        let stored = built(self.builder.build_store(to, value));
        self.quiet(stored.as_value_ref());
        // SAFETY: a store just built; null is no position.
        unsafe { LLVMInstructionSetDebugLoc(stored.as_value_ref(), std::ptr::null_mut()) }
    }

    pub(super) fn call(
        &self,
        signature: FunctionType<'ctx>,
        callee: PointerValue<'ctx>,
        arguments: &[BasicMetadataValueEnum<'ctx>],
    ) -> CallSiteValue<'ctx> {
        let call = built(self.builder.build_indirect_call(signature, callee, arguments, ""));
        // The shim promises not to unwind; without this the outlined function, which clang marks
        // `nounwind`, would gain an exception table.
        call.add_attribute(AttributeLoc::Function, self.nounwind());
        self.quiet(call.as_value_ref());
        call
    }

    /// `answer & bits`
    pub(super) fn has_bits(&self, answer: IntValue<'ctx>, bits: u32) -> IntValue<'ctx> {
        let mask = self.i32.const_int(bits.into(), false);
        self.non_zero(built(self.builder.build_and(answer, mask, "")))
    }

    pub(super) fn nounwind(&self) -> Attribute {
        let nounwind = Attribute::get_named_enum_kind_id("nounwind");
        self.context.create_enum_attribute(nounwind, 0)
    }

    /// Keeps a call from being merged with another that does the same.
    pub(super) fn nomerge(&self) -> Attribute {
        let nomerge = Attribute::get_named_enum_kind_id("nomerge");
        self.context.create_enum_attribute(nomerge, 0)
    }

    /// The same once more: a call, which the optimizer shall not merge with the first, and what it needs.
    pub(super) fn repeat(&self, instructions: &[Value]) -> Vec<LLVMValueRef> {
        let mut copies: Vec<LLVMValueRef> = Vec::new();
        for &original in instructions {
            // SAFETY: an instruction of the module, positioned where all its operands are known or copied. A call
            // is asked to be one first.
            unsafe {
                let copy = LLVMInstructionClone(original.raw());
                LLVMInsertIntoBuilder(self.builder.as_mut_ptr(), copy);
                let operands = (0..).map_while(|at| Some((at, original.operand(at)?)));
                for (at, operand) in operands {
                    if let Some(index) = instructions.iter().position(|each| *each == operand) {
                        LLVMSetOperand(copy, at, copies[index]);
                    }
                }
                copies.push(copy);
                if original.is_call() {
                    CallSiteValue::new(copy).add_attribute(AttributeLoc::Function, self.nomerge());
                }
            }
        }
        copies
    }

    /// `pointer + offset` in bytes.
    pub(super) fn field(&self, pointer: PointerValue<'ctx>, offset: usize) -> PointerValue<'ctx> {
        if offset == 0 {
            return pointer;
        }
        let offset = self.i64.const_int(offset as u64, false);
        // SAFETY: callers stay within the frame or record that `pointer` addresses.
        built(unsafe { self.builder.build_in_bounds_gep(self.context.i8_type(), pointer, &[offset], "") })
    }

    pub(super) fn non_zero(&self, value: IntValue<'ctx>) -> IntValue<'ctx> {
        let zero = value.get_type().const_zero();
        built(self.builder.build_int_compare(IntPredicate::NE, value, zero, ""))
    }

    pub(super) fn branch(&self, to: BasicBlock<'ctx>) {
        built(self.builder.build_unconditional_branch(to));
    }

    pub(super) fn branch_if(&self, condition: IntValue<'ctx>, then: BasicBlock<'ctx>, otherwise: BasicBlock<'ctx>) {
        built(self.builder.build_conditional_branch(condition, then, otherwise));
    }

    /// A branch whose first target hardly ever runs.
    pub(super) fn branch_rarely_if(
        &self,
        condition: IntValue<'ctx>,
        then: BasicBlock<'ctx>,
        otherwise: BasicBlock<'ctx>,
    ) {
        self.weighted_branch(condition, then, otherwise, 1, (1 << 20) - 1);
    }

    /// A branch into code that should be laid out behind the other, yet optimized as well: what a
    /// tool measures there must be what runs without it, and the inliner gives up on call sites
    /// below 2 % of their function's frequency.
    pub(super) fn branch_seldom_if(
        &self,
        condition: IntValue<'ctx>,
        then: BasicBlock<'ctx>,
        otherwise: BasicBlock<'ctx>,
    ) {
        self.weighted_branch(condition, then, otherwise, 1, 7);
    }

    fn weighted_branch(
        &self,
        condition: IntValue<'ctx>,
        then: BasicBlock<'ctx>,
        otherwise: BasicBlock<'ctx>,
        taken: u32,
        not_taken: u32,
    ) {
        let branch = built(self.builder.build_conditional_branch(condition, then, otherwise));
        // SAFETY: a conditional branch just built.
        unsafe { ffi::oc_branch_weights(branch.as_value_ref(), taken, not_taken) }
    }

    /// Splits before `instruction` and hands the builder the end of the first half, its branch
    /// removed. Returns the second half.
    pub(super) fn open_before(&self, instruction: Value) -> BasicBlock<'ctx> {
        // SAFETY: an instruction of the module, whose block has a terminator.
        let second = unsafe { ffi::oc_split_before(instruction.raw()) };
        let first =
            Block::new(second).and_then(|second| second.predecessors().first().copied()).and_then(Block::terminator);
        if let Some(terminator) = first {
            self.replace(terminator);
        }
        block(second)
    }

    /// Positions where `terminator` is and removes it.
    pub(super) fn replace(&self, terminator: Value) {
        let owner = terminator.block().map(|owner| block(owner.raw()));
        // SAFETY: a terminator of the module; nothing refers to it.
        unsafe { InstructionValue::new(terminator.raw()) }.erase_from_basic_block();
        if let Some(owner) = owner {
            self.at_end(owner);
        }
    }

    /// Keeps sanitizers away from an instruction.
    pub(super) fn quiet(&self, value: LLVMValueRef) {
        // SAFETY: an instruction just built, or a constant that folding gave instead of one.
        unsafe {
            if Value::from_raw(value).is_some_and(Value::is_instruction) {
                ffi::oc_mark_nosanitize(value);
            }
        }
    }
}

/// inkwell's handle for a block.
pub(super) fn block<'ctx>(raw: inkwell::llvm_sys::prelude::LLVMBasicBlockRef) -> BasicBlock<'ctx> {
    // SAFETY: callers pass blocks of the module.
    match unsafe { BasicBlock::new(raw) } {
        Some(block) => block,
        None => panic!("LLVM returned no block"),
    }
}

/// inkwell's handle for an integer.
pub(super) fn int<'ctx>(value: Value) -> IntValue<'ctx> {
    // SAFETY: callers pass integers of the module.
    unsafe { IntValue::new(value.raw()) }
}

/// inkwell's handle for a pointer.
pub(super) fn pointer<'ctx>(value: Value) -> PointerValue<'ctx> {
    // SAFETY: callers pass pointers of the module.
    unsafe { PointerValue::new(value.raw()) }
}

/// What a call of the runtime is given.
pub(super) fn argument(call: Value, number: u32) -> Value {
    match call.operand(number) {
        Some(operand) => operand,
        None => panic!("a call without its arguments"),
    }
}

// Where an execution of a loop keeps whether it reports, and to whom: its frame.

impl<'ctx> Emitter<'ctx> {
    /// Room for one execution, in the entry block: an `alloca` elsewhere would grow the stack each
    /// time the loop runs.
    pub(super) fn new_frame(&self, function: FunctionValue<'ctx>) -> PointerValue<'ctx> {
        let raw = Value::from(function);
        let first_code =
            blocks(raw).next().into_iter().flat_map(Block::instructions).find(|instruction| !instruction.is_alloca());
        let Some(first_code) = first_code else { panic!("a function without a terminator") };
        self.before(first_code);
        let bytes = self.context.i8_type().array_type(FRAME_SIZE as u32);
        let frame = built(self.builder.build_alloca(bytes, ""));
        if let Some(alloca) = frame.as_instruction_value() {
            let _ = alloca.set_alignment(FRAME_ALIGN as u32);
        }
        self.store_first(self.i32.const_zero(), frame);
        frame
    }

    /// What the frame says of the execution; 0 outside an instrumented one.
    pub(super) fn on(&self, frame: PointerValue<'ctx>) -> IntValue<'ctx> {
        const { assert!(offset_of!(Frame, on) == 0) };
        self.load(self.i32, frame).into_int_value()
    }

    /// Calls an entry point of the frame with the frame and `arguments`.
    pub(super) fn call_frame(
        &self,
        frame: PointerValue<'ctx>,
        offset: usize,
        signature: FunctionType<'ctx>,
        arguments: &[BasicMetadataValueEnum<'ctx>],
    ) -> CallSiteValue<'ctx> {
        let callee = self.load(self.ptr, self.field(frame, offset)).into_pointer_value();
        self.call(signature, callee, &[&[frame.into()], arguments].concat())
    }
}
