//! Where the bookkeeping for a chunk begins, if it is timed, or if a loop's begin is to be told.
//! The hot path, as `hooks` says of it.

use ompchunk_abi::{BookkeepingFn, Frame};

use crate::hooks::chunk::{execution, mark};
use crate::registered_callbacks::CALLBACKS;
use crate::thread::Thread;
use crate::{hooks::loop_event, thread::thread_storage};

/// `BookkeepingFn`: the bookkeeping for the next chunk begins.
/// Safety: `frame` was filled in by `hooks::enter` and not left yet; of `NEAR` as `thread_at` says.
pub(crate) unsafe extern "C" fn bookkeeping<const NEAR: bool>(_: *mut Frame) {
    // SAFETY: passed on.
    begin(unsafe { thread_storage::thread_at::<NEAR>() });
}

/// The [`BookkeepingFn`] of a loop as compiled.
pub(crate) fn as_compiled() -> BookkeepingFn {
    if thread_storage::was_near() { bookkeeping::<true> } else { bookkeeping::<false> }
}

#[inline(always)]
fn begin(here: &Thread) {
    match CALLBACKS.clock() {
        Some(clock) => {
            here.clock.set(mark(clock));
            // SAFETY: a `ToolTimeFn` as its slot states.
            here.since.set(unsafe { clock() });
        }
        None => here.clock.set(0),
    }
}

/// `BookkeepingFn` of a loop under another schedule than its own. It is called before the next chunk is asked for, and again
/// where the loop's own code begins; what counts is the first since the chunk before. Safety: as for [`bookkeeping`].
pub(crate) unsafe extern "C" fn changed_bookkeeping(_: *mut Frame) {
    let here = thread_storage::thread();
    if here.clock.get() == 0 {
        begin(here);
    }
}

/// `BookkeepingFn` where only the begin of the loop was wanted, or where it is said elsewhere.
pub(crate) unsafe extern "C" fn no_bookkeeping(_: *mut Frame) {}

/// `BookkeepingFn` before the loop's begin was reported: what comes after is not slowed down by it.
/// Safety: as for [`bookkeeping`].
pub(crate) unsafe extern "C" fn first_bookkeeping(frame: *mut Frame) {
    // SAFETY: as in `bookkeeping`; the program reads the entry point anew for each call.
    unsafe {
        let this = execution(frame);
        let here = thread_storage::thread();
        loop_event::begin(here);
        (*frame).bookkeeping = match (*this).timed {
            false => no_bookkeeping,
            true if here.is_changed() => changed_bookkeeping,
            true => as_compiled(),
        };
        ((*frame).bookkeeping)(frame);
    }
}
