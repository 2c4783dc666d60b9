//! The part of libotf2's C interface that is used, declared by hand from the headers of OTF2 3.0 (`OTF2_Archive.h`,
//! `OTF2_EvtWriter.h`, `OTF2_GlobalDefWriter.h`, `OTF2_DefWriter.h`, `OTF2_IdMap.h`, `OTF2_AttributeList.h`, `OTF2_Callbacks.h`,
//! `OTF2_ErrorCodes.h`). A test has a C compiler compare each declaration with the headers. Calls nothing but the dynamic linker.

use std::ffi::{c_char, c_void};

use libloading::Library;

use crate::error::Error;

macro_rules! handles {
    ($($name:ident)*) => {
        $(#[repr(C)]
        pub(super) struct $name(c_void);)*
    };
}

handles! { Archive EvtWriter DefWriter GlobalDefWriter AttributeList IdMap }

/// `OTF2_ErrorCode`; negative: no error.
pub(super) type ErrorCode = i32;
pub(super) type CallbackCode = i32;
/// What a callback gets of its own.
pub(super) type Data = *mut c_void;

/// `OTF2_ErrorCallback`. The last argument is a `va_list`, which x86-64 and AArch64 hand over as an address.
pub(super) type ErrorCallback =
    unsafe extern "C" fn(Data, *const c_char, u64, *const c_char, ErrorCode, *const c_char, *mut c_void) -> ErrorCode;

#[repr(C)]
pub(super) struct FlushCallbacks {
    pub(super) pre_flush: unsafe extern "C" fn(Data, u8, u64, Data, bool) -> u8,
    pub(super) post_flush: Option<unsafe extern "C" fn(Data, u8, u64) -> u64>,
}

#[repr(C)]
pub(super) struct MemoryCallbacks {
    pub(super) allocate: unsafe extern "C" fn(Data, u8, u64, *mut Data, u64) -> Data,
    pub(super) free_all: unsafe extern "C" fn(Data, u8, u64, *mut Data, bool),
}

#[repr(C)]
pub(super) struct LockingCallbacks {
    pub(super) release: Option<unsafe extern "C" fn(Data)>,
    pub(super) create: unsafe extern "C" fn(Data, *mut Data) -> CallbackCode,
    pub(super) destroy: unsafe extern "C" fn(Data, Data) -> CallbackCode,
    pub(super) lock: unsafe extern "C" fn(Data, Data) -> CallbackCode,
    pub(super) unlock: unsafe extern "C" fn(Data, Data) -> CallbackCode,
}

macro_rules! constants {
    ($($name:ident: $type:ident = $value:expr;)*) => {
        $(pub(super) const $name: $type = $value;)*
        #[cfg(test)]
        const CONSTANTS: &[(&str, u64)] = &[$((stringify!($name), $value as u64),)*];
    };
}

constants! {
    SUCCESS: i32 = 0;
    CALLBACK_SUCCESS: i32 = 0;
    CALLBACK_ERROR: i32 = 1;
    FILEMODE_WRITE: u8 = 0;
    SUBSTRATE_POSIX: u8 = 1;
    COMPRESSION_NONE: u8 = 1;
    FLUSH: u8 = 1;
    FILETYPE_EVENTS: u8 = 3;
    CHUNK_SIZE_MIN: u64 = 256 * 1024;
    CHUNK_SIZE_MAX: u64 = 16 * 1024 * 1024;
    CHUNK_SIZE_DEFINITIONS_DEFAULT: u64 = 4 * 1024 * 1024;
    UNDEFINED_UINT32: u32 = u32::MAX;
    PARADIGM_OPENMP: u8 = 3;
    PARADIGM_CLASS_THREAD_FORK_JOIN: u8 = 1;
    PARADIGM_OPENACC: u8 = 18;
    PARADIGM_CLASS_ACCELERATOR: u8 = 3;
    TYPE_UINT8: u8 = 1;
    TYPE_UINT64: u8 = 4;
    TYPE_INT64: u8 = 8;
    TYPE_DOUBLE: u8 = 10;
    MAPPING_STRING: u8 = 0;
    MAPPING_REGION: u8 = 3;
    MAPPING_COMM: u8 = 6;
    SYSTEM_TREE_DOMAIN_MACHINE: u8 = 0;
    SYSTEM_TREE_DOMAIN_SHARED_MEMORY: u8 = 1;
    LOCATION_GROUP_TYPE_PROCESS: u8 = 1;
    LOCATION_TYPE_CPU_THREAD: u8 = 1;
    REGION_ROLE_UNKNOWN: u8 = 0;
    REGION_ROLE_LOOP: u8 = 3;
    REGION_ROLE_CODE: u8 = 4;
    REGION_ROLE_PARALLEL: u8 = 5;
    REGION_ROLE_SECTIONS: u8 = 6;
    REGION_ROLE_WORKSHARE: u8 = 8;
    REGION_ROLE_SINGLE: u8 = 9;
    REGION_ROLE_SINGLE_SBLOCK: u8 = 10;
    REGION_ROLE_BARRIER: u8 = 15;
    REGION_ROLE_IMPLICIT_BARRIER: u8 = 16;
    REGION_ROLE_TASK_CREATE: u8 = 21;
    REGION_ROLE_TASK_WAIT: u8 = 22;
    REGION_ROLE_DATA_TRANSFER: u8 = 30;
    REGION_FLAG_NONE: u32 = 0;
    GROUP_TYPE_COMM_LOCATIONS: u8 = 4;
    GROUP_TYPE_COMM_GROUP: u8 = 5;
    GROUP_FLAG_NONE: u32 = 0;
    COMM_FLAG_NONE: u32 = 0;
    PARAMETER_TYPE_STRING: u8 = 0;
}

