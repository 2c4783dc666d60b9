//! Which thread of a process begins what is begun once. After a fork, a thread of the parent's will never have done.

use crate::primitive::{AtomicU32, Ordering};

pub(crate) const NEW: u32 = 0;

/// What became of it. [`NEW`]: the caller begins it, and then calls [`begun`]. `own` tells the process from others, and is not 0.
pub(crate) fn begin(state: &AtomicU32, starter: &AtomicU32, own: u32, mut wait: impl FnMut()) -> u32 {
    loop {
        let known = state.load(Ordering::Acquire);
        if known != NEW {
            return known;
        }
        let other = starter.load(Ordering::Relaxed);
        let taken = other != own && starter.compare_exchange(other, own, Ordering::AcqRel, Ordering::Relaxed).is_ok();
        if taken {
            break;
        }
        wait();
    }
    // Another thread may have begun it since the state was asked for.
    let known = state.load(Ordering::Acquire);
    if known != NEW {
        starter.store(0, Ordering::Release);
    }
    known
}

pub(crate) fn begun(state: &AtomicU32, starter: &AtomicU32, to: u32) {
    state.store(to, Ordering::Release);
    starter.store(0, Ordering::Release);
}
