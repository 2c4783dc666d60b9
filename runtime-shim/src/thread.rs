//! What the calling thread is doing: the loop it is in, and whether the runtime's chunk events are
//! those of an instrumented loop.
//!
//! Constant-initialised cells without destructors, so that an access neither allocates in this
//! library nor can fail. They hold the address of the loop's constant record, never of a frame: a
//! loop left without `leave` then misleads at worst, it leaves nothing dangling.

use core::cell::Cell;
use core::ptr;

use ompchunk_abi::LoopRecord;

struct Thread {
    the_loop: Cell<*const LoopRecord>,
    starting: Cell<bool>,
}

thread_local! {
    static HERE: Thread = const {
        Thread { the_loop: Cell::new(ptr::null()), starting: Cell::new(false) }
    };
}

/// The thread enters a loop, whose first chunk is still to come. Gives the loop around it.
#[inline]
pub(crate) fn enter(the_loop: *const LoopRecord) -> *const LoopRecord {
    HERE.with(|here| {
        here.starting.set(true);
        here.the_loop.replace(the_loop)
    })
}

/// The loop's first chunk has come.
#[inline]
pub(crate) fn started() {
    HERE.with(|here| here.starting.set(false));
}

/// The thread leaves the loop for the one around it.
#[inline]
pub(crate) fn leave(around: *const LoopRecord) {
    HERE.with(|here| {
        here.starting.set(false);
        here.the_loop.set(around);
    });
}

/// Whether the thread is between entering an instrumented loop and that loop's first chunk: there
/// the runtime reports the chunks it knows of.
#[inline]
pub(crate) fn is_starting() -> bool {
    HERE.with(|here| here.starting.get())
}

/// The innermost instrumented loop that the thread is in, or null.
#[inline]
pub(crate) fn current_loop() -> *const LoopRecord {
    HERE.with(|here| here.the_loop.get())
}
