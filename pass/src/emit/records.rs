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
use crate::find::{Call, Chunk, Construct, DONE, FoundLoop};
use crate::llvm::Value;

/// The runtime's functions for loops of one type, as [`abi::RuntimeFunctions`] has them.
fn runtime_functions(kind: &str) -> [String; 3] {
    ["for_static_init", "dispatch_init", "dispatch_next"].map(|name| format!("__kmpc_{name}_{kind}"))
}

/// Types of loops.
pub(super) const ENTRIES: usize = KINDS.len();
const KINDS: [&str; 4] = ["4", "4u", "8", "8u"];
/// Runtime functions of all of them.
const RUNTIME_FUNCTIONS: usize = size_of::<[abi::RuntimeFunctions; ENTRIES]>() / size_of::<*const ()>();

/// Which of them the loop's is.
pub(super) fn kind(call: &Call) -> usize {
    usize::from(call.entry.bits == 64) * 2 + usize::from(!call.entry.signed)
}

impl<'ctx> Emitter<'ctx> {
    /// The image's module record, emitted at the first call.
    pub(super) fn module_record(&mut self) -> PointerValue<'ctx> {
        if let Some(record) = self.record {
            return record;
        }
        let record = match self.module.get_global(abi::MODULE_SYMBOL) {
            // The plugin ran over this module before, or over a part of it.
            Some(record) => record.as_pointer_value(),
            None => self.new_module_record(),
        };
        *self.record.insert(record)
    }

    /// The same, once it is there.
    pub(super) fn module_record_of(&self) -> PointerValue<'ctx> {
        match self.record {
            Some(record) => record,
            None => panic!("no module record"),
        }
    }

    /// In the order of `ompchunk_abi::ModuleRecord`.
    pub(super) fn record_type(&self) -> StructType<'ctx> {
        let (i32, i64, ptr) = (self.i32, self.i64, self.ptr);
        let functions = ptr.array_type(RUNTIME_FUNCTIONS as u32);
        let fields = [
            i64.into(),
            i32.into(),
            i32.into(),
            ptr.into(),
            ptr.into(),
            i32.into(),
            i32.into(),
            functions.into(),
            ptr.into(),
            ptr.array_type(ENTRIES as u32).into(),
            ptr.array_type(ENTRIES as u32).into(),
            ptr.into(),
        ];
        self.context.struct_type(&fields, false)
    }

    fn new_module_record(&self) -> PointerValue<'ctx> {
        let (i32, i64) = (self.i32, self.i64);
        let record_type = self.record_type();
        let global = self.module.add_global(record_type, None, abi::MODULE_SYMBOL);
        let record = global.as_pointer_value();
        let (resolver, enter) = (self.resolver(record), self.enter_functions(record));
        let unresolved = self.field_of_constant(record, offset_of!(ModuleRecord, unresolved));
        global.set_initializer(&self.context.const_struct(
            &[
                i64.const_int(abi::MAGIC, false).into(),
                i32.const_int(abi::VERSION.into(), false).into(),
                i32.const_int(size_of::<ModuleRecord>() as u64, false).into(),
                unresolved.into(),
                resolver.into(),
                i32.const_int(abi::LISTENING.into(), false).into(),
                i32.const_zero().into(),
                self.ptr.const_array(&self.runtime_functions()).into(),
                self.weak("__kmpc_dispatch_deinit").unwrap_or(self.ptr.const_null()).into(),
                self.ptr.const_array(&enter).into(),
                self.ptr.const_array(&enter).into(),
                self.enter_asking(record).into(),
            ],
            false,
        ));
        global.set_linkage(Linkage::LinkOnceODR);
        global.set_visibility(GlobalVisibility::Hidden);
        global.set_alignment(8);
        let comdat = self.module.get_or_insert_comdat(abi::MODULE_SYMBOL);
        comdat.set_selection_kind(ComdatSelectionKind::Any);
        global.set_comdat(comdat);
        // SAFETY: a global variable just made. Its size is part of the ABI, red zones are not.
        unsafe { ffi::oc_global_no_sanitize(global.as_value_ref()) }
        self.note(record, comdat);
        record
    }

    /// In the order of [`abi::RuntimeFunctions`].
    fn runtime_functions(&self) -> Vec<PointerValue<'ctx>> {
        let all = KINDS.into_iter().flat_map(runtime_functions);
        all.map(|name| self.weak(&name).unwrap_or(self.ptr.const_null())).collect()
    }

    /// A loop that can be changed needs those for its type: a linker takes them from an archive, too.
    pub(super) fn require_runtime(&self, call: &Call) {
        for function in runtime_functions(KINDS[kind(call)]).iter().filter_map(|name| self.module.get_function(name)) {
            if function.get_linkage() == Linkage::ExternalWeak {
                function.set_linkage(Linkage::External);
            }
        }
    }

    /// The note by which a shim that comes later finds the record. It leaves and stays with it.
    fn note(&self, record: PointerValue<'ctx>, comdat: Comdat) {
        let (i8, i32, i64) = (self.context.i8_type(), self.i32, self.i64);
        let mut name = abi::NOTE_NAME.to_vec();
        name.resize(offset_of!(Note, module) - offset_of!(Note, name), 0);
        let fields = [i32.into(), i32.into(), i32.into(), i8.array_type(name.len() as u32).into(), i64.into()];
        let note_type = self.context.struct_type(&fields, false);
        let global = self.module.add_global(note_type, None, "ompchunk.note");
        let here = self.field_of_constant(global.as_pointer_value(), offset_of!(Note, module));
        let distance = record.const_to_int(i64).const_sub(here.const_to_int(i64));
        // In the order of `ompchunk_abi::Note`.
        global.set_initializer(&note_type.const_named_struct(&[
            i32.const_int(abi::NOTE_NAME.len() as u64, false).into(),
            i32.const_int(size_of::<i64>() as u64, false).into(),
            i32.const_int(abi::NOTE_MODULE.into(), false).into(),
            self.bytes(&name).into(),
            distance.into(),
        ]));
        global.set_constant(true);
        global.set_linkage(Linkage::Private);
        global.set_section(Some(abi::NOTE_SECTION));
        global.set_alignment(align_of::<Note>() as u32);
        global.set_comdat(comdat);
        // SAFETY: a global variable just made, which nothing refers to.
        unsafe {
            ffi::oc_global_no_sanitize(global.as_value_ref());
            ffi::oc_global_keep(self.module.as_mut_ptr(), global.as_value_ref());
        }
    }

    /// A constant that describes one loop, in the section that tools read.
    pub(super) fn loop_record(&mut self, function: FunctionValue<'ctx>, found: &FoundLoop) -> PointerValue<'ctx> {
        let shared = function.as_global_value().get_comdat().is_some();
        let location = &found.location;
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
        let name = match shared {
            true => self.name_of_shared(function, value),
            false => "ompchunk.loop".to_owned(),
        };
        let global = self.module.add_global(value.get_type(), None, &name);
        let far = common.map(|texts| (global.as_pointer_value(), texts));
        self.put_into_section(global, self.loop_record_value(found, &behind, far));
        if shared {
            // Other functions, into which this one was inlined, refer to it when the linker has left this one away.
            let comdat = self.module.get_or_insert_comdat(&name);
            comdat.set_selection_kind(ComdatSelectionKind::Any);
            global.set_comdat(comdat);
            global.set_linkage(Linkage::LinkOnceODR);
            global.set_visibility(GlobalVisibility::Hidden);
            // SAFETY: a global variable just made. Tools read the section record by record.
            unsafe { ffi::oc_global_no_sanitize(global.as_value_ref()) }
        }
        global.as_pointer_value()
    }

    fn put_into_section(&self, global: GlobalValue<'ctx>, value: StructValue<'ctx>) {
        global.set_initializer(&value);
        global.set_constant(true);
        global.set_linkage(Linkage::Private);
        global.set_section(Some(abi::LOOPS_SECTION));
        global.set_alignment(align_of::<LoopRecord>() as u32);
    }

    /// The record of a text that several loop records name. Gives where the text begins.
    fn text_record(&mut self, text: &[u8], name: &str) -> PointerValue<'ctx> {
        if let Some(known) = self.texts.get(text) {
            return *known;
        }
        let bytes = padded(text);
        let size = (TEXT_HEAD + bytes.len()) as u64;
        let [version, none] = [abi::VERSION, 0].map(|number| self.context.i16_type().const_int(number.into(), false));
        let fields = [self.i32.const_int(size, false).into(), version.into(), none.into(), self.bytes(&bytes).into()];
        let value = self.context.const_struct(&fields, false);
        let global = self.module.add_global(value.get_type(), None, name);
        self.put_into_section(global, value);
        let place = self.field_of_constant(global.as_pointer_value(), TEXT_HEAD);
        *self.texts.entry(text.to_owned()).or_insert(place)
    }

    /// In the order of `ompchunk_abi::LoopRecord`, with what follows it. Of a record whose function's name and file are texts of their own,
    /// its address and theirs.
    fn loop_record_value(
        &self,
        found: &FoundLoop,
        behind: &BehindRecord,
        far: Option<(PointerValue<'ctx>, [PointerValue<'ctx>; 2])>,
    ) -> StructValue<'ctx> {
        let call = &found.call;
        let [function, file] = match far {
            Some((record, texts)) => texts.map(|text| {
                let distance = text.const_to_int(self.i64).const_sub(record.const_to_int(self.i64));
                distance.const_truncate(self.i32)
            }),
            None => behind.texts.map(|place| self.i32.const_int(place, false)),
        };
        let construct = match call.construct {
            Construct::For => abi::CONSTRUCT_FOR,
            Construct::Distribute => abi::CONSTRUCT_DISTRIBUTE,
            Construct::Sections => abi::CONSTRUCT_SECTIONS,
        };
        let why_fixed = found.change.err().unwrap_or(abi::fixed::UNKNOWN);
        let (start, step) = (found.user.start.constant(), found.user.step.constant());

        let (i8, i16) = (self.context.i8_type(), self.context.i16_type());
        let byte = |value: u8| i8.const_int(value.into(), false);
        let u32 = |value: u64| self.i32.const_int(value, false);
        let i64 = |value: Option<i64>| self.i64.const_int(value.unwrap_or(0) as u64, true);
        self.context.const_struct(
            &[
                u32(behind.size as u64).into(),
                i16.const_int(abi::VERSION.into(), false).into(),
                byte(construct).into(),
                i8.const_int(call.entry.bits.into(), false).into(),
                u32(loop_flags(found).into()).into(),
                u32(call.schedule.into()).into(),
                i64(known_chunk(call)).into(),
                i64(start).into(),
                i64(step).into(),
                u32(found.location.line.into()).into(),
                u32(found.location.column.into()).into(),
                function.into(),
                file.into(),
                i8.const_int(found.user.bits.into(), false).into(),
                i8.const_int(why_fixed.into(), false).into(),
                i8.const_int(found.bound().into(), false).into(),
                i8.const_zero().into(),
                u32(behind.group).into(),
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

    /// Marks a call so that a second run of the plugin does not instrument its loop again.
    pub(super) fn mark_done(&self, call: Value) {
        let attribute = self.context.create_string_attribute(DONE, "instrumented");
        // SAFETY: a call of the module.
        unsafe { LLVMAddCallSiteAttribute(call.raw(), LLVMAttributeFunctionIndex, attribute.as_mut_ptr()) }
    }

    /// `pointer + offset` in bytes, as a constant.
    pub(super) fn field_of_constant(&self, global: PointerValue<'ctx>, offset: usize) -> PointerValue<'ctx> {
        let offset = self.i64.const_int(offset as u64, false);
        // SAFETY: callers stay within the global.
        unsafe { global.const_in_bounds_gep(self.context.i8_type(), &[offset]) }
    }

    pub(super) fn bytes(&self, bytes: &[u8]) -> inkwell::values::ArrayValue<'ctx> {
        let i8 = self.context.i8_type();
        let values: Vec<IntValue<'ctx>> = bytes.iter().map(|&byte| i8.const_int(byte.into(), false)).collect();
        i8.const_array(&values)
    }

    pub(super) fn begin_type(&self) -> FunctionType<'ctx> {
        let ptr = self.ptr.into();
        self.ptr.fn_type(&[ptr, ptr, ptr, self.i32.into(), ptr, ptr, ptr, ptr], false)
    }

    pub(super) fn chunk_type(&self) -> FunctionType<'ctx> {
        let parameters = [self.ptr.into(), self.i64.into(), self.i64.into(), self.i32.into()];
        self.context.void_type().fn_type(&parameters, false)
    }

    pub(super) fn leave_type(&self) -> FunctionType<'ctx> {
        self.i32.fn_type(&[self.ptr.into(), self.i32.into()], false)
    }

    /// [`abi::BookkeepingFn`] and [`abi::ReadyFn`].
    pub(super) fn frame_type(&self) -> FunctionType<'ctx> {
        self.context.void_type().fn_type(&[self.ptr.into()], false)
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
        let group_at = if group.is_empty() { 0 } else { place(&bytes) };
        bytes.extend(group_bytes(group));
        let bytes = padded(&bytes);
        BehindRecord { texts: places, group: group_at, size: size_of::<LoopRecord>() + bytes.len(), bytes }
    }
}

