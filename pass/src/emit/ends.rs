//! Where a loop ends.

use std::mem::offset_of;

use inkwell::basic_block::BasicBlock;
use inkwell::values::{AsValueRef, FunctionValue, IntValue};
use ompchunk_abi::Frame;

use super::code::block;
use super::dealing::AtEnd;
use super::terms::{Bookkeeping, Part, Piece};
use super::{Edge, Emitter, Slot};
use crate::ffi;
use crate::llvm::{Block, Value, counts_lines};

impl<'ctx> Emitter<'ctx> {
    /// `if (on) { on = 0; frame.leave(frame) }`
    pub(super) fn leave_before(
        &self,
        function: FunctionValue<'ctx>,
        end: Value,
        slot: Slot<'ctx>,
        bookkeeping: Bookkeeping,
        at_end: AtEnd<'ctx>,
    ) {
        if counts_lines(function.into()) {
            self.before(end);
            return self.aside(Piece::Leave, slot, &[]);
        }
        if slot.shared {
            let part = Part::Leave(bookkeeping);
            return self.shared_before(function, end, slot, || (part, Vec::new()));
        }
        let go_on = self.open_before(end);
        let after = self.after(end, at_end);
        self.leave_or(function, slot, go_on, at_end, |emitter| {
            emitter.end_dealing(function, end, &[], slot, at_end, after);
        });
        self.branch(go_on);
    }

    /// `if (on) { on = 0; frame.leave(frame);`, positioned there, else to `go_on`. Gives what was loaded, and the block
    /// that leaves.
    fn leave_or(
        &self,
        function: FunctionValue<'ctx>,
        slot: Slot<'ctx>,
        go_on: BasicBlock<'ctx>,
        at_end: AtEnd<'ctx>,
        first: impl FnOnce(&Self),
    ) -> (IntValue<'ctx>, BasicBlock<'ctx>) {
        let leave = self.cold_block(function);
        let on = self.load(self.i32, slot.on).into_int_value();
        match at_end {
            // A way back to the loop that never seems to be taken lets the optimizer lay out the loop's end before its begin.
            AtEnd::Again(..) => self.branch_seldom_if(self.non_zero(on), leave, go_on),
            _ => self.branch_rarely_if(self.non_zero(on), leave, go_on),
        }

        self.at_end(leave);
        first(self);
        self.leave(slot);
        (on, leave)
    }

    /// `on = 0; frame.leave(frame)`
    pub(super) fn leave(&self, slot: Slot<'ctx>) {
        self.store(self.i32.const_zero(), slot.on);
        self.call_frame(slot, offset_of!(Frame, leave), self.frame_type(), &[]);
    }

    /// `if (on) { on = 0; frame.leave(frame); end() } else { end() }`, for the end of a loop that has a copy, which
    /// control leaves on `exits`. With an end that both share, which the optimizer puts behind the code that asks,
    /// the plain loop leaves by a longer jump, and the padding of its inner loops moves.
    pub(super) fn leave_and_end(
        &self,
        function: FunctionValue<'ctx>,
        end: Value,
        slot: Slot<'ctx>,
        exits: &[Edge],
        at_end: AtEnd<'ctx>,
    ) {
        let (Some(shared), Some(next)) = (end.block(), end.next()) else {
            return self.leave_before(function, end, slot, Bookkeeping::Here, at_end);
        };
        let ending = with_its_loads(shared, end);
        let go_on = self.open_before(ending[0]);
        // SAFETY: an instruction of the module, whose block has a terminator.
        let after = block(unsafe { ffi::oc_split_before(next.raw()) });
        let (on, leave) = self.leave_or(function, slot, go_on, at_end, |emitter| {
            emitter.end_dealing(function, end, &ending, slot, at_end, Some(after));
        });
        self.repeat(&ending);
        self.branch(after);

        // Where nothing is between, the copy knows the answer, and some compilers would ask all the same.
        let asks = shared.first().is_some_and(|first| first.raw() == on.as_value_ref());
        if asks {
            for &(from, to) in exits {
                if let (true, Some(exit)) = (only_leads_to(to, shared), from.terminator()) {
                    exit.redirect(to, leave.as_mut_ptr());
                }
            }
        }
    }
}

/// The call that ends a loop, with all before it in its block if that only loads what it needs. (clang loads the
/// thread's number in functions that it outlines.)
fn with_its_loads(block: Block, end: Value) -> Vec<Value> {
    let before = || block.instructions().take_while(move |&each| each != end);
    let mut all: Vec<Value> = before().collect();
    all.push(end);
    let needed =
        |load: Value| load.is_load() && load.is_simple_access() && load.users().iter().all(|user| all.contains(user));
    match before().all(needed) {
        true => all,
        false => vec![end],
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
