//! Loops that run under `static` or `static,c` instead of their own schedule. The runtime has given the thread its first bounds;
//! the program asks here for the next, and tells of each chunk.
//!
//! The hot path, as `hooks` says of it: a chunk costs a call and some arithmetic.

use ompchunk_abi::{Frame, LOOP_SIGNED, StepsFn};

use crate::chunk::{any_chunk, first_chunk};
use crate::schedules::STATIC;
use crate::stride::{self, Number, Step, Whole};

/// What a program calls that has the thread's first bounds, of a loop with a variable of so many bits. Of one that is timed, that is
/// where the bookkeeping for the first chunk begins: the first chunk is not asked for like the others.
pub(crate) fn begin(bits: u8, timed: bool) -> StepsFn {
    match (bits, timed) {
        (32, false) => first_step::<u32>,
        (32, true) => first_timed_step::<u32>,
        (_, false) => first_step::<u64>,
        (_, true) => first_timed_step::<u64>,
    }
}

/// `StepsFn`
///
/// # Safety
///
/// As for [`first_step`].
unsafe extern "C" fn first_timed_step<N: Number>(
    frame: *mut Frame,
    lower: *mut (),
    upper: *mut (),
    stride: *mut (),
) -> i32 {
    // SAFETY: passed on; who wants times has filled in the entry point.
    unsafe {
        ((*frame).bookkeeping)(frame);
        first_step::<N>(frame, lower, upper, stride)
    }
}

/// `StepsFn`
///
/// # Safety
///
/// What that type says; the frame is of an execution that is stepped.
unsafe extern "C" fn first_step<N: Number>(
    frame: *mut Frame,
    lower: *mut (),
    upper: *mut (),
    stride: *mut (),
) -> i32 {
    let (lower, upper) = (lower.cast::<N>(), upper.cast::<N>());
    // SAFETY: the caller's promise.
    unsafe {
        let record = &*(*frame).the_loop;
        let whole = Whole {
            first: N::of((*frame).next.addr() as u64),
            last: N::of((*frame).size_then_last),
            is_signed: record.flags & LOOP_SIGNED != 0,
        };
        let given = (lower.read(), upper.read());
        let (step, next): (_, StepsFn) = match (*frame).schedule == STATIC {
            true => (stride::only(whole, given.0, given.1), no_step),
            false => {
                let stride = stride.cast::<N>().read();
                (
                    stride::first(whole, given.0, given.1, stride),
                    further_step::<N>,
                )
            }
        };
        (*frame).next = match step {
            Some(_) => next as *const (),
            None => no_step as *const (),
        };
        (*frame).chunk = first_stepped_chunk;
        go(frame, step, lower, upper)
    }
}

/// `StepsFn`: the thread has run a chunk.
///
/// # Safety
///
/// As for [`first_step`], which has been called.
unsafe extern "C" fn further_step<N: Number>(
    frame: *mut Frame,
    lower: *mut (),
    upper: *mut (),
    stride: *mut (),
) -> i32 {
    let (lower, upper, stride) = (lower.cast::<N>(), upper.cast::<N>(), stride.cast::<N>());
    // SAFETY: the frame is this thread's, and the others are its loop's bounds and stride.
    unsafe {
        let last = N::of((*frame).size_then_last);
        let step = stride::next(last, lower.read(), upper.read(), stride.read());
        go(frame, step, lower, upper)
    }
}

/// `StepsFn`: it has run all, or had none.
unsafe extern "C" fn no_step(_: *mut Frame, _: *mut (), _: *mut (), _: *mut ()) -> i32 {
    0
}

/// # Safety
///
/// As for [`further_step`].
#[inline(always)]
unsafe fn go<N: Number>(
    frame: *mut Frame,
    step: Option<Step<N>>,
    lower: *mut N,
    upper: *mut N,
) -> i32 {
    let Some(step) = step else { return 0 };
    // SAFETY: the caller's promise. The program has read the schedule where it began the loop.
    unsafe {
        lower.write(step.lower);
        upper.write(step.upper);
        (*frame).schedule = step.is_last.into();
    }
    1
}

/// `ChunkFn` of loops that are stepped, for the first chunk.
///
/// # Safety
///
/// As for `chunk::first_chunk`.
unsafe extern "C" fn first_stepped_chunk(frame: *mut Frame, lower: u64, upper: u64, _: u32) {
    // SAFETY: passed on. The program reads the entry point anew for each call.
    unsafe {
        let first = (*frame).chunk as *const ();
        first_chunk(frame, lower, upper, (*frame).schedule);
        if (*frame).chunk as *const () != first {
            (*frame).chunk = stepped_chunk;
        }
    }
}

/// For the others.
unsafe extern "C" fn stepped_chunk(frame: *mut Frame, lower: u64, upper: u64, _: u32) {
    // SAFETY: passed on.
    unsafe { any_chunk(frame, lower, upper, (*frame).schedule) }
}
