//! What the calling thread is doing: the loop it is in, with the values it was entered with, and
//! whether the runtime's chunk events are those of an instrumented loop.
//!
//! Constant-initialised cells without destructors, so that an access neither allocates in this
//! library nor can fail. They hold the address of the loop's constant record, never of a frame: a
//! loop left without `leave` then misleads at worst, it leaves nothing dangling.

use core::cell::Cell;
use core::ptr;

use ompchunk_abi::LoopRecord;

/// A loop and the run-time values that its execution was entered with.
#[derive(Clone, Copy)]
#[repr(C)]
pub(crate) struct Running {
    pub(crate) the_loop: *const LoopRecord,
    pub(crate) start: i64,
    pub(crate) step: i64,
}

struct Thread {
    running: Cell<Running>,
    starting: Cell<bool>,
}

const NOTHING: Running = Running {
    the_loop: ptr::null(),
    start: 0,
    step: 0,
};

thread_local! {
    static HERE: Thread = const {
        Thread { running: Cell::new(NOTHING), starting: Cell::new(false) }
    };
}

/// The thread enters a loop, whose first chunk is still to come. Gives the loop around it.
#[inline]
pub(crate) fn enter(running: Running) -> Running {
    HERE.with(|here| {
        here.starting.set(true);
        here.running.replace(running)
    })
}

/// The loop's first chunk has come.
#[inline]
pub(crate) fn started() {
    HERE.with(|here| here.starting.set(false));
}

/// The thread leaves the loop for the one around it.
#[inline]
pub(crate) fn leave(around: Running) {
    HERE.with(|here| {
        here.starting.set(false);
        here.running.set(around);
    });
}

/// Whether the thread is between entering an instrumented loop and that loop's first chunk: there
/// the runtime reports the chunks it knows of.
#[inline]
pub(crate) fn is_starting() -> bool {
    HERE.with(|here| here.starting.get())
}

/// The innermost instrumented loop that the thread is in; its record is null outside one.
#[inline]
pub(crate) fn current() -> Running {
    HERE.with(|here| here.running.get())
}
