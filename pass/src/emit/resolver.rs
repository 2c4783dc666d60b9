//! The resolver stub: what `enter` points to until the first loop has asked.
//!
//! ```text
//! connect = &__ompchunk_connect (weak)
//! if (!connect || connect(module) != CONNECTED) {
//!   if (module->state was &module->unresolved, and is &module->nobody from now on) {
//!     if (!connect && nobody else will say why) __write(2, …)
//!     return 0
//!   }
//! }
//! if (module->enter is this stub) return 0   // and if connect() said CONNECTED, as above without a word
//! return module->enter(module, loop, frame, start, step)
//! ```
//!
//! The weak reference is bound when the image is loaded. A shim that comes later, as those do that the runtime opens,
//! finds the image by its note ([`abi::NOTE_SECTION`]), puts its own entry into `enter` and has the next loop ask again, by a
//! word of its own in `state`. So for an image that asks at this very moment one of the two comes first, and both know which: a
//! loop that runs as compiled because of this stub is one that the shim knows of.
//!
//! It must not call the dynamic linker. While a thread runs the constructors of a library, it holds a lock that
//! `dlsym` waits for; where such a constructor has a parallel loop, the other threads of its team come here, and it waits for
//! them.
//!
//! It is emitted in IR, because the compile line must need nothing but the plugin.

use std::mem::offset_of;

use inkwell::attributes::{Attribute, AttributeLoc};
use inkwell::basic_block::BasicBlock;
use inkwell::comdat::ComdatSelectionKind;
use inkwell::llvm_sys::LLVMAtomicOrdering;
use inkwell::llvm_sys::LLVMLinkage;
use inkwell::llvm_sys::core::LLVMSetLinkage;
use inkwell::module::Linkage;
use inkwell::types::IntMathType;
use inkwell::values::{AsValueRef, FunctionValue, IntMathValue, IntValue, PointerValue};
use inkwell::{AddressSpace, GlobalVisibility};
use inkwell::{AtomicOrdering, IntPredicate};
use ompchunk_abi as abi;
use ompchunk_abi::ModuleRecord;

use super::Emitter;
use super::code::built;
use crate::ffi;

/// Said when the environment shows that the user expects the shim, or asks for explanations.
const NO_SHIM: &str = "ompchunk: this program has instrumented loops, but libompchunk_rt.so is not \
in the process, so no chunk event is sent; its path in OMP_TOOL_LIBRARIES or LD_PRELOAD is wrong, or the \
program has an OMPT tool of its own (ompt_start_tool), which the runtime takes instead \
(OMP_TOOL_VERBOSE_INIT=stderr shows what it tried)\n";

/// What the shim's file name contains, wherever it is installed.
const SHIM_NAME: &str = "ompchunk_rt";

/// Of the stub.
struct Blocks<'ctx> {
    entry: BasicBlock<'ctx>,
    /// A shim is there ...
    found: BasicBlock<'ctx>,
    /// ... and says that the image is connected, ...
    connected: BasicBlock<'ctx>,
    /// ... or that it is not.
    off: BasicBlock<'ctx>,
    /// No shim is there, ...
    absent: BasicBlock<'ctx>,
    /// ... and this thread is the one that says so.
    speaker: BasicBlock<'ctx>,
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
            absent: block(),
            speaker: block(),
            look_again: block(),
            ask: block(),
            done: block(),
        }
    }
}

impl<'ctx> Emitter<'ctx> {
    /// The stub, one per linked image.
    pub(super) fn resolver(&self) -> PointerValue<'ctx> {
        if let Some(known) = self.module.get_function(abi::RESOLVER_SYMBOL) {
            return known.as_global_value().as_pointer_value();
        }
        let function = self.new_resolver();
        let stub = function.as_global_value().as_pointer_value();
        self.builder.unset_current_debug_location();
        let blocks = Blocks::new(|| self.cold_block(function));
        let Some(module) = function.get_first_param() else { panic!("the stub has parameters") };
        let module = module.into_pointer_value();
        self.connect(module, &blocks);

        self.at_end(blocks.connected);
        // A shim that claims to connect and does not must not send us round in circles.
        self.branch_if(self.enters(module, stub), blocks.off, blocks.ask);

        self.at_end(blocks.off);
        self.branch_if(self.told_nobody(module), blocks.done, blocks.look_again);

        // Of the threads that come here at once, one speaks.
        self.at_end(blocks.absent);
        self.branch_if(self.told_nobody(module), blocks.speaker, blocks.look_again);
        self.at_end(blocks.speaker);
        self.complain(function, module, blocks.done);

        // Another thread was told so, or a shim has come, whose entry is there since its word is.
        self.at_end(blocks.look_again);
        self.branch_if(self.enters(module, stub), blocks.done, blocks.ask);

