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
use inkwell::values::{FunctionValue, GlobalValue, IntValue, PointerValue};
use ompchunk_abi::{LISTENING_LOOPS, LISTENING_SCHEDULES};

use crate::llvm::Value;

pub struct Emitter<'ctx> {
    pub context: ContextRef<'ctx>,
    /// Borrowed from LLVM, which frees it.
    pub module: ManuallyDrop<Module<'ctx>>,
    pub builder: Builder<'ctx>,
    pub i32: IntType<'ctx>,
    pub i64: IntType<'ctx>,
    pub ptr: PointerType<'ctx>,
    pub function: Option<FunctionValue<'ctx>>,
    pub is_counted: bool,
    pub record: Option<PointerValue<'ctx>>,
    pub texts: Texts<'ctx>,
    pub moves: RefCell<Vec<Move<'ctx>>>,
    pub asides: RefCell<Vec<(Piece, FunctionValue<'ctx>)>>,
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
            texts: Texts::default(),
            moves: RefCell::default(),
            asides: RefCell::default(),
        }
    }

    pub fn begin(&mut self, function: Value) {
        self.module_record();
        // SAFETY: a function of the module.
        self.function = unsafe { FunctionValue::new(function.raw()) };
        self.is_counted = function.counts_lines();
    }

    /// An emitter for the body of a function just made, at its beginning, so that this one stays where it is.
    pub fn within(&self, function: FunctionValue<'ctx>) -> Emitter<'ctx> {
        // SAFETY: the module is alive and nobody else's for as long as this emitter.
        let mut there = unsafe { Emitter::new(self.module.as_mut_ptr()) };
        there.record = self.record;
        there.function = Some(function);
        there.at_end(there.cold_block());
        there
    }
}

/// What loop records name, each once, in one record of the module's.
#[derive(Default)]
pub struct Texts<'ctx> {
    pub bytes: Vec<u8>,
    pub places: HashMap<Vec<u8>, usize>,
    /// In place of the record while there may be more.
    pub record: Option<GlobalValue<'ctx>>,
}

/// Also a loop whose schedule is fixed asks where there are orders, since one of them may name it.
pub const OF_LOOPS: u32 = LISTENING_LOOPS | LISTENING_SCHEDULES;

/// A variable of the program's that will live in a frame, and where in it.
pub type Move<'ctx> = (Value, PointerValue<'ctx>, usize);

#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Piece {
    /// `(frame, loop record, ident, thread, start, step, chunk size)`, if somebody listens to loops.
    Ask,
    /// `(frame, lower, upper, is last, is there one)`
    Chunk,
    /// `(frame)`, as the next two.
    Advance,
    Bookkeeping,
    Leave,
    /// `(stack pointer)`, of the creation of a task, if somebody listens to tasks.
    Tell(usize),
}

/// What the frame said where a reporting copy began; none in the loop that everybody runs, which must ask.
pub type Known<'ctx> = Option<IntValue<'ctx>>;
