//! OMPT's callbacks, which become the events of the interface and then go on to the tool's.
//!
//! Each stands in the runtime only while `listen` says so, and does nothing but pass on while no collector has started.
//! `state` in each event is what a callback gets that asks for it: the one that has begun, or what comes after the one that
//! has ended.

use core::ffi::{c_int, c_uint, c_void};

use ompt::raw;
use ompt::raw::{
    Data, Frame, ImplicitTaskFn, MaskedFn, MutexAcquireFn, MutexFn, NestLockFn, ParallelBeginFn, SCOPE_BEGIN,
    SCOPE_END, SyncRegionFn, ThreadEndFn,
};

use crate::chain::{Chain, pass_on};
use crate::collector::codes::{
    EVENT_ATOMIC_WAIT, EVENT_CRITICAL_WAIT, EVENT_EXPLICIT_BARRIER, EVENT_FORK, EVENT_IDLE, EVENT_IMPLICIT_BARRIER,
    EVENT_JOIN, EVENT_LOCK_WAIT, EVENT_MASTER, EVENT_ORDERED, EVENT_ORDERED_WAIT, EVENT_SINGLE, STATE_ATOMIC_WAIT,
    STATE_CRITICAL_WAIT, STATE_EXPLICIT_BARRIER, STATE_IDLE, STATE_IMPLICIT_BARRIER, STATE_LOCK_WAIT,
    STATE_ORDERED_WAIT, STATE_OVERHEAD, STATE_SERIAL, STATE_WORK,
};
use crate::collector::session::{is_of_now, number, send};
use crate::collector::thread::{Collected, UNSEEN};
use crate::collector::{answers, regions};
use crate::runtime::RUNTIME;
use crate::{hooks::loop_event, overrides::alternation, thread::thread_storage};

pub(crate) static PARALLEL_BEGIN: Chain<ParallelBeginFn> = Chain::new(raw::EVENT_PARALLEL_BEGIN, on_parallel_begin);
pub(crate) static IMPLICIT_TASK: Chain<ImplicitTaskFn> = Chain::new(raw::EVENT_IMPLICIT_TASK, on_implicit_task);
pub(crate) static THREAD_END: Chain<ThreadEndFn> = Chain::new(raw::EVENT_THREAD_END, on_thread_end);
pub(crate) static SYNC_REGION_WAIT: Chain<SyncRegionFn> = Chain::new(raw::EVENT_SYNC_REGION_WAIT, on_sync_region_wait);
pub(crate) static REDUCTION: Chain<SyncRegionFn> = Chain::new(raw::EVENT_REDUCTION, on_reduction);
pub(crate) static MUTEX_ACQUIRE: Chain<MutexAcquireFn> = Chain::new(raw::EVENT_MUTEX_ACQUIRE, on_mutex_acquire);
pub(crate) static MUTEX_ACQUIRED: Chain<MutexFn> = Chain::new(raw::EVENT_MUTEX_ACQUIRED, on_mutex_acquired);
pub(crate) static MUTEX_RELEASED: Chain<MutexFn> = Chain::new(raw::EVENT_MUTEX_RELEASED, on_mutex_released);
pub(crate) static NEST_LOCK: Chain<NestLockFn> = Chain::new(raw::EVENT_NEST_LOCK, on_nest_lock);
pub(crate) static MASKED: Chain<MaskedFn> = Chain::new(raw::EVENT_MASKED, on_masked);

#[inline]
fn heard<'thread>() -> Option<&'thread Collected> {
    let session = number()?;
    let here = thread_storage::collected();
    here.hear(session);
    Some(here)
}

/// The state of a thread that waits no more.
fn after(here: &Collected) -> c_int {
    if here.region().0 == 0 { STATE_SERIAL } else { STATE_WORK }
}

/// Safety: the runtime's arguments.
unsafe extern "C" fn on_parallel_begin(
    task: *mut Data,
    frame: *const Frame,
    parallel: *mut Data,
    requested: c_uint,
    flags: c_int,
    codeptr: *const c_void,
) {
    if let Some(here) = heard() {
        let (id, parent) = (regions::new_id(), answers::current());
        here.begin_region(id, regions::begin(task.addr(), id), parent);
        send(here, EVENT_FORK, STATE_OVERHEAD);
    }
    pass_on!(PARALLEL_BEGIN(task, frame, parallel, requested, flags, codeptr));
}

