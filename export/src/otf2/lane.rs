//! What is open in a lane, and when its events were: the innermost scope last.

use ompchunk_trace_format::{Scope, Values};

#[derive(Debug, Clone, Copy)]
pub(super) struct Open {
    pub(super) scope: Scope,
    pub(super) shown: Shown,
    /// The explicit task that began it; 0: none did.
    owner: u64,
}

/// What is written of it. Regions and teams by their numbers in the process.
#[derive(Debug, Clone, Copy)]
pub(super) enum Shown {
    /// The initial task has no team.
    Nothing,
    /// A parallel region, in the thread that began the region.
    Fork,
    Team(Team),
    Region(u32),
    Loop(Loop),
    /// A chunk of the loop right below; `region`: `None` if not shown.
    Chunk {
        region: Option<u32>,
        begin: u64,
        /// Ticks that were the recorder's.
        recorder: u64,
    },
}

/// The thread's part of a parallel region.
#[derive(Debug, Clone, Copy)]
pub(super) struct Team {
    pub(super) parallel: u64,
    pub(super) index: u32,
    pub(super) team: u32,
    pub(super) region: u32,
}

#[derive(Debug, Clone, Copy)]
pub(super) struct Loop {
    pub(super) the_loop: u32,
    /// `None`: not shown.
    pub(super) regions: Option<LoopRegions>,
    pub(super) variable: Option<Values>,
}

#[derive(Debug, Clone, Copy)]
pub(super) struct LoopRegions {
    pub(super) region: u32,
    pub(super) chunk: u32,
}

#[derive(Default)]
pub(super) struct LaneRecords {
    pub(super) thread: u32,
    pub(super) location: usize,
    pub(super) open: Vec<Open>,
    /// Ticks of its last event.
    pub(super) ticks: u64,
    /// The loop that the thread ended right before.
    pub(super) after: Option<u32>,
    /// In each of the thread's parts of regions, the explicit task that it runs; 0: none.
    pub(super) tasks: Vec<u64>,
}

impl LaneRecords {
    #[inline]
    pub(super) fn push(&mut self, scope: Scope, shown: Shown) {
        let owner = self.tasks.last().copied().unwrap_or(0);
        self.open.push(Open { scope, shown, owner });
        if let Shown::Team(_) = shown {
            self.tasks.push(0);
        }
    }

    pub(super) fn pop(&mut self) -> Option<Shown> {
        let shown = self.open.pop()?.shown;
        if let Shown::Team(_) = shown {
            self.tasks.pop();
        }
        Some(shown)
    }

    /// In which explicit task the innermost scope has to end: the one that began it. Of a team's that is the implicit one.
    pub(super) fn owner(&self) -> u64 {
        match self.open.last() {
            None | Some(Open { shown: Shown::Team(_), .. }) => 0,
            Some(open) => open.owner,
        }
    }

    /// Where the scopes begin that a task has left open, the innermost ones.
    pub(super) fn left_open(&self, task: u64) -> usize {
        let its = self.open.iter().rev().take_while(|open| open.owner == task);
        self.open.len() - its.count()
    }

    /// When an event was, without the recorder's time in the chunk around the event. A region that begins in a chunk keeps its own
    /// time: other threads execute the region, too.
    pub(super) fn without_recorder(&self, ticks: u64) -> u64 {
        for open in self.open.iter().rev() {
            match open.shown {
                Shown::Fork | Shown::Team(_) => break,
                Shown::Chunk { begin, recorder, .. } => return ticks.saturating_sub(recorder).max(begin),
                _ => {}
            }
        }
        ticks
    }

    pub(super) fn innermost_loop(&self) -> Option<usize> {
        self.open.iter().rposition(|open| matches!(open.shown, Shown::Loop(_)))
    }

    pub(super) fn team(&self) -> Option<Team> {
        self.open.iter().rev().find_map(|open| match open.shown {
            Shown::Team(team) => Some(team),
            _ => None,
        })
    }
}
