//! Around the creation of a task:
//!
//! ```text
//!   before the allocation:         if (*module.state & TASKS) on = enter(module, null, frame, one?)
//!   around a wait in between:      if (on & TIMED) frame.bookkeeping(frame)
//!   after it is handed over:       if (on) { on = 0; frame.leave(frame) }
//! ```

use inkwell::values::{FunctionValue, PointerValue};
use ompchunk_abi::{CREATES_ONE, LISTENING_TASKS};

use super::loops::Guard;
use super::{Emitter, Slot};
use crate::find::task::Creation;
use crate::llvm::Value;

impl<'ctx> Emitter<'ctx> {
    /// Times the creations of one function.
    pub fn time_creations(&mut self, function: Value, creations: &[Creation]) {
        let record = self.module_record();
        // SAFETY: `function` is a function of the module.
        let Some(function) = (unsafe { FunctionValue::new(function.raw()) }) else {
            return;
        };
        // One for all: within a creation no other of this function begins.
        let slot = self.new_slot(function);
        for creation in creations {
            self.time_creation(function, creation, slot, record);
        }
    }

    fn time_creation(
        &self,
        function: FunctionValue<'ctx>,
        creation: &Creation,
        slot: Slot<'ctx>,
        module_record: PointerValue<'ctx>,
    ) {
        self.locate(creation.alloc);
        let (null, zero) = (self.ptr.const_null(), self.i64.const_zero());
        let what = match creation.is_alone {
            true => self.i64.const_int(CREATES_ONE as u64, true),
            false => zero,
        };
        self.ask_before(
            function,
            creation.alloc,
            LISTENING_TASKS,
            slot,
            module_record,
            || (null, what, zero),
        );
        for &wait in &creation.waits {
            self.locate(wait);
            self.bookkeeping_before(function, wait, slot, Guard::Flag);
            if let Some(after) = wait.next() {
                self.bookkeeping_before(function, after, slot, Guard::Flag);
            }
        }
        for &end in &creation.ends {
            self.locate(end);
            if let Some(after) = end.next() {
                self.leave_before(function, after, slot);
            }
        }
        self.mark_done(creation.alloc);
    }
}
