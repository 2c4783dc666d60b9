//! Rewriting one loop.
//!
//! ```text
//!   before the init call:   if (*module.state & LOOPS) on = enter(module, loop, frame)
//!   two copies:             on ? copy of the loop that reports : the loop as it was
//!   in the reporting loop:  clamped chunk -> frame.chunk(frame, lower, upper, is_last) -> body
//!                           step to the next chunk -> if (on & TIMED) frame.bookkeeping(frame)
//!   before each fini:       if (on) { on = 0; frame.leave(frame) }, and a fini of its own for a copy
//!
//! A loop whose chunks the runtime deals has no call of fini on every way out, so it ends on the edges that leave it; its
//! step to the next chunk is the call that asks for one.
//! ```

use std::mem::offset_of;

use inkwell::llvm_sys::LLVMAtomicOrdering;
use inkwell::values::{BasicValue, FunctionValue, IntValue, PointerValue};
use ompchunk_abi::{
    ENTER_LISTENING, ENTER_TIMED, FRAME_ALIGN, FRAME_SIZE, Frame, LISTENING_LOOPS,
    LISTENING_SCHEDULES, ModuleRecord,
};

use super::aside::{Piece, counts_lines};
use super::bounds::Bounds;
use super::code::built;
use super::dealing::{AtEnd, Dealing, Dealt};
use super::{Edge, Emitter, Slot};
use crate::ffi;
use crate::find::{Call, Chunk, Chunks, Form, FoundLoop, Place};
use crate::llvm::{Block, Value, blocks};
use crate::plan::Plan;

/// Whether the reporting code runs only in a reporting execution, or must ask.
#[derive(Clone, Copy)]
pub(super) enum Guard<'ctx> {
    /// In the copy: only when somebody listens. Is timing wanted, and does the runtime deal the chunks, if it may?
    Copy {
        timed: IntValue<'ctx>,
        dealt: Option<Dealt<'ctx>>,
    },
    /// In the loop that everybody runs.
    Flag,
}

