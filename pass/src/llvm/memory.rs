//! Which bytes of memory instructions use. SAFETY: as of the module around.

use super::Value;
use crate::ffi;

/// What a call does with the memory that an argument points to, as attributes say.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Argument {
    /// The callee only reads there, or from a copy.
    Read,
    /// The callee puts its result there.
    Result,
    /// Attributes say nothing.
    Unknown,
}

impl Value {
    /// By how many bytes a `getelementptr` lies behind the address that it is computed from, where that is constant.
    pub fn constant_offset(self) -> Option<i64> {
        let mut offset = 0;
        // SAFETY: see the module; the glue asks what it is, and `offset` lives.
        (unsafe { ffi::oc_offset(self.0, &mut offset) } != 0).then_some(offset)
    }

    /// How many bytes a load or store accesses, or an `alloca` reserves, where that is constant.
    pub fn memory_size(self) -> Option<i64> {
        let has_size = self.is_load() || self.is_store() || self.is_alloca();
        // SAFETY: see the module; asked to be one of these instructions first.
        has_size.then(|| unsafe { ffi::oc_size(self.0) }).filter(|&size| size > 0)
    }

    /// Is it inline assembly that names a register of which each thread has its own value, beside those that it computes with?
    pub fn is_assembly_of_threads(self) -> bool {
        // SAFETY: see the module; the glue asks what it is.
        (unsafe { ffi::oc_is_assembly_of_threads(self.0) }) != 0
    }

    /// What a call does with the memory that an argument points to.
    pub fn argument(self, index: u32) -> Argument {
        // SAFETY: see the module; the glue asks whether it is a call that has such an argument.
        match unsafe { ffi::oc_argument(self.0, index) } {
            ffi::ARGUMENT_READ => Argument::Read,
            ffi::ARGUMENT_RESULT => Argument::Result,
            _ => Argument::Unknown,
        }
    }
}
