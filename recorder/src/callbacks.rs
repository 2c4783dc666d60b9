//! What the runtime and the shim call. Nothing unwinds out of here.

pub(crate) mod inquiry;
pub(crate) mod work;

use std::cell::Cell;
use std::ffi::{c_int, c_uint, c_void};
use std::panic::catch_unwind;

use ompchunk_trace_format::{Chunk, Event, Sync, is_barrier};

use crate::callbacks::inquiry::INQUIRY;
use crate::clock;
use crate::clock::core_time::Also;
use crate::lane::{Lane, is_this_thread};
use crate::part::SHARED;
use crate::recorder::{self, guard, guard_lane, with_lane};
use crate::scope::region::{Shared, squeeze};
use crate::scope::{Scope, Task};
use crate::steer::{ENDED, PAUSED, change};
use crate::tasks::grains::may_never_return;
use ompt::raw::{
    DISPATCH_DISTRIBUTE_CHUNK, DISPATCH_SECTION, DISPATCH_WS_LOOP_CHUNK, Data, DispatchChunk, Frame, SCOPE_BEGIN,
    SCOPE_END, SYNC_TASKGROUP, TASK_INITIAL,
};

pub(crate) fn on_lane(work: impl FnOnce(&mut Lane, u64)) {
    guard_lane(|lane| {
        let now = lane.now();
        lane.steer(now);
        lane.look(now);
        work(lane, now);
        lane.done(now);
    });
}

#[inline(always)]
pub(crate) fn on_lane_at(now: u64, work: impl FnOnce(&mut Lane)) {
    guard_lane(|lane| {
        lane.steer(now);
        lane.look(now);
        work(lane);
        lane.done_with_chunk(now);
    });
}

pub(crate) unsafe extern "C" fn thread_begin(kind: c_uint, _: *mut Data) {
    guard(|| recorder::thread_begins(kind));
}

pub(crate) unsafe extern "C" fn thread_end(_: *mut Data) {
    guard(recorder::thread_ends);
}

pub(crate) unsafe extern "C" fn parallel_begin(
    _: *mut Data,
    _: *const Frame,
    parallel_data: *mut Data,
    requested: c_uint,
    flags: c_int,
    code: *const c_void,
) {
    on_lane(|lane, now| {
        lane.end_stale_tasks(now);
        if lane.innermost_region().is_none() {
            lane.end_grains(now);
        }
        if !lane.silence.is_on {
            lane.know_code(now, code as usize);
        }
        let is_distributing = lane.is_distributing();
        let region =
            Shared::begin(&mut lane.regions, parallel_data, requested, squeeze(flags), code as u64, is_distributing);
        let begin = region.begin_event();
        lane.tasks.region_begins(now, region.team());
        lane.begin(now, Scope::Parallel(region), &begin);
    });
}

/// Ends the innermost region, not the one that `parallel_data` names, which libomp 19 may have given away by then.
pub(crate) unsafe extern "C" fn parallel_end(_: *mut Data, _: *mut Data, _: c_int, _: *const c_void) {
    on_lane(|lane, now| lane.end_outer(now, |scope| matches!(scope, Scope::Parallel(_))));
}

pub(crate) unsafe extern "C" fn implicit_task(
    endpoint: c_uint,
    parallel_data: *mut Data,
    task_data: *mut Data,
    team_size: c_uint,
    index: c_uint,
    flags: c_int,
) {
    let task = Task { index, team_size, flags: flags as u32, missed: 0 };
    let mark = |lane: &mut Lane| {
        if !task_data.is_null() {
            // SAFETY: the runtime's word for the tool, as long as the task lasts. By it chunk events find the lane.
            unsafe { (*task_data).ptr = std::ptr::from_mut(lane).cast() };
        }
    };
    if task.flags & TASK_INITIAL as u32 != 0 {
        let waiting = catch_unwind(recorder::waiting_lane).ok().flatten();
        if let Some(lane) = waiting {
            if endpoint != SCOPE_END {
                mark(lane);
                lane.scopes.push(Scope::ImplicitTask(None, task));
            }
            return;
        }
    }
    on_lane(|lane, now| {
        if endpoint == SCOPE_END {
            lane.end_outer(now, |scope| matches!(scope, Scope::ImplicitTask(..)));
            return;
        }
        lane.end_stale_tasks(now);
        mark(lane);
        let region = Shared::from_data(parallel_data);
        let team = region.as_ref().map(Shared::team);
        if let Some(team) = team.filter(|_| index == 0) {
            team.has_size(team_size);
        }
        lane.tasks.implicit_begins(now, team);
        let parallel = region.as_ref().map_or(0, Shared::number);
        let begin = Event::ImplicitTaskBegin { parallel, index, team_size, flags: task.flags };
        lane.begin(now, Scope::ImplicitTask(region, task), &begin);
    });
}

