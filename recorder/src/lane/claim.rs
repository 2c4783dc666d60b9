//! Who has the place of a block in the file: its lane, in whose block something still changes, or whoever takes places away.
//!
//! The taker sets the place to nowhere and then asks whether something changes; the lane says that something does and then
//! looks whether it still has its place. So one of the two sees what the other does.

use crate::primitive::{AtomicBool, AtomicU64, Ordering, fence};

/// Something in it changes from now on. False: others have taken its place.
pub(crate) fn begin(changing: &AtomicBool, place: &AtomicU64) -> bool {
    changing.store(true, Ordering::SeqCst);
    fence(Ordering::SeqCst);
    place.load(Ordering::Acquire) != 0
}

/// A new block begins in it.
pub(crate) fn end(changing: &AtomicBool) {
    changing.store(false, Ordering::SeqCst);
}

/// From now on it has no place. Gives where it was.
pub(crate) fn take(place: &AtomicU64) -> u64 {
    u64::from_le(place.swap(0, Ordering::AcqRel))
}

/// Whether something changes, as who has taken the place asks.
pub(crate) fn is_begun(changing: &AtomicBool) -> bool {
    fence(Ordering::SeqCst);
    changing.load(Ordering::SeqCst)
}
