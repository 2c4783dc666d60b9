//! What events say, as plain values. Data of the tool's own are asked for at the [`Context`](crate::Context).

use crate::raw;

/// Which end of something an event tells of.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Endpoint {
    /// It begins.
    Begin,
    /// It ends.
    End,
    /// It begins and ends here.
    BeginEnd,
    /// What this crate does not know.
    Other(raw::Endpoint),
}

impl From<raw::Endpoint> for Endpoint {
    fn from(endpoint: raw::Endpoint) -> Self {
        match endpoint {
            raw::SCOPE_BEGIN => Endpoint::Begin,
            raw::SCOPE_END => Endpoint::End,
            raw::SCOPE_BEGINEND => Endpoint::BeginEnd,
            other => Endpoint::Other(other),
        }
    }
}

/// How often a runtime will tell of an event: its answer to the registration.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Delivery {
    /// Refused.
    Error,
    /// Never.
    Never,
    /// Not at all, though a tool could listen.
    Impossible,
    /// Sometimes.
    Sometimes,
    /// Sometimes, but never the begin without the end.
    SometimesPaired,
    /// Always.
    Always,
}

impl Delivery {
    /// At least sometimes.
    pub fn is_told(self) -> bool {
        self >= Delivery::Sometimes
    }
}

impl From<raw::SetResult> for Delivery {
    fn from(result: raw::SetResult) -> Self {
        match result {
            raw::SET_NEVER => Delivery::Never,
            raw::SET_IMPOSSIBLE => Delivery::Impossible,
            raw::SET_SOMETIMES => Delivery::Sometimes,
            raw::SET_SOMETIMES_PAIRED => Delivery::SometimesPaired,
            raw::SET_ALWAYS => Delivery::Always,
            _ => Delivery::Error,
        }
    }
}

/// What each callback says: its name, and what the fields are. With `code`, also the return address of the call into the runtime.
macro_rules! events {
    ($( $event:ident, $about:literal { $( $field:ident: $type:ty, $what:literal; )* } $($code:ident)?; )*) => { $(
        #[doc = $about]
        #[derive(Debug, Clone, Copy)]
        pub struct $event {
            $( #[doc = $what] pub $field: $type, )*
            $(
                /// The return address of the call into the runtime.
                pub $code: usize,
            )?
        }
    )* };
}

events! {
    ParallelBegin, "`ompt_callback_parallel_begin`" {
        requested: u32, "How many threads or teams were asked for.";
        flags: i32, "Flags, [`raw`]`::PARALLEL_…`.";
    } code;
    ParallelEnd, "`ompt_callback_parallel_end`" {
        flags: i32, "Flags, [`raw`]`::PARALLEL_…`.";
    } code;
    ImplicitTask, "`ompt_callback_implicit_task`" {
        team_size: u32, "How many threads or teams there are; at the end 0, or what it was.";
        index: u32, "The number of this thread or team among them.";
        flags: i32, "Flags, [`raw`]`::TASK_…`.";
    };
    TaskCreate, "`ompt_callback_task_create`" {
        flags: i32, "Flags, [`raw`]`::TASK_…`.";
        has_dependences: bool, "Whether it waits for others.";
    } code;
    TaskSchedule, "`ompt_callback_task_schedule`" {
        status: raw::TaskStatus, "Why the thread leaves the task: one of [`raw`]`::STATUS_…`.";
    };
    Work, "`ompt_callback_work`" {
        kind: raw::WorkType, "One of [`raw`]`::WORK_…`.";
        endpoint: Endpoint, "Which end.";
        count: u64, "Iterations, sections or threads, by kind.";
    } code;
    Dispatch, "`ompt_callback_dispatch`" {
        kind: raw::DispatchKind, "One of [`raw`]`::DISPATCH_…`.";
        chunk: Option<raw::DispatchChunk>, "The chunk, if one is dispatched.";
        instance: u64, "What is dispatched otherwise: an iteration, or where a section stands.";
    };
    SyncRegion, "`ompt_callback_sync_region`, `ompt_callback_sync_region_wait` and `ompt_callback_reduction`" {
        kind: raw::SyncKind, "One of [`raw`]`::SYNC_…`.";
        endpoint: Endpoint, "Which end.";
    } code;
    Masked, "`ompt_callback_masked`" {
        endpoint: Endpoint, "Which end.";
    } code;
    Mutex, "`ompt_callback_mutex_acquire`, `ompt_callback_mutex_acquired` and `ompt_callback_mutex_released`" {
        kind: raw::MutexKind, "One of [`raw`]`::MUTEX_…`.";
        wait_id: u64, "Which one, while it exists.";
    } code;
    Control, "`ompt_callback_control_tool`: the program speaks to its tool." {
        command: u64, "What it wants: 1 start, 2 pause, 3 flush, 4 end, or a number of the tool's own.";
        modifier: u64, "The tool's own.";
        argument: usize, "An address that the program gives.";
    } code;
    LoopEvent, "`ompt_callback_loop` of ompchunk: a thread begins or ends its part of an instrumented loop." {
        schedule: raw::LoopSched, "How its iterations are really dealt: one of [`raw`]`::SCHED_…`, perhaps with [`raw::SCHED_MONOTONIC`].";
        endpoint: Endpoint, "Which end.";
        is_signed: bool, "Whether the bounds of its chunks are signed.";
        step: Option<i64>, "The user's step, if it is known.";
        code: usize, "The return address of the call into the runtime that began it.";
    };
    Chunk, "`ompt_callback_chunk` of ompchunk: a chunk is about to run on this thread." {
        lower: i64, "The first logical iteration.";
        upper: i64, "The last one, the chunk's own.";
        bookkeeping: f64, "What the bookkeeping that led to it took, by the tool's own clock; 0 without one.";
        is_last: bool, "The thread's last one in this loop; where the runtime deals the chunks, the one with the loop's last iteration.";
    };
    SubBlock, "`ompt_callback_sub_block` of ompchunk: a part of the thread's own chunk is about to run. It lasts until the thread's next \
            sub-block or chunk, or the end of the loop." {
        lower: u64, "The first logical iteration, as [`raw::DispatchChunk::start`].";
        iterations: u64, "How many it has.";
        is_first: bool, "The first one of its chunk.";
        is_last: bool, "The last one of its chunk.";
        code: usize, "The return address of the call into the runtime that began the loop, or 0 if it is not known.";
    };
    TaskCreation, "`ompt_callback_task_creation` of ompchunk: a task was created by this thread." {
        create: TaskCreate, "As in [`TaskCreate`].";
        duration: f64, "What creating it took, by the tool's own clock; 0 without one.";
    };
}

impl TaskSchedule {
    /// The task that the thread leaves will not be heard of again.
    pub fn is_end(&self) -> bool {
        matches!(
            self.status,
            raw::STATUS_COMPLETE | raw::STATUS_CANCEL | raw::STATUS_LATE_FULFILL | raw::STATUS_WAIT_COMPLETE
        )
    }
}

impl Work {
    /// It is a loop whose chunks are dealt to threads.
    pub fn is_loop(&self) -> bool {
        raw::is_loop(self.kind)
    }
}

impl Dispatch {
    /// It is a chunk of a loop whose chunks are dealt to threads.
    pub fn is_of_loop(&self) -> bool {
        matches!(self.kind, raw::DISPATCH_WS_LOOP_CHUNK | raw::DISPATCH_DISTRIBUTE_CHUNK)
    }
}

impl Chunk {
    /// How many iterations it has.
    pub fn iterations(&self) -> u64 {
        (self.upper as u64).wrapping_sub(self.lower as u64).wrapping_add(1)
    }
}
