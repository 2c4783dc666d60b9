//! Explicit tasks that a thread runs, one inside the other where one waits: what each takes itself. Tasks of half a microsecond are
//! usual, by the million, so they are added up: one reading of the clock for each fragment, no record for each. Likewise locks.

use std::ffi::{c_uint, c_void};
use std::mem::take;

use ompchunk_trace_format::sum::{MUTEX_IN_TASK, TASK_IN_WAIT, TASK_WAITS};
use ompchunk_trace_format::{NOBODY, SumOf};

use crate::cells::Key;
use crate::clock;
use crate::clock::core_time::Also;
use crate::lane::Lane;
use crate::lane::short_way::is_at_work;
use crate::recorder::{self, guard, guard_lane, is_its_own};
use crate::scope::{Fragment, Scope, What};
use crate::tasks::events::ends;
use crate::tasks::record::{Word, word_of};
use ompt::raw::{
    Data, MutexKind, STATUS_CANCEL, STATUS_COMPLETE, STATUS_DETACH, STATUS_SWITCH, STATUS_WAIT_COMPLETE, STATUS_YIELD,
    SYNC_BARRIER_IMPLICIT, SYNC_BARRIER_IMPLICIT_PARALLEL, SYNC_BARRIER_TEAMS, TaskStatus, WaitId,
};

impl Lane {
    pub(crate) fn wait_begins(&mut self, now: u64, kind: c_uint, code: u64) {
        self.grains.begin(now, What::Wait(kind, code));
    }

    pub(crate) fn wait_ends(&mut self, now: u64, kind: c_uint) {
        let found = self.grains.place_of(|what| matches!(what, What::Wait(of, _) if of == kind));
        if let Some(depth) = found {
            self.end_fragments(now, depth, false);
        }
    }

    /// Ends all fragments from `depth` on. `done`: the task there is over, not only its part in this thread.
    fn end_fragments(&mut self, now: u64, depth: usize, done: bool) {
        self.grains.pass(now);
        let outermost = self.grains.outermost_wait();
        while self.grains.fragments.len() > depth {
            let Some(Fragment { what, ticks }) = self.grains.fragments.pop() else { return };
            let (of, ended) = match (what, outermost) {
                (What::Task(_), _) => {
                    let ended = done && self.grains.fragments.len() == depth;
                    (in_wait(outermost), ended.into())
                }
                (What::Wait(..), Some(_)) if self.grains.is_any() => (TASK_WAITS, 1),
                // What is in no task the trace has as a wait.
                (What::Wait(..), _) => continue,
            };
            self.add_fragment(of, outermost, (now.saturating_sub(ticks), now), ended);
        }
    }

    fn add_fragment(&mut self, of: u32, outermost: Option<u64>, lasted: (u64, u64), ended: u64) {
        if self.silence.is_on {
            return;
        }
        let key =
            Key { what: SumOf::Task, of: of | self.work_around(), code: outermost.unwrap_or(0), the_loop: NOBODY };
        self.add(key, lasted, ended);
    }

    fn switches(&mut self, now: u64, prior: Option<usize>, status: TaskStatus, next: Option<usize>) {
        let ends = ends(status);
        let place_of = |task| self.grains.place_of(|what| what == What::Task(task));
        match (prior.and_then(place_of), next, next.and_then(place_of)) {
            (Some(depth), ..) if ends => self.end_fragments(now, depth, true),
            // The last part of an untied task was quicker, in another thread, than this one leaves the task.
            (None, ..) if prior.is_some() && status == STATUS_COMPLETE => {
                let outermost = self.grains.outermost_wait();
                self.add_fragment(in_wait(outermost), outermost, (now, now), 1);
            }
            // An untied task leaves the thread, and the one that waits for it goes on to wait.
            (Some(depth), _, Some(outer)) if outer < depth => {
                self.end_fragments(now, depth, false);
            }
            (_, Some(task), None) if !ends => self.grains.begin(now, What::Task(task)),
            (Some(depth), None, _) => self.end_fragments(now, depth, false),
            _ => {}
        }
    }

    pub(crate) fn work_around(&self) -> u32 {
        let work = self.scopes.iter().rev().find_map(|scope| match scope {
            Scope::Work(work) => Some(*work),
            _ => None,
        });
        work.filter(|work| *work <= MOST_WORK).unwrap_or(0) << WORK
    }

    /// Nothing of it goes on: the thread ends, or begins a region outside of all.
    pub(crate) fn end_grains(&mut self, now: u64) {
        if self.grains.is_any() {
            self.end_fragments(now, 0, false);
        }
    }
}

