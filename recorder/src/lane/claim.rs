//! Who has the place of a block in the file: its lane, in which something still changes, or who takes places away. Each
//! says so and then looks for the other: the taker at the change, the lane at its place. So one of the two sees it.

use crate::primitive::{AtomicBool, AtomicU64, Ordering, fence};

/// Something in it changes from now on. False: others have taken its place.
pub(crate) fn begin(changing: &AtomicBool, place: &AtomicU64) -> bool {
    changing.store(true, Ordering::SeqCst);
    fence(Ordering::SeqCst);
    place.load(Ordering::Acquire) != 0
}

pub(crate) fn end(changing: &AtomicBool) {
    changing.store(false, Ordering::SeqCst);
}

/// From now on it has no place. Gives where it was.
pub(crate) fn take(place: &AtomicU64) -> u64 {
    u64::from_le(place.swap(0, Ordering::AcqRel))
}

pub(crate) fn is_begun(changing: &AtomicBool) -> bool {
    fence(Ordering::SeqCst);
    changing.load(Ordering::SeqCst)
}
