//! What storing events takes: the callbacks of the long ways are timed anyhow, and those that have no record of it are added up.

use ompchunk_trace_format::{NOBODY, Sum, SumOf};

/// Callbacks that took less than is told of each.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Storing {
    count: u64,
    ticks: u64,
    shortest: u64,
    longest: u64,
    from: u64,
    to: u64,
}

impl Storing {
    /// One that came at `now`.
    #[inline]
    pub(crate) fn add(&mut self, now: u64, spent: u64) {
        if self.count == 0 {
            (self.from, self.shortest) = (now, spent);
        }
        self.count += 1;
        self.ticks += spent;
        self.shortest = self.shortest.min(spent);
        self.longest = self.longest.max(spent);
        self.to = now + spent;
    }

    pub(crate) fn is_nothing(&self) -> bool {
        self.count == 0
    }

    /// All of a thread's.
    pub(crate) fn sum(&self, thread: u32) -> Sum {
        Sum {
            thread,
            what: SumOf::Storing,
            of: 0,
            code: 0,
            the_loop: NOBODY,
            count: self.count,
            sum: self.ticks,
            min: self.shortest,
            max: self.longest,
            from: self.from,
            to: self.to,
        }
    }
}
