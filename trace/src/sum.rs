//! What is added up instead of told event by event: regions, tasks, worksharing, barriers, waits, loops.

use crate::layout::kind;

/// What a [`Sum`] is of: the event that begins it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum SumOf {
    /// Parallel regions, by the thread that began them.
    Parallel,
    /// Implicit tasks: a thread's parts of regions.
    ImplicitTask,
    /// Worksharing other than loops.
    Work,
    /// Barriers and other synchronization.
    Sync,
    /// The waiting in it.
    Wait,
    /// A thread's parts of executions of a loop, from begin to end.
    Loop,
    /// Operations of OpenACC: the event is of what kind, the site's number stands for the code.
    OpenAcc,
    /// A writer of a later version adds up something else.
    Other(u32),
}

impl SumOf {
    /// The number on disk: the kind of the event's record.
    #[must_use]
    pub const fn number(self) -> u32 {
        match self {
            SumOf::Parallel => kind::PARALLEL_BEGIN as u32,
            SumOf::ImplicitTask => kind::IMPLICIT_TASK_BEGIN as u32,
            SumOf::Work => kind::WORK_BEGIN as u32,
            SumOf::Sync => kind::SYNC_BEGIN as u32,
            SumOf::Wait => kind::WAIT_BEGIN as u32,
            SumOf::Loop => kind::LOOP_BEGIN as u32,
            SumOf::OpenAcc => kind::ACC_BEGIN as u32,
            SumOf::Other(number) => number,
        }
    }

    /// From the number on disk.
    #[must_use]
    pub const fn of(number: u32) -> SumOf {
        let all = [
            SumOf::Parallel,
            SumOf::ImplicitTask,
            SumOf::Work,
            SumOf::Sync,
            SumOf::Wait,
            SumOf::Loop,
            SumOf::OpenAcc,
        ];
        let mut at = 0;
        while at < all.len() {
            if all[at].number() == number {
                return all[at];
            }
            at += 1;
        }
        SumOf::Other(number)
    }
}

/// What one thread did of one kind at one place, added up. Only what is not told event by event. Times are in ticks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Sum {
    /// The thread.
    pub thread: u32,
    /// What is added up.
    pub what: SumOf,
    /// `ompt_sync_region_t`, `ompt_work_t`, or of regions 1 where they are inside another.
    pub of: u32,
    /// Return address of the runtime call, or 0.
    pub code: u64,
    /// The loop; of barriers and waits the one right before, with which the thread had nothing else to do since the barrier
    /// before; else [`crate::NOBODY`].
    pub the_loop: u32,
    /// How many have ended.
    pub count: u64,
    /// What they took.
    pub sum: u64,
    /// The shortest.
    pub min: u64,
    /// The longest.
    pub max: u64,
    /// When the first began.
    pub from: u64,
    /// When the last ended.
    pub to: u64,
}

/// Words of a sum's record, where a writer changes them in place.
pub mod word {
    /// How many.
    pub const COUNT: usize = 4;
    /// What they took.
    pub const SUM: usize = 5;
    /// The shortest.
    pub const MIN: usize = 6;
    /// The longest.
    pub const MAX: usize = 7;
    /// When the first began.
    pub const FROM: usize = 8;
    /// When the last ended.
    pub const TO: usize = 9;
}

/// Words of an [`crate::Aggregate`]'s record, likewise.
pub mod aggregate {
    /// Executions.
    pub const EXECUTIONS: usize = 2;
    /// Chunks.
    pub const CHUNKS: usize = 3;
    /// Iterations.
    pub const ITERATIONS: usize = 4;
    /// Sum of durations.
    pub const SUM: usize = 5;
    /// The shortest.
    pub const MIN: usize = 6;
    /// The longest.
    pub const MAX: usize = 7;
    /// Sum of `create_duration`.
    pub const CREATE_DURATION: usize = 8;
    /// The first of the histogram's counts.
    pub const COUNTS: usize = 10;
}
