//! Steps that every rewriting is made of: places, loads, stores, calls, branches.
//!
//! What is emitted into user's functions carries `!nosanitize`: no sanitizer saw the shim, which writes the frame.

use std::mem::offset_of;

use inkwell::IntPredicate;
use inkwell::attributes::{Attribute, AttributeLoc};
use inkwell::basic_block::BasicBlock;
use inkwell::builder::BuilderError;
use inkwell::llvm_sys::LLVMAtomicOrdering;
use inkwell::llvm_sys::core::{LLVMGetCurrentDebugLocation2, LLVMSetCurrentDebugLocation2, LLVMSetOrdering};
use inkwell::llvm_sys::debuginfo::LLVMInstructionSetDebugLoc;
use inkwell::llvm_sys::prelude::{LLVMMetadataRef, LLVMValueRef};
use inkwell::types::{BasicMetadataTypeEnum, BasicType, BasicTypeEnum};
use inkwell::values::{
    AsValueRef, BasicMetadataValueEnum, BasicValue, BasicValueEnum, CallSiteValue, FunctionValue, InstructionValue,
    IntValue, PointerValue,
};
use ompchunk_abi::{FRAME_ALIGN, FRAME_SIZE, Frame};

use crate::emit::Emitter;
use crate::ffi;
use crate::llvm::typed::block;
use crate::llvm::{Block, Value, instructions};

/// The builder fails only when it is not positioned, which is a mistake in this module.
pub fn built<T>(result: Result<T, BuilderError>) -> T {
    match result {
        Ok(value) => value,
        Err(error) => panic!("cannot build an instruction: {error}"),
    }
}

/// How often a branch goes to its first target.
#[derive(Clone, Copy)]
pub enum Taken {
    Rarely,
    /// To code that should be laid out behind the other, yet optimized as well: what a tool measures there must be what runs
    /// without it, and the inliner gives up on call sites below 2 % of their function's frequency.
    Seldom,
    /// To code that should be laid out right behind, where jumps are short.
    Next,
    Perhaps,
}

impl<'ctx> Emitter<'ctx> {
    /// What is emitted from here on has the position of `instruction`, but does not count as code of its line.
    pub fn locate(&self, instruction: Value) {
        // SAFETY: an instruction of the module.
        self.set_position(unsafe { ffi::oc_uncounted_position(instruction.raw()) });
    }

    fn position(&self) -> LLVMMetadataRef {
        // SAFETY: the builder is alive.
        unsafe { LLVMGetCurrentDebugLocation2(self.builder.as_mut_ptr()) }
    }

    fn set_position(&self, position: LLVMMetadataRef) {
        // SAFETY: a location of the module's context; null clears the builder's.
        unsafe { LLVMSetCurrentDebugLocation2(self.builder.as_mut_ptr(), position) }
    }

    pub fn relocate(&self, instruction: Value) {
        // SAFETY: an instruction of the module; the location is the builder's.
        unsafe { LLVMInstructionSetDebugLoc(instruction.raw(), self.position()) }
    }

    pub fn before(&self, instruction: Value) {
        let position = self.position();
        // LLVM takes over the source position of the instruction it is positioned at.
        // SAFETY: an instruction of the module.
        self.builder.position_before(&unsafe { InstructionValue::new(instruction.raw()) });
        self.set_position(position);
    }

    pub fn at_end(&self, block: BasicBlock<'ctx>) {
        self.builder.position_at_end(block);
    }