/// Safety: the runtime's arguments.
pub(super) unsafe extern "C" fn on_parallel_end(
    parallel: *mut Data,
    task: *mut Data,
    flags: c_int,
    codeptr: *const c_void,
) {
    if let Some(here) = heard() {
        here.end_region();
        send(here, EVENT_JOIN, after(here));
    }
    // SAFETY: passed on.
    unsafe { alternation::on_parallel_end(parallel, task, flags, codeptr) };
}

/// Safety: the runtime's arguments.
unsafe extern "C" fn on_implicit_task(
    endpoint: c_uint,
    parallel: *mut Data,
    task: *mut Data,
    threads: c_uint,
    index: c_uint,
    flags: c_int,
) {
    thread_storage::standing().forget();
    if let Some(here) = heard() {
        if endpoint == SCOPE_BEGIN {
            begin_task(here, index);
        } else {
            end_task(here, index);
        }
    }
    pass_on!(IMPLICIT_TASK(endpoint, parallel, task, threads, index, flags));
}

fn begin_task(here: &Collected, index: c_uint) {
    // The initial task has index 1, and none around it.
    let around = if index == 0 { None } else { RUNTIME.task_around() };
    let Some(around) = around else { return here.is_between.set(false) };
    here.is_worker.set(true);
    // A region of before the session stays what the runtime knows of.
    match regions::around_task(around.addr()).filter(|found| is_of_now(found.1)) {
        Some((place, id)) => here.join(id, Some(place)),
        None => here.join(UNSEEN, None),
    }
    // libomp begins some tasks of a league twice.
    if here.is_idle.replace(false) {
        send(here, EVENT_IDLE + 1, STATE_OVERHEAD);
    }
}

fn end_task(here: &Collected, index: c_uint) {
    if index == 0 {
        here.is_between.set(!here.before.get().is_null());
    } else if here.is_worker.get() {
        here.join(0, None);
        if !here.is_idle.replace(true) {
            send(here, EVENT_IDLE, STATE_IDLE);
        }
    }
}

/// The thread is in no region. In a child of `fork`, whose runtime begins anew, it may have been in one, and in a callback.
fn begin_anew(here: &Collected) {
    here.forget();
    here.join(0, None);
    here.announce(0);
}

/// Safety: the runtime's arguments.
pub(super) unsafe extern "C" fn on_thread_begin(kind: c_uint, data: *mut Data) {
    if let Some(here) = heard() {
        begin_anew(here);
        let is_worker = kind == raw::THREAD_WORKER;
        here.is_worker.set(is_worker);
        here.is_idle.set(is_worker);
        if is_worker {
            send(here, EVENT_IDLE, STATE_IDLE);
        }
    }
    // SAFETY: passed on.
    unsafe { thread_storage::on_thread_begin(kind, data) };
}

/// Safety: the runtime's arguments.
unsafe extern "C" fn on_thread_end(data: *mut Data) {
    if let Some(here) = heard() {
        if here.is_worker.get() && here.is_idle.replace(false) {
            send(here, EVENT_IDLE + 1, STATE_OVERHEAD);
        }
        begin_anew(here);
    }
    thread_storage::collected().forget();
    pass_on!(THREAD_END(data));
}

/// Safety: the runtime's arguments.
unsafe extern "C" fn on_sync_region_wait(
    kind: c_uint,
    endpoint: c_uint,
    parallel: *mut Data,
    task: *mut Data,
    codeptr: *const c_void,
) {
    let barrier = match kind {
        raw::SYNC_BARRIER_EXPLICIT => Some((EVENT_EXPLICIT_BARRIER, STATE_EXPLICIT_BARRIER)),
        raw::SYNC_BARRIER
        | raw::SYNC_BARRIER_IMPLICIT
        | raw::SYNC_BARRIER_IMPLEMENTATION
        | raw::SYNC_BARRIER_IMPLICIT_WORKSHARE
        | raw::SYNC_BARRIER_IMPLICIT_PARALLEL
        | raw::SYNC_BARRIER_TEAMS => Some((EVENT_IMPLICIT_BARRIER, STATE_IMPLICIT_BARRIER)),
        _ => None,
    };
    if let Some((event, state)) = barrier
        && let Some(here) = heard()
    {
        if endpoint == SCOPE_BEGIN {
            send(here, event, state);
        } else {
            let ends = matches!(kind, raw::SYNC_BARRIER_IMPLICIT_PARALLEL | raw::SYNC_BARRIER_TEAMS);
            let next = if ends { STATE_OVERHEAD } else { after(here) };
            send(here, event + 1, next);
        }
    }
    pass_on!(SYNC_REGION_WAIT(kind, endpoint, parallel, task, codeptr));
}

