//! What a thread has begun and not ended.

use ompchunk_abi::{CONSTRUCT_SECTIONS, LoopRecord};
use ompchunk_trace_format::{Event, Sync, Unwanted};

use crate::acc;
use crate::recent_loops;
use crate::region::Shared;
use crate::schedule_override::Changed;

/// A loop that a thread is executing.
#[derive(Debug)]
pub(crate) struct Running {
    pub(crate) the_loop: u32,
    /// Chunk by chunk; otherwise counted.
    pub(crate) recorded: bool,
    /// Neither.
    pub(crate) unwanted: Option<Unwanted>,
    /// The plugin's loop, not one that only the runtime tells of.
    pub(crate) instrumented: bool,
    /// What the shim said when it began, and where from: a loop that the plugin did not see, inside one
    /// that it saw, has the same record and another address.
    pub(crate) record: *const LoopRecord,
    pub(crate) code: usize,
    /// `ompt_work_t`
    pub(crate) work: u32,
    /// The schedule under which it runs, if it is not the one in the source.
    pub(crate) changed: Option<Changed>,
    /// When the chunk began that is being counted, or, where chunks are told, the one of which sub-blocks are told; 0: none;
    /// [`NEVER`]: of this execution no more are.
    pub(crate) since: u64,
    pub(crate) way: Way,
    pub(crate) block: AwaitedBlock,
}

/// What a runtime tells of a static loop that the plugin did not see: one chunk of each thread's.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum AwaitedBlock {
    /// It is not looked into.
    No,
    /// It is to come, in a loop of so many iterations, ...
    Of(u64),
    /// ... which are perhaps a part of a loop of `distribute`, so that any number may be the first.
    OfPart(u64),
    Told,
}

impl Running {
    /// What the runtime's dispatch events call its iteration 0.
    pub(crate) fn first_iteration(&self) -> u64 {
        // SAFETY: null, or the constant record of what this thread is in.
        let record = unsafe { self.record.as_ref() };
        record.filter(|_| self.instrumented).map_or(0, recent_loops::first_iteration)
    }

    /// It is `sections`, whose chunks are sections.
    pub(crate) fn is_sections(&self) -> bool {
        // SAFETY: null, or the constant record of what this thread is in.
        let record = unsafe { self.record.as_ref() };
        self.instrumented && record.is_some_and(|record| record.construct == CONSTRUCT_SECTIONS)
    }
}

/// How an execution of a loop began.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Way {
    /// In the short way, in which it may end, ...
    Short,
    /// ... in the long one, ...
    Long,
    /// ... or in the long one, and its page faults are counted.
    Measured,
}

/// In [`Running::since`].
pub(crate) const NEVER: u64 = u64::MAX;

#[derive(Debug)]
pub(crate) enum Scope {
    Thread(u32),
    Parallel(Shared),
    /// `None`: the initial task.
    ImplicitTask(Option<Shared>, Task),
    Work(u32),
    Sync(Sync),
    Wait(Sync),
    Loop(Running),
    /// An operation of OpenACC or of `target`: its start's event, and the place as [`acc::place`] has it.
    Acc(u32, u64),
}

/// What is said again in a forked process.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Task {
    pub(crate) index: u32,
    pub(crate) team_size: u32,
    pub(crate) flags: u32,
    /// Barriers that it passed and that are not told.
    pub(crate) missed: u64,
}

impl Scope {
    /// A loop whose chunks are added up.
    pub(crate) fn is_counted(&self) -> bool {
        matches!(self, Scope::Loop(running) if !running.recorded)
    }
}

impl Scope {
    /// What its begin said, as far as that is still known; `None`: others say that.
    pub(crate) fn begin_event(&self) -> Option<Event<'static>> {
        Some(match self {
            Scope::Thread(_) | Scope::Loop(_) => return None,
            Scope::Parallel(region) => region.begin_event(),
            Scope::ImplicitTask(region, task) => Event::ImplicitTaskBegin {
                parallel: region.as_ref().map_or(0, Shared::number),
                index: task.index,
                team_size: task.team_size,
                flags: task.flags,
            },
            Scope::Work(work) => Event::WorkBegin { work: *work, count: 0, code: 0 },
            Scope::Sync(sync) => Event::SyncBegin(*sync),
            Scope::Wait(sync) => Event::WaitBegin(*sync),
            Scope::Acc(event, place) => Event::AccBegin(acc::bare(*event, *place)),
        })
    }
}
