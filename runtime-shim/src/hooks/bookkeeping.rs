//! Where the bookkeeping for a chunk begins, if it is timed, or if a loop's begin is to be told.
//! The hot path, as `hooks` says of it.

use ompchunk_abi::Frame;

use crate::hooks::chunk::{NO_DISPATCH, execution, mark};
use crate::registered_callbacks::CALLBACKS;
use crate::{hooks::loop_event, thread::thread_storage};

/// `BookkeepingFn`: the bookkeeping for the next chunk begins.
/// Safety: `frame` was filled in by `hooks::enter` and not left yet.
pub(crate) unsafe extern "C" fn bookkeeping(frame: *mut Frame) {
    let this = execution(frame);
    let clock = CALLBACKS.clock();
    // SAFETY: `hooks::enter` wrote the execution, and this thread alone uses it.
    unsafe {
        (*frame).clock = clock.map_or(0, mark);
        if let Some(clock) = clock {
            (*this).since = clock();
        }
    }
}

/// `BookkeepingFn` of a loop whose chunks the runtime deals. Safety: as for [`bookkeeping`].
pub(crate) unsafe extern "C" fn dealt_bookkeeping(frame: *mut Frame) {
    // SAFETY: as in `bookkeeping`; passed on.
    unsafe {
        thread_storage::thread().elsewhere.set(0.0);
        bookkeeping(frame);
    }
}

/// `BookkeepingFn` of a loop under another schedule than its own. It is called before the next chunk is asked for, and again
/// where the loop's own code begins; what counts is the first since the chunk before. Safety: as for [`bookkeeping`].
pub(crate) unsafe extern "C" fn changed_bookkeeping(frame: *mut Frame) {
    // SAFETY: as in `bookkeeping`; passed on.
    unsafe {
        if (*frame).clock == 0 {
            dealt_bookkeeping(frame);
        }
    }
}

/// `BookkeepingFn` of a loop that is stepped, called likewise. Safety: as for [`bookkeeping`].
pub(crate) unsafe extern "C" fn stepped_bookkeeping(frame: *mut Frame) {
    // SAFETY: as in `bookkeeping`; passed on.
    unsafe {
        if (*frame).clock == 0 {
            bookkeeping(frame);
        }
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
        (*frame).bookkeeping = match ((*this).timed, (*this).kind) {
            (false, _) => no_bookkeeping,
            (true, NO_DISPATCH) if here.is_changed() => changed_bookkeeping,
            (true, NO_DISPATCH) => dealt_bookkeeping,
            (true, _) if here.is_changed() => stepped_bookkeeping,
            (true, _) => bookkeeping,
        };
        ((*frame).bookkeeping)(frame);
    }
}
