//! The chunks of an execution: what loops call before each, and the filter for the runtime's own chunk events.
//! The hot path, as `hooks` says of it. A loop with one chunk per thread takes the shortest way.

use core::ffi::{c_int, c_uint};
use core::mem::{align_of, offset_of, size_of};

use ompchunk_abi::{Frame, LOOP_DEALT};

use crate::registered_callbacks::CALLBACKS;
use crate::thread::thread_storage;
use crate::thread::{Running, Thread, knows};
use ompt::raw::{
    ChunkFn, DISPATCH_DISTRIBUTE_CHUNK, DISPATCH_SECTION, DISPATCH_WS_LOOP_CHUNK, Data, DispatchChunk, DispatchFn,
    ToolTimeFn,
};

/// In place of an `ompt_dispatch_t`: the runtime itself reports the loop's chunks in dispatch events.
pub(crate) const NO_DISPATCH: u8 = 0;
/// A loop's, and that of a league.
pub(crate) const LOOP_CHUNK: u8 = DISPATCH_WS_LOOP_CHUNK as u8;
pub(crate) const DISTRIBUTE_CHUNK: u8 = DISPATCH_DISTRIBUTE_CHUNK as u8;

/// The end of a frame, which is the shim's. A loop with one chunk per thread leaves it as it is, until something unusual comes.
#[repr(C)]
pub(crate) struct Execution {
    /// [`Frame::schedule`]
    _schedule: u32,
    /// `ompt_dispatch_t` of this loop's chunks, or [`NO_DISPATCH`].
    pub(crate) kind: u8,
    pub(crate) timed: bool,
    /// Where it is kept how long the sub-blocks of an execution are.
    pub(crate) sizes: u16,
    /// Whose the loop is, from the first chunk on.
    pub(crate) parallel_data: *mut Data,
    pub(crate) task_data: *mut Data,
    pub(crate) around: Running,
}

const _: () = {
    assert!(offset_of!(Frame, schedule) + size_of::<Execution>() == size_of::<Frame>());
    assert!(offset_of!(Frame, schedule) + offset_of!(Execution, kind) == offset_of!(Frame, own));
    assert!(align_of::<Execution>() <= align_of::<u64>());
    assert!(offset_of!(Frame, module) + size_of::<DispatchChunk>() == offset_of!(Frame, loop_record));
};

#[inline(always)]
pub(crate) fn execution(frame: *mut Frame) -> *mut Execution {
    frame.cast::<u8>().wrapping_add(offset_of!(Frame, schedule)).cast()
}

/// Memory of an execution to which nobody listens. What the runtime is told first does not stand there.
#[inline(always)]
pub(crate) fn quiet_memory<T>(frame: *mut Frame) -> *mut T {
    const { assert!(size_of::<T>() <= size_of::<Running>() && align_of::<T>() <= align_of::<Running>()) };
    execution(frame).cast::<u8>().wrapping_add(offset_of!(Execution, around)).cast()
}

/// What events say of a chunk: where [`Frame::module`] and [`Frame::ident`] stood, which only executions need that the runtime deals.
#[inline(always)]
pub(crate) fn dispatched(this: *mut Execution) -> *mut DispatchChunk {
    this.cast::<u8>().wrapping_sub(offset_of!(Frame, schedule) - offset_of!(Frame, module)).cast()
}

/// `ChunkFn` of loops with one chunk per thread, for which `enter` took the short way.
/// Safety: `frame` was filled in by `enter` and not left yet.
#[inline(always)]
pub(crate) unsafe extern "C" fn only_chunk(frame: *mut Frame, lower: u64, upper: u64, is_last: u32) {
    // SAFETY: `enter` has found the thread near; this thread alone uses the frame.
    unsafe {
        let here = thread_storage::near_thread();
        let told @ (parallel_data, task_data) = here.parallel_and_task_data();
        match CALLBACKS.dispatch_alone() {
            Some(dispatch) if knows(told) => {
                here.starting.set(false);
                let instance = instance(execution(frame), lower, upper);
                dispatch(parallel_data, task_data, DISPATCH_WS_LOOP_CHUNK, instance);
            }
            _ => only_chunk_long_way(frame, lower, upper, is_last),
        }
    }
}

