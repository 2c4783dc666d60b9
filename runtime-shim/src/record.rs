//! The order in which a module record is filled in while other threads read it.

use crate::primitive::{AtomicPtr, Ordering};

/// Fills in the two words of a module record; true for the caller that did it first.
///
/// Programs load `state` without an order and `enter` with acquire. So whoever finds the new entry sees what the shim did
/// before; whoever finds the new state may still find the old entry, which is right for any state: it asks once more.
/// What the word says that `state` leads to was said before `state` does.
pub fn publish<W>(
    state: &AtomicPtr<W>,
    enter: &AtomicPtr<()>,
    word: *mut W,
    entry: *mut (),
) -> bool {
    enter.store(entry, Ordering::Release);
    state.swap(word, Ordering::AcqRel) != word
}

/// Has the image ask at its next loop. The entry goes first: the emitted stub of an image that asks at this moment finds it if it
/// has found the word.
pub fn ask_again<W>(
    state: &AtomicPtr<W>,
    enter: &AtomicPtr<()>,
    unresolved: *mut W,
    entry: *mut (),
) {
    enter.store(entry, Ordering::Release);
    state.swap(unresolved, Ordering::AcqRel);
}
