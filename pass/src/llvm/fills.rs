//! Whether a loop's iterations fill arrays before they read them. SAFETY: as of the module around.

use super::{Block, Value};
use crate::ffi;

/// A copy of a function in which that can be asked of some of its variables. The module is as it was when this is dropped.
pub struct Fills {
    raw: *mut ffi::Fills,
    variables: Vec<Value>,
}

impl Fills {
    /// Of variables, by what makes them: instructions of the function.
    pub fn new(function: Value, variables: Vec<Value>) -> Fills {
        let made: Vec<_> = variables.iter().map(|made| made.raw()).collect();
        // SAFETY: the function has a body: callers found the variables in it. The glue reads as many as there are.
        let raw = unsafe { ffi::oc_fills_new(function.raw(), made.as_ptr(), made.len()) };
        Fills { raw, variables }
    }

    /// Is it proven that each iteration of the loop with these repeated blocks writes what it reads of a variable, before it does?
    pub fn hold(&self, variable: Value, repeated: &[Block], in_chunks: bool) -> bool {
        let at = self.variables.iter().position(|made| *made == variable);
        let blocks: Vec<_> = repeated.iter().map(|block| block.raw()).collect();
        at.is_some_and(|at| {
            // SAFETY: alive until drop, and asked whether it is null; the glue reads as many blocks as there are.
            !self.raw.is_null()
                && unsafe {
                    let (first, count) = (blocks.as_ptr(), blocks.len());
                    ffi::oc_fills_hold(self.raw, at, first, count, in_chunks.into()) != 0
                }
        })
    }
}

impl Drop for Fills {
    fn drop(&mut self) {
        // SAFETY: made by oc_fills_new, freed once; it may be null.
        unsafe { ffi::oc_fills_free(self.raw) }
    }
}
