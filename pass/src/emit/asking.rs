//! Where code asks whether somebody listens, and how a loop begins that somebody asked about.
//!
//! ```text
//!   before the init call:   if (*module.state & LOOPS && (start = begin(frame, loop, …))) {
//!                             start(frame)   or a copy of the init call
//!                             frame.ready(frame)
//!                             goto behind the init call
//!                           }
//! ```

use std::mem::offset_of;

use inkwell::IntPredicate;
use inkwell::basic_block::BasicBlock;
use inkwell::llvm_sys::core::LLVMSetOperand;
use inkwell::types::BasicMetadataTypeEnum;
use inkwell::values::{AsValueRef, BasicMetadataValueEnum, BasicValueEnum, FunctionValue, IntValue, PointerValue};
use ompchunk_abi::{Frame, RUNS_MORE, START_ROOM};

use crate::emit::Emitter;
use crate::emit::code::{argument, block, built, int, pointer};
use crate::emit::emitter::{OF_LOOPS, Piece};
use crate::ffi;
use crate::find::{Chunk, Form, FoundLoop};
use crate::llvm::{Block, Value, counts_lines};
use crate::plan::Plan;

/// How a loop goes on that somebody asked about.
#[derive(Clone, Copy)]
pub(super) struct Begun<'ctx> {
    /// Where its bounds are ready to be run. Still without a terminator.
    pub(super) end: BasicBlock<'ctx>,
    /// Behind the call that starts the loop.
    pub(super) behind: BasicBlock<'ctx>,
}

/// Where the program puts what the record may not know: the user's start and step, and the chunk size, each extended to 64 bits.
const PASSED_AT: [usize; 3] = [offset_of!(Frame, next), offset_of!(Frame, ident), offset_of!(Frame, size_then_last)];

/// Are the variables known that a loop is divided by, so that the shim reports its only chunk, and may change them?
pub(super) fn tells_bounds(found: &FoundLoop) -> bool {
    let is_range = || {
        let in_variables = matches!(found.form.chunk(), Chunk::Variables { .. } | Chunk::Counted { .. });
        matches!(found.form, Form::Range { .. }) && in_variables
    };
    !found.call.entry.dealt && found.call.earlier.is_none() && (found.change.is_ok() || is_range())
}

impl<'ctx> Emitter<'ctx> {
    /// Before the init call: the shim must know of the loop before the runtime reports its own first
    /// chunk. `None`: the loop begins where it always does.
    pub(super) fn ask(
        &self,
        function: FunctionValue<'ctx>,
        found: &FoundLoop,
        plan: Plan,
        frame: PointerValue<'ctx>,
        record: PointerValue<'ctx>,
    ) -> Option<Begun<'ctx>> {
        let (call, start) = (&found.call, found.call.start());
        let thread = int(argument(call.instruction, 1));
        let ident = pointer(argument(call.instruction, 0));
        if counts_lines(function.into()) {
            self.before(start);
            let [start, step, size] = self.passed_values(found).map(BasicMetadataValueEnum::from);
            self.aside(Piece::Ask, frame, &[record.into(), ident.into(), thread.into(), start, step, size]);
            self.ready_where_it_is(function, found, frame);
            return None;
        }
        if self.claim_variables(found, frame) {
            return self.enter(function, found, plan, frame, record);
        }
        let go_on = self.open_before(start);
        // Whatever an execution left here that control left on no known way.
        self.store(self.i32.const_zero(), frame);
        let ask = self.cold_block(function);
        let wanted = self.non_zero(self.asked(OF_LOOPS));
        self.branch_to_begun(plan, wanted, ask, go_on);

        self.at_end(ask);
        self.pass_values(found, frame);
        if call.entry.dealt && found.change.is_ok() {
            self.pass_distance(call.instruction, frame);
        }
        let bounds = match tells_bounds(found) {
            true => [call.lower, call.upper, call.stride, argument(call.instruction, 3)].map(pointer),
            false => [self.ptr.const_null(); 4],
        };
        let begun = self.begin(frame, record, ident, thread, bounds);
        if call.earlier.is_some() {
            self.branch(go_on);
            self.ready_where_it_is(function, found, frame);
            return None;
        }
        let init = self.cold_block(function);
        let declined = built(self.builder.build_is_null(begun, ""));
        self.branch_if(declined, go_on, init);