    /// A block at the end of the function, out of the way of what usually runs.
    pub fn cold_block(&self) -> BasicBlock<'ctx> {
        self.context.append_basic_block(self.function(), "")
    }

    pub fn function(&self) -> FunctionValue<'ctx> {
        self.function.expect("a block of no function")
    }

    pub fn load<T: BasicType<'ctx>>(&self, of: T, from: PointerValue<'ctx>) -> BasicValueEnum<'ctx> {
        let loaded = built(self.builder.build_load(of, from, ""));
        self.quiet(loaded.as_value_ref());
        loaded
    }

    pub fn load_int(&self, of: impl BasicType<'ctx>, from: PointerValue<'ctx>) -> IntValue<'ctx> {
        self.load(of, from).into_int_value()
    }

    pub fn load_atomic<T: BasicType<'ctx>>(
        &self,
        of: T,
        from: PointerValue<'ctx>,
        ordering: LLVMAtomicOrdering,
    ) -> BasicValueEnum<'ctx> {
        let loaded = self.load(of, from);
        // SAFETY: a load just built.
        unsafe { LLVMSetOrdering(loaded.as_value_ref(), ordering) }
        loaded
    }

    /// A pointer that another thread may put there meanwhile, with what is behind it.
    pub fn load_acquired(&self, from: PointerValue<'ctx>) -> PointerValue<'ctx> {
        self.load_atomic(self.ptr, from, LLVMAtomicOrdering::LLVMAtomicOrderingAcquire).into_pointer_value()
    }

    pub fn store(&self, value: impl BasicValue<'ctx>, to: PointerValue<'ctx>) -> InstructionValue<'ctx> {
        let stored = built(self.builder.build_store(to, value));
        self.quiet(stored.as_value_ref());
        stored
    }

    pub fn call(
        &self,
        returned: Option<BasicTypeEnum<'ctx>>,
        callee: PointerValue<'ctx>,
        arguments: &[BasicValueEnum<'ctx>],
    ) -> CallSiteValue<'ctx> {
        let types: Vec<BasicMetadataTypeEnum<'ctx>> = arguments.iter().map(|each| each.get_type().into()).collect();
        let signature = match returned {
            Some(returned) => returned.fn_type(&types, false),
            None => self.context.void_type().fn_type(&types, false),
        };
        let arguments: Vec<BasicMetadataValueEnum<'ctx>> = arguments.iter().map(|&each| each.into()).collect();
        let call = built(self.builder.build_indirect_call(signature, callee, &arguments, ""));
        // The shim does not unwind; without this a `nounwind` outlined function would gain an exception table.
        call.add_attribute(AttributeLoc::Function, self.attribute("nounwind"));
        self.quiet(call.as_value_ref());
        call
    }

    pub fn call_for(
        &self,
        returned: impl BasicType<'ctx>,
        callee: PointerValue<'ctx>,
        arguments: &[BasicValueEnum<'ctx>],
    ) -> BasicValueEnum<'ctx> {
        let call = self.call(Some(returned.as_basic_type_enum()), callee, arguments);
        call.try_as_basic_value().unwrap_basic()
    }

    pub fn attribute(&self, name: &str) -> Attribute {
        self.context.create_enum_attribute(Attribute::get_named_enum_kind_id(name), 0)
    }

    pub fn number(&self, number: u32) -> IntValue<'ctx> {
        self.i32.const_int(number.into(), false)
    }

    /// With its sign to 64 bits.
    pub fn extended(&self, value: IntValue<'ctx>) -> IntValue<'ctx> {
        built(self.builder.build_int_s_extend_or_bit_cast(value, self.i64, ""))
    }

    pub fn has_bits(&self, answer: IntValue<'ctx>, bits: u32) -> IntValue<'ctx> {
        self.non_zero(built(self.builder.build_and(answer, self.number(bits), "")))
    }

    /// `pointer + offset` in bytes.
    pub fn field(&self, pointer: PointerValue<'ctx>, offset: usize) -> PointerValue<'ctx> {
        if offset == 0 {
            return pointer;
        }
        let offset = self.i64.const_int(offset as u64, false);
        // SAFETY: callers stay within the frame or record that `pointer` addresses.
        built(unsafe { self.builder.build_in_bounds_gep(self.context.i8_type(), pointer, &[offset], "") })
    }

    /// `pointer + distance` in bytes, to something else than `pointer` addresses.
    pub fn beyond(&self, pointer: PointerValue<'ctx>, distance: IntValue<'ctx>) -> PointerValue<'ctx> {
        // SAFETY: callers know what is there.
        built(unsafe { self.builder.build_gep(self.context.i8_type(), pointer, &[distance], "") })
    }

    pub fn compare(&self, how: IntPredicate, left: IntValue<'ctx>, right: IntValue<'ctx>) -> IntValue<'ctx> {
        built(self.builder.build_int_compare(how, left, right, ""))
    }

    pub fn non_zero(&self, value: IntValue<'ctx>) -> IntValue<'ctx> {
        self.compare(IntPredicate::NE, value, value.get_type().const_zero())
    }

    pub fn is_null(&self, pointer: PointerValue<'ctx>) -> IntValue<'ctx> {
        built(self.builder.build_is_null(pointer, ""))
    }

    pub fn branch(&self, to: BasicBlock<'ctx>) {
        built(self.builder.build_unconditional_branch(to));
    }

    pub fn branch_if(
        &self,
        taken: Taken,
        condition: IntValue<'ctx>,
        then: BasicBlock<'ctx>,
        otherwise: BasicBlock<'ctx>,
    ) {
        let branch = built(self.builder.build_conditional_branch(condition, then, otherwise));
        let (then, otherwise) = match taken {
            Taken::Rarely => (1, (1 << 20) - 1),
            Taken::Seldom => (1, 7),
            Taken::Next => (3, 2),
            Taken::Perhaps => return,
        };
        // SAFETY: a conditional branch just built.
        unsafe { ffi::oc_branch_weights(branch.as_value_ref(), then, otherwise) }
    }

    pub fn if_before(
        &self,
        instruction: Value,
        taken: Taken,
        condition: impl FnOnce() -> IntValue<'ctx>,
        then: impl FnOnce(BasicBlock<'ctx>),
    ) {
        let go_on = self.open_before(instruction);
        let aside = self.cold_block();
        self.branch_if(taken, condition(), aside, go_on);
        self.at_end(aside);
        then(go_on);
        self.branch(go_on);
    }

    /// Splits before `instruction`; the builder is at the first half's end, without its branch. Gives the second.
    pub fn open_before(&self, instruction: Value) -> BasicBlock<'ctx> {
        let first = instruction.block();
        let second = split_before(instruction);
        if let Some(terminator) = first.and_then(Block::terminator) {
            self.replace(terminator);
        }
        second
    }

    /// Removes it, and positions the builder where it was.
    pub fn replace(&self, terminator: Value) {
        let owner = terminator.block().map(|owner| block(owner.raw()));
        // SAFETY: a terminator of the module; nothing refers to it.
        unsafe { InstructionValue::new(terminator.raw()) }.erase_from_basic_block();
        if let Some(owner) = owner {
            self.at_end(owner);
        }
    }

    pub fn quiet(&self, value: LLVMValueRef) {
        // SAFETY: an instruction just built, or a constant that folding gave instead of one.
        unsafe {
            if Value::from_raw(value).is_some_and(Value::is_instruction) {
                ffi::oc_mark_nosanitize(value);
            }
        }
    }

    /// In the entry block: an `alloca` elsewhere would grow the stack each time the loop runs.
    pub fn new_frame(&self, function: Value) -> PointerValue<'ctx> {
        let first_code = instructions(function).find(|instruction| !instruction.is_alloca());
        self.before(first_code.expect("a function without a terminator"));
        let bytes = self.context.i8_type().array_type(FRAME_SIZE as u32);
        let frame = built(self.builder.build_alloca(bytes, ""));
        let _ = frame.as_instruction_value().map(|alloca| alloca.set_alignment(FRAME_ALIGN as u32));
        let stored = self.clear(frame);
        // With a position, debuggers would take it for the end of the prologue and stop before the arguments are there.
        // SAFETY: a store just built; null is no position.
        unsafe { LLVMInstructionSetDebugLoc(stored.as_value_ref(), std::ptr::null_mut()) }
        frame
    }

    /// What the frame says of the execution; outside an instrumented one neither of its bits.
    pub fn on(&self, frame: PointerValue<'ctx>) -> IntValue<'ctx> {
        self.load_int(self.i32, self.field(frame, offset_of!(Frame, on)))
    }

    /// `is_lent`: another variable stands there, too, which is 0 or 1.
    pub fn is_on(&self, frame: PointerValue<'ctx>, is_lent: bool) -> IntValue<'ctx> {
        self.compare(IntPredicate::UGT, self.on(frame), self.number(is_lent.into()))
    }

    /// Whatever an execution left there that control left on no known way.
    pub fn clear(&self, frame: PointerValue<'ctx>) -> InstructionValue<'ctx> {
        self.store(self.number(0), self.field(frame, offset_of!(Frame, on)))
    }

    pub fn call_frame(
        &self,
        frame: PointerValue<'ctx>,
        offset: usize,
        arguments: &[BasicValueEnum<'ctx>],
    ) -> CallSiteValue<'ctx> {
        let callee = self.load(self.ptr, self.field(frame, offset)).into_pointer_value();
        self.call(None, callee, &[&[frame.into()], arguments].concat())
    }
}

pub fn split_before<'ctx>(instruction: Value) -> BasicBlock<'ctx> {
    // SAFETY: an instruction of the module, whose block has a terminator.
    block(unsafe { ffi::oc_split_before(instruction.raw()) })
}
