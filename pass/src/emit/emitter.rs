//! The emitter: a module, a builder, and what is looked up once.

use std::cell::RefCell;
use std::collections::HashMap;
use std::mem::ManuallyDrop;

use inkwell::AddressSpace;
use inkwell::builder::Builder;
use inkwell::context::ContextRef;
use inkwell::llvm_sys::core::LLVMGetModuleContext;
use inkwell::llvm_sys::prelude::LLVMModuleRef;
use inkwell::module::Module;
use inkwell::types::{IntType, PointerType};
use inkwell::values::{FunctionValue, IntValue, PointerValue};
use ompchunk_abi::{LISTENING_LOOPS, LISTENING_SCHEDULES};

use crate::llvm::Value;

/// Rewrites the functions of one module.
pub struct Emitter<'ctx> {
    pub(super) context: ContextRef<'ctx>,
    /// Borrowed from LLVM, which frees it.
    pub(super) module: ManuallyDrop<Module<'ctx>>,
    pub(super) builder: Builder<'ctx>,
    pub(super) i32: IntType<'ctx>,
    pub(super) i64: IntType<'ctx>,
    pub(super) ptr: PointerType<'ctx>,
    pub(super) function: Option<FunctionValue<'ctx>>,
    /// Are its lines counted?
    pub(super) is_counted: bool,
    /// The module record, once a loop needs it.
    pub(super) record: Option<PointerValue<'ctx>>,
    /// Where the texts are that loop records name.
    pub(super) texts: HashMap<Vec<u8>, PointerValue<'ctx>>,
    /// Variables of the function at hand that will live in frames.
    pub(super) moves: RefCell<Vec<Move<'ctx>>>,
    /// The functions that functions whose lines are counted call, once one needs them.
    pub(super) asides: RefCell<Vec<(Piece, FunctionValue<'ctx>)>>,
}

impl<'ctx> Emitter<'ctx> {
    /// # Safety
    /// `module` stays alive and is changed by nobody else while the emitter lives.
    pub unsafe fn new(module: LLVMModuleRef) -> Emitter<'ctx> {
        // SAFETY: the caller's promise; a module's context outlives the module.
        let (context, module) =
            unsafe { (ContextRef::new(LLVMGetModuleContext(module)), ManuallyDrop::new(Module::new(module))) };
        Emitter {
            builder: context.create_builder(),
            i32: context.i32_type(),
            i64: context.i64_type(),
            ptr: context.ptr_type(AddressSpace::default()),
            context,
            module,
            function: None,
            is_counted: false,
            record: None,
            texts: HashMap::new(),
            moves: RefCell::default(),
            asides: RefCell::default(),
        }
    }

    /// The functions that are emitted into are this one's from here on, and of the user's code.
    pub(super) fn begin(&mut self, function: Value) {
        self.module_record();
        // SAFETY: a function of the module.
        self.function = unsafe { FunctionValue::new(function.raw()) };
        self.is_counted = function.counts_lines();
    }

    /// An emitter for the body of a function just made, at its beginning, so that this one stays where it is.
    pub(super) fn within(&self, function: FunctionValue<'ctx>) -> Emitter<'ctx> {
        // SAFETY: the module is alive and nobody else's for as long as this emitter.
        let mut there = unsafe { Emitter::new(self.module.as_mut_ptr()) };
        there.record = self.record;
        there.function = Some(function);
        there.at_end(there.cold_block());
        there
    }
}

// What several pieces of emitted code have in common: which pieces there are, and what an execution is known to be.

/// Also a loop whose schedule is fixed asks where there are orders, since one of them may name it.
pub(super) const OF_LOOPS: u32 = LISTENING_LOOPS | LISTENING_SCHEDULES;

/// A variable of the program's that will live in a frame, and where in it.
pub(super) type Move<'ctx> = (Value, PointerValue<'ctx>, usize);

#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Piece {
    /// `(frame, loop record, ident, thread, start, step, chunk size)`, if somebody listens to loops.
    Ask,
    /// `(frame)`
    Ready,
    /// `(frame, lower, upper, is last, is there one)`
    Chunk,
    /// `(frame)`
    Bookkeeping,
    /// `(frame)`
    Leave,
    /// `(stack pointer)`, of the creation of a task, if somebody listens to tasks.
    Tell(usize),
}

/// In a copy, which runs only in a reporting execution, what the frame said where the copy began. In the loop that everybody runs none: it
/// must ask.
pub(super) type Known<'ctx> = Option<IntValue<'ctx>>;
