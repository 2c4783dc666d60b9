//! How a static loop begins that can be changed: it calls what its entry says in place of the runtime's function.
//!
//! ```text
//!   frame.on = 0
//!   entries[type](ident of the loop, …, &frame.last, &frame.lower, …)       // enter, or the runtime's function while nobody can listen
//!   if (frame.on) frame.ready(frame)
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
use inkwell::llvm_sys::core::*;
use inkwell::llvm_sys::{LLVMAtomicOrdering, LLVMCallConv};
use inkwell::module::Linkage;
use inkwell::types::FunctionType;
use inkwell::values::{AsValueRef, BasicMetadataValueEnum, BasicValueEnum, FunctionValue, PointerValue};
use ompchunk_abi::{ENTER_ASKING_SYMBOL, ENTER_SYMBOLS, Frame, LoopIdent, ModuleRecord, RuntimeFunctions};

use crate::emit::Emitter;
use crate::emit::asking::Begun;
use crate::emit::code::{argument, built};
use crate::emit::emitter::{Move, OF_LOOPS};
use crate::emit::records::{ENTRIES, kind};
use crate::ffi;
use crate::find::{Call, FoundLoop, is_local_of_width};
use crate::llvm::Value;
use crate::plan::Plan;

/// Arguments of the runtime's function.
const ARGUMENTS: usize = 9;
/// How many of them are in registers, on processors with calls in place of the caller, also by pointer. (On all others each is passed
/// on, and the caller stays.)
const IN_REGISTERS: [(&str, usize); 3] = [("x86_64", 6), ("aarch64", 8), ("riscv64", 8)];

impl<'ctx> Emitter<'ctx> {
    /// The loop's variables, which then belong to this frame, if they can.
    pub(super) fn claim_variables(&self, found: &FoundLoop, frame: PointerValue<'ctx>) -> bool {
        let call = &found.call;
        let is_static = found.change.is_ok() && !call.entry.dealt && call.earlier.is_none();
        // SAFETY: a call.
        let is_usual = unsafe {
            LLVMGetInstructionCallConv(call.instruction.raw()) == LLVMCallConv::LLVMCCallConv as u32
                && LLVMGetNumOperands(call.instruction.raw()) as usize == ARGUMENTS + 1
        };
        let last = argument(call.instruction, 3);
        let places = [
            (call.lower, offset_of!(Frame, lower)),
            (call.upper, offset_of!(Frame, upper)),
            (call.stride, offset_of!(Frame, stride)),
            (last, offset_of!(Frame, last)),
        ];
        let wanted = places.map(|(variable, offset)| (variable, frame, offset));
        let mut moves = self.moves.borrow_mut();
        let is_free = |place: &Move<'ctx>| !moves.iter().any(|known| known.0 == place.0 && known != place);
        let fits = |variable: Value, bits| {
            // SAFETY: an `alloca`, which has an alignment.
            is_local_of_width(variable, bits) && unsafe { LLVMGetAlignment(variable.raw()) } <= 8
        };
        let fit =
            fits(last, 32) && [call.lower, call.upper, call.stride].iter().all(|&each| fits(each, call.entry.bits));
        let can =
            is_static && is_usual && fit && is_constant(argument(call.instruction, 0)) && wanted.iter().all(is_free);
        if can {
            let new: Vec<_> = wanted.into_iter().filter(|place| !moves.contains(place)).collect();
            moves.extend(new);
        }
        can
    }

    /// Moves all variables that belong to frames: what was emitted so far knows them where they were.
    pub(super) fn move_variables(&self) {
        for (variable, frame, offset) in self.moves.take() {
            // SAFETY: an `alloca` of the function, in whose entry block the frame is, too; nobody knows it any more.
            unsafe { ffi::oc_move_variable(variable.raw(), frame.as_value_ref(), offset as i64) }
        }
    }

