//! The resolver stub: what `begin` of the module record points to until the first loop has asked.
//!
//! ```text
//! connect = &__ompchunk_connect (weak)
//! if (!connect || connect(module) != CONNECTED || module->begin is this stub)
//!   if (module->state was &module->unresolved, and is &module->nobody from now on) {
//!     module->entries = the runtime's functions
//!     if (module->state is &module->nobody no longer) module->entries = module->enter    // a shim came in between
//!     return null
//!   }
//! if (module->begin is this stub) return null
//! return module->begin(frame, loop, …)
//! ```
//!
//! Loops call it by one more function, which saves each of them some code: `frame.on = 0; frame.module = module; return
//! module->begin(frame, loop, …)`.
//!
//! The weak reference is bound when the image is loaded. A shim that comes later, as those do that the runtime opens,
//! finds the image by its note ([`abi::NOTE_SECTION`]), puts its own entry into `begin` and has the next loop ask again, by a
//! word of its own in `state`. So for an image that asks at this very moment one of the two comes first, and both know which: a
//! loop that runs as compiled because of this stub is one that the shim knows of.
//!
//! It must not call the dynamic linker. While a thread runs the constructors of a library, it holds a lock that
//! `dlsym` waits for; where such a constructor has a parallel loop, the other threads of its team come here, and it waits for
//! them.
//!
//! It is emitted in IR, because the compile line must need nothing but the plugin.

use std::mem::offset_of;

use inkwell::GlobalVisibility;
use inkwell::attributes::{Attribute, AttributeLoc};
use inkwell::basic_block::BasicBlock;
use inkwell::comdat::ComdatSelectionKind;
use inkwell::llvm_sys::LLVMAtomicOrdering;
use inkwell::llvm_sys::LLVMLinkage;
use inkwell::llvm_sys::core::*;
use inkwell::module::Linkage;
use inkwell::types::{AsTypeRef, FunctionType, IntMathType};
use inkwell::values::{AsValueRef, BasicValueEnum, FunctionValue, IntMathValue, IntValue, PointerValue};
use inkwell::{AtomicOrdering, IntPredicate};
use ompchunk_abi as abi;
use ompchunk_abi::{Frame, ModuleRecord};

use super::Emitter;
use super::code::built;
use crate::ffi;
use crate::ffi::c_text;
use crate::llvm::Value;

struct Blocks<'ctx> {
    entry: BasicBlock<'ctx>,
    /// A shim is there ...
    found: BasicBlock<'ctx>,
    /// ... and says that the image is connected, ...
    connected: BasicBlock<'ctx>,
    /// ... or that it is not, or none is there.
    off: BasicBlock<'ctx>,
    /// Then loops need not ask again ...
    close: BasicBlock<'ctx>,
    /// ... unless a shim comes.
    open: BasicBlock<'ctx>,
    look_again: BasicBlock<'ctx>,
    /// The shim's own entry is asked.
    ask: BasicBlock<'ctx>,
    /// The loop runs as compiled.
    done: BasicBlock<'ctx>,
}

impl<'ctx> Blocks<'ctx> {
    fn new(mut block: impl FnMut() -> BasicBlock<'ctx>) -> Blocks<'ctx> {
        Blocks {
            entry: block(),
            found: block(),
            connected: block(),
            off: block(),
            close: block(),
            open: block(),
            look_again: block(),
            ask: block(),
            done: block(),
        }
    }
}

impl<'ctx> Emitter<'ctx> {
    /// Are the names of the module record and of the stub free, or those of a module record and a stub?
    pub fn has_its_names(&self) -> bool {
        let named = |name: &str| {
            let name = c_text(name);
            // SAFETY: the module is alive.
            unsafe { Value::from_raw(ffi::oc_named(self.module.as_mut_ptr(), name.as_ptr())) }
        };
        let is_record = |value: Value| {
            // SAFETY: a value of the module, asked to be a variable before it is read as one.
            unsafe {
                !LLVMIsAGlobalVariable(value.raw()).is_null()
                    && LLVMGlobalGetValueType(value.raw()) == self.record_type().as_type_ref()
                    && LLVMGetPointerAddressSpace(LLVMTypeOf(value.raw())) == 0
                    && LLVMIsThreadLocal(value.raw()) == 0
                    && LLVMIsGlobalConstant(value.raw()) == 0
            }
        };
        let is_stub = |value: Value, of_type: FunctionType<'ctx>| {
            // SAFETY: a value of the module, asked to be a function before it is read as one.
            unsafe {
                !LLVMIsAFunction(value.raw()).is_null() && LLVMGlobalGetValueType(value.raw()) == of_type.as_type_ref()
            }
        };
        let begin = self.begin_type();
        let enter = self.entry_type();
        let all_of_loops = abi::ENTER_SYMBOLS.into_iter().chain([abi::ENTER_ASKING_SYMBOL]).map(|name| (name, enter));
        let mut stubs = [(abi::RESOLVER_SYMBOL, begin), (abi::BEGIN_SYMBOL, begin)].into_iter().chain(all_of_loops);
        named(abi::MODULE_SYMBOL).is_none_or(is_record)
            && stubs.all(|(name, of_type)| named(name).is_none_or(|value| is_stub(value, of_type)))
    }

