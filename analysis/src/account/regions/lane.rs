//! A lane's way through its regions, event by event.

use ompchunk_trace_format::{At, Event, OffCore};

use crate::account::constructs::Constructs;
use crate::account::{ACTIVITIES, Activity, Spent};

/// The regions that a lane's thread is in.
#[derive(Debug, Default)]
pub(crate) struct Course {
    since: u64,
    is_paused: bool,
    /// The thread's parts of regions, innermost last.
    open: Vec<Open>,
    /// Regions that it has begun, likewise, and when.
    begun: Vec<(u64, u64)>,
    told: Vec<Told>,
    /// Loops outside of regions.
    outside: Vec<Owned>,
}

/// A part of a region.
#[derive(Debug, Default)]
struct Open {
    region: u64,
    part: TeamPart,
    constructs: Constructs,
    /// Regions that the thread has begun in it.
    inner: u32,
}

impl Course {
    pub(crate) fn follow(&mut self, at: At, event: &Event<'_>) {
        self.pass(at.ticks);
        match event {
            Event::ThreadBegin { .. } => self.is_paused = false,
            Event::ThreadEnd { .. } => self.close(),
            Event::ParallelBegin { parallel, code, .. } => self.begin_region(*parallel, *code),
            Event::ParallelEnd { .. } => self.end_region(),
            Event::ImplicitTaskBegin { parallel, team_size, .. } if *parallel != 0 => {
                self.begin_part(*parallel, *team_size)
            }
            Event::ImplicitTaskEnd { parallel } if *parallel != 0 => self.end_part(*parallel),
            Event::Pause(_) => self.is_paused = true,
            Event::Resume => self.is_paused = false,
            _ => self.change(event),
        }
    }

    /// The lane has no more events; what is open went on until then.
    pub(crate) fn finish(&mut self, last: u64) {
        self.pass(last);
        self.close();
    }

    /// What was told since the last time.
    pub(super) fn told(&mut self) -> std::vec::Drain<'_, Told> {
        self.told.drain(..)
    }

    /// Loops that began outside of regions since the last time.
    pub(super) fn outside(&mut self) -> std::vec::Drain<'_, Owned> {
        self.outside.drain(..)
    }

    /// The time since the last event was in the activity that the thread is in. In regions within its region it is theirs.
    fn pass(&mut self, now: u64) {
        let ticks = now.saturating_sub(self.since);
        self.since = self.since.max(now);
        if let Some((part, activity)) = self.current() {
            part.spent[activity as usize].ticks += ticks;
        }
    }

    /// The part of a region whose time it is now, and the activity there.
    fn current(&mut self) -> Option<(&mut TeamPart, Activity)> {
        let is_paused = self.is_paused;
        let open = self.open.last_mut().filter(|open| open.inner == 0)?;
        let activity = match is_paused {
            true => Activity::Paused,
            false => open.constructs.activity().unwrap_or(Activity::Region),
        };
        Some((&mut open.part, activity))
    }

    fn begin_region(&mut self, region: u64, code: u64) {
        self.begun.push((region, self.since));
        if let Some(open) = self.open.last_mut() {
            open.inner += 1;
        }
        self.told.push(Told::Begin { region, code });
    }

    fn end_region(&mut self) {
        let Some((region, begun)) = self.begun.pop() else {
            return;
        };
        let ticks = self.since - begun;
        if let Some(open) = self.open.last_mut().filter(|open| open.inner > 0) {
            open.inner -= 1;
            open.part.nested += ticks;
        }
        self.told.push(Told::End { region, ticks });
    }

    fn begin_part(&mut self, region: u64, team_size: u32) {
        let part = TeamPart {
            team_size,
            // Its begin, until its end is known.
            ticks: self.since,
            ..TeamPart::default()
        };
        self.open.push(Open { region, part, constructs: Constructs::region(), inner: 0 });
    }

    fn end_part(&mut self, region: u64) {
        if let Some(open) = self.open.pop_if(|open| open.region == region) {
            self.tell(open);
        }
    }

    fn tell(&mut self, open: Open) {
        let mut part = open.part;
        part.ticks = self.since - part.ticks;
        let region = open.region;
        self.told.push(Told::Part { region, part: Box::new(part) });
    }

    /// All that is open ends now, the innermost first.
    fn close(&mut self) {
        loop {
            match self.open.last() {
                Some(open) if open.inner == 0 || self.begun.is_empty() => {
                    let region = open.region;
                    self.end_part(region);
                }
                _ if !self.begun.is_empty() => self.end_region(),
                _ => break,
            }
        }
    }

    fn change(&mut self, event: &Event<'_>) {
        match event {
            Event::OffCore(off) if off.ticks != OffCore::UNKNOWN => {
                if let Some((part, activity)) = self.current() {
                    part.spent[activity as usize].find(off);
                }
            }
            Event::Recorder(own) => {
                if let Some((part, activity)) = self.current() {
                    part.spent[activity as usize].record(own);
                }
            }
            _ => self.go_on(event),
        }
    }

    /// Constructs begin and end.
    fn go_on(&mut self, event: &Event<'_>) {
        let the_loop = match event {
            Event::LoopBegin(begin) => Some(Owned::Loop(begin.the_loop)),
            _ => None,
        };
        let Some(open) = self.open.last_mut() else {
            let fresh = the_loop.filter(|owned| !self.outside.contains(owned));
            self.outside.extend(fresh);
            return;
        };
        let wait = open.constructs.change(event);
        let wait = wait.map(|(code, _)| Owned::Wait(code));
        let owned = the_loop.or(wait);
        let fresh = owned.filter(|owned| !open.part.owned.contains(owned));
        open.part.owned.extend(fresh);
    }
}

/// What threads work at in a region.
const WORK: [Activity; 6] =
    [Activity::Loop, Activity::Reduction, Activity::Single, Activity::Sections, Activity::OtherWork, Activity::Region];

/// What a lane tells of a region, by the number of its execution.
#[derive(Debug)]
pub(super) enum Told {
    /// A thread begins it; the return address of the call.
    Begin { region: u64, code: u64 },
    /// A thread's part of it.
    Part { region: u64, part: Box<TeamPart> },
    /// It has ended, so long after its begin.
    End { region: u64, ticks: u64 },
}

/// A thread's part of a region, or several together.
#[derive(Debug, Default)]
pub(super) struct TeamPart {
    pub(super) team_size: u32,
    /// From its begin to its end.
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
    pub(super) fn work(&self) -> u64 {
        let own = |activity: Activity| {
            let spent = self.spent[activity as usize];
            spent.ticks.saturating_sub(spent.recorder).saturating_sub(spent.off_core)
        };
        WORK.into_iter().map(own).sum()
    }

    pub(super) fn add(&mut self, more: &TeamPart) {
        self.ticks = self.ticks.saturating_add(more.ticks);
        self.nested = self.nested.saturating_add(more.nested);
        for (spent, own) in self.spent.iter_mut().zip(more.spent) {
            spent.add(own);
        }
        for owned in &more.owned {
            if !self.owned.contains(owned) {
                self.owned.push(*owned);
            }
        }
    }
}
