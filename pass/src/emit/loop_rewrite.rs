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
use inkwell::values::{BasicValueEnum, IntValue, PointerValue};
use ompchunk_abi::{Frame, ON_CHANGED, ON_LISTENING, ON_TIMED};

use crate::emit::Emitter;
use crate::emit::chunk_bounds::Bounds;
use crate::emit::code::{Taken, built};
use crate::emit::emitter::{Known, Piece};
use crate::emit::endpoints::{AtEnd, Begun};
use crate::ffi;
use crate::find::{Call, Chunk, Chunks, Form, FoundLoop, ProgramPoint};
use crate::instrumentation_plan::Plan;
use crate::llvm::typed::{block, own_block, value};
use crate::llvm::{Block, Value};

impl<'ctx> Emitter<'ctx> {
    /// All but its ends. Gives what it does at the one where it is asked whether there is more, if there is one.
    pub fn rewrite(&mut self, found: &FoundLoop, plan: Plan, frame: PointerValue<'ctx>) -> Option<AtEnd<'ctx>> {
        let record = self.loop_record(found);
        let begun = self.begin_if_wanted(found, plan, frame, record);
        let mut goes_to = begun.map(|begun| begun.behind);
        match &found.form {
            Form::Range { .. } if found.tells_bounds() && !self.is_counted => {}
            Form::Range { before, chunk, .. } => self.range(&found.call, *before, *chunk, frame),
            Form::Chunks(chunks) if plan == Plan::TwoCopies => {
                // One that is dealt in the source may run under another schedule of which nobody wants to know more.
                let behind = begun.filter(|_| !chunks.is_dealt()).map(|begun| begun.behind);
                let copy = self.two_copies(found, chunks, frame, behind);
                // So that the original is no part of what runs again and again.
                goes_to = copy.or(goes_to);
            }
            Form::Chunks(chunks) => self.report(found, chunks, frame, None),
        }
        self.mark_done(found.call.instruction);
        let (Begun { end, apart, .. }, begin) = (begun?, goes_to?);
        let joins = found.change.ok().and_then(|change| change.joins);
        if joins.is_none() {
            self.at_end(end);
            if !found.call.entry.dealt {
                self.advance(frame, offset_of!(Frame, advance), apart);
            }
            self.branch(begin);
        }
        // The optimizer spoils loops over chunks to which a way back seems to be taken often.
        let taken = if plan == Plan::OneChunk { Taken::Next } else { Taken::Seldom };
        Some(AtEnd::Again { begin, taken, joined: joins.map(|before| (end, before)), apart })
    }

    fn range(&self, call: &Call, before: Value, chunk: Chunk, frame: PointerValue<'ctx>) {
        // The end of a block is a jump without code, in whose line no debugger stops.
        self.locate(before.previous().unwrap_or(before));
        let only = self.number(1);
        if self.is_counted {
            self.before(before);
            let bounds = self.bounds(call, chunk);
            let is_one = self.is_not_empty(call, chunk, bounds);
            let [lower, upper, _] = self.chunk_arguments(call, bounds, only);
            return self.aside(before, Piece::Chunk, frame, &[lower, upper, only, is_one].map(Into::into));
        }
        // Alone in its block it becomes code.
        self.relocate(before);
        let reports = || self.has_bits(self.on(frame), ON_LISTENING);
        self.if_before(before, Taken::Rarely, reports, |go_on| {
            let report = self.cold_block();
            let bounds = self.bounds(call, chunk);
            self.branch_if(Taken::Perhaps, self.is_not_empty(call, chunk, bounds), report, go_on);

            self.at_end(report);
            self.call_chunk(chunk, frame, self.chunk_arguments(call, bounds, only));
        });
    }

    fn report(&self, found: &FoundLoop, chunks: &Chunks, frame: PointerValue<'ctx>, known: Known<'ctx>) {
        for &(from, to) in &chunks.exits {
            // SAFETY: `from` branches to `to`, not by an address.
            let place = self.insertion_point(to, || own_block(unsafe { ffi::oc_split_exit(from.raw(), to.raw()) }));
            if known.is_none() {
                self.leave_before(place, frame, AtEnd::Leave, false);
            } else {
                self.before(place);
                self.advance(frame, offset_of!(Frame, leave), None);
            }
        }
        self.locate(chunks.advance);
        let way_out = found.change.ok().and_then(|change| change.way_out);
        self.step_before(chunks.advance, way_out, frame, known);
        // The copy reports always, unless it is dealt and need not be.
        let always = known.is_some() && (found.change.is_err() || chunks.is_dealt());
        let (call, chunk) = (&found.call, chunks.chunk);
        let arguments = || {
            let bounds = self.bounds(call, chunk);
            self.chunk_arguments(call, bounds, self.is_last(call, chunk, bounds))
        };
        let reports = || self.has_bits(known.unwrap_or_else(|| self.on(frame)), ON_LISTENING);
        for place in self.places(chunks) {
            self.locate(place);
            if self.is_counted {
                self.before(place);
                let ([lower, upper, is_last], is_one) = (arguments(), self.context.bool_type().const_int(1, false));
                self.aside(place, Piece::Chunk, frame, &[lower, upper, is_last, is_one].map(Into::into));
            } else if always {
                self.before(place);
                self.call_chunk(chunk, frame, arguments());
            } else {
                self.if_before(place, taken(known), reports, |_| self.call_chunk(chunk, frame, arguments()));
            }
        }
    }

    fn places(&self, chunks: &Chunks) -> Vec<Value> {
        if !chunks.starts.is_empty() {
            return chunks.starts.iter().filter_map(|start| start.first()).collect();
        }
        match chunks.place {
            ProgramPoint::Before(instruction) => vec![instruction],
            ProgramPoint::Edge { branch, to } => {
                let from = branch.block().expect("a branch without a block");
                vec![self.insertion_point(to, || split_edge(from, to))]
            }
        }
    }

    /// The bookkeeping begins, or a changed execution leaves the loop as after its last chunk. One test for both.
    pub fn step_before(&self, advance: Value, way_out: Option<Block>, frame: PointerValue<'ctx>, known: Known<'ctx>) {
        if self.is_counted {
            return self.aside(advance, Piece::Bookkeeping, frame, &[]);
        }
        let go_on = self.open_before(advance);
        let (unusual, timed) = (self.cold_block(), self.cold_block());
        let mask = if way_out.is_some() { ON_CHANGED | ON_TIMED } else { ON_TIMED };
        let on = known.unwrap_or_else(|| self.on(frame));
        self.branch_if(taken(known), self.has_bits(on, mask), unusual, go_on);

        self.at_end(unusual);
        match way_out {
            Some(way_out) => {
                self.branch_if(Taken::Perhaps, self.has_bits(on, ON_CHANGED), block(way_out.raw()), timed);
            }
            None => self.branch(timed),
        }
        self.at_end(timed);
        self.call_frame(frame, offset_of!(Frame, bookkeeping), &[]);
        self.branch(go_on);
    }

    /// The test of an aside: `if (on && wanted) frame.chunk(frame, chunk…)`
    pub fn chunk_before(&self, instruction: Value, frame: PointerValue<'ctx>, arguments: &[BasicValueEnum<'ctx>]) {
        let wanted = arguments[3].into_int_value();
        let reports = || built(self.builder.build_and(self.is_on(frame, false), wanted, ""));
        self.if_before(instruction, Taken::Rarely, reports, |_| {
            self.call_frame(frame, offset_of!(Frame, chunk), &arguments[..3]);
        });
    }

