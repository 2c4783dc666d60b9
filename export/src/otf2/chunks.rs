//! Loops, their chunks, the parts of these, and explicit tasks.

use ompchunk_trace_format::{At, Chunk, Event, LoopBegin, Scope, SubBlock};

use super::events::{SCHEDULE, attribute, range};
use super::lane::{Loop, LoopRegions, Shown, Team};
use super::regions::{self, Of, number};
use super::symbols as otf2;
use super::teams::Identity;
use super::writing::Writing;
use crate::row::tenths;

impl Writing<'_, '_> {
    pub(super) fn loop_begin(&mut self, at: At, event: &Event<'_>, begin: &LoopBegin) {
        let the_loop = begin.the_loop;
        let site = self.sites.get(the_loop);
        let variable = site.and_then(|site| site.variable(begin));
        let clause =
            site.map(|site| number(&mut self.numbers.strings, regions::schedule(site.clause(begin.work)).to_owned()));
        let regions = self.shown(the_loop);
        self.begin(at, event, Shown::Loop(Loop { the_loop, regions, variable }), |to, time| {
            let Some(regions) = regions else { return };
            to.unsigned(attribute::COUNT, begin.count);
            if let Some(start) = begin.start {
                to.signed(attribute::START, start);
            }
            if let Some(step) = begin.step {
                to.signed(attribute::STEP, step);
            }
            to.enter(time, regions.region);
            if let Some(clause) = clause {
                to.parameter(time, SCHEDULE, clause);
            }
        });
    }

    /// The regions of a loop; `None`: the loop is not asked for.
    fn shown(&mut self, the_loop: u32) -> Option<LoopRegions> {
        if let Some(known) = self.loops.get(&the_loop) {
            return Some(*known);
        }
        let regions = self.sites.selected(the_loop).then(|| LoopRegions {
            region: self.region_of(Of::Loop, the_loop),
            chunk: self.region_of(Of::Chunk, the_loop),
        })?;
        self.loops.insert(the_loop, regions);
        Some(regions)
    }

    pub(super) fn region_of(&mut self, what: Of, the_loop: u32) -> u32 {
        number(&mut self.numbers.regions, regions::of_loop(what, the_loop, self.sites.get(the_loop)))
    }

    #[inline]
    pub(super) fn chunk(&mut self, at: At, chunk: &Chunk) {
        let index = at.lane as usize;
        let lane = self.lane_of(at).filter(|lane| lane.thread == at.thread);
        let Some(inside) = lane.and_then(|lane| lane.innermost_loop()) else {
            self.stray += 1;
            return;
        };
        self.close(index, inside + 1, at.ticks, false);
        let Some(Some(lane)) = self.lanes.get_mut(index) else { return };
        let Shown::Loop(execution) = lane.open[inside].shown else { return };
        let region = execution.regions.map(|regions| regions.chunk);
        lane.after = None;
        lane.push(Scope::Chunk, Shown::Chunk { region, begin: at.ticks, recorder: 0 });
        let location = lane.location;
        let Some(region) = region else { return };
        self.notices.chunks += 1;
        let created = Some(chunk.create_duration).filter(|ticks| *ticks != 0);
        let created = created.map(|ticks| tenths(self.process.duration(ticks)));
        self.locations.put(location, at.ticks, |to, time| {
            range(to, chunk.lower, chunk.iterations, execution.variable);
            if let Some(ns) = created {
                to.float(attribute::CREATE_DURATION, ns);
            }
            to.enter(time, region);
        });
    }

    pub(super) fn sub_block(&mut self, at: At, event: &Event<'_>, piece: &SubBlock) {
        let Some(lane) = self.lane_of(at) else { return };
        // It is of the innermost loop, in its chunk.
        let Some(inside) = lane.innermost_loop() else { return };
        let chunk = lane.open.get(inside + 1).map(|open| open.shown);
        let (Shown::Loop(execution), Some(Shown::Chunk { .. })) = (lane.open[inside].shown, chunk) else { return };
        self.close(at.lane as usize, inside + 2, at.ticks, false);
        if execution.regions.is_none() {
            return;
        }
        let the_loop = execution.the_loop;
        let known = self.sub_blocks.get(&the_loop).copied();
        let region = known.unwrap_or_else(|| self.region_of(Of::SubBlock, the_loop));
        self.sub_blocks.insert(the_loop, region);
        self.begin(at, event, Shown::Region(region), |to, time| {
            range(to, piece.lower, piece.iterations, execution.variable);
            to.enter(time, region);
        });
    }

    pub(super) fn task_create(&mut self, at: At, task: u64, took: u64, code: u64) {
        let region = self.at_code("!$omp create task", otf2::REGION_ROLE_TASK_CREATE, code);
        let identity = self.identity(task);
        let Some(lane) = self.enter(at) else { return };
        let (location, end) = (lane.location, lane.without_recorder(at.ticks));
        self.locations.put(location, end.saturating_sub(took), |to, time| to.enter(time, region));
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
        let is_over = matches!(status, 1 | 3 | 4) && lane.tasks.last() == Some(&prior);
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
        let Some(Some(lane)) = self.lanes.get_mut(index) else { return };
        // Without a team there is nobody to switch.
        if lane.tasks.last().is_none_or(|running| *running == task) {
            return;
        }
        let identity = self.identity(task);
        let Some(Some(lane)) = self.lanes.get_mut(index) else { return };
        let (location, own) = (lane.location, lane.team());
        let Some(running) = lane.tasks.last_mut() else { return };
        let next = identity.map_or(0, |_| task);
        if std::mem::replace(running, next) == next {
            return;
        }
        self.locations.put(location, ticks, |to, time| match (identity, own) {
            (Some((team, made)), _) => to.task_switch(time, team, made.creator, made.generation),
            (None, Some(Team { team, index, .. })) => to.task_switch(time, team, index, IMPLICIT),
            (None, None) => {}
        });
    }

    /// The team and what the task is called in it.
    fn identity(&mut self, task: u64) -> Option<(u32, Identity)> {
        let identity = *self.teams.tasks.get(&task)?;
        let (team, _) = self.team_of(identity.parallel);
        Some((team, identity))
    }
}

/// The number of implicit tasks among what their threads create.
const IMPLICIT: u32 = 0;
