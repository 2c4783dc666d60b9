//! Where code asks whether somebody listens, and enters a loop.

use std::mem::offset_of;

use inkwell::llvm_sys::LLVMAtomicOrdering;
use inkwell::values::{BasicValueEnum, FunctionValue, IntValue, PointerValue};
use ompchunk_abi::ModuleRecord;

use super::code::built;
use super::dealing::Dealing;
use super::terms::{OF_LOOPS, Part, Piece};
use super::{Emitter, Slot};
use crate::find::FoundLoop;
use crate::llvm::{Value, counts_lines};

impl<'ctx> Emitter<'ctx> {
    /// Before the init call: the shim must know of the loop before the runtime reports its own first
    /// chunk.
    pub(super) fn ask(
        &self,
        function: FunctionValue<'ctx>,
        found: &FoundLoop,
        slot: Slot<'ctx>,
        module_record: PointerValue<'ctx>,
        loop_record: PointerValue<'ctx>,
        dealing: Option<Dealing<'ctx>>,
    ) {
        let dealing = dealing.map(|dealing| (dealing, found));
        let before = found.call.start();
        self.ask_before(function, before, slot, module_record, dealing, || {
            let start = self.user_value(&found.user.start);
            let step = self.user_value(&found.user.step);
            (loop_record, start, step)
        });
    }

    /// `if (*module.state & LOOPS) on = enter(module, arguments…)`, before an instruction.
    pub(super) fn ask_before(
        &self,
        function: FunctionValue<'ctx>,
        instruction: Value,
        slot: Slot<'ctx>,
        module_record: PointerValue<'ctx>,
        dealing: Option<(Dealing<'ctx>, &FoundLoop)>,
        arguments: impl FnOnce() -> (PointerValue<'ctx>, IntValue<'ctx>, IntValue<'ctx>),
    ) {
        if counts_lines(function.into()) {
            self.before(instruction);
            let (record, start, step) = arguments();
            let arguments = [module_record.into(), record.into(), start.into(), step.into()];
            return self.aside(Piece::Ask, slot, &arguments);
        }
        if slot.shared {
            self.before(instruction);
            let (record, start, step) = arguments();
            let arguments = [record.into(), start.into(), step.into()];
            return self.call_part(Part::Enter, slot, &arguments);
        }
        let go_on = self.open_before(instruction);
        let ask = self.cold_block(function);
        let wanted = self.asked(module_record, OF_LOOPS);
        // Not `rarely`: the optimizer merges the test for the copy into this one, whose weight is then the
        // copy's.
        self.branch_seldom_if(self.non_zero(wanted), ask, go_on);

        self.at_end(ask);
        let answer = self.enter(slot, module_record, arguments);
        self.store(answer, slot.on);
        match dealing {
            Some((dealing, found)) => {
                let answer = answer.into_int_value();
                self.begin_dealing(function, found, dealing, slot, answer, go_on);
            }
            None => self.branch(go_on),
        }
    }

    /// `enter(module, arguments…)`
    pub(super) fn enter(
        &self,
        slot: Slot<'ctx>,
        module_record: PointerValue<'ctx>,
        arguments: impl FnOnce() -> (PointerValue<'ctx>, IntValue<'ctx>, IntValue<'ctx>),
    ) -> BasicValueEnum<'ctx> {
        let enter_at = self.field(module_record, offset_of!(ModuleRecord, enter));
        let acquire = LLVMAtomicOrdering::LLVMAtomicOrderingAcquire;
        let enter = self.load_atomic(self.ptr, enter_at, 8, acquire).into_pointer_value();
        let (record, start, step) = arguments();
        let arguments = [module_record.into(), record.into(), slot.frame.into(), start.into(), step.into()];
        self.call(self.enter_type(), enter, &arguments).try_as_basic_value().unwrap_basic()
    }

    /// `*module.state & what`
    pub(super) fn asked(&self, module_record: PointerValue<'ctx>, what: u32) -> IntValue<'ctx> {
        let relaxed = LLVMAtomicOrdering::LLVMAtomicOrderingMonotonic;
        let state_at = self.field(module_record, offset_of!(ModuleRecord, state));
        let state_at = self.load_atomic(self.ptr, state_at, 8, relaxed).into_pointer_value();
        let state = self.load_atomic(self.i32, state_at, 4, relaxed).into_int_value();
        let what = self.i32.const_int(what.into(), false);
        built(self.builder.build_and(state, what, ""))
    }
}