pub(crate) unsafe extern "C" fn sync_region(
    kind: c_uint,
    endpoint: c_uint,
    _: *mut Data,
    _: *mut Data,
    code: *const c_void,
) {
    on_lane(|lane, now| {
        if endpoint == SCOPE_END {
            lane.end(now, |scope| matches!(scope, Scope::Sync(it) if it.kind == kind));
            if is_barrier(kind) {
                lane.passed_barrier(now);
            }
            return;
        }
        if kind == SYNC_TASKGROUP && endpoint == SCOPE_BEGIN {
            lane.tasks.group_begins(now, code as u64);
        }
        if lane.silence.is_on {
            if is_barrier(kind) {
                lane.misses_barrier();
            }
            return;
        }
        lane.know_code(now, code as usize);
        let sync = Sync { kind, code: code as u64 };
        lane.begin(now, Scope::Sync(sync), &Event::SyncBegin(sync));
        if endpoint != SCOPE_BEGIN {
            lane.end(now, |scope| matches!(scope, Scope::Sync(it) if it.kind == kind));
        }
    });
}

pub(crate) unsafe extern "C" fn sync_region_wait(
    kind: c_uint,
    endpoint: c_uint,
    _: *mut Data,
    _: *mut Data,
    code: *const c_void,
) {
    on_lane(|lane, now| {
        if endpoint == SCOPE_END {
            lane.wait_ends(now, kind);
            lane.tasks_wait_ends(now, kind);
            lane.end(now, |scope| matches!(scope, Scope::Wait(it) if it.kind == kind));
            return;
        }
        let sync = Sync { kind, code: code as u64 };
        lane.begin(now, Scope::Wait(sync), &Event::WaitBegin(sync));
        lane.wait_begins(now, kind, sync.code);
        lane.tasks_wait_begins(now, kind);
        if may_never_return(kind) {
            // Once it is parked, the lane may be another's: nothing of this callback touches it afterwards.
            lane.done(now);
            lane.park();
        }
    });
}

/// The lane, if `task_data` is of an implicit task that it told of; else null. Safety: `task_data` is the runtime's.
#[inline(always)]
pub(crate) unsafe fn lane_of(task_data: *mut Data) -> *mut Lane {
    if task_data.is_null() {
        return std::ptr::null_mut();
    }
    // SAFETY: the runtime's word: zero, or what `implicit_task` stored. A lane is never freed.
    unsafe {
        let lane = (*task_data).ptr.cast::<Lane>();
        if !lane.is_null() && is_this_thread((*lane).holder.owner) { lane } else { std::ptr::null_mut() }
    }
}

/// The hot path. Safety: `lane` is null, or the calling thread's, of which no reference is alive.
#[inline(always)]
unsafe fn chunk_begins(lane: *mut Lane, now: u64, lower: u64, iterations: u64, create_duration: u64, last: bool) {
    // SAFETY: the caller's promise.
    let stored = unsafe { !lane.is_null() && Lane::store_chunk(lane, now, lower, iterations, create_duration, last) };
    if !stored {
        chunk_slowly(lower, iterations, now, create_duration, last);
    }
}

/// Where the lane is not that of the task.
#[cold]
#[inline(never)]
extern "C" fn chunk_of_thread(start: u64, iterations: u64, now: u64) {
    let first = current_lane().map_or(0, |lane| lane.first);
    chunk_slowly(start.wrapping_sub(first), iterations, now, 0, false);
}

#[cold]
#[inline(never)]
extern "C" fn chunk_slowly(lower: u64, iterations: u64, now: u64, create_duration: u64, last: bool) {
    let chunk = Chunk { lower, iterations, create_duration, last };
    on_lane_at(now, |lane| lane.chunk(now, &chunk));
}

/// `ompt_callback_dispatch` where no chunk events are asked for: with the shim it tells of every chunk. Safety: the
/// runtime's arguments; `COUNTER` is [`clock::is_counter`].
pub(crate) unsafe extern "C" fn dispatch<const COUNTER: bool, A: Also>(
    _: *mut Data,
    task_data: *mut Data,
    kind: c_uint,
    instance: Data,
) {
    // SAFETY: the calling thread's lane or null, of which no reference is alive.
    unsafe { A::look(|| lane_of(task_data)) };
    if kind != DISPATCH_WS_LOOP_CHUNK && kind != DISPATCH_DISTRIBUTE_CHUNK {
        if kind == DISPATCH_SECTION {
            section_begins(clock::ticks_by::<COUNTER>());
        }
        return;
    }
    let now = clock::ticks_by::<COUNTER>();
    // SAFETY: for these two kinds the specification says that `instance` points to a chunk.
    unsafe {
        let lane = lane_of(task_data);
        let DispatchChunk { start, iterations } = *instance.ptr.cast();
        if lane.is_null() {
            return chunk_of_thread(start, iterations, now);
        }
        chunk_begins(lane, now, start.wrapping_sub((*lane).first), iterations, 0, false);
    }
}

