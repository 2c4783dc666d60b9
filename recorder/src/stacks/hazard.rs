//! What handlers use, and others replace and free: a handler says what it uses, and then asks whether that is still the
//! current one. Who replaces it then asks every handler. The fences between make one of the two see the other.

use std::ptr;

use crate::primitive::{AtomicPtr, AtomicU64, Ordering, fence};

pub(crate) fn take<T>(current: &AtomicPtr<T>, using: &AtomicPtr<T>) -> *mut T {
    loop {
        let it = current.load(Ordering::Acquire);
        using.store(it, Ordering::Relaxed);
        fence(Ordering::SeqCst);
        if current.load(Ordering::Acquire) == it {
            return it;
        }
    }
}

pub(crate) fn leave<T>(using: &AtomicPtr<T>) {
    using.store(ptr::null_mut(), Ordering::Release);
}

/// Another one from now on. Gives what was there, to be freed when no handler uses it.
pub(crate) fn replace<T>(current: &AtomicPtr<T>, new: *mut T) -> *mut T {
    let old = current.swap(new, Ordering::AcqRel);
    fence(Ordering::SeqCst);
    old
}

pub(crate) fn is_used<T>(using: &AtomicPtr<T>, it: *const T) -> bool {
    ptr::eq(using.load(Ordering::Acquire), it)
}

/// There are so many handlers now, of which the last begins after this: the fence in [`take`] is between.
pub(crate) fn join(handlers: &AtomicU64, count: u64) {
    handlers.fetch_max(count, Ordering::AcqRel);
}

pub(crate) fn joined(handlers: &AtomicU64) -> u64 {
    handlers.load(Ordering::Acquire)
}
