//! The way out of the runtime into what the recorder does: nothing unwinds back, and what that does itself is no event.

use std::cell::Cell;
use std::panic::{AssertUnwindSafe, catch_unwind};

thread_local! {
    /// The recorder is at work in the thread, and may allocate memory.
    static AT_WORK: Cell<bool> = const { Cell::new(false) };
}

/// What the recorder does on its long ways.
pub(crate) fn guard(work: impl FnOnce()) {
    let before = AT_WORK.try_with(|at_work| at_work.replace(true));
    let _ = catch_unwind(AssertUnwindSafe(work));
    if let Ok(before) = before {
        let _ = AT_WORK.try_with(|at_work| at_work.set(before));
    }
}

/// An event comes out of the recorder's own work: the program's `malloc` may take a lock of OpenMP's.
pub(crate) fn is_its_own() -> bool {
    AT_WORK.try_with(Cell::get).unwrap_or(true)
}