        let next = call.instruction.next()?;
        // SAFETY: an instruction of the module, whose block has a terminator.
        let behind = block(unsafe { ffi::oc_split_before(next.raw()) });
        self.at_end(init);
        match call.entry.dealt {
            true => self.deal(found, frame),
            false if found.change.is_ok() => {
                self.require_runtime(call);
                self.start(frame, begun);
            }
            false => _ = self.repeat_init(call.instruction),
        }
        // The first of the chunks that are dealt is asked for like the others.
        if !call.entry.dealt {
            self.call_frame(frame, offset_of!(Frame, ready), self.frame_type(), &[]);
        }
        Some(Begun { end: init, behind })
    }

    /// Behind an init call: `if (frame.on) frame.ready(frame)`
    fn ready_where_it_is(&self, function: FunctionValue<'ctx>, found: &FoundLoop, frame: PointerValue<'ctx>) {
        if let (Some(after), false) = (found.call.instruction.next(), found.call.entry.dealt) {
            self.ready_before(function, after, frame);
        }
    }

    pub(super) fn ready_before(&self, function: FunctionValue<'ctx>, instruction: Value, frame: PointerValue<'ctx>) {
        if counts_lines(function.into()) {
            self.before(instruction);
            return self.aside(Piece::Ready, frame, &[]);
        }
        let go_on = self.open_before(instruction);
        let ready = self.cold_block(function);
        self.branch_rarely_if(self.non_zero(self.on(frame)), ready, go_on);
        self.at_end(ready);
        self.call_frame(frame, offset_of!(Frame, ready), self.frame_type(), &[]);
        self.branch(go_on);
    }

    /// In the order of [`PASSED_AT`]; 0 where the record knows it, or nobody does.
    fn passed_values(&self, found: &FoundLoop) -> [IntValue<'ctx>; 3] {
        [self.user_value(&found.user.start), self.user_value(&found.user.step), self.passed_size(found)]
    }

    fn passed_size(&self, found: &FoundLoop) -> IntValue<'ctx> {
        match chunk_size(found) {
            Some(size) => built(self.builder.build_int_s_extend_or_bit_cast(int(size), self.i64, "")),
            None => self.i64.const_zero(),
        }
    }

    /// Puts into the frame what the record does not know.
    pub(super) fn pass_values(&self, found: &FoundLoop, frame: PointerValue<'ctx>) {
        for (value, offset) in [&found.user.start, &found.user.step].into_iter().zip(PASSED_AT) {
            if value.is_computed() {
                self.store(self.user_value(value), self.field(frame, offset));
            }
        }
        if chunk_size(found).is_some() {
            self.store(self.passed_size(found), self.field(frame, PASSED_AT[2]));
        }
    }

    /// From the first iteration to the last one of a loop that is dealt in the source: no schedule that it gets may be too narrow for it.
    fn pass_distance(&self, init: Value, frame: PointerValue<'ctx>) {
        let [first, last] = [3, 4].map(|number| int(argument(init, number)));
        let distance = match first.get_zero_extended_constant() {
            Some(0) => last,
            _ => built(self.builder.build_int_sub(last, first, "")),
        };
        self.store(distance, self.field(frame, offset_of!(Frame, upper)));
    }

    /// The test of the aside that asks: `if (*module.state & LOOPS) { …; begin(frame, loop, ident, thread, no bounds) }`
    pub(super) fn ask_aside(
        &self,
        function: FunctionValue<'ctx>,
        end: Value,
        frame: PointerValue<'ctx>,
        arguments: &[BasicValueEnum<'ctx>],
    ) {
        let &[record, ident, thread, start, step, size] = arguments else { panic!("other arguments") };
        let go_on = self.open_before(end);
        let ask = self.cold_block(function);
        self.branch_rarely_if(self.non_zero(self.asked(OF_LOOPS)), ask, go_on);
        self.at_end(ask);
        for (value, offset) in [start, step, size].into_iter().zip(PASSED_AT) {
            self.store(value, self.field(frame, offset));
        }
        let (record, ident) = (record.into_pointer_value(), ident.into_pointer_value());
        self.begin(frame, record, ident, thread.into_int_value(), [self.ptr.const_null(); 4]);
        self.branch(go_on);
    }

    /// To where a loop begins that somebody may want to know of.
    pub(super) fn branch_to_begun(
        &self,
        plan: Plan,
        condition: IntValue<'ctx>,
        begun: BasicBlock<'ctx>,
        otherwise: BasicBlock<'ctx>,
    ) {
        match plan {
            // What is measured in the copy must be what runs without it: so it is optimized alike.
            Plan::TwoCopies => self.branch_seldom_if(condition, begun, otherwise),
            _ => self.branch_rarely_if(condition, begun, otherwise),
        }
    }

    /// By the function that loops call.
    fn begin(
        &self,
        frame: PointerValue<'ctx>,
        record: PointerValue<'ctx>,
        ident: PointerValue<'ctx>,
        thread: IntValue<'ctx>,
        bounds: [PointerValue<'ctx>; 4],
    ) -> PointerValue<'ctx> {
        self.begin_at(self.begin_function(), frame, record, ident, thread, bounds)
    }

    /// `begin(frame, loop, ident, thread, bounds…)`
    pub(super) fn begin_at(
        &self,
        begin: PointerValue<'ctx>,
        frame: PointerValue<'ctx>,
        record: PointerValue<'ctx>,
        ident: PointerValue<'ctx>,
        thread: IntValue<'ctx>,
        [lower, upper, stride, last]: [PointerValue<'ctx>; 4],
    ) -> PointerValue<'ctx> {
        let arguments = [
            frame.into(),
            record.into(),
            ident.into(),
            thread.into(),
            lower.into(),
            upper.into(),
            stride.into(),
            last.into(),
        ];
        let begun = self.call(self.begin_type(), begin, &arguments);
        begun.try_as_basic_value().unwrap_basic().into_pointer_value()
    }

    /// Calls the runtime by the shim's way.
    fn start(&self, frame: PointerValue<'ctx>, start: PointerValue<'ctx>) {
        let parameters: [BasicMetadataTypeEnum<'ctx>; START_ROOM + 1] = [self.ptr.into(); START_ROOM + 1];
        let signature = self.context.void_type().fn_type(&parameters, false);
        let mut arguments: [BasicMetadataValueEnum<'ctx>; START_ROOM + 1] =
            [self.ptr.get_undef().into(); START_ROOM + 1];
        arguments[0] = frame.into();
        self.call(signature, start, &arguments);
    }

    /// The loop's own init call once more.
    fn repeat_init(&self, init: Value) -> Value {
        let copies = self.repeat(&[init]);
        // SAFETY: an instruction just built.
        let Some(copy) = (unsafe { Value::from_raw(copies[0]) }) else { panic!("LLVM copied nothing") };
        self.relocate(copy);
        self.mark_done(copy);
        copy
    }

    /// The same of a loop that is dealt in the source, with the schedule and chunk size that the frame says.
    fn deal(&self, found: &FoundLoop, frame: PointerValue<'ctx>) {
        let init = self.repeat_init(found.call.instruction);
        if found.change.is_err() {
            return;
        }
        self.before(init);
        let bound = self.bound_type(&found.call);
        let schedule = self.load(self.i32, self.field(frame, offset_of!(Frame, schedule)));
        let size = self.load(bound, self.field(frame, offset_of!(Frame, size_then_last)));
        for (number, value) in [(2, schedule), (6, size)] {
            // SAFETY: the call has these arguments, of these types.
            unsafe { LLVMSetOperand(init.raw(), number, value.as_value_ref()) }
        }
        if let Some(owner) = init.block() {
            self.at_end(block(owner.raw()));
        }
    }

    /// `*module.state & what`
    pub(super) fn asked(&self, what: u32) -> IntValue<'ctx> {
        use inkwell::llvm_sys::LLVMAtomicOrdering::LLVMAtomicOrderingMonotonic as relaxed;
        let state_at = self.field(self.module_record_of(), offset_of!(ompchunk_abi::ModuleRecord, state));
        let state_at = self.load_atomic(self.ptr, state_at, 8, relaxed).into_pointer_value();
        let state = self.load_atomic(self.i32, state_at, 4, relaxed).into_int_value();
        built(self.builder.build_and(state, self.i32.const_int(what.into(), false), ""))
    }
}

/// The chunk size that the program passes to the runtime, where the record does not know it.
fn chunk_size(found: &FoundLoop) -> Option<Value> {
    let call = &found.call;
    let number = match (call.entry.dealt, call.entry.combined) {
        (true, _) => 6,
        (false, false) => 8,
        (false, true) => 9,
    };
    let is_known = call.chunked && call.chunk.is_some();
    (!is_known && (call.entry.dealt || call.chunked)).then(|| argument(call.instruction, number))
}

// Where a loop ends.
//
// ```text
//   before each fini:   if (frame.on) {
//                         end = frame.leave(frame, is own end)
//                         if (end == RUNS_MORE) goto where the loop begins     // at the one end of a loop that can be changed
//                         if (end == HAS_ENDED) goto behind the fini
//                       }
// ```

/// What an execution does at an end.
#[derive(Clone, Copy)]
pub(super) enum AtEnd<'ctx> {
    /// It leaves.
    Leave,
    /// It leaves, and perhaps skips the runtime's call, since it was changed.
    Skip,
    /// It may have more to run of the loop, which begins there.
    Again { begin: BasicBlock<'ctx> },
}

impl AtEnd<'_> {
    /// At an end that several loops have. The one that is asked at is no other loop's.
    pub(super) fn and(self, other: Self) -> Self {
        match (self, other) {
            (AtEnd::Leave, AtEnd::Leave) => AtEnd::Leave,
            _ => AtEnd::Skip,
        }
    }
}

