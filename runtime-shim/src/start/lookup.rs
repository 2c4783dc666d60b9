//! What the tool gets instead of the runtime's lookup: the same, except for five entry points.

use core::ffi::{CStr, c_char, c_int, c_uint};
use core::sync::atomic::{AtomicI32, Ordering};
use std::panic::catch_unwind;

use ompchunk_abi::{
    CONSTRUCT_SECTIONS, LOOP_START_KNOWN, LOOP_START_PASSED, LOOP_STEP_KNOWN, LOOP_STEP_PASSED, LoopRecord,
};
use ompt::raw::{
    AnyFn, EVENT_CHUNK, EVENT_DISPATCH, EVENT_LOOP, EVENT_SUB_BLOCK, EVENT_TASK_CREATION, EVENT_TOOL_TIME,
    EVENT_WANTED, EVENT_WORK, GetCallbackFn, GetLoopFn, GetMetFn, GetScheduleFn, GetSectionFn, GetVariableFn,
    NameLoopsFn, SET_ALWAYS, SET_ERROR, SET_NEVER, SET_SOMETIMES, SET_SOMETIMES_PAIRED, SetCallbackFn,
};

use crate::collector::events::{
    IMPLICIT_TASK, MASKED, MUTEX_ACQUIRE, MUTEX_ACQUIRED, MUTEX_RELEASED, NEST_LOCK, PARALLEL_BEGIN, REDUCTION,
    SYNC_REGION_WAIT, THREAD_END,
};
use crate::hooks::chunk::filter;
use crate::hooks::loop_event::{WORK, name_loops};
use crate::overrides::alternation::PARALLEL_END;
use crate::registered_callbacks::CALLBACKS;
use crate::runtime::RUNTIME;
use crate::slot::{Function, any, typed};
use crate::task::{TASK_CREATE, TASK_SCHEDULE};
use crate::thread::NO_SECTION;
use crate::thread::numbers::get_met;
use crate::thread::thread_storage::THREAD_BEGIN;
use crate::{overrides, start::report, sub_block::sub_block_entry, thread::thread_storage};

/// `ompt_function_lookup_t`, handed to the tool. Safety: `name` is null or a string.
pub(crate) unsafe extern "C" fn look_up(name: *const c_char) -> Option<AnyFn> {
    if name.is_null() {
        return None;
    }
    // SAFETY: a string, says the caller.
    match unsafe { CStr::from_ptr(name) }.to_bytes() {
        b"ompt_set_callback" => any(set_callback as SetCallbackFn),
        b"ompt_get_callback" => any(get_callback as GetCallbackFn),
        b"ompt_chunk_get_loop" => of_threads(get_loop as GetLoopFn),
        b"ompt_chunk_get_schedule" => of_threads(get_schedule as GetScheduleFn),
        b"ompt_chunk_get_change" if overrides::any() => of_threads(get_schedule as GetScheduleFn),
        b"ompt_chunk_get_variable" => of_threads(get_variable as GetVariableFn),
        b"ompt_chunk_get_section" => of_threads(get_section as GetSectionFn),
        b"ompt_chunk_get_met" => any(get_met as GetMetFn),
        b"ompt_chunk_name_loops" => any(name_loops as NameLoopsFn),
        // SAFETY: as above.
        _ => unsafe { RUNTIME.look_up(name) },
    }
}

/// An entry point that may be asked from a signal handler of a thread, so each thread's storage is there first.
fn of_threads<F: Function>(entry: F) -> Option<AnyFn> {
    THREAD_BEGIN.hook();
    any(entry)
}

