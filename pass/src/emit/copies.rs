//! A second, reporting copy of a loop over chunks, chosen once per execution.

use inkwell::basic_block::BasicBlock;
use inkwell::llvm_sys::prelude::LLVMValueRef;
use inkwell::values::FunctionValue;
use ompchunk_abi::ENTER_TIMED;

use super::code::{block, built};
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
        let inside = |block: &Block| chunks.blocks.contains(block);
        let entry = chunks
            .header
            .predecessors()
            .into_iter()
            .find(|block| !inside(block));
        let Some(entry) = entry else {
            panic!("a loop without an entry")
        };
        // A block to choose in, and one before the header that is copied with the loop, so that the
        // copy's PHIs have an operand for the way in.
        let choice = self.split_edge(entry, chunks.header);
        let way_in = self.split_edge(choice, chunks.header);

        let originals: Vec<_> = std::iter::once(way_in.raw())
            .chain(chunks.blocks.iter().map(|block| block.raw()))
            .collect();
        let mut copies = vec![std::ptr::null_mut(); originals.len()];
        let mut watched = watched(chunks);
        // SAFETY: blocks of one function that the plan found free of obstacles; `copies` has room.
        unsafe {
            ffi::oc_clone(
                originals.as_ptr(),
                originals.len(),
                copies.as_mut_ptr(),
                watched.as_mut_ptr(),
                watched.len(),
            );
        }
        let copy_of = |original: Block| {
            let index = originals.iter().position(|&block| block == original.raw());
            index
                .and_then(|index| Block::new(copies[index]))
                .unwrap_or(original)
        };
        let copy = copied(chunks, &watched, copy_of);
        let copies: Vec<Block> = copies.iter().filter_map(|&raw| Block::new(raw)).collect();

        let leaves = |from: &Block| {
            let from = *from;
            let to = from.successors().into_iter();
            to.filter(|to| !copies.contains(to))
                .map(move |to| (from, to))
                .collect::<Vec<_>>()
        };
        let mut exits: Vec<Edge> = copies.iter().flat_map(leaves).collect();

        if let Some(terminator) = choice.terminator() {
            self.replace(terminator);
        }
        let on = self.load(self.i32, slot.on).into_int_value();
        let way_in_copy = copy_of(way_in);
        self.branch_seldom_if(
            self.non_zero(on),
            block(way_in_copy.raw()),
            block(way_in.raw()),
        );

        let Some(terminator) = way_in_copy.terminator() else {
            panic!("a copied block has no end")
        };
        self.before(terminator);
        // A dealt execution comes from elsewhere.
        let on = match way_out {
            Some(_) => self.load(self.i32, slot.on).into_int_value(),
            None => on,
        };
        let timed = built(self.builder.build_and(
            on,
            self.i32.const_int(ENTER_TIMED.into(), false),
            "",
        ));
        let dealt = way_out.map(|_| self.dealt(on));
        let guard = Guard::Copy {
            timed: self.non_zero(timed),
            dealt,
        };
        self.leave_on_exits(function, &copy, slot, guard);
        if !chunks.is_dealt() {
            self.bookkeeping_before(function, terminator, slot, guard);
        }
        exits.extend(self.report(function, call, &copy, slot, guard, way_out));
        Copy {
            exits,
            way_in: block(way_in_copy.raw()),
        }
    }
}

/// The values of a loop that its copy must find again.
fn watched(chunks: &Chunks) -> [LLVMValueRef; 6] {
    let at = match chunks.place {
        Place::Edge { branch, .. } => branch,
        Place::Before(instruction) => instruction,
    };
    let [a, b, c, d] = match chunks.chunk {
        Chunk::Variables { last } | Chunk::Iteration { last, .. } | Chunk::Dealt { last, .. } => {
            [last; 4]
        }
        Chunk::Counted {
            lower,
            count,
            progress,
        } => {
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
        exits: chunks
            .exits
            .iter()
            .map(|&(from, to)| (copy_of(from), to))
            .collect(),
        place: match chunks.place {
            Place::Edge { to, .. } => Place::Edge {
                branch: at,
                to: copy_of(to),
            },
            Place::Before(_) => Place::Before(at),
        },
        chunk: match chunks.chunk {
            Chunk::Variables { .. } => Chunk::Variables { last: a },
            Chunk::Iteration { variable, .. } => Chunk::Iteration { variable, last: a },
            Chunk::Dealt { first, .. } => Chunk::Dealt { last: a, first },
            Chunk::Counted { progress, .. } => Chunk::Counted {
                lower: a,
                count: b,
                progress: progress.map(|_| (c, d)),
            },
        },
        test: chunks.test,
        advance,
    }
}
