//! A process's events, in one pass: what is open in each lane is the state. Every location's timestamps ascend, every `Enter` has
//! its `Leave`, and what is open where a trace is cut ends with the last that is known of its thread.

use std::collections::HashMap;

use ompchunk_trace_format::raw::SYNC_BARRIER_IMPLICIT_PARALLEL;
use ompchunk_trace_format::target::is_of_target;
use ompchunk_trace_format::tasks::WAIT_BY_DEPENDENCES;
use ompchunk_trace_format::{AccDetail, AccOperation, At, Batch, Event, Scope, Step, Sync};

use super::archive::Archive;
use super::events::{Events, Location, Locations, attribute};
use super::lane::{LaneRecords, Loop, LoopRegions, Shown, Team};
use super::regions::{self, Numbers, Of, number};
use super::symbols as otf2;
use super::teams::Teams;
use crate::error::Error;
use crate::notice::Notices;
use crate::process::Process;
use crate::row::tenths;
use crate::site::Sites;

const BLOCKS: u64 = 16;

pub(super) struct Written {
    pub(super) numbers: Numbers,
    pub(super) locations: Vec<Location>,
    pub(super) end: u64,
    pub(super) notices: Notices,
}

pub(super) struct Writing<'a, 'p> {
    pub(super) process: &'p Process<'p>,
    pub(super) teams: &'p Teams,
    pub(super) sites: Sites<'p>,
    pub(super) numbers: Numbers,
    pub(super) locations: Locations<'a, 'p>,
    pub(super) lanes: Vec<Option<LaneRecords>>,
    /// Loops by their numbers, and parallel regions by the number of their kind.
    pub(super) loops: HashMap<u32, LoopRegions>,
    pub(super) sub_blocks: HashMap<u32, u32>,
    kinds: HashMap<u32, (u32, u32)>,
    pub(super) notices: Notices,
    pub(super) stray: u64,
}

/// Writes the events of a process; `None`: somebody else has failed.
pub(super) fn write(
    archive: &Archive,
    process: &Process<'_>,
    teams: &Teams,
    progress: &(dyn Fn(u64) + std::marker::Sync),
    goes_on: &dyn Fn() -> bool,
) -> Result<Option<Written>, Error> {
    let mut writing = Writing {
        process,
        teams,
        sites: Sites::for_process(process),
        numbers: Numbers::default(),
        locations: Locations::new(archive, process),
        lanes: Vec::new(),
        loops: HashMap::new(),
        sub_blocks: HashMap::new(),
        kinds: HashMap::new(),
        notices: Notices::default(),
        stray: 0,
    };
    let (mut batch, mut next) = (Batch::default(), 0);
    let count = process.part.block_count();
    while next < count {
        if !goes_on() {
            return Ok(None);
        }
        process.part.read_batch(next, BLOCKS, &mut batch)?;
        for block in batch.blocks(process.part) {
            process.part.events_of(&block?, |at, event| writing.follow(at, event))?;
            if let Some(error) = writing.locations.failed.take() {
                return Err(error);
            }
        }
        progress(batch.size());
        next += BLOCKS;
    }
    writing.finish().map(Some)
}