        self.at_end(blocks.ask);
        let arguments: Vec<_> = function.get_param_iter().map(Into::into).collect();
        let enter = self.current_entry(module);
        let answer = self.call(self.enter_type(), enter, &arguments).try_as_basic_value();
        built(self.builder.build_return(Some(&answer.unwrap_basic())));

        self.at_end(blocks.done);
        built(self.builder.build_return(Some(&self.i32.const_zero())));
        stub
    }

    /// The entry: asks the shim, if there is one, to connect the image.
    fn connect(&self, module: PointerValue<'ctx>, blocks: &Blocks<'ctx>) {
        self.at_end(blocks.entry);
        let connect = self.weak(abi::CONNECT_SYMBOL);
        match connect {
            Some(connect) => self.branch_if_null(connect, blocks.absent, blocks.found),
            None => self.branch(blocks.absent),
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

    /// Whether `enter` still points to the stub.
    fn enters(&self, module: PointerValue<'ctx>, stub: PointerValue<'ctx>) -> IntValue<'ctx> {
        self.is_same(self.current_entry(module), stub)
    }

    /// What `enter` points to now.
    fn current_entry(&self, module: PointerValue<'ctx>) -> PointerValue<'ctx> {
        let at = self.field(module, offset_of!(ModuleRecord, enter));
        let acquire = LLVMAtomicOrdering::LLVMAtomicOrderingAcquire;
        self.load_atomic(self.ptr, at, 8, acquire).into_pointer_value()
    }

    /// Whether the image goes from `unresolved` to `nobody` here.
    fn told_nobody(&self, module: PointerValue<'ctx>) -> IntValue<'ctx> {
        let exchange = built(self.builder.build_cmpxchg(
            self.field(module, offset_of!(ModuleRecord, state)),
            self.field(module, offset_of!(ModuleRecord, unresolved)),
            self.field(module, offset_of!(ModuleRecord, nobody)),
            AtomicOrdering::SequentiallyConsistent,
            AtomicOrdering::Acquire,
        ));
        built(self.builder.build_extract_value(exchange, 1, "")).into_int_value()
    }

    fn new_resolver(&self) -> FunctionValue<'ctx> {
        let name = crate::ffi::c_text(abi::RESOLVER_SYMBOL);
        // SAFETY: the module is alive; the glue returns a new function.
        let function = unsafe {
            FunctionValue::new(ffi::oc_function_new(
                self.module.as_mut_ptr(),
                name.as_ptr(),
                inkwell::types::AsTypeRef::as_type_ref(&self.enter_type()),
            ))
        };
        let Some(function) = function else { panic!("LLVM made no function") };
        function.set_linkage(Linkage::LinkOnceODR);
        let global = function.as_global_value();
        global.set_visibility(GlobalVisibility::Hidden);
        let comdat = self.module.get_or_insert_comdat(abi::RESOLVER_SYMBOL);
        comdat.set_selection_kind(ComdatSelectionKind::Any);
        global.set_comdat(comdat);
        for attribute in ["cold", "noinline", "nounwind"] {
            let kind = Attribute::get_named_enum_kind_id(attribute);
            function.add_attribute(AttributeLoc::Function, self.context.create_enum_attribute(kind, 0));
        }
        function
    }

    /// Says why there are no events, if `OMPCHUNK_VERBOSE` asks or `OMP_TOOL_LIBRARIES` names a shim that is not
    /// there. Of the functions of libc, those by whose names a program has none of its own. Where libc has none either,
    /// nothing is said. `secure_getenv` sees no variable in a set-user-ID program.
    /// Nor is it said that there is no shim where one is, and has said why it is none for this image.
    fn complain(&self, function: FunctionValue<'ctx>, module: PointerValue<'ctx>, done: BasicBlock<'ctx>) {
        self.unless_refused(function, module, done);
        let Some([getenv, strstr, write]) = self.functions_of_libc(function, done) else {
            self.branch(done);
            return;
        };
        let (libraries, speak) = (self.cold_block(function), self.cold_block(function));
        self.if_verbose(function, getenv, speak, libraries);
        self.at_end(libraries);
        self.if_shim_is_named(function, [getenv, strstr], speak, done);

        self.at_end(speak);
        let (i32, i64, ptr) = (self.i32, self.i64, self.ptr);
        let write_type = i64.fn_type(&[i32.into(), ptr.into(), i64.into()], false);
        let length = i64.const_int(NO_SHIM.len() as u64, false);
        let arguments = [i32.const_int(2, false).into(), self.text(NO_SHIM).into(), length.into()];
        self.call(write_type, write, &arguments);
        self.branch(done);
    }

    /// Goes on where no shim has said why it is none for this image.
    fn unless_refused(&self, function: FunctionValue<'ctx>, module: PointerValue<'ctx>, done: BasicBlock<'ctx>) {
        let size = self.field(module, offset_of!(ModuleRecord, size));
        let monotonic = LLVMAtomicOrdering::LLVMAtomicOrderingMonotonic;
        let size = self.load_atomic(self.i32, size, 4, monotonic).into_int_value();
        let mark = self.i32.const_int(abi::REFUSED_MARK.into(), false);
        let refused = built(self.builder.build_and(size, mark, ""));
        let silent = self.cold_block(function);
        self.branch_if(self.non_zero(refused), done, silent);
        self.at_end(silent);
    }

    /// `secure_getenv`, `strstr` and `__write`: goes on where libc has all of them. `None`: the module has one of its own.
    fn functions_of_libc(
        &self,
        function: FunctionValue<'ctx>,
        done: BasicBlock<'ctx>,
    ) -> Option<[PointerValue<'ctx>; 3]> {
        let names = ["secure_getenv", "strstr", "__write"];
        let [getenv, strstr, write] = names.map(|name| self.weak(name));
        let functions = [getenv?, strstr?, write?];
        for pointer in functions {
            let there = self.cold_block(function);
            self.branch_if_null(pointer, done, there);
            self.at_end(there);
        }
        Some(functions)
    }

    /// Whether `OMPCHUNK_VERBOSE` asks for explanations.
    fn if_verbose(
        &self,
        function: FunctionValue<'ctx>,
        getenv: PointerValue<'ctx>,
        then: BasicBlock<'ctx>,
        otherwise: BasicBlock<'ctx>,
    ) {
        let i8 = self.context.i8_type();
        let verbose = self.text_call(getenv, &[self.text(abi::VERBOSE_ENV)]);
        let look = self.cold_block(function);
        self.branch_if_null(verbose, otherwise, look);
        self.at_end(look);
        let first = self.load(i8, verbose).into_int_value();
        let not_zero = self.cold_block(function);
        self.branch_if(self.non_zero(first), not_zero, otherwise);
        self.at_end(not_zero);
        let digit = i8.const_int(b'0'.into(), false);
        self.branch_if(self.is_same(first, digit), otherwise, then);
    }

    /// Whether `OMP_TOOL_LIBRARIES` names a shim.
    fn if_shim_is_named(
        &self,
        function: FunctionValue<'ctx>,
        [getenv, strstr]: [PointerValue<'ctx>; 2],
        then: BasicBlock<'ctx>,
        otherwise: BasicBlock<'ctx>,
    ) {
        let list = self.text_call(getenv, &[self.text("OMP_TOOL_LIBRARIES")]);
        let search = self.cold_block(function);
        self.branch_if_null(list, otherwise, search);
        self.at_end(search);
        let named = self.text_call(strstr, &[list, self.text(SHIM_NAME)]);
        self.branch_if_null(named, otherwise, then);
    }

    /// Of texts gives a text.
    fn text_call(&self, callee: PointerValue<'ctx>, arguments: &[PointerValue<'ctx>]) -> PointerValue<'ctx> {
        let signature = self.ptr.fn_type(&vec![self.ptr.into(); arguments.len()], false);
        let arguments: Vec<_> = arguments.iter().map(|&argument| argument.into()).collect();
        let result = self.call(signature, callee, &arguments).try_as_basic_value();
        result.unwrap_basic().into_pointer_value()
    }

    fn branch_if_null(&self, pointer: PointerValue<'ctx>, then: BasicBlock<'ctx>, otherwise: BasicBlock<'ctx>) {
        let null = built(self.builder.build_is_null(pointer, ""));
        self.branch_if(null, then, otherwise);
    }

    /// A weak reference to a function, or nothing if the module has a function of its own by that
    /// name.
    pub(super) fn weak(&self, name: &str) -> Option<PointerValue<'ctx>> {
        if let Some(known) = self.module.get_function(name) {
            let local = matches!(known.get_linkage(), Linkage::Internal | Linkage::Private);
            return (!local).then(|| known.as_global_value().as_pointer_value());
        }
        let c_name = crate::ffi::c_text(name);
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

    /// A private, NUL-terminated constant.
    fn text(&self, text: &str) -> PointerValue<'ctx> {
        let mut bytes = text.as_bytes().to_vec();
        bytes.push(0);
        let value = self.bytes(&bytes);
        let global = self.module.add_global(value.get_type(), Some(AddressSpace::default()), "ompchunk.text");
        global.set_initializer(&value);
        global.set_constant(true);
        global.set_linkage(Linkage::Private);
        global.set_unnamed_address(inkwell::values::UnnamedAddress::Global);
        // SAFETY: a global variable just made.
        unsafe { ffi::oc_global_no_sanitize(global.as_value_ref()) }
        global.as_pointer_value()
    }
}
