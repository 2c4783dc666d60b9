//! How many use something that becomes another when nobody does. Who has only its name joins
//! first, and asks then what it is.

use crate::primitive::{AtomicU32, Ordering};

pub(crate) fn begin(users: &AtomicU32) {
    users.store(1, Ordering::Release);
}

/// One more. False: it has none.
pub(crate) fn join(users: &AtomicU32) -> bool {
    let joined = users.fetch_update(Ordering::AcqRel, Ordering::Relaxed, |users| (users > 0).then_some(users + 1));
    joined.is_ok()
}

/// One less. What it did is seen by who finds that there are none.
pub(crate) fn leave(users: &AtomicU32) {
    users.fetch_sub(1, Ordering::Release);
}

pub(crate) fn are_none(users: &AtomicU32) -> bool {
    users.load(Ordering::Acquire) == 0
}
