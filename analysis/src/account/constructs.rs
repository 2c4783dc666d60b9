//! What a thread is in, by the constructs that it has open: of all its time, or of its time in one region.

use ompchunk_trace_format::raw::{
    SYNC_TASKGROUP, SYNC_TASKWAIT, THREAD_WORKER, WORK_SECTIONS, WORK_SINGLE_EXECUTOR, WORK_SINGLE_OTHER,
};
use ompchunk_trace_format::{At, Event};

use super::Activity;
use super::sums::Sums;
use crate::merge::Merge;
use crate::task::is_reduction;

#[derive(Debug, Default)]
pub(super) struct Constructs {
    regions: u32,
    loops: u32,
    /// Whether each open loop is `sections`, and so stands among the works.
    are_sections: Vec<bool>,
    works: Vec<u32>,
    reductions: u32,
    waits: u32,
    waits_in: Option<Activity>,
    /// What the thread did last in its region, and so what a barrier comes after.
    before: Before,
}

#[derive(Debug, Default, Clone, Copy)]
enum Before {
    #[default]
    Region,
    Loop(u32),
    Work(u32),
}

impl Constructs {
    pub(super) fn region() -> Constructs {
        Constructs { regions: 1, ..Constructs::default() }
    }

    /// The first of the activities that the thread is in; `None`: in no region.
    pub(super) fn activity(&self) -> Option<Activity> {
        let work = match self.works.last() {
            Some(&WORK_SINGLE_EXECUTOR) => Some(Activity::Single),
            Some(&WORK_SECTIONS) => Some(Activity::Sections),
            Some(_) => Some(Activity::OtherWork),
            None => None,
        };
        self.waits_in
            .or((self.loops > 0).then_some(Activity::Loop))
            .or((self.reductions > 0).then_some(Activity::Reduction))
            .or(work)
            .or((self.regions > 0).then_some(Activity::Region))
    }

    /// The next event. Gives the wait that begins with it, if it is in no other: the return address of the call, and its activity.
    pub(super) fn change(&mut self, event: &Event<'_>) -> Option<(u64, Activity)> {
        match event {
            // Its thread starts the team, and ends it.
            Event::ParallelBegin { .. } => self.regions += 1,
            Event::ParallelEnd { .. } => self.regions = self.regions.saturating_sub(1),
            Event::ImplicitTaskBegin { parallel, .. } => {
                self.regions += u32::from(*parallel != 0);
                self.before = Before::Region;
            }
            Event::ImplicitTaskEnd { parallel } => {
                self.regions = self.regions.saturating_sub(u32::from(*parallel != 0));
            }
            Event::LoopBegin(begin) => self.loop_begins(begin.work),
            Event::LoopEnd { the_loop } => self.loop_ends(*the_loop),
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
                    let activity = self.wait_of(sync.kind);
                    self.waits_in = Some(activity);
                    return Some((sync.code, activity));
                }
            }
            Event::WaitEnd(_) => {
                self.waits = self.waits.saturating_sub(1);
                if self.waits == 0 {
                    self.waits_in = None;
                    self.before = Before::Region;
                }
            }
            _ => {}
        }
        None
    }

    /// Sections of which each is a chunk are recorded as a loop over them.
    fn loop_begins(&mut self, work: u32) {
        let are_sections = work == WORK_SECTIONS;
        self.are_sections.push(are_sections);
        if are_sections { self.works.push(work) } else { self.loops += 1 }
    }

    fn loop_ends(&mut self, the_loop: u32) {
        match self.are_sections.pop() {
            Some(true) => {
                self.works.pop();
                self.before = Before::Work(WORK_SECTIONS);
            }
            _ => {
                self.loops = self.loops.saturating_sub(1);
                self.before = Before::Loop(the_loop);
            }
        }
    }

    fn wait_of(&self, kind: u32) -> Activity {
        match (kind, self.before) {
            (SYNC_TASKWAIT | SYNC_TASKGROUP, _) => Activity::WaitForTasks,
            (_, Before::Loop(_)) => Activity::WaitAfterLoop,
            (_, Before::Work(WORK_SINGLE_EXECUTOR | WORK_SINGLE_OTHER)) => Activity::WaitAfterSingle,
            (_, Before::Work(WORK_SECTIONS)) => Activity::WaitAfterSections,
            (_, Before::Work(_) | Before::Region) => Activity::WaitAfterRegion,
        }
    }
}

#[derive(Debug, Default)]
pub(crate) struct Course {
    pub(crate) sums: Sums,
    since: u64,
    is_alive: bool,
    is_worker: bool,
    is_paused: bool,
    constructs: Constructs,
    waited: Option<(u64, Activity)>,
}

impl Course {
    pub(crate) fn follow(&mut self, at: At, event: &Event<'_>) {
        match event {
            Event::ThreadBegin { kind, .. } => self.begin_thread(at.ticks, *kind == THREAD_WORKER),
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
        *self = Course { sums, since: now, is_alive: true, is_worker, ..Course::default() };
        self.sums.begin_thread(now);
    }

    /// The time since the last event was in the activity that the thread is in.
    fn pass(&mut self, now: u64) {
        let activity = self.activity();
        let ticks = now.saturating_sub(self.since);
        self.sums.in_regions.take_in(if self.constructs.regions > 0 && !self.is_paused { &ticks } else { &0 });
        self.sums.of_mut(activity).ticks.take_in(&ticks);
        self.since = self.since.max(now);
    }

    fn activity(&self) -> Activity {
        let outside = if self.is_worker { Activity::Idle } else { Activity::Serial };
        if self.is_paused { Activity::Paused } else { self.constructs.activity().unwrap_or(outside) }
    }

    fn change(&mut self, event: &Event<'_>) {
        match event {
            Event::ThreadEnd { .. } => {
                self.sums.end_thread(self.since);
                self.is_alive = false;
            }
            Event::Pause(_) => self.is_paused = true,
            Event::Resume => self.is_paused = false,
            Event::OffCore(_) | Event::Recorder(_) => {
                let activity = self.activity();
                self.sums.of_mut(activity).add_event(event);
            }
            _ => {
                if let Some((code, activity)) = self.constructs.change(event) {
                    self.begin_wait(activity, code);
                }
                self.sums.add_event(event);
            }
        }
    }

    fn begin_wait(&mut self, activity: Activity, code: u64) {
        self.sums.waits_in_region += u64::from(activity == Activity::WaitAfterRegion);
        if self.waited != Some((code, activity)) {
            self.waited = Some((code, activity));
            self.sums.note_wait(code, activity);
            if let (Activity::WaitAfterLoop, Before::Loop(the_loop)) = (activity, self.constructs.before) {
                self.sums.after.insert(code, the_loop);
            }
        }
    }
}
