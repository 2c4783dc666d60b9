//! Rewriting one loop.
//!
//! ```text
//!   before the init call:   if (*module.state & LOOPS) on = enter(module, loop, frame)
//!   two copies:             on ? copy of the loop that reports : the loop as it was
//!   in the reporting loop:  clamped chunk -> frame.chunk(frame, lower, upper, is_last) -> body
//!                           step to the next chunk -> if (on & TIMED) frame.bookkeeping(frame)
//!   before each fini:       if (on) { on = 0; frame.leave(frame) }, and a fini of its own for a copy
//!
//! A loop whose chunks the runtime deals has no call of fini on every way out, so it ends on the edges
//! that leave it; its step to the next chunk is the call that asks for one.
//! ```

use std::mem::offset_of;

use inkwell::attributes::AttributeLoc;
use inkwell::values::{CallSiteValue, FunctionValue, IntValue, PointerValue};
use ompchunk_abi::{ENTER_LISTENING, ENTER_TIMED, Frame};

use super::bounds::Bounds;
use super::code::built;
use super::dealing::{AtEnd, Dealing};
use super::terms::{Bookkeeping, Guard, Part, Piece};
use super::{Edge, Emitter, Slot};
use crate::ffi;
use crate::find::{Call, Chunk, Chunks, Form, FoundLoop, Place};
use crate::llvm::{Block, Value, counts_lines};
use crate::plan::Plan;

impl<'ctx> Emitter<'ctx> {
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
                // So that the original is no part of what runs again and again.
                if way_out.is_some() && again.is_some_and(|behind| copy.follows(behind)) {
                    again = Some(copy.way_in);
                }
                exits = copy.exits;
            }
            Form::Chunks(chunks) => {
                self.leave_on_exits(function, chunks, slot, Guard::Flag);
                // Of chunks that are dealt, the first is asked for like the others.
                let is_said = chunks.is_dealt() || slot.shared;
                if let (Some(after), false) = (found.call.instruction.next(), is_said) {
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

    /// No loop over chunks: the thread's only chunk, if it has one.
    fn range(&self, function: FunctionValue<'ctx>, call: &Call, before: Value, chunk: Chunk, slot: Slot<'ctx>) {
        if let (Some(after), false) = (call.instruction.next(), slot.shared) {
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
        if slot.shared {
            let chunk = || self.shared_chunk(call, chunk, true);
            return self.shared_before(function, before, slot, chunk);
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
                Guard::Flag => {
                    self.leave_before(function, place, slot, Bookkeeping::Elsewhere, AtEnd::Leave);
                }
                Guard::Copy { .. } => {
                    self.before(place);
                    self.leave(slot);
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
        let left = way_out.map(|way_out| self.step_before(function, chunks.advance, way_out, slot, guard));
        if left.is_none() && (!slot.shared || chunks.is_dealt()) {
            self.bookkeeping_before(function, chunks.advance, slot, guard);
        }

        for place in self.places(function, chunks) {
            self.locate(place);
            self.chunk_at(function, place, call, chunks.chunk, slot, guard);
        }
        left
    }

    /// Where each chunk is about to run.
    fn places(&self, function: FunctionValue<'ctx>, chunks: &Chunks) -> Vec<Value> {
        if !chunks.starts.is_empty() {
            let firsts = chunks.starts.iter().filter_map(|start| start.first());
            return firsts.collect();
        }
        let place = match chunks.place {
            Place::Before(instruction) => instruction,
            Place::Edge { branch, to } => {
                let Some(from) = branch.block() else { panic!("a branch without a block") };
                self.on_the_way(function, to, || self.split_edge(from, to))
            }
        };
        vec![place]
    }

    /// A chunk begins: there the copy reports it always, unless it is dealt and need not be; else a test decides.
    fn chunk_at(
        &self,
        function: FunctionValue<'ctx>,
        place: Value,
        call: &Call,
        chunk: Chunk,
        slot: Slot<'ctx>,
        guard: Guard<'ctx>,
    ) {
        let arguments = || {
            let bounds = self.bounds(call, chunk);
            let is_last = self.is_last(call, chunk, bounds);
            self.chunk_arguments(call, bounds, is_last)
        };
        if counts_lines(function.into()) {
            self.before(place);
            let always = self.context.bool_type().const_int(1, false);
            return self.aside_chunk(slot, arguments(), always);
        }
        if slot.shared {
            let part = || self.shared_chunk(call, chunk, false);
            return self.shared_before(function, place, slot, part);
        }
        if let Guard::Copy { dealt: None, .. } = guard {
            self.before(place);
            return self.call_chunk_of(chunk, slot, &arguments());
        }
        let go_on = self.open_before(place);
        let report = self.cold_block(function);
        let reports = self.reports(slot);
        match guard {
            Guard::Flag => self.branch_rarely_if(reports, report, go_on),
            Guard::Copy { .. } => self.branch_if(reports, report, go_on),
        }
        self.at_end(report);
        self.call_chunk_of(chunk, slot, &arguments());
        self.branch(go_on);
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
        if slot.shared {
            let part = || (Part::Bookkeeping, Vec::new());
            return self.shared_before(function, instruction, slot, part);
        }
        let go_on = self.open_before(instruction);
        let call = self.cold_block(function);
        match guard {
            Guard::Copy { timed, .. } => self.branch_if(timed, call, go_on),
            Guard::Flag => {
                let on = self.load(self.i32, slot.on).into_int_value();
                self.branch_rarely_if(self.has_bits(on, ENTER_TIMED), call, go_on);
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
    fn chunk_arguments(&self, call: &Call, bounds: Bounds<'ctx>, is_last: IntValue<'ctx>) -> [IntValue<'ctx>; 3] {
        let (lower, upper) = (self.wide(call, bounds.lower), self.wide(call, bounds.upper));
        [lower, upper, is_last]
    }

    /// Does the execution report its chunks? One that is dealt need not.
    fn reports(&self, slot: Slot<'ctx>) -> IntValue<'ctx> {
        let on = self.load(self.i32, slot.on).into_int_value();
        self.has_bits(on, ENTER_LISTENING)
    }

    fn call_chunk_of(&self, chunk: Chunk, slot: Slot<'ctx>, arguments: &[IntValue<'ctx>; 3]) {
        let reported = self.call_chunk(slot, arguments);
        if let Chunk::Section { .. } = chunk {
            // The address that it returns to tells a tool which section it is.
            reported.add_attribute(AttributeLoc::Function, self.nomerge());
        }
    }

    fn call_chunk(&self, slot: Slot<'ctx>, chunk: &[IntValue<'ctx>; 3]) -> CallSiteValue<'ctx> {
        self.call_frame(slot, offset_of!(Frame, chunk), self.chunk_type(), chunk)
    }

    /// Calls an entry point of the frame with the frame and `arguments`.
    pub(super) fn call_frame(
        &self,
        slot: Slot<'ctx>,
        offset: usize,
        signature: inkwell::types::FunctionType<'ctx>,
        arguments: &[IntValue<'ctx>],
    ) -> CallSiteValue<'ctx> {
        let callee = self.load(self.ptr, self.field(slot.frame, offset)).into_pointer_value();
        let arguments: Vec<_> =
            std::iter::once(slot.frame.into()).chain(arguments.iter().map(|&argument| argument.into())).collect();
        self.call(signature, callee, &arguments)
    }

    /// Where code stands that runs on the way to a block: before the end of a block on that way, or, where blocks are
    /// counted, in the block itself if nothing else leads there.
    fn on_the_way(&self, function: FunctionValue<'ctx>, to: Block, split: impl FnOnce() -> Block) -> Value {
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
