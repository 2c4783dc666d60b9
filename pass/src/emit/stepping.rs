//! A loop under another static schedule than the one it was compiled with: where it begins. `dealing` has the rest.

use std::mem::offset_of;

use inkwell::IntPredicate;
use inkwell::types::FunctionType;
use inkwell::values::{BasicMetadataValueEnum, BasicValueEnum, IntValue};
use ompchunk_abi::{ENTER_STEPPED, Frame};

use super::code::{argument, built, int, pointer};
use super::dealing::kind;
use super::{Emitter, Slot};
use crate::find::Call;

impl<'ctx> Emitter<'ctx> {
    /// Are there no iterations? As many as there are numbers count as none, since that is how canonical loops have none.
    pub(super) fn is_empty(&self, call: &Call, first: IntValue<'ctx>, last: IntValue<'ctx>) -> IntValue<'ctx> {
        let less = match call.entry.signed {
            true => IntPredicate::SLT,
            false => IntPredicate::ULT,
        };
        let all = self.bound_type(call).const_all_ones();
        let (compare, distance) = (
            |predicate, a, b| built(self.builder.build_int_compare(predicate, a, b, "")),
            built(self.builder.build_int_sub(last, first, "")),
        );
        let is_less = compare(less, last, first);
        let is_all = compare(IntPredicate::EQ, distance, all);
        built(self.builder.build_or(is_less, is_all, ""))
    }

    /// Runs the loop as it was compiled, since it has no iterations: runtimes divide by the number of chunks.
    pub(super) fn step_not(&self, slot: Slot<'ctx>, answer: IntValue<'ctx>) {
        let of_frame = |offset| self.field(slot.frame, offset);
        let chunk = self.load(self.ptr, of_frame(offset_of!(Frame, next)));
        self.store(chunk, of_frame(offset_of!(Frame, chunk)));
        let rest = self.i32.const_int((!ENTER_STEPPED).into(), false);
        self.store(built(self.builder.build_and(answer, rest, "")), slot.on);
    }

    /// Has the runtime divide a loop under another static schedule. Gives whether the thread has a chunk.
    pub(super) fn begin_steps(
        &self,
        call: &Call,
        slot: Slot<'ctx>,
        (schedule, size): (BasicValueEnum<'ctx>, BasicValueEnum<'ctx>),
        (first, last): (IntValue<'ctx>, IntValue<'ctx>),
    ) -> IntValue<'ctx> {
        let given = |number| argument(call.instruction, number);
        // Not kept across the call, for which all executions would save registers.
        let of_frame = |offset| self.field(slot.frame, offset);
        self.store(self.wide(call, first), of_frame(offset_of!(Frame, next)));
        let last_at = of_frame(offset_of!(Frame, size_then_last));
        self.store(self.wide(call, last), last_at);

        let bounds = [call.lower, call.upper, call.stride].map(pointer);
        let [lower, upper, stride] = bounds.map(BasicMetadataValueEnum::from);
        let one = self.bound_type(call).const_int(1, false);
        let (ptr, i32) = (self.ptr.into(), self.i32.into());
        let bound = self.bound_type(call).into();
        let parameters = [ptr, i32, i32, ptr, ptr, ptr, ptr, bound, bound];
        let signature = self.context.void_type().fn_type(&parameters, false);
        let name = format!("__kmpc_for_static_init_{}", kind(call));
        let arguments = [
            pointer(given(0)).into(),
            int(given(1)).into(),
            schedule.into(),
            pointer(given(3)).into(),
            lower,
            upper,
            stride,
            one.into(),
            size.into(),
        ];
        let start = self.of_runtime(&name, signature);
        self.mark_call_done(self.call(signature, start, &arguments));

        let begin = self.load(self.ptr, of_frame(offset_of!(Frame, chunk)));
        let arguments = [slot.frame.into(), lower, upper, stride];
        let there_is = self.call(self.steps_type(), begin.into_pointer_value(), &arguments);
        let there_is = there_is.try_as_basic_value().unwrap_basic();
        self.non_zero(there_is.into_int_value())
    }
    /// `StepsFn`
    pub(super) fn steps_type(&self) -> FunctionType<'ctx> {
        let ptr = self.ptr.into();
        self.i32.fn_type(&[ptr, ptr, ptr, ptr], false)
    }
}
