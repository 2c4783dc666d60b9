//! Who else may have a function, and who may call it. SAFETY: as of the module around.

use inkwell::llvm_sys::core::LLVMGetLinkage;

use super::Value;
use crate::ffi;

/// Has the function a body, in whose place no other comes at link time?
pub fn body_is_what_runs(function: Value) -> bool {
    // SAFETY: a function of the module.
    unsafe { ffi::oc_body_is_what_runs(function.raw()) != 0 }
}

/// May other objects have the same function, as of inline functions and templates?
pub fn is_shared(function: Value) -> bool {
    use inkwell::llvm_sys::LLVMLinkage::*;
    // SAFETY: a function of the module.
    let linkage = unsafe { LLVMGetLinkage(function.raw()) };
    matches!(
        linkage,
        LLVMLinkOnceAnyLinkage
            | LLVMLinkOnceODRLinkage
            | LLVMWeakAnyLinkage
            | LLVMWeakODRLinkage
            | LLVMAvailableExternallyLinkage
    )
}

/// Can the function be called from its own module alone?
pub fn is_local(function: Value) -> bool {
    // SAFETY: a function of the module.
    unsafe { ffi::oc_is_local(function.raw()) != 0 }
}

/// Is it a function of the C or C++ library that the compiler knows by name and type?
pub fn is_library_function(function: Value, caller: Value) -> bool {
    // SAFETY: functions of the module.
    unsafe { ffi::oc_is_library_function(function.raw(), caller.raw()) != 0 }
}
