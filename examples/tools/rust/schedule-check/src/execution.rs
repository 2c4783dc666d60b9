//! One thread's part of one execution of a loop.

use chunk_tool::Known;
use ompt::Chunk;
use ompt::raw::LOOP_DEALT;

use crate::iterations::Iterations;
use crate::promise::Promise;

/// A schedule as it ran: an `enum sched_type` with its modifiers, and a chunk size.
pub(crate) type Ran = (u32, i64);

/// Whose iterations they are: a thread's number in its team, and how many there are.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Who {
    pub(crate) number: u32,
    pub(crate) threads: u32,
}

/// What a thread ran of a loop.
#[derive(Debug, Clone)]
pub(crate) struct Execution {
    pub(crate) the_loop: &'static Known,
    pub(crate) promise: Promise,
    /// How many iterations the loop has, for all threads together.
    pub(crate) count: u64,
    pub(crate) ran: Ran,
    pub(crate) own: Iterations,
    /// The first chunk that is promised to another thread.
    pub(crate) stray: Option<(u64, u64)>,
    /// The last chunk said that the thread has no more.
    is_last: bool,
}

impl Execution {
    /// It begins; none if nothing is promised.
    pub(crate) fn begin(the_loop: &'static Known, count: u64, ran: Ran) -> Option<Execution> {
        Some(Execution {
            the_loop,
            promise: Promise::from_record(&the_loop.record)?,
            count,
            ran,
            own: Iterations::default(),
            stray: None,
            is_last: true,
        })
    }

    /// The thread runs a chunk of it.
    pub(crate) fn add(&mut self, chunk: Chunk, who: Who) {
        let (first, last) = (chunk.lower as u64, chunk.upper as u64);
        self.own.add(first, last);
        self.is_last = chunk.is_last;
        if !self.promise.keeps(first, last, who.number, who.threads) {
            self.stray.get_or_insert((first, last));
        }
    }

    /// Whether it runs under another schedule than its source's.
    pub(crate) fn is_changed(&self) -> bool {
        let record = &self.the_loop.record;
        self.ran != (record.schedule, record.chunk.into())
    }

    /// Whether the thread ran all that it had to: not so in a loop that was cancelled. Loops are changed, and dealt, only where none
    /// can be cancelled.
    pub(crate) fn is_whole(&self) -> bool {
        self.is_last || self.is_changed() || self.the_loop.record.flags & LOOP_DEALT != 0
    }
}
