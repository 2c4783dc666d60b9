//! What the runtime and the shim tell of explicit tasks, and what a lane does about it.

use std::ffi::{c_int, c_void};
use std::mem::offset_of;

use ompt::raw::{
    Data, Frame, STATUS_CANCEL, STATUS_COMPLETE, STATUS_DETACH, SYNC_TASKGROUP, SYNC_TASKWAIT, SyncKind, TASK_EXPLICIT,
    TASK_TASKWAIT, TaskStatus,
};

use super::paths::{Created, LaneTasks};
use super::record::{Record, Word};
use super::team::Team;
use crate::guard::guard;
use crate::lane::Lane;
use crate::recorder::with_lane;

const _: () = assert!(Record::MARK_AT == offset_of!(Lane, cursor));
const _: () = assert!(Record::OWNER_AT == offset_of!(Lane, owner));

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
    guard(|| {
        with_lane(|lane| {
            let now = lane.now();
            if is_task {
                let record = lane.creates_task(now, flags, has_dependences != 0, code as u64);
                // SAFETY: the runtime's word for the tool, as long as the task lasts.
                unsafe { (*task).ptr = record.cast() };
                if EACH {
                    lane.tell_created(now, record);
                }
            } else {
                lane.tasks.paths.wait_for_some_begins(now, task as usize);
                if EACH {
                    lane.tell_taskwait(now, flags, code as u64);
                }
            }
        });
    });
}

/// `ompt_callback_task_creation`: of the shim's, with what it took by our clock.
pub(crate) unsafe extern "C" fn task_creation(
    _: *mut Data,
    _: *const Frame,
    _: *mut Data,
    flags: c_int,
    _: c_int,
    duration: f64,
    code: *const c_void,
) {
    if flags & TASK_EXPLICIT == 0 {
        return;
    }
    guard(|| {
        with_lane(|lane| {
            if !lane.silent {
                // It has no time of its own: the clock was read for the duration.
                let construct = lane.tasks.paths.construct_of(code as u64);
                lane.count_creation(lane.last, construct, duration as i64 as u64);
            }
        });
    });
}

impl Lane {
    fn creates_task(&mut self, now: u64, flags: i32, has_dependences: bool, code: u64) -> *mut Record {
        let created = Created { now, thread: self.thread, flags, has_dependences, code };
        let LaneTasks { paths, pool, .. } = &mut self.tasks;
        let record = paths.creates(created, pool);
        if !self.silent {
            // SAFETY: just made, and nobody else's yet.
            self.count_created(now, unsafe { &*record });
        }
        record
    }

    /// The thread begins a task or goes on with it.
    pub(crate) fn begins_task(&mut self, now: u64, task: usize, record: *mut Record) {
        let LaneTasks { paths, pool, .. } = &mut self.tasks;
        paths.begins(now, task, record, pool);
        // SAFETY: null, or of a task that has not ended.
        let known = unsafe { record.as_ref() };
        let Some(known) = known.filter(|record| !record.begun.replace(true)) else {
            return;
        };
        match self.silent {
            true => self.tasks.paths.loses_span(),
            false => self.count_begun(now, known),
        }
    }

    /// The thread leaves a task, which has not ended.
    pub(crate) fn leaves_task(&mut self, now: u64, task: usize) {
        let LaneTasks { paths, pool, .. } = &mut self.tasks;
        paths.leaves(now, task, pool);
    }

    /// A task has ended, as far as its own code goes.
    ///
    /// # Safety
    ///
    /// The word is the runtime's, and its task has not ended before.
    pub(crate) unsafe fn ends_task(&mut self, now: u64, task: *mut Data, word: Word, status: TaskStatus) {
        let Word::Task(address, record) = word else {
            return;
        };
        if record.is_null() {
            return self.leaves_task(now, address);
        }
        let LaneTasks { paths, pool, .. } = &mut self.tasks;
        let team = paths.around().team;
        // SAFETY: the caller's promise.
        unsafe { paths.ends(now, address, record, pool) };
        if let Some(team) = team.filter(|_| self.silent || status == STATUS_DETACH) {
            // Who waits for it waits for an event that nobody tells.
            team.is_lost();
        }
        // SAFETY: its own users, of which the task is one until the end of this function.
        let known = unsafe { &*record };
        if !self.silent {
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

    /// A part of a region begins in the thread.
    pub(crate) fn implicit_begins(&mut self, now: u64, team: Option<&'static Team>) {
        let LaneTasks { paths, pool, .. } = &mut self.tasks;
        paths.implicit_begins(now, team, pool);
    }

    /// ... and ends.
    pub(crate) fn implicit_ends(&mut self, now: u64) {
        let LaneTasks { paths, pool, .. } = &mut self.tasks;
        paths.implicit_ends(now, pool);
    }

    /// The thread begins a region.
    pub(crate) fn team_begins(&mut self, now: u64, team: &'static Team) {
        self.tasks.paths.region_begins(now, team);
    }

    /// ... which ends.
    pub(crate) fn team_ends(&mut self, now: u64) {
        let LaneTasks { paths, pool, .. } = &mut self.tasks;
        let Some(ended) = paths.region_ends(now, pool) else {
            return;
        };
        if ended.is_outermost && ended.team.has_tasks() && !self.silent {
            self.count_region(now, &ended);
        }
    }

    /// The thread comes to where it waits.
    pub(crate) fn tasks_wait_begins(&mut self, now: u64, kind: SyncKind) {
        let Some((team, work)) = self.tasks.paths.wait_begins(now, kind) else {
            return;
        };
        match self.silent {
            true => team.is_lost(),
            false => self.count_work(now, team, work),
        }
    }

    /// ... and goes on.
    pub(crate) fn tasks_wait_ends(&mut self, now: u64, kind: SyncKind) {
        let LaneTasks { paths, pool, .. } = &mut self.tasks;
        let waited = paths.wait_ends(now, kind, pool);
        if let Some(ticks) = waited.filter(|_| matches!(kind, SYNC_TASKWAIT | SYNC_TASKGROUP)) {
            if !self.silent {
                let around = self.tasks.paths.around();
                self.count_waited(now, &around, ticks);
            }
        }
    }

    /// A `taskwait` with dependences is over, by the runtime's word for it.
    pub(crate) fn wait_for_some_ends(&mut self, now: u64, word: usize) {
        let LaneTasks { paths, pool, .. } = &mut self.tasks;
        let waited = paths.wait_for_some_ends(now, word, pool);
        if let Some(ticks) = waited.filter(|_| !self.silent) {
            let around = self.tasks.paths.around();
            self.count_waited(now, &around, ticks);
        }
    }

    pub(crate) fn group_begins(&mut self, now: u64, code: u64) {
        let LaneTasks { paths, pool, .. } = &mut self.tasks;
        paths.group_begins(now, code, pool);
    }

    /// A `taskloop` begins or ends.
    pub(crate) fn taskloop(&mut self, begins: bool, code: u64) {
        self.tasks.paths.taskloop(begins, code);
    }

    pub(crate) fn leave_tasks(&mut self) {
        let LaneTasks { paths, pool, .. } = &mut self.tasks;
        paths.clear(pool);
    }
}

/// Whether a task is over in the thread that leaves it like this.
pub(crate) fn ends(status: TaskStatus) -> bool {
    matches!(status, STATUS_COMPLETE | STATUS_CANCEL | STATUS_DETACH)
}
