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

/// `ompt_callback_parallel_begin`
#[derive(Debug, Clone, Copy)]
pub struct ParallelBegin {
    /// How many threads or teams were asked for.
    pub requested: u32,
    /// Flags, [`raw`]`::PARALLEL_…`.
    pub flags: i32,
    /// The return address of the call into the runtime.
    pub code: usize,
}

/// `ompt_callback_parallel_end`
#[derive(Debug, Clone, Copy)]
pub struct ParallelEnd {
    /// Flags, [`raw`]`::PARALLEL_…`.
    pub flags: i32,
    /// The return address of the call into the runtime.
    pub code: usize,
}

/// `ompt_callback_implicit_task`
#[derive(Debug, Clone, Copy)]
pub struct ImplicitTask {
    /// How many threads or teams there are; at the end 0, or what it was.
    pub team_size: u32,
    /// The number of this thread or team among them.
    pub index: u32,
    /// Flags, [`raw`]`::TASK_…`.
    pub flags: i32,
}

/// `ompt_callback_task_create`
#[derive(Debug, Clone, Copy)]
pub struct TaskCreate {
    /// Flags, [`raw`]`::TASK_…`.
    pub flags: i32,
    /// Whether it waits for others.
    pub has_dependences: bool,
    /// The return address of the call into the runtime.
    pub code: usize,
}

/// `ompt_callback_task_schedule`
#[derive(Debug, Clone, Copy)]
pub struct TaskSchedule {
    /// Why the thread leaves the task: one of [`raw`]`::STATUS_…`.
    pub status: raw::TaskStatus,
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

/// `ompt_callback_work`
#[derive(Debug, Clone, Copy)]
pub struct Work {
    /// One of [`raw`]`::WORK_…`.
    pub kind: raw::WorkType,
    /// Which end.
    pub endpoint: Endpoint,
    /// Iterations, sections or threads, by kind.
    pub count: u64,
    /// The return address of the call into the runtime.
    pub code: usize,
}

impl Work {
    /// It is a loop whose chunks are dealt to threads.
    pub fn is_loop(&self) -> bool {
        raw::is_loop(self.kind)
    }
}

/// `ompt_callback_dispatch`
#[derive(Debug, Clone, Copy)]
pub struct Dispatch {
    /// One of [`raw`]`::DISPATCH_…`.
    pub kind: raw::DispatchKind,
    /// The chunk, if one is dispatched.
    pub chunk: Option<raw::DispatchChunk>,
    /// What is dispatched otherwise: an iteration, or where a section stands.
    pub instance: u64,
}

impl Dispatch {
    /// It is a chunk of a loop whose chunks are dealt to threads.
    pub fn is_of_loop(&self) -> bool {
        matches!(self.kind, raw::DISPATCH_WS_LOOP_CHUNK | raw::DISPATCH_DISTRIBUTE_CHUNK)
    }
}

/// `ompt_callback_sync_region`, `ompt_callback_sync_region_wait` and `ompt_callback_reduction`
#[derive(Debug, Clone, Copy)]
pub struct SyncRegion {
    /// One of [`raw`]`::SYNC_…`.
    pub kind: raw::SyncKind,
    /// Which end.
    pub endpoint: Endpoint,
    /// The return address of the call into the runtime.
    pub code: usize,
}

/// `ompt_callback_masked`
#[derive(Debug, Clone, Copy)]
pub struct Masked {
    /// Which end.
    pub endpoint: Endpoint,
    /// The return address of the call into the runtime.
    pub code: usize,
}

/// `ompt_callback_mutex_acquire`, `ompt_callback_mutex_acquired` and `ompt_callback_mutex_released`
#[derive(Debug, Clone, Copy)]
pub struct Mutex {
    /// One of [`raw`]`::MUTEX_…`.
    pub kind: raw::MutexKind,
    /// Which one, while it exists.
    pub wait_id: u64,
    /// The return address of the call into the runtime.
    pub code: usize,
}

/// `ompt_callback_control_tool`: the program speaks to its tool.
#[derive(Debug, Clone, Copy)]
pub struct Control {
    /// What it wants: 1 start, 2 pause, 3 flush, 4 end, or a number of the tool's own.
    pub command: u64,
    /// The tool's own.
    pub modifier: u64,
    /// An address that the program gives.
    pub argument: usize,
    /// The return address of the call into the runtime.
    pub code: usize,
}

/// `ompt_callback_loop` of ompchunk: a thread begins or ends its part of an instrumented loop.
#[derive(Debug, Clone, Copy)]
pub struct LoopEvent {
    /// How its iterations are really dealt: one of [`raw`]`::SCHED_…`, perhaps with [`raw::SCHED_MONOTONIC`].
    pub schedule: raw::LoopSched,
    /// Which end.
    pub endpoint: Endpoint,
    /// Whether the bounds of its chunks are signed.
    pub is_signed: bool,
    /// The user's step, if it is known.
    pub step: Option<i64>,
    /// The return address of the call into the runtime that began it.
    pub code: usize,
}

/// `ompt_callback_chunk` of ompchunk: a chunk is about to run on this thread.
#[derive(Debug, Clone, Copy)]
pub struct Chunk {
    /// The first logical iteration.
    pub lower: i64,
    /// The last one, the chunk's own.
    pub upper: i64,
    /// What the bookkeeping that led to it took, by the tool's own clock; 0 without one.
    pub bookkeeping: f64,
    /// The thread's last one in this loop; where the runtime deals the chunks, the one with the loop's last iteration.
    pub is_last: bool,
}

impl Chunk {
    /// How many iterations it has.
    pub fn iterations(&self) -> u64 {
        (self.upper as u64).wrapping_sub(self.lower as u64).wrapping_add(1)
    }
}

/// `ompt_callback_sub_block` of ompchunk: a part of the thread's own chunk is about to run. It lasts until the thread's next
/// sub-block or chunk, or the end of the loop.
#[derive(Debug, Clone, Copy)]
pub struct SubBlock {
    /// The first logical iteration, as [`raw::DispatchChunk::start`].
    pub lower: u64,
    /// How many it has.
    pub iterations: u64,
    /// The first one of its chunk.
    pub is_first: bool,
    /// The last one of its chunk.
    pub is_last: bool,
    /// The return address of the call into the runtime that began the loop, or 0 if it is not known.
    pub code: usize,
}

/// `ompt_callback_task_creation` of ompchunk: a task was created by this thread.
#[derive(Debug, Clone, Copy)]
pub struct TaskCreation {
    /// As in [`TaskCreate`].
    pub create: TaskCreate,
    /// What creating it took, by the tool's own clock; 0 without one.
    pub duration: f64,
}
