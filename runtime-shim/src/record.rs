//! The order in which a module record is filled in while other threads read it.

use crate::primitive::{AtomicPtr, Ordering};

/// Fills in the two words of a module record; true for the caller that did it first.
///
/// The entry point goes first: whoever reads the new `state` also finds the new `enter`. Whoever
/// still reads the old `state` finds either entry, and both are right for it.
pub fn publish<W>(
    state: &AtomicPtr<W>,
    enter: &AtomicPtr<()>,
    word: *mut W,
    entry: *mut (),
) -> bool {
    enter.store(entry, Ordering::Release);
    state.swap(word, Ordering::AcqRel) != word
}