    /// The stub, one per linked image.
    pub(super) fn resolver(&self, module: PointerValue<'ctx>) -> PointerValue<'ctx> {
        if let Some(known) = self.module.get_function(abi::RESOLVER_SYMBOL) {
            return known.as_global_value().as_pointer_value();
        }
        let function = self.new_stub(abi::RESOLVER_SYMBOL, self.begin_type());
        let stub = function.as_global_value().as_pointer_value();
        self.builder.unset_current_debug_location();
        let blocks = Blocks::new(|| self.cold_block(function));
        self.connect(module, &blocks);

        self.at_end(blocks.connected);
        // A shim that claims to connect and does not must not send us round in circles.
        self.branch_if(self.enters(module, stub), blocks.off, blocks.ask);

        self.at_end(blocks.off);
        let [unresolved, nobody] = [offset_of!(ModuleRecord, unresolved), offset_of!(ModuleRecord, nobody)];
        self.branch_if(self.leads(module, unresolved, nobody), blocks.close, blocks.look_again);

        self.at_end(blocks.close);
        self.set_entries(module, false);
        // By an exchange, so that a shim that comes behind it puts `enter` there behind these.
        self.branch_if(self.leads(module, nobody, nobody), blocks.done, blocks.open);

        self.at_end(blocks.open);
        self.set_entries(module, true);
        self.branch(blocks.done);

        // Another thread was told so, or a shim has come, whose entry is there since its word is.
        self.at_end(blocks.look_again);
        self.branch_if(self.enters(module, stub), blocks.done, blocks.ask);

        self.at_end(blocks.ask);
        self.go_on_in_entry(function, module);

        self.at_end(blocks.done);
        built(self.builder.build_return(Some(&self.ptr.const_null())));
        stub
    }

    /// What loops call.
    pub(super) fn begin_function(&self) -> PointerValue<'ctx> {
        let module = self.module_record_of();
        self.stub(abi::BEGIN_SYMBOL, self.begin_type(), module, |there, function| {
            let Some(BasicValueEnum::PointerValue(frame)) = function.get_first_param() else { panic!("no frame") };
            there.store(there.i32.const_zero(), frame);
            there.store(module, there.field(frame, offset_of!(Frame, module)));
            there.go_on_in_entry(function, module);
        })
    }

