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
            record: None,
            texts: HashMap::new(),
            moves: RefCell::default(),
            asides: RefCell::default(),
        }
    }
}

// What several pieces of emitted code have in common: which pieces there are, and what an execution is known to be.

/// Also a loop whose schedule is fixed asks where there are orders, since one of them may name it.
pub(super) const OF_LOOPS: u32 = LISTENING_LOOPS | LISTENING_SCHEDULES;

/// A variable of the program's that will live in a frame, and where in it.
pub(super) type Move<'ctx> = (Value, PointerValue<'ctx>, usize);

/// A piece of reporting.
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

impl Piece {
    pub(super) const fn name(self) -> &'static str {
        match self {
            Piece::Ask => ".ompchunk.ask",
            Piece::Ready => ".ompchunk.ready",
            Piece::Chunk => ".ompchunk.chunk",
            Piece::Bookkeeping => ".ompchunk.bookkeeping",
            Piece::Leave => ".ompchunk.leave",
            Piece::Tell(_) => ".ompchunk.tell",
        }
    }
}

/// Whether the reporting code runs only in a reporting execution, or must ask.
#[derive(Clone, Copy)]
pub(super) enum Guard<'ctx> {
    /// In the copy: it runs only when somebody listens, or of a loop that can be changed, when it is.
    Copy {
        /// What the frame said where the copy began.
        on: IntValue<'ctx>,
        may_be_changed: bool,
    },
    /// In the loop that everybody runs.
    Flag,
}
