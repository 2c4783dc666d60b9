//! The runtime's functions that start a loop, `__kmpc_for_static_init_*` and `__kmpc_dispatch_init_*`, and who calls them.

use std::ffi::CStr;

use inkwell::llvm_sys::LLVMAttributeFunctionIndex;
use inkwell::llvm_sys::core::LLVMGetCallSiteStringAttribute;
use inkwell::llvm_sys::prelude::LLVMModuleRef;

use crate::llvm::{Value, declares};

/// Call-site attribute on a call whose loop is instrumented: a second run of the plugin over the
/// same module leaves it alone.
pub const DONE: &str = "ompchunk";

/// One of the entry points.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Entry {
    /// `__kmpc_dist_for_static_init_*`, which deals to teams and threads at once and takes the team's
    /// upper bound as one more argument. (flang's `distribute parallel do`)
    pub combined: bool,
    /// `__kmpc_dispatch_init_*`: the runtime deals the chunks.
    pub dealt: bool,
    /// Width of the logical iteration variable.
    pub bits: u32,
    pub signed: bool,
}

const fn entry(combined: bool, bits: u32, signed: bool) -> Entry {
    Entry { combined, dealt: false, bits, signed }
}

const fn by_runtime(bits: u32, signed: bool) -> Entry {
    Entry { combined: false, dealt: true, bits, signed }
}

const ENTRIES: [(&CStr, Entry); 12] = [
    (c"__kmpc_for_static_init_4", entry(false, 32, true)),
    (c"__kmpc_for_static_init_4u", entry(false, 32, false)),
    (c"__kmpc_for_static_init_8", entry(false, 64, true)),
    (c"__kmpc_for_static_init_8u", entry(false, 64, false)),
    (c"__kmpc_dist_for_static_init_4", entry(true, 32, true)),
    (c"__kmpc_dist_for_static_init_4u", entry(true, 32, false)),
    (c"__kmpc_dist_for_static_init_8", entry(true, 64, true)),
    (c"__kmpc_dist_for_static_init_8u", entry(true, 64, false)),
    (c"__kmpc_dispatch_init_4", by_runtime(32, true)),
    (c"__kmpc_dispatch_init_4u", by_runtime(32, false)),
    (c"__kmpc_dispatch_init_8", by_runtime(64, true)),
    (c"__kmpc_dispatch_init_8u", by_runtime(64, false)),
];

/// Can the module contain worksharing loops at all?
pub fn any_declared(module: LLVMModuleRef) -> bool {
    ENTRIES.iter().any(|(name, _)| declares(module, name))
}

/// The entry point an instruction calls or invokes, if it is one.
pub fn entry_of(instruction: Value) -> Option<Entry> {
    instruction.callee()?.with_name(|name| {
        let known = ENTRIES.iter().find(|(known, _)| known.to_bytes() == name);
        known.map(|&(_, entry)| entry)
    })
}

/// The entry point's name.
pub fn called(call: Value) -> String {
    let name = call.callee().map(Value::name).unwrap_or_default();
    String::from_utf8_lossy(&name).into_owned()
}

/// Was the loop of this call instrumented by an earlier run?
pub fn is_done(call: Value) -> bool {
    // SAFETY: callers pass calls or invokes; the key is `DONE.len()` bytes long.
    !unsafe {
        LLVMGetCallSiteStringAttribute(call.raw(), LLVMAttributeFunctionIndex, DONE.as_ptr().cast(), DONE.len() as u32)
    }
    .is_null()
}
