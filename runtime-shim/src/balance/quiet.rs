//! Loops that `adaptive` has run as compiled, told by one word, so that they cost hardly more than without an order.
//!
//! # Why all threads of a team find the same
//!
//! A region's threads may find the word changed while they run, as another region's end changes it. So it says "as compiled" only while
//! what is kept of the loop says the same, and then it does not matter whether a thread looks at the one or the other:
//!
//! - The word is [`OPEN`] at first, as long as one around alone (`mod`) knows the loop. That one, between two of its regions, makes it
//!   [`QUIET`] after it has decided that the loop runs as compiled, and [`OPEN`] again before it decides anything else.
//! - Where another around meets the loop, the word is [`SHARED`] for ever. That may happen while the first one's region runs under
//!   [`QUIET`]: what it keeps says "as compiled" then until that region ends. The other's threads may find [`QUIET`] or [`SHARED`]:
//!   what it keeps of a loop says "as compiled" at first, until its own region ends. After that both look at what they keep alone.
//! - With the word stands how many images were met when the loop last looked at what is kept: an address may be another loop's later.

use crate::agreed::{both, parted};
use crate::primitive::{AtomicU64, Ordering};

/// No around knows the loop.
const UNKNOWN: u32 = 0;
const OPEN: u32 = 1;
const QUIET: u32 = 2;
const SHARED: u32 = 3;

/// Does the word say "as compiled" of the loop that stands there since so many images were met?
#[inline(always)]
pub(crate) fn is_quiet(word: &AtomicU64, met: u32) -> bool {
    word.load(Ordering::Acquire) == both(met, QUIET)
}

/// An around meets the loop, which it does once, before any of its threads looks at what is kept there.
pub(crate) fn meet(word: &AtomicU64) {
    let next = |state| match state {
        UNKNOWN => OPEN,
        _ => SHARED,
    };
    let mut before = word.load(Ordering::Acquire);
    loop {
        let after = both(0, next(parted(before).1));
        match word.compare_exchange(before, after, Ordering::AcqRel, Ordering::Acquire) {
            Ok(_) => return,
            Err(now) => before = now,
        }
    }
}

/// Between two regions of the only around that knows the loop, which it keeps as compiled. Nothing happens where there is another.
pub(crate) fn hush(word: &AtomicU64, met: u32) {
    let open = both(0, OPEN);
    let _ = word.compare_exchange(open, both(met, QUIET), Ordering::AcqRel, Ordering::Relaxed);
}

/// Likewise: from now on threads look at what is kept.
pub(crate) fn open(word: &AtomicU64) {
    let before = word.load(Ordering::Acquire);
    if parted(before).1 == QUIET {
        let open = both(0, OPEN);
        let _ = word.compare_exchange(before, open, Ordering::AcqRel, Ordering::Relaxed);
    }
}
