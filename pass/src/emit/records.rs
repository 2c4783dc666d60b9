//! The constants that `ompchunk-abi` lays out, and the types of its functions.

use std::hash::{DefaultHasher, Hash, Hasher};
use std::mem::{offset_of, size_of};

use inkwell::GlobalVisibility;
use inkwell::comdat::{Comdat, ComdatSelectionKind};
use inkwell::llvm_sys::LLVMAttributeFunctionIndex;
use inkwell::llvm_sys::core::*;
use inkwell::module::Linkage;
use inkwell::types::{FunctionType, StructType};
use inkwell::values::{AsValueRef, FunctionValue, GlobalValue, IntValue, PointerValue, StructValue};
use ompchunk_abi as abi;
use ompchunk_abi::{LoopRecord, ModuleRecord, Note, TEXT_HEAD};

use super::Emitter;
use crate::ffi;
use crate::find::description::{BehindRecord, padded};
use crate::find::{Call, Construct, DONE, FoundLoop, TYPES};
use crate::llvm::Value;

/// The runtime's functions for loops of one type, as [`abi::RuntimeFunctions`] has them.
fn runtime_functions(kind: &str) -> [String; 3] {
    ["for_static_init", "dispatch_init", "dispatch_next"].map(|name| format!("__kmpc_{name}_{kind}"))
}

pub const ENTRIES: usize = TYPES.len();
const RUNTIME_FUNCTIONS: usize = size_of::<[abi::RuntimeFunctions; ENTRIES]>() / size_of::<*const ()>();

impl<'ctx> Emitter<'ctx> {
    pub fn module_record(&mut self) {
        // The plugin ran over this module before, or over a part of it.
        let known = || Some(self.module.get_global(abi::MODULE_SYMBOL)?.as_pointer_value());
        self.record = self.record.or_else(known);
        if self.record.is_none() {
            self.new_module_record();
        }
    }