    /// A function, one per linked image, whose body `build` emits in its first block.
    pub(super) fn stub(
        &self,
        symbol: &str,
        of_type: FunctionType<'ctx>,
        module: PointerValue<'ctx>,
        build: impl FnOnce(&Emitter<'ctx>, FunctionValue<'ctx>),
    ) -> PointerValue<'ctx> {
        let function = self.module.get_function(symbol).unwrap_or_else(|| {
            let function = self.new_stub(symbol, of_type);
            // SAFETY: the module is alive and nobody else's for as long as this emitter.
            let mut there = unsafe { Emitter::new(self.module.as_mut_ptr()) };
            there.record = Some(module);
            there.at_end(there.cold_block(function));
            build(&there, function);
            function
        });
        function.as_global_value().as_pointer_value()
    }

    /// `return module->begin(…)`
    fn go_on_in_entry(&self, function: FunctionValue<'ctx>, module: PointerValue<'ctx>) {
        let arguments: Vec<_> = function.get_param_iter().map(Into::into).collect();
        let call = self.call(self.begin_type(), self.current_entry(module), &arguments);
        call.set_tail_call(true);
        built(self.builder.build_return(Some(&call.try_as_basic_value().unwrap_basic())));
    }

    /// The entry: asks the shim, if there is one, to connect the image.
    fn connect(&self, module: PointerValue<'ctx>, blocks: &Blocks<'ctx>) {
        self.at_end(blocks.entry);
        let connect = self.weak(abi::CONNECT_SYMBOL);
        match connect {
            Some(connect) => {
                let none = built(self.builder.build_is_null(connect, ""));
                self.branch_if(none, blocks.off, blocks.found);
            }
            None => self.branch(blocks.off),
        }

        self.at_end(blocks.found);
        let connect_type = self.i32.fn_type(&[self.ptr.into()], false);
        let connect = connect.unwrap_or(self.ptr.const_null());
        let answer = self.call(connect_type, connect, &[module.into()]);
        let answer = answer.try_as_basic_value().unwrap_basic().into_int_value();
        let expected = self.i32.const_int(abi::CONNECTED.into(), false);
        self.branch_if(self.is_same(answer, expected), blocks.connected, blocks.off);
    }

    fn is_same<V: IntMathValue<'ctx>>(&self, left: V, right: V) -> <V::BaseType as IntMathType<'ctx>>::ValueType {
        let equal = IntPredicate::EQ;
        built(self.builder.build_int_compare(equal, left, right, ""))
    }

    /// Whether `begin` still points to the stub.
    fn enters(&self, module: PointerValue<'ctx>, stub: PointerValue<'ctx>) -> IntValue<'ctx> {
        self.is_same(self.current_entry(module), stub)
    }

    /// What `begin` points to now.
    pub(super) fn current_entry(&self, module: PointerValue<'ctx>) -> PointerValue<'ctx> {
        let at = self.field(module, offset_of!(ModuleRecord, begin));
        let acquire = LLVMAtomicOrdering::LLVMAtomicOrderingAcquire;
        self.load_atomic(self.ptr, at, 8, acquire).into_pointer_value()
    }

    /// Whether the image's state led to one of its words, and leads to the other from here on.
    fn leads(&self, module: PointerValue<'ctx>, from: usize, to: usize) -> IntValue<'ctx> {
        let exchange = built(self.builder.build_cmpxchg(
            self.field(module, offset_of!(ModuleRecord, state)),
            self.field(module, from),
            self.field(module, to),
            AtomicOrdering::SequentiallyConsistent,
            AtomicOrdering::Acquire,
        ));
        built(self.builder.build_extract_value(exchange, 1, "")).into_int_value()
    }

    /// A function, one per linked image.
    fn new_stub(&self, symbol: &str, of_type: FunctionType<'ctx>) -> FunctionValue<'ctx> {
        let name = c_text(symbol);
        // SAFETY: the module is alive; the glue returns a new function.
        let function = unsafe {
            FunctionValue::new(ffi::oc_function_new(self.module.as_mut_ptr(), name.as_ptr(), of_type.as_type_ref()))
        };
        let Some(function) = function else { panic!("LLVM made no function") };
        function.set_linkage(Linkage::LinkOnceODR);
        let global = function.as_global_value();
        global.set_visibility(GlobalVisibility::Hidden);
        let comdat = self.module.get_or_insert_comdat(symbol);
        comdat.set_selection_kind(ComdatSelectionKind::Any);
        global.set_comdat(comdat);
        for attribute in ["cold", "noinline", "nounwind"] {
            let kind = Attribute::get_named_enum_kind_id(attribute);
            function.add_attribute(AttributeLoc::Function, self.context.create_enum_attribute(kind, 0));
        }
        function
    }

    /// A weak reference to a function, or nothing if the module has a function of its own by that
    /// name.
    pub(super) fn weak(&self, name: &str) -> Option<PointerValue<'ctx>> {
        if let Some(known) = self.module.get_function(name) {
            let local = matches!(known.get_linkage(), Linkage::Internal | Linkage::Private);
            return (!local).then(|| known.as_global_value().as_pointer_value());
        }
        let c_name = c_text(name);
        // SAFETY: the module is alive.
        if !unsafe { ffi::oc_named(self.module.as_mut_ptr(), c_name.as_ptr()) }.is_null() {
            return None;
        }
        let signature = self.ptr.fn_type(&[self.ptr.into(), self.ptr.into()], false);
        let function = self.module.add_function(name, signature, None);
        // SAFETY: a declaration just made.
        unsafe { LLVMSetLinkage(function.as_value_ref(), LLVMLinkage::LLVMExternalWeakLinkage) }
        Some(function.as_global_value().as_pointer_value())
    }
}
