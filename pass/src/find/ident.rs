//! What a location argument (`ident_t`) says of a loop.

use inkwell::llvm_sys::core::*;

use crate::llvm::Value;

/// Bits of `ident_t::flags`, libomp's `kmp.h`.
pub const WORK_LOOP: i64 = 0x200;
pub const WORK_SECTIONS: i64 = 0x400;
pub const WORK_DISTRIBUTE: i64 = 0x800;

/// Second field of a constant `ident_t`.
pub fn flags(ident: Value) -> Option<i64> {
    // SAFETY: asked to be a global variable with an initializer before it is read as one.
    let initializer = unsafe {
        if LLVMIsAGlobalVariable(ident.raw()).is_null() || LLVMIsGlobalConstant(ident.raw()) == 0 {
            return None;
        }
        Value::from_raw(LLVMGetInitializer(ident.raw()))?
    };
    initializer.operand(1)?.const_int()
}