macro_rules! functions {
    ($($name:ident($($type:ty),*) -> $returns:ty;)*) => {
        /// The library's functions, by their names without `OTF2_`.
        #[allow(non_snake_case, reason = "the library's names")]
        pub(super) struct Symbols {
            $(pub(super) $name: unsafe extern "C" fn($($type),*) -> $returns,)*
        }

        impl Symbols {
            fn load(library: &Library) -> Result<Symbols, libloading::Error> {
                Ok(Symbols {
                    $($name: {
                        // SAFETY: the type is the one that the headers of OTF2 3 declare, which `abi` below compares; that the
                        // library is of that version, `load` and `Archive::open` find out before they call anything else.
                        unsafe { *library.get(concat!("OTF2_", stringify!($name), "\0").as_bytes())? }
                    },)*
                })
            }
        }

        #[cfg(test)]
        const FUNCTIONS: &[(&str, &[&str], &str)] = &[
            $((stringify!($name), &[$(stringify!($type)),*], stringify!($returns)),)*
        ];
    };
}

functions! {
    Error_RegisterCallback(Option<ErrorCallback>, Data) -> Option<ErrorCallback>;
    Error_GetDescription(ErrorCode) -> *const c_char;
    Archive_Open(*const c_char, *const c_char, u8, u64, u64, u8, u8) -> *mut Archive;
    Archive_GetVersion(*mut Archive, *mut u8, *mut u8, *mut u8) -> ErrorCode;
    Archive_SetFlushCallbacks(*mut Archive, *const FlushCallbacks, Data) -> ErrorCode;
    Archive_SetMemoryCallbacks(*mut Archive, *const MemoryCallbacks, Data) -> ErrorCode;
    Archive_SetLockingCallbacks(*mut Archive, *const LockingCallbacks, Data) -> ErrorCode;
    Archive_SetSerialCollectiveCallbacks(*mut Archive) -> ErrorCode;
    Archive_SetCreator(*mut Archive, *const c_char) -> ErrorCode;
    Archive_SetDescription(*mut Archive, *const c_char) -> ErrorCode;
    Archive_OpenEvtFiles(*mut Archive) -> ErrorCode;
    Archive_CloseEvtFiles(*mut Archive) -> ErrorCode;
    Archive_OpenDefFiles(*mut Archive) -> ErrorCode;
    Archive_CloseDefFiles(*mut Archive) -> ErrorCode;
    Archive_GetEvtWriter(*mut Archive, u64) -> *mut EvtWriter;
    Archive_CloseEvtWriter(*mut Archive, *mut EvtWriter) -> ErrorCode;
    Archive_GetDefWriter(*mut Archive, u64) -> *mut DefWriter;
    Archive_CloseDefWriter(*mut Archive, *mut DefWriter) -> ErrorCode;
    Archive_GetGlobalDefWriter(*mut Archive) -> *mut GlobalDefWriter;
    Archive_CloseGlobalDefWriter(*mut Archive, *mut GlobalDefWriter) -> ErrorCode;
    Archive_Close(*mut Archive) -> ErrorCode;
    AttributeList_New() -> *mut AttributeList;
    AttributeList_Delete(*mut AttributeList) -> ErrorCode;
    AttributeList_AddUint8(*mut AttributeList, u32, u8) -> ErrorCode;
    AttributeList_AddUint64(*mut AttributeList, u32, u64) -> ErrorCode;
    AttributeList_AddInt64(*mut AttributeList, u32, i64) -> ErrorCode;
    AttributeList_AddDouble(*mut AttributeList, u32, f64) -> ErrorCode;
    EvtWriter_GetNumberOfEvents(*mut EvtWriter, *mut u64) -> ErrorCode;
    EvtWriter_Enter(*mut EvtWriter, *mut AttributeList, u64, u32) -> ErrorCode;
    EvtWriter_Leave(*mut EvtWriter, *mut AttributeList, u64, u32) -> ErrorCode;
    EvtWriter_ParameterString(*mut EvtWriter, *mut AttributeList, u64, u32, u32) -> ErrorCode;
    EvtWriter_ThreadFork(*mut EvtWriter, *mut AttributeList, u64, u8, u32) -> ErrorCode;
    EvtWriter_ThreadJoin(*mut EvtWriter, *mut AttributeList, u64, u8) -> ErrorCode;
    EvtWriter_ThreadTeamBegin(*mut EvtWriter, *mut AttributeList, u64, u32) -> ErrorCode;
    EvtWriter_ThreadTeamEnd(*mut EvtWriter, *mut AttributeList, u64, u32) -> ErrorCode;
    EvtWriter_ThreadTaskCreate(*mut EvtWriter, *mut AttributeList, u64, u32, u32, u32) -> ErrorCode;
    EvtWriter_ThreadTaskSwitch(*mut EvtWriter, *mut AttributeList, u64, u32, u32, u32) -> ErrorCode;
    EvtWriter_ThreadTaskComplete(*mut EvtWriter, *mut AttributeList, u64, u32, u32, u32) -> ErrorCode;
    IdMap_CreateFromUint32Array(u64, *const u32, bool) -> *mut IdMap;
    IdMap_Free(*mut IdMap) -> ();
    DefWriter_WriteMappingTable(*mut DefWriter, u8, *const IdMap) -> ErrorCode;
    GlobalDefWriter_WriteClockProperties(*mut GlobalDefWriter, u64, u64, u64, u64) -> ErrorCode;
    GlobalDefWriter_WriteParadigm(*mut GlobalDefWriter, u8, u32, u8) -> ErrorCode;
    GlobalDefWriter_WriteString(*mut GlobalDefWriter, u32, *const c_char) -> ErrorCode;
    GlobalDefWriter_WriteAttribute(*mut GlobalDefWriter, u32, u32, u32, u8) -> ErrorCode;
    GlobalDefWriter_WriteParameter(*mut GlobalDefWriter, u32, u32, u8) -> ErrorCode;
    GlobalDefWriter_WriteSystemTreeNode(*mut GlobalDefWriter, u32, u32, u32, u32) -> ErrorCode;
    GlobalDefWriter_WriteSystemTreeNodeDomain(*mut GlobalDefWriter, u32, u8) -> ErrorCode;
    GlobalDefWriter_WriteLocationGroup(*mut GlobalDefWriter, u32, u32, u8, u32, u32) -> ErrorCode;
    GlobalDefWriter_WriteLocation(*mut GlobalDefWriter, u64, u32, u8, u64, u32) -> ErrorCode;
    GlobalDefWriter_WriteRegion(*mut GlobalDefWriter, u32, u32, u32, u32, u8, u8, u32, u32, u32, u32) -> ErrorCode;
    GlobalDefWriter_WriteGroup(*mut GlobalDefWriter, u32, u32, u8, u8, u32, u32, *const u64) -> ErrorCode;
    GlobalDefWriter_WriteComm(*mut GlobalDefWriter, u32, u32, u32, u32, u32) -> ErrorCode;
}