/// `ChunkFn` of loops with several chunks per thread, for the first, where `enter` took the short way.
/// Safety: as for [`only_chunk`].
pub(crate) unsafe extern "C" fn one_of_many(frame: *mut Frame, lower: u64, upper: u64, is_last: u32) {
    let this = execution(frame);
    // SAFETY: as in `only_chunk`; the program reads the entry point anew for each call.
    unsafe {
        let here = thread_storage::near_thread();
        let told = here.parallel_and_task_data();
        match CALLBACKS.dispatch_alone() {
            Some(dispatch) if knows(told) => {
                here.starting.set(false);
                // What `enter` left out and the other chunks need: a loop inside may be entered before.
                ((*this).parallel_data, (*this).task_data) = told;
                (&raw mut (*this).kind).write(LOOP_CHUNK);
                (&raw mut (*this).timed).write(false);
                (*frame).chunk = chunk;
                send_dispatch(this, dispatch, lower, upper);
            }
            _ => only_chunk_long_way(frame, lower, upper, is_last),
        }
    }
}

/// The same where the runtime did not say whose the loop is, or the tool has changed its mind.
/// Safety: as for [`only_chunk`].
#[cold]
#[inline(never)]
unsafe extern "C" fn only_chunk_long_way(frame: *mut Frame, lower: u64, upper: u64, is_last: u32) {
    let this = execution(frame);
    // SAFETY: as in `only_chunk`; what `enter` left out is added.
    unsafe {
        (&raw mut (*this).kind).write(LOOP_CHUNK);
        (&raw mut (*this).timed).write(false);
        first_chunk(frame, lower, upper, is_last);
    }
}

/// `ChunkFn` of static loops for the first chunk. It leaves the others to another. Safety: as for [`only_chunk`].
#[inline(never)]
pub(crate) unsafe extern "C" fn first_chunk(frame: *mut Frame, lower: u64, upper: u64, is_last: u32) {
    let this = execution(frame);
    // SAFETY: as in `only_chunk`. The program reads the entry point anew for each call.
    unsafe {
        // First of all, so that the duration holds as little of ours as possible.
        let create_duration = if (*this).timed { elapsed(thread_storage::thread()) } else { 0.0 };
        let here = thread_storage::thread();
        here.starting.set(false);
        if !here.knows_task() {
            return;
        }
        ((*this).parallel_data, (*this).task_data) = here.parallel_and_task_data();
        (*frame).chunk = match ((*this).timed, CALLBACKS.dispatch()) {
            (true, _) if thread_storage::was_near() => any_chunk::<true>,
            (true, _) => any_chunk::<false>,
            (false, Some(_)) => chunk,
            (false, None) => chunk_event,
        };
        send_both(this, lower, upper, create_duration, is_last);
    }
}

/// `ChunkFn` of static loops that are not timed, but for a thread's first chunk. The short way ends in one callback, with
/// nothing to save or restore around it. Safety: as for [`only_chunk`].
unsafe extern "C" fn chunk(frame: *mut Frame, lower: u64, upper: u64, is_last: u32) {
    let this = execution(frame);
    // SAFETY: as in `only_chunk`. The callbacks are of the type their slot states.
    unsafe {
        match CALLBACKS.dispatch_alone() {
            Some(dispatch) => send_dispatch(this, dispatch, lower, upper),
            None => any_chunk::<false>(frame, lower, upper, is_last),
        }
    }
}

/// The same where only chunk events were wanted at the first chunk. Safety: as for [`only_chunk`].
unsafe extern "C" fn chunk_event(frame: *mut Frame, lower: u64, upper: u64, is_last: u32) {
    let this = execution(frame);
    // SAFETY: as in `chunk`.
    unsafe {
        match (CALLBACKS.dispatch(), CALLBACKS.chunk()) {
            (None, Some(chunk)) => send_chunk(this, chunk, lower, upper, 0.0, is_last),
            _ => any_chunk::<false>(frame, lower, upper, is_last),
        }
    }
}

/// `ChunkFn` of every static loop, for all but the first. Safety: as for [`only_chunk`]; of `NEAR` as `thread_at` says.
#[inline(never)]
pub(crate) unsafe extern "C" fn any_chunk<const NEAR: bool>(frame: *mut Frame, lower: u64, upper: u64, is_last: u32) {
    let this = execution(frame);
    // SAFETY: as in `only_chunk`.
    unsafe {
        let create_duration = if (*this).timed { elapsed(thread_storage::thread_at::<NEAR>()) } else { 0.0 };
        send_both(this, lower, upper, create_duration, is_last);
    }
}

