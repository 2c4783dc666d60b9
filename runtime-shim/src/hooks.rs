//! What instrumented loops call, and the filter for the runtime's own chunk events.
//!
//! The hot path: no lock, no allocation, nothing that can panic, no thread-local access after a
//! loop's first chunk. The tool's functions are called with nothing held.

use core::ffi::{c_int, c_uint};
use core::mem::{align_of, size_of};
use core::ptr;

use ompchunk_abi::{
    BookkeepingFn, CONSTRUCT_DISTRIBUTE, CREATES_ANY, CREATES_ONE, ChunkFn as AbiChunkFn,
    ENTER_TIMED, Frame, LOOP_DEALT, LeaveFn, LoopRecord, ModuleRecord, WAITS,
};

use crate::ompt::{
    ChunkFn, ClockFn, DISPATCH_DISTRIBUTE_CHUNK, DISPATCH_WS_LOOP_CHUNK, Data, DispatchChunk,
    DispatchFn,
};
use crate::runtime::RUNTIME;
use crate::table::Table;
use crate::thread::{Phase, Running};
use crate::{loop_event, tally, task, thread};

/// The callbacks of this process's tool.
pub(crate) static TABLE: Table = Table::empty();

/// In place of an `ompt_dispatch_t`: the runtime itself reports the loop's chunks in dispatch events.
const NO_DISPATCH: c_uint = 0;

/// The shim's part of a frame.
#[repr(C)]
struct Execution {
    parallel_data: *mut Data,
    task_data: *mut Data,
    /// What the dispatch event points to.
    dispatched: DispatchChunk,
    /// The loop around this one.
    around: Running,
    /// The clock that gave `since`; none: nothing is being timed.
    clock: Option<ClockFn>,
    /// When the bookkeeping for the next chunk began.
    since: f64,
    /// `ompt_dispatch_t` of this loop's chunks, or [`NO_DISPATCH`].
    kind: c_uint,
    /// No chunk came yet.
    starting: bool,
    /// The bookkeeping for chunks is timed.
    timed: bool,
}

const _: () = {
    assert!(size_of::<Execution>() <= size_of::<[u64; 18]>());
    assert!(align_of::<Execution>() <= align_of::<u64>());
};

fn execution(frame: *mut Frame) -> *mut Execution {
    frame
        .cast::<u8>()
        .wrapping_add(core::mem::offset_of!(Frame, shim))
        .cast()
}

/// `EnterFn`: a thread is about to run a loop, or creates a task.
///
/// # Safety
///
/// `the_loop` says what becomes of a task, or is a loop record that stays and `frame` memory for a frame.
pub(crate) unsafe extern "C" fn enter(
    _module: *const ModuleRecord,
    the_loop: *const LoopRecord,
    frame: *mut Frame,
    start: i64,
    step: i64,
) -> u32 {
    let unread = task::Unread::uninit();
    let place = frame.cast_const().cast();
    let what = the_loop.addr();
    // One comparison for the two that every creation comes with.
    if what <= CREATES_ONE {
        return match what {
            CREATES_ONE => task::creates_one(unread, unread, place),
            _ => task::created(unread, unread, place),
        };
    }
    match what {
        CREATES_ANY => task::creates_any(unread, unread, place),
        WAITS => task::waits(unread, unread, place),
        // SAFETY: passed on.
        _ => unsafe { enter_loop(the_loop, frame, start, step) },
    }
}

/// The same where the summary will tell how many creations of tasks there were.
///
/// # Safety
///
/// As for [`enter`].
pub(crate) unsafe extern "C" fn enter_counted(
    module: *const ModuleRecord,
    the_loop: *const LoopRecord,
    frame: *mut Frame,
    start: i64,
    step: i64,
) -> u32 {
    if [CREATES_ONE, CREATES_ANY].contains(&the_loop.addr()) && TABLE.creations().is_some() {
        tally::creating();
    }
    // SAFETY: passed on.
    unsafe { enter(module, the_loop, frame, start, step) }
}

