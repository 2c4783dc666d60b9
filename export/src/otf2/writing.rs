//! A process's events, in one pass: what is open in each lane is the state. Every location's timestamps ascend, every `Enter` has
//! its `Leave`, and what is open where a trace is cut ends with the last that is known of its thread.

use std::collections::HashMap;

use ompchunk_trace_format::{AccDetail, AccOperation, At, Batch, Event, Sync};

use super::archive::Archive;
use super::events::Events;
use super::lane::{Lane, Scope, Shown};
use super::location::{Location, Locations, attribute};
use super::numbers::{Numbers, Region};
use super::regions::{self, Of};
use super::symbols as otf2;
use super::teams::Teams;
use crate::error::Error;
use crate::notice::Notices;
use crate::process::Process;
use crate::site::Sites;

/// Blocks that are read at once.
const BLOCKS: u64 = 16;

/// A process that has been written.
pub(super) struct Written {
    pub(super) numbers: Numbers,
    pub(super) locations: Vec<Location>,
    /// The last timestamp.
    pub(super) end: u64,
    pub(super) notices: Notices,
}

/// A process that is being written.
pub(super) struct Writing<'a, 'p> {
    pub(super) process: &'p Process<'p>,
    teams: &'p Teams,
    pub(super) sites: Sites<'p>,
    pub(super) numbers: Numbers,
    pub(super) locations: Locations<'a, 'p>,
    pub(super) lanes: Vec<Option<Lane>>,
    /// Of loops, by their numbers, and parallel regions, by the number of their kind.
    pub(super) loops: HashMap<u32, Shown>,
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
        sites: Sites::new(process.wanted.as_ref()),
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
            process
                .part
                .events_of(&block?, |at, event| writing.see(at, &event))?;
            if let Some(error) = writing.locations.failure() {
                return Err(error);
            }
        }
        progress(batch.size());
        next += BLOCKS;
    }
    writing.finish().map(Some)
}