    fn chunk_arguments(&self, call: &Call, bounds: Bounds<'ctx>, is_last: IntValue<'ctx>) -> [IntValue<'ctx>; 3] {
        [self.wide(call, bounds.lower), self.wide(call, bounds.upper), is_last]
    }

    fn call_chunk(&self, chunk: Chunk, frame: PointerValue<'ctx>, arguments: [IntValue<'ctx>; 3]) {
        let reported = self.call_frame(frame, offset_of!(Frame, chunk), &arguments.map(Into::into));
        if let Chunk::Section { .. } = chunk {
            // The address that it returns to tells a tool which section it is.
            reported.add_attribute(AttributeLoc::Function, self.attribute("nomerge"));
        }
    }

    /// Before the end of a block on the way, or, where blocks are counted, in `to` itself if nothing else leads there.
    fn insertion_point(&self, to: Block, split: impl FnOnce() -> Block) -> Value {
        let place = if self.is_counted && to.predecessors().len() == 1 {
            to.instructions().find(|value| !value.is_phi())
        } else {
            split().terminator()
        };
        place.expect("a block without an end")
    }

    /// Gives where the copy begins if nothing stands between the call that starts the loop and it; else a test chooses.
    fn two_copies(
        &self,
        found: &FoundLoop,
        chunks: &Chunks,
        frame: PointerValue<'ctx>,
        behind: Option<BasicBlock<'ctx>>,
    ) -> Option<BasicBlock<'ctx>> {
        // The way in is copied with the loop, so that the copy's PHIs have an operand for it.
        let mut before = chunks.header.predecessors().into_iter();
        let entry = before.find(|block| !chunks.blocks.contains(block)).expect("a loop without an entry");
        let choice = split_edge(entry, chunks.header);
        let way_in = split_edge(choice, chunks.header);
        let (way_in_copy, copy) = cloned(way_in, chunks);
        let begin_of_copy = block(way_in_copy.raw());

        // What an optimizer took out of the loop may stand between, and what computes the bounds of a canonical loop.
        let behind = behind.and_then(|behind| Block::new(behind.as_mut_ptr()));
        let follows = behind.is_some_and(|behind| behind.leads_only_to(choice));
        if let (Some(terminator), false) = (choice.terminator(), follows) {
            self.replace(terminator);
            self.branch_if(Taken::Seldom, self.is_on(frame, false), begin_of_copy, block(way_in.raw()));
        }

        self.before(way_in_copy.terminator().expect("a copied block has no end"));
        let known = Some(self.on(frame));
        self.report(found, &copy, frame, known);
        follows.then_some(begin_of_copy)
    }
}

