//! Loops that run under another schedule than the one in the source: each schedule makes a loop of its own, so that
//! what is recorded of one is not added to the other's.

use std::sync::atomic::{AtomicU64, Ordering};

use ompchunk_abi::schedule::{DYNAMIC, GUIDED, STATIC_CHUNKED, kind};
use ompchunk_abi::{LOOP_CHUNK_KNOWN, LOOP_CHUNKED, LOOP_DEALT, LoopRecord};

/// A schedule's number, with its modifiers, and its chunk size.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Changed {
    pub(crate) schedule: u32,
    /// The shim takes none beyond 2^31 - 1.
    pub(crate) chunk: u32,
}

/// All that were met, schedule and chunk size in one word, which is never 0. Programs name few.
static MET: [AtomicU64; 255] = [const { AtomicU64::new(0) }; 255];

impl Changed {
    /// A number that stands beside an address in one word, where user space has less than 2^56 addresses. None: too many.
    pub(crate) fn tag(self) -> Option<usize> {
        let word = u64::from(self.schedule) << 32 | u64::from(self.chunk);
        let is_own = |place: &AtomicU64| {
            let before = place.compare_exchange(0, word, Ordering::Relaxed, Ordering::Relaxed);
            before.is_ok() || before == Err(word)
        };
        MET.iter().position(is_own).map(|at| (at + 1) << 56)
    }

    /// Is it what the loop was compiled with, as where it is timed for `adaptive`?
    pub(crate) fn is_as_compiled(self, record: &LoopRecord) -> bool {
        let is_sized = self.flags(record) & LOOP_CHUNKED != 0;
        self.schedule == record.schedule && (!is_sized || i64::from(self.chunk) == record.chunk)
    }

    /// The flags of a loop's record, as they are under this schedule.
    pub(crate) fn flags(self, record: &LoopRecord) -> u32 {
        let rest = record.flags & !(LOOP_CHUNKED | LOOP_CHUNK_KNOWN);
        let sized = match kind(self.schedule) {
            STATIC_CHUNKED | DYNAMIC | GUIDED => LOOP_CHUNKED | LOOP_CHUNK_KNOWN,
            _ => 0,
        };
        rest | sized | LOOP_DEALT
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_loop_was_compiled_with_is_no_change() {
        let record = |schedule, flags, chunk| {
            // SAFETY: numbers alone, of which zeros are values.
            let zeros: LoopRecord = unsafe { std::mem::zeroed() };
            LoopRecord { schedule, flags, chunk, ..zeros }
        };
        let under = |schedule, chunk| Changed { schedule, chunk };
        let block = record(34, 0, 0);
        assert!(under(34, 1).is_as_compiled(&block));
        assert!(!under(33, 1).is_as_compiled(&block));
        assert!(!under(62, 1).is_as_compiled(&block), "blocks of equal cost");
        let chunks = record(33, LOOP_CHUNKED | LOOP_CHUNK_KNOWN, 4);
        assert!(under(33, 4).is_as_compiled(&chunks));
        assert!(!under(33, 5).is_as_compiled(&chunks));
        assert!(!under(34, 4).is_as_compiled(&chunks));
    }
}
