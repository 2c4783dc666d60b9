//! `fork`: the child does not write into its parent's part. It begins one of its own with its first parallel
//! region or loop, so a child that runs no OpenMP leaves none.

use crate::recorder::SHARED;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};

static PARENT: AtomicU32 = AtomicU32::new(0);
/// The lock is held for a fork.
static HELD: AtomicBool = AtomicBool::new(false);

/// Has the three functions below called. To be called once.
pub(crate) fn watch() {
    // SAFETY: the functions stay as long as this library, which is never unloaded before the process ends.
    unsafe { libc::pthread_atfork(Some(before), Some(in_parent), Some(in_child)) };
}

/// To be called before the lock is taken: a runtime that starts over in its own fork handler sends events
/// before our handler has run.
pub(crate) fn settle() {
    if HELD.load(Ordering::Acquire) && PARENT.load(Ordering::Relaxed) != std::process::id() {
        leave_parent();
    }
}

/// Whether there is nothing to settle, as nearly always.
#[inline(always)]
pub(crate) fn is_settled() -> bool {
    !HELD.load(Ordering::Acquire)
}

unsafe extern "C" fn before() {
    SHARED.take();
    PARENT.store(std::process::id(), Ordering::Relaxed);
    HELD.store(true, Ordering::Release);
}

unsafe extern "C" fn in_parent() {
    HELD.store(false, Ordering::Release);
    SHARED.release();
}

unsafe extern "C" fn in_child() {
    leave_parent();
}

/// In the child, which has one thread.
fn leave_parent() {
    if !HELD.swap(false, Ordering::AcqRel) {
        return;
    }
    // SAFETY: `before` has taken the lock, on this thread.
    let shared = unsafe { SHARED.value() };
    if !shared.finished {
        shared.forget_parent(PARENT.load(Ordering::Relaxed));
    }
    SHARED.release();
}
