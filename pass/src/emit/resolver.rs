//! The resolver stub: what `begin` of the module record points to until the first loop has asked.
//!
//! ```text
//! if (&__ompchunk_connect (weak)) __ompchunk_connect(module)      // leads `state` elsewhere, or refuses
//! if (module->state was &module->unresolved, and is &module->nobody from now on) {
//!   module->entries = the runtime's functions
//!   if (module->state is &module->nobody no longer) module->entries = module->enter    // a shim came in between
//!   return null
//! }
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
//! It must not call the dynamic linker: a thread that runs the constructors of a library holds a lock that `dlsym` waits
//! for, and where one has a parallel loop, it waits for the other threads of its team, which come here.
//!
//! It is emitted in IR, because the compile line must need nothing but the plugin.

use std::mem::offset_of;

use inkwell::GlobalVisibility;
use inkwell::attributes::AttributeLoc;
use inkwell::llvm_sys::core::*;
use inkwell::module::Linkage;
use inkwell::types::{AsTypeRef, FunctionType};
use inkwell::values::{BasicValueEnum, FunctionValue, IntValue, PointerValue};
use inkwell::{AtomicOrdering, IntPredicate};
use ompchunk_abi as abi;
use ompchunk_abi::{Frame, ModuleRecord};

use super::Emitter;
use super::code::{Taken, built};
use crate::ffi;
use crate::ffi::c_text;
use crate::llvm::Value;

impl<'ctx> Emitter<'ctx> {
    /// Are the names of the module record and of the stub free, or those of a module record and a stub?
    pub fn has_its_names(&self) -> bool {
        // SAFETY: a value of the module, asked to be a variable or function.
        let has_type = |value: Value, of_type| unsafe { LLVMGlobalGetValueType(value.raw()) == of_type };
        let is_record = |value: Value| {
            value.is_variable()
                && has_type(value, self.record_type().as_type_ref())
                // SAFETY: a variable of the module.
                && unsafe {
                    LLVMGetPointerAddressSpace(LLVMTypeOf(value.raw())) == 0
                        && LLVMIsThreadLocal(value.raw()) == 0
                        && LLVMIsGlobalConstant(value.raw()) == 0
                }
        };
        let (begin, enter) = (self.begin_type(), self.entry_type());
        let of_loops = abi::ENTER_SYMBOLS.into_iter().chain([abi::ENTER_ASKING_SYMBOL]).map(|name| (name, enter));
        let mut stubs = [(abi::RESOLVER_SYMBOL, begin), (abi::BEGIN_SYMBOL, begin)].into_iter().chain(of_loops);
        let is_stub =
            |value: Value, of_type: FunctionType<'ctx>| value.is_function() && has_type(value, of_type.as_type_ref());
        self.named(abi::MODULE_SYMBOL).is_none_or(is_record)
            && stubs.all(|(name, of_type)| self.named(name).is_none_or(|value| is_stub(value, of_type)))
    }

    /// Also an alias or ifunc.
    fn named(&self, name: &str) -> Option<Value> {
        // SAFETY: the module is alive.
        unsafe { Value::from_raw(ffi::oc_named(self.module.as_mut_ptr(), c_text(name).as_ptr())) }
    }

