//! `ompt_callback_task_creation`: what the creation of a task took, by the tool's clock.
//!
//! The program says when a creation begins and ends; what is created the runtime says in its own
//! `ompt_callback_task_create`, and when the thread runs tasks meanwhile in `ompt_callback_task_schedule`.
//! The shim stands before both while an extension callback is registered. Their own time, with the tool's
//! callbacks in it, is not counted, nor is the time in which the thread runs other tasks or, if the compiler
//! has it wait for dependences first, waits.
//!
//! A creation inside (a task that runs at once creates others, or the copy of an object does) puts the one
//! around it aside and back, and has a time of its own.

use core::ffi::{c_int, c_uint, c_void};
use core::mem::{align_of, offset_of, size_of};
use core::ptr;

use ompchunk_abi::{CREATES_ONE, ENTER_LISTENING, ENTER_TIMED, Frame};

use crate::chain::{TASK_CREATE, TASK_SCHEDULE};
use crate::creation::{Created, Creation, State};
use crate::hooks::TABLE;
use crate::local;
use crate::ompt::{Data, TASK_EXPLICIT, TASK_TARGET};
use crate::runtime::RUNTIME;
use crate::tally;

/// The shim's part of a frame.
#[repr(C)]
struct Aside {
    /// The thread's: a frame is used on one thread alone.
    here: *const Creation,
    /// The creation around this one.
    around: Option<Creation>,
}

const _: () = {
    assert!(size_of::<Aside>() <= size_of::<[u64; 18]>());
    assert!(align_of::<Aside>() <= align_of::<u64>());
};

fn aside(frame: *mut Frame) -> *mut Aside {
    frame
        .cast::<u8>()
        .wrapping_add(offset_of!(Frame, shim))
        .cast()
}

/// `EnterFn` without a loop: a task is about to be created, or several.
///
/// # Safety
///
/// `frame` is memory for a frame.
#[inline]
pub(crate) unsafe fn enter(frame: *mut Frame, what: i64) -> u32 {
    if TABLE.creations().is_none() {
        return 0;
    }
    // SAFETY: passed on.
    unsafe {
        if what == CREATES_ONE {
            begin(frame, ptr::null_mut())
        } else {
            enter_any(frame)
        }
    }
}

/// # Safety
///
/// As for [`enter`].
#[inline(never)]
unsafe extern "C" fn enter_any(frame: *mut Frame) -> u32 {
    // Not an OpenMP thread, or the runtime is shutting down.
    let Some((parent, _)) = RUNTIME.current_task() else {
        return 0;
    };
    // SAFETY: passed on.
    unsafe { begin(frame, parent) }
}

/// # Safety
///
/// As for [`enter`].
#[inline(always)]
unsafe fn begin(frame: *mut Frame, parent: *mut Data) -> u32 {
    let here = local::creation();
    // SAFETY: the plugin passes memory of a frame's size and alignment, which this thread owns. All
    // writes stay within it: `Aside` fits the field `shim`, asserted above.
    unsafe {
        // `chunk` is not called where there is no loop.
        (&raw mut (*frame).bookkeeping).write(wait);
        (&raw mut (*frame).leave).write(leave);
        let aside = aside(frame);
        (&raw mut (*aside).here).write(here);
        (&raw mut (*aside).around).write(None);
        if here.state() != State::Idle {
            put_aside(here, aside);
        }
    }
    tally::creating();
    here.begin(parent);
    ENTER_LISTENING | ENTER_TIMED
}

/// # Safety
///
/// `aside` is the thread's own.
#[cold]
#[inline(never)]
unsafe extern "C" fn put_aside(here: &Creation, aside: *mut Aside) {
    // SAFETY: see the caller's obligation.
    unsafe { (*aside).around = Some(here.put_aside()) };
}

/// `BookkeepingFn` of a frame without a loop: a wait for dependences begins or ends.
unsafe extern "C" fn wait(_: *mut Frame) {
    local::creation().wait();
}

/// `LeaveFn` of such a frame: the task is handed over, and perhaps has run.
///
/// # Safety
///
/// `frame` was filled in by `enter` and not left yet.
unsafe extern "C" fn leave(frame: *mut Frame) {
    let aside = aside(frame);
    // SAFETY: `enter` wrote both, on this thread, which alone uses them.
    unsafe {
        if (*aside).around.is_some() {
            leave_inside(aside);
        } else {
            (*(*aside).here).end();
        }
    }
}

/// # Safety
///
/// `aside` was filled in by `enter`.
#[cold]
#[inline(never)]
unsafe extern "C" fn leave_inside(aside: *mut Aside) {
    // SAFETY: as in `leave`.
    let (here, around) = unsafe { (&*(*aside).here, (*aside).around.take()) };
    here.stop(State::Over);
    here.report();
    if let Some(around) = around {
        here.put_back(around);
    }
}

/// The shim's own task-create callback. What is usual takes the short way: the thread creates this one task in
/// code with the plugin, and no callback of the tool's stands behind.
///
/// # Safety
///
/// The runtime's arguments.
pub(crate) unsafe extern "C" fn on_task_create(
    parent: *mut Data,
    frame: *const c_void,
    task: *mut Data,
    flags: c_int,
    has_dependences: c_int,
    codeptr: *const c_void,
) {
    let here = local::creation();
    // SAFETY: the runtime's arguments.
    unsafe {
        if here.creates_one() && is_task(flags) && TASK_CREATE.tool().is_none() {
            let created = Created {
                parent,
                frame,
                task,
                flags,
                has_dependences,
                codeptr,
            };
            here.note(created, true);
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

/// The same in every case.
///
/// # Safety
///
/// The runtime's arguments.
#[inline(never)]
unsafe extern "C" fn on_any_task_create(
    parent: *mut Data,
    frame: *const c_void,
    task: *mut Data,
    flags: c_int,
    has_dependences: c_int,
    codeptr: *const c_void,
) {
    let here = local::creation();
    let tool = TASK_CREATE.tool();
    // Not what a task that runs inside creates in code without the plugin.
    let only = here.creates_one();
    let ours = here.is_of(parent) && is_task(flags);
    // Two readings of the clock cost more than what is left out by them where no callback of the tool runs.
    let pauses = ours && (tool.is_some() || here.is_created());
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
        let created = Created {
            parent,
            frame,
            task,
            flags,
            has_dependences,
            codeptr,
        };
        // SAFETY: the runtime's arguments.
        unsafe { here.note(created, only) };
        if pauses {
            here.start();
        }
    }
}

/// The shim's own task-schedule callback: what the thread runs while it creates a task is no part of that.
///
/// # Safety
///
/// The runtime's arguments.
pub(crate) unsafe extern "C" fn on_task_schedule(
    prior: *mut Data,
    status: c_uint,
    next: *mut Data,
) {
    if TASK_SCHEDULE.tool().is_some() {
        // SAFETY: passed on.
        return unsafe { pass_task_schedule(prior, status, next) };
    }
    let here = local::creation();
    match here.state() {
        State::Idle => {}
        State::Running => here.goes_from(prior, next),
        _ => here.comes_to(next),
    }
}

/// The same with a callback of the tool's, whose time does not count either.
///
/// # Safety
///
/// The runtime's arguments.
#[inline(never)]
unsafe extern "C" fn pass_task_schedule(prior: *mut Data, status: c_uint, next: *mut Data) {
    let here = local::creation();
    here.goes_from(prior, next);
    if let Some(schedule) = TASK_SCHEDULE.tool() {
        // SAFETY: the tool's callback, with what the runtime wants it to get.
        unsafe { schedule(prior, status, next) };
    }
    here.comes_to(next);
}