    /// The loop's call of the runtime becomes one of its entry.
    pub(super) fn enter(
        &self,
        function: FunctionValue<'ctx>,
        found: &FoundLoop,
        plan: Plan,
        frame: PointerValue<'ctx>,
        record: PointerValue<'ctx>,
    ) -> Option<Begun<'ctx>> {
        let call = &found.call;
        self.require_runtime(call);
        self.before(call.instruction);
        // Whatever an execution left here that control left on no known way.
        self.store(self.i32.const_zero(), frame);
        self.pass_values(found, frame);
        let at = self.field(self.module_record_of(), entry_at(kind(call)));
        let entry = self.load_atomic(self.ptr, at, 8, LLVMAtomicOrdering::LLVMAtomicOrderingMonotonic);
        let ident = self.loop_ident(call, record);
        let ends = found.ends.calls.iter().filter(|end| end.operand(0) == call.instruction.operand(0));
        for user in ends.chain([&call.instruction]) {
            // SAFETY: calls with an `ident_t`; the callee is the last operand.
            unsafe {
                LLVMSetOperand(user.raw(), 0, ident.as_value_ref());
                if *user == call.instruction {
                    LLVMSetOperand(user.raw(), ARGUMENTS as u32, entry.as_value_ref());
                }
            }
        }

        let behind = self.open_before(call.instruction.next()?);
        let begun = self.cold_block(function);
        self.branch_to_begun(plan, self.non_zero(self.on(frame)), begun, behind);
        self.at_end(begun);
        self.call_frame(frame, offset_of!(Frame, ready), self.frame_type(), &[]);
        Some(Begun { end: begun, behind })
    }

    /// An `ident_t` like that one, with the way to the loop's record behind it.
    fn loop_ident(&self, call: &Call, record: PointerValue<'ctx>) -> PointerValue<'ctx> {
        // SAFETY: a constant of the module with an initializer.
        let value = unsafe { BasicValueEnum::new(LLVMGetInitializer(argument(call.instruction, 0).raw())) };
        let members = [value.get_type(), self.i64.into(), self.i64.into()];
        let value_type = self.context.struct_type(&members, false);
        let global = self.module.add_global(value_type, None, "ompchunk.ident");
        let here = self.field_of_constant(global.as_pointer_value(), offset_of!(LoopIdent, distance));
        let distance = record.const_to_int(self.i64).const_sub(here.const_to_int(self.i64));
        let at = self.i64.const_int(static_init_at(kind(call)) as u64, false);
        global.set_initializer(&self.context.const_struct(&[value, distance.into(), at.into()], false));
        global.set_constant(true);
        global.set_linkage(Linkage::Private);
        global.set_alignment(8);
        // SAFETY: a global variable just made: red zones would be in the way.
        unsafe { ffi::oc_global_no_sanitize(global.as_value_ref()) }
        global.as_pointer_value()
    }
}

/// Is it a constant `ident_t`, whose initializer is known?
fn is_constant(ident: Value) -> bool {
    crate::find::ident::flags(ident).is_some()
}

/// Offset of the entry within the module record.
fn entry_at(kind: usize) -> usize {
    offset_of!(ModuleRecord, entries) + kind * size_of::<*const ()>()
}

/// Offset of the runtime's function there.
fn static_init_at(kind: usize) -> usize {
    let of_kind = kind * size_of::<RuntimeFunctions>();
    offset_of!(ModuleRecord, runtime) + of_kind + offset_of!(RuntimeFunctions, static_init)
}

impl<'ctx> Emitter<'ctx> {
    /// [`ENTER_SYMBOLS`].
    pub(super) fn enter_functions(&self, module: PointerValue<'ctx>) -> [PointerValue<'ctx>; ENTRIES] {
        std::array::from_fn(|kind| {
            self.stub(ENTER_SYMBOLS[kind], self.entry_type(), module, |there, function| {
                let (off, ask) = (there.cold_block(function), there.cold_block(function));
                let parameters: Vec<BasicValueEnum<'ctx>> = function.get_param_iter().collect();
                there.branch_if(there.non_zero(there.asked(OF_LOOPS)), ask, off);
                there.at_end(off);
                let runtime = there.load(there.ptr, there.field(module, static_init_at(kind)));
                there.jump(runtime.into_pointer_value(), &parameters);
                there.at_end(ask);
                there.store(module, there.beside_lower(&parameters, offset_of!(Frame, module)));
                let asking = there.field(module, offset_of!(ModuleRecord, asking));
                let acquire = LLVMAtomicOrdering::LLVMAtomicOrderingAcquire;
                there.jump(there.load_atomic(there.ptr, asking, 8, acquire).into_pointer_value(), &parameters);
            })
        })
    }