/// The library's name in OTF2 3, in Debian, and perhaps in a later version. (libotf2-trace-dev has `libotf2.so` only.)
const NAMES: [&str; 3] = ["libotf2.so.10", "libopen-trace-format2.so.10", "libotf2.so"];

/// New in OTF2 3.0, which also changed parameters of functions that kept their names.
const SINCE_3: &[u8] = b"OTF2_GlobalDefWriter_WriteInterComm\0";

/// Loads the library, which then stays until the process ends: another thread may execute its code.
pub(super) fn load() -> Result<Symbols, Error> {
    let mut why = String::new();
    for name in NAMES {
        // SAFETY: a shared library of that name runs what OTF2's constructors do: nothing.
        let library = match unsafe { Library::new(name) } {
            Ok(library) => Box::leak(Box::new(library)),
            Err(cause) => {
                why = cause.to_string();
                continue;
            }
        };
        // SAFETY: only asks whether the symbol is there.
        if unsafe { library.get::<*const c_void>(SINCE_3) }.is_err() {
            return Err(Error::NoOtf2 { why: format!("{name} is older than OTF2 3.0") });
        }
        let no_otf2 = |cause| Error::NoOtf2 { why: format!("{name} is no libotf2: {cause}") };
        return Symbols::load(library).map_err(no_otf2);
    }
    Err(Error::NoOtf2 { why })
}

#[cfg(test)]
mod tests {
    use std::fmt::Write as _;
    use std::mem::{offset_of, size_of};
    use std::path::Path;
    use std::process::Command;

    use super::*;

