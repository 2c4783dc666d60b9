//! Rewriting one loop.
//!
//! ```text
//!   two copies:             on ? copy of the loop that reports : the loop as it was
//!   in the reporting loop:  clamped chunk -> frame.chunk(frame, lower, upper, is_last) -> body
//!                           step to the next chunk -> if (on & TIMED) frame.bookkeeping(frame)
//! ```
//!
//! The shim reports the only chunk of a loop without a chunk size, unless its bounds are not told. A loop that is changed is left after
//! each chunk, as after the last one. A loop whose chunks the runtime deals has no call of fini on every way out, so it ends on the edges
//! that leave it; its step to the next chunk is the call that asks for one.

use std::mem::offset_of;

use inkwell::attributes::AttributeLoc;
use inkwell::basic_block::BasicBlock;
use inkwell::llvm_sys::prelude::LLVMValueRef;
use inkwell::values::{FunctionValue, IntValue, PointerValue};
use ompchunk_abi::{Frame, ON_CHANGED, ON_LISTENING, ON_TIMED};

use crate::emit::Emitter;
use crate::emit::asking::{AtEnd, only_leads_to, tells_bounds};
use crate::emit::bounds::Bounds;
use crate::emit::code::{block, built};
use crate::emit::emitter::{Guard, Piece};
use crate::ffi;
use crate::find::{Call, Chunk, Chunks, Form, FoundLoop, ProgramPoint};
use crate::llvm::{Block, Value, counts_lines};
use crate::plan::Plan;

