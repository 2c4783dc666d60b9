//! Which threads a parallel region's team has, and where the region is: known only when all of its threads have come, which can be
//! far behind in the file. So a part is read once for this. What stays is a number per region, and each kind of region once.

use std::collections::{BTreeMap, HashMap};
use std::rc::Rc;

use indexmap::IndexSet;
use ompchunk_trace_format::tasks::WAIT_BY_DEPENDENCES;
use ompchunk_trace_format::{At, Error, Event, Part};

use super::regions::number;
use crate::site::Sites;

/// Regions of which not all has been seen; more than that only where their threads are not told of.
const OPEN: usize = 1 << 16;

#[derive(Debug, Clone, Default, PartialEq, Eq, Hash)]
pub(super) struct Kind {
    /// For people; `None`: unknown.
    pub(super) place: Option<Rc<str>>,
    pub(super) function: Option<Rc<str>>,
    /// Threads by their number in the team.
    pub(super) members: BTreeMap<u32, u32>,
}

#[derive(Debug, Default)]
struct Open {
    kind: Kind,
    size: Option<u32>,
    begun: bool,
}

#[derive(Debug, Default)]
pub(super) struct Teams {
    kinds: IndexSet<Kind>,
    /// By the region's number, one more than that of its kind; 0: there is no such region.
    regions: Vec<u32>,
    /// Where numbers are far apart.
    sparse: HashMap<u64, u32>,
    pub(super) threads: usize,
    /// By their numbers. One may begin in a lane before the lane is read that creates it, so this is known before anything is written.
    pub(super) tasks: HashMap<u64, Identity>,
}

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
struct LaneTeams {
    thread: u32,
    teams: Vec<(u64, u32)>,
}

impl Open {
    fn is_whole(&self) -> bool {
        let has_all = |size: u32| self.kind.members.len() >= size as usize;
        self.begun && self.size.is_some_and(has_all)
    }
}

#[derive(Default)]
struct Reading {
    teams: Teams,
    sites: Sites<'static>,
    open: HashMap<u64, Open>,
    places: HashMap<u64, (Rc<str>, Rc<str>)>,
    lanes: HashMap<u32, LaneTeams>,
    counts: HashMap<u32, u32>,
}

impl Reading {
    fn follow(&mut self, at: At, event: &Event<'_>) {
        match event {
            Event::Code(code) => {
                self.places.remove(&code.address);
                self.sites.follow(event);
            }
            Event::ThreadBegin { .. } => self.teams.threads += 1,
            Event::ParallelBegin { parallel, code, .. } => {
                let place = self.place(*code);
                let region = self.open.entry(*parallel).or_default();
                region.begun = true;
                if let Some((label, function)) = place {
                    (region.kind.place, region.kind.function) = (Some(label), Some(function));
                }
                self.settle(*parallel);
            }
            Event::ImplicitTaskBegin { parallel, index, team_size, .. } if *parallel != 0 => {
                self.lane(at).teams.push((*parallel, *index));
                let region = self.open.entry(*parallel).or_default();
                region.kind.members.insert(*index, at.thread);
                region.size = Some(*team_size);
                self.settle(*parallel);
            }
            Event::ImplicitTaskEnd { parallel } => {
                let teams = &mut self.lane(at).teams;
                if let Some(from) = teams.iter().rposition(|(team, _)| team == parallel) {
                    teams.truncate(from);
                }
            }
            Event::ThreadEnd { .. } => drop(self.lanes.remove(&at.lane)),
            Event::TaskCreate { task, flags, .. } if flags & WAIT_BY_DEPENDENCES == 0 => {
                // What is created outside of all teams has no identity.
                if let Some((parallel, creator)) = self.lane(at).teams.last().copied() {
                    let count = self.counts.entry(at.thread).or_default();
                    *count = count.wrapping_add(1);
                    self.teams.tasks.insert(*task, Identity { parallel, creator, generation: *count });
                }
            }
            _ => {}
        }
        if self.open.len() > OPEN {
            self.settle_all();
        }
    }

    fn lane(&mut self, at: At) -> &mut LaneTeams {
        let lane = self.lanes.entry(at.lane).or_default();
        if lane.thread != at.thread {
            lane.thread = at.thread;
            lane.teams.clear();
        }
        lane
    }

    fn place(&mut self, address: u64) -> Option<(Rc<str>, Rc<str>)> {
        let code = self.sites.code(address)?;
        let texts = || (code.label.as_str().into(), code.function.as_str().into());
        Some(self.places.entry(address).or_insert_with(texts).clone())
    }

    /// A region of which all is known is no longer open.
    fn settle(&mut self, region: u64) {
        if self.open.get(&region).is_some_and(Open::is_whole)
            && let Some(open) = self.open.remove(&region)
        {
            self.teams.put(region, open.kind);
        }
    }

    fn settle_all(&mut self) {
        let mut regions: Vec<(u64, Open)> = self.open.drain().collect();
        // Else kinds would be numbered by chance.
        regions.sort_unstable_by_key(|(region, _)| *region);
        for (region, open) in regions {
            self.teams.put(region, open.kind);
        }
    }
}

impl Teams {
    pub(super) fn read(part: &Part) -> Result<Teams, Error> {
        let mut reading = Reading::default();
        part.for_each(|at, event| reading.follow(at, event))?;
        reading.settle_all();
        Ok(reading.teams)
    }

    /// What was known of the region before still holds.
    fn put(&mut self, region: u64, mut kind: Kind) {
        if let Some(before) = self.team(region) {
            kind.place = kind.place.or_else(|| before.place.clone());
            kind.function = kind.function.or_else(|| before.function.clone());
            for (index, thread) in &before.members {
                kind.members.entry(*index).or_insert(*thread);
            }
        }
        let number = number(&mut self.kinds, kind) + 1;
        // Recorders count regions; who does not shall not make us allocate.
        let is_dense = region < 2 * self.regions.len() as u64 + OPEN as u64;
        if !is_dense {
            self.sparse.insert(region, number);
            return;
        }
        let index = region as usize;
        if index >= self.regions.len() {
            self.regions.resize(index + 1, 0);
        }
        self.regions[index] = number;
    }

    pub(super) fn team(&self, region: u64) -> Option<&Kind> {
        self.kinds.get_index(self.kind(region)? as usize)
    }

    pub(super) fn kind(&self, region: u64) -> Option<u32> {
        let index = usize::try_from(region).ok();
        let known = index.and_then(|index| self.regions.get(index).copied()).filter(|number| *number != 0);
        let number = known.or_else(|| self.sparse.get(&region).copied());
        number.map(|number| number - 1)
    }
}
