//! How often it was seen that something is gone, for those who keep what depends on it.

use crate::primitive::{AtomicU64, Ordering};

/// How often it was seen. All three numbers begin with 0. All threads look, so nothing that others read lies beside it.
#[repr(align(64))]
pub(crate) struct Epoch {
    pub(crate) number: AtomicU64,
    /// How much was gone when the number was settled last.
    pub(crate) gone: AtomicU64,
    pub(crate) looked: AtomicU64,
}

impl Epoch {
    pub(crate) fn observe(&self, now: u64, gone: u64) {
        // The number grows first: who finds that as much is gone as before finds the number that goes with it, or more.
        if self.gone.load(Ordering::Acquire) != gone {
            self.number.fetch_add(1, Ordering::AcqRel);
            self.gone.store(gone, Ordering::Release);
        }
        self.looked.store(now, Ordering::Release);
    }

    /// When somebody looked. Whoever asks for the number afterwards has what was seen then.
    #[inline]
    pub(crate) fn looked(&self) -> u64 {
        self.looked.load(Ordering::Acquire)
    }

    #[inline]
    pub(crate) fn number(&self) -> u64 {
        self.number.load(Ordering::Acquire)
    }
}
