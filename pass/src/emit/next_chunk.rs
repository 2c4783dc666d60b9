//! Where a loop that runs under another schedule has run a chunk: the next one.

use std::mem::offset_of;

use inkwell::IntPredicate;
use inkwell::basic_block::BasicBlock;
use inkwell::types::{FunctionType, IntType};
use inkwell::values::{BasicMetadataValueEnum, FunctionValue, IntValue, PointerValue};
use ompchunk_abi::{ENTER_LISTENING, ENTER_STEPPED, ENTER_TIMED, Frame};

use super::code::{built, pointer};
use super::{Emitter, Slot};
use crate::find::Call;

/// What `__kmpc_dispatch_next_*` is given beside the thread's number.
#[derive(Clone, Copy)]
pub(super) struct Arguments<'ctx> {
    location: PointerValue<'ctx>,
    last: PointerValue<'ctx>,
    lower: PointerValue<'ctx>,
    upper: PointerValue<'ctx>,
    stride: PointerValue<'ctx>,
    bound: IntType<'ctx>,
}

/// Where it goes on.
#[derive(Clone, Copy)]
pub(super) struct Ways<'ctx> {
    /// With a chunk.
    pub(super) again: BasicBlock<'ctx>,
    /// Without, if the runtime dealt the loop: it does not call its fini.
    pub(super) over: BasicBlock<'ctx>,
    /// Without, if it is stepped.
    pub(super) not_dealt: BasicBlock<'ctx>,
}

impl<'ctx> Emitter<'ctx> {
    /// What is known of a loop's call.
    pub(super) fn arguments_of(&self, call: &Call) -> Option<Arguments<'ctx>> {
        Some(Arguments {
            location: pointer(call.instruction.operand(0)?),
            last: pointer(call.instruction.operand(3)?),
            lower: pointer(call.lower),
            upper: pointer(call.upper),
            stride: pointer(call.stride),
            bound: self.bound_type(call),
        })
    }

    /// Asks for the next chunk, whoever gives it.
    pub(super) fn next_chunk(
        &self,
        function: FunctionValue<'ctx>,
        slot: Slot<'ctx>,
        on: IntValue<'ctx>,
        of: Arguments<'ctx>,
        ways: Ways<'ctx>,
        thread_here: impl Fn(&Self) -> IntValue<'ctx>,
    ) {
        let blocks = [(); 6].map(|()| self.cold_block(function));
        let [steps, here, step, deals, timed, deal] = blocks;
        // A bit at a time: what two bits are compared with would be computed in executions that need neither.
        self.branch_if(self.has_bits(on, ENTER_STEPPED), steps, deals);

        self.at_end(steps);
        self.branch_if(self.has_bits(on, ENTER_LISTENING), step, here);
        self.at_end(here);
        self.step_here(function, slot, of, ways);

        // Two calls, for the same reason.
        let asks = |signature: FunctionType<'ctx>, given: &[BasicMetadataValueEnum<'ctx>]| {
            let next = self.load(self.ptr, self.field(slot.frame, offset_of!(Frame, next)));
            let there_is = self.call(signature, next.into_pointer_value(), given);
            let there_is = there_is.try_as_basic_value().unwrap_basic();
            self.non_zero(there_is.into_int_value())
        };
        self.at_end(step);
        let given = [slot.frame, of.lower, of.upper, of.stride].map(Into::into);
        let there_is = asks(self.steps_type(), &given);
        self.branch_if(there_is, ways.again, ways.not_dealt);

        self.at_end(deals);
        self.branch_if(self.has_bits(on, ENTER_TIMED), timed, deal);
        self.at_end(timed);
        let bookkeeping = offset_of!(Frame, bookkeeping);
        self.call_frame(slot, bookkeeping, self.frame_type(), &[]);
        self.branch(deal);

        self.at_end(deal);
        let thread = thread_here(self).into();
        let [location, last, lower, upper, stride] =
            [of.location, of.last, of.lower, of.upper, of.stride].map(Into::into);
        let given = [location, thread, last, lower, upper, stride];
        let there_is = asks(self.next_type(), &given);
        self.branch_if(there_is, ways.again, ways.over);
    }

    /// The next chunk of a loop that is stepped, as `stride::next` of the shim gives it, which has the reasons.
    fn step_here(&self, function: FunctionValue<'ctx>, slot: Slot<'ctx>, of: Arguments<'ctx>, ways: Ways<'ctx>) {
        let bound = of.bound;
        let load = |from| self.load(bound, from).into_int_value();
        let minus = |a, b| built(self.builder.build_int_sub(a, b, ""));
        let plus = |a, b| built(self.builder.build_int_add(a, b, ""));
        let compare = |predicate, a, b| built(self.builder.build_int_compare(predicate, a, b, ""));
        let (lower, stride) = (load(of.lower), load(of.stride));
        let last = load(self.field(slot.frame, offset_of!(Frame, size_then_last)));
        let rest = minus(last, lower);
        let before_next = minus(stride, bound.const_int(1, false));
        let more = self.cold_block(function);
        let is_last = compare(IntPredicate::ULE, rest, before_next);
        self.branch_if(is_last, ways.not_dealt, more);

        self.at_end(more);
        let length = minus(load(of.upper), lower);
        let (lower, rest) = (plus(lower, stride), minus(rest, stride));
        let is_short = compare(IntPredicate::ULT, rest, length);
        let length = built(self.builder.build_select(is_short, rest, length, ""));
        self.store(lower, of.lower);
        self.store(plus(lower, length.into_int_value()), of.upper);
        self.branch(ways.again);
    }

    pub(super) fn next_type(&self) -> FunctionType<'ctx> {
        let (ptr, i32) = (self.ptr.into(), self.i32.into());
        self.i32.fn_type(&[ptr, i32, ptr, ptr, ptr, ptr], false)
    }
}