impl<'a> Writing<'a, '_> {
    fn see(&mut self, at: At, event: &Event<'_>) {
        let index = at.lane as usize;
        match event {
            Event::Chunk(chunk) => {
                self.chunk(at, chunk);
                return;
            }
            Event::SubBlock(it) => {
                self.sub_block(at, it);
                return;
            }
            Event::Recorder(it) => {
                // As the walk through chunks has it: it is in all that are open.
                for scope in self.lane_of(at).into_iter().flat_map(|it| &mut it.scopes) {
                    if let Scope::Chunk { recorder, .. } = scope {
                        *recorder = recorder.saturating_add(it.ticks);
                    }
                }
                return;
            }
            _ => {}
        }
        self.sites.see(event);
        self.notices.see(event);
        if let Event::ThreadBegin { .. } = event {
            self.enter(at);
        }
        match event {
            Event::LoopBegin(it) => self.loop_begin(at, it),
            Event::LoopEnd { the_loop } => {
                let shown = self.end(
                    at,
                    |it| matches!(it, Scope::Loop(of) if of.the_loop == *the_loop),
                );
                if shown && let Some(lane) = &mut self.lanes[index] {
                    lane.after = Some(*the_loop);
                }
            }
            Event::ParallelBegin {
                parallel,
                requested,
                ..
            } => {
                self.begin(at, Scope::Fork(*parallel), |to, time| {
                    to.fork(time, *requested)
                });
            }
            Event::ParallelEnd { parallel } => {
                self.end(at, |it| matches!(it, Scope::Fork(of) if of == *parallel));
            }
            Event::ImplicitTaskBegin { parallel: 0, .. } => {
                self.begin(at, Scope::Initial, |_, _| {})
            }
            Event::ImplicitTaskBegin {
                parallel, index, ..
            } => self.team(at, *parallel, *index),
            Event::ImplicitTaskEnd { parallel: 0 } => {
                self.end(at, |it| matches!(it, Scope::Initial));
            }
            Event::ImplicitTaskEnd { parallel } => {
                self.end(
                    at,
                    |it| matches!(it, Scope::Team { parallel: of, .. } if of == *parallel),
                );
            }
            Event::WorkBegin { work, code, .. } => {
                let (what, role) = regions::work(*work);
                let region = self.at_code(what, role, *code);
                self.begin(at, Scope::Work(*work, region), |to, time| {
                    to.enter(time, region)
                });
            }
            Event::WorkEnd { work } => {
                self.end(at, |it| matches!(it, Scope::Work(of, _) if of == *work));
            }
            Event::SyncBegin(it) => self.sync(at, it),
            Event::SyncEnd(Sync { kind, .. }) => {
                self.end(at, |it| matches!(it, Scope::Sync(of, _) if of == *kind));
            }
            Event::TaskCreate {
                create_duration,
                code,
                ..
            } => self.task_create(at, *create_duration, *code),
            Event::AccBegin(it) => self.openacc(at, it),
            Event::AccEnd(it) => {
                self.end(
                    at,
                    |scope| matches!(scope, Scope::Acc(of, _) if of == it.event),
                );
            }
            Event::ThreadEnd { .. } => self.thread_end(at),
            _ => {}
        }
    }

    pub(super) fn lane_of(&mut self, at: At) -> Option<&mut Lane> {
        let lane = self.lanes.get_mut(at.lane as usize)?.as_mut()?;
        lane.ticks = lane.ticks.max(at.ticks);
        Some(lane)
    }

    /// The lane, which is its thread's from now on. `None`: the thread has ended, so what comes is nobody's.
    fn enter(&mut self, at: At) -> Option<&mut Lane> {
        let index = at.lane as usize;
        if index >= self.lanes.len() {
            self.lanes.resize_with(index + 1, || None);
        }
        if self.lanes[index]
            .as_ref()
            .is_some_and(|it| it.thread != at.thread)
        {
            self.close_lane(index);
        }
        if self.lanes[index].is_none() {
            let location = self.locations.of(at.thread)?;
            self.lanes[index] = Some(Lane {
                thread: at.thread,
                location,
                scopes: Vec::new(),
                ticks: at.ticks,
                after: None,
            });
        }
        self.lane_of(at)
    }

    pub(super) fn begin(&mut self, at: At, scope: Scope, write: impl FnOnce(&mut Events<'a>, u64)) {
        let Some(lane) = self.enter(at) else { return };
        let (location, ticks) = (lane.location, lane.without_recorder(at.ticks));
        lane.after = None;
        lane.scopes.push(scope);
        self.locations.put(location, ticks, write);
    }

    /// Ends the innermost scope that fits, and what is open inside. Where its begin was lost, nothing: then it is false.
    fn end(&mut self, at: At, is: impl Fn(Scope) -> bool) -> bool {
        let Some(lane) = self.lane_of(at) else {
            return false;
        };
        lane.after = None;
        let Some(from) = lane.scopes.iter().rposition(|it| is(*it)) else {
            return false;
        };
        self.close(at.lane as usize, from, at.ticks, false);
        true
    }

    /// Ends scopes, the innermost first. `cut`: it is not known when they end.
    pub(super) fn close(&mut self, lane: usize, from: usize, ticks: u64, cut: bool) {
        while let Some(Some(it)) = self.lanes.get_mut(lane) {
            if it.scopes.len() <= from {
                break;
            }
            let (location, time) = (it.location, it.without_recorder(ticks));
            let Some(scope) = it.scopes.pop() else { break };
            let mut duration = None;
            let region = match scope {
                Scope::Initial => continue,
                Scope::Fork(_) => {
                    self.locations.put(location, time, Events::join);
                    continue;
                }
                Scope::Team { team, region, .. } => {
                    self.locations.put(location, time, |to, time| {
                        to.leave(time, region);
                        to.team_end(time, team);
                    });
                    continue;
                }
                Scope::Work(_, region)
                | Scope::Sync(_, region)
                | Scope::Acc(_, region)
                | Scope::SubBlock { region } => Some(region),
                Scope::Loop(it) => it.shown.map(|it| it.region),
                Scope::Chunk {
                    region,
                    begin,
                    recorder,
                } => {
                    if recorder != 0 && !cut && self.locations.is_past(location, time) {
                        let ns = self.process.duration(time.saturating_sub(begin));
                        duration = Some((ns * 10.0).round() / 10.0);
                    }
                    region
                }
            };
            let Some(region) = region else { continue };
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
    }

    fn team(&mut self, at: At, parallel: u64, index: u32) {
        let kind = self.teams.kind(parallel);
        let known = kind.and_then(|kind| self.kinds.get(&kind).copied());
        let (team, region) = known.unwrap_or_else(|| {
            let region = self.at_team("!$omp parallel", otf2::REGION_ROLE_PARALLEL, parallel);
            let members = self
                .teams
                .of(parallel)
                .map(|it| it.members.values().copied().collect());
            let team = self.numbers.teams.number(&members.unwrap_or_default()).0;
            (team, region)
        });
        if let Some(kind) = kind {
            self.kinds.insert(kind, (team, region));
        }
        let scope = Scope::Team {
            parallel,
            index,
            team,
            region,
        };
        self.begin(at, scope, |to, time| {
            to.team_begin(time, team);
            to.unsigned(attribute::REGION, parallel);
            to.enter(time, region);
        });
    }

    fn sync(&mut self, at: At, it: &Sync) {
        let (what, role) = regions::sync(it.kind);
        let Some(lane) = self.enter(at) else { return };
        let (after, parallel) = (lane.after, lane.region());
        let is_end = role == otf2::REGION_ROLE_IMPLICIT_BARRIER;
        let region = match (after.filter(|_| is_end), parallel.filter(|_| it.kind == 9)) {
            (_, Some(parallel)) => self.at_team(what, role, parallel),
            (Some(the_loop), None) => {
                let region = regions::of_loop(Of::Barrier, the_loop, self.sites.get(the_loop));
                self.numbers.regions.number(&region).0
            }
            (None, None) => self.at_code(what, role, it.code),
        };
        self.begin(at, Scope::Sync(it.kind, region), |to, time| {
            to.enter(time, region)
        });
    }

    /// A region where a team's parallel region is.
    fn at_team(&mut self, what: &'static str, role: u8, parallel: u64) -> u32 {
        let kind = self.teams.of(parallel);
        let function = kind.and_then(|it| it.function.as_deref());
        let place = kind.and_then(|it| it.place.as_deref());
        let region = regions::at(what, role, place, function.unwrap_or_default());
        self.numbers.regions.number(&region).0
    }

    /// A region at a return address.
    fn at_code(&mut self, what: &'static str, role: u8, code: u64) -> u32 {
        let code = self.sites.code(code);
        let function = code.map_or("", |it| &*it.function);
        let region: Region = regions::at(what, role, code.map(|it| &*it.label), function);
        self.numbers.regions.number(&region).0
    }

    fn openacc(&mut self, at: At, it: &AccOperation) {
        let region = regions::openacc(it.event, self.sites.places.get(it.site));
        let region = self.numbers.regions.number(&region).0;
        self.begin(at, Scope::Acc(it.event, region), |to, time| {
            if let AccDetail::Data {
                bytes: Some(bytes), ..
            } = it.detail
            {
                to.unsigned(attribute::BYTES, bytes);
            }
            if let Some(queue) = it.asynchronous {
                to.signed(attribute::ASYNC, queue);
            }
            to.enter(time, region);
        });
    }

    fn task_create(&mut self, at: At, took: u64, code: u64) {
        let region = self.at_code("!$omp create task", otf2::REGION_ROLE_TASK_CREATE, code);
        let Some(lane) = self.enter(at) else { return };
        let (location, end) = (lane.location, lane.without_recorder(at.ticks));
        let team = lane.team();
        self.locations
            .put(location, end.saturating_sub(took), |to, time| {
                to.enter(time, region)
            });
        let generation = self.locations.task(location);
        self.locations.put(location, end, |to, time| {
            if let Some((creator, team)) = team {
                to.task_create(time, team, creator, generation);
            }
            to.leave(time, region);
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
        let Some(Some(Lane { ticks, .. })) = self.lanes.get(lane) else {
            return;
        };
        self.close(lane, 0, *ticks, true);
        self.lanes[lane] = None;
    }

    fn finish(mut self) -> Result<Written, Error> {
        (0..self.lanes.len()).for_each(|lane| self.close_lane(lane));
        let locations = self.locations.finish()?;
        self.notices.part(self.process, &self.sites, self.stray);
        Ok(Written {
            numbers: self.numbers,
            end: locations.iter().map(|it| it.last).max().unwrap_or(0),
            locations,
            notices: self.notices,
        })
    }
}
