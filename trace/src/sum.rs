//! What is added up instead of told event by event: regions, tasks, worksharing, barriers, waits, loops.

use crate::layout::kind;

/// [`SumOf::Mutex`] on disk: a number that no kind of record has.
const MUTEX: u32 = 27;

/// In [`Sum::of`] of a mutex: the thread was in a task, or waited for others, when it asked for it.
pub const MUTEX_IN_TASK: u32 = 1 << 8;
/// [`Sum::of`] of tasks: run where the thread would have waited, ...
pub const TASK_IN_WAIT: u32 = 1;
/// ... or what such a task waited for, in a `taskwait` or the like.
pub const TASK_WAITS: u32 = 2;

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
    /// What a thread spent until it had a lock, a critical section or its turn (`ompt_callback_mutex_acquire` to
    /// `ompt_callback_mutex_acquired`), also where nobody else had it. Added up in every recording.
    Mutex,
    /// Explicit tasks that a thread ran, each without what it ran or waited for meanwhile (`ompt_callback_task_schedule`).
    /// Added up in every recording. An untied one counts where it ends; times are those of its parts, which several threads may run.
    Task,
    /// What the recorder's callbacks took that have no record of that ([`crate::Recorder`]) and are timed: those of the short ways
    /// are not. Added up in every recording, for each thread once or a few times.
    Storing,
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
            SumOf::Mutex => MUTEX,
            SumOf::Task => kind::TASK_SCHEDULE as u32,
            SumOf::Storing => kind::RECORDER as u32,
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
            SumOf::Mutex,
            SumOf::Task,
            SumOf::Storing,
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
    /// `ompt_sync_region_t`, `ompt_work_t`, or of regions 1 where they are inside another; of a mutex `ompt_mutex_t` and
    /// [`MUTEX_IN_TASK`], of tasks 0, [`TASK_IN_WAIT`] or [`TASK_WAITS`].
    pub of: u32,
    /// Return address of the runtime call, or 0.
    pub code: u64,
    /// The loop; of barriers and waits the one right before, with which the thread had nothing else to do since the barrier
    /// before; of a mutex the one that the thread was in; else [`crate::NOBODY`].
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