/// A section begins, which is a chunk of the construct that the lane is in, if the plugin saw that.
#[cold]
#[inline(never)]
extern "C" fn section_begins(now: u64) {
    let Some(number) = INQUIRY.current_section() else { return };
    let chunk = Chunk { lower: number, iterations: 1, create_duration: 0, last: false };
    on_lane_at(now, |lane| {
        if matches!(lane.scopes.last(), Some(Scope::Loop(running)) if running.is_sections()) {
            lane.chunk(now, &chunk);
        }
    });
}

/// Beside chunk events: the runtime's own loops only.
pub(crate) unsafe extern "C" fn dispatch_beside_chunk<const COUNTER: bool, A: Also>(
    parallel_data: *mut Data,
    task_data: *mut Data,
    kind: c_uint,
    instance: Data,
) {
    // SAFETY: the runtime's arguments, as they came.
    unsafe {
        let lane = lane_of(task_data).as_ref().or_else(current_lane);
        if !lane.is_some_and(|lane| lane.repeats) {
            dispatch::<COUNTER, A>(parallel_data, task_data, kind, instance);
        }
    }
}

#[cold]
fn current_lane<'a>() -> Option<&'a Lane> {
    // SAFETY: null, or the calling thread's lane, which is never freed, and of which no other reference is alive.
    unsafe { recorder::current().as_ref() }
}

thread_local! {
    static READ: Cell<u64> = const { Cell::new(0) };
}

/// `ompt_tool_time_t`: the clock in ticks. What it read is kept, so that a chunk event need not read again.
pub(crate) unsafe extern "C" fn tool_time() -> f64 {
    let now = clock::ticks();
    let _ = READ.try_with(|read| read.set(now));
    // Signed, and no longer than a fraction can be, so that no flag of the thread's is raised: this is subtracted, not read.
    (now & (u64::MAX >> 11)) as i64 as f64
}

/// `ompt_callback_chunk`, asked for when the bookkeeping is to be timed.
pub(crate) unsafe extern "C" fn chunk<A: Also>(
    task_data: *mut Data,
    lower: i64,
    upper: i64,
    create_duration: f64,
    last: c_int,
) {
    // SAFETY: as in `dispatch`.
    unsafe { A::look(|| lane_of(task_data)) };
    // The shim read the clock for the duration just now, unless it had none.
    let read = READ.try_with(Cell::get).unwrap_or(0);
    let now = if create_duration > 0.0 { read } else { clock::ticks() };
    let iterations = (upper as u64).wrapping_sub(lower as u64).wrapping_add(1);
    // SAFETY: the runtime's task data, from the shim.
    unsafe {
        chunk_begins(lane_of(task_data), now, lower as u64, iterations, create_duration as i64 as u64, last != 0);
    }
}

// The program says whether it is recorded, by `omp_control_tool` (OpenMP 5.2, 19.8 and 20.8.1).

/// `omp_control_tool_t`
const START: u64 = 1;
const PAUSE: u64 = 2;
const FLUSH: u64 = 3;
const END: u64 = 4;

/// `omp_control_tool_result_t`
const SUCCESS: c_int = 0;
const IGNORED: c_int = 1;

/// `ompt_callback_control_tool`
pub(crate) unsafe extern "C" fn control_tool(command: u64, _: u64, _: *mut c_void, _: *const c_void) -> c_int {
    catch_unwind(|| obey(command)).unwrap_or(IGNORED)
}

fn obey(command: u64) -> c_int {
    let done = match command {
        START => change(|state| state & !PAUSED),
        PAUSE => change(|state| state | PAUSED),
        END => change(|state| state | PAUSED | ENDED),
        FLUSH => {
            flush();
            return SUCCESS;
        }
        _ => return IGNORED,
    };
    with_lane(|lane| lane.steer(lane.now()));
    if command == END && done {
        flush();
    }
    if done { SUCCESS } else { IGNORED }
}

fn flush() {
    with_lane(|lane| {
        // In a silent lane it would come before the begins of what the thread is in when it goes on.
        if !lane.silence.is_on {
            lane.flush(lane.now());
        }
    });
    if let Some(store) = &SHARED.lock().store {
        store.flush();
    }
}
