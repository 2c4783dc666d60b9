//! A loop under another schedule than the one it was compiled with.
//!
//! ```text
//!   where it asks:        if (on & DEALT) { __kmpc_dispatch_init(…, frame.schedule, first, last, 1, frame.size);
//!                                           bounds = none; goto behind the init call }
//!                         if (on & STEPPED) { frame.next = first; frame.last = last;
//!                                             __kmpc_for_static_init(…, frame.schedule, &bounds, 1, frame.size);
//!                                             if (!frame.chunk(frame, &bounds)) bounds = none;
//!                                             goto behind the init call }
//!   the loop:             runs what the bounds say; of a loop over chunks, one chunk
//!   before its fini:      if (on & (DEALT | STEPPED) && frame.next(…, &bounds)) goto behind the init call;
//!                         if (on & DEALT) { leave; goto behind the fini }
//! ```
//!
//! `frame.next` is the runtime's `__kmpc_dispatch_next_*`, so that it is called from the user's function, or the shim's for
//! loops that are stepped. A dealt loop goes through its end once before its first chunk, without an iteration: the only place
//! that asks for chunks then lies where everything is known that its end needs.

use std::mem::offset_of;

use inkwell::basic_block::BasicBlock;
use inkwell::types::{BasicMetadataTypeEnum, FunctionType};
use inkwell::values::{
    AsValueRef, BasicMetadataValueEnum, BasicValueEnum, CallSiteValue, FunctionValue, IntValue, PointerValue,
};
use ompchunk_abi::{ENTER_DEALT, ENTER_STEPPED, ENTER_TIMED, Frame};

use super::code::{argument, block, built, int, pointer};
use super::next_chunk::{Arguments, Ways};
use super::terms::{Dealt, Guard};
use super::{Edge, Emitter, Slot};
use crate::ffi;
use crate::find::change::Change;
use crate::find::{Call, FoundLoop};
use crate::llvm::{Block, Value};

/// What is needed to deal one loop.
#[derive(Clone, Copy)]
pub(super) struct Dealing<'ctx> {
    change: Change,
    /// From here it goes on where a chunk begins to run. Still without a terminator.
    pub(super) again: BasicBlock<'ctx>,
    /// Behind the call that starts the loop.
    pub(super) behind: BasicBlock<'ctx>,
    /// The loop's record.
    record: PointerValue<'ctx>,
}

/// Either way of running under another schedule.
const CHANGED: u32 = ENTER_DEALT | ENTER_STEPPED;

/// How a loop shall run instead.
#[derive(Clone, Copy)]
struct Order<'ctx> {
    first: IntValue<'ctx>,
    last: IntValue<'ctx>,
    schedule: BasicValueEnum<'ctx>,
    size: BasicValueEnum<'ctx>,
}

/// What a dealt execution does at a call of fini.
#[derive(Clone, Copy)]
pub(super) enum AtEnd<'ctx> {
    /// There is none.
    Leave,
    /// It was left before its last iteration, and skips the call.
    Skip,
    /// It asks for the next chunk.
    Again(Dealing<'ctx>, Arguments<'ctx>),
}

impl<'ctx> AtEnd<'ctx> {
    /// At `end`, which is one of the loop's.
    pub(super) fn of(
        emitter: &Emitter<'ctx>,
        dealing: Option<Dealing<'ctx>>,
        found: &FoundLoop,
        end: Value,
    ) -> AtEnd<'ctx> {
        let arguments = emitter.arguments_of(&found.call);
        let (Some(dealing), Some(arguments)) = (dealing, arguments) else {
            return AtEnd::Leave;
        };
        match dealing.change.end == Some(end) {
            true => AtEnd::Again(dealing, arguments),
            false => AtEnd::Skip,
        }
    }

    /// At an end that several loops have. The one that is asked at is no other loop's.
    pub(super) fn and(self, other: AtEnd<'ctx>) -> AtEnd<'ctx> {
        match (self, other) {
            (AtEnd::Leave, AtEnd::Leave) => AtEnd::Leave,
            _ => AtEnd::Skip,
        }
    }
}

