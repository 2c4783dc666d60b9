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
use ompchunk_abi::{GroupLoop, LoopRecord, ModuleRecord, Note, TEXT_HEAD};

use super::Emitter;
use crate::ffi;
use crate::find::{Call, Chunk, Construct, DONE, FoundLoop, TYPES};
use crate::llvm::Value;

/// The runtime's functions for loops of one type, as [`abi::RuntimeFunctions`] has them.
fn runtime_functions(kind: &str) -> [String; 3] {
    ["for_static_init", "dispatch_init", "dispatch_next"].map(|name| format!("__kmpc_{name}_{kind}"))
}

pub const ENTRIES: usize = TYPES.len();
const RUNTIME_FUNCTIONS: usize = size_of::<[abi::RuntimeFunctions; ENTRIES]>() / size_of::<*const ()>();

pub fn kind(call: &Call) -> usize {
    usize::from(call.entry.bits == 64) * 2 + usize::from(!call.entry.signed)
}

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
        let (resolver, enter) = (self.resolver(), self.enter_functions());
        let enter = self.ptr.const_array(&enter);
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
        for function in runtime_functions(TYPES[kind(call)]).iter().filter_map(|name| self.module.get_function(name)) {
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
        let texts = [user_function(&location.function), &location.file].map(terminated);
        // The linker may leave away what the record of an inline function leads to, and keep another of its name.
        let common = match (shared, &texts) {
            (true, _) => None,
            (false, [function, file]) => {
                let name = format!("ompchunk.text.{}", String::from_utf8_lossy(user_function(&location.function)));
                Some([self.text_record(function, &name), self.text_record(file, "ompchunk.text")])
            }
        };
        let behind = BehindRecord::new(if shared { &texts } else { &[] }, &found.group);
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

    fn text_record(&mut self, text: &[u8], name: &str) -> PointerValue<'ctx> {
        if let Some(known) = self.texts.get(text) {
            return *known;
        }
        let bytes = padded(text);
        let size = self.number((TEXT_HEAD + bytes.len()) as u32);
        let [version, none] = [abi::VERSION, 0].map(|number| self.context.i16_type().const_int(number.into(), false));
        let fields = [size.into(), version.into(), none.into(), self.bytes(&bytes).into()];
        let value = self.context.const_struct(&fields, false);
        let global = self.module.add_global(value.get_type(), None, name);
        self.make_record(global, value);
        let place = self.field_of_constant(global.as_pointer_value(), TEXT_HEAD);
        *self.texts.entry(text.to_owned()).or_insert(place)
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
        let word = |value: u32| self.number(value).into();
        let known = |value: Option<i64>| self.i64.const_int(value.unwrap_or(0) as u64, true).into();
        self.context.const_struct(
            &[
                word(behind.size as u32),
                i16.const_int(abi::VERSION.into(), false).into(),
                byte(construct),
                byte(call.entry.bits as u8),
                word(loop_flags(found)),
                word(call.schedule),
                known(known_chunk(call)),
                known(found.user.start.constant()),
                known(found.user.step.constant()),
                word(found.location.line),
                word(found.location.column),
                function.into(),
                file.into(),
                byte(found.user.bits as u8),
                byte(why_fixed),
                byte(found.bound()),
                byte(0),
                word(behind.group as u32),
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
        self.ptr.fn_type(&[ptr, ptr, ptr, self.i32.into(), ptr, ptr, ptr, ptr], false)
    }
}

/// What stands behind a loop's record. Places are bytes from the record's beginning.
struct BehindRecord {
    bytes: Vec<u8>,
    /// The function's name and the file, if they stand here.
    texts: [u64; 2],
    /// 0: none.
    group: u64,
    /// Size of the record with all of it.
    size: usize,
}

impl BehindRecord {
    fn new(texts: &[Vec<u8>], group: &[GroupLoop]) -> BehindRecord {
        let place = |bytes: &[u8]| (size_of::<LoopRecord>() + bytes.len()) as u64;
        let mut bytes = Vec::new();
        let mut places = [0; 2];
        for (text, at) in texts.iter().zip(&mut places) {
            *at = place(&bytes);
            bytes.extend(text);
        }
        bytes.resize(bytes.len().next_multiple_of(4), 0);
        let mut group_at = 0;
        if !group.is_empty() {
            group_at = place(&bytes);
            let words = group.iter().flat_map(|member| [member.line, member.column, member.changeable]);
            // In the host's order: the plugin instruments nothing else (`oc_is_host_elf64`).
            bytes.extend([group.len() as u32].into_iter().chain(words).flat_map(u32::to_ne_bytes));
        }
        let bytes = padded(&bytes);
        BehindRecord { texts: places, group: group_at, size: size_of::<LoopRecord>() + bytes.len(), bytes }
    }
}

/// With zeros, so that the next record may follow.
fn padded(bytes: &[u8]) -> Vec<u8> {
    let mut padded = bytes.to_owned();
    padded.resize(bytes.len().next_multiple_of(align_of::<LoopRecord>()), 0);
    padded
}

fn known_chunk(call: &Call) -> Option<i64> {
    call.chunk.filter(|_| call.chunked)
}

fn loop_flags(found: &FoundLoop) -> u32 {
    let (call, user, surroundings) = (&found.call, &found.user, &found.surroundings);
    let is_changeable = found.change.is_ok();
    let reassociated = surroundings.reassociated.filter(|_| is_changeable);
    let flags = [
        (call.entry.signed, abi::LOOP_SIGNED),
        (call.chunked, abi::LOOP_CHUNKED),
        (known_chunk(call).is_some(), abi::LOOP_CHUNK_KNOWN),
        (user.start.constant().is_some(), abi::LOOP_START_KNOWN),
        (user.step.constant().is_some(), abi::LOOP_STEP_KNOWN),
        (user.start.is_computed(), abi::LOOP_START_PASSED),
        (user.step.is_computed(), abi::LOOP_STEP_PASSED),
        (call.entry.dealt, abi::LOOP_DEALT),
        (matches!(found.form.chunk(), Chunk::Dealt { first: 1, .. }), abi::LOOP_FROM_ONE),
        (is_changeable, abi::LOOP_CHANGEABLE),
        (surroundings.no_barrier, abi::LOOP_NO_BARRIER),
        (surroundings.last_read, abi::LOOP_LAST_READ),
        (reassociated == Some(false), abi::LOOP_DIVISIBLE),
        (reassociated == Some(true), abi::LOOP_REASSOCIATED),
        (found.is_free(), abi::LOOP_FREE),
        (!found.group.is_empty(), abi::LOOP_MAPPED),
    ];
    flags.into_iter().filter(|(is_set, _)| *is_set).fold(0, |sum, (_, flag)| sum | flag)
}

/// The user's function: clang outlines regions into `NAME.omp_outlined…`, flang into
/// `NAME..omp_par…`; what a copied loop calls is copied to `NAME.ompchunk` (`glue/clone.cpp`).
fn user_function(name: &[u8]) -> &[u8] {
    let markers: [&[u8]; 3] = [b".omp_outlined", b"..omp_par", b".ompchunk"];
    let end = (0..name.len()).find(|&at| markers.iter().any(|marker| name[at..].starts_with(marker)));
    &name[..end.unwrap_or(name.len())]
}