pub(crate) fn may_never_return(wait: c_uint) -> bool {
    matches!(wait, SYNC_BARRIER_IMPLICIT | SYNC_BARRIER_IMPLICIT_PARALLEL | SYNC_BARRIER_TEAMS)
}

fn in_wait(outermost: Option<u64>) -> u32 {
    outermost.map_or(0, |_| TASK_IN_WAIT)
}

/// Where sums have the construct, in bits, and the largest.
const WORK: u32 = 16;
const MOST_WORK: u32 = 0xff;

/// `ompt_callback_task_schedule`. `EACH`: tasks are told one by one.
pub(crate) unsafe extern "C" fn task_schedule<const EACH: bool, A: Also>(
    prior: *mut Data,
    status: TaskStatus,
    next: *mut Data,
) {
    if status == STATUS_WAIT_COMPLETE {
        return guard_lane(|lane| lane.wait_for_some_ends(lane.now(), prior as usize));
    }
    // Others tell of tasks that do not run here.
    if !matches!(status, STATUS_COMPLETE | STATUS_CANCEL | STATUS_DETACH | STATUS_SWITCH | STATUS_YIELD) {
        return;
    }
    // SAFETY: null, or the runtime's words for the tool.
    let (from, to) = unsafe { (word_of(prior), word_of(next)) };
    if matches!(to, Word::Task(..)) {
        // SAFETY: null or the calling thread's lane, of which no reference is alive.
        unsafe { A::look(recorder::current) };
    }
    guard_lane(|lane| {
        let now = lane.now();
        if EACH {
            lane.tell_switch(now, from, to, status);
        }
        lane.switches(now, from.task(), status, to.task());
        if ends(status) {
            // SAFETY: the runtime's word, of a task that ends now.
            unsafe { lane.ends_task(now, prior, from, status) };
        } else if let (Word::Task(task, _), Word::Other) = (from, to) {
            lane.tasks.leaves(now, task);
        }
        if let Word::Task(task, record) = to {
            lane.begins_task(now, task, record);
        }
        let innermost = lane.grains.fragments.last().map(|fragment| fragment.what);
        if matches!(innermost, Some(What::Wait(kind, _)) if may_never_return(kind)) {
            lane.park();
        }
    });
}

// Locks, critical and ordered sections, and atomics that need one: how long a thread takes until it has it. Added up by the place in
// the program and the loop around it, since a lock may be taken in 20 ns, by the million. Two readings of the clock each.

/// `ompt_callback_mutex_acquire`. `COUNTER`: what [`clock::is_counter`] says.
pub(crate) unsafe extern "C" fn mutex_acquire<const COUNTER: bool>(
    _: MutexKind,
    _: c_uint,
    _: c_uint,
    _: WaitId,
    _: *const c_void,
) {
    if let Some(lane) = lane_at_work() {
        lane.asked = clock::ticks_by::<COUNTER>();
    }
}

/// `ompt_callback_mutex_acquired`, likewise. Locks that are only tested have no such event where somebody else has them.
pub(crate) unsafe extern "C" fn mutex_acquired<const COUNTER: bool>(kind: MutexKind, _: WaitId, code: *const c_void) {
    if let Some(lane) = lane_at_work() {
        let now = clock::ticks_by::<COUNTER>();
        guard(|| lane.has_mutex(now, kind, code as usize));
    }
}

/// The calling thread's lane, unless others have it or it is in no part.
#[inline(always)]
fn lane_at_work() -> Option<&'static mut Lane> {
    let lane = recorder::current();
    if lane.is_null() || is_its_own() {
        return None;
    }
    // SAFETY: the lane is never freed, and callbacks do not interrupt each other; its state says if it is taken.
    let lane = unsafe { &mut *lane };
    (is_at_work(lane) && lane.block.attached).then_some(lane)
}

impl Lane {
    fn has_mutex(&mut self, now: u64, kind: MutexKind, code: usize) {
        let asked = take(&mut self.asked);
        if asked == 0 || self.silence.is_on {
            return;
        }
        let (inside, the_loop) = match self.scopes.last() {
            _ if self.grains.is_any() => (MUTEX_IN_TASK, NOBODY),
            Some(Scope::Loop(running)) if running.unwanted.is_none() => (0, running.the_loop),
            _ => (0, NOBODY),
        };
        let of = kind & 0xff | inside | self.work_around();
        // Addresses of a library that is unloaded may be another's later: that is as rare as what is looked for then is dear.
        let key = Key { what: SumOf::Mutex, of, code: code as u64, the_loop };
        if !self.sums.of_scopes.has(key) {
            self.know_code(now, code);
        }
        self.add(key, (asked, now), 1);
    }
}