    pub fn resolver(&self) -> PointerValue<'ctx> {
        self.stub(abi::RESOLVER_SYMBOL, self.begin_type(), Emitter::resolve)
    }

    fn resolve(&self, parameters: &[BasicValueEnum<'ctx>]) {
        let [found, off, close, open, look_again, ask, done] = std::array::from_fn(|_| self.cold_block());
        let connect = self.weak_or_null(abi::CONNECT_SYMBOL);
        self.branch_if(Taken::Perhaps, self.is_null(connect), off, found);

        self.at_end(found);
        self.call_for(self.i32, connect, &[self.record().into()]);
        self.branch(off);

        // A shim that has connected the image has led its state elsewhere. Else loops need not ask again ...
        self.at_end(off);
        let [unresolved, nobody] = [offset_of!(ModuleRecord, unresolved), offset_of!(ModuleRecord, nobody)];
        self.branch_if(Taken::Perhaps, self.leads(unresolved, nobody), close, look_again);

        self.at_end(close);
        self.set_entries(false);
        // By an exchange, so that a shim that comes behind it puts `enter` there behind these.
        self.branch_if(Taken::Perhaps, self.leads(nobody, nobody), done, open);

        // ... unless a shim has come.
        self.at_end(open);
        self.set_entries(true);
        self.branch(done);

        // Another thread was told so, or a shim has come, whose entry is there since its word is. One that claims to have connected and has
        // not must not send us round in circles.
        self.at_end(look_again);
        let (entry, stub) = (self.current_entry(), self.function().as_global_value().as_pointer_value());
        let is_stub = built(self.builder.build_int_compare(IntPredicate::EQ, entry, stub, ""));
        self.branch_if(Taken::Perhaps, is_stub, done, ask);

        self.at_end(ask);
        self.go_on_in_entry(parameters);

        self.at_end(done);
        built(self.builder.build_return(Some(&self.ptr.const_null())));
    }

    pub fn begin_function(&self) -> PointerValue<'ctx> {
        self.stub(abi::BEGIN_SYMBOL, self.begin_type(), |there, parameters| {
            let frame = parameters[0].into_pointer_value();
            there.clear(frame);
            there.store(there.record(), there.field(frame, offset_of!(Frame, module)));
            there.go_on_in_entry(parameters);
        })
    }

    /// A function, one per linked image, whose body `build` emits from its first block on, given its parameters.
    pub fn stub(
        &self,
        symbol: &str,
        of_type: FunctionType<'ctx>,
        build: impl FnOnce(&Emitter<'ctx>, &[BasicValueEnum<'ctx>]),
    ) -> PointerValue<'ctx> {
        let function = self.declared(symbol, of_type);
        if function.count_basic_blocks() == 0 {
            self.share(function.as_global_value(), symbol);
            for attribute in ["cold", "noinline", "nounwind"] {
                function.add_attribute(AttributeLoc::Function, self.attribute(attribute));
            }
            build(&self.within(function), &function.get_param_iter().collect::<Vec<_>>());
        }
        function.as_global_value().as_pointer_value()
    }

    /// Such a function, perhaps of another module of the image.
    pub fn declared(&self, symbol: &str, of_type: FunctionType<'ctx>) -> FunctionValue<'ctx> {
        self.module.get_function(symbol).unwrap_or_else(|| {
            let function = self.new_function(symbol, of_type, Linkage::ExternalWeak);
            function.as_global_value().set_visibility(GlobalVisibility::Hidden);
            function
        })
    }

    fn go_on_in_entry(&self, parameters: &[BasicValueEnum<'ctx>]) {
        let call = self.call(Some(self.ptr.into()), self.current_entry(), parameters);
        call.set_tail_call(true);
        built(self.builder.build_return(Some(&call.try_as_basic_value().unwrap_basic())));
    }

    pub fn current_entry(&self) -> PointerValue<'ctx> {
        self.load_acquired(self.field(self.record(), offset_of!(ModuleRecord, begin)))
    }

    /// Whether the image's state led to one of its words, and leads to the other from here on.
    fn leads(&self, from: usize, to: usize) -> IntValue<'ctx> {
        let exchange = built(self.builder.build_cmpxchg(
            self.field(self.record(), offset_of!(ModuleRecord, state)),
            self.field(self.record(), from),
            self.field(self.record(), to),
            AtomicOrdering::SequentiallyConsistent,
            AtomicOrdering::Acquire,
        ));
        built(self.builder.build_extract_value(exchange, 1, "")).into_int_value()
    }

    /// With the module's default attributes, so that it unwinds and profiles as the user's functions do.
    pub fn new_function(&self, name: &str, of_type: FunctionType<'ctx>, linkage: Linkage) -> FunctionValue<'ctx> {
        let name = c_text(name);
        // SAFETY: the module is alive; the glue returns a new function.
        let function = unsafe {
            FunctionValue::new(ffi::oc_function_new(self.module.as_mut_ptr(), name.as_ptr(), of_type.as_type_ref()))
        };
        let function = function.expect("LLVM made no function");
        function.set_linkage(linkage);
        function
    }

    /// Null if the module has something of its own by that name.
    pub fn weak_or_null(&self, name: &str) -> PointerValue<'ctx> {
        let known = self.module.get_function(name);
        let is_own = known.map_or(self.named(name).is_some(), |known| {
            matches!(known.get_linkage(), Linkage::Internal | Linkage::Private)
        });
        if is_own {
            return self.ptr.const_null();
        }
        let function = known.unwrap_or_else(|| {
            let signature = self.ptr.fn_type(&[self.ptr.into(), self.ptr.into()], false);
            let function = self.module.add_function(name, signature, None);
            function.set_linkage(Linkage::ExternalWeak);
            function
        });
        function.as_global_value().as_pointer_value()
    }
}