/// `ChunkFn` of a loop whose chunks the runtime deals, and reports itself in dispatch events.
/// Safety: as for [`only_chunk`].
pub(crate) unsafe extern "C" fn dealt_chunk(frame: *mut Frame, lower: u64, upper: u64, is_last: u32) {
    let this = execution(frame);
    // SAFETY: as in `only_chunk`.
    unsafe {
        let here = thread_storage::thread();
        // Less than nothing if the tool's own callback has just taken back the clock.
        let create_duration = if (*this).timed { elapsed(here).max(0.0) } else { 0.0 };
        if let Some(chunk) = CALLBACKS.chunk() {
            if here.knows_task() {
                // A loop that was compiled for the runtime to deal knows it. Where one is changed, `enter` names it.
                let is_static = || (*(*frame).loop_record).flags & LOOP_DEALT == 0;
                let is_last = if here.is_changed() && is_static() { ((*frame).last != 0).into() } else { is_last };
                ((*this).parallel_data, (*this).task_data) = here.parallel_and_task_data();
                send_chunk(this, chunk, lower, upper, create_duration, is_last);
            }
        }
    }
}

/// What a dispatch event of this chunk is to carry.
/// Safety: `this` is the calling thread's; the tool reads it through the event, while we do not touch it.
#[inline(always)]
unsafe fn instance(this: *mut Execution, lower: u64, upper: u64) -> Data {
    let chunk = DispatchChunk { start: lower, iterations: upper.wrapping_sub(lower).wrapping_add(1) };
    // SAFETY: see the caller's obligation.
    unsafe { dispatched(this).write(chunk) };
    Data { ptr: dispatched(this).cast() }
}

/// Both events of a chunk, if they are wanted. Safety: as for [`instance`].
#[inline(always)]
pub(crate) unsafe fn send_both(this: *mut Execution, lower: u64, upper: u64, create_duration: f64, is_last: u32) {
    // SAFETY: passed on.
    unsafe {
        if let Some(dispatch) = CALLBACKS.dispatch() {
            send_dispatch(this, dispatch, lower, upper);
        }
        if let Some(chunk) = CALLBACKS.chunk() {
            send_chunk(this, chunk, lower, upper, create_duration, is_last);
        }
    }
}

/// The dispatch event of a chunk. Safety: as for [`instance`].
#[inline(always)]
unsafe fn send_dispatch(this: *mut Execution, dispatch: DispatchFn, lower: u64, upper: u64) {
    // SAFETY: see the caller's obligation; the callback is a `DispatchFn` as its slot states.
    unsafe {
        let instance = instance(this, lower, upper);
        dispatch((*this).parallel_data, (*this).task_data, (*this).kind.into(), instance);
    }
}

/// The chunk event of a chunk. Safety: as for [`instance`].
#[inline(always)]
unsafe fn send_chunk(this: *mut Execution, chunk: ChunkFn, lower: u64, upper: u64, create_duration: f64, is_last: u32) {
    // SAFETY: see the caller's obligation; the callback is a `ChunkFn` as its slot states.
    unsafe {
        chunk((*this).task_data, lower as i64, upper as i64, create_duration, is_last as c_int);
    }
}

/// By which a clock is known again, in [`Thread::clock`].
#[inline]
pub(crate) fn mark(clock: ToolTimeFn) -> u32 {
    (clock as *const ()).addr() as u32
}

/// Time since the thread's last `bookkeeping`, or 0 if there is none, or if the tool has taken back or changed its clock since then.
#[inline]
pub(crate) fn elapsed(here: &Thread) -> f64 {
    let before = here.clock.replace(0);
    match CALLBACKS.clock() {
        // SAFETY: a `ToolTimeFn` as its slot states.
        Some(clock) if before == mark(clock) => unsafe { clock() - here.since.get() },
        _ => 0.0,
    }
}

/// The shim's own dispatch callback: passes the runtime's events on, except those that it sends while an instrumented loop
/// starts. These are a wrong subset of what follows, but say whose the loop is.
pub(crate) fn filter() -> DispatchFn {
    if thread_storage::is_near() { filter_near } else { filter_anywhere }
}

/// Safety: the runtime's arguments, and [`thread_storage::is_near`] has said yes.
unsafe extern "C" fn filter_near(parallel_data: *mut Data, task_data: *mut Data, kind: c_uint, instance: Data) {
    // SAFETY: the caller's promise; passed on.
    unsafe {
        let here = thread_storage::near_thread();
        if here.starting.get() && kind == DISPATCH_WS_LOOP_CHUNK {
            return here.set_parallel_and_task_data(parallel_data, task_data);
        }
        filter_here(parallel_data, task_data, kind, instance, here);
    }
}

