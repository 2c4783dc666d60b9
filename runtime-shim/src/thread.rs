//! What the calling thread is doing: the loop it is in, with the values it was entered with, and
//! whether the runtime's chunk events are those of an instrumented loop.
//!
//! Constant-initialised cells without destructors, so that an access neither allocates in this
//! library nor can fail. They hold values and the address of the loop's constant record, never of a
//! frame: a loop left without `leave` then misleads at worst, it leaves nothing dangling.
//!
//! A signal handler may ask at any instant ([`the_loop`]): the record's address is taken away before
//! the values behind it change, and put back when they are whole.

use core::cell::Cell;
use core::ffi::{c_uint, c_void};
use core::ptr;
use core::sync::atomic::{AtomicPtr, Ordering, compiler_fence};

use ompchunk_abi::LoopRecord;

use crate::chain::THREAD_BEGIN;
use crate::ompt::Data;

/// How far the loop events of an execution are.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Phase {
    /// None are wanted.
    Quiet,
    /// The begin is still to come.
    Entered,
    /// The end is still to come.
    Begun,
    /// Both were sent.
    Ended,
}

/// A loop and the values of its execution.
#[derive(Clone, Copy)]
pub(crate) struct Running {
    pub(crate) the_loop: *const LoopRecord,
    /// The user's, as the program passed them.
    pub(crate) start: i64,
    pub(crate) step: i64,
    pub(crate) parallel_data: *mut Data,
    pub(crate) task_data: *mut Data,
    /// What the runtime's own event said of the loop; null and 0 before it came.
    pub(crate) codeptr: *const c_void,
    pub(crate) work: c_uint,
    pub(crate) phase: Phase,
    /// The time is taken in which the runtime deals a chunk and reports it.
    pub(crate) timed: bool,
}

struct Thread {
    the_loop: AtomicPtr<LoopRecord>,
    /// Everything else of the loop.
    values: Cell<Running>,
    starting: Cell<bool>,
    /// What the tool's own callback took of the time that is being measured.
    elsewhere: Cell<f64>,
}

const NOTHING: Running = Running {
    the_loop: ptr::null(),
    start: 0,
    step: 0,
    parallel_data: ptr::null_mut(),
    task_data: ptr::null_mut(),
    codeptr: ptr::null(),
    work: 0,
    phase: Phase::Quiet,
    timed: false,
};

thread_local! {
    static HERE: Thread = const {
        Thread {
            the_loop: AtomicPtr::new(ptr::null_mut()),
            values: Cell::new(NOTHING),
            starting: Cell::new(false),
            elsewhere: Cell::new(0.0),
        }
    };
}

impl Thread {
    fn replace(&self, running: Running) {
        self.the_loop.store(ptr::null_mut(), Ordering::Relaxed);
        compiler_fence(Ordering::SeqCst);
        self.values.set(running);
        compiler_fence(Ordering::SeqCst);
        self.the_loop
            .store(running.the_loop.cast_mut(), Ordering::Relaxed);
    }
}

/// The shim's own thread-begin callback: the first access to thread-local storage may allocate it, if the
/// shim was opened with `dlopen`. Here it may; in a signal handler of the tool's it must not.
///
/// # Safety
///
/// The runtime's arguments.
pub(crate) unsafe extern "C" fn on_thread_begin(thread_type: c_uint, thread_data: *mut Data) {
    HERE.with(|here| here.starting.set(false));
    if let Some(begin) = THREAD_BEGIN.tool() {
        // SAFETY: the tool's callback, with what the runtime wants it to get.
        unsafe { begin(thread_type, thread_data) };
    }
}

/// The thread enters a loop. `starting`: until its first chunk, the runtime reports chunks of it that
/// are not what runs. Gives the loop around it.
#[inline]
pub(crate) fn enter(running: Running, starting: bool) -> Running {
    HERE.with(|here| {
        let around = here.values.get();
        here.starting.set(starting);
        here.replace(running);
        around
    })
}

/// The loop's first chunk has come.
#[inline]
pub(crate) fn started() {
    HERE.with(|here| here.starting.set(false));
}

/// The thread leaves the loop for the one around it.
#[inline]
pub(crate) fn leave(around: Running) {
    HERE.with(|here| {
        here.starting.set(false);
        here.replace(around);
    });
}

/// Whether the thread is between entering an instrumented loop and that loop's first chunk: there
/// the runtime reports the chunks it knows of.
#[inline]
pub(crate) fn is_starting() -> bool {
    HERE.with(|here| here.starting.get())
}

/// The innermost instrumented loop that the thread is in; its record is null outside one. Not for
/// signal handlers.
#[inline]
pub(crate) fn current() -> Running {
    HERE.with(|here| here.values.get())
}

/// Adds to the time that the tool's own callback takes while the runtime deals a chunk.
#[inline]
pub(crate) fn spend_elsewhere(time: f64) {
    HERE.with(|here| here.elsewhere.set(here.elsewhere.get() + time));
}

/// That time since it was last asked for.
#[inline]
pub(crate) fn spent_elsewhere() -> f64 {
    HERE.with(|here| here.elsewhere.replace(0.0))
}

/// Changes what is known of that loop, but not which loop it is.
#[inline]
pub(crate) fn update(change: impl FnOnce(&mut Running)) {
    HERE.with(|here| {
        let mut running = here.values.get();
        change(&mut running);
        here.values.set(running);
    });
}

/// The record of that loop, or null, with the user's start and step as they were passed. Right in a
/// signal handler too, whatever it interrupts: while a loop is being entered or left, there is none.
#[inline]
pub(crate) fn the_loop() -> (*const LoopRecord, i64, i64) {
    HERE.with(|here| {
        let the_loop = here.the_loop.load(Ordering::Relaxed);
        compiler_fence(Ordering::SeqCst);
        let values = here.values.get();
        (the_loop.cast_const(), values.start, values.step)
    })
}
