//! Who uses a thread's samples: its handler, the thread itself, or who ends the recording. Handler and thread say that
//! they are at work, and then ask whether it is over; who ends it says so, and then asks whether they are at work. The
//! fences between make one of the two see the other.

use crate::primitive::{AtomicBool, Ordering, fence};

/// At work from now on. False: it is over, and the samples are another's. Either way [`end`] comes after it.
pub(crate) fn begin(at_work: &AtomicBool, over: &AtomicBool) -> bool {
    at_work.store(true, Ordering::Relaxed);
    !is_over(over)
}

pub(crate) fn end(at_work: &AtomicBool) {
    at_work.store(false, Ordering::Release);
}

pub(crate) fn is_over(over: &AtomicBool) -> bool {
    fence(Ordering::SeqCst);
    over.load(Ordering::Acquire)
}

pub(crate) fn say_over(over: &AtomicBool) {
    over.store(true, Ordering::Release);
    fence(Ordering::SeqCst);
}

/// Whether it is at work; who has said that it is over may use the samples if it is not.
pub(crate) fn is_at_work(at_work: &AtomicBool) -> bool {
    at_work.load(Ordering::Acquire)
}
