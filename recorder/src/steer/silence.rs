//! What a lane does while the process does not record: from its next event on it keeps regions, tasks and missed
//! barriers, and tells nothing. A loop that it is in is told no further, which the record of the pause says. It goes on
//! outside of regions, or where all threads of a team come by: at the begin of a task, behind a barrier. So the
//! threads' executions between two barriers are told from the first on, and none is taken for another.

use ompchunk_guest::memory::Grow;
use ompchunk_trace_format::Event;
use ompchunk_trace_format::target::is_of_target;

use crate::lane::{Lane, Silence};
use crate::recorder;
use crate::registration::setup;
use crate::scope::Scope;
use crate::steer;
use ompt::raw::THREAD_INITIAL;

/// It is silent, shall be, and has no loop that has yet to end. Safety: null, or the thread's lane, unreferenced.
pub(crate) unsafe fn is_deaf(lane: *const Lane) -> bool {
    if lane.is_null() {
        return false;
    }
    // SAFETY: the caller's promise.
    let lane = unsafe { &*lane };
    lane.silence.is_on && lane.silence.below == 0 && lane.silence.steered == steer::state()
}

impl Scope {
    pub(crate) fn is_structure(&self) -> bool {
        matches!(self, Scope::Thread(_) | Scope::Parallel(_) | Scope::ImplicitTask(..))
    }
}

impl Lane {
    /// Falls silent, or goes on, if that was asked for since the lane's last event. To be called at each.
    pub(crate) fn steer(&mut self, now: u64) {
        let state = steer::state();
        if state != self.silence.steered && !self.silence.is_on {
            // It was on, so there was a pause, though it may be over.
            self.fall_silent(now, state);
        }
        if !self.silence.is_on {
            return;
        }
        let in_region = |scope: &Scope| matches!(scope, Scope::ImplicitTask(Some(_), _));
        if steer::is_paused(state) {
            self.silence.steered = state;
        } else if !self.scopes.iter().any(in_region) {
            self.go_on(now);
        }
    }

    pub(crate) fn passed_barrier(&mut self, now: u64) {
        if self.silence.is_on && !steer::is_paused(steer::state()) {
            self.go_on(now);
        }
    }

    pub(crate) fn steer_anew(&mut self) {
        let steered = steer::state();
        self.silence = Silence { steered, is_on: steer::is_paused(steered), ..Silence::default() };
    }

    pub(crate) fn tell_anew(&mut self) {
        self.silence.told = 0;
        self.silence.since.clear();
        if !self.scopes.is_empty() && !self.silence.is_on {
            let now = self.now();
            self.catch_up(now);
            self.told_all(now);
        }
    }

    fn fall_silent(&mut self, now: u64, state: u64) {
        let now = self.in_time(now);
        self.pause_sums(now);
        self.put(now, &Event::Pause(steer::why(state)));
        let inside = self.scopes.iter().rposition(Scope::is_structure);
        self.unwind(now, inside.map_or(0, |inside| inside + 1));
        self.end_counted_chunks(now);
        self.silence.told = self.scopes.len();
        self.silence.below = self.scopes.iter().filter(|scope| !scope.is_structure()).count();
        self.silence.since.clear();
        self.loops.recent.clear();
        self.sums.faults.begun = None;
        self.silence.is_on = true;
        self.silence.steered = state;
        self.aim();
    }

    fn go_on(&mut self, now: u64) {
        let now = self.in_time(now);
        self.silence.is_on = false;
        self.silence.steered = steer::state();
        if setup::records_all() {
            self.catch_up(now)
        } else {
            self.resume_sums(now)
        }
        let mut missed: Vec<(u64, u64)> = Vec::new();
        for scope in &mut self.scopes {
            if let Scope::ImplicitTask(Some(region), task) = scope {
                let count = std::mem::take(&mut task.missed);
                missed.extend((count > 0).then_some((region.number(), count)));
            }
        }
        for (parallel, count) in missed {
            self.put(now, &Event::Barriers { parallel, count });
        }
        self.put(now, &Event::Resume);
    }

    pub(crate) fn begin_silently(&mut self, now: u64, scope: Scope) {
        if !scope.is_structure() {
            return;
        }
        let unrecorded = self.scopes.len() - self.silence.told.min(self.scopes.len());
        if self.scopes.grow(1) && self.silence.since.grow(unrecorded + 1) {
            self.silence.since.resize(unrecorded, now);
            self.silence.since.push(now);
            self.scopes.push(scope);
        }
        self.aim();
    }

    /// Whether a scope, popped from where the stack now ends, was told. Loops and the like are not begun in silence.
    pub(crate) fn was_told(&mut self, scope: &Scope) -> bool {
        let at = self.scopes.len();
        let was_told = at < self.silence.told || !scope.is_structure();
        if self.silence.is_on && !scope.is_structure() {
            self.silence.below = self.silence.below.saturating_sub(1);
        }
        self.silence.told = self.silence.told.min(at);
        self.silence.since.truncate(at - self.silence.told);
        was_told
    }

    pub(crate) fn misses_barrier(&mut self) {
        let task = self.scopes.iter_mut().rev().find_map(|scope| match scope {
            Scope::ImplicitTask(_, task) => Some(task),
            _ => None,
        });
        if let Some(task) = task {
            task.missed += 1;
        }
    }

    /// Tells what has begun and was not told: after a pause, and in a forked process's own part.
    pub(crate) fn catch_up(&mut self, now: u64) {
        let mut scopes = std::mem::take(&mut self.scopes);
        let since = std::mem::take(&mut self.silence.since);
        for (at, scope) in scopes.iter_mut().enumerate().skip(self.silence.told) {
            // What began in silence did so after all that the lane has told.
            let then = since.get(at - self.silence.told).copied().unwrap_or(now);
            self.replay(then, scope);
        }
        self.scopes = scopes;
        self.silence.told = self.scopes.len();
        self.aim();
    }

    /// In another part a loop has another number.
    pub(crate) fn replay(&mut self, now: u64, scope: &mut Scope) {
        match scope {
            Scope::Loop(running) => return running.the_loop = self.replay_loop(now, running),
            Scope::Thread(thread) => self.put(now, &recorder::thread_begin(*thread, THREAD_INITIAL)),
            Scope::Parallel(region) => self.know_code(now, region.code() as usize),
            Scope::Acc(event, place) if is_of_target(*event) => self.know_code(now, *place as usize),
            _ => {}
        }
        if let Some(event) = scope.begin_event() {
            self.put(now, &event);
        }
    }
}
