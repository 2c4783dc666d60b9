//! A second, reporting copy of a loop over chunks, chosen once per execution.

use inkwell::basic_block::BasicBlock;
use inkwell::llvm_sys::prelude::LLVMValueRef;
use inkwell::values::{FunctionValue, PointerValue};

use super::Emitter;
use super::code::block;
use super::ends::only_leads_to;
use super::terms::Guard;
use crate::ffi;
use crate::find::{Chunk, Chunks, FoundLoop, Place};
use crate::llvm::{Block, Value};

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
