//! How a thread walks through a run: which events begin something that others end, and what neither begins nor ends anything.

use crate::event::Event;

/// What a thread is in, as long as it has not ended. Begins and ends of a lane nest.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Scope {
    /// A thread, by its number.
    Thread(u32),
    /// A parallel region, in the thread that began the region.
    Parallel(u64),
    /// A thread's part of a region; 0: the initial task.
    ImplicitTask(u64),
    /// Worksharing other than loops, by `ompt_work_t`.
    Work(u32),
    /// Synchronization, by `ompt_sync_region_t`, ...
    Sync(u32),
    /// ... and the wait in it.
    Wait(u32),
    /// A thread's part of an execution of a loop.
    Loop(u32),
    /// An operation of OpenACC or `target`, by its event.
    Acc(u32),
    /// A chunk, which the next one of its loop ends, or the loop: it has no event for that.
    Chunk,
    /// An explicit task that is told one by one, while the thread runs it: [`Event::TaskSchedule`] tells of two at a time.
    Task(u64),
}

/// What an event does to the scopes of its lane.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Step {
    /// One more is open.
    Begin(Scope),
    /// The innermost of these ends, with what is open inside.
    End(Scope),
    /// Nothing.
    Inside,
}

impl Step {
    /// Which it is.
    #[inline]
    pub fn by(event: &Event<'_>) -> Step {
        match event {
            Event::ThreadBegin { thread, .. } => Step::Begin(Scope::Thread(*thread)),
            Event::ThreadEnd { thread } => Step::End(Scope::Thread(*thread)),
            Event::ParallelBegin { parallel, .. } => Step::Begin(Scope::Parallel(*parallel)),
            Event::ParallelEnd { parallel } => Step::End(Scope::Parallel(*parallel)),
            Event::ImplicitTaskBegin { parallel, .. } => Step::Begin(Scope::ImplicitTask(*parallel)),
            Event::ImplicitTaskEnd { parallel } => Step::End(Scope::ImplicitTask(*parallel)),
            Event::WorkBegin { work, .. } => Step::Begin(Scope::Work(*work)),
            Event::WorkEnd { work } => Step::End(Scope::Work(*work)),
            Event::SyncBegin(sync) => Step::Begin(Scope::Sync(sync.kind)),
            Event::SyncEnd(sync) => Step::End(Scope::Sync(sync.kind)),
            Event::WaitBegin(sync) => Step::Begin(Scope::Wait(sync.kind)),
            Event::WaitEnd(sync) => Step::End(Scope::Wait(sync.kind)),
            Event::LoopBegin(begin) => Step::Begin(Scope::Loop(begin.the_loop)),
            Event::LoopEnd { the_loop } => Step::End(Scope::Loop(*the_loop)),
            Event::AccBegin(operation) => Step::Begin(Scope::Acc(operation.event)),
            Event::AccEnd(end) => Step::End(Scope::Acc(end.event)),
            _ => Step::Inside,
        }
    }
}
