//! When something ended, for threads that learn of it late.

use crate::primitive::{AtomicU64, Ordering, fence};

const OPEN: u64 = 0;
/// It is about to: the clock is being read.
const ENDING: u64 = 1;

#[derive(Default)]
pub(crate) struct Ending(AtomicU64);

impl Ending {
    /// It begins anew. Only by who hands it to others afterwards.
    pub(crate) fn open(&self) {
        self.0.store(OPEN, Ordering::Relaxed);
    }

    /// It ends now. Whoever reads the clock without seeing that it is ending has read it before.
    pub(crate) fn end(&self, clock: impl FnOnce() -> u64) -> u64 {
        self.0.swap(ENDING, Ordering::SeqCst);
        fence(Ordering::SeqCst);
        let now = clock().max(ENDING + 1);
        self.0.store(now, Ordering::Release);
        now
    }

    pub(crate) fn is_over(&self) -> bool {
        self.0.load(Ordering::Acquire) != OPEN
    }

    /// When it ended, if it has. To be called after reading the clock.
    pub(crate) fn ended(&self, mut wait: impl FnMut()) -> Option<u64> {
        fence(Ordering::SeqCst);
        loop {
            match self.0.load(Ordering::SeqCst) {
                OPEN => return None,
                ENDING => wait(),
                end => return Some(end),
            }
        }
    }
}
