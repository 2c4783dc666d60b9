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

use std::mem::offset_of;

use inkwell::intrinsics::Intrinsic;
use inkwell::llvm_sys::LLVMAtomicOrdering;
use inkwell::llvm_sys::prelude::LLVMBasicBlockRef;
use inkwell::types::BasicType;
use inkwell::values::{FunctionValue, IntValue, PointerValue};
use ompchunk_abi::{CREATED, CREATES_ANY, CREATES_ONE, LISTENING_TASKS, ModuleRecord, WAITS};

use super::Emitter;
use super::code::block;
use crate::ffi;
use crate::find::task::Creation;
use crate::llvm::{Block, Value, counts_lines};
use crate::plan::Ways;

impl<'ctx> Emitter<'ctx> {
    /// Times the creations of one function.
    pub fn time_creations(&mut self, function: Value, creations: &[(Creation, Ways)]) {
        self.module_record();
        // SAFETY: `function` is a function of the module.
        let Some(function) = (unsafe { FunctionValue::new(function.raw()) }) else {
            return;
        };
        for (creation, ways) in creations {
            self.mark_done(creation.alloc);
            match ways {
                Ways::Two => self.two_ways(function, creation),
                Ways::Tested => self.one_way(function, creation),
            }
        }
    }

    /// Leaves the way from allocation to start as it is and puts a reporting copy beside it.
    fn two_ways(&self, function: FunctionValue<'ctx>, creation: &Creation) {
        self.locate(creation.alloc);
        for end in &creation.ends {
            if let Some(next) = end.next() {
                // SAFETY: an instruction of the module, whose block has a terminator.
                unsafe { ffi::oc_split_before(next.raw()) };
            }
        }
        let plain = self.open_before(creation.alloc);
        let wanted = self.wanted();
        let ask = self.cold_block(function);
        self.branch_seldom_if(wanted, ask, plain);

        let Some(first) = Block::new(plain.as_mut_ptr()) else { panic!("a block that is none") };
        let copy = copy_way(creation, first);
        self.at_end(ask);
        let begun = self.stack_pointer();
        // Where an array of variable size is made on the way, the stack pointer moves; else asking anew is cheaper
        // than keeping it.
        let moves = allocates_on(creation, first);
        self.say(begins(creation), begun);
        self.branch(block(copy.first));
        let tell = |before: Value, what: usize| {
            self.before(before);
            let place = if moves { begun } else { self.stack_pointer() };
            self.say(what, place);
        };
        for wait in copy.waits {
            self.locate(wait);
            tell(wait, WAITS);
            if let Some(after) = wait.next() {
                tell(after, WAITS);
            }
        }
        for end in copy.ends {
            self.locate(end);
            if let Some(after) = end.next() {
                tell(after, CREATED);
            }
        }
    }

    /// Asks anew at each of these places.
    fn one_way(&self, function: FunctionValue<'ctx>, creation: &Creation) {
        let moves = creation.alloc.block();
        let begun = moves.filter(|&first| allocates_on(creation, first)).map(|_| {
            self.locate(creation.alloc);
            self.before(creation.alloc);
            self.stack_pointer()
        });
        let tell = |before: Value, what: usize| {
            self.locate(before);
            let place = || begun.unwrap_or_else(|| self.stack_pointer());
            if counts_lines(function.into()) {
                self.before(before);
                self.aside_tell(what, place());
            } else {
                self.tell_if(function, before, what, place);
            }
        };
        tell(creation.alloc, begins(creation));
        for &wait in &creation.waits {
            tell(wait, WAITS);
            if let Some(after) = wait.next() {
                tell(after, WAITS);
            }
        }
        for end in &creation.ends {
            if let Some(after) = end.next() {
                tell(after, CREATED);
            }
        }
    }

