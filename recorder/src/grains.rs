//! Explicit tasks that a thread runs, one inside the other where one waits: what each takes itself. Tasks of half a microsecond are
//! usual, by the million, so they are added up: one reading of the clock for each fragment, no record for each.

use ompchunk_trace_format::sum::{TASK_IN_WAIT, TASK_WAITS};
use ompchunk_trace_format::{NOBODY, SumOf};
use std::ffi::c_uint;

use crate::cpus;
use crate::fragments::{Fragment, What};
use crate::guard::guard;
use crate::lane::Lane;
use crate::lane_owner;
use crate::recorder::{self, with_lane};
use crate::scope::Scope;
use crate::sums::Key;
use crate::tasks::events::ends;
use crate::tasks::record::{Word, word_of};
use crate::tasks::tell::Switch;
use ompt::raw::{
    Data, STATUS_CANCEL, STATUS_COMPLETE, STATUS_DETACH, STATUS_SWITCH, STATUS_WAIT_COMPLETE, STATUS_YIELD,
    SYNC_BARRIER_IMPLICIT, SYNC_BARRIER_IMPLICIT_PARALLEL, SYNC_BARRIER_TEAMS, TaskStatus,
};

impl Lane {
    /// The thread waits for others, and may run tasks meanwhile.
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
            let Some(Fragment { what, ticks }) = self.grains.fragments.pop() else {
                return;
            };
            let (of, ended) = match (what, outermost) {
                (What::Task(_), _) => {
                    let ended = done && self.grains.fragments.len() == depth;
                    (in_wait(outermost), ended.into())
                }
                // What is in no task the trace has as a wait.
                (What::Wait(..), Some(_)) if !self.grains.is_any() => continue,
                (What::Wait(..), Some(_)) => (TASK_WAITS, 1),
                (What::Wait(..), None) => continue,
            };
            self.add_fragment(of, outermost, (now.saturating_sub(ticks), now), ended);
        }
    }

    fn add_fragment(&mut self, of: u32, outermost: Option<u64>, lasted: (u64, u64), ended: u64) {
        if self.silent {
            return;
        }
        let key =
            Key { what: SumOf::Task, of: of | self.work_around(), code: outermost.unwrap_or(0), the_loop: NOBODY };
        self.add(key, lasted, ended);
    }

    /// A thread stops one task and goes on with another; which of them are explicit.
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

    /// Which worksharing other than loops the thread is in, as sums have it.
    pub(crate) fn work_around(&self) -> u32 {
        let work = self.scopes.iter().rev().find_map(|scope| match scope {
            Scope::Work(work) => Some(*work),
            _ => None,
        });
        work.filter(|work| *work <= MOST_WORK).unwrap_or(0) << WORK
    }

    /// In the wait at the end of a region, out of which the thread may never come.
    fn may_never_return(&self) -> bool {
        let innermost = self.grains.fragments.last().map(|fragment| fragment.what);
        matches!(
            innermost,
            Some(What::Wait(SYNC_BARRIER_IMPLICIT | SYNC_BARRIER_IMPLICIT_PARALLEL | SYNC_BARRIER_TEAMS, _))
        )
    }

    /// Nothing of it goes on: the thread ends, or begins a region outside of all.
    pub(crate) fn end_grains(&mut self, now: u64) {
        if self.grains.is_any() {
            self.end_fragments(now, 0, false);
        }
    }
}

/// How sums call a task that runs in such a wait, or in none.
fn in_wait(outermost: Option<u64>) -> u32 {
    outermost.map_or(0, |_| TASK_IN_WAIT)
}

/// Where sums have the construct, in bits, and the largest.
const WORK: u32 = 16;
const MOST_WORK: u32 = 0xff;

/// A `taskwait` with dependences is over.
fn wait_completes(wait: *mut Data) {
    guard(|| {
        with_lane(|lane| {
            let now = lane.now();
            lane.wait_for_some_ends(now, wait as usize);
        });
    });
}

/// The thread that tells it goes from one task to another. Others tell of tasks that do not run here.
pub(crate) fn is_switch(status: TaskStatus) -> bool {
    matches!(status, STATUS_COMPLETE | STATUS_CANCEL | STATUS_DETACH | STATUS_SWITCH | STATUS_YIELD)
}

/// `ompt_callback_task_schedule`. `EACH`: tasks are told one by one; `CPUS`: and on which processor they begin.
pub(crate) unsafe extern "C" fn task_schedule<const EACH: bool, const CPUS: bool>(
    prior: *mut Data,
    status: TaskStatus,
    next: *mut Data,
) {
    if !is_switch(status) {
        if status == STATUS_WAIT_COMPLETE {
            wait_completes(prior);
        }
        return;
    }
    // SAFETY: null, or the runtime's words for the tool.
    let (from, to) = unsafe { (word_of(prior), word_of(next)) };
    if CPUS && matches!(to, Word::Task(..)) {
        // SAFETY: null or the calling thread's lane, of which no reference is alive.
        unsafe { cpus::look(recorder::current()) };
    }
    guard(|| {
        with_lane(|lane| {
            let now = lane.now();
            if EACH {
                lane.tell_switch(now, Switch::between(from, to), status);
            }
            lane.switches(now, from.task(), status, to.task());
            if ends(status) {
                // SAFETY: the runtime's word, of a task that ends now.
                unsafe { lane.ends_task(now, prior, from, status) };
            } else if let (Word::Task(task, _), Word::Other) = (from, to) {
                lane.leaves_task(now, task);
            }
            if let Word::Task(task, record) = to {
                lane.begins_task(now, task, record);
            }
            if lane.may_never_return() {
                lane_owner::park(&lane.state);
            }
        });
    });
}
