//! Dominators and loops of a function. SAFETY: as of the module around.

use inkwell::llvm_sys::core::LLVMGetLinkage;

use crate::ffi;
use crate::llvm::{Block, Value, collected};

/// Dominators and loops of a function, as it was when this was made.
pub struct Analysis(*mut ffi::Analysis);

impl Analysis {
    pub fn new(function: Value) -> Analysis {
        // SAFETY: `function` has a body: callers found an instruction in it.
        Analysis(unsafe { ffi::oc_analysis_new(function.raw()) })
    }

    pub fn reachable(&self, block: Block) -> bool {
        // SAFETY: alive until drop; see the module.
        unsafe { ffi::oc_reachable(self.0, block.raw()) != 0 }
    }

    pub fn dominates(&self, instruction: Value, user: Value) -> bool {
        instruction.is_instruction()
            && user.is_instruction()
            // SAFETY: alive until drop; both are instructions of the function.
            && unsafe { ffi::oc_dominates(self.0, instruction.raw(), user.raw()) != 0 }
    }

    pub fn loop_header(&self, block: Block) -> Option<Block> {
        // SAFETY: alive until drop; see the module.
        Block::new(unsafe { ffi::oc_loop_header(self.0, block.raw()) })
    }

    pub fn loop_contains(&self, header: Block, block: Block) -> bool {
        // SAFETY: alive until drop; see the module.
        unsafe { ffi::oc_loop_contains(self.0, header.raw(), block.raw()) != 0 }
    }

    pub fn loop_blocks(&self, header: Block) -> Vec<Block> {
        // SAFETY: alive until drop; the glue writes at most what there is room for.
        collected(|out, capacity| unsafe { ffi::oc_loop_blocks(self.0, header.raw(), out, capacity) })
    }
}

impl Drop for Analysis {
    fn drop(&mut self) {
        // SAFETY: made by oc_analysis_new, freed once.
        unsafe { ffi::oc_analysis_free(self.0) }
    }
}

// Who else may have a function, and which bytes of memory instructions use. SAFETY: as of the module around.

/// What a call does with the memory that an argument points to, as attributes say.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Argument {
    /// The callee only reads there, or from a copy.
    Read,
    Result,
    Unknown,
}

impl Value {
    pub fn is_shared(self) -> bool {
        use inkwell::llvm_sys::LLVMLinkage::*;
        // SAFETY: see the module; only asked of functions.
        let linkage = unsafe { LLVMGetLinkage(self.0) };
        matches!(
            linkage,
            LLVMLinkOnceAnyLinkage
                | LLVMLinkOnceODRLinkage
                | LLVMWeakAnyLinkage
                | LLVMWeakODRLinkage
                | LLVMAvailableExternallyLinkage
        )
    }

    /// Does a call name a function of the C or C++ library that the compiler knows by name and type?
    pub fn calls_library_function(self) -> bool {
        let caller = self.block().and_then(Block::function);
        // SAFETY: functions of the module.
        let is_known =
            |(callee, caller): (Value, Value)| unsafe { ffi::oc_is_library_function(callee.0, caller.0) != 0 };
        self.callee().zip(caller).is_some_and(is_known)
    }

    /// By how many bytes a `getelementptr` lies behind the address that it is computed from, where that is constant.
    pub fn constant_offset(self) -> Option<i64> {
        let mut offset = 0;
        // SAFETY: see the module; the glue asks what it is, and `offset` lives.
        (unsafe { ffi::oc_offset(self.0, &mut offset) } != 0).then_some(offset)
    }

    pub fn memory_size(self) -> Option<i64> {
        let has_size = self.is_load() || self.is_store() || self.is_alloca();
        // SAFETY: see the module; asked to be one of these instructions first.
        has_size.then(|| unsafe { ffi::oc_size(self.0) }).filter(|&size| size > 0)
    }

    pub fn argument(self, index: u32) -> Argument {
        // SAFETY: see the module; the glue asks whether it is a call that has such an argument.
        match unsafe { ffi::oc_argument(self.0, index) } {
            ffi::ARGUMENT_READ => Argument::Read,
            ffi::ARGUMENT_RESULT => Argument::Result,
            _ => Argument::Unknown,
        }
    }
}

// Whether a loop's iterations fill arrays before they read them. SAFETY: as of the module around.

/// A copy of a function in which that can be asked of some of its variables. The module is as it was when this is dropped.
pub struct Fills {
    raw: *mut ffi::Fills,
    variables: Vec<Value>,
}

impl Fills {
    pub fn new(function: Value, variables: Vec<Value>) -> Fills {
        let made: Vec<_> = variables.iter().map(|made| made.raw()).collect();
        // SAFETY: the function has a body: callers found the variables in it. The glue reads as many as there are.
        let raw = unsafe { ffi::oc_fills_new(function.raw(), made.as_ptr(), made.len()) };
        Fills { raw, variables }
    }

    /// Is it proven that each iteration of the loop with these repeated blocks writes what it reads of a variable, before it does?
    pub fn hold(&self, variable: Value, repeated: &[Block], in_chunks: bool) -> bool {
        let Some(at) = self.variables.iter().position(|made| *made == variable) else { return false };
        let blocks: Vec<_> = repeated.iter().map(|block| block.raw()).collect();
        let (first, count) = (blocks.as_ptr(), blocks.len());
        // SAFETY: alive until drop, and asked whether it is null; the glue reads as many blocks as there are.
        !self.raw.is_null() && unsafe { ffi::oc_fills_hold(self.raw, at, first, count, in_chunks.into()) != 0 }
    }
}

impl Drop for Fills {
    fn drop(&mut self) {
        // SAFETY: made by oc_fills_new, freed once; it may be null.
        unsafe { ffi::oc_fills_free(self.raw) }
    }
}