impl<'ctx> Emitter<'ctx> {
    /// Ends an execution before `end`.
    pub(super) fn leave_before(
        &self,
        function: FunctionValue<'ctx>,
        end: Value,
        frame: PointerValue<'ctx>,
        at_end: AtEnd<'ctx>,
    ) {
        if counts_lines(function.into()) {
            self.before(end);
            return self.aside(Piece::Leave, frame, &[]);
        }
        let go_on = self.open_before(end);
        let leave = self.cold_block(function);
        let is_on = self.non_zero(self.on(frame));
        match at_end {
            // A way back to the loop that never seems to be taken lets the optimizer lay out the loop's end before its begin.
            AtEnd::Again { .. } => self.branch_seldom_if(is_on, leave, go_on),
            _ => self.branch_rarely_if(is_on, leave, go_on),
        }
        self.at_end(leave);
        let answer = self.leave(frame, matches!(at_end, AtEnd::Again { .. }));
        let (AtEnd::Skip | AtEnd::Again { .. }, Some(next)) = (at_end, end.next()) else {
            return self.branch(go_on);
        };
        // SAFETY: an instruction of the module, whose block has a terminator.
        let behind = block(unsafe { ffi::oc_split_before(next.raw()) });
        let changed = self.cold_block(function);
        self.branch_if(self.non_zero(answer), changed, go_on);
        self.at_end(changed);
        match at_end {
            AtEnd::Again { begin } => {
                let more = self.i32.const_int(RUNS_MORE.into(), false);
                let has_more = self.builder.build_int_compare(IntPredicate::EQ, answer, more, "");
                self.branch_if(built(has_more), begin, behind);
            }
            AtEnd::Leave | AtEnd::Skip => self.branch(behind),
        }
    }

    /// `frame.leave(frame, is own end)`
    pub(super) fn leave(&self, frame: PointerValue<'ctx>, is_own_end: bool) -> IntValue<'ctx> {
        let is_own_end = self.i32.const_int(is_own_end.into(), false);
        let answer = self.call_frame(frame, offset_of!(Frame, leave), self.leave_type(), &[is_own_end.into()]);
        answer.try_as_basic_value().unwrap_basic().into_int_value()
    }
}

/// Is one block the other, or does nothing but lead there?
pub(super) fn only_leads_to(from: Block, to: Block) -> bool {
    let next = |block: &Block| match (block.first() == block.terminator(), &block.successors()[..]) {
        (true, &[next]) => Some(next),
        _ => None,
    };
    // clang has one such block before the end of a loop.
    std::iter::successors(Some(from), next).take(4).any(|block| block == to)
}