/// `ompt_set_callback`. May be called at any time, also from inside a callback.
unsafe extern "C" fn set_callback(event: c_uint, callback: Option<AnyFn>) -> c_int {
    let wants = [EVENT_DISPATCH, EVENT_LOOP, EVENT_CHUNK, EVENT_TASK_CREATION, EVENT_SUB_BLOCK];
    if callback.is_some() && wants.contains(&event) {
        report::set_registered();
    }
    catch_unwind(|| match event {
        EVENT_DISPATCH => {
            let result = register_filter(callback.is_some());
            answer(CALLBACKS.set_dispatch(typed(callback)), result)
        }
        EVENT_LOOP => set_loops(callback),
        EVENT_CHUNK => answer(CALLBACKS.set_chunk(typed(callback)), SET_SOMETIMES),
        EVENT_TOOL_TIME => {
            // Who is asked for times finds the thread by what it says.
            let _ = thread_storage::is_near();
            answer(CALLBACKS.set_clock(typed(callback)), SET_ALWAYS)
        }
        EVENT_TASK_CREATION => set_creations(callback),
        EVENT_SUB_BLOCK => {
            if callback.is_some() {
                sub_block_entry::begin();
            }
            answer(CALLBACKS.set_sub_blocks(typed(callback)), SET_SOMETIMES)
        }
        EVENT_WANTED => answer(CALLBACKS.set_wanted(typed(callback)), SET_SOMETIMES),
        _ => match link_for(event) {
            Some(link) => {
                if event == EVENT_WORK && callback.is_some() && overrides::any() {
                    // The runtime tells of the end of a loop that it deals instead while it is called from here.
                    WORK.hook();
                }
                (link.set)(callback)
            }
            None => RUNTIME.set_callback(event, callback),
        },
    })
    .unwrap_or(SET_ERROR)
}

fn set_loops(callback: Option<AnyFn>) -> c_int {
    if callback.is_some() && !WORK.hook() {
        report::explain(format_args!(
            "the runtime refuses ompt_callback_work: loop events have no codeptr_ra, and the schedule \
             of the clause"
        ));
    }
    answer(CALLBACKS.set_loops(typed(callback)), SET_SOMETIMES)
}

fn set_creations(callback: Option<AnyFn>) -> c_int {
    if callback.is_some() && !(TASK_CREATE.hook() && TASK_SCHEDULE.hook()) {
        report::explain(format_args!(
            "the runtime refuses ompt_callback_task_create or ompt_callback_task_schedule: no task \
             creation is reported"
        ));
        return SET_NEVER;
    }
    answer(CALLBACKS.set_creations(typed(callback)), SET_SOMETIMES)
}

/// Nobody wanted dispatch events of this runtime yet.
const NOT_ASKED: c_int = -1;
static SAID: AtomicI32 = AtomicI32::new(NOT_ASKED);

/// Another life begins: the filter is not registered in the runtime that comes.
pub(crate) fn begin() {
    SAID.store(NOT_ASKED, Ordering::Relaxed);
}

/// Has the runtime call our filter once somebody `wanted` dispatch events, and gives its answer. It stays registered for good:
/// runtimes (libomp 19, libiomp5) crash when a callback is unregistered while another thread is about to call it, as they test
/// a flag, then call through the pointer, with nothing to hold the two together.
fn register_filter(wanted: bool) -> c_int {
    let said_before = SAID.load(Ordering::Relaxed);
    if said_before != NOT_ASKED {
        return said_before;
    }
    if !wanted {
        return SET_ALWAYS;
    }
    let answer = RUNTIME.set_callback(EVENT_DISPATCH, any(filter()));
    let said = if answer < SET_SOMETIMES {
        report::explain(format_args!(
            "the runtime refuses ompt_callback_dispatch (ompt_set_callback answers {answer}): only \
             loops compiled with the plugin have dispatch events"
        ));
        SET_SOMETIMES_PAIRED
    } else {
        // A runtime may say that its events come sometimes, and there are tools that listen only to more. With the
        // chunks of instrumented loops it is more; see `ompt-chunk.h` for why it is this. Never less than the runtime says.
        answer.max(SET_SOMETIMES_PAIRED)
    };
    SAID.store(said, Ordering::Relaxed);
    said
}

unsafe extern "C" fn get_callback(event: c_uint, callback: *mut Option<AnyFn>) -> c_int {
    let registered = match event {
        EVENT_DISPATCH => CALLBACKS.dispatch().and_then(any),
        EVENT_LOOP => CALLBACKS.loops().and_then(any),
        EVENT_CHUNK => CALLBACKS.chunk().and_then(any),
        EVENT_TOOL_TIME => CALLBACKS.clock().and_then(any),
        EVENT_TASK_CREATION => CALLBACKS.creations().and_then(any),
        EVENT_SUB_BLOCK => CALLBACKS.sub_blocks().and_then(any),
        EVENT_WANTED => CALLBACKS.wanted().and_then(any),
        _ => match link_for(event).and_then(|link| (link.get)()) {
            // The shim stands before the tool's.
            Some(registered) => registered,
            // SAFETY: the tool's arguments, as they came.
            None => return unsafe { RUNTIME.get_callback(event, callback) },
        },
    };
    if registered.is_none() || callback.is_null() {
        return 0;
    }
    // SAFETY: not null, and a tool passes memory for the answer.
    unsafe { callback.write(registered) };
    1
}

