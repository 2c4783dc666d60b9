//! `ompt_callback_task_creation`: what the creation of a task took, by the tool's clock.
//!
//! The program says when a creation begins and ends; what is created the runtime says in its own `ompt_callback_task_create`,
//! and when the thread runs tasks meanwhile in `ompt_callback_task_schedule`; the shim stands before both while an extension
//! callback is registered. Their own time is not counted, nor is that of other tasks or of waits for dependences.
//!
//! A creation inside (a task that runs at once creates others, or the copy of an object does) puts the one
//! around it aside and back, and has a time of its own.

pub(crate) mod creation;

use core::ffi::{c_int, c_uint, c_void};
use core::ptr;

use ompchunk_abi::StartFn;
use ompt::raw::{
    Data, EVENT_TASK_CREATE, EVENT_TASK_SCHEDULE, Frame, TASK_EXPLICIT, TASK_TARGET, TaskCreateFn, TaskScheduleFn,
};

use crate::chain::{Chain, pass_on};
use crate::registered_callbacks::CALLBACKS;
use crate::runtime::RUNTIME;
use crate::task::creation::{Created, Creation, State};
use crate::thread::thread_storage;

pub(crate) static TASK_CREATE: Chain<TaskCreateFn> = Chain::new(EVENT_TASK_CREATE, on_task_create);

pub(crate) static TASK_SCHEDULE: Chain<TaskScheduleFn> = Chain::new(EVENT_TASK_SCHEDULE, on_task_schedule);

/// What `begin` answers of a creation: nothing.
type Answer = Option<StartFn>;

// Their addresses are taken, so that the compiler leaves them their parameters.
#[used]
static JUMPED_TO: [extern "C" fn(*const c_void) -> Answer; 4] = [creates_one, creates_any, waits, created];

/// What `begin` is told of a creation, in place of a loop, each with `begin`'s first parameter, so that it is jumped to
/// with nothing moved or saved. First: the one task that is created next is the creation's.
#[inline(never)]
pub(crate) extern "C" fn creates_one(place: *const c_void) -> Answer {
    begin(place, ptr::null_mut())
}

/// Several may be created, or others in between.
#[inline(never)]
pub(crate) extern "C" fn creates_any(place: *const c_void) -> Answer {
    match RUNTIME.current_task() {
        Some((parent, _)) => begin(place, parent),
        // Not an OpenMP thread, or the runtime is shutting down.
        None => nothing(),
    }
}

#[inline(always)]
fn begin(mut place: *const c_void, parent: *mut Data) -> Answer {
    let here = thread_storage::creation();
    if here.state() != State::Idle {
        place = creation::make_room(here, place);
        if place.is_null() {
            return nothing();
        }
    }
    here.begin(place, parent);
    nothing()
}

/// A wait for dependences begins or ends.
#[inline(never)]
pub(crate) extern "C" fn waits(place: *const c_void) -> Answer {
    let here = thread_storage::creation();
    if here.place() == place {
        here.wait();
    }
    nothing()
}

/// The task is handed over, and perhaps has run.
#[inline(never)]
pub(crate) extern "C" fn created(place: *const c_void) -> Answer {
    let here = thread_storage::creation();
    if ptr::eq(here.place.get(), place) {
        here.end();
    } else {
        creation::leave(here, place);
    }
    nothing()
}

/// `None`, which the compiler does not know: else `begin` would call who returns it instead of jumping there, and return it itself.
#[inline(always)]
fn nothing() -> Answer {
    #[cfg(target_arch = "x86_64")]
    {
        let nothing: usize;
        // SAFETY: writes a register; 0 is `None`.
        unsafe {
            core::arch::asm!("xor {0:e}, {0:e}", out(reg) nothing, options(pure, nomem, nostack));
            core::mem::transmute::<usize, Answer>(nothing)
        }
    }
    #[cfg(not(target_arch = "x86_64"))]
    None
}

