//! Where an execution of a loop keeps whether it reports, and to whom: its frame.

use std::mem::offset_of;

use inkwell::types::FunctionType;
use inkwell::values::{BasicMetadataValueEnum, BasicValue, CallSiteValue, FunctionValue, IntValue, PointerValue};
use ompchunk_abi::{FRAME_ALIGN, FRAME_SIZE, Frame};

use super::Emitter;
use super::code::built;
use crate::llvm::{Block, Value, blocks};

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
