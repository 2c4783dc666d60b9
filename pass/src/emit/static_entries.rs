//! How a static loop begins that can be changed: it calls what its entry says in place of the runtime's function.
//!
//! ```text
//!   frame.on = 0        // or the variable for the last iteration, which nobody reads, stands there
//!   entries[type](ident of the loop, …, &frame.last, &frame.lower, …)       // enter, or the runtime's function while nobody can listen
//!   if (frame.on) goto advance
//! ```
//!
//! `enter`, one per type of loops and linked image:
//!
//! ```text
//!   if (*module.state & LOOPS && (start = begin(frame, loop, …))) jump to start
//!   jump to the runtime's function
//! ```
//!
//! Both jumps leave the return address as it is: tools are told the program's own. So that it needs no further arguments, the variables that
//! the runtime fills in stand within the frame, and the record is found from the loop's `ident_t`.

use std::mem::offset_of;

use inkwell::AtomicOrdering;
use inkwell::llvm_sys::LLVMAtomicOrdering::LLVMAtomicOrderingMonotonic as RELAXED;
use inkwell::llvm_sys::core::*;
use inkwell::types::FunctionType;
use inkwell::values::{AsValueRef, BasicValueEnum, PointerValue};
use ompchunk_abi::{ENTER_ASKING_SYMBOL, ENTER_SYMBOLS, Frame, LoopIdent, ModuleRecord};

use crate::emit::Emitter;
use crate::emit::code::{Taken, built};
use crate::emit::emitter::{Move, OF_LOOPS};
use crate::emit::endpoints::{Begun, VARIABLES_AT, often};
use crate::emit::records::ENTRIES;
use crate::facts;
use crate::ffi;
use crate::find::description::STATIC_INIT_ARGUMENTS;
use crate::find::{Call, FoundLoop};
use crate::instrumentation_plan::Plan;
use crate::llvm::typed::argument;

impl<'ctx> Emitter<'ctx> {
    pub fn claim_variables(&self, found: &FoundLoop, frame: PointerValue<'ctx>) -> bool {
        let [bounds @ .., last] = VARIABLES_AT;
        let last = if found.surroundings.lends_last { offset_of!(Frame, on) } else { last };
        let places = found.call.variables().into_iter().zip(bounds.into_iter().chain([last]));
        let wanted: Vec<Move<'ctx>> = places.map(|(variable, offset)| (variable, frame, offset)).collect();
        let mut moves = self.moves.borrow_mut();
        let is_free = |place: &Move<'ctx>| !moves.iter().any(|known| known.0 == place.0 && known != place);
        let can = found.fits_entry() && wanted.iter().all(is_free);
        if can {
            let new: Vec<_> = wanted.into_iter().filter(|place| !moves.contains(place)).collect();
            moves.extend(new);
        }
        can
    }

    /// Moves all variables that belong to frames: what was emitted so far knows them where they were.
    pub fn move_variables(&self) {
        for (variable, frame, offset) in self.moves.take() {
            // SAFETY: an `alloca` of the function, in whose entry block the frame is, too; nobody knows it any more.
            unsafe { ffi::oc_move_variable(variable.raw(), frame.as_value_ref(), offset as i64) }
        }
    }

    pub fn enter(
        &self,
        found: &FoundLoop,
        plan: Plan,
        frame: PointerValue<'ctx>,
        record: PointerValue<'ctx>,
    ) -> Option<Begun<'ctx>> {
        let (call, is_lent) = (&found.call, found.surroundings.lends_last);
        self.require_runtime(call);
        self.enter_function(call.kind());
        self.before(call.instruction);
        if !is_lent {
            self.clear(frame);
        }
        self.pass_values(found, frame);
        let at = self.field(self.record(), ModuleRecord::entry_at(call.kind()));
        let entry = self.load_atomic(self.ptr, at, RELAXED);
        let ident = self.loop_ident(call, record);
        let ends = found.ends.calls.iter().filter(|end| end.operand(0) == call.instruction.operand(0));
        for user in ends.chain([&call.instruction]) {
            // SAFETY: calls with an `ident_t`.
            unsafe { LLVMSetOperand(user.raw(), 0, ident.as_value_ref()) }
        }
        // SAFETY: the callee is the last operand.
        unsafe { LLVMSetOperand(call.instruction.raw(), STATIC_INIT_ARGUMENTS as u32, entry.as_value_ref()) }