impl<'ctx> Emitter<'ctx> {
    /// Rewrites one loop, but for its ends. Gives what it does at the one where it is asked whether there is more, if there is one.
    pub(super) fn rewrite(
        &mut self,
        function: FunctionValue<'ctx>,
        found: &FoundLoop,
        plan: Plan,
        frame: PointerValue<'ctx>,
    ) -> Option<AtEnd<'ctx>> {
        let record = self.loop_record(function, found);
        let begun = self.ask(function, found, plan, frame, record);
        let mut goes_to = begun.map(|begun| begun.behind);
        match &found.form {
            Form::Range { .. } if tells_bounds(found) && !counts_lines(function.into()) => {}
            Form::Range { before, chunk, .. } => self.range(function, &found.call, *before, *chunk, frame),
            Form::Chunks(chunks) if plan == Plan::TwoCopies => {
                // One that is dealt in the source may run under another schedule of which nobody wants to know more.
                let behind = begun.filter(|_| !chunks.is_dealt()).map(|begun| begun.behind);
                let copy = self.two_copies(function, found, chunks, frame, behind);
                // So that the original is no part of what runs again and again.
                goes_to = copy.or(goes_to);
            }
            Form::Chunks(chunks) => {
                self.leave_on_exits(function, chunks, frame, Guard::Flag);
                self.report(function, found, chunks, frame, Guard::Flag);
            }
        }
        self.mark_done(found.call.instruction);
        let begun = begun?;
        self.at_end(begun.end);
        self.branch(goes_to?);
        Some(AtEnd::Again { begin: goes_to? })
    }

    /// No loop over chunks: the thread's only chunk, if it has one.
    fn range(
        &self,
        function: FunctionValue<'ctx>,
        call: &Call,
        before: Value,
        chunk: Chunk,
        frame: PointerValue<'ctx>,
    ) {
        // The end of a block is a jump without code, in whose line no debugger stops.
        self.locate(before.previous().unwrap_or(before));
        let only = self.i32.const_int(1, false);
        if counts_lines(function.into()) {
            self.before(before);
            let bounds = self.bounds(call, chunk);
            let is_one = self.is_not_empty(call, chunk, bounds);
            let chunk = self.chunk_arguments(call, bounds, only);
            return self.aside_chunk(frame, chunk, is_one);
        }
        let go_on = self.open_before(before);
        // Alone in its block it becomes code.
        self.relocate(before);
        let (look, report) = (self.cold_block(function), self.cold_block(function));
        let reports = self.has_bits(self.on(frame), ON_LISTENING);
        self.branch_rarely_if(reports, look, go_on);

        self.at_end(look);
        let bounds = self.bounds(call, chunk);
        self.branch_if(self.is_not_empty(call, chunk, bounds), report, go_on);

        self.at_end(report);
        self.call_chunk(chunk, frame, &self.chunk_arguments(call, bounds, only));
        self.branch(go_on);
    }

    /// Ends the loop where control leaves it, if nothing else does.
    pub(super) fn leave_on_exits(
        &self,
        function: FunctionValue<'ctx>,
        chunks: &Chunks,
        frame: PointerValue<'ctx>,
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
                Guard::Flag => self.leave_before(function, place, frame, AtEnd::Leave),
                Guard::Copy { .. } => {
                    self.before(place);
                    self.leave(frame, false);
                }
            }
        }
    }

    /// Reports in a loop over chunks: before each body, and where the step to the next begins.
    pub(super) fn report(
        &self,
        function: FunctionValue<'ctx>,
        found: &FoundLoop,
        chunks: &Chunks,
        frame: PointerValue<'ctx>,
        guard: Guard<'ctx>,
    ) {
        self.locate(chunks.advance);
        let way_out = found.change.ok().and_then(|change| change.way_out);
        self.step_before(function, chunks.advance, way_out, frame, guard);
        for place in self.places(function, chunks) {
            self.locate(place);
            self.chunk_at(function, place, &found.call, chunks.chunk, frame, guard);
        }
    }

    /// Where each chunk is about to run.
    fn places(&self, function: FunctionValue<'ctx>, chunks: &Chunks) -> Vec<Value> {
        if !chunks.starts.is_empty() {
            let firsts = chunks.starts.iter().filter_map(|start| start.first());
            return firsts.collect();
        }
        let place = match chunks.place {
            ProgramPoint::Before(instruction) => instruction,
            ProgramPoint::Edge { branch, to } => {
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
        frame: PointerValue<'ctx>,
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
            return self.aside_chunk(frame, arguments(), always);
        }
        if let Guard::Copy { may_be_changed: false, .. } = guard {
            self.before(place);
            return self.call_chunk(chunk, frame, &arguments());
        }
        let go_on = self.open_before(place);
        let report = self.cold_block(function);
        match guard {
            Guard::Flag => self.branch_rarely_if(self.has_bits(self.on(frame), ON_LISTENING), report, go_on),
            Guard::Copy { on, .. } => self.branch_if(self.has_bits(on, ON_LISTENING), report, go_on),
        }
        self.at_end(report);
        self.call_chunk(chunk, frame, &arguments());
        self.branch(go_on);
    }

    /// Where a loop over chunks steps to the next one: the bookkeeping for it begins, or of a changed execution, it leaves the
    /// loop as after its last chunk. One test for both.
    pub(super) fn step_before(
        &self,
        function: FunctionValue<'ctx>,
        advance: Value,
        way_out: Option<Block>,
        frame: PointerValue<'ctx>,
        guard: Guard<'ctx>,
    ) {
        if counts_lines(function.into()) {
            self.before(advance);
            return self.aside(Piece::Bookkeeping, frame, &[]);
        }
        let go_on = self.open_before(advance);
        let (unusual, timed) = (self.cold_block(function), self.cold_block(function));
        let mask = if way_out.is_some() { ON_CHANGED | ON_TIMED } else { ON_TIMED };
        let on = match guard {
            Guard::Copy { on, .. } => on,
            Guard::Flag => self.on(frame),
        };
        let is_unusual = self.has_bits(on, mask);
        match guard {
            Guard::Copy { .. } => self.branch_if(is_unusual, unusual, go_on),
            Guard::Flag => self.branch_rarely_if(is_unusual, unusual, go_on),
        }
        self.at_end(unusual);
        match way_out {
            Some(way_out) => self.branch_if(self.has_bits(on, ON_CHANGED), block(way_out.raw()), timed),
            None => self.branch(timed),
        }
        self.at_end(timed);
        self.call_frame(frame, offset_of!(Frame, bookkeeping), self.frame_type(), &[]);
        self.branch(go_on);
    }

    /// The test of an aside: `if (on && wanted) frame.chunk(frame, chunk…)`
    pub(super) fn chunk_before(
        &self,
        function: FunctionValue<'ctx>,
        instruction: Value,
        frame: PointerValue<'ctx>,
        wanted: IntValue<'ctx>,
        chunk: &[IntValue<'ctx>; 3],
    ) {
        let go_on = self.open_before(instruction);
        let report = self.cold_block(function);
        let reports = built(self.builder.build_and(self.non_zero(self.on(frame)), wanted, ""));
        self.branch_rarely_if(reports, report, go_on);

        self.at_end(report);
        self.call_frame(frame, offset_of!(Frame, chunk), self.chunk_type(), &chunk.map(Into::into));
        self.branch(go_on);
    }

    /// What `chunk` is told.
    fn chunk_arguments(&self, call: &Call, bounds: Bounds<'ctx>, is_last: IntValue<'ctx>) -> [IntValue<'ctx>; 3] {
        let (lower, upper) = (self.wide(call, bounds.lower), self.wide(call, bounds.upper));
        [lower, upper, is_last]
    }

    fn call_chunk(&self, chunk: Chunk, frame: PointerValue<'ctx>, arguments: &[IntValue<'ctx>; 3]) {
        let arguments = arguments.map(Into::into);
        let reported = self.call_frame(frame, offset_of!(Frame, chunk), self.chunk_type(), &arguments);
        if let Chunk::Section { .. } = chunk {
            // The address that it returns to tells a tool which section it is.
            reported.add_attribute(AttributeLoc::Function, self.nomerge());
        }
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

// A second, reporting copy of a loop over chunks, chosen once per execution.

impl<'ctx> Emitter<'ctx> {
    /// Leaves the loop as it is and puts a reporting copy beside it. Where nothing stands between the loop and the call that starts it, a
    /// loop that somebody asked about goes to its copy at once: gives where that begins. Else a test chooses.
    pub(super) fn two_copies(
        &self,
        function: FunctionValue<'ctx>,
        found: &FoundLoop,
        chunks: &Chunks,
        frame: PointerValue<'ctx>,
        behind: Option<BasicBlock<'ctx>>,
    ) -> Option<BasicBlock<'ctx>> {
        // A block to choose in, and one before the header that is copied with the loop, so that the
        // copy's PHIs have an operand for the way in.
        let choice = self.split_edge(entry_of(chunks), chunks.header);
        let way_in = self.split_edge(choice, chunks.header);
        let (copies, copy) = cloned(way_in, chunks);
        let Some(&way_in_copy) = copies.first() else { panic!("a copy without a block") };
        let begin_of_copy = block(way_in_copy.raw());

        // What an optimizer took out of the loop may stand between, and what computes the bounds of a canonical loop.
        let behind = behind.and_then(|behind| Block::new(behind.as_mut_ptr()));
        let follows = behind.is_some_and(|behind| only_leads_to(behind, choice));
        if let (Some(terminator), false) = (choice.terminator(), follows) {
            self.replace(terminator);
            self.branch_seldom_if(self.non_zero(self.on(frame)), begin_of_copy, block(way_in.raw()));
        }

        let Some(terminator) = way_in_copy.terminator() else { panic!("a copied block has no end") };
        self.before(terminator);
        let guard = Guard::Copy { on: self.on(frame), may_be_changed: found.change.is_ok() && !chunks.is_dealt() };
        self.leave_on_exits(function, &copy, frame, guard);
        self.report(function, found, &copy, frame, guard);
        follows.then_some(begin_of_copy)
    }
}

/// The block from which control comes to the loop.
fn entry_of(chunks: &Chunks) -> Block {
    let inside = |block: &Block| chunks.blocks.contains(block);
    let mut before = chunks.header.predecessors().into_iter();
    match before.find(|block| !inside(block)) {
        Some(entry) => entry,
        None => panic!("a loop without an entry"),
    }
}

/// Copies of the way in and of the loop's blocks, in that order, and the loop as it is found in the copy.
fn cloned(way_in: Block, chunks: &Chunks) -> (Vec<Block>, Chunks) {
    let blocks = chunks.blocks.iter().map(|block| block.raw());
    let originals: Vec<_> = std::iter::once(way_in.raw()).chain(blocks).collect();
    let mut copies = vec![std::ptr::null_mut(); originals.len()];
    let mut watched = watched(chunks);
    // SAFETY: blocks of one function that the plan found free of obstacles; `copies` has room.
    unsafe {
        ffi::oc_clone(originals.as_ptr(), originals.len(), copies.as_mut_ptr(), watched.as_mut_ptr(), watched.len());
    }
    let copy_of = |original: Block| {
        let index = originals.iter().position(|&block| block == original.raw());
        let copy = index.and_then(|index| Block::new(copies[index]));
        copy.unwrap_or(original)
    };
    let copy = copied(chunks, &watched, copy_of);
    let copies = copies.iter().filter_map(|&raw| Block::new(raw)).collect();
    (copies, copy)
}

/// The values of a loop that its copy must find again.
fn watched(chunks: &Chunks) -> [LLVMValueRef; 6] {
    let at = match chunks.place {
        ProgramPoint::Edge { branch, .. } => branch,
        ProgramPoint::Before(instruction) => instruction,
    };
    let [a, b, c, d] = match chunks.chunk {
        Chunk::Variables { last } | Chunk::Iteration { last, .. } | Chunk::Dealt { last, .. } => [last; 4],
        Chunk::Section { .. } => [chunks.advance; 4],
        Chunk::Counted { lower, count, progress } => {
            let (number, chunks) = progress.unwrap_or((count, count));
            [lower, count, number, chunks]
        }
    };
    [at, chunks.advance, a, b, c, d].map(Value::raw)
}

/// The same loop in the copied blocks; `values` are the copies of [`watched`].
fn copied(chunks: &Chunks, values: &[LLVMValueRef; 6], copy_of: impl Fn(Block) -> Block) -> Chunks {
    // SAFETY: the copies of values of the loop, or values that the loop only uses.
    let values = values.map(|raw| unsafe { Value::from_raw(raw) });
    let [Some(at), Some(advance), Some(a), Some(b), Some(c), Some(d)] = values else {
        panic!("a copied value has no copy")
    };
    Chunks {
        header: copy_of(chunks.header),
        blocks: Vec::new(),
        exits: chunks.exits.iter().map(|&(from, to)| (copy_of(from), to)).collect(),
        starts: chunks.starts.iter().copied().map(&copy_of).collect(),
        place: match chunks.place {
            ProgramPoint::Edge { to, .. } => ProgramPoint::Edge { branch: at, to: copy_of(to) },
            ProgramPoint::Before(_) => ProgramPoint::Before(at),
        },
        chunk: match chunks.chunk {
            Chunk::Variables { .. } => Chunk::Variables { last: a },
            Chunk::Iteration { variable, .. } => Chunk::Iteration { variable, last: a },
            Chunk::Section { variable } => Chunk::Section { variable },
            Chunk::Dealt { first, .. } => Chunk::Dealt { last: a, first },
            Chunk::Counted { progress, .. } => {
                Chunk::Counted { lower: a, count: b, progress: progress.map(|_| (c, d)) }
            }
        },
        test: chunks.test,
        advance,
    }
}
