//! Where a loop ends.
//!
//! ```text
//!   before each fini:   if (frame.on) {
//!                         end = frame.leave(frame, loop or null)
//!                         if (end == RUNS_MORE) goto where the loop begins     // at the one end of a loop that can be changed
//!                         if (end == HAS_ENDED) goto behind the fini
//!                       }
//! ```

use std::mem::offset_of;

use inkwell::IntPredicate;
use inkwell::basic_block::BasicBlock;
use inkwell::values::{FunctionValue, IntValue, PointerValue};
use ompchunk_abi::{Frame, RUNS_MORE};

use super::Emitter;
use super::code::{block, built};
use super::terms::Piece;
use crate::ffi;
use crate::llvm::{Block, Value, counts_lines};

/// What an execution does at an end.
#[derive(Clone, Copy)]
pub(super) enum AtEnd<'ctx> {
    /// It leaves.
    Leave,
    /// It leaves, and perhaps skips the runtime's call, since it was changed.
    Skip,
    /// It may have more to run of the loop with that record, which begins there.
    Again { record: PointerValue<'ctx>, begin: BasicBlock<'ctx> },
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
        let the_loop = match at_end {
            AtEnd::Again { record, .. } => record,
            AtEnd::Leave | AtEnd::Skip => self.ptr.const_null(),
        };
        let answer = self.leave(frame, the_loop);
        let (AtEnd::Skip | AtEnd::Again { .. }, Some(next)) = (at_end, end.next()) else {
            return self.branch(go_on);
        };
        // SAFETY: an instruction of the module, whose block has a terminator.
        let behind = block(unsafe { ffi::oc_split_before(next.raw()) });
        let changed = self.cold_block(function);
        self.branch_if(self.non_zero(answer), changed, go_on);
        self.at_end(changed);
        match at_end {
            AtEnd::Again { begin, .. } => {
                let more = self.i32.const_int(RUNS_MORE.into(), false);
                let has_more = self.builder.build_int_compare(IntPredicate::EQ, answer, more, "");
                self.branch_if(built(has_more), begin, behind);
            }
            AtEnd::Leave | AtEnd::Skip => self.branch(behind),
        }
    }

    /// `frame.leave(frame, loop)`
    pub(super) fn leave(&self, frame: PointerValue<'ctx>, the_loop: PointerValue<'ctx>) -> IntValue<'ctx> {
        let answer = self.call_frame(frame, offset_of!(Frame, leave), self.leave_type(), &[the_loop.into()]);
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
