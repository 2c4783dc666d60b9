//! The resolver stub: what `enter` points to until the first loop has asked.
//!
//! ```text
//! connect = &__ompchunk_connect (weak), else dlsym(RTLD_DEFAULT, "__ompchunk_connect")
//! if (connect && connect(module) == CONNECTED) return module->enter(module, loop, frame, start, step)
//! if (nobody else will say why) write(2, …)
//! module->state = &module->nobody
//! return 0
//! ```
//!
//! It is emitted in IR, because the compile line must need nothing but the plugin.

use std::mem::offset_of;

use inkwell::attributes::{Attribute, AttributeLoc};
use inkwell::basic_block::BasicBlock;
use inkwell::comdat::ComdatSelectionKind;
use inkwell::llvm_sys::LLVMAtomicOrdering;
use inkwell::llvm_sys::LLVMLinkage;
use inkwell::llvm_sys::core::{LLVMSetLinkage, LLVMSetOrdering};
use inkwell::module::Linkage;
use inkwell::values::{AsValueRef, FunctionValue, PointerValue};
use inkwell::{AddressSpace, GlobalVisibility};
use inkwell::{AtomicOrdering, IntPredicate};
use ompchunk_abi as abi;
use ompchunk_abi::ModuleRecord;

use super::Emitter;
use super::code::built;
use crate::ffi;

/// Said when the environment shows that the user expects the shim, or asks for explanations.
const NO_SHIM: &str = "ompchunk: this program has instrumented loops, but libompchunk_rt.so is not \
in the process, so no chunk event is sent; check its path in OMP_TOOL_LIBRARIES or LD_PRELOAD \
(OMP_TOOL_VERBOSE_INIT=stderr shows what the runtime tried)\n";

/// What the shim's file name contains, wherever it is installed.
const SHIM_NAME: &str = "ompchunk_rt";

impl<'ctx> Emitter<'ctx> {
    /// The stub, one per linked image.
    pub(super) fn resolver(&self) -> PointerValue<'ctx> {
        if let Some(known) = self.module.get_function(abi::RESOLVER_SYMBOL) {
            return known.as_global_value().as_pointer_value();
        }
        let function = self.new_resolver();
        let stub = function.as_global_value().as_pointer_value();
        self.builder.unset_current_debug_location();
        let new = || self.cold_block(function);
        let (entry, found, connected, ask) = (new(), new(), new(), new());
        let (search, absent, off) = (new(), new(), new());
        let Some(module) = function.get_first_param() else {
            panic!("the stub has parameters")
        };
        let module = module.into_pointer_value();

        self.at_end(entry);
        let direct = self.weak(abi::CONNECT_SYMBOL);
        match direct {
            Some(direct) => self.branch_if_null(direct, search, found),
            None => self.branch(search),
        }

        self.at_end(search);
        let dlsym = self.weak("dlsym");
        let searched = match dlsym {
            Some(dlsym) => {
                let look = new();
                self.branch_if_null(dlsym, absent, look);
                self.at_end(look);
                let symbol = self.look_up(dlsym, abi::CONNECT_SYMBOL);
                let complain = new();
                self.branch_if_null(symbol, complain, found);
                self.at_end(complain);
                self.complain(function, module, dlsym, off);
                Some((symbol, look))
            }
            None => {
                self.branch(absent);
                None
            }
        };
        self.at_end(absent);
        self.branch(off);

        self.at_end(found);
        let connect = built(self.builder.build_phi(self.ptr, ""));
        if let Some(direct) = direct {
            connect.add_incoming(&[(&direct, entry)]);
        }
        if let Some((symbol, look)) = searched {
            connect.add_incoming(&[(&symbol, look)]);
        }
        let connect_type = self.i32.fn_type(&[self.ptr.into()], false);
        let connect = connect.as_basic_value().into_pointer_value();
        let answer = self.call(connect_type, connect, &[module.into()]);
        let answer = answer.try_as_basic_value().unwrap_basic().into_int_value();
        let expected = self.i32.const_int(abi::CONNECTED.into(), false);
        let is = |left, right| {
            built(
                self.builder
                    .build_int_compare(IntPredicate::EQ, left, right, ""),
            )
        };
        self.branch_if(is(answer, expected), connected, off);

