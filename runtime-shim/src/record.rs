//! The order in which a module record is filled in while other threads read it.

use crate::primitive::{AtomicPtr, Ordering};

/// Fills in the two words of a module record; true for the caller that did it first.
/// Programs load `state` without an order and `enter` with acquire. So whoever finds the new entry sees what the shim did
/// before; whoever finds the new state may still find the old entry, which is right for any state: it asks once more.
/// What the word says that `state` leads to was said before `state` does.
pub fn publish<W>(state: &AtomicPtr<W>, enter: &AtomicPtr<()>, word: *mut W, entry: *mut ()) -> bool {
    enter.store(entry, Ordering::Release);
    state.swap(word, Ordering::AcqRel) != word
}

/// Sets what loops begin by, behind the change of `state`: what puts the runtime's functions there exchanges `state` once more then, for
/// what it was, and puts `enter` back if it is no longer that.
pub fn set_entries(entries: &[AtomicPtr<()>; 4], to: impl Fn(usize) -> *const ()) {
    for (kind, entry) in entries.iter().enumerate() {
        entry.store(to(kind).cast_mut(), Ordering::Release);
    }
}

/// Does `state` still lead there?
pub fn still_leads<W>(state: &AtomicPtr<W>, word: *mut W) -> bool {
    state.compare_exchange(word, word, Ordering::AcqRel, Ordering::Acquire).is_ok()
}

/// Where `state` of an image may lead. Elsewhere: to the word of another copy of this library.
pub struct Words<W> {
    /// The image's own, until something is known.
    pub unresolved: *mut W,
    /// The image's own, once it was told that nobody listens.
    pub nobody: *mut W,
    /// The word of this library, once the image is connected.
    pub listening: *mut W,
    /// The image shall ask, and whatever runs of its loops this library decided.
    pub asks: *mut W,
    /// It shall ask, and a loop may have begun as compiled before: threads of its team may still come to it.
    pub asks_late: *mut W,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Known {
    /// No loop runs whose schedule this library did not decide.
    New,
    /// A loop may have begun as compiled, and its team may not be complete.
    Late,
    /// Another copy of this library has it.
    Anothers,
}

impl<W> Words<W> {
    /// Has the image ask at its next loop. The entry goes first: who finds the word, a stub's exchange too, finds the entry.
    pub fn ask_again(&self, state: &AtomicPtr<W>, enter: &AtomicPtr<()>, entry: *mut ()) {
        enter.store(entry, Ordering::Release);
        exchange(state, |word| match word {
            _ if [self.unresolved, self.asks, self.listening].contains(&word) => self.asks,
            _ => self.asks_late,
        });
    }

    /// What is known of an image that asks. From here on its stub tells none of its threads that nobody listens.
    pub fn known(&self, state: &AtomicPtr<W>) -> Known {
        let word = exchange(state, |word| match word {
            _ if word == self.unresolved => self.asks,
            _ if word == self.nobody => self.asks_late,
            _ => word,
        });
        match word {
            _ if word == self.asks || word == self.listening => Known::New,
            _ if word == self.asks_late => Known::Late,
            _ => Known::Anothers,
        }
    }
}

/// Also where the word stays as it is: from the exchange on, another's that expected more fails.
fn exchange<W>(state: &AtomicPtr<W>, next: impl Fn(*mut W) -> *mut W) -> *mut W {
    let mut word = state.load(Ordering::Acquire);
    loop {
        let new = next(word);
        match state.compare_exchange(word, new, Ordering::AcqRel, Ordering::Acquire) {
            Ok(_) => return new,
            Err(now) => word = now,
        }
    }
}