/// What the runtime's functions for a loop's type are called.
pub(super) fn kind(call: &Call) -> &'static str {
    match (call.entry.bits, call.entry.signed) {
        (32, true) => "4",
        (32, false) => "4u",
        (_, true) => "8",
        (_, false) => "8u",
    }
}

impl<'ctx> Emitter<'ctx> {
    /// Makes a loop ready that can be dealt.
    pub(super) fn dealing(
        &self,
        function: FunctionValue<'ctx>,
        found: &FoundLoop,
        record: PointerValue<'ctx>,
    ) -> Option<Dealing<'ctx>> {
        let change = found.change.ok()?;
        let next = found.call.instruction.next()?;
        // SAFETY: an instruction of the module, whose block has a terminator.
        let behind = block(unsafe { ffi::oc_split_before(next.raw()) });
        Some(Dealing { change, again: self.cold_block(function), behind, record })
    }

    /// Where `enter` has answered: begins an execution under another schedule, or goes on.
    pub(super) fn begin_dealing(
        &self,
        function: FunctionValue<'ctx>,
        found: &FoundLoop,
        dealing: Dealing<'ctx>,
        slot: Slot<'ctx>,
        answer: IntValue<'ctx>,
        go_on: BasicBlock<'ctx>,
    ) {
        let deal = self.cold_block(function);
        let changed = match dealing.change.end {
            Some(_) => self.cold_block(function),
            None => deal,
        };
        let is_changed = self.has_bits(answer, CHANGED);
        self.branch_if(is_changed, changed, go_on);

        self.at_end(changed);
        let order = self.order(&found.call, dealing, slot);
        let none = self.cold_block(function);
        if dealing.change.end.is_some() {
            let ways = [deal, none, go_on];
            self.begin_stepping(function, (&found.call, dealing), slot, answer, order, ways);
            self.at_end(deal);
        }
        let next = self.call_init(&found.call, order);
        if dealing.change.end.is_some() {
            self.store(next, self.field(slot.frame, offset_of!(Frame, next)));
            let flag = pointer(argument(found.call.instruction, 3));
            let of_flag = self.field(slot.frame, offset_of!(Frame, size_then_last));
            self.store(flag, of_flag);
            self.branch(none);
            self.at_end(none);
            self.store_empty_range(&found.call, dealing.change, order.last);
        } else {
            // From here on it is a loop like any other that the runtime deals.
            let rest = self.i32.const_int((!ENTER_DEALT).into(), false);
            let rest = built(self.builder.build_and(answer, rest, ""));
            self.store(rest, slot.on);
            self.branch(none);
            self.at_end(none);
        }
        self.branch(dealing.again);
    }

    /// What the frame says, and the bounds of the whole loop.
    fn order(&self, call: &Call, dealing: Dealing<'ctx>, slot: Slot<'ctx>) -> Order<'ctx> {
        let bound = self.bound_type(call);
        let (first, last) = match dealing.change.end {
            Some(_) => (
                self.load(bound, pointer(call.lower)).into_int_value(),
                self.load(bound, pointer(call.upper)).into_int_value(),
            ),
            None => (int(argument(call.instruction, 3)), int(argument(call.instruction, 4))),
        };
        let of_frame = |offset| self.field(slot.frame, offset);
        let schedule = self.load(self.i32, of_frame(offset_of!(Frame, schedule)));
        let size = self.load(bound, of_frame(offset_of!(Frame, size_then_last)));
        Order { first, last, schedule, size }
    }

    /// Where a loop may be stepped: its first chunk, none, or as compiled if it has no iteration. Else it goes on to deal.
    fn begin_stepping(
        &self,
        function: FunctionValue<'ctx>,
        (call, dealing): (&Call, Dealing<'ctx>),
        slot: Slot<'ctx>,
        answer: IntValue<'ctx>,
        order: Order<'ctx>,
        [deal, none, go_on]: [BasicBlock<'ctx>; 3],
    ) {
        let (steps, step) = (self.cold_block(function), self.cold_block(function));
        let is_stepped = self.has_bits(answer, ENTER_STEPPED);
        self.branch_if(is_stepped, steps, deal);

        self.at_end(steps);
        let as_compiled = self.cold_block(function);
        let is_empty = self.is_empty(call, order.first, order.last);
        self.branch_if(is_empty, as_compiled, step);

        self.at_end(as_compiled);
        self.step_not(slot, answer);
        self.branch(go_on);

        self.at_end(step);
        let clause = (order.schedule, order.size);
        let there_is = self.begin_steps(call, slot, clause, (order.first, order.last));
        self.branch_if(there_is, dealing.again, none);
    }

    /// Has the runtime begin a loop whose chunks it deals. Gives its function for the next chunk.
    fn call_init(&self, call: &Call, order: Order<'ctx>) -> PointerValue<'ctx> {
        let (init, next) = self.entries(call);
        let arguments: [BasicMetadataValueEnum<'ctx>; 7] = [
            pointer(argument(call.instruction, 0)).into(),
            int(argument(call.instruction, 1)).into(),
            order.schedule.into(),
            order.first.into(),
            order.last.into(),
            self.bound_type(call).const_int(1, false).into(),
            order.size.into(),
        ];
        self.mark_call_done(self.call(self.init_type(call), init, &arguments));
        next
    }

    /// Bounds with which a dealt execution goes to its end without an iteration.
    fn store_empty_range(&self, call: &Call, change: Change, last: IntValue<'ctx>) {
        let bound = self.bound_type(call);
        let one = bound.const_int(1, false);
        let (lower, upper) = match change.empty_at_end {
            true => (built(self.builder.build_int_add(last, one, "")), last),
            false => (one, bound.const_zero()),
        };
        self.store(lower, pointer(call.lower));
        self.store(upper, pointer(call.upper));
    }

    /// A call that another run of the pass must not take for the user's.
    pub(super) fn mark_call_done(&self, call: CallSiteValue<'ctx>) {
        // SAFETY: a call just built.
        if let Some(call) = unsafe { Value::from_raw(call.as_value_ref()) } {
            self.mark_done(call);
        }
    }

    /// Where a loop over chunks steps to the next one: the bookkeeping for it begins, or of a dealt execution, it leaves the
    /// loop as after its last chunk. One test for both. Gives that way.
    pub(super) fn step_before(
        &self,
        function: FunctionValue<'ctx>,
        advance: Value,
        way_out: Block,
        slot: Slot<'ctx>,
        guard: Guard<'ctx>,
    ) -> Edge {
        let go_on = self.open_before(advance);
        let (unusual, timed) = (self.cold_block(function), self.cold_block(function));
        let dealt = match guard {
            Guard::Copy { dealt: Some(dealt), .. } => {
                self.branch_if(dealt.steps, unusual, go_on);
                dealt.is
            }
            _ => {
                let on = self.load(self.i32, slot.on).into_int_value();
                let dealt = self.dealt(on);
                self.branch_rarely_if(dealt.steps, unusual, go_on);
                dealt.is
            }
        };
        self.at_end(unusual);
        self.branch_if(dealt, block(way_out.raw()), timed);
        self.at_end(timed);
        self.call_frame(slot, offset_of!(Frame, bookkeeping), self.frame_type(), &[]);
        self.branch(go_on);
        match Block::new(unusual.as_mut_ptr()) {
            Some(unusual) => (unusual, way_out),
            None => panic!("a block that is none"),
        }
    }

    /// What the copy of a loop that may be dealt tests, computed once.
    pub(super) fn dealt(&self, on: IntValue<'ctx>) -> Dealt<'ctx> {
        Dealt {
            is: self.has_bits(on, CHANGED),
            // Is there something to do at the step to the next chunk?
            steps: self.has_bits(on, CHANGED | ENTER_TIMED),
        }
    }

    /// Where a loop has ended that somebody asked about: the next chunk of a dealt one, or its end. Goes on where it is
    /// not dealt. `loads` are what `end` needs, if they do not stand before.
    pub(super) fn end_dealing(
        &self,
        function: FunctionValue<'ctx>,
        end: Value,
        loads: &[Value],
        slot: Slot<'ctx>,
        at_end: AtEnd<'ctx>,
        after: Option<BasicBlock<'ctx>>,
    ) {
        let (AtEnd::Skip | AtEnd::Again(..), Some(after)) = (at_end, after) else {
            return;
        };
        let on = self.load(self.i32, slot.on).into_int_value();
        let (over, not_dealt) = (self.cold_block(function), self.cold_block(function));
        let loads: Vec<Value> = loads.iter().copied().filter(|&load| load != end).collect();
        let (location, thread) = (argument(end, 0), argument(end, 1));
        let thread_here = |emitter: &Self| {
            let copies = emitter.repeat(&loads);
            let copy = loads.iter().position(|&load| load == thread);
            // SAFETY: an integer of the module.
            copy.map_or(int(thread), |at| unsafe { IntValue::new(copies[at]) })
        };
        match at_end {
            AtEnd::Again(dealing, arguments) => {
                // What is left of a loop that ended in no known way is not taken for this one's.
                let is_own = self.cold_block(function);
                self.branch_if(self.has_bits(on, CHANGED), is_own, not_dealt);
                self.at_end(is_own);
                let more = self.cold_block(function);
                let same = self.is_of(slot, dealing.record);
                self.branch_if(same, more, not_dealt);

                self.at_end(more);
                let ways = Ways { again: dealing.again, over, not_dealt };
                self.next_chunk(function, slot, on, arguments, ways, thread_here);
            }
            AtEnd::Skip | AtEnd::Leave => {
                self.branch_if(self.has_bits(on, ENTER_DEALT), over, not_dealt);
            }
        }

        self.at_end(over);
        self.leave(slot);
        self.deinit(function, location, thread_here, after);
        self.at_end(not_dealt);
    }

    /// Tells a runtime that wants to know it that a dealt loop is over, and goes on at `after`.
    fn deinit(
        &self,
        function: FunctionValue<'ctx>,
        location: Value,
        thread_here: impl Fn(&Self) -> IntValue<'ctx>,
        after: BasicBlock<'ctx>,
    ) {
        let Some(deinit) = self.weak("__kmpc_dispatch_deinit") else {
            return self.branch(after);
        };
        let call = self.cold_block(function);
        let none = built(self.builder.build_is_null(deinit, ""));
        self.branch_if(none, after, call);
        self.at_end(call);
        let parameters = [self.ptr.into(), self.i32.into()];
        let signature = self.context.void_type().fn_type(&parameters, false);
        let thread = thread_here(self);
        self.call(signature, deinit, &[pointer(location).into(), thread.into()]);
        self.branch(after);
    }

    /// Is the frame of this loop?
    fn is_of(&self, slot: Slot<'ctx>, record: PointerValue<'ctx>) -> IntValue<'ctx> {
        let whose = self.load(self.ptr, self.field(slot.frame, offset_of!(Frame, the_loop)));
        let equal = inkwell::IntPredicate::EQ;
        let whose = whose.into_pointer_value();
        built(self.builder.build_int_compare(equal, whose, record, ""))
    }

    /// The block behind an end that a dealt execution skips.
    pub(super) fn after(&self, end: Value, at_end: AtEnd<'ctx>) -> Option<BasicBlock<'ctx>> {
        match at_end {
            AtEnd::Leave => None,
            // SAFETY: an instruction of the module, whose block has a terminator.
            _ => Some(block(unsafe { ffi::oc_split_before(end.next()?.raw()) })),
        }
    }

    /// The runtime's functions that begin a dealt loop and give its chunks.
    fn entries(&self, call: &Call) -> (PointerValue<'ctx>, PointerValue<'ctx>) {
        let kind = kind(call);
        (
            self.of_runtime(&format!("__kmpc_dispatch_init_{kind}"), self.init_type(call)),
            self.of_runtime(&format!("__kmpc_dispatch_next_{kind}"), self.next_type()),
        )
    }

    fn init_type(&self, call: &Call) -> FunctionType<'ctx> {
        let bound = self.bound_type(call);
        let parameters: [BasicMetadataTypeEnum<'ctx>; 7] =
            [self.ptr.into(), self.i32.into(), self.i32.into(), bound.into(), bound.into(), bound.into(), bound.into()];
        self.context.void_type().fn_type(&parameters, false)
    }

    pub(super) fn of_runtime(&self, name: &str, signature: FunctionType<'ctx>) -> PointerValue<'ctx> {
        let known = self.module.get_function(name);
        let function = known.unwrap_or_else(|| self.module.add_function(name, signature, None));
        function.as_global_value().as_pointer_value()
    }
}