impl<'ctx> Emitter<'ctx> {
    /// Room for one execution, in the entry block: an `alloca` elsewhere would grow the stack each
    /// time the loop runs.
    pub(super) fn new_slot(&self, function: FunctionValue<'ctx>) -> Slot<'ctx> {
        let raw = Value::from(function);
        let first_code = blocks(raw)
            .next()
            .into_iter()
            .flat_map(Block::instructions)
            .find(|instruction| !instruction.is_alloca());
        let Some(first_code) = first_code else {
            panic!("a function without a terminator")
        };
        self.before(first_code);
        let on = built(self.builder.build_alloca(self.i32, ""));
        let bytes = self.context.i8_type().array_type(FRAME_SIZE as u32);
        let frame = built(self.builder.build_alloca(bytes, ""));
        if let Some(alloca) = frame.as_instruction_value() {
            let _ = alloca.set_alignment(FRAME_ALIGN as u32);
        }
        self.store_first(self.i32.const_zero(), on);
        Slot { on, frame }
    }

    /// Rewrites one loop, but for its ends. Gives the edges on which control leaves its copy, if it gets one.
    pub(super) fn rewrite(
        &self,
        function: FunctionValue<'ctx>,
        found: &FoundLoop,
        plan: Plan,
        slot: Slot<'ctx>,
        module_record: PointerValue<'ctx>,
    ) -> (Vec<Edge>, Option<Dealing<'ctx>>) {
        let record = self.loop_record(function, found);
        let dealing = self.dealing(function, found, record);
        self.ask(function, found, slot, module_record, record, dealing);
        let way_out = found.change.ok().and_then(|change| change.way_out);
        let mut exits = Vec::new();
        let mut again = dealing.map(|dealing| dealing.behind);
        match &found.form {
            Form::Range { before, chunk, .. } => {
                self.range(function, &found.call, *before, *chunk, slot);
            }
            Form::Chunks(chunks) if plan == Plan::TwoCopies => {
                let copy = self.two_copies(function, &found.call, chunks, slot, way_out);
                exits = copy.exits;
                // So that the original is no part of what runs again and again. Of a canonical loop, what stands before it
                // computes the bounds.
                if way_out.is_some() && matches!(chunks.chunk, Chunk::Variables { .. }) {
                    again = Some(copy.way_in);
                }
            }
            Form::Chunks(chunks) => {
                self.leave_on_exits(function, chunks, slot, Guard::Flag);
                // Of chunks that are dealt, the first is asked for like the others.
                if let (Some(after), false) = (found.call.instruction.next(), chunks.is_dealt()) {
                    self.bookkeeping_before(function, after, slot, Guard::Flag);
                }
                self.report(function, &found.call, chunks, slot, Guard::Flag, way_out);
            }
        }
        self.mark_done(found.call.instruction);
        if let (Some(dealing), Some(again)) = (dealing, again) {
            self.at_end(dealing.again);
            self.branch(again);
        }
        (exits, dealing)
    }

    /// Before the init call: the shim must know of the loop before the runtime reports its own first
    /// chunk.
    fn ask(
        &self,
        function: FunctionValue<'ctx>,
        found: &FoundLoop,
        slot: Slot<'ctx>,
        module_record: PointerValue<'ctx>,
        loop_record: PointerValue<'ctx>,
        dealing: Option<Dealing<'ctx>>,
    ) {
        let dealing = dealing.map(|dealing| (dealing, found));
        let before = found.call.start();
        self.ask_before(function, before, slot, module_record, dealing, || {
            let start = self.user_value(&found.user.start);
            let step = self.user_value(&found.user.step);
            (loop_record, start, step)
        });
    }

    /// `if (*module.state & LOOPS) on = enter(module, arguments…)`, before an instruction.
    pub(super) fn ask_before(
        &self,
        function: FunctionValue<'ctx>,
        instruction: Value,
        slot: Slot<'ctx>,
        module_record: PointerValue<'ctx>,
        dealing: Option<(Dealing<'ctx>, &FoundLoop)>,
        arguments: impl FnOnce() -> (PointerValue<'ctx>, IntValue<'ctx>, IntValue<'ctx>),
    ) {
        if counts_lines(function.into()) {
            self.before(instruction);
            let (record, start, step) = arguments();
            let arguments = [
                module_record.into(),
                record.into(),
                start.into(),
                step.into(),
            ];
            return self.aside(Piece::Ask, slot, &arguments);
        }
        let go_on = self.open_before(instruction);
        let ask = self.cold_block(function);
        let who = match dealing {
            Some(_) => LISTENING_LOOPS | LISTENING_SCHEDULES,
            None => LISTENING_LOOPS,
        };
        let wanted = self.asked(module_record, who);
        // Not `rarely`: the optimizer merges the test for the copy into this one, whose weight is then the copy's.
        self.branch_seldom_if(self.non_zero(wanted), ask, go_on);

        self.at_end(ask);
        let enter_at = self.field(module_record, offset_of!(ModuleRecord, enter));
        let acquire = LLVMAtomicOrdering::LLVMAtomicOrderingAcquire;
        let enter = self
            .load_atomic(self.ptr, enter_at, 8, acquire)
            .into_pointer_value();
        let (record, start, step) = arguments();
        let arguments = [
            module_record.into(),
            record.into(),
            slot.frame.into(),
            start.into(),
            step.into(),
        ];
        let answer = self
            .call(self.enter_type(), enter, &arguments)
            .try_as_basic_value();
        let answer = answer.unwrap_basic();
        self.store(answer, slot.on);
        match dealing {
            Some((dealing, found)) => {
                let answer = answer.into_int_value();
                self.begin_dealing(function, found, dealing, slot, answer, go_on);
            }
            None => self.branch(go_on),
        }
    }

    /// `*module.state & what`
    pub(super) fn asked(&self, module_record: PointerValue<'ctx>, what: u32) -> IntValue<'ctx> {
        let relaxed = LLVMAtomicOrdering::LLVMAtomicOrderingMonotonic;
        let state_at = self.field(module_record, offset_of!(ModuleRecord, state));
        let state_at = self
            .load_atomic(self.ptr, state_at, 8, relaxed)
            .into_pointer_value();
        let state = self
            .load_atomic(self.i32, state_at, 4, relaxed)
            .into_int_value();
        let what = self.i32.const_int(what.into(), false);
        built(self.builder.build_and(state, what, ""))
    }

    /// No loop over chunks: the thread's only chunk, if it has one.
    fn range(
        &self,
        function: FunctionValue<'ctx>,
        call: &Call,
        before: Value,
        chunk: Chunk,
        slot: Slot<'ctx>,
    ) {
        if let Some(after) = call.instruction.next() {
            self.bookkeeping_before(function, after, slot, Guard::Flag);
        }
        // The end of a block is a jump without code, in whose line no debugger stops.
        self.locate(before.previous().unwrap_or(before));
        let only = self.i32.const_int(1, false);
        if counts_lines(function.into()) {
            self.before(before);
            let bounds = self.bounds(call, chunk);
            let is_one = self.is_not_empty(call, chunk, bounds);
            let chunk = self.chunk_arguments(call, bounds, only);
            return self.aside_chunk(slot, chunk, is_one);
        }
        let go_on = self.open_before(before);
        // Alone in its block it becomes code.
        self.relocate(before);
        let (look, report) = (self.cold_block(function), self.cold_block(function));
        let on = self.reports(slot);
        self.branch_rarely_if(on, look, go_on);

        self.at_end(look);
        let bounds = self.bounds(call, chunk);
        self.branch_if(self.is_not_empty(call, chunk, bounds), report, go_on);

        self.at_end(report);
        self.call_chunk(slot, &self.chunk_arguments(call, bounds, only));
        self.branch(go_on);
    }

    /// Ends the loop where control leaves it, if nothing else does.
    pub(super) fn leave_on_exits(
        &self,
        function: FunctionValue<'ctx>,
        chunks: &Chunks,
        slot: Slot<'ctx>,
        guard: Guard<'ctx>,
    ) {
        for &(from, to) in &chunks.exits {
            let split = || {
                // SAFETY: `from` branches to `to`, not by an address.
                let between = Block::new(unsafe { ffi::oc_split_exit(from.raw(), to.raw()) });
                match between {
                    Some(between) => between,
                    None => panic!("LLVM split no exit"),
                }
            };
            let place = self.on_the_way(function, to, split);
            match guard {
                Guard::Flag => self.leave_before(function, place, slot, AtEnd::Leave),
                Guard::Copy { .. } => {
                    self.before(place);
                    self.store(self.i32.const_zero(), slot.on);
                    self.call_frame(slot, offset_of!(Frame, leave), self.frame_type(), &[]);
                }
            }
        }
    }

    /// Reports in a loop over chunks: before each body, and where the step to the next begins. With a `way_out`, the runtime
    /// may deal the chunks; gives the way on which it is then left after each.
    pub(super) fn report(
        &self,
        function: FunctionValue<'ctx>,
        call: &Call,
        chunks: &Chunks,
        slot: Slot<'ctx>,
        guard: Guard<'ctx>,
        way_out: Option<Block>,
    ) -> Option<Edge> {
        self.locate(chunks.advance);
        let left =
            way_out.map(|way_out| self.step_before(function, chunks.advance, way_out, slot, guard));
        if left.is_none() {
            self.bookkeeping_before(function, chunks.advance, slot, guard);
        }

        let place = match chunks.place {
            Place::Before(instruction) => instruction,
            Place::Edge { branch, to } => {
                let Some(from) = branch.block() else {
                    panic!("a branch without a block")
                };
                self.on_the_way(function, to, || self.split_edge(from, to))
            }
        };
        self.locate(place);
        if counts_lines(function.into()) {
            self.before(place);
            let bounds = self.bounds(call, chunks.chunk);
            let is_last = self.is_last(call, chunks.chunk, bounds);
            let always = self.context.bool_type().const_int(1, false);
            let chunk = self.chunk_arguments(call, bounds, is_last);
            self.aside_chunk(slot, chunk, always);
            return left;
        }
        let go_on = match guard {
            Guard::Copy { dealt: None, .. } => {
                self.before(place);
                None
            }
            Guard::Flag | Guard::Copy { dealt: Some(_), .. } => {
                let go_on = self.open_before(place);
                let report = self.cold_block(function);
                let reports = self.reports(slot);
                match guard {
                    Guard::Flag => self.branch_rarely_if(reports, report, go_on),
                    Guard::Copy { .. } => self.branch_if(reports, report, go_on),
                }
                self.at_end(report);
                Some(go_on)
            }
        };
        let bounds = self.bounds(call, chunks.chunk);
        let is_last = self.is_last(call, chunks.chunk, bounds);
        self.call_chunk(slot, &self.chunk_arguments(call, bounds, is_last));
        if let Some(go_on) = go_on {
            self.branch(go_on);
        }
        left
    }

    /// `if (timed) frame.bookkeeping(frame)`
    pub(super) fn bookkeeping_before(
        &self,
        function: FunctionValue<'ctx>,
        instruction: Value,
        slot: Slot<'ctx>,
        guard: Guard<'ctx>,
    ) {
        if counts_lines(function.into()) {
            self.before(instruction);
            return self.aside(Piece::Bookkeeping, slot, &[]);
        }
        let go_on = self.open_before(instruction);
        let call = self.cold_block(function);
        match guard {
            Guard::Copy { timed, .. } => self.branch_if(timed, call, go_on),
            Guard::Flag => {
                let on = self.load(self.i32, slot.on).into_int_value();
                let mask = self.i32.const_int(ENTER_TIMED.into(), false);
                let timed = built(self.builder.build_and(on, mask, ""));
                self.branch_rarely_if(self.non_zero(timed), call, go_on);
            }
        }
        self.at_end(call);
        self.call_frame(slot, offset_of!(Frame, bookkeeping), self.frame_type(), &[]);
        self.branch(go_on);
    }

    /// `if (on && wanted) frame.chunk(frame, chunk…)`
    pub(super) fn chunk_before(
        &self,
        function: FunctionValue<'ctx>,
        instruction: Value,
        slot: Slot<'ctx>,
        wanted: IntValue<'ctx>,
        chunk: &[IntValue<'ctx>; 3],
    ) {
        let go_on = self.open_before(instruction);
        let report = self.cold_block(function);
        let on = self.load(self.i32, slot.on).into_int_value();
        let reports = built(self.builder.build_and(self.non_zero(on), wanted, ""));
        self.branch_rarely_if(reports, report, go_on);

        self.at_end(report);
        self.call_chunk(slot, chunk);
        self.branch(go_on);
    }

    /// What `chunk` is told.
    fn chunk_arguments(
        &self,
        call: &Call,
        bounds: Bounds<'ctx>,
        is_last: IntValue<'ctx>,
    ) -> [IntValue<'ctx>; 3] {
        let (lower, upper) = (self.wide(call, bounds.lower), self.wide(call, bounds.upper));
        [lower, upper, is_last]
    }

    /// Does the execution report its chunks? One that is dealt need not.
    fn reports(&self, slot: Slot<'ctx>) -> IntValue<'ctx> {
        let on = self.load(self.i32, slot.on).into_int_value();
        let mask = self.i32.const_int(ENTER_LISTENING.into(), false);
        self.non_zero(built(self.builder.build_and(on, mask, "")))
    }

    fn call_chunk(&self, slot: Slot<'ctx>, chunk: &[IntValue<'ctx>; 3]) {
        self.call_frame(slot, offset_of!(Frame, chunk), self.chunk_type(), chunk);
    }

    /// Calls an entry point of the frame with the frame and `arguments`.
    pub(super) fn call_frame(
        &self,
        slot: Slot<'ctx>,
        offset: usize,
        signature: inkwell::types::FunctionType<'ctx>,
        arguments: &[IntValue<'ctx>],
    ) {
        let callee = self
            .load(self.ptr, self.field(slot.frame, offset))
            .into_pointer_value();
        let arguments: Vec<_> = std::iter::once(slot.frame.into())
            .chain(arguments.iter().map(|&argument| argument.into()))
            .collect();
        self.call(signature, callee, &arguments);
    }

    /// Where code stands that runs on the way to a block: before the end of a block on that way, or, where blocks are
    /// counted, in the block itself if nothing else leads there.
    fn on_the_way(
        &self,
        function: FunctionValue<'ctx>,
        to: Block,
        split: impl FnOnce() -> Block,
    ) -> Value {
        let alone = || counts_lines(function.into()) && to.predecessors().len() == 1;
        let place = match alone() {
            true => to.instructions().find(|value| !value.is_phi()),
            false => split().terminator(),
        };
        match place {
            Some(place) => place,
            None => panic!("a block without an end"),
        }
    }

    pub(super) fn split_edge(&self, from: Block, to: Block) -> Block {
        // SAFETY: `from` branches to `to`.
        match Block::new(unsafe { ffi::oc_split_edge(from.raw(), to.raw()) }) {
            Some(between) => between,
            None => panic!("LLVM split no edge"),
        }
    }
}