        let behind = self.open_before(call.instruction.next()?);
        let begun = self.cold_block();
        self.branch_if(often(plan), self.is_on(frame, is_lent), begun, behind);
        Some(Begun { end: begun, behind, apart: None })
    }

    /// An `ident_t` like that one, with the way to the loop's record behind it.
    fn loop_ident(&self, call: &Call, record: PointerValue<'ctx>) -> PointerValue<'ctx> {
        // SAFETY: a constant of the module with an initializer.
        let value = unsafe { BasicValueEnum::new(LLVMGetInitializer(argument(call.instruction, 0).raw())) };
        let members = [value.get_type(), self.i64.into(), self.i64.into()];
        let global = self.module.add_global(self.context.struct_type(&members, false), None, "ompchunk.ident");
        let distance = self.distance(global, offset_of!(LoopIdent, distance), record);
        let at = self.i64.const_int(ModuleRecord::static_init_at(call.kind()) as u64, false);
        let value = self.context.const_struct(&[value, distance.into(), at.into()], false);
        self.make_constant(global, value, 8);
        self.without_red_zones(global);
        global.as_pointer_value()
    }

    fn enter_function(&self, kind: usize) {
        self.stub(ENTER_SYMBOLS[kind], self.entry_type(), |there, parameters| {
            let (off, ask) = (there.cold_block(), there.cold_block());
            there.branch_if(Taken::Perhaps, there.non_zero(there.asked(OF_LOOPS)), ask, off);
            there.at_end(off);
            let runtime = there.load(there.ptr, there.field(there.record(), ModuleRecord::static_init_at(kind)));
            there.jump(runtime.into_pointer_value(), parameters);
            there.at_end(ask);
            there.store(there.record(), there.beside_lower(parameters, offset_of!(Frame, module)));
            let trampoline = there.field(there.record(), offset_of!(ModuleRecord, begin_trampoline));
            there.jump(there.load_acquired(trampoline), parameters);
        });
    }

    pub fn enter_asking(&self) -> PointerValue<'ctx> {
        self.stub(ENTER_ASKING_SYMBOL, self.entry_type(), |there, parameters| {
            let (start, declined) = (there.cold_block(), there.cold_block());
            let (ident, thread) = (parameters[0], parameters[1]);
            let behind = there.field(ident.into_pointer_value(), offset_of!(LoopIdent, distance));
            let record = there.beyond(behind, there.load_int(there.i64, behind)).into();
            let frame = there.beside_lower(parameters, 0).into();
            let begun =
                there.call_for(there.ptr, there.current_entry(), &[frame, record, ident, thread]).into_pointer_value();
            there.branch_if(Taken::Perhaps, there.is_null(begun), declined, start);
            there.at_end(start);
            there.jump(begun, &[&[frame], &parameters[1..]].concat());
            there.at_end(declined);
            let at = there.field(ident.into_pointer_value(), offset_of!(LoopIdent, static_init_at));
            let runtime = there.load(there.ptr, there.beyond(there.record(), there.load_int(there.i64, at)));
            there.jump(runtime.into_pointer_value(), parameters);
        })
    }

    /// What stands at that offset of the frame in which the lower bound stands that a stub is given.
    fn beside_lower(&self, parameters: &[BasicValueEnum<'ctx>], offset: usize) -> PointerValue<'ctx> {
        let by = offset as i64 - offset_of!(Frame, lower) as i64;
        self.beyond(parameters[4].into_pointer_value(), self.i64.const_int(by as u64, true))
    }

    pub fn set_entries(&self, are_open: bool) {
        for kind in 0..ENTRIES {
            let enter_at = offset_of!(ModuleRecord, enter) + kind * size_of::<*const ()>();
            let from = if are_open { enter_at } else { ModuleRecord::static_init_at(kind) };
            let function = self.load(self.ptr, self.field(self.record(), from)).into_pointer_value();
            let store =
                built(self.builder.build_store(self.field(self.record(), ModuleRecord::entry_at(kind)), function));
            let _ = store.set_atomic_ordering(AtomicOrdering::Monotonic);
        }
    }

    /// What `enter` knows of the type of `__kmpc_for_static_init_*`. What stands behind on the stack stays where it is.
    pub fn entry_type(&self) -> FunctionType<'ctx> {
        let (ptr, i32, i64) = (self.ptr.into(), self.i32.into(), self.i64.into());
        let all: [_; STATIC_INIT_ARGUMENTS] = [ptr, i32, i32, ptr, ptr, ptr, ptr, i64, i64];
        self.context.void_type().fn_type(
            &all[..facts::in_registers(self.module.get_triple().as_str()).unwrap_or(STATIC_INIT_ARGUMENTS)],
            false,
        )
    }

    /// Goes on there as if it had been called in place of this function.
    fn jump(&self, to: PointerValue<'ctx>, arguments: &[BasicValueEnum<'ctx>]) {
        let call = self.call(None, to, arguments);
        if facts::in_registers(self.module.get_triple().as_str()).is_some() {
            // SAFETY: a call just built, of the type that the function has.
            unsafe { ffi::oc_must_tail(call.as_value_ref()) }
        }
        built(self.builder.build_return(None));
    }
}