        self.at_end(connected);
        let enter_at = self.field(module, offset_of!(ModuleRecord, enter));
        let acquire = LLVMAtomicOrdering::LLVMAtomicOrderingAcquire;
        let enter = self
            .load_atomic(self.ptr, enter_at, 8, acquire)
            .into_pointer_value();
        // A shim that claims to connect and does not must not send us round in circles.
        let still_us = built(
            self.builder
                .build_int_compare(IntPredicate::EQ, enter, stub, ""),
        );
        self.branch_if(still_us, off, ask);

        self.at_end(ask);
        let arguments: Vec<_> = function.get_param_iter().map(Into::into).collect();
        let answer = self
            .call(self.enter_type(), enter, &arguments)
            .try_as_basic_value();
        built(self.builder.build_return(Some(&answer.unwrap_basic())));

        self.at_end(off);
        let nobody = self.field(module, offset_of!(ModuleRecord, nobody));
        let state = self.field(module, offset_of!(ModuleRecord, state));
        let store = built(self.builder.build_store(state, nobody));
        let _ = store.set_alignment(8);
        // SAFETY: a store just built.
        unsafe {
            LLVMSetOrdering(
                store.as_value_ref(),
                LLVMAtomicOrdering::LLVMAtomicOrderingRelease,
            );
        }
        built(self.builder.build_return(Some(&self.i32.const_zero())));
        stub
    }

    fn new_resolver(&self) -> FunctionValue<'ctx> {
        let name = crate::entry::c_text(abi::RESOLVER_SYMBOL);
        // SAFETY: the module is alive; the glue returns a new function.
        let function = unsafe {
            FunctionValue::new(ffi::oc_function_new(
                self.module.as_mut_ptr(),
                name.as_ptr(),
                inkwell::types::AsTypeRef::as_type_ref(&self.enter_type()),
            ))
        };
        let Some(function) = function else {
            panic!("LLVM made no function")
        };
        function.set_linkage(Linkage::LinkOnceODR);
        let global = function.as_global_value();
        global.set_visibility(GlobalVisibility::Hidden);
        let comdat = self.module.get_or_insert_comdat(abi::RESOLVER_SYMBOL);
        comdat.set_selection_kind(ComdatSelectionKind::Any);
        global.set_comdat(comdat);
        for attribute in ["cold", "noinline", "nounwind"] {
            let kind = Attribute::get_named_enum_kind_id(attribute);
            function.add_attribute(
                AttributeLoc::Function,
                self.context.create_enum_attribute(kind, 0),
            );
        }
        function
    }

    /// Says why there are no events, if `OMPCHUNK_VERBOSE` asks or `OMP_TOOL_LIBRARIES` names a shim
    /// that is not there. `getenv`, `strstr` and `write` come through `dlsym`: a user's module may
    /// have functions of its own by these names.
    fn complain(
        &self,
        function: FunctionValue<'ctx>,
        module: PointerValue<'ctx>,
        dlsym: PointerValue<'ctx>,
        done: BasicBlock<'ctx>,
    ) {
        let next = |function| self.cold_block(function);
        // Of the threads that come here at once, one speaks.
        let at = |offset| self.field(module, offset);
        let exchange = built(self.builder.build_cmpxchg(
            at(offset_of!(ModuleRecord, state)),
            at(offset_of!(ModuleRecord, unresolved)),
            at(offset_of!(ModuleRecord, nobody)),
            AtomicOrdering::AcquireRelease,
            AtomicOrdering::Monotonic,
        ));
        let first = built(self.builder.build_extract_value(exchange, 1, "")).into_int_value();
        let speaker = next(function);
        self.branch_if(first, speaker, done);
        self.at_end(speaker);
        let i8 = self.context.i8_type();
        let getenv = self.look_up(dlsym, "getenv");
        let have_getenv = next(function);
        self.branch_if_null(getenv, done, have_getenv);

        let (libraries, speak) = (next(function), next(function));
        self.at_end(have_getenv);
        let text_type = self.ptr.fn_type(&[self.ptr.into()], false);
        let verbose = self.text_call(text_type, getenv, &[self.text(abi::VERBOSE_ENV)]);
        let look = next(function);
        self.branch_if_null(verbose, libraries, look);
        self.at_end(look);
        let first = self.load(i8, verbose).into_int_value();
        let not_zero = next(function);
        self.branch_if(self.non_zero(first), not_zero, libraries);
        self.at_end(not_zero);
        let digit = i8.const_int(b'0'.into(), false);
        let off = built(
            self.builder
                .build_int_compare(IntPredicate::EQ, first, digit, ""),
        );
        self.branch_if(off, libraries, speak);

        self.at_end(libraries);
        let list = self.text_call(text_type, getenv, &[self.text("OMP_TOOL_LIBRARIES")]);
        let search = next(function);
        self.branch_if_null(list, done, search);
        self.at_end(search);
        let strstr = self.look_up(dlsym, "strstr");
        let compare = next(function);
        self.branch_if_null(strstr, done, compare);
        self.at_end(compare);
        let strstr_type = self.ptr.fn_type(&[self.ptr.into(), self.ptr.into()], false);
        let named = self.text_call(strstr_type, strstr, &[list, self.text(SHIM_NAME)]);
        self.branch_if_null(named, done, speak);

        self.at_end(speak);
        let write = self.look_up(dlsym, "write");
        let say = next(function);
        self.branch_if_null(write, done, say);
        self.at_end(say);
        let (i32, i64, ptr) = (self.i32, self.i64, self.ptr);
        let write_type = i64.fn_type(&[i32.into(), ptr.into(), i64.into()], false);
        let length = i64.const_int(NO_SHIM.len() as u64, false);
        let arguments = [
            i32.const_int(2, false).into(),
            self.text(NO_SHIM).into(),
            length.into(),
        ];
        self.call(write_type, write, &arguments);
        self.branch(done);
    }

    fn text_call(
        &self,
        signature: inkwell::types::FunctionType<'ctx>,
        callee: PointerValue<'ctx>,
        arguments: &[PointerValue<'ctx>],
    ) -> PointerValue<'ctx> {
        let arguments: Vec<_> = arguments.iter().map(|&argument| argument.into()).collect();
        let result = self
            .call(signature, callee, &arguments)
            .try_as_basic_value();
        result.unwrap_basic().into_pointer_value()
    }

    /// `dlsym(RTLD_DEFAULT, name)`
    fn look_up(&self, dlsym: PointerValue<'ctx>, name: &str) -> PointerValue<'ctx> {
        let signature = self.ptr.fn_type(&[self.ptr.into(), self.ptr.into()], false);
        self.text_call(signature, dlsym, &[self.ptr.const_null(), self.text(name)])
    }

    fn branch_if_null(
        &self,
        pointer: PointerValue<'ctx>,
        then: BasicBlock<'ctx>,
        otherwise: BasicBlock<'ctx>,
    ) {
        let null = built(self.builder.build_is_null(pointer, ""));
        self.branch_if(null, then, otherwise);
    }

    /// A weak reference to a function, or nothing if the module has a function of its own by that
    /// name.
    fn weak(&self, name: &str) -> Option<PointerValue<'ctx>> {
        if let Some(known) = self.module.get_function(name) {
            let local = matches!(known.get_linkage(), Linkage::Internal | Linkage::Private);
            return (!local).then(|| known.as_global_value().as_pointer_value());
        }
        let c_name = crate::entry::c_text(name);
        // SAFETY: the module is alive.
        if !unsafe { ffi::oc_named(self.module.as_mut_ptr(), c_name.as_ptr()) }.is_null() {
            return None;
        }
        let signature = self.ptr.fn_type(&[self.ptr.into(), self.ptr.into()], false);
        let function = self.module.add_function(name, signature, None);
        // SAFETY: a declaration just made.
        unsafe {
            LLVMSetLinkage(
                function.as_value_ref(),
                LLVMLinkage::LLVMExternalWeakLinkage,
            )
        }
        Some(function.as_global_value().as_pointer_value())
    }

    /// A private, NUL-terminated constant.
    fn text(&self, text: &str) -> PointerValue<'ctx> {
        let mut bytes = text.as_bytes().to_vec();
        bytes.push(0);
        let value = self.bytes(&bytes);
        let global = self.module.add_global(
            value.get_type(),
            Some(AddressSpace::default()),
            "ompchunk.text",
        );
        global.set_initializer(&value);
        global.set_constant(true);
        global.set_linkage(Linkage::Private);
        global.set_unnamed_address(inkwell::values::UnnamedAddress::Global);
        // SAFETY: a global variable just made.
        unsafe { ffi::oc_global_no_sanitize(global.as_value_ref()) }
        global.as_pointer_value()
    }
}
