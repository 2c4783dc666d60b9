//! A lane's way through its activities, event by event. Chunks change nothing of it, so the hot path does not come by.

use ompchunk_trace_format::{At, Event, OffCore};

use super::Activity;
use super::constructs::Constructs;
use super::sums::Sums;

/// `ompt_thread_worker`
const WORKER: u32 = 2;

/// What a lane's thread is in.
#[derive(Debug, Default)]
pub(crate) struct Course {
    pub(crate) sums: Sums,
    since: u64,
    is_alive: bool,
    is_worker: bool,
    is_paused: bool,
    constructs: Constructs,
    /// The outermost wait that was noted last.
    waited: Option<(u64, Activity)>,
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
        *self = Course { sums, since: now, is_alive: true, is_worker, ..Course::default() };
        self.sums.begin_thread(now);
    }

    /// The time since the last event was in the activity that the thread is in.
    fn pass(&mut self, now: u64) {
        let activity = self.activity();
        self.sums.add(activity, now.saturating_sub(self.since));
        self.since = self.since.max(now);
    }

    fn activity(&self) -> Activity {
        let outside = match self.is_worker {
            true => Activity::Idle,
            false => Activity::Serial,
        };
        match self.is_paused {
            true => Activity::Paused,
            false => self.constructs.activity().unwrap_or(outside),
        }
    }

    fn change(&mut self, event: &Event<'_>) {
        match event {
            Event::ThreadEnd { .. } => {
                self.sums.end_thread(self.since);
                self.is_alive = false;
            }
            Event::Pause(_) => self.is_paused = true,
            Event::Resume => self.is_paused = false,
            Event::OffCore(off) if off.ticks != OffCore::UNKNOWN => {
                self.sums.add_off_core(self.activity(), off.ticks);
            }
            Event::Recorder(own) => {
                let ticks = own.ticks.saturating_sub(own.preempted);
                self.sums.add_recorder(self.activity(), ticks.saturating_add(own.before.into()));
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
        if self.waited != Some((code, activity)) {
            self.waited = Some((code, activity));
            self.sums.note_wait(code, activity);
        }
    }
}
