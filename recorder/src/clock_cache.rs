//! What a thread's CPU clock said, and how long it is believed; and on which processor the thread was.

use crate::clock;

/// What lasts so many ticks, about 0.1 ms, or longer goes a long way: it can afford that its block is written now and
/// then, and that the thread's CPU clock is read.
pub(crate) const SHORT: u64 = 1 << 18;

/// What was read last.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Seen {
    /// In ticks; 0: never.
    pub(crate) at: u64,
    /// The thread's CPU clock, in nanoseconds.
    pub(crate) cpu: u64,
    pub(crate) usage: Option<clock::Usage>,
    /// The processor that was told last, where that is asked for.
    pub(crate) recorded_cpu: Option<u32>,
}
