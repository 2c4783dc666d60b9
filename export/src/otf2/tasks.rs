//! Explicit tasks: created, switched to, and complete. What a thread runs of a team's tasks begins and ends with its part of the region, in
//! the implicit task; tasks outside of teams have no events.

use ompchunk_trace_format::At;

use super::created::Identity;
use super::symbols as otf2;
use super::writing::Writing;

/// The number of implicit tasks among what their threads create.
const IMPLICIT: u32 = 0;

impl Writing<'_, '_> {
    pub(super) fn task_create(&mut self, at: At, task: u64, took: u64, code: u64) {
        let region = self.at_code("!$omp create task", otf2::REGION_ROLE_TASK_CREATE, code);
        let identity = self.identity(task);
        let Some(lane) = self.enter(at) else { return };
        let (location, end) = (lane.location, lane.without_recorder(at.ticks));
        let begin = end.saturating_sub(took);
        self.locations.put(location, begin, |to, time| to.enter(time, region));
        self.locations.put(location, end, |to, time| {
            if let Some((team, made)) = identity {
                to.task_create(time, team, made.creator, made.generation);
            }
            to.leave(time, region);
        });
    }

    /// The thread leaves a task and goes on with another one; 0: with its implicit task, or with one that is not told.
    pub(super) fn task_switch(&mut self, at: At, (prior, status): (u64, u32), next: u64) {
        let identity = self.identity(prior);
        let index = at.lane as usize;
        let Some(lane) = self.enter(at) else { return };
        let is_running = lane.running().is_some_and(|task| *task == prior);
        let is_over = matches!(status, 1 | 3 | 4) && is_running;
        if let Some((team, made)) = identity.filter(|_| is_over) {
            let from = lane.left_open(prior);
            self.close(index, from, at.ticks, false);
            let Some(lane) = self.lane_of(at) else { return };
            let (location, ticks) = (lane.location, lane.without_recorder(at.ticks));
            self.locations.put(location, ticks, |to, time| {
                to.task_complete(time, team, made.creator, made.generation);
            });
        }
        let Some(lane) = self.lane_of(at) else { return };
        let ticks = lane.without_recorder(at.ticks);
        self.go_on(index, ticks, next);
    }

    /// The lane's thread goes on with a task, if it runs another one; 0: with its implicit task.
    pub(super) fn go_on(&mut self, index: usize, ticks: u64, task: u64) {
        let Some(Some(lane)) = self.lanes.get_mut(index) else {
            return;
        };
        if lane.running().is_none_or(|running| *running == task) {
            return;
        }
        let identity = self.identity(task);
        let Some(Some(lane)) = self.lanes.get_mut(index) else {
            return;
        };
        let (location, own) = (lane.location, lane.team());
        let Some(running) = lane.running() else {
            return;
        };
        let next = identity.map_or(0, |_| task);
        if std::mem::replace(running, next) == next {
            return;
        }
        self.locations.put(location, ticks, |to, time| match (identity, own) {
            (Some((team, made)), _) => {
                to.task_switch(time, team, made.creator, made.generation);
            }
            (None, Some((number, team))) => to.task_switch(time, team, number, IMPLICIT),
            (None, None) => {}
        });
    }

    /// The team and what the task is called in it.
    fn identity(&mut self, task: u64) -> Option<(u32, Identity)> {
        let identity = self.teams.tasks.get(task)?;
        let (team, _) = self.team_of(identity.parallel);
        Some((team, identity))
    }
}
