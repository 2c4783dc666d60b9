//! Explicit tasks that are told one by one, as readers know them: the creator's team, its number there, and a number among what it creates.
//! A task may begin in a lane before the lane is read that creates it, so this is known before anything is written.

use std::collections::HashMap;

use ompchunk_trace_format::tasks::WAIT_BY_DEPENDENCES;
use ompchunk_trace_format::{At, Event};

/// A task.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Identity {
    /// The parallel region in which it was created.
    pub(super) parallel: u64,
    /// Its creator's number in the team.
    pub(super) creator: u32,
    /// Counts the tasks that the creator's thread creates, from 1: 0 is the implicit task.
    pub(super) generation: u32,
}

/// The regions that a lane is in, the innermost last.
#[derive(Debug, Default)]
struct Lane {
    thread: u32,
    teams: Vec<(u64, u32)>,
}

/// The tasks of a part, by their numbers.
#[derive(Debug, Default)]
pub(super) struct Created {
    tasks: HashMap<u64, Identity>,
    lanes: HashMap<u32, Lane>,
    /// What each thread created.
    counts: HashMap<u32, u32>,
}

impl Created {
    pub(super) fn see(&mut self, at: At, event: &Event<'_>) {
        match event {
            Event::ImplicitTaskBegin { parallel, index, .. } if *parallel != 0 => {
                self.lane(at).teams.push((*parallel, *index))
            }
            Event::ImplicitTaskEnd { parallel } => {
                let teams = &mut self.lane(at).teams;
                let is_of = |(of, _): &(u64, u32)| of == parallel;
                if let Some(from) = teams.iter().rposition(is_of) {
                    teams.truncate(from);
                }
            }
            Event::ThreadEnd { .. } => drop(self.lanes.remove(&at.lane)),
            Event::TaskCreate { task, flags, .. } if flags & WAIT_BY_DEPENDENCES == 0 => {
                self.create(at, *task);
            }
            _ => {}
        }
    }

    fn lane(&mut self, at: At) -> &mut Lane {
        let lane = self.lanes.entry(at.lane).or_default();
        if lane.thread != at.thread {
            lane.thread = at.thread;
            lane.teams.clear();
        }
        lane
    }

    fn create(&mut self, at: At, task: u64) {
        let Some((parallel, creator)) = self.lane(at).teams.last().copied() else {
            return;
        };
        let count = self.counts.entry(at.thread).or_default();
        *count = count.wrapping_add(1);
        let identity = Identity { parallel, creator, generation: *count };
        self.tasks.insert(task, identity);
    }

    /// `None`: its creation is not told, or was outside of all teams.
    pub(super) fn get(&self, task: u64) -> Option<Identity> {
        self.tasks.get(&task).copied()
    }
}