impl<'a> Writing<'a, '_> {
    fn follow(&mut self, at: At, event: &Event<'_>) {
        match event {
            Event::Chunk(chunk) => return self.chunk(at, chunk),
            Event::SubBlock(piece) => return self.sub_block(at, event, piece),
            Event::Recorder(own) => return self.recorder(at, own.ticks),
            _ => {}
        }
        self.sites.follow(event);
        self.notices.follow(event);
        match event {
            Event::ThreadBegin { .. } => drop(self.enter(at)),
            Event::ThreadEnd { .. } => self.thread_end(at),
            Event::LoopBegin(begin) => self.loop_begin(at, event, begin),
            Event::ParallelBegin { requested, .. } => {
                self.begin(at, event, Shown::Fork, |to, time| to.fork(time, *requested))
            }
            Event::ImplicitTaskBegin { parallel: 0, .. } => self.begin(at, event, Shown::Nothing, |_, _| {}),
            Event::ImplicitTaskBegin { parallel, index, .. } => {
                let (team, region) = self.team_of(*parallel);
                let shown = Shown::Team(Team { parallel: *parallel, index: *index, team, region });
                self.begin(at, event, shown, |to, time| {
                    to.team_begin(time, team);
                    to.unsigned(attribute::REGION, *parallel);
                    to.enter(time, region);
                });
            }
            Event::WorkBegin { work, code, .. } => {
                let (what, role) = regions::work(*work);
                let region = self.at_code(what, role, *code);
                self.begin(at, event, Shown::Region(region), |to, time| to.enter(time, region));
            }
            Event::SyncBegin(sync) => self.sync(at, event, sync),
            Event::TaskCreate { task, flags, create_duration, code, .. } if flags & WAIT_BY_DEPENDENCES == 0 => {
                self.task_create(at, *task, *create_duration, *code)
            }
            Event::TaskSchedule { prior, status, next } => self.task_switch(at, (*prior, *status), *next),
            Event::AccBegin(operation) => self.openacc(at, event, operation),
            // Waits are not shown, and the barrier is still the one after the loop.
            Event::WaitEnd(_) => {}
            _ => {
                if let Step::End(scope) = Step::by(event) {
                    self.end(at, scope);
                }
            }
        }
    }

    /// The recorder's time is in all chunks that are open, as in the walk over chunks.
    fn recorder(&mut self, at: At, ticks: u64) {
        let lane = self.lane_of(at).into_iter();
        for open in lane.flat_map(|lane| &mut lane.open) {
            if let Shown::Chunk { recorder, .. } = &mut open.shown {
                *recorder = recorder.saturating_add(ticks);
            }
        }
    }

    pub(super) fn lane_of(&mut self, at: At) -> Option<&mut LaneRecords> {
        let lane = self.lanes.get_mut(at.lane as usize)?.as_mut()?;
        lane.ticks = lane.ticks.max(at.ticks);
        Some(lane)
    }

    /// The lane, which is its thread's from now on. `None`: the thread has ended, so what comes is nobody's.
    pub(super) fn enter(&mut self, at: At) -> Option<&mut LaneRecords> {
        let index = at.lane as usize;
        if index >= self.lanes.len() {
            self.lanes.resize_with(index + 1, || None);
        }
        let thread = self.lanes[index].as_ref().map(|lane| lane.thread);
        if thread.is_some_and(|thread| thread != at.thread) {
            self.close_lane(index);
        }
        if self.lanes[index].is_none() {
            let location = self.locations.location(at.thread)?;
            let lane = LaneRecords { thread: at.thread, location, ticks: at.ticks, ..LaneRecords::default() };
            self.lanes[index] = Some(lane);
        }
        self.lane_of(at)
    }

    pub(super) fn begin(&mut self, at: At, event: &Event<'_>, shown: Shown, write: impl FnOnce(&mut Events<'a>, u64)) {
        let scope = match Step::by(event) {
            Step::Begin(scope) => scope,
            _ => Scope::Chunk,
        };
        let Some(lane) = self.enter(at) else { return };
        let (location, ticks) = (lane.location, lane.without_recorder(at.ticks));
        lane.after = None;
        lane.push(scope, shown);
        self.locations.put(location, ticks, write);
    }

    /// Ends the innermost scope of that kind, and what is open inside. Where its begin was lost, nothing.
    fn end(&mut self, at: At, scope: Scope) {
        let Some(lane) = self.lane_of(at) else { return };
        lane.after = None;
        let Some(from) = lane.open.iter().rposition(|open| open.scope == scope) else { return };
        self.close(at.lane as usize, from, at.ticks, false);
        if let (Scope::Loop(the_loop), Some(lane)) = (scope, self.lane_of(at)) {
            lane.after = Some(the_loop);
        }
    }

    /// Ends scopes, the innermost first. `cut`: their end is unknown.
    pub(super) fn close(&mut self, index: usize, from: usize, ticks: u64, cut: bool) {
        while let Some(Some(lane)) = self.lanes.get_mut(index)
            && lane.open.len() > from
        {
            let (location, time) = (lane.location, lane.without_recorder(ticks));
            let owner = lane.owner();
            self.go_on(index, time, owner);
            let Some(shown) = self.lanes[index].as_mut().and_then(LaneRecords::pop) else { break };
            match shown {
                Shown::Nothing | Shown::Loop(Loop { regions: None, .. }) | Shown::Chunk { region: None, .. } => {}
                Shown::Fork => self.locations.put(location, time, Events::join),
                Shown::Team(Team { team, region, .. }) => {
                    self.locations.put(location, time, |to, time| {
                        to.leave(time, region);
                        to.team_end(time, team);
                    });
                }
                Shown::Region(region) | Shown::Loop(Loop { regions: Some(LoopRegions { region, .. }), .. }) => {
                    self.leave(location, time, region, cut, None)
                }
                Shown::Chunk { region: Some(region), begin, recorder } => {
                    let is_late = recorder != 0 && !cut && self.locations.is_past(location, time);
                    let ticks = time.saturating_sub(begin);
                    let duration = is_late.then(|| tenths(self.process.duration(ticks)));
                    self.leave(location, time, region, cut, duration);
                }
            }
        }
    }

    fn leave(&mut self, location: usize, time: u64, region: u32, cut: bool, duration: Option<f64>) {
        self.locations.put(location, time, |to, time| {
            if cut {
                to.flag(attribute::CUT);
            }
            if let Some(ns) = duration {
                to.float(attribute::DURATION, ns);
            }
            to.leave(time, region);
        });
    }

    /// The team of a region, and the region of its construct.
    pub(super) fn team_of(&mut self, parallel: u64) -> (u32, u32) {
        let kind = self.teams.kind(parallel);
        if let Some(known) = kind.and_then(|kind| self.kinds.get(&kind)) {
            return *known;
        }
        let region = self.at_team("!$omp parallel", otf2::REGION_ROLE_PARALLEL, parallel);
        let members = self.teams.team(parallel).map(|kind| kind.members.values().copied().collect());
        let team = number(&mut self.numbers.teams, members.unwrap_or_default());
        self.kinds.extend(kind.map(|kind| (kind, (team, region))));
        (team, region)
    }

    fn sync(&mut self, at: At, event: &Event<'_>, sync: &Sync) {
        let (what, role) = regions::sync(sync.kind);
        let Some(lane) = self.enter(at) else { return };
        let (after, parallel) = (lane.after, lane.team().map(|team| team.parallel));
        let is_implicit = role == otf2::REGION_ROLE_IMPLICIT_BARRIER;
        let ends_region = parallel.filter(|_| sync.kind == SYNC_BARRIER_IMPLICIT_PARALLEL);
        let region = match (after.filter(|_| is_implicit), ends_region) {
            (_, Some(parallel)) => self.at_team(what, role, parallel),
            (Some(the_loop), None) => self.region_of(Of::Barrier, the_loop),
            (None, None) => self.at_code(what, role, sync.code),
        };
        self.begin(at, event, Shown::Region(region), |to, time| to.enter(time, region));
    }

    fn at_team(&mut self, what: &'static str, role: u8, parallel: u64) -> u32 {
        let kind = self.teams.team(parallel);
        let function = kind.and_then(|kind| kind.function.as_deref());
        let place = kind.and_then(|kind| kind.place.as_deref());
        number(&mut self.numbers.regions, regions::region_at(what, role, place, function.unwrap_or_default()))
    }

    pub(super) fn at_code(&mut self, what: &'static str, role: u8, address: u64) -> u32 {
        let code = self.sites.code(address);
        let function = code.map_or("", |code| &code.function);
        number(&mut self.numbers.regions, regions::region_at(what, role, code.map(|code| &*code.label), function))
    }

    fn openacc(&mut self, at: At, event: &Event<'_>, operation: &AccOperation) {
        let region = match is_of_target(operation.event) {
            true => {
                let (what, role) = regions::target(operation.event);
                self.at_code(what, role, operation.detail.code())
            }
            false => {
                let place = self.sites.places.get(&operation.site);
                number(&mut self.numbers.regions, regions::openacc(operation.event, place))
            }
        };
        self.begin(at, event, Shown::Region(region), |to, time| {
            if let AccDetail::Data { bytes: Some(bytes), .. } | AccDetail::Target { bytes: Some(bytes), .. } =
                operation.detail
            {
                to.unsigned(attribute::BYTES, bytes);
            }
            if let Some(queue) = operation.asynchronous {
                to.signed(attribute::ASYNC, queue);
            }
            to.enter(time, region);
        });
    }

    fn thread_end(&mut self, at: At) {
        let Some(lane) = self.lane_of(at) else { return };
        let location = lane.location;
        self.close(at.lane as usize, 0, at.ticks, false);
        self.lanes[at.lane as usize] = None;
        // So that a program with many short threads takes the memory of those that live.
        self.locations.close(location);
    }

    fn close_lane(&mut self, lane: usize) {
        let Some(Some(LaneRecords { ticks, .. })) = self.lanes.get(lane) else { return };
        self.close(lane, 0, *ticks, true);
        self.lanes[lane] = None;
    }

    fn finish(mut self) -> Result<Written, Error> {
        (0..self.lanes.len()).for_each(|lane| self.close_lane(lane));
        let locations = self.locations.finish()?;
        self.notices.part(self.process, &self.sites, self.stray);
        let end = locations.iter().map(|location| location.last).max().unwrap_or(0);
        Ok(Written { numbers: self.numbers, end, locations, notices: self.notices })
    }
}
