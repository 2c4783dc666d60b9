//! Dominators and loops of a function. SAFETY: as of the module around.

use super::{Block, Value};
use crate::ffi;

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

    /// Header of the innermost loop around a block.
    pub fn loop_header(&self, block: Block) -> Option<Block> {
        // SAFETY: alive until drop; see the module.
        Block::new(unsafe { ffi::oc_loop_header(self.0, block.raw()) })
    }

    pub fn loop_contains(&self, header: Block, block: Block) -> bool {
        // SAFETY: alive until drop; see the module.
        unsafe { ffi::oc_loop_contains(self.0, header.raw(), block.raw()) != 0 }
    }

    pub fn loop_blocks(&self, header: Block) -> Vec<Block> {
        // SAFETY: the second call writes at most what the first one counted.
        unsafe {
            let count = ffi::oc_loop_blocks(self.0, header.raw(), std::ptr::null_mut(), 0);
            let mut blocks = vec![std::ptr::null_mut(); count];
            ffi::oc_loop_blocks(self.0, header.raw(), blocks.as_mut_ptr(), count);
            blocks.into_iter().filter_map(Block::new).collect()
        }
    }
}

impl Drop for Analysis {
    fn drop(&mut self) {
        // SAFETY: made by oc_analysis_new, freed once.
        unsafe { ffi::oc_analysis_free(self.0) }
    }
}
