//! What the runtime and the shim tell of explicit tasks, and what a lane does about it.

use std::ffi::{c_int, c_void};
use std::mem::offset_of;

use ompt::raw::{
    Data, Frame, STATUS_CANCEL, STATUS_COMPLETE, STATUS_DETACH, SYNC_TASKGROUP, SYNC_TASKWAIT, SyncKind, TASK_EXPLICIT,
    TASK_TASKWAIT, TaskStatus,
};

use super::paths::Created;
use super::record::{Record, Word};
use crate::lane::Lane;
use crate::recorder::guard_lane;

const _: () = assert!(Record::MARK_AT == offset_of!(Lane, holder.sampler));
const _: () = assert!(Record::OWNER_AT == offset_of!(Lane, holder.owner));

/// `ompt_callback_task_create`. `EACH`: tasks are told one by one.
pub(crate) unsafe extern "C" fn task_create<const EACH: bool>(
    _: *mut Data,
    _: *const Frame,
    task: *mut Data,
    flags: c_int,
    has_dependences: c_int,
    code: *const c_void,
) {
    let is_task = flags & TASK_EXPLICIT != 0 && !task.is_null();
    if !is_task && flags & TASK_TASKWAIT == 0 {
        return;
    }
    guard_lane(|lane| {
        let now = lane.now();
        if is_task {
            let record = lane.creates_task(now, flags, has_dependences != 0, code as u64);
            // SAFETY: the runtime's word for the tool, as long as the task lasts.
            unsafe { (*task).ptr = record.cast() };
            if EACH {
                lane.tell_created(now, record);
            }
        } else {
            lane.tasks.wait_for_some_begins(now, task as usize);
            if EACH {
                lane.tell_taskwait(now, flags, code as u64);
            }
        }
    });
}

/// `ompt_callback_task_creation`: of the shim's, with what it took by our clock. `EACH`: as above.
pub(crate) unsafe extern "C" fn task_creation<const EACH: bool>(
    _: *mut Data,
    _: *const Frame,
    task: *mut Data,
    flags: c_int,
    _: c_int,
    duration: f64,
    code: *const c_void,
) {
    if flags & TASK_EXPLICIT == 0 {
        return;
    }
    guard_lane(|lane| {
        if !lane.silence.is_on {
            // It has no time of its own: the clock was read for the duration.
            let construct = lane.tasks.construct_of(code as u64);
            lane.count_creation(lane.last, construct, duration as i64 as u64);
        }
        if EACH {
            lane.tell_creation(task, duration as i64 as u64);
        }
    });
}

impl Lane {
    fn creates_task(&mut self, now: u64, flags: i32, has_dependences: bool, code: u64) -> *mut Record {
        let created = Created { now, thread: self.holder.thread, flags, has_dependences, code };
        let record = self.tasks.creates(created);
        if !self.silence.is_on {
            // SAFETY: just made, and nobody else's yet.
            self.count_created(now, unsafe { &*record });
        }
        record
    }

    pub(crate) fn begins_task(&mut self, now: u64, task: usize, record: *mut Record) {
        self.tasks.begins(now, task, record);
        // SAFETY: null, or of a task that has not ended.
        let known = unsafe { record.as_ref() };
        let Some(known) = known.filter(|record| !record.begun.replace(true)) else { return };
        if self.silence.is_on { self.tasks.loses_span() } else { self.count_begun(now, known) }
    }

    /// Its own code is over. Safety: the word is the runtime's, and its task has not ended before.
    pub(crate) unsafe fn ends_task(&mut self, now: u64, task: *mut Data, word: Word, status: TaskStatus) {
        let Word::Task(address, record) = word else { return };
        if record.is_null() {
            return self.tasks.leaves(now, address);
        }
        let team = self.tasks.around().team;
        // SAFETY: the caller's promise.
        unsafe { self.tasks.ends(now, address, record) };
        if let Some(team) = team.filter(|_| self.silence.is_on || status == STATUS_DETACH) {
            // Who waits for it waits for an event that nobody tells.
            team.is_lost();
        }
        // SAFETY: its own users, of which the task is one until the end of this function.
        let known = unsafe { &*record };
        if !self.silence.is_on {
            self.count_ended(now, known);
            if let Some(team) = team {
                self.count_work(now, team, known.work());
            }
        }
        // SAFETY: the task ends, and the runtime's word is its word as long as this callback lasts.
        unsafe {
            (*task).ptr = std::ptr::null_mut();
            self.tasks.pool.leave(record);
        }
    }

    pub(crate) fn team_ends(&mut self, now: u64) {
        let Some(ended) = self.tasks.region_ends(now) else { return };
        if ended.is_outermost && ended.team.has_tasks() && !self.silence.is_on {
            self.count_region(now, &ended);
        }
    }

    pub(crate) fn tasks_wait_begins(&mut self, now: u64, kind: SyncKind) {
        let Some((team, work)) = self.tasks.wait_begins(now, kind) else { return };
        if self.silence.is_on { team.is_lost() } else { self.count_work(now, team, work) }
    }

    pub(crate) fn tasks_wait_ends(&mut self, now: u64, kind: SyncKind) {
        let waited = self.tasks.wait_ends(now, kind);
        if let Some(ticks) = waited.filter(|_| matches!(kind, SYNC_TASKWAIT | SYNC_TASKGROUP)) {
            self.count_waited(now, ticks);
        }
    }

    pub(crate) fn wait_for_some_ends(&mut self, now: u64, word: usize) {
        if let Some(ticks) = self.tasks.wait_for_some_ends(now, word) {
            self.count_waited(now, ticks);
        }
    }
}

pub(crate) fn ends(status: TaskStatus) -> bool {
    matches!(status, STATUS_COMPLETE | STATUS_CANCEL | STATUS_DETACH)
}