    /// `if (*module.state & TASKS) tell(what)`, before an instruction.
    pub(super) fn tell_if(
        &self,
        function: FunctionValue<'ctx>,
        before: Value,
        what: usize,
        place: impl FnOnce() -> PointerValue<'ctx>,
    ) {
        let go_on = self.open_before(before);
        let wanted = self.wanted();
        let tell = self.cold_block(function);
        self.branch_rarely_if(wanted, tell, go_on);
        self.at_end(tell);
        self.say(what, place());
        self.branch(go_on);
    }

    /// `*module.state & TASKS`
    fn wanted(&self) -> IntValue<'ctx> {
        self.non_zero(self.asked(LISTENING_TASKS))
    }

    /// `begin(stack pointer, what, module)`
    fn say(&self, what: usize, place: PointerValue<'ctx>) {
        let record = self.module_record_of();
        let begin_at = self.field(record, offset_of!(ModuleRecord, begin));
        let acquire = LLVMAtomicOrdering::LLVMAtomicOrderingAcquire;
        let begin = self.load_atomic(self.ptr, begin_at, 8, acquire).into_pointer_value();
        let what = self.i64.const_int(what as u64, false).const_to_pointer(self.ptr);
        // Nobody reads the others, which would take room on the stack.
        let ptr = self.ptr.into();
        let signature = self.ptr.fn_type(&[ptr, ptr, ptr], false);
        self.call(signature, begin, &[place.into(), what.into(), record.into()]);
    }

    /// Stack pointer of the function that creates: the name of a creation.
    pub(super) fn stack_pointer(&self) -> PointerValue<'ctx> {
        let declared = Intrinsic::find("llvm.stacksave").and_then(|intrinsic| {
            let overloaded = [self.ptr.as_basic_type_enum()];
            let types = match intrinsic.is_overloaded() {
                true => &overloaded[..],
                false => &[],
            };
            intrinsic.get_declaration(&self.module, types)
        });
        let Some(declared) = declared else { panic!("LLVM has no llvm.stacksave") };
        let pointer = declared.as_global_value().as_pointer_value();
        let signature = self.ptr.fn_type(&[], false);
        let saved = self.call(signature, pointer, &[]);
        saved.try_as_basic_value().unwrap_basic().into_pointer_value()
    }
}

/// A copy of the way from allocation to start.
struct Copy {
    first: LLVMBasicBlockRef,
    waits: Vec<Value>,
    ends: Vec<Value>,
}

fn copy_way(creation: &Creation, first: Block) -> Copy {
    let way = creation.way(first);
    let originals: Vec<_> = way.iter().map(|block| block.raw()).collect();
    let mut copies = vec![std::ptr::null_mut(); originals.len()];
    let calls = creation.waits.iter().chain(&creation.ends);
    let mut calls: Vec<_> = calls.map(|call| call.raw()).collect();
    // SAFETY: blocks of one function that the plan found free of obstacles; `copies` has room.
    unsafe {
        ffi::oc_clone(originals.as_ptr(), originals.len(), copies.as_mut_ptr(), calls.as_mut_ptr(), calls.len());
    }
    let copied = calls.into_iter().map(|copy| {
        // SAFETY: a call of the module, or its copy.
        match unsafe { Value::from_raw(copy) } {
            Some(copy) => copy,
            None => panic!("a copied call has no copy"),
        }
    });
    let mut waits: Vec<Value> = copied.collect();
    let ends = waits.split_off(creation.waits.len());
    Copy { first: copies[0], waits, ends }
}

/// Is memory of the stack allocated on the way, which begins in this block? (Of the block, what comes before the
/// allocation of the task is not on it.)
fn allocates_on(creation: &Creation, first: Block) -> bool {
    let on_the_way = |block: Block| {
        let before = block == first && creation.alloc.block() == Some(first);
        block.instructions().skip_while(move |&each| before && each != creation.alloc)
    };
    let way = creation.way(first);
    way.into_iter().flat_map(on_the_way).any(Value::is_alloca)
}

fn begins(creation: &Creation) -> usize {
    match creation.is_alone {
        true => CREATES_ONE,
        false => CREATES_ANY,
    }
}
