//! Who is inside of something that another thread takes away: a callback whose library is closed, a runtime that ends.
//!
//! Who goes in counts itself, and then looks whether it is there. Who takes it away does so, and then waits until nobody is counted.
//! The fences between make one of the two see the other.

use crate::primitive::{AtomicU32, Ordering, fence};

/// To be called before the look.
pub(crate) fn enter(counter: &AtomicU32) {
    counter.fetch_add(1, Ordering::Relaxed);
    fence(Ordering::SeqCst);
}

pub(crate) fn leave(counter: &AtomicU32) {
    counter.fetch_sub(1, Ordering::Release);
}

/// To be called when it was taken away, before counters are looked at.
pub(crate) fn taken_away() {
    fence(Ordering::SeqCst);
}

pub(crate) fn is_empty(counter: &AtomicU32) -> bool {
    counter.load(Ordering::Acquire) == 0
}