/// Safety: the runtime's arguments.
unsafe extern "C" fn on_reduction(
    kind: c_uint,
    endpoint: c_uint,
    parallel: *mut Data,
    task: *mut Data,
    codeptr: *const c_void,
) {
    if let Some(here) = heard() {
        here.is_reducing.set(endpoint == SCOPE_BEGIN);
    }
    pass_on!(REDUCTION(kind, endpoint, parallel, task, codeptr));
}

/// The event that begins when a thread waits in such a state.
fn event_of(state: c_int) -> c_int {
    match state {
        STATE_CRITICAL_WAIT => EVENT_CRITICAL_WAIT,
        STATE_ORDERED_WAIT => EVENT_ORDERED_WAIT,
        STATE_ATOMIC_WAIT => EVENT_ATOMIC_WAIT,
        _ => EVENT_LOCK_WAIT,
    }
}

/// Safety: the runtime's arguments.
unsafe extern "C" fn on_mutex_acquire(
    kind: c_uint,
    hint: c_uint,
    implementation: c_uint,
    wait_id: u64,
    codeptr: *const c_void,
) {
    let state = match kind {
        raw::MUTEX_LOCK | raw::MUTEX_NEST_LOCK => Some(STATE_LOCK_WAIT),
        raw::MUTEX_CRITICAL => Some(STATE_CRITICAL_WAIT),
        raw::MUTEX_ATOMIC => Some(STATE_ATOMIC_WAIT),
        raw::MUTEX_ORDERED => Some(STATE_ORDERED_WAIT),
        // Who tests a lock does not wait, and hears nothing if it is held.
        _ => None,
    };
    if let Some(state) = state
        && let Some(here) = heard()
        // What a callback waits for is not what its event is about.
        && here.announced() == 0
    {
        here.wait(state, wait_id);
        send(here, event_of(state), state);
    }
    pass_on!(MUTEX_ACQUIRE(kind, hint, implementation, wait_id, codeptr));
}

fn acquired(here: &Collected) {
    if here.announced() == 0 {
        let state = here.go_on();
        if state != 0 {
            send(here, event_of(state) + 1, after(here));
        }
    }
}

/// Safety: the runtime's arguments.
unsafe extern "C" fn on_mutex_acquired(kind: c_uint, wait_id: u64, codeptr: *const c_void) {
    if let Some(here) = heard() {
        acquired(here);
        if kind == raw::MUTEX_ORDERED {
            send(here, EVENT_ORDERED, after(here));
        }
    }
    pass_on!(MUTEX_ACQUIRED(kind, wait_id, codeptr));
}

/// Safety: the runtime's arguments.
unsafe extern "C" fn on_mutex_released(kind: c_uint, wait_id: u64, codeptr: *const c_void) {
    if kind == raw::MUTEX_ORDERED
        && let Some(here) = heard()
    {
        send(here, EVENT_ORDERED + 1, after(here));
    }
    pass_on!(MUTEX_RELEASED(kind, wait_id, codeptr));
}

/// A lock that the thread holds already is not acquired but counted. Safety: the runtime's arguments.
unsafe extern "C" fn on_nest_lock(endpoint: c_uint, wait_id: u64, codeptr: *const c_void) {
    if endpoint == SCOPE_BEGIN
        && let Some(here) = heard()
    {
        acquired(here);
    }
    pass_on!(NEST_LOCK(endpoint, wait_id, codeptr));
}

/// Safety: the runtime's arguments.
unsafe extern "C" fn on_masked(endpoint: c_uint, parallel: *mut Data, task: *mut Data, codeptr: *const c_void) {
    if let Some(here) = heard() {
        let event = EVENT_MASTER + c_int::from(endpoint == SCOPE_END);
        send(here, event, after(here));
    }
    pass_on!(MASKED(endpoint, parallel, task, codeptr));
}

/// Safety: the runtime's arguments.
pub(super) unsafe extern "C" fn on_work(
    kind: c_uint,
    endpoint: c_uint,
    parallel: *mut Data,
    task: *mut Data,
    count: u64,
    codeptr: *const c_void,
) {
    if kind == raw::WORK_SINGLE_EXECUTOR
        && let Some(here) = heard()
    {
        let event = EVENT_SINGLE + c_int::from(endpoint == SCOPE_END);
        send(here, event, after(here));
    }
    // SAFETY: passed on.
    unsafe { loop_event::on_work(kind, endpoint, parallel, task, count, codeptr) };
}