/// # Safety
///
/// As for [`enter`]; there is a loop.
// A function of its own, so that a task does not save the registers that a loop needs.
#[inline(never)]
unsafe extern "C" fn enter_loop(
    the_loop: *const LoopRecord,
    frame: *mut Frame,
    start: i64,
    step: i64,
) -> u32 {
    let wants = TABLE.wants();
    if wants == 0 {
        return 0;
    }
    // Not an OpenMP thread, or the runtime is shutting down: the loop runs as compiled.
    let Some((task_data, parallel_data)) = RUNTIME.current_task() else {
        return 0;
    };
    tally::entered();
    // SAFETY: the plugin passes the loop's own record.
    let (construct, flags) = unsafe { ((*the_loop).construct, (*the_loop).flags) };
    let dealt = flags & LOOP_DEALT != 0;
    let kind = if dealt {
        NO_DISPATCH
    } else if construct == CONSTRUCT_DISTRIBUTE {
        DISPATCH_DISTRIBUTE_CHUNK
    } else {
        DISPATCH_WS_LOOP_CHUNK
    };
    let timed = TABLE.times_chunks();
    let phase = if TABLE.loops().is_some() && wants & ENTER_TIMED != 0 {
        Phase::Entered
    } else {
        Phase::Quiet
    };
    // Chosen here, so that a chunk costs no test for what it is not.
    let chunk: AbiChunkFn = match (dealt, timed) {
        (true, _) => dealt_chunk,
        (false, true) => any_chunk,
        (false, false) => chunk,
    };
    let (bookkeeping, leave): (BookkeepingFn, LeaveFn) = match (phase, dealt) {
        (Phase::Entered, _) => (first_bookkeeping, leave_with_event),
        (_, true) => (dealt_bookkeeping, leave),
        (_, false) => (bookkeeping, leave),
    };
    let around = thread::enter(
        Running {
            the_loop,
            start,
            step,
            parallel_data,
            task_data,
            codeptr: ptr::null(),
            work: 0,
            phase,
            timed: dealt && timed,
        },
        !dealt,
    );
    // SAFETY: the plugin passes memory of a frame's size and alignment, which this thread owns.
    // Both writes stay within it: `Execution` fits the field `shim`, asserted above.
    unsafe {
        frame.write(Frame {
            chunk,
            bookkeeping,
            leave,
            the_loop,
            shim: [0; 18],
        });
        execution(frame).write(Execution {
            parallel_data,
            task_data,
            dispatched: DispatchChunk {
                start: 0,
                iterations: 0,
            },
            around,
            clock: None,
            since: 0.0,
            kind,
            starting: !dealt,
            timed,
        });
    }
    wants
}

/// `ChunkFn` of static loops that are not timed: the thread is about to run a chunk.
///
/// What is usual takes the short way: not the loop's first chunk, and one callback. It ends in the
/// callback, with nothing to save or restore around it.
///
/// # Safety
///
/// `frame` was filled in by `enter` and not left yet.
unsafe extern "C" fn chunk(frame: *mut Frame, lower: u64, upper: u64, is_last: u32) {
    let this = execution(frame);
    // SAFETY: `enter` wrote the execution, and this thread alone uses it. The callbacks are of the type
    // their slot states.
    unsafe {
        if (*this).starting {
            return any_chunk(frame, lower, upper, is_last);
        }
        match (TABLE.dispatch(), TABLE.chunk()) {
            (Some(dispatch), None) => send_dispatch(this, dispatch, lower, upper),
            (None, Some(chunk)) => send_chunk(this, chunk, lower, upper, 0.0, is_last),
            _ => any_chunk(frame, lower, upper, is_last),
        }
    }
}

/// `ChunkFn` of every static loop.
///
/// # Safety
///
/// As for [`chunk`].
#[inline(never)]
unsafe extern "C" fn any_chunk(frame: *mut Frame, lower: u64, upper: u64, is_last: u32) {
    let this = execution(frame);
    // SAFETY: as in `chunk`.
    unsafe {
        // First of all, so that the duration holds as little of ours as possible.
        let create_duration = if (*this).timed { elapsed(this) } else { 0.0 };
        if (*this).starting {
            (*this).starting = false;
            thread::started();
        }
        if let Some(dispatch) = TABLE.dispatch() {
            send_dispatch(this, dispatch, lower, upper);
        }
        if let Some(chunk) = TABLE.chunk() {
            send_chunk(this, chunk, lower, upper, create_duration, is_last);
        }
    }
}

/// `ChunkFn` of a loop whose chunks the runtime deals, and reports itself in dispatch events.
///
/// # Safety
///
/// As for [`chunk`].
unsafe extern "C" fn dealt_chunk(frame: *mut Frame, lower: u64, upper: u64, is_last: u32) {
    let this = execution(frame);
    // SAFETY: as in `chunk`.
    unsafe {
        let create_duration = if (*this).timed {
            elapsed(this) - thread::spent_elsewhere()
        } else {
            0.0
        };
        if let Some(chunk) = TABLE.chunk() {
            send_chunk(this, chunk, lower, upper, create_duration, is_last);
        }
    }
}

/// The dispatch event of a chunk.
///
/// # Safety
///
/// `this` is the calling thread's; the tool reads `dispatched` through the event, while we do not touch it.
#[inline(always)]
unsafe fn send_dispatch(this: *mut Execution, dispatch: DispatchFn, lower: u64, upper: u64) {
    // SAFETY: see the caller's obligation; the callback is a `DispatchFn` as its slot states.
    unsafe {
        (*this).dispatched = DispatchChunk {
            start: lower,
            iterations: upper.wrapping_sub(lower).wrapping_add(1),
        };
        let instance = Data {
            ptr: (&raw mut (*this).dispatched).cast(),
        };
        dispatch(
            (*this).parallel_data,
            (*this).task_data,
            (*this).kind,
            instance,
        );
    }
}

