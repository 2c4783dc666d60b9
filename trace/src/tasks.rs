//! Explicit tasks, added up: by construct, and the regions in which they are. In every recording.

use crate::sum::Histogram;

/// In [`crate::Event::TaskCreate`]'s flags: the task that creates it is the runtime's own, made to create tasks of a `taskloop`.
pub const OF_CREATOR: u32 = 1 << 26;

/// There, `ompt_task_taskwait`: a `taskwait` with dependences, which is told like a task and never begins.
pub const WAIT_BY_DEPENDENCES: u32 = 0x10;
/// There, `ompt_task_undeferred` and what else a task may be.
pub const UNDEFERRED: u32 = 1 << 27;
/// See [`UNDEFERRED`].
pub const UNTIED: u32 = 1 << 28;
/// See [`UNDEFERRED`].
pub const FINAL: u32 = 1 << 29;
/// See [`UNDEFERRED`].
pub const MERGEABLE: u32 = 1 << 30;
/// See [`UNDEFERRED`].
pub const MERGED: u32 = 1 << 31;

/// Whether the code of a task has ended that stops with this `ompt_task_status_t`: complete, cancelled, or detached.
pub const fn is_end(status: u32) -> bool {
    matches!(status, 1 | 3 | 4)
}

/// Buckets of [`Tasks::sizes`].
pub const SIZES: usize = 64;
/// Buckets of [`Tasks::depths`]: the first has tasks that no other is around, the last all that are as deep or deeper.
pub const DEPTHS: usize = 32;

/// What one thread created and ran of the tasks of one construct. Times are in ticks.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Tasks<'a> {
    /// The thread.
    pub thread: u32,
    /// `ompt_task_flag_t` of all that it created, together.
    pub flags: u32,
    /// Return address of the runtime call that creates them.
    pub code: u64,
    /// Tasks that the thread created.
    pub created: u64,
    /// Tasks that it began to run, ...
    pub begun: u64,
    /// ... and that ended in it. What follows is of these, unless it says otherwise.
    pub ended: u64,
    /// What creating them took, of those that were timed, with one reading of the clock in each.
    pub creation: u64,
    /// How many were timed.
    pub timed: u64,
    /// What they took themselves.
    pub work: u64,
    /// From creation to begin, of those that the thread began.
    pub queued: u64,
    /// Tasks that another thread had created.
    pub moved: u64,
    /// What those took.
    pub moved_work: u64,
    /// The shortest.
    pub min: u64,
    /// The longest.
    pub max: u64,
    /// Created tasks that ran at once (`if(0)` and the like).
    pub undeferred: u64,
    /// The most tasks inside each other, the innermost included.
    pub deepest: u64,
    /// What they waited in `taskwait` and at the end of a `taskgroup` while the thread had nothing else to run.
    pub waited: u64,
    /// Tasks that the runtime made to create those of a `taskloop`, among what was created, begun and ended, and in nothing else here.
    pub creators: u64,
    /// What those took.
    pub creators_work: u64,
    /// Tasks by what they took, as of [`crate::Aggregate`].
    pub sizes: Histogram<'a>,
    /// Tasks by depth, ...
    pub depths: Histogram<'a>,
    /// ... and what these took.
    pub depth_work: Histogram<'a>,
}

/// What one thread did in the executions of a region in which explicit tasks were created; regions inside are part of it.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct TaskRegion {
    /// The thread.
    pub thread: u32,
    /// The largest team, of executions that this thread began.
    pub team_size: u32,
    /// Return address of the runtime call that begins it.
    pub code: u64,
    /// Executions that this thread began and that have ended.
    pub executions: u64,
    /// Executions of these whose span is not known.
    pub unknown: u64,
    /// What this thread worked in the region: its implicit tasks, and explicit tasks that ended in it.
    pub work: u64,
    /// What this thread waited in `taskwait` and at the end of a `taskgroup` outside of explicit tasks, with nothing else to run.
    pub waited: u64,
    /// The spans of the executions that this thread began, added up.
    pub span: u64,
    /// What those took from begin to end.
    pub elapsed: u64,
}

/// Words of a [`Tasks`] record, where a writer changes them in place.
pub mod word {
    #![allow(missing_docs, reason = "the names are those of `Tasks`")]
    use super::{DEPTHS, SIZES};
    crate::records::words!(3: CREATED BEGUN ENDED CREATION TIMED WORK QUEUED MOVED MOVED_WORK MIN MAX UNDEFERRED DEEPEST WAITED
        CREATORS CREATORS_WORK);
    /// The first of each histogram.
    pub const SIZE_COUNTS: usize = 22;
    pub const DEPTH_COUNTS: usize = SIZE_COUNTS + SIZES;
    pub const DEPTH_TICKS: usize = DEPTH_COUNTS + DEPTHS;
}

/// Words of a [`TaskRegion`] record, likewise.
pub mod region {
    #![allow(missing_docs, reason = "the names are those of `TaskRegion`")]
    crate::records::words!(3: EXECUTIONS UNKNOWN WORK WAITED SPAN ELAPSED);
}

/// The bucket of a depth, from 1.
pub const fn depth_bucket(depth: u32) -> usize {
    let depth = depth.saturating_sub(1) as usize;
    if depth < DEPTHS { depth } else { DEPTHS - 1 }
}