/// `ompt_chunk_get_loop`. The C header's view of a loop record is the same as ours.
unsafe extern "C" fn get_loop() -> *const LoopRecord {
    thread_storage::thread().loop_record().0
}

unsafe extern "C" fn get_schedule(schedule: *mut c_uint, chunk: *mut i64) -> c_int {
    let (loop_record, ..) = thread_storage::thread().loop_record();
    // SAFETY: null, or the constant record of a loop that the thread is in.
    let Some(record) = (unsafe { loop_record.as_ref() }) else { return 0 };
    let instead = thread_storage::thread().schedule_instead();
    let (kind, size) = instead.map_or((record.schedule, record.chunk.into()), |(kind, size)| (kind, size.into()));
    // SAFETY: null, or memory for the answer.
    unsafe {
        if !schedule.is_null() {
            schedule.write(kind);
        }
        if !chunk.is_null() {
            chunk.write(size);
        }
    }
    if instead.is_some() { 2 } else { 1 }
}

unsafe extern "C" fn get_section(number: *mut u64) -> c_int {
    let (loop_record, section, _) = thread_storage::thread().loop_record();
    // SAFETY: null, or the constant record of what the thread is in.
    let is_sections = unsafe { loop_record.as_ref() }.is_some_and(|record| record.construct == CONSTRUCT_SECTIONS);
    if !is_sections || section == NO_SECTION {
        return 0;
    }
    if !number.is_null() {
        // SAFETY: not null, and a tool passes memory for the answer.
        unsafe { number.write(section as u64) };
    }
    1
}

unsafe extern "C" fn get_variable(start: *mut i64, step: *mut i64) -> c_int {
    let (loop_record, passed_start, passed_step) = thread_storage::thread().loop_record();
    // SAFETY: null, or the constant record of a loop that the thread is in.
    let Some(record) = (unsafe { loop_record.as_ref() }) else { return 0 };
    let mut known = 0;
    for (flag, value, passing, passed, place) in [
        (LOOP_START_KNOWN, record.start, LOOP_START_PASSED, passed_start, start),
        (LOOP_STEP_KNOWN, record.step, LOOP_STEP_PASSED, passed_step, step),
    ] {
        let value = match record.flags {
            flags if flags & flag != 0 => value.into(),
            flags if flags & passing != 0 => passed,
            _ => continue,
        };
        known |= flag;
        if !place.is_null() {
            // SAFETY: not null, and a tool passes memory for the answer.
            unsafe { place.write(value) };
        }
    }
    known as c_int
}

fn answer(stored: bool, result: c_int) -> c_int {
    if stored { result } else { SET_ERROR }
}

/// A chain whatever the type of its callbacks: [`Chain`](crate::chain::Chain)'s functions of these names.
// No trait: what a trait's generic functions use is found by a longer way everywhere.
pub(crate) struct Link {
    event: fn() -> c_uint,
    pub(crate) set: fn(Option<AnyFn>) -> c_int,
    pub(crate) get: fn() -> Option<Option<AnyFn>>,
    begin: fn(),
    close: fn(),
}

macro_rules! links {
    ($($chain:ident),+) => {
        [$(Link {
            event: || $chain.event(),
            set: |callback| $chain.set(callback),
            get: || $chain.get(),
            begin: || $chain.begin(),
            close: || $chain.close(),
        }),+]
    };
}

static LINKS: [Link; 15] = links!(
    THREAD_BEGIN, WORK, PARALLEL_END, TASK_CREATE, TASK_SCHEDULE, PARALLEL_BEGIN, IMPLICIT_TASK, THREAD_END,
    SYNC_REGION_WAIT, REDUCTION, MUTEX_ACQUIRE, MUTEX_ACQUIRED, MUTEX_RELEASED, NEST_LOCK, MASKED
);

/// An event's. None: the runtime alone deals with it.
pub(crate) fn link_for(event: c_uint) -> Option<&'static Link> {
    LINKS.iter().find(|link| (link.event)() == event)
}

/// Another life begins, with a runtime that knows nothing of the shim.
pub(crate) fn begin_links() {
    LINKS.iter().for_each(|link| (link.begin)());
}

/// The tool is gone: what the runtime still reports reaches nobody.
pub(crate) fn close_links() {
    LINKS.iter().for_each(|link| (link.close)());
}
