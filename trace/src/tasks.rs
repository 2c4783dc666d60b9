//! Explicit tasks, added up: by construct, and the regions in which they are. In every recording.

use crate::numbered::event_fields;
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

event_fields! {
    /// What one thread created and ran of the tasks of one construct. Times are in ticks.
    #[derive(Default)]
    Tasks<'a> {
        thread: u32, "The thread.";
        flags: u32, "`ompt_task_flag_t` of all that it created, together.";
        code: u64, "Return address of the runtime call that creates them.";
        created: u64, "Tasks that the thread created.";
        begun: u64, "Tasks that it began to run, ...";
        ended: u64, "... and that ended in it. What follows is of these, unless it says otherwise.";
        creation: u64, "What creating them took, of those that were timed, with one reading of the clock in each.";
        timed: u64, "How many were timed.";
        work: u64, "What they took themselves.";
        queued: u64, "From creation to begin, of those that the thread began.";
        moved: u64, "Tasks that another thread had created.";
        moved_work: u64, "What those took.";
        min: u64, "The shortest.";
        max: u64, "The longest.";
        undeferred: u64, "Created tasks that ran at once (`if(0)` and the like).";
        deepest: u64, "The most tasks inside each other, the innermost included.";
        waited: u64, "What they waited in `taskwait` and at the end of a `taskgroup` while the thread had nothing else to run.";
        creators: u64, "Tasks that the runtime made to create those of a `taskloop`, among `created`, `begun` and `ended` alone.";
        creators_work: u64, "What those took.";
        sizes: Histogram<'a>, "Tasks by what they took, as of [`crate::Aggregate`].";
        depths: Histogram<'a>, "Tasks by depth, ...";
        depth_work: Histogram<'a>, "... and what these took.";
    }

    /// What one thread did in the executions of a region in which explicit tasks were created; regions inside are part of it.
    #[derive(Default)]
    TaskRegion {
        thread: u32, "The thread.";
        team_size: u32, "The largest team, of executions that this thread began.";
        code: u64, "Return address of the runtime call that begins it.";
        executions: u64, "Executions that this thread began and that have ended.";
        unknown: u64, "Executions of these whose span is not known.";
        work: u64, "What this thread worked in the region: its implicit tasks, and explicit tasks that ended in it.";
        waited: u64, "What this thread waited outside of explicit tasks in `taskwait` or at the end of a `taskgroup`, with nothing to run.";
        span: u64, "The spans of the executions that this thread began, added up.";
        elapsed: u64, "What those took from begin to end.";
    }
}

/// Words of a [`Tasks`] record, where a writer changes them in place.
pub mod word {
    #![allow(missing_docs, reason = "the names are those of `Tasks`")]
    use super::{DEPTHS, SIZES};
    crate::record_kinds::words!(3: CREATED BEGUN ENDED CREATION TIMED WORK QUEUED MOVED MOVED_WORK MIN MAX UNDEFERRED DEEPEST WAITED
        CREATORS CREATORS_WORK);
    /// The first of each histogram.
    pub const SIZE_COUNTS: usize = 22;
    pub const DEPTH_COUNTS: usize = SIZE_COUNTS + SIZES;
    pub const DEPTH_TICKS: usize = DEPTH_COUNTS + DEPTHS;
}

/// Words of a [`TaskRegion`] record, likewise.
pub mod region {
    #![allow(missing_docs, reason = "the names are those of `TaskRegion`")]
    crate::record_kinds::words!(3: EXECUTIONS UNKNOWN WORK WAITED SPAN ELAPSED);
}

/// The bucket of a depth, from 1.
pub const fn depth_bucket(depth: u32) -> usize {
    let depth = depth.saturating_sub(1) as usize;
    if depth < DEPTHS { depth } else { DEPTHS - 1 }
}