    /// The C type of a Rust type.
    fn c(rust: &str) -> String {
        let rust = rust.replace(' ', "");
        let (name, suffix) = match rust.strip_prefix("*mut") {
            Some(name) => (name, "*"),
            None => match rust.strip_prefix("*const") {
                Some(name) => (name, " const*"),
                None => (&*rust, ""),
            },
        };
        let name = match name {
            "u8" => "uint8_t",
            "u32" => "uint32_t",
            "u64" => "uint64_t",
            "i64" => "int64_t",
            "f64" => "double",
            "bool" => "bool",
            "c_char" => "char",
            "()" => "void",
            "Data" => "void*",
            "ErrorCode" => "OTF2_ErrorCode",
            "Option<ErrorCallback>" => "OTF2_ErrorCallback",
            handle => &format!("OTF2_{handle}"),
        };
        format!("{name}{suffix}")
    }

    /// Static assertions, which a C compiler checks.
    struct Assertions(String);

    impl Assertions {
        fn must(&mut self, what: String) {
            writeln!(self.0, "_Static_assert({what}, \"\");").unwrap();
        }

        fn functions(&mut self) {
            for (name, arguments, returns) in FUNCTIONS {
                let arguments: Vec<String> = arguments.iter().map(|argument| c(argument)).collect();
                let arguments = if arguments.is_empty() { "void".to_owned() } else { arguments.join(", ") };
                // `const` of a handle makes no difference to a call.
                let same = |first: &str| {
                    let (arguments, returns) = (arguments.replacen("OTF2_EvtWriter*", first, 1), c(returns));
                    let function = format!("{returns} (*)({arguments})");
                    format!("__builtin_types_compatible_p(__typeof__(&OTF2_{name}), {function})")
                };
                let (plain, constant) = (same("OTF2_EvtWriter*"), same("const OTF2_EvtWriter*"));
                self.must(format!("{plain} || {constant}"));
            }
        }

        /// The fields in their order, and the size.
        fn structure(&mut self, name: &str, size: usize, fields: &[(&str, usize)]) {
            for (field, offset) in fields {
                self.must(format!("offsetof({name}, otf2_{field}) == {offset}"));
            }
            self.must(format!("sizeof({name}) == {size}"));
        }

        fn callbacks(&mut self) {
            macro_rules! fields {
                ($structure:ident: $($field:ident)*) => {
                    self.structure(
                        concat!("OTF2_", stringify!($structure)),
                        size_of::<$structure>(),
                        &[$((stringify!($field), offset_of!($structure, $field))),*],
                    )
                };
            }
            fields!(FlushCallbacks: pre_flush post_flush);
            fields!(MemoryCallbacks: allocate free_all);
            fields!(LockingCallbacks: release create destroy lock unlock);
            let (error, callback) = (size_of::<ErrorCode>(), size_of::<CallbackCode>());
            self.structure("OTF2_ErrorCode", error, &[]);
            self.structure("OTF2_CallbackCode", callback, &[]);
            let callback = "(*)(void*, const char*, uint64_t, const char*, OTF2_ErrorCode, const char*, va_list)";
            self.must(format!("__builtin_types_compatible_p(OTF2_ErrorCallback, OTF2_ErrorCode {callback})"));
            #[cfg(target_arch = "x86_64")]
            self.must("sizeof(va_list) == 24".to_owned());
        }
    }

    /// A C compiler compares each declaration with the header.
    #[test]
    fn abi() {
        if !Path::new("/usr/include/otf2/otf2.h").exists() {
            assert!(std::env::var_os("CI").is_none(), "libotf2-trace-dev is not installed");
            eprintln!("skipped: abi: libotf2-trace-dev is not installed");
            return;
        }
        let includes = "#include <stddef.h>\n#include <otf2/otf2.h>\n";
        let mut assertions = Assertions(includes.to_owned());
        assertions.functions();
        for (name, value) in CONSTANTS {
            assertions.must(format!("(uint64_t)OTF2_{name} == {value}ull"));
        }
        assertions.callbacks();
        let text = assertions.0;
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("abi.c");
        std::fs::write(&path, &text).unwrap();
        let mut compiler = Command::new("cc");
        let options = ["-std=gnu11", "-fsyntax-only", "-Wno-deprecated-declarations"];
        compiler.args(options).arg(&path);
        let output = compiler.output().expect("a C compiler");
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{said}");
        // The comparison can fail.
        for (from, to) in
            [("uint64_t, uint64_t, uint64_t, uint64_t", "uint64_t, uint64_t, uint64_t"), ("== 21ull", "== 20ull")]
        {
            assert!(text.contains(from));
            std::fs::write(&path, text.replace(from, to)).unwrap();
            assert!(!compiler.output().unwrap().status.success(), "{from}");
        }
    }
}
