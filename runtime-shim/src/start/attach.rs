//! How the shim came into the process, and how instrumented code gets to see it.

use core::ffi::{CStr, c_void};
use core::fmt;
use std::os::unix::ffi::OsStrExt as _;
use std::path::Path;

use crate::images::object::{Object, symbol_in_program};
use crate::{images, start::report};

/// What programs that are linked with the shared library ask for.
const SONAME: &[u8] = b"libompchunk_rt.so";

/// `ompchunk_abi::CONNECT_SYMBOL` for C.
pub(crate) const CONNECT: &CStr = c"__ompchunk_connect";

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Attachment {
    Program,
    Preload,
    Linked,
    Opened,
    /// Opened privately, which is what runtimes do with `OMP_TOOL_LIBRARIES`.
    ToolLibraries,
    Stayed,
}

impl Attachment {
    /// Only right before [`make_visible`]. `first`: no runtime asked before. `LD_PRELOAD` proves nothing, as programs clear it;
    /// but what it names is loaded before every library that the program needs, and needed by none.
    pub(crate) fn find(shim: &Object, first: bool) -> Self {
        let here = images::here().unwrap_or(0);
        let is_needed = || {
            let path = shim.path();
            let name = Path::new(&path).file_name().unwrap_or_default();
            images::is_needed(name.as_bytes()) || images::is_needed(SONAME)
        };
        let of_libc = images::start_of(libc::write as *const c_void).unwrap_or(0);
        if shim.is_program() {
            Self::Program
        } else if !first {
            Self::Stayed
        } else if is_needed() {
            Self::Linked
        } else if !is_visible(shim) {
            Self::ToolLibraries
        } else if images::comes_before(here, of_libc) {
            Self::Preload
        } else {
            Self::Opened
        }
    }
}

impl fmt::Display for Attachment {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Program => "linked into the program",
            Self::Preload => "preloaded by LD_PRELOAD",
            Self::Linked => "linked as a library",
            Self::Opened => "opened by the program",
            Self::ToolLibraries => "opened by the runtime through OMP_TOOL_LIBRARIES",
            Self::Stayed => "there since a runtime before this one",
        })
    }
}

/// Makes `__ompchunk_connect` visible to the whole program, and keeps the shim loaded for good:
/// runtimes `dlclose` their tool at the end, while other threads may still be in a loop.
pub(crate) fn make_visible(shim: &Object, way: Attachment) {
    if way == Attachment::Program {
        if !is_visible(shim) {
            report::explain(format_args!(
                "the program does not export __ompchunk_connect: instrumented shared libraries \
                 cannot find it. Link with -Wl,--export-dynamic-symbol=__ompchunk_connect"
            ));
        }
        return;
    }
    if shim.promote(libc::RTLD_GLOBAL | libc::RTLD_NODELETE) && is_visible(shim) {
        return;
    }
    match Object::at_address(symbol_in_program(CONNECT)) {
        Some(copy) => report::complain(format_args!(
            "instrumented code finds another copy of this library, {}, before {}: the tool gets no \
             chunks. Attach ompchunk only once",
            copy.path(),
            shim.path()
        )),
        None => report::complain(format_args!(
            "{} cannot make itself visible to instrumented code: the tool gets no chunks. Attach \
             ompchunk with LD_PRELOAD instead",
            shim.path()
        )),
    }
}

fn is_visible(shim: &Object) -> bool {
    Object::at_address(symbol_in_program(CONNECT)).is_some_and(|object| object.is(shim))
}
