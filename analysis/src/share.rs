//! What a thread did in one execution of a loop, and in all of them.

use ompchunk_trace_format::{DEALT_BY_RUNTIME, LoopDefinition};

use crate::merge::Merge;
use crate::off_core::Off;

/// What of a loop's chunks a recording tells, by the loop's definition.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Tells {
    all: bool,
    /// The one of a thread's part that has no other.
    blocks: bool,
}

impl Tells {
    pub(crate) fn by_definition(definition: &LoopDefinition<'_>) -> Tells {
        Tells { all: definition.instrumented, blocks: definition.tells_blocks() }
    }

    /// All chunks of an execution that begins with that `ompt_work_t`.
    pub(crate) fn all(self, work: u32) -> bool {
        self.all || DEALT_BY_RUNTIME.contains(&work)
    }

    pub(crate) fn once_told(self) -> bool {
        self.blocks
    }

    /// All chunks, if none was told: with fewer iterations than threads some have none, and who has one has one chunk.
    pub(crate) fn none(self, count: u64, team_size: u32) -> bool {
        self.blocks && count < team_size.into()
    }
}

/// Which execution of a loop in its region: the same for all threads of the team, also where each chooses which it tells.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Occurrence {
    /// Barriers of the region that the thread had passed.
    pub(crate) barriers: u64,
    /// How often it had begun this loop since the last of them.
    pub(crate) nth: u64,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Share {
    pub(crate) the_loop: u32,
    /// 0: the thread is alone.
    pub(crate) region: u64,
    pub(crate) team_size: u32,
    pub(crate) occurrence: Occurrence,
    pub(crate) thread: u32,
    pub(crate) begin: u64,
    pub(crate) end: u64,
    /// Time in chunks, less the recorder's.
    pub(crate) busy: u64,
    /// What of the chunks is not work, ...
    pub(crate) off: Off,
    /// ... and the same between them.
    pub(crate) between: Off,
    pub(crate) chunks: u64,
    pub(crate) iterations: u64,
    pub(crate) count: u64,
    pub(crate) work: u32,
    pub(crate) told: bool,
    /// They are not, as they cost more to tell than to run.
    pub(crate) costly: bool,
    pub(crate) whole: bool,
    pub(crate) nested: bool,
}

impl Share {
    /// Time in chunks that the thread had a core, or gave it up itself.
    pub(crate) fn work(&self) -> u64 {
        self.busy.saturating_sub(self.off.taken())
    }

    /// Time in its chunks that was taken from the thread, or is the recorder's.
    pub(crate) fn not_work(&self) -> u64 {
        self.off.taken() + self.off.outside()
    }

    /// The runtime deals its chunks, so a thread that loses its core gets fewer.
    pub(crate) fn is_dealt(&self) -> bool {
        DEALT_BY_RUNTIME.contains(&self.work)
    }
}

#[cfg(test)]
impl Share {
    /// All of a thread's part of an execution in a team of two: half of ten iterations, at work from begin to end.
    pub(crate) fn of_test(begin: u64, end: u64) -> Share {
        Share {
            the_loop: 1,
            region: 1,
            team_size: 2,
            begin,
            end,
            busy: end - begin,
            chunks: 1,
            iterations: 5,
            count: 10,
            work: 10,
            told: true,
            whole: true,
            ..Share::default()
        }
    }
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Sums {
    pub(crate) executions: u64,
    pub(crate) chunks: u64,
    pub(crate) iterations: u64,
    pub(crate) busy: u64,
    pub(crate) off: Off,
    pub(crate) bookkeeping: u64,
    /// Chunks whose bookkeeping was timed.
    pub(crate) timed: u64,
    /// From the begin of the loop to its first chunk, in executions that are in no other loop.
    pub(crate) before_chunks: u64,
    /// Executions and chunks of these that were only counted, not told chunk by chunk.
    pub(crate) counted_executions: u64,
    pub(crate) counted_chunks: u64,
    /// Executions of these that were told without their chunks as they cost too much, and their part of `busy`.
    pub(crate) costly_executions: u64,
    pub(crate) costly_busy: u64,
}

merge!(
    Sums: executions, chunks, iterations, busy, off, bookkeeping, timed, before_chunks, counted_executions, counted_chunks,
    costly_executions, costly_busy
);

/// A thread's, of those of several.
pub(crate) fn sums_of(threads: &mut Vec<(u32, Sums)>, thread: u32) -> &mut Sums {
    // Few, and mostly the last: a lane changes hands rarely.
    let slot = threads.iter().rposition(|(known, _)| *known == thread);
    let slot = slot.unwrap_or_else(|| {
        threads.push((thread, Sums::default()));
        threads.len() - 1
    });
    &mut threads[slot].1
}
