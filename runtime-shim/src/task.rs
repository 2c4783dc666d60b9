//! `ompt_callback_task_creation`: what the creation of a task took, by the tool's clock.
//!
//! The program says when a creation begins and ends; what is created the runtime says in its own
//! `ompt_callback_task_create`, and when the thread runs tasks meanwhile in `ompt_callback_task_schedule`.
//! The shim stands before both while an extension callback is registered. Their own time, with the tool's
//! callbacks in it, is not counted, nor is the time in which the thread runs other tasks or, if the compiler
//! has it wait for dependences first, waits.
//!
//! What is known of the creation in progress is kept per thread and holds no address of a frame; a creation
//! inside (a task that runs at once creates others, or the copy of an object does) puts it aside and back, and
//! has a time of its own.

use core::cell::Cell;
use core::ffi::{c_int, c_uint, c_void};
use core::mem::{align_of, offset_of, size_of};
use core::ptr;

use ompchunk_abi::{ENTER_LISTENING, ENTER_TIMED, Frame};

use crate::chain::{TASK_CREATE, TASK_SCHEDULE};
use crate::hooks::TABLE;
use crate::ompt::{ClockFn, Data, TASK_EXPLICIT, TASK_TARGET};
use crate::runtime::RUNTIME;
use crate::tally;

/// What the runtime said of the task.
#[derive(Clone, Copy)]
struct Created {
    frame: *const c_void,
    /// The tool's value as its own callback left it. The task may run elsewhere and be gone before its
    /// creation is reported, so its own datum must not be touched any more.
    data: Data,
    codeptr: *const c_void,
    flags: c_int,
    has_dependences: c_int,
}

/// The creation in progress.
#[derive(Clone, Copy)]
struct Creation {
    /// The program has told of it.
    active: bool,
    /// Time passes that counts.
    running: bool,
    /// The program waits for dependences.
    waiting: bool,
    /// Without one, every duration is 0.
    clock: Option<ClockFn>,
    since: f64,
    spent: f64,
    /// The datum of the task that creates.
    parent: *mut Data,
    created: Option<Created>,
}

const NONE: Creation = Creation {
    active: false,
    running: false,
    waiting: false,
    clock: None,
    since: 0.0,
    spent: 0.0,
    parent: ptr::null_mut(),
    created: None,
};

const _: () = {
    assert!(size_of::<Creation>() <= size_of::<[u64; 18]>());
    assert!(align_of::<Creation>() <= align_of::<u64>());
};

thread_local! {
    static HERE: Cell<Creation> = const { Cell::new(NONE) };
}

impl Creation {
    /// By the tool's clock; without one it is always 0.
    fn now(&self) -> f64 {
        // SAFETY: a `ClockFn` as its slot states.
        self.clock.map_or(0.0, |clock| unsafe { clock() })
    }

    fn start(&mut self) {
        self.running = true;
        self.since = self.now();
    }

    fn stop(&mut self) {
        if self.running {
            self.running = false;
            self.spent += self.now() - self.since;
        }
    }

    /// Reports the task created last; what is spent from now on is the next one's.
    fn report(&mut self) {
        let Some(mut created) = self.created.take() else {
            return;
        };
        let spent = core::mem::take(&mut self.spent);
        if let Some(callback) = TABLE.creations() {
            // SAFETY: the tool's callback, of the type its slot states. The parent is the task that this
            // thread runs; `created` outlives the call.
            unsafe {
                callback(
                    self.parent,
                    created.frame,
                    &raw mut created.data,
                    created.flags,
                    created.has_dependences,
                    spent,
                    created.codeptr,
                );
            }
        }
    }
}

fn aside(frame: *mut Frame) -> *mut Creation {
    frame
        .cast::<u8>()
        .wrapping_add(offset_of!(Frame, shim))
        .cast()
}

