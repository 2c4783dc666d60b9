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
use inkwell::values::{FunctionValue, PointerValue};

use super::terms::Piece;

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
            asides: RefCell::default(),
        }
    }
}
