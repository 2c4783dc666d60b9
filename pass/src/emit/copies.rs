//! A second, reporting copy of a loop over chunks, chosen once per execution.

use inkwell::basic_block::BasicBlock;
use inkwell::llvm_sys::prelude::LLVMValueRef;
use inkwell::values::{FunctionValue, IntValue};
use ompchunk_abi::ENTER_TIMED;

use super::code::{block, built};
use super::ends::only_leads_to;
use super::terms::Guard;
use super::{Edge, Emitter, Slot};
use crate::ffi;
use crate::find::{Call, Chunk, Chunks, Place};
use crate::llvm::{Block, Value};

/// A copy of a loop.
pub(super) struct Copy<'ctx> {
    /// The edges on which control leaves it.
    pub(super) exits: Vec<Edge>,
    /// The block before its header.
    pub(super) way_in: BasicBlock<'ctx>,
    /// Where it is chosen.
    choice: Block,
}

impl Copy<'_> {
    /// Does a block do nothing but lead to where the copy is chosen? What an optimizer took out of the loop may stand
    /// between, and what computes the bounds of a canonical loop.
    pub(super) fn follows(&self, behind: BasicBlock<'_>) -> bool {
        let behind = Block::new(behind.as_mut_ptr());
        behind.is_some_and(|behind| only_leads_to(behind, self.choice))
    }
}

impl<'ctx> Emitter<'ctx> {
    /// Leaves the loop as it is and puts a reporting copy beside it. With a `way_out`, the runtime may deal the
    /// copy's chunks, one at a time.
    pub(super) fn two_copies(
        &self,
        function: FunctionValue<'ctx>,
        call: &Call,
        chunks: &Chunks,
        slot: Slot<'ctx>,
        way_out: Option<Block>,
    ) -> Copy<'ctx> {
        // A block to choose in, and one before the header that is copied with the loop, so that the
        // copy's PHIs have an operand for the way in.
        let choice = self.split_edge(entry_of(chunks), chunks.header);
        let way_in = self.split_edge(choice, chunks.header);
        let (copies, copy) = cloned(way_in, chunks);
        let Some(&way_in_copy) = copies.first() else { panic!("a copy without a block") };
        let mut exits = edges_out_of(&copies);

        if let Some(terminator) = choice.terminator() {
            self.replace(terminator);
        }
        let on = self.load(self.i32, slot.on).into_int_value();
        let is_on = self.non_zero(on);
        self.branch_seldom_if(is_on, block(way_in_copy.raw()), block(way_in.raw()));

        let Some(terminator) = way_in_copy.terminator() else { panic!("a copied block has no end") };
        self.before(terminator);
        let guard = self.guard_of_copy(slot, on, way_out.is_some());
        self.leave_on_exits(function, &copy, slot, guard);
        if !chunks.is_dealt() {
            self.bookkeeping_before(function, terminator, slot, guard);
        }
        exits.extend(self.report(function, call, &copy, slot, guard, way_out));
        Copy { exits, way_in: block(way_in_copy.raw()), choice }
    }

    /// What the copy tests, computed once where it begins. `on`: what stands in the slot where the copy is chosen.
    fn guard_of_copy(&self, slot: Slot<'ctx>, on: IntValue<'ctx>, may_be_dealt: bool) -> Guard<'ctx> {
        // A dealt execution comes from elsewhere.
        let on = match may_be_dealt {
            true => self.load(self.i32, slot.on).into_int_value(),
            false => on,
        };
        let timed = self.i32.const_int(ENTER_TIMED.into(), false);
        let timed = built(self.builder.build_and(on, timed, ""));
        let dealt = may_be_dealt.then(|| self.dealt(on));
        Guard::Copy { timed: self.non_zero(timed), dealt }
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

/// On which control leaves these blocks.
fn edges_out_of(blocks: &[Block]) -> Vec<Edge> {
    let leaves = |from: Block| {
        let outside = from.successors().into_iter().filter(|to| !blocks.contains(to));
        outside.map(move |to| (from, to))
    };
    blocks.iter().flat_map(|from| leaves(*from)).collect()
}

/// The values of a loop that its copy must find again.
fn watched(chunks: &Chunks) -> [LLVMValueRef; 6] {
    let at = match chunks.place {
        Place::Edge { branch, .. } => branch,
        Place::Before(instruction) => instruction,
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
            Place::Edge { to, .. } => Place::Edge { branch: at, to: copy_of(to) },
            Place::Before(_) => Place::Before(at),
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
