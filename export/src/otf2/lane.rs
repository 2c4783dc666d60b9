//! What is open in a lane, and when its events were: the innermost scope last.

use ompchunk_trace_format::{Event, Values};

/// Something that has begun and not ended. Regions and teams by their numbers in the process.
#[derive(Debug, Clone, Copy)]
pub(super) enum Scope {
    /// A parallel region, in the thread that began the region.
    Fork(u64),
    /// The thread's part of a parallel region.
    Team {
        parallel: u64,
        index: u32,
        team: u32,
        region: u32,
    },
    /// The initial task, which has no team.
    Initial,
    /// Worksharing other than loops, by `ompt_work_t`.
    Work(u32, u32),
    /// Synchronization, by `ompt_sync_region_t`.
    Sync(u32, u32),
    /// An operation of OpenACC, and its region.
    Acc(u32, u32),
    Loop(Loop),
    /// A chunk of the loop right below; `region`: `None` if not shown.
    Chunk {
        region: Option<u32>,
        /// Ticks.
        begin: u64,
        /// Ticks that were the recorder's.
        recorder: u64,
    },
    /// A part of the chunk right below.
    SubBlock {
        region: u32,
    },
}

impl Scope {
    /// Does an event end this scope?
    pub(super) fn ends_with(&self, event: &Event<'_>) -> bool {
        match (self, event) {
            (Scope::Fork(begun), Event::ParallelEnd { parallel }) => begun == parallel,
            (Scope::Initial, Event::ImplicitTaskEnd { parallel: 0 }) => true,
            (Scope::Team { parallel: of, .. }, Event::ImplicitTaskEnd { parallel }) => of == parallel,
            (Scope::Work(begun, _), Event::WorkEnd { work }) => begun == work,
            (Scope::Sync(begun, _), Event::SyncEnd(sync)) => *begun == sync.kind,
            (Scope::Acc(begun, _), Event::AccEnd(end)) => *begun == end.event,
            (Scope::Loop(execution), Event::LoopEnd { the_loop }) => execution.the_loop == *the_loop,
            _ => false,
        }
    }
}

/// An execution by a thread.
#[derive(Debug, Clone, Copy)]
pub(super) struct Loop {
    pub(super) the_loop: u32,
    /// `None`: not shown.
    pub(super) shown: Option<Shown>,
    pub(super) variable: Option<Values>,
}

#[derive(Debug, Clone, Copy)]
pub(super) struct Shown {
    pub(super) region: u32,
    pub(super) chunk: u32,
}

#[derive(Debug)]
pub(super) struct LaneRecords {
    pub(super) thread: u32,
    /// Where its thread's events go.
    pub(super) location: usize,
    pub(super) scopes: Vec<Scope>,
    /// The explicit task that began each scope; 0: none did.
    owners: Vec<u64>,
    /// Ticks of its last event.
    pub(super) ticks: u64,
    /// The loop that the thread ended right before.
    pub(super) after: Option<u32>,
    /// In each of the thread's parts of regions, the explicit task that it runs; 0: none.
    tasks: Vec<u64>,
}

impl LaneRecords {
    /// The records of a thread that is in nothing yet.
    pub(super) fn new(thread: u32, location: usize, ticks: u64) -> LaneRecords {
        LaneRecords { thread, location, scopes: Vec::new(), owners: Vec::new(), ticks, after: None, tasks: Vec::new() }
    }

    #[inline]
    pub(super) fn push(&mut self, scope: Scope) {
        self.scopes.push(scope);
        self.owners.push(self.tasks.last().copied().unwrap_or(0));
        if let Scope::Team { .. } = scope {
            self.tasks.push(0);
        }
    }

    pub(super) fn pop(&mut self) -> Option<Scope> {
        let scope = self.scopes.pop();
        self.owners.pop();
        if let Some(Scope::Team { .. }) = scope {
            self.tasks.pop();
        }
        scope
    }

    /// In which explicit task the innermost scope has to end: the one that began it. Of a team's that is the implicit one.
    pub(super) fn owner(&self) -> u64 {
        match self.scopes.last() {
            Some(Scope::Team { .. }) => 0,
            _ => self.owners.last().copied().unwrap_or(0),
        }
    }

    /// Where the scopes begin that a task has left open, the innermost ones.
    pub(super) fn left_open(&self, task: u64) -> usize {
        let its = self.owners.iter().rev().take_while(|owner| **owner == task);
        self.owners.len() - its.count()
    }

    /// When an event was, without the recorder's time in the chunk around the event. A region that begins in a chunk keeps its own
    /// time: other threads execute the region, too.
    pub(super) fn without_recorder(&self, ticks: u64) -> u64 {
        for scope in self.scopes.iter().rev() {
            match scope {
                Scope::Fork(_) | Scope::Team { .. } => break,
                Scope::Chunk { begin, recorder, .. } => {
                    return ticks.saturating_sub(*recorder).max(*begin);
                }
                _ => {}
            }
        }
        ticks
    }

    pub(super) fn innermost_loop(&self) -> Option<usize> {
        let is_loop = |scope: &Scope| matches!(scope, Scope::Loop(_));
        self.scopes.iter().rposition(is_loop)
    }

    /// The thread's place in its team, and the team.
    pub(super) fn team(&self) -> Option<(u32, u32)> {
        self.scopes.iter().rev().find_map(|scope| match scope {
            Scope::Team { index, team, .. } => Some((*index, *team)),
            _ => None,
        })
    }

    /// The explicit task that the thread runs; `None`: it is in no team.
    pub(super) fn running(&mut self) -> Option<&mut u64> {
        self.tasks.last_mut()
    }

    /// The region that the thread is in.
    pub(super) fn region(&self) -> Option<u64> {
        self.scopes.iter().rev().find_map(|scope| match scope {
            Scope::Team { parallel, .. } => Some(*parallel),
            _ => None,
        })
    }
}