    /// [`ENTER_ASKING_SYMBOL`].
    pub(super) fn enter_asking(&self, module: PointerValue<'ctx>) -> PointerValue<'ctx> {
        self.stub(ENTER_ASKING_SYMBOL, self.entry_type(), module, |there, function| {
            let (start, declined) = (there.cold_block(function), there.cold_block(function));
            let parameters: Vec<BasicValueEnum<'ctx>> = function.get_param_iter().collect();
            let ident = parameters[0].into_pointer_value();
            let behind = there.field(ident, offset_of!(LoopIdent, distance));
            let distance = there.load(there.i64, behind).into_int_value();
            // SAFETY: the distance leads from there to the loop's record.
            let record = built(unsafe { there.builder.build_gep(there.context.i8_type(), behind, &[distance], "") });
            let [frame, lower, upper, stride, last] = [
                0,
                offset_of!(Frame, lower),
                offset_of!(Frame, upper),
                offset_of!(Frame, stride),
                offset_of!(Frame, last),
            ]
            .map(|offset| there.beside_lower(&parameters, offset));
            let thread = parameters[1].into_int_value();
            let begun =
                there.begin_at(there.current_entry(module), frame, record, ident, thread, [lower, upper, stride, last]);
            there.branch_if(built(there.builder.build_is_null(begun, "")), declined, start);
            there.at_end(start);
            there.jump(begun, &[&[frame.into()], &parameters[1..]].concat());
            there.at_end(declined);
            let at = there.load(there.i64, there.field(ident, offset_of!(LoopIdent, static_init_at))).into_int_value();
            // SAFETY: there is a pointer to a function in the module record.
            let runtime = built(unsafe { there.builder.build_gep(there.context.i8_type(), module, &[at], "") });
            there.jump(there.load(there.ptr, runtime).into_pointer_value(), &parameters);
        })
    }

    /// What stands at that offset of the frame in which the lower bound stands that a stub is given.
    fn beside_lower(&self, parameters: &[BasicValueEnum<'ctx>], offset: usize) -> PointerValue<'ctx> {
        let by = offset as i64 - offset_of!(Frame, lower) as i64;
        let by = self.i64.const_int(by as u64, true);
        let lower = parameters[4].into_pointer_value();
        // SAFETY: both stand in the frame.
        built(unsafe { self.builder.build_gep(self.context.i8_type(), lower, &[by], "") })
    }

    /// All entries are `enter`, or the runtime's functions.
    pub(super) fn set_entries(&self, module: PointerValue<'ctx>, are_open: bool) {
        for kind in 0..ENTRIES {
            let from = match are_open {
                true => offset_of!(ModuleRecord, enter) + kind * size_of::<*const ()>(),
                false => static_init_at(kind),
            };
            let function = self.load(self.ptr, self.field(module, from)).into_pointer_value();
            let store = built(self.builder.build_store(self.field(module, entry_at(kind)), function));
            let _ = store.set_alignment(8);
            let _ = store.set_atomic_ordering(AtomicOrdering::Monotonic);
        }
    }

    /// What `enter` knows of the type of `__kmpc_for_static_init_*`. What stands behind on the stack stays where it is.
    pub(super) fn entry_type(&self) -> FunctionType<'ctx> {
        let (ptr, i32, i64) = (self.ptr.into(), self.i32.into(), self.i64.into());
        let all: [_; ARGUMENTS] = [ptr, i32, i32, ptr, ptr, ptr, ptr, i64, i64];
        self.context.void_type().fn_type(&all[..self.in_registers().unwrap_or(ARGUMENTS)], false)
    }

    /// [`IN_REGISTERS`] of the processor that is compiled for.
    fn in_registers(&self) -> Option<usize> {
        let triple = self.module.get_triple();
        let processor = triple.as_str().to_bytes().split(|&byte| byte == b'-').next()?;
        IN_REGISTERS.iter().find(|known| known.0.as_bytes() == processor).map(|known| known.1)
    }

    /// Goes on there as if it had been called in place of this function.
    fn jump(&self, to: PointerValue<'ctx>, arguments: &[BasicValueEnum<'ctx>]) {
        let arguments: Vec<BasicMetadataValueEnum<'ctx>> = arguments.iter().map(|&each| each.into()).collect();
        let call = self.call(self.entry_type(), to, &arguments);
        if self.in_registers().is_some() {
            // SAFETY: a call just built, of the type that the function has.
            unsafe { ffi::oc_must_tail(call.as_value_ref()) }
        }
        built(self.builder.build_return(None));
    }
}