/// The chunk event of a chunk.
///
/// # Safety
///
/// As for [`send_dispatch`].
#[inline(always)]
unsafe fn send_chunk(
    this: *mut Execution,
    chunk: ChunkFn,
    lower: u64,
    upper: u64,
    create_duration: f64,
    is_last: u32,
) {
    // SAFETY: see the caller's obligation; the callback is a `ChunkFn` as its slot states.
    unsafe {
        chunk(
            (*this).task_data,
            lower as i64,
            upper as i64,
            create_duration,
            is_last as c_int,
        );
    }
}

/// Time since the last `bookkeeping`, or 0 if there is none, or if the tool has taken back or
/// changed its clock since then.
///
/// # Safety
///
/// `this` is the calling thread's.
#[inline]
unsafe fn elapsed(this: *mut Execution) -> f64 {
    // SAFETY: see the caller's obligation; the clock is a `ClockFn` as its slot states.
    unsafe {
        match ((*this).clock.take(), TABLE.clock()) {
            (Some(before), Some(clock)) if ptr::fn_addr_eq(before, clock) => {
                clock() - (*this).since
            }
            _ => 0.0,
        }
    }
}

/// `BookkeepingFn`: the bookkeeping for the next chunk begins.
///
/// # Safety
///
/// As for [`chunk`].
unsafe extern "C" fn bookkeeping(frame: *mut Frame) {
    let this = execution(frame);
    let clock = TABLE.clock();
    // SAFETY: as in `chunk`.
    unsafe {
        (*this).clock = clock;
        if let Some(clock) = clock {
            (*this).since = clock();
        }
    }
}

/// `BookkeepingFn` of a loop whose chunks the runtime deals.
///
/// # Safety
///
/// As for [`chunk`].
unsafe extern "C" fn dealt_bookkeeping(frame: *mut Frame) {
    thread::spent_elsewhere();
    // SAFETY: passed on.
    unsafe { bookkeeping(frame) };
}

/// `BookkeepingFn` where only the begin of the loop was wanted.
unsafe extern "C" fn no_bookkeeping(_: *mut Frame) {}

/// `BookkeepingFn` before the loop's begin was reported: what comes after is not slowed down by it.
///
/// # Safety
///
/// As for [`chunk`].
unsafe extern "C" fn first_bookkeeping(frame: *mut Frame) {
    loop_event::begin();
    // SAFETY: as in `chunk`; the program reads the entry point anew for each call.
    unsafe {
        let this = execution(frame);
        (*frame).bookkeeping = match ((*this).timed, (*this).kind) {
            (false, _) => no_bookkeeping,
            (true, NO_DISPATCH) => dealt_bookkeeping,
            (true, _) => bookkeeping,
        };
        ((*frame).bookkeeping)(frame);
    }
}

/// `LeaveFn`: the thread has run its last chunk of the loop, or had none.
///
/// # Safety
///
/// As for [`chunk`]; the frame is dead afterwards.
unsafe extern "C" fn leave(frame: *mut Frame) {
    // SAFETY: as in `chunk`.
    thread::leave(unsafe { (*execution(frame)).around });
}

/// `LeaveFn` where the loop's end is wanted.
///
/// # Safety
///
/// As for [`leave`].
unsafe extern "C" fn leave_with_event(frame: *mut Frame) {
    loop_event::end();
    // SAFETY: passed on.
    unsafe { leave(frame) };
}

/// The shim's own dispatch callback: passes the runtime's events on, except those it sends for an
/// instrumented loop. Those come while the loop starts, and are a wrong subset of what follows.
///
/// # Safety
///
/// The runtime's arguments.
pub(crate) unsafe extern "C" fn filter(
    parallel_data: *mut Data,
    task_data: *mut Data,
    kind: c_uint,
    instance: Data,
) {
    let of_a_loop = kind == DISPATCH_WS_LOOP_CHUNK || kind == DISPATCH_DISTRIBUTE_CHUNK;
    if of_a_loop && thread::is_starting() {
        return;
    }
    let Some(dispatch) = TABLE.dispatch() else {
        return;
    };
    // SAFETY: the tool's callback, with what the runtime wants it to get.
    let pass_on = || unsafe { dispatch(parallel_data, task_data, kind, instance) };
    match TABLE.clock() {
        Some(clock) if of_a_loop && thread::current().timed => {
            // What the tool itself does here is no part of dealing the chunk.
            // SAFETY: a `ClockFn` as its slot states.
            let before = unsafe { clock() };
            pass_on();
            // SAFETY: as above.
            thread::spend_elsewhere(unsafe { clock() } - before);
        }
        _ => pass_on(),
    }
}
