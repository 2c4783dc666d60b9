//! Loops that run under `static` or `static,c` instead of their own schedule. The runtime has given the thread its first bounds.
//! From there on the program steps itself by the stride, or, where somebody listens, asks here for the next bounds and tells of each
//! chunk. The hot path, as `hooks` says of it: a chunk costs a call and some arithmetic.

pub(crate) mod stride;

use ompchunk_abi::sched_type::STATIC;
use ompchunk_abi::{Frame, LOOP_SIGNED};

use crate::hooks::chunk::{any_chunk, first_chunk};
use crate::hooks::init_trampolines::{StepsFn, bounds};
use crate::static_override::stride::{Number, Step, Whole};

/// The `StepsFn` for the first bounds of a loop with a variable of so many bits; `timed`: it begins the bookkeeping.
pub(crate) fn begin(bits: u8, timed: bool) -> StepsFn {
    match (bits, timed) {
        (32, false) => first_step::<u32, false>,
        (32, true) => first_step::<u32, true>,
        (_, false) => first_step::<u64, false>,
        (_, true) => first_step::<u64, true>,
    }
}

/// The same under `static,c` where nobody listens, and the program steps by itself.
pub(crate) fn begin_unheard(bits: u8) -> StepsFn {
    match bits {
        32 => first_unheard::<u32>,
        _ => first_unheard::<u64>,
    }
}

/// Safety: the frame is of an execution that is stepped; who wants times has filled in the entry point.
#[inline(always)]
pub(crate) unsafe fn bookkeeping<const TIMED: bool>(frame: *mut Frame) {
    if TIMED {
        // SAFETY: the caller's promise.
        unsafe { ((*frame).bookkeeping)(frame) }
    }
}

/// `StepsFn`. Safety: what that type says; the frame is of an execution that is stepped.
unsafe extern "C" fn first_step<N: Number, const TIMED: bool>(frame: *mut Frame) -> i32 {
    // SAFETY: the caller's promise.
    unsafe {
        bookkeeping::<TIMED>(frame);
        let is_only = (*frame).schedule == STATIC;
        let (whole, step) = given_first::<N>(frame, is_only);
        let next: StepsFn = match step {
            Some(_) if !is_only => further_step::<N, TIMED>,
            // For who steps without asking: no stride leads from the last iteration to another, ...
            Some(_) => {
                (*frame).size_then_last = bounds::<N>(frame)[0].read().wide();
                no_step::<TIMED>
            }
            // ... nor from the empty range that the program runs now.
            None => {
                go_nowhere(frame, whole.last);
                no_step::<TIMED>
            }
        };
        (*frame).next = next as *const ();
        (*frame).chunk = first_stepped_chunk;
        go(frame, step)
    }
}

/// `StepsFn`, asked only if the loop has iterations: `stride::first` by distances. Safety: as for [`first_step`].
unsafe extern "C" fn first_unheard<N: Number>(frame: *mut Frame) -> i32 {
    // SAFETY: the caller's promise.
    unsafe {
        let first = N::from_wide((*frame).next.addr() as u64);
        let last = N::from_wide((*frame).size_then_last);
        let [lower, upper, _] = bounds::<N>(frame);
        let lower = lower.read();
        if lower.minus(first) > last.minus(first) {
            go_nowhere(frame, last);
            return 0;
        }
        if upper.read().minus(lower) > last.minus(lower) {
            upper.write(last);
        }
    }
    1
}

/// Whoever steps from the empty range that the program runs now finds nothing. Safety: as for [`first_step`].
#[inline(always)]
unsafe fn go_nowhere<N: Number>(frame: *mut Frame, last: N) {
    let (last, past_all) = stride::nowhere(last);
    // SAFETY: the caller's promise.
    unsafe {
        (*frame).size_then_last = last.wide();
        bounds::<N>(frame)[2].write(past_all);
    }
}

/// What the runtime gave the thread first, of which loop; `is_only`, if there is no more.
/// Safety: the frame is of an execution that is stepped, before its first chunk.
#[inline(always)]
pub(crate) unsafe fn given_first<N: Number>(frame: *mut Frame, is_only: bool) -> (Whole<N>, Option<Step<N>>) {
    // SAFETY: the caller's promise.
    unsafe {
        let whole = whole(frame);
        let [lower, upper, stride] = bounds::<N>(frame);
        let step = if is_only {
            stride::only(whole, lower.read(), upper.read())
        } else {
            stride::first(whole, lower.read(), upper.read(), stride.read())
        };
        (whole, step)
    }
}

/// The loop as it stands before it is divided. Safety: as for [`given_first`].
#[inline(always)]
pub(crate) unsafe fn whole<N: Number>(frame: *mut Frame) -> Whole<N> {
    // SAFETY: the caller's promise.
    unsafe {
        Whole {
            first: N::from_wide((*frame).next.addr() as u64),
            last: N::from_wide((*frame).size_then_last),
            is_signed: (*(*frame).loop_record).flags & LOOP_SIGNED != 0,
        }
    }
}

/// `StepsFn`: the thread has run a chunk. Safety: as for [`first_step`], which has been called.
unsafe extern "C" fn further_step<N: Number, const TIMED: bool>(frame: *mut Frame) -> i32 {
    // SAFETY: the frame is this thread's.
    unsafe {
        bookkeeping::<TIMED>(frame);
        let last = N::from_wide((*frame).size_then_last);
        let [lower, upper, stride] = bounds::<N>(frame);
        go(frame, stride::next(last, lower.read(), upper.read(), stride.read()))
    }
}

/// `StepsFn`: it has run all, or had none. Safety: as for [`further_step`].
pub(crate) unsafe extern "C" fn no_step<const TIMED: bool>(frame: *mut Frame) -> i32 {
    // SAFETY: passed on.
    unsafe { bookkeeping::<TIMED>(frame) };
    0
}

/// Safety: as for [`further_step`].
#[inline(always)]
unsafe fn go<N: Number>(frame: *mut Frame, step: Option<Step<N>>) -> i32 {
    let Some(step) = step else { return 0 };
    // SAFETY: the caller's promise. The program has read the schedule where it began the loop.
    unsafe {
        let [lower, upper, _] = bounds::<N>(frame);
        lower.write(step.lower);
        upper.write(step.upper);
        (*frame).schedule = step.is_last.into();
    }
    1
}

/// `ChunkFn` of loops that are stepped, for the first chunk. Safety: as for `chunk::first_chunk`.
pub(crate) unsafe extern "C" fn first_stepped_chunk(frame: *mut Frame, lower: u64, upper: u64, _: u32) {
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
    unsafe { any_chunk::<false>(frame, lower, upper, (*frame).schedule) }
}
