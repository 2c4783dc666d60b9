//! Around the creation of a task, in one of two forms:
//!
//! ```text
//! a copy of the way:  if (*module.state & TASKS) { tell(one?); copy, in which wait -> tell(WAITS); wait; tell(WAITS)
//!                                                        and handed over -> tell(CREATED) }
//!                     else the way as it was
//! tests:              the same calls, each behind a test of the word
//!
//! tell(what) = begin(stack pointer, what, module)
//! ```
//!
//! No variable is kept from one call to the next, and nothing of the function's stack is handed out: what a function
//! needs of it stays what it was, and calls that jump go on to do so.

use inkwell::intrinsics::Intrinsic;
use inkwell::types::BasicType;
use inkwell::values::{IntValue, PointerValue};
use ompchunk_abi::LISTENING_TASKS;

use super::Emitter;
use super::code::{Taken, split_before};
use super::emitter::Piece;
use super::loop_rewrite::copies;
use crate::find::task::{Creation, places};
use crate::llvm::Value;
use crate::llvm::typed::{block, own_block, value};

impl<'ctx> Emitter<'ctx> {
    /// Times the creations of one function, each with a copy of the way from allocation to start or without.
    pub fn time_creations(&mut self, function: Value, creations: &[(Creation, bool)]) {
        self.begin(function);
        for (creation, is_copied) in creations {
            self.mark_done(creation.alloc);
            if *is_copied { self.two_ways(creation) } else { self.one_way(creation) }
        }
    }

    fn two_ways(&self, creation: &Creation) {
        self.locate(creation.alloc);
        for behind in creation.ends.iter().filter_map(|end| end.next()) {
            split_before(behind);
        }
        let plain = self.open_before(creation.alloc);
        let wanted = self.wanted();
        let ask = self.cold_block();
        self.branch_if(Taken::Seldom, wanted, ask, plain);

        let first = own_block(plain.as_mut_ptr());
        let mut calls: Vec<_> = creation.waits.iter().chain(&creation.ends).map(|call| call.raw()).collect();
        let copies = copies(&creation.way(first), &mut calls);
        let calls: Vec<Value> = calls.into_iter().map(value).collect();
        let (waits, ends) = calls.split_at(creation.waits.len());
        self.at_end(ask);
        let begun = self.stack_pointer();
        // An array of variable size on the way moves the stack pointer; else asking anew is cheaper than keeping it.
        let moves = creation.allocates_on_way(first);
        self.call_begin(creation.begins(), begun);
        self.branch(block(copies[0].raw()));
        for (call, place, what) in places(waits, ends) {
            self.locate(call);
            self.before(place);
            self.call_begin(what, if moves { begun } else { self.stack_pointer() });
        }
    }

    fn one_way(&self, creation: &Creation) {
        let moves = creation.alloc.block().is_some_and(|first| creation.allocates_on_way(first));
        let begun = moves.then(|| {
            self.locate(creation.alloc);
            self.before(creation.alloc);
            self.stack_pointer()
        });
        let first = [(creation.alloc, creation.alloc, creation.begins())];
        for (_, place, what) in first.into_iter().chain(places(&creation.waits, &creation.ends)) {
            self.locate(place);
            let pointer = || begun.unwrap_or_else(|| self.stack_pointer());
            if self.is_counted {
                self.before(place);
                self.aside(place, Piece::Tell(what), pointer(), &[]);
            } else {
                self.tell_if(place, what, pointer);
            }
        }
    }

    /// `if (*module.state & TASKS) tell(what)`, before an instruction.
    pub fn tell_if(&self, before: Value, what: usize, pointer: impl FnOnce() -> PointerValue<'ctx>) {
        self.if_before(before, Taken::Rarely, || self.wanted(), |_| self.call_begin(what, pointer()));
    }

    fn wanted(&self) -> IntValue<'ctx> {
        self.non_zero(self.asked(LISTENING_TASKS))
    }

    fn call_begin(&self, what: usize, pointer: PointerValue<'ctx>) {
        let begin = self.current_entry();
        let what = self.i64.const_int(what as u64, false).const_to_pointer(self.ptr);
        // Nobody reads the others, which would take room on the stack.
        self.call_for(self.ptr, begin, &[pointer.into(), what.into(), self.record().into()]);
    }

    /// Stack pointer of the function that creates: the name of a creation.
    fn stack_pointer(&self) -> PointerValue<'ctx> {
        let declared = Intrinsic::find("llvm.stacksave").and_then(|intrinsic| {
            let overloaded = [self.ptr.as_basic_type_enum()];
            let types = if intrinsic.is_overloaded() { &overloaded[..] } else { &[] };
            intrinsic.get_declaration(&self.module, types)
        });
        let function = declared.expect("LLVM has no llvm.stacksave").as_global_value().as_pointer_value();
        self.call_for(self.ptr, function, &[]).into_pointer_value()
    }
}
