//! `ompt_callback_work`: loops, and what else threads share among them. Nothing unwinds out of here.

use std::ffi::{c_uint, c_void};
use std::hint::black_box;
use std::ptr;

use ompchunk_trace_format::Event;

use crate::callbacks::{lane_of, on_lane};
use crate::lane::Lane;
use crate::lane::recent_loops::Known;
use crate::lane::short_way;
use crate::scope::Scope;
use crate::steer::silence;
use ompt::raw::{Data, SCOPE_BEGIN, SCOPE_END, WORK_SECTIONS, WORK_TASKLOOP, is_loop};

/// What is usual takes the short way. The functions that this one ends with save registers, each for itself, and have
/// their arguments where the runtime has put them: this one saves none.
pub(crate) unsafe extern "C" fn work<const COUNTER: bool>(
    work: c_uint,
    endpoint: c_uint,
    parallel_data: *mut Data,
    task_data: *mut Data,
    count: u64,
    code: *const c_void,
) {
    // SAFETY: the runtime's arguments; what `lane_of` gives is the calling thread's.
    unsafe {
        if endpoint == SCOPE_BEGIN {
            let lane = lane_of(task_data);
            if !lane.is_null() && (*lane).loops.recent.at.is_null() {
                return loop_begins::<COUNTER>(work, lane, parallel_data, task_data, count, code);
            }
        } else if endpoint == SCOPE_END {
            let lane = lane_of(task_data);
            let known = lane.as_ref().and_then(|lane| lane.loops.recent.current());
            if let Some(known) = known.filter(|known| known.running.work == work) {
                if !short_way::end_loop::<COUNTER>(lane, known.running.the_loop) {
                    work_slowly(work, SCOPE_END, ptr::null_mut(), task_data, count, code);
                }
                return;
            }
        }
        work_slowly(work, endpoint, parallel_data, task_data, count, code);
    }
}

/// Safety: `lane` is the calling thread's, and no reference to it is alive.
#[inline(never)]
unsafe extern "C" fn loop_begins<const COUNTER: bool>(
    work: c_uint,
    lane: *mut Lane,
    parallel_data: *mut Data,
    task_data: *mut Data,
    count: u64,
    code: *const c_void,
) {
    // SAFETY: the caller's promise.
    unsafe {
        let known: *const Known = (*lane).loops.recent.known(code as usize);
        if !(*known).is_of(work, code as usize) {
            return work_slowly(work, SCOPE_BEGIN, parallel_data, task_data, count, code);
        }
        if !short_way::begin_loop::<COUNTER>(lane, known, count) {
            // Both are known, so no registers are saved for them.
            let (work, code) = (&raw const (*known).running.work, &raw const (*known).running.code);
            let (work, code) = (work.read_volatile(), code.read_volatile() as *const c_void);
            work_slowly(work, SCOPE_BEGIN, ptr::null_mut(), ptr::null_mut(), count, code);
        }
    }
}

/// Safety: the runtime's arguments; `task_data` may be null.
#[cold]
#[inline(never)]
pub(crate) unsafe extern "C" fn work_slowly(
    work: c_uint,
    endpoint: c_uint,
    parallel_data: *mut Data,
    task_data: *mut Data,
    count: u64,
    code: *const c_void,
) {
    // SAFETY: the caller's promise; no reference to the lane is alive.
    if !unsafe { silence::is_deaf(lane_of(task_data)) } {
        // An argument that nobody uses would be left out, and others would move.
        black_box(parallel_data);
        tell_work(work, endpoint, count, code as usize);
    }
}

#[inline(never)]
extern "C" fn tell_work(work: c_uint, endpoint: c_uint, count: u64, code: usize) {
    on_lane(|lane, now| {
        let begins = endpoint != SCOPE_END;
        if lane.silence.is_on && begins {
            return;
        }
        let is_loop = match (work, begins) {
            (WORK_SECTIONS, true) => lane.meets_sections(code),
            (WORK_SECTIONS, false) => lane.ends_sections(),
            _ => is_loop(work),
        };
        match (begins, is_loop) {
            (true, true) => {
                // GCC's code calls once for a region that is one loop, in one thread: libomp tells the others no address.
                let of_region = lane.innermost_region().map_or(0, |region| region.code() as usize);
                let code = if code == 0 { of_region } else { code };
                lane.begin_loop(now, work, count, code);
                lane.begin_faults(now);
            }
            (true, false) => {
                lane.know_code(now, code);
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
