//! On which processor grains begin, where that was asked for: chunks, and explicit tasks that are told one by one. A record says it only
//! where it is another processor than at the lane's grain before.
//!
//! Nothing here runs unless that was asked for: these callbacks take the place of the usual ones, which do no more for it.

use std::ffi::{c_int, c_uint};

use ompchunk_trace_format::Event;
use ompt::raw::{Data, TaskStatus};

use crate::callbacks::{self, guard, lane_of};
use crate::clock;
use crate::grains;
use crate::lane::Lane;
use crate::recorder::{self, with_lane};
use crate::scope::Scope;
use crate::tasks::record::{Word, word_of};

/// Looks on which processor the calling thread is, which `lane` is of.
///
/// # Safety
///
/// `lane` is null or the calling thread's, and no reference to it is alive.
unsafe fn look(lane: *mut Lane) {
    let Some(core) = clock::core() else { return };
    // SAFETY: the caller's promise.
    let is_told = !lane.is_null() && unsafe { (*lane).seen.told_core } == Some(core);
    if !is_told {
        tell(core);
    }
}

#[cold]
#[inline(never)]
fn tell(core: u32) {
    guard(|| {
        with_lane(|lane| lane.tell_core(core));
    });
}

impl Lane {
    /// Where the grain begins that is told next.
    fn tell_core(&mut self, core: u32) {
        let is_counted = self.scopes.last().is_some_and(Scope::is_counted);
        let is_told = self.seen.told_core == Some(core);
        if is_told || is_counted || self.silent || self.full.is_some() || !self.tells_inside() {
            return;
        }
        self.seen.told_core = Some(core);
        // It has no time of its own: the clock is read for the grain.
        self.put(self.last, &Event::OnCpu { cpu: core });
    }
}

/// [`callbacks::dispatch`].
///
/// # Safety
///
/// As there.
pub(crate) unsafe extern "C" fn dispatch<const COUNTER: bool>(
    parallel_data: *mut Data,
    task_data: *mut Data,
    kind: c_uint,
    instance: Data,
) {
    // SAFETY: the runtime's arguments, as they came; what `lane_of` gives is the calling thread's.
    unsafe {
        look(lane_of(task_data));
        callbacks::dispatch::<COUNTER>(parallel_data, task_data, kind, instance);
    }
}

/// [`callbacks::dispatch_beside_chunk`].
pub(crate) unsafe extern "C" fn dispatch_beside_chunk<const COUNTER: bool>(
    parallel_data: *mut Data,
    task_data: *mut Data,
    kind: c_uint,
    instance: Data,
) {
    // SAFETY: as in `dispatch`.
    unsafe {
        look(lane_of(task_data));
        callbacks::dispatch_beside_chunk::<COUNTER>(parallel_data, task_data, kind, instance);
    }
}

/// [`callbacks::chunk`].
pub(crate) unsafe extern "C" fn chunk(task_data: *mut Data, lower: i64, upper: i64, create_duration: f64, last: c_int) {
    // SAFETY: as in `dispatch`, from the shim.
    unsafe {
        look(lane_of(task_data));
        callbacks::chunk(task_data, lower, upper, create_duration, last);
    }
}

/// [`grains::task_schedule`], where tasks are told one by one.
pub(crate) unsafe extern "C" fn task_schedule(prior: *mut Data, status: TaskStatus, next: *mut Data) {
    // SAFETY: the runtime's arguments, as they came; `current` gives null or the calling thread's lane, of which no reference is alive.
    unsafe {
        let goes_on_with_task = matches!(word_of(next), Word::Task(..));
        if grains::is_switch(status) && goes_on_with_task {
            look(recorder::current());
        }
        grains::task_schedule::<true>(prior, status, next);
    }
}
