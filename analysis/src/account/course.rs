//! A lane's way through its places, event by event. Chunks change nothing of it, so the hot path does not come by.

use ompchunk_trace_format::{At, Event, OffCore};

use super::sums::Sums;
use super::{Place, work};
use crate::task::is_reduction;

/// `ompt_thread_worker`
const WORKER: u32 = 2;
/// Some of `ompt_sync_region_t`.
const TASKWAIT: u32 = 5;
const TASKGROUP: u32 = 6;

/// What a lane's thread is in.
#[derive(Debug, Default)]
pub(crate) struct Course {
    pub(crate) sums: Sums,
    since: u64,
    is_alive: bool,
    is_worker: bool,
    is_paused: bool,
    /// Open at the moment: parts of regions, loops, other worksharing, reductions, waits.
    regions: u32,
    loops: u32,
    works: Vec<u32>,
    reductions: u32,
    waits: u32,
    /// Of the outermost wait.
    waits_in: Option<Place>,
    /// The wait before it.
    waited: Option<(u64, Place)>,
    /// What the thread did last in its region, and so what a barrier comes after.
    before: Before,
}

#[derive(Debug, Default, Clone, Copy)]
enum Before {
    #[default]
    Region,
    Loop,
    Work(u32),
}

impl Course {
    /// The lane's next event.
    pub(crate) fn follow(&mut self, at: At, event: &Event<'_>) {
        match event {
            Event::ThreadBegin { kind, .. } => self.begin_thread(at.ticks, *kind == WORKER),
            _ if !self.is_alive => self.sums.add_event(event),
            _ => {
                self.pass(at.ticks);
                self.change(event);
            }
        }
    }

    /// The lane has no more events; its thread, if it has no end, went on until then.
    pub(crate) fn finish(&mut self, last: u64) {
        if self.is_alive {
            self.pass(last);
            self.sums.end_thread(last);
            self.is_alive = false;
        }
    }

    fn begin_thread(&mut self, now: u64, is_worker: bool) {
        let sums = std::mem::take(&mut self.sums);
        *self = Course {
            sums,
            since: now,
            is_alive: true,
            is_worker,
            ..Course::default()
        };
        self.sums.begin_thread(now);
    }

    /// The time since the last event was in the place that the thread is in.
    fn pass(&mut self, now: u64) {
        let place = self.place();
        self.sums.add(place, now.saturating_sub(self.since));
        self.since = self.since.max(now);
    }

    fn place(&self) -> Place {
        match self.waits_in {
            _ if self.is_paused => Place::Paused,
            Some(place) => place,
            None if self.loops > 0 => Place::Loop,
            None if self.reductions > 0 => Place::Reduction,
            None => match self.works.last() {
                Some(&work::SINGLE_EXECUTOR) => Place::Single,
                Some(&work::SECTIONS) => Place::Sections,
                Some(_) => Place::OtherWork,
                None if self.regions > 0 => Place::Region,
                None if self.is_worker => Place::Idle,
                None => Place::Serial,
            },
        }
    }

    fn change(&mut self, event: &Event<'_>) {
        match event {
            Event::ThreadEnd { .. } => {
                self.sums.end_thread(self.since);
                self.is_alive = false;
            }
            Event::ImplicitTaskBegin { parallel, .. } => {
                self.regions += u32::from(*parallel != 0);
                self.before = Before::Region;
            }
            Event::ImplicitTaskEnd { parallel } => {
                self.regions = self.regions.saturating_sub(u32::from(*parallel != 0));
            }
            Event::LoopBegin(_) => self.loops += 1,
            Event::LoopEnd { .. } => {
                self.loops = self.loops.saturating_sub(1);
                self.before = Before::Loop;
            }
            Event::WorkBegin { work, .. } => self.works.push(*work),
            Event::WorkEnd { work } => {
                self.works.pop();
                self.before = Before::Work(*work);
            }
            Event::SyncBegin(sync) if is_reduction(sync) => self.reductions += 1,
            Event::SyncEnd(sync) if is_reduction(sync) => {
                self.reductions = self.reductions.saturating_sub(1);
            }
            Event::WaitBegin(sync) => {
                self.waits += 1;
                if self.waits_in.is_none() {
                    self.begin_wait(self.wait_of(sync.kind), sync.code);
                }
            }
            Event::WaitEnd(_) => {
                self.waits = self.waits.saturating_sub(1);
                if self.waits == 0 {
                    self.waits_in = None;
                    self.before = Before::Region;
                }
            }
            Event::Pause(_) => self.is_paused = true,
            Event::Resume => self.is_paused = false,
            Event::OffCore(off) if off.ticks != OffCore::UNKNOWN => {
                self.sums.add_off_core(self.place(), off.ticks);
            }
            Event::Recorder(own) => {
                let ticks = own.ticks.saturating_sub(own.preempted);
                self.sums
                    .add_recorder(self.place(), ticks.saturating_add(own.before.into()));
            }
            _ => self.sums.add_event(event),
        }
    }

    fn begin_wait(&mut self, place: Place, code: u64) {
        self.waits_in = Some(place);
        if self.waited != Some((code, place)) {
            self.waited = Some((code, place));
            self.sums.note_wait(code, place);
        }
    }

    fn wait_of(&self, kind: u32) -> Place {
        match (kind, self.before) {
            (TASKWAIT | TASKGROUP, _) => Place::WaitForTasks,
            (_, Before::Loop) => Place::WaitAfterLoop,
            (_, Before::Work(work::SINGLE_EXECUTOR | work::SINGLE_OTHER)) => Place::WaitAfterSingle,
            (_, Before::Work(work::SECTIONS)) => Place::WaitAfterSections,
            (_, Before::Work(_) | Before::Region) => Place::WaitAfterRegion,
        }
    }
}
