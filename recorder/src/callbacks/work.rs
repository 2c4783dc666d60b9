//! `ompt_callback_work`: loops, and what else threads share among them. Nothing unwinds out of here.

use std::ffi::{c_uint, c_void};

use ompchunk_trace_format::Event;

use crate::callbacks::{lane_of, on_lane};
use crate::lane::Lane;
use crate::lane::short_way;
use crate::scope::Scope;
use crate::steer::silence;
use ompt::raw::{Data, SCOPE_BEGIN, SCOPE_END, WORK_SECTIONS, WORK_TASKLOOP, is_loop};

/// What is usual takes the short way. The functions that this one ends with save registers, each for itself.
pub(crate) unsafe extern "C" fn work<const COUNTER: bool>(
    work: c_uint,
    endpoint: c_uint,
    _: *mut Data,
    task_data: *mut Data,
    count: u64,
    code: *const c_void,
) {
    // SAFETY: the runtime's arguments; what `lane_of` gives is the calling thread's.
    unsafe {
        let lane = lane_of(task_data);
        if !lane.is_null() && is_loop(work) {
            // Before registers are saved for it.
            if endpoint == SCOPE_BEGIN && (*lane).loops == 0 {
                return loop_begins::<COUNTER>(lane, work, count, code);
            }
            if endpoint == SCOPE_END {
                return loop_ends::<COUNTER>(lane, work, count, code);
            }
        }
        work_slowly(lane, work, endpoint, count, code);
    }
}

/// Safety: `lane` is the calling thread's.
#[inline(never)]
unsafe extern "C" fn loop_begins<const COUNTER: bool>(lane: *mut Lane, work: c_uint, count: u64, code: *const c_void) {
    // SAFETY: the caller's promise; no reference to the lane is alive.
    unsafe {
        if !short_way::begin_loop::<COUNTER>(lane, work, count, code as usize) {
            work_slowly(lane, work, SCOPE_BEGIN, count, code);
        }
    }
}

/// Safety: as above.
#[inline(never)]
unsafe extern "C" fn loop_ends<const COUNTER: bool>(lane: *mut Lane, work: c_uint, count: u64, code: *const c_void) {
    // SAFETY: the caller's promise; no reference to the lane is alive.
    unsafe {
        if !short_way::end_loop::<COUNTER>(lane) {
            work_slowly(lane, work, SCOPE_END, count, code);
        }
    }
}

/// Safety: `lane` is null or the calling thread's.
#[cold]
#[inline(never)]
pub(crate) unsafe extern "C" fn work_slowly(
    lane: *mut Lane,
    work: c_uint,
    endpoint: c_uint,
    count: u64,
    code: *const c_void,
) {
    // SAFETY: the caller's promise; no reference to the lane is alive.
    if unsafe { silence::is_deaf(lane) } {
        return;
    }
    on_lane(|lane, now| {
        let begins = endpoint != SCOPE_END;
        if lane.silent && begins {
            return;
        }
        let is_loop = match (work, begins) {
            (WORK_SECTIONS, true) => lane.meets_sections(code as usize),
            (WORK_SECTIONS, false) => lane.ends_sections(),
            _ => is_loop(work),
        };
        match (begins, is_loop) {
            (true, true) => {
                // GCC's code calls once for a region that is one loop, in one thread: libomp tells the others no address.
                let of_region = lane.innermost_region().map_or(0, |region| region.code() as usize);
                let code = if code.is_null() { of_region } else { code as usize };
                lane.begin_loop(now, work, count, code);
                lane.begin_faults(now);
            }
            (true, false) => {
                lane.know_code(now, code as usize);
                if work == WORK_TASKLOOP {
                    lane.tasks.taskloop(true, code as u64);
                }
                let begin = Event::WorkBegin { work, count, code: code as u64 };
                lane.begin(now, Scope::Work(work), &begin);
            }
            (false, true) => {
                lane.end_faults(now);
                lane.end(now, |scope| matches!(scope, Scope::Loop(_)));
                lane.flush_sometimes(now);
            }
            (false, false) => {
                if work == WORK_TASKLOOP {
                    lane.tasks.taskloop(false, code as u64);
                }
                lane.end(now, |scope| matches!(scope, Scope::Work(it) if *it == work))
            }
        }
        if begins && endpoint != SCOPE_BEGIN {
            lane.end(now, |scope| matches!(scope, Scope::Work(it) if *it == work));
        }
    });
}
