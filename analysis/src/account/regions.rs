//! Where the time of each parallel region goes: a lane tells what its thread had in each activity within its part of a region; parts are joined
//! over the lanes, and executions of one place in the program added up. A lane is one block behind the others at most, so few regions wait for
//! a part; what waits is bounded.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use ompchunk_trace_format::{At, Event};

use super::constructs::Constructs;
use super::{ACTIVITIES, Activity, Spent};
use crate::merge::{Merge, widest};

/// Executions that may wait: more than there are in a block of the usual size.
const MOST_WAITING: usize = 1 << 16;

#[derive(Debug, Default)]
pub(crate) struct Regions {
    open: HashMap<u64, Open>,
    /// By the return address of the call that begins them.
    pub(super) by_code: BTreeMap<u64, RegionSums>,
    /// Whose loops and waits are, by the same addresses, ...
    owners: BTreeMap<Owned, BTreeSet<u64>>,
    /// ... and which loops are in serial code, too.
    outside: BTreeSet<Owned>,
    /// Something is told of executions that were not begun or did not end: which region's that is nobody knows.
    pub(super) is_torn: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Owns {
    All,
    Nothing,
    /// Some of it, or not.
    Perhaps,
}

#[derive(Debug, Default)]
pub(super) struct RegionSums {
    pub(super) executions: u64,
    pub(super) elapsed: u64,
    /// The same times the size of the team.
    pub(super) all: u64,
    /// What of that threads had that told nothing of their part.
    pub(super) missing: u64,
    pub(super) team_size: Option<[u32; 2]>,
    pub(super) team: TeamPart,
    /// Work of each execution's busiest thread, and of the mean one.
    pub(super) busiest: u64,
    pub(super) mean: u64,
}

#[derive(Debug, Default)]
struct Open {
    code: Option<u64>,
    ticks: Option<u64>,
    parts: u32,
    team: TeamPart,
    busiest: u64,
}

impl Open {
    fn is_whole(&self) -> bool {
        self.code.is_some() && self.ticks.is_some() && self.parts >= self.team.team_size.max(1)
    }
}

impl Regions {
    pub(crate) fn take(&mut self, lane: &mut Course) {
        self.outside.extend(lane.outside.drain(..));
        for (region, told) in lane.told.drain(..) {
            let open = self.open.entry(region).or_default();
            match told {
                Told::Begin(code) => open.code = Some(code),
                Told::End(ticks) => open.ticks = Some(ticks),
                Told::Part(part) => {
                    open.parts += 1;
                    open.team.team_size = part.team_size;
                    open.team.take_in(&part);
                    open.busiest = open.busiest.max(part.work());
                }
            }
            if open.is_whole() {
                self.settle(region);
            }
        }
        if self.open.len() > MOST_WAITING {
            self.finish();
        }
    }

    /// What waits has no more parts.
    pub(crate) fn finish(&mut self) {
        let mut regions: Vec<u64> = self.open.keys().copied().collect();
        regions.sort_unstable();
        for region in regions {
            self.settle(region);
        }
    }

    fn settle(&mut self, region: u64) {
        let Some(mut open) = self.open.remove(&region) else { return };
        let (Some(code), Some(ticks)) = (open.code, open.ticks) else {
            self.is_torn = true;
            return;
        };
        for owned in open.team.owned.drain(..) {
            self.owners.entry(owned).or_default().insert(code);
        }
        self.by_code.entry(code).or_default().add(&open, ticks);
    }

    /// A region that is begun at these addresses is the only one, and no loop runs outside of it.
    pub(super) fn is_all(&self, codes: &BTreeSet<u64>) -> bool {
        self.by_code.len() == codes.len() && !self.is_torn && self.outside.is_empty()
    }

    pub(super) fn sums(&self, codes: &BTreeSet<u64>) -> RegionSums {
        let mut sums = RegionSums::default();
        codes.iter().filter_map(|code| self.by_code.get(code)).for_each(|more| sums.take_in(more));
        sums
    }

    pub(crate) fn codes(&self) -> impl Iterator<Item = u64> {
        self.by_code.keys().copied()
    }