    pub fn record(&self) -> PointerValue<'ctx> {
        self.record.expect("no module record")
    }

    /// In the order of `ompchunk_abi::ModuleRecord`.
    pub fn record_type(&self) -> StructType<'ctx> {
        let (i32, i64, ptr) = (self.i32.into(), self.i64.into(), self.ptr.into());
        let pointers = |count: usize| self.ptr.array_type(count as u32).into();
        let (functions, entries) = (pointers(RUNTIME_FUNCTIONS), pointers(ENTRIES));
        let fields = [i64, i32, i32, ptr, ptr, i32, i32, functions, ptr, entries, entries, ptr];
        self.context.struct_type(&fields, false)
    }

    fn new_module_record(&mut self) {
        let global = self.module.add_global(self.record_type(), None, abi::MODULE_SYMBOL);
        let record = *self.record.insert(global.as_pointer_value());
        let enter = abi::ENTER_SYMBOLS
            .map(|symbol| self.declared(symbol, self.entry_type()).as_global_value().as_pointer_value());
        let (resolver, enter) = (self.resolver(), self.ptr.const_array(&enter));
        let unresolved = self.field_of_constant(record, offset_of!(ModuleRecord, unresolved));
        let functions = TYPES.into_iter().flat_map(runtime_functions).map(|name| self.weak_or_null(&name));
        let functions: Vec<_> = functions.collect();
        global.set_initializer(&self.context.const_struct(
            &[
                self.i64.const_int(abi::MAGIC, false).into(),
                self.number(abi::VERSION).into(),
                self.number(size_of::<ModuleRecord>() as u32).into(),
                unresolved.into(),
                resolver.into(),
                self.number(abi::LISTENING).into(),
                self.number(0).into(),
                self.ptr.const_array(&functions).into(),
                self.weak_or_null("__kmpc_dispatch_deinit").into(),
                enter.into(),
                enter.into(),
                self.enter_asking().into(),
            ],
            false,
        ));
        global.set_alignment(8);
        let comdat = self.share(global, abi::MODULE_SYMBOL);
        // Its size is part of the ABI, red zones are not.
        self.without_red_zones(global);
        self.emit_note(record, comdat);
    }

    pub fn share(&self, global: GlobalValue<'ctx>, symbol: &str) -> Comdat {
        global.set_linkage(Linkage::LinkOnceODR);
        global.set_visibility(GlobalVisibility::Hidden);
        let comdat = self.module.get_or_insert_comdat(symbol);
        comdat.set_selection_kind(ComdatSelectionKind::Any);
        global.set_comdat(comdat);
        comdat
    }

    pub fn make_constant(&self, global: GlobalValue<'ctx>, value: StructValue<'ctx>, alignment: usize) {
        global.set_initializer(&value);
        global.set_constant(true);
        global.set_linkage(Linkage::Private);
        global.set_alignment(alignment as u32);
    }

    pub fn without_red_zones(&self, global: GlobalValue<'ctx>) {
        // SAFETY: a global variable.
        unsafe { ffi::oc_global_no_sanitize(global.as_value_ref()) }
    }

    /// How far something lies behind an offset of a variable.
    pub fn distance(&self, from: GlobalValue<'ctx>, offset: usize, to: PointerValue<'ctx>) -> IntValue<'ctx> {
        let from = self.field_of_constant(from.as_pointer_value(), offset);
        to.const_to_int(self.i64).const_sub(from.const_to_int(self.i64))
    }

    /// A loop that can be changed needs those for its type: a linker takes them from an archive, too.
    pub fn require_runtime(&self, call: &Call) {
        for function in runtime_functions(TYPES[call.kind()]).iter().filter_map(|name| self.module.get_function(name)) {
            if function.get_linkage() == Linkage::ExternalWeak {
                function.set_linkage(Linkage::External);
            }
        }
    }

    /// The note by which a shim that comes later finds the record. It leaves and stays with it.
    fn emit_note(&self, record: PointerValue<'ctx>, comdat: Comdat) {
        let mut name = abi::NOTE_NAME.to_vec();
        name.resize(offset_of!(Note, module) - offset_of!(Note, name), 0);
        let (name, i32) = (self.bytes(&name), self.i32.into());
        let note_type = self.context.struct_type(&[i32, i32, i32, name.get_type().into(), self.i64.into()], false);
        let global = self.module.add_global(note_type, None, "ompchunk.note");
        // In the order of `ompchunk_abi::Note`.
        let value = note_type.const_named_struct(&[
            self.number(abi::NOTE_NAME.len() as u32).into(),
            self.number(size_of::<i64>() as u32).into(),
            self.number(abi::NOTE_MODULE).into(),
            name.into(),
            self.distance(global, offset_of!(Note, module), record).into(),
        ]);
        self.make_constant(global, value, align_of::<Note>());
        global.set_section(Some(abi::NOTE_SECTION));
        global.set_comdat(comdat);
        self.without_red_zones(global);
        // SAFETY: a global variable just made, which nothing refers to.
        unsafe { ffi::oc_global_keep(self.module.as_mut_ptr(), global.as_value_ref()) }
    }

    pub fn loop_record(&mut self, found: &FoundLoop) -> PointerValue<'ctx> {
        let function = self.function();
        let shared = function.as_global_value().get_comdat().is_some();
        let location = &found.location;
        let terminated = |text: &[u8]| text.iter().copied().filter(|&byte| byte != 0).chain([0]).collect::<Vec<u8>>();
        let texts = [location.user_function(), &location.file].map(terminated);
        // The linker may leave away what the record of an inline function leads to, and keep another of its name.
        let behind = BehindRecord::new(if shared { &texts } else { &[] }, &found.group);
        let common = (!shared).then(|| texts.map(|text| self.place_text(text)));
        let value = self.loop_record_value(found, &behind, None);
        let name = if shared { self.name_of_shared(function, value) } else { "ompchunk.loop".to_owned() };
        let global = self.module.add_global(value.get_type(), None, &name);
        let far = common.map(|texts| (global, texts));
        self.make_record(global, self.loop_record_value(found, &behind, far));
        if shared {
            // Other functions, into which this one was inlined, refer to it when the linker has left this one away.
            self.share(global, &name);
            // Tools read the section record by record.
            self.without_red_zones(global);
        }
        global.as_pointer_value()
    }

    fn make_record(&self, global: GlobalValue<'ctx>, value: StructValue<'ctx>) {
        self.make_constant(global, value, align_of::<LoopRecord>());
        global.set_section(Some(abi::LOOPS_SECTION));
    }

    /// Where it will stand in the module's text record.
    fn place_text(&mut self, text: Vec<u8>) -> PointerValue<'ctx> {
        let texts = &mut self.texts;
        let record = *texts.record.get_or_insert_with(|| self.module.add_global(self.i64, None, "ompchunk.texts"));
        let place = *texts.places.entry(text).or_insert_with_key(|text| {
            let place = TEXT_HEAD + texts.bytes.len();
            texts.bytes.extend(text);
            place
        });
        self.field_of_constant(record.as_pointer_value(), place)
    }

    /// The module's last record is emitted.
    pub fn finish(&mut self) {
        let Some(placeholder) = self.texts.record.take() else { return };
        let bytes = padded(&self.texts.bytes);
        let size = self.number((TEXT_HEAD + bytes.len()) as u32);
        let [version, none] = [abi::VERSION, 0].map(|number| self.context.i16_type().const_int(number.into(), false));
        let fields = [size.into(), version.into(), none.into(), self.bytes(&bytes).into()];
        let value = self.context.const_struct(&fields, false);
        let record = self.module.add_global(value.get_type(), None, "ompchunk.text");
        self.make_record(record, value);
        // SAFETY: a variable that this emitter made, and nothing refers to it any more.
        unsafe {
            LLVMReplaceAllUsesWith(placeholder.as_value_ref(), record.as_value_ref());
            placeholder.delete();
        }
    }

    /// In the order of `ompchunk_abi::LoopRecord`. `far`: the record, and its texts that stand elsewhere.
    fn loop_record_value(
        &self,
        found: &FoundLoop,
        behind: &BehindRecord,
        far: Option<(GlobalValue<'ctx>, [PointerValue<'ctx>; 2])>,
    ) -> StructValue<'ctx> {
        let call = &found.call;
        let [function, file] = match far {
            Some((record, texts)) => texts.map(|text| self.distance(record, 0, text).const_truncate(self.i32)),
            None => behind.texts.map(|place| self.i32.const_int(place, false)),
        };
        let construct = match call.construct {
            Construct::For => abi::CONSTRUCT_FOR,
            Construct::Distribute => abi::CONSTRUCT_DISTRIBUTE,
            Construct::Sections => abi::CONSTRUCT_SECTIONS,
        };
        let why_fixed = found.change.err().unwrap_or(abi::fixed::UNKNOWN);
        let (i8, i16) = (self.context.i8_type(), self.context.i16_type());
        let byte = |value: u8| i8.const_int(value.into(), false).into();
        let half = |value: usize| i16.const_int(u16::try_from(value).unwrap_or(0).into(), false).into();
        let word = |value: u32| self.number(value).into();
        let known = |value: Option<i32>| self.i32.const_int(value.unwrap_or(0) as u64, true).into();
        self.context.const_struct(
            &[
                word(behind.size as u32),
                i16.const_int(abi::VERSION.into(), false).into(),
                byte(construct),
                byte(call.entry.bits as u8),
                word(found.flags(found.tells_bounds() && !self.is_counted)),
                word(call.schedule),
                known(call.known_chunk()),
                known(found.user.start.constant()),
                known(found.user.step.constant()),
                word(found.location.line),
                function.into(),
                file.into(),
                half(found.location.column as usize),
                byte(found.user.bits as u8),
                byte(why_fixed),
                byte(found.bound()),
                byte(0),
                half(behind.group),
                self.bytes(&behind.bytes).into(),
            ],
            false,
        )
    }

    /// What an inline function's loop is called in all objects, of which the linker keeps one. Objects that were compiled
    /// in other ways may say something else of the loop, which their code relies on: so the name has what is said.
    fn name_of_shared(&self, function: FunctionValue<'ctx>, value: StructValue<'ctx>) -> String {
        let mut said = DefaultHasher::new();
        value.to_string().hash(&mut said);
        let function = function.get_name().to_string_lossy();
        let stem = format!("__ompchunk_loop.{function}.{:016x}", said.finish());
        // Without line information two loops of a function may look the same.
        let mut names = (0..).map(|number| format!("{stem}.{number}"));
        names.find(|name| self.module.get_global(name).is_none()).unwrap_or(stem)
    }

    pub fn mark_done(&self, call: Value) {
        let attribute = self.context.create_string_attribute(DONE, "instrumented");
        // SAFETY: a call of the module.
        unsafe { LLVMAddCallSiteAttribute(call.raw(), LLVMAttributeFunctionIndex, attribute.as_mut_ptr()) }
    }

    pub fn field_of_constant(&self, global: PointerValue<'ctx>, offset: usize) -> PointerValue<'ctx> {
        let offset = self.i64.const_int(offset as u64, false);
        // SAFETY: callers stay within the global.
        unsafe { global.const_in_bounds_gep(self.context.i8_type(), &[offset]) }
    }

    pub fn bytes(&self, bytes: &[u8]) -> inkwell::values::ArrayValue<'ctx> {
        let i8 = self.context.i8_type();
        let values: Vec<IntValue<'ctx>> = bytes.iter().map(|&byte| i8.const_int(byte.into(), false)).collect();
        i8.const_array(&values)
    }

    pub fn begin_type(&self) -> FunctionType<'ctx> {
        let ptr = self.ptr.into();
        self.ptr.fn_type(&[ptr, ptr, ptr, self.i32.into()], false)
    }
}
