//! Loops that `adaptive` has run as compiled, told by one word, so that they cost hardly more than without an order.
//!
//! # Why all threads of a team find the same
//!
//! A region's threads may find the word changed while they run, as another region's end changes it. So it says "as compiled" only while
//! what is kept of the loop says the same, and then it does not matter whether a thread looks at the one or the other:
//!
//! - The word is [`OPEN`] at first, as long as one around alone (`mod`) knows the loop. That one, between two of its regions, makes it
//!   [`QUIET`] after it has decided that the loop runs as compiled, and [`OPEN`] again before it decides anything else. Until it did so
//!   for the first time, nobody has found [`QUIET`]: so it alone may begin with what an earlier run has learned.
//! - Where another around meets the loop, the word is [`SHARED`] for ever. That may happen while the first one's region runs under
//!   [`QUIET`]: what it keeps says "as compiled" then until that region ends. Threads of the other's region may have found [`QUIET`]
//!   before, or find [`SHARED`]: so what it keeps of the loop says "as compiled" too, until that region ends, whatever was learned.
//!   After that both look at what they keep alone.
//! - The loops of a group have one word, as what is known of them is kept once. So one of them may be found quiet while of another what
//!   is kept is looked at, and that says the same.
//! - With the word stands how many images were met when the loop last looked at what is kept: an address may be another loop's later.

use crate::consensus::{both, parted};
use crate::primitive::{AtomicU64, Ordering};

/// No region around it knows the loop.
const UNKNOWN: u32 = 0;
const OPEN: u32 = 1;
const QUIET: u32 = 2;
const SHARED: u32 = 3;

/// Does the word say "as compiled" of the loop that stands there since so many images were met?
#[inline(always)]
pub(crate) fn is_quiet(word: &AtomicU64, met: u32) -> bool {
    word.load(Ordering::Acquire) == both(met, QUIET)
}

/// A loop's word, for one of the arounds that know the loop.
#[derive(Clone, Copy)]
pub(crate) struct Quiet<'a> {
    word: &'a AtomicU64,
    around: u32,
}

impl<'a> Quiet<'a> {
    /// Called by any thread of a region around before it reads what is kept there. True: nobody can have found it quiet.
    pub(crate) fn meet(word: &'a AtomicU64, around: u32) -> (Self, bool) {
        let its_open = both(around, OPEN);
        let mut before = word.load(Ordering::Acquire);
        let is_first = loop {
            let after = match parted(before).1 {
                UNKNOWN => its_open,
                _ if before == its_open => break true,
                _ => both(0, SHARED),
            };
            match word.compare_exchange(before, after, Ordering::AcqRel, Ordering::Acquire) {
                Ok(_) => break after == its_open,
                Err(now) => before = now,
            }
        };
        (Self { word, around }, is_first)
    }

    /// Between two regions of the only around that knows the loop, which it keeps as compiled. Nothing happens where there is another.
    pub(crate) fn hush(self, met: u32) {
        let (open, quiet) = (both(self.around, OPEN), both(met, QUIET));
        let _ = self.word.compare_exchange(open, quiet, Ordering::AcqRel, Ordering::Relaxed);
    }

    /// Likewise: from now on threads look at what is kept.
    pub(crate) fn open(self) {
        let before = self.word.load(Ordering::Acquire);
        if parted(before).1 == QUIET {
            let open = both(self.around, OPEN);
            let _ = self.word.compare_exchange(before, open, Ordering::AcqRel, Ordering::Relaxed);
        }
    }
}
