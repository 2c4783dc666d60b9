//! What of a creation concerns the tool: its clock, and the event.

use core::ffi::c_void;

use crate::creation::Creation;
use crate::table::TABLE;
use ompt::raw::Data;

impl Creation {
    /// A creation begins at a place that is where it is kept, by the task with this datum or, if it is null, by the one that the next event tells.
    #[inline]
    pub(crate) fn begin(&self, place: *const c_void, parent: *mut Data) {
        self.place.set(place);
        self.clock.set(TABLE.clock());
        self.spent.set(0.0);
        self.parent.set(parent);
        // Last of all, so that the duration holds as little of ours as possible.
        self.start();
    }

    #[inline]
    pub(crate) fn send(&self, spent: f64) {
        if let Some(callback) = TABLE.creations() {
            // SAFETY: the tool's callback, of the type its slot states. The parent is the task that this
            // thread runs; the copy of the datum outlives the call.
            unsafe {
                callback(
                    self.parent.get(),
                    self.frame.get(),
                    self.data.as_ptr(),
                    self.flags.get(),
                    self.has_dependences.get(),
                    spent,
                    self.codeptr.get(),
                );
            }
        }
    }
}