fn taken(known: Known) -> Taken {
    if known.is_some() { Taken::Perhaps } else { Taken::Rarely }
}

fn split_edge(from: Block, to: Block) -> Block {
    // SAFETY: `from` branches to `to`.
    own_block(unsafe { ffi::oc_split_edge(from.raw(), to.raw()) })
}

/// Copies of blocks of one function, in their order. Each of the values is replaced by its copy, if it has one.
pub fn copies(blocks: &[Block], values: &mut [LLVMValueRef]) -> Vec<Block> {
    let originals: Vec<_> = blocks.iter().map(|block| block.raw()).collect();
    let mut copies = vec![std::ptr::null_mut(); originals.len()];
    // SAFETY: blocks of one function that the plan found free of obstacles; `copies` has room.
    unsafe {
        ffi::oc_clone(originals.as_ptr(), originals.len(), copies.as_mut_ptr(), values.as_mut_ptr(), values.len());
    }
    copies.into_iter().map(own_block).collect()
}

/// Gives the copy of the way in, too.
fn cloned(way_in: Block, chunks: &Chunks) -> (Block, Chunks) {
    let originals = [&[way_in], &chunks.blocks[..]].concat();
    let mut copy = chunks.clone();
    let mut values: Vec<LLVMValueRef> = copy.values().into_iter().map(|value| value.raw()).collect();
    let copies = copies(&originals, &mut values);
    for (place, copied) in copy.values().into_iter().zip(values) {
        *place = value(copied);
    }
    copy.move_to(&originals, &copies);
    (copies[0], copy)
}