/// Safety: the runtime's arguments.
unsafe extern "C" fn filter_anywhere(parallel_data: *mut Data, task_data: *mut Data, kind: c_uint, instance: Data) {
    // SAFETY: passed on.
    unsafe { filter_here(parallel_data, task_data, kind, instance, thread_storage::thread()) };
}

fn is_of_a_loop(kind: c_uint) -> bool {
    kind == DISPATCH_WS_LOOP_CHUNK || kind == DISPATCH_DISTRIBUTE_CHUNK
}

/// Safety: the runtime's arguments.
// `here` comes last, so that the others stay where they are.
#[inline(never)]
unsafe extern "C" fn filter_here(
    parallel_data: *mut Data,
    task_data: *mut Data,
    kind: c_uint,
    instance: Data,
    here: &Thread,
) {
    if here.starting.get() && (is_of_a_loop(kind) || kind == DISPATCH_SECTION) {
        return here.set_parallel_and_task_data(parallel_data, task_data);
    }
    let Some(dispatch) = CALLBACKS.dispatch() else { return };
    // SAFETY: the tool's callback, with what the runtime wants it to get.
    let pass_on = || unsafe { dispatch(parallel_data, task_data, kind, instance) };
    match CALLBACKS.clock() {
        Some(clock) if is_of_a_loop(kind) && here.timed.get() => {
            // What the tool itself does here is no part of dealing the chunk.
            // SAFETY: a `ToolTimeFn` as its slot states.
            let before = unsafe { clock() };
            pass_on();
            // SAFETY: as above.
            let took = unsafe { clock() } - before;
            here.since.set(here.since.get() + took);
        }
        _ => pass_on(),
    }
}

#[cfg(test)]
mod tests {
    use core::cell::Cell;
    use core::mem::MaybeUninit;
    use core::ptr;

    use super::*;

    thread_local! {
        static TIME: Cell<f64> = const { Cell::new(1.0) };
        static TOLD: Cell<f64> = const { Cell::new(0.0) };
    }

    unsafe extern "C" fn clock() -> f64 {
        TIME.get()
    }

    unsafe extern "C" fn before() -> f64 {
        0.0
    }

    unsafe extern "C" fn dispatch(_: *mut Data, _: *mut Data, _: c_uint, _: Data) {
        TIME.set(TIME.get() + 10.0);
    }

    unsafe extern "C" fn tell(_: *mut Data, _: i64, _: i64, create_duration: f64, _: c_int) {
        TOLD.set(create_duration);
    }

    #[test]
    fn what_the_tool_takes_itself_is_no_part_of_dealing() {
        CALLBACKS.set_clock(Some(clock));
        CALLBACKS.set_dispatch(Some(dispatch));
        CALLBACKS.set_chunk(Some(tell));
        let (here, mut task) = (thread_storage::thread(), Data { value: 0 });
        let task = &raw mut task;
        let comes = |kind, timed| {
            here.replace(&Running { timed, ..Running::new(ptr::null(), 0, 0) }, false);
            here.set_parallel_and_task_data(task, task);
            // SAFETY: what the tool of this test is told, which reads none of it.
            unsafe { filter_here(task, task, kind, Data { value: 0 }, here) };
        };
        for (kind, timed, spent) in
            [(DISPATCH_WS_LOOP_CHUNK, true, 10.0), (DISPATCH_WS_LOOP_CHUNK, false, 0.0), (DISPATCH_SECTION, true, 0.0)]
        {
            here.since.set(0.0);
            comes(kind, timed);
            assert_eq!(here.since.get(), spent, "{kind}, {timed}");
        }
        let mut frame = MaybeUninit::<Frame>::zeroed();
        let frame = frame.as_mut_ptr();
        // The tool's clock, and where it had another one when the bookkeeping began.
        for (by, took) in [(clock as ToolTimeFn, 2.0), (before, 0.0)] {
            // SAFETY: memory of this test, of which nothing else is read.
            unsafe {
                (*execution(frame)).timed = true;
                here.since.set(TIME.get());
                here.clock.set(mark(by));
                comes(DISPATCH_WS_LOOP_CHUNK, true);
                TIME.set(TIME.get() + 2.0);
                dealt_chunk(frame, 0, 0, 0);
            }
            assert_eq!(TOLD.get(), took);
        }
    }
}
