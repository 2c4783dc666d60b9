//! Which callbacks the shim stands before for a collector, and whether it may serve one at all.
//!
//! A runtime asks once whether there is a tool. Where there is none, the shim stays only if a collector has started before, or
//! [`STAY`] says that one will: else the runtime goes on without tools, as it would without the shim, and a later START
//! is told that it is too late.

use core::ffi::c_int;
use core::sync::atomic::{AtomicBool, AtomicU32, Ordering};

use crate::collector::codes::{
    Code, EVENT_EXPLICIT_BARRIER, EVENT_IMPLICIT_BARRIER, EVENT_MASTER, EVENT_ORDERED, EVENT_SINGLE,
};
use crate::collector::events::{
    IMPLICIT_TASK, MASKED, MUTEX_ACQUIRE, MUTEX_ACQUIRED, MUTEX_RELEASED, NEST_LOCK, PARALLEL_BEGIN, REDUCTION,
    SYNC_REGION_WAIT, THREAD_END, on_parallel_end, on_thread_begin, on_work,
};
use crate::collector::session;
use crate::hooks::loop_event::WORK;
use crate::overrides::alternation::PARALLEL_END;
use crate::thread::thread_storage::THREAD_BEGIN;
use crate::{images::runtime_choice, start::environment, start::report, thread::thread_storage};

/// The shim is to stay without a tool, for a collector that will start later.
const STAY: &str = "OMPCHUNK_COLLECTOR";

/// No runtime has asked, or the one that did has ended.
const NOT_ASKED: u32 = 0;
/// The shim is the runtime's tool, or its answer.
const STAYS: u32 = 1;
/// The runtime was told that there is no tool.
const DECLINED: u32 = 2;

static ANSWERED: AtomicU32 = AtomicU32::new(NOT_ASKED);

pub(crate) fn stays() {
    ANSWERED.store(STAYS, Ordering::SeqCst);
}

/// Whether the shim is to be the runtime's tool although nothing else wants it.
pub(crate) fn wants_to_stay() -> bool {
    // START does the same the other way round, so one of both sees the other.
    ANSWERED.swap(DECLINED, Ordering::SeqCst);
    let wants = session::was_one() || environment::is_on(STAY);
    if wants {
        stays();
        report::explain(format_args!("stays without a tool, for a collector (__omp_collector_api)"));
    }
    wants
}

pub(crate) fn declined() {
    ANSWERED.store(DECLINED, Ordering::SeqCst);
}

/// The runtime has handed over its entry points, and lets callbacks be registered.
pub(crate) fn attach() {
    session::attach();
    if session::number().is_some() {
        listen();
    }
}

pub(crate) fn detach() {
    session::detach();
    ANSWERED.store(NOT_ASKED, Ordering::SeqCst);
}

/// What states and region ids need. False: the runtime does not tell of regions.
fn listen() -> bool {
    // A collector misses what another runtime does as a tool would.
    runtime_choice::set_active(true);
    let regions = PARALLEL_BEGIN.hook() && PARALLEL_END.hook_as(on_parallel_end);
    IMPLICIT_TASK.hook();
    THREAD_BEGIN.hook_as(on_thread_begin);
    THREAD_END.hook();
    MUTEX_ACQUIRE.hook();
    MUTEX_ACQUIRED.hook();
    NEST_LOCK.hook();
    REDUCTION.hook();
    for event in session::registered() {
        listen_for(event);
    }
    regions
}

/// What an event needs. False: the runtime does not tell of it.
fn listen_for(event: c_int) -> bool {
    // Each end has the number after its begin's.
    match event - (event + 1) % 2 {
        EVENT_IMPLICIT_BARRIER | EVENT_EXPLICIT_BARRIER => SYNC_REGION_WAIT.hook(),
        EVENT_MASTER => MASKED.hook(),
        EVENT_SINGLE => WORK.hook_as(on_work),
        EVENT_ORDERED => MUTEX_ACQUIRED.hook() && MUTEX_RELEASED.hook(),
        1 => PARALLEL_BEGIN.hook(),
        3 => IMPLICIT_TASK.hook(),
        _ => MUTEX_ACQUIRE.hook() && MUTEX_ACQUIRED.hook(),
    }
}

pub(super) fn start() -> Code {
    if !session::start() {
        return Code::Sequence;
    }
    if ANSWERED.load(Ordering::SeqCst) == DECLINED && !runtime_choice::is_gone() {
        session::stop(|| {});
        static SAID: AtomicBool = AtomicBool::new(false);
        if !SAID.swap(true, Ordering::Relaxed) {
            report::complain(format_args!(
                "a collector cannot start: the OpenMP runtime has already begun without a tool, so it tells of nothing. Set \
                 {STAY}=1, or send OMP_REQ_START before the program's first use of OpenMP"
            ));
        }
        return Code::Sequence;
    }
    // Before the runtime begins, `attach` listens.
    if session::call_runtime(thread_storage::collected(), || Some(listen())) == Some(false) {
        session::stop(|| {});
        return Code::Unsupported;
    }
    Code::Ok
}

pub(super) fn stop() -> Code {
    let stopped = session::stop(|| {
        session::call_runtime(thread_storage::collected(), || {
            // What else the shim does with these events goes on in the shim's usual callbacks.
            PARALLEL_END.unhook_as();
            THREAD_BEGIN.unhook_as();
            WORK.unhook_as();
            Some(())
        });
    });
    if stopped { Code::Ok } else { Code::Sequence }
}

pub(super) fn register(event: usize, callback: session::Callback) -> Code {
    let code = session::register(event, Some(callback));
    let listens = || session::call_runtime(thread_storage::collected(), || Some(listen_for(event as c_int)));
    if code == Code::Ok && listens() == Some(false) {
        session::register(event, None);
        return Code::Unsupported;
    }
    code
}