/// The text as a record has it.
fn terminated(text: &[u8]) -> Vec<u8> {
    text.iter().copied().filter(|&byte| byte != 0).chain([0]).collect()
}

/// With zeros, so that the next record may follow.
fn padded(bytes: &[u8]) -> Vec<u8> {
    let mut padded = bytes.to_owned();
    padded.resize(bytes.len().next_multiple_of(align_of::<LoopRecord>()), 0);
    padded
}

/// The chunk size in the source, if it is a constant.
fn known_chunk(call: &Call) -> Option<i64> {
    call.chunk.filter(|_| call.chunked)
}

/// `ompchunk_abi::LOOP_*`
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
    let set = flags.iter().filter(|(is_set, _)| *is_set);
    set.fold(0, |sum, (_, flag)| sum | flag)
}

/// The loops of a group as `ompchunk_abi::GROUP_HEAD` and `GroupLoop` have it, in the target's byte order.
fn group_bytes(group: &[GroupLoop]) -> Vec<u8> {
    if group.is_empty() {
        return Vec::new();
    }
    let words = group.iter().flat_map(|member| [member.line, member.column, member.changeable]);
    // The host's: the plugin instruments nothing else (`oc_is_host_elf64`).
    [group.len() as u32].into_iter().chain(words).flat_map(u32::to_ne_bytes).collect()
}

impl From<FunctionValue<'_>> for Value {
    fn from(function: FunctionValue<'_>) -> Value {
        // SAFETY: inkwell's handle is not null.
        match unsafe { Value::from_raw(function.as_value_ref()) } {
            Some(value) => value,
            None => unreachable!("inkwell functions are not null"),
        }
    }
}

/// The user's function: clang outlines regions into `NAME.omp_outlined…`, flang into
/// `NAME..omp_par…`; what a copied loop calls is copied to `NAME.ompchunk` (`glue/clone.cpp`).
fn user_function(name: &[u8]) -> &[u8] {
    let markers: [&[u8]; 3] = [b".omp_outlined", b"..omp_par", b".ompchunk"];
    let end = (0..name.len()).find(|&at| markers.iter().any(|marker| name[at..].starts_with(marker)));
    &name[..end.unwrap_or(name.len())]
}