/// `EnterFn` without a loop: a task is about to be created.
///
/// # Safety
///
/// `frame` is memory for a frame.
pub(crate) unsafe fn enter(frame: *mut Frame) -> u32 {
    if TABLE.creations().is_none() {
        return 0;
    }
    // Not an OpenMP thread, or the runtime is shutting down.
    let Some((parent, _)) = RUNTIME.current_task() else {
        return 0;
    };
    tally::creating();
    let clock = TABLE.clock();
    let mut around = HERE.replace(NONE);
    around.stop();
    // SAFETY: the plugin passes memory of a frame's size and alignment, which this thread owns. Both
    // writes stay within it: `Creation` fits the field `shim`, asserted above.
    unsafe {
        frame.write(Frame {
            chunk: no_chunk,
            bookkeeping: wait,
            leave,
            the_loop: ptr::null(),
            shim: [0; 18],
        });
        aside(frame).write(around);
    }
    let mut creation = Creation {
        active: true,
        clock,
        parent,
        ..NONE
    };
    // Last of all, so that the duration holds as little of ours as possible.
    creation.start();
    HERE.set(creation);
    ENTER_LISTENING | ENTER_TIMED
}

/// `ChunkFn` of a frame without a loop; nobody calls it.
unsafe extern "C" fn no_chunk(_: *mut Frame, _: u64, _: u64, _: u32) {}

/// `BookkeepingFn` of such a frame: a wait for dependences begins or ends.
unsafe extern "C" fn wait(_: *mut Frame) {
    let mut creation = HERE.get();
    creation.waiting = !creation.waiting;
    if creation.waiting {
        creation.stop();
    } else {
        creation.start();
    }
    HERE.set(creation);
}

/// `LeaveFn` of such a frame: the task is handed over, and perhaps has run.
///
/// # Safety
///
/// `frame` was filled in by `enter` and not left yet.
unsafe extern "C" fn leave(frame: *mut Frame) {
    let mut creation = HERE.get();
    let runs_it = !creation.running;
    creation.stop();
    creation.report();
    // SAFETY: `enter` wrote it, and this thread alone uses it.
    let mut around = unsafe { *aside(frame) };
    // While the new task runs at once, no time of the creation around it passes either.
    if around.active && !around.waiting && !runs_it {
        around.start();
    }
    HERE.set(around);
}

/// The shim's own task-create callback.
///
/// # Safety
///
/// The runtime's arguments.
pub(crate) unsafe extern "C" fn on_task_create(
    encountering_task_data: *mut Data,
    encountering_task_frame: *const c_void,
    new_task_data: *mut Data,
    flags: c_int,
    has_dependences: c_int,
    codeptr_ra: *const c_void,
) {
    let mut creation = HERE.get();
    // Not a wait for dependences, which passes for a task, nor what a task that runs inside creates in code
    // without the plugin.
    let ours = creation.active
        && flags & (TASK_EXPLICIT | TASK_TARGET) != 0
        && ptr::eq(creation.parent, encountering_task_data);
    let tool = TASK_CREATE.tool();
    // Two readings of the clock cost more than what is left out by them where no callback of the tool runs.
    let pauses = ours && (tool.is_some() || creation.created.is_some());
    if pauses {
        creation.stop();
        // `taskloop` creates many in one call.
        creation.report();
    }
    if let Some(create) = tool {
        // SAFETY: the tool's callback, with what the runtime wants it to get.
        unsafe {
            create(
                encountering_task_data,
                encountering_task_frame,
                new_task_data,
                flags,
                has_dependences,
                codeptr_ra,
            );
        }
    }
    if ours {
        creation.created = Some(Created {
            frame: encountering_task_frame,
            // SAFETY: null, or the new task's datum, which is alive during the event.
            data: unsafe { new_task_data.as_ref() }.map_or(Data { value: 0 }, |data| *data),
            codeptr: codeptr_ra,
            flags,
            has_dependences,
        });
        if pauses {
            creation.start();
        }
        HERE.set(creation);
    }
}

/// The shim's own task-schedule callback: what the thread runs while it creates a task is no part of that.
///
/// # Safety
///
/// The runtime's arguments.
pub(crate) unsafe extern "C" fn on_task_schedule(
    prior_task_data: *mut Data,
    prior_task_status: c_uint,
    next_task_data: *mut Data,
) {
    let mut creation = HERE.get();
    let creates = ptr::eq(creation.parent, next_task_data);
    if creation.active && creation.running && !creates && !next_task_data.is_null() {
        creation.stop();
        HERE.set(creation);
    }
    if let Some(schedule) = TASK_SCHEDULE.tool() {
        // SAFETY: the tool's callback, with what the runtime wants it to get.
        unsafe { schedule(prior_task_data, prior_task_status, next_task_data) };
    }
    if creation.active && !creation.running && !creation.waiting && creates {
        creation.start();
        HERE.set(creation);
    }
}