    /// How much of what is told of a loop or a wait is the region's.
    pub(super) fn owns(&self, codes: &BTreeSet<u64>, owned: Owned) -> Owns {
        // Waits of which nothing is told but that tasks ran in them may be anywhere.
        let Some(owners) = self.owners.get(&owned) else { return Owns::Perhaps };
        if owners.is_disjoint(codes) {
            return Owns::Nothing;
        }
        if owners.is_subset(codes) && !self.outside.contains(&owned) && !self.is_torn {
            Owns::All
        } else {
            Owns::Perhaps
        }
    }
}

impl RegionSums {
    fn add(&mut self, open: &Open, ticks: u64) {
        let size = open.team.team_size.max(open.parts).max(1);
        self.team_size = widest(self.team_size, Some([size, size]));
        self.executions += 1;
        self.elapsed.take_in(&ticks);
        self.all.take_in(&ticks.saturating_mul(size.into()));
        self.missing.take_in(&ticks.saturating_mul((size - open.parts.min(size)).into()));
        self.team.take_in(&open.team);
        self.busiest.take_in(&open.busiest);
        self.mean.take_in(&(open.team.work() / u64::from(size)));
    }
}

merge!(RegionSums: executions, elapsed, all, missing, team_size, team, busiest, mean);

#[derive(Debug, Default)]
pub(crate) struct Course {
    since: u64,
    is_paused: bool,
    open: Vec<OpenPart>,
    /// Regions that it has begun, the innermost last, and when.
    begun: Vec<(u64, u64)>,
    told: Vec<(u64, Told)>,
    outside: Vec<Owned>,
}

#[derive(Debug, Default)]
struct OpenPart {
    region: u64,
    part: TeamPart,
    constructs: Constructs,
    inner: u32,
}

impl Course {
    pub(crate) fn follow(&mut self, at: At, event: &Event<'_>) {
        self.pass(at.ticks);
        match event {
            Event::ThreadBegin { .. } => self.is_paused = false,
            Event::ThreadEnd { .. } => self.close(),
            Event::ParallelBegin { parallel: region, code, .. } => {
                self.begun.push((*region, self.since));
                if let Some(open) = self.open.last_mut() {
                    open.inner += 1;
                }
                self.told.push((*region, Told::Begin(*code)));
            }
            Event::ParallelEnd { .. } => self.end_region(),
            Event::ImplicitTaskBegin { parallel: region, team_size, .. } if *region != 0 => {
                // Its begin, until its end is known.
                let part = TeamPart { team_size: *team_size, ticks: self.since, ..TeamPart::default() };
                self.open.push(OpenPart { region: *region, part, constructs: Constructs::region(), inner: 0 });
            }
            Event::ImplicitTaskEnd { parallel } if *parallel != 0 => self.end_part(*parallel),
            Event::Pause(_) => self.is_paused = true,
            Event::Resume => self.is_paused = false,
            Event::OffCore(_) | Event::Recorder(_) => {
                if let Some((part, activity)) = self.current() {
                    part.spent[activity as usize].add_event(event);
                }
            }
            _ => self.change(event),
        }
    }

    /// The lane has no more events; what is open went on until then.
    pub(crate) fn finish(&mut self, last: u64) {
        self.pass(last);
        self.close();
    }

    /// The time since the last event was in the activity that the thread is in. In regions within its region it is theirs.
    fn pass(&mut self, now: u64) {
        let ticks = now.saturating_sub(self.since);
        self.since = self.since.max(now);
        if let Some((part, activity)) = self.current() {
            part.spent[activity as usize].ticks += ticks;
        }
    }

    fn current(&mut self) -> Option<(&mut TeamPart, Activity)> {
        let is_paused = self.is_paused;
        let open = self.open.last_mut().filter(|open| open.inner == 0)?;
        let activity =
            if is_paused { Activity::Paused } else { open.constructs.activity().unwrap_or(Activity::Region) };
        Some((&mut open.part, activity))
    }

    fn end_region(&mut self) {
        let Some((region, begun)) = self.begun.pop() else { return };
        let ticks = self.since - begun;
        if let Some(open) = self.open.last_mut().filter(|open| open.inner > 0) {
            open.inner -= 1;
            open.part.nested += ticks;
        }
        self.told.push((region, Told::End(ticks)));
    }

    fn end_part(&mut self, region: u64) {
        if let Some(OpenPart { mut part, .. }) = self.open.pop_if(|open| open.region == region) {
            part.ticks = self.since - part.ticks;
            self.told.push((region, Told::Part(Box::new(part))));
        }
    }

    /// All that is open ends now, the innermost first.
    fn close(&mut self) {
        loop {
            match self.open.last() {
                Some(open) if open.inner == 0 || self.begun.is_empty() => {
                    self.end_part(open.region);
                }
                _ if !self.begun.is_empty() => self.end_region(),
                _ => break,
            }
        }
    }

    fn change(&mut self, event: &Event<'_>) {
        let the_loop = match event {
            Event::LoopBegin(begin) => Some(Owned::Loop(begin.the_loop)),
            _ => None,
        };
        let Some(open) = self.open.last_mut() else {
            let fresh = the_loop.filter(|owned| !self.outside.contains(owned));
            self.outside.extend(fresh);
            return;
        };
        let owned = the_loop.or(open.constructs.change(event).map(|(code, _)| Owned::Wait(code)));
        let fresh = owned.filter(|owned| !open.part.owned.contains(owned));
        open.part.owned.extend(fresh);
    }
}

const WORK: [Activity; 6] =
    [Activity::Loop, Activity::Reduction, Activity::Single, Activity::Sections, Activity::OtherWork, Activity::Region];

/// What a lane tells of a region, by the number of its execution.
#[derive(Debug)]
enum Told {
    /// A thread begins it; the return address of the call.
    Begin(u64),
    Part(Box<TeamPart>),
    /// It has ended, so long after its begin.
    End(u64),
}

#[derive(Debug, Default)]
pub(super) struct TeamPart {
    pub(super) team_size: u32,
    pub(super) ticks: u64,
    pub(super) spent: [Spent; ACTIVITIES],
    /// In regions within this one, which have accounts of their own.
    pub(super) nested: u64,
    /// What sums may be told of, as it was in the region.
    pub(super) owned: Vec<Owned>,
}

/// What a thread may have sums of.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Owned {
    Loop(u32),
    /// Waits, by the return address of the call.
    Wait(u64),
}

impl TeamPart {
    fn work(&self) -> u64 {
        let own = |activity: Activity| {
            let spent = self.spent[activity as usize];
            spent.ticks.saturating_sub(spent.recorder).saturating_sub(spent.off_core)
        };
        WORK.into_iter().map(own).sum()
    }
}

impl Merge for TeamPart {
    fn take_in(&mut self, more: &TeamPart) {
        merge_fields!(self, more: ticks, nested, spent);
        for owned in &more.owned {
            if !self.owned.contains(owned) {
                self.owned.push(*owned);
            }
        }
    }
}