/// The shim's own task-create callback. What is usual takes the short way: the thread creates this one task in
/// code with the plugin, and no callback of the tool's stands behind. Safety: the runtime's arguments.
pub(crate) unsafe extern "C" fn on_task_create(
    parent: *mut Data,
    frame: *const Frame,
    task: *mut Data,
    flags: c_int,
    has_dependences: c_int,
    codeptr: *const c_void,
) {
    let here = thread_storage::creation();
    // SAFETY: the runtime's arguments.
    unsafe {
        if here.creates_one() && is_task(flags) && TASK_CREATE.tool().is_none() {
            let created = Created { parent, frame, task, flags, has_dependences, codeptr };
            here.store_created(created, true);
        } else {
            on_any_task_create(parent, frame, task, flags, has_dependences, codeptr);
        }
    }
}

/// A wait for dependences passes for a task, too.
#[inline]
fn is_task(flags: c_int) -> bool {
    flags & (TASK_EXPLICIT | TASK_TARGET) != 0
}

/// The same in every case. Safety: the runtime's arguments.
#[inline(never)]
unsafe extern "C" fn on_any_task_create(
    parent: *mut Data,
    frame: *const Frame,
    task: *mut Data,
    flags: c_int,
    has_dependences: c_int,
    codeptr: *const c_void,
) {
    let here = thread_storage::creation();
    creation::give_up_dead(here);
    let tool = TASK_CREATE.tool();
    // Not what a task that runs inside creates in code without the plugin.
    let only = here.creates_one();
    let ours = here.is_of(parent) && is_task(flags);
    // Two readings of the clock cost more than what is left out by them where no callback of the tool runs.
    let pauses = ours && (tool.is_some() || here.created.get());
    if pauses {
        here.stop(State::Elsewhere);
        // `taskloop` creates many in one call.
        here.report();
    }
    if let Some(create) = tool {
        // SAFETY: the tool's callback, with what the runtime wants it to get.
        unsafe { create(parent, frame, task, flags, has_dependences, codeptr) };
    }
    if ours {
        let created = Created { parent, frame, task, flags, has_dependences, codeptr };
        // SAFETY: the runtime's arguments.
        unsafe { here.store_created(created, only) };
        if pauses {
            here.start();
        }
    }
}

/// The shim's own task-schedule callback: what the thread runs while it creates a task is no part of that.
/// Safety: the runtime's arguments.
pub(crate) unsafe extern "C" fn on_task_schedule(prior: *mut Data, status: c_uint, next: *mut Data) {
    if TASK_SCHEDULE.tool().is_some() {
        // SAFETY: passed on.
        return unsafe { pass_task_schedule(prior, status, next) };
    }
    let here = thread_storage::creation();
    match here.state() {
        State::Idle => {}
        State::Running => here.goes_from(prior, next),
        _ => here.comes_to(next),
    }
}

/// The same with a callback of the tool's, whose time does not count either. Safety: the runtime's arguments.
#[inline(never)]
unsafe extern "C" fn pass_task_schedule(prior: *mut Data, status: c_uint, next: *mut Data) {
    let here = thread_storage::creation();
    here.goes_from(prior, next);
    pass_on!(TASK_SCHEDULE(prior, status, next));
    here.comes_to(next);
}

// What of a creation concerns the tool: its clock, and the event.
impl Creation {
    /// A creation begins at a place that is where it is kept, by the task with this datum or, if it is null, by the one that the next event tells.
    #[inline]
    pub(crate) fn begin(&self, place: *const c_void, parent: *mut Data) {
        self.place.set(place);
        self.clock.set(CALLBACKS.clock());
        self.spent.set(0.0);
        self.parent.set(parent);
        // Last of all, so that the duration holds as little of ours as possible.
        self.start();
    }

    #[inline]
    pub(crate) fn send(&self, spent: f64) {
        if let Some(callback) = CALLBACKS.creations() {
            // SAFETY: the tool's callback, of the type its slot states. The parent is the task that this
            // thread runs; the copy of the datum outlives the call.
            unsafe {
                callback(
                    self.parent.get(),
                    self.frame.get(),
                    self.data.as_ptr(),
                    self.flags.get(),
                    self.has_dependences.get(),
                    spent,
                    self.codeptr.get(),
                );
            }
        }
    }
}
