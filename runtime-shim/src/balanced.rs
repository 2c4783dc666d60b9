//! Loops that run under `balanced`: the program asks for its first bounds, as for `static`, and gets the thread's block of equal cost.
//!
//! The runtime is asked for `static` bounds all the same, so its own books stay right; they are used where `balance` has no block.

use ompchunk_abi::{ENTER_STEPPED, ENTER_TIMED, Frame, LOOP_SIGNED, LoopRecord, StepsFn};

use crate::balance;
use crate::schedules::STATIC;
use crate::stepped;
use crate::stride::{self, Number, Whole};

/// Has the program ask for the thread's block.
///
/// # Safety
///
/// As for `changed::enter_under`; `wants` is what the thread's tool wants of this execution.
pub(crate) unsafe fn enter(the_loop: *const LoopRecord, frame: *mut Frame, wants: u32) -> u32 {
    // SAFETY: the caller's promise.
    let is_wide = unsafe { (*the_loop).bits } != 32;
    let begin: StepsFn = match (is_wide, wants, wants & ENTER_TIMED != 0) {
        (false, 0, _) => first_quiet::<u32>,
        (true, 0, _) => first_quiet::<u64>,
        (false, _, false) => first_heard::<u32, false>,
        (true, _, false) => first_heard::<u64, false>,
        (false, _, true) => first_heard::<u32, true>,
        (true, _, true) => first_heard::<u64, true>,
    };
    // SAFETY: the frame is this thread's.
    unsafe {
        (&raw mut (*frame).schedule).write(STATIC);
        let chunk = match wants {
            0 => core::ptr::null(),
            _ => (*frame).chunk as *const (),
        };
        (&raw mut (*frame).next).write(chunk);
        (&raw mut (*frame).chunk).cast::<StepsFn>().write(begin);
        if wants == 0 {
            // The shim's memory is free where nobody listens.
            (&raw mut (*frame).shim[0]).write(UNTIMED);
            (&raw mut (*frame).leave).write(leave_quiet);
        }
    }
    wants | ENTER_STEPPED
}

/// Is the thread's block timed? In the frame's memory.
const UNTIMED: u64 = 0;
const TIMED: u64 = 1;

/// `StepsFn` where nobody listens.
///
/// # Safety
///
/// As for `stepped::begin`'s.
unsafe extern "C" fn first_quiet<N: Number>(
    frame: *mut Frame,
    lower: *mut (),
    upper: *mut (),
    stride: *mut (),
) -> i32 {
    // SAFETY: passed on; the memory is free where nobody listens.
    unsafe {
        let Some(block) = block::<N>(frame) else {
            return stepped::begin(N::BITS, false)(frame, lower, upper, stride);
        };
        let has_any = go::<N>(frame, &block, lower, upper, stride);
        if balance::is_timed(&block) {
            (&raw mut (*frame).shim[0]).write(TIMED);
            balance::begins(&block);
        }
        has_any
    }
}

/// `LeaveFn` where nobody listens.
unsafe extern "C" fn leave_quiet(frame: *mut Frame) {
    // SAFETY: `enter` has filled in the frame, which nobody else uses where nobody listens.
    unsafe {
        if (*frame).shim[0] == TIMED {
            balance::ends((*frame).the_loop);
        }
    }
}

/// `StepsFn` where somebody listens.
///
/// # Safety
///
/// As for `stepped::begin`'s.
unsafe extern "C" fn first_heard<N: Number, const BOOKKEEPING: bool>(
    frame: *mut Frame,
    lower: *mut (),
    upper: *mut (),
    stride: *mut (),
) -> i32 {
    // SAFETY: passed on.
    unsafe {
        let Some(block) = block::<N>(frame) else {
            return stepped::begin(N::BITS, BOOKKEEPING)(frame, lower, upper, stride);
        };
        stepped::bookkeeping::<BOOKKEEPING>(frame);
        let has_any = go::<N>(frame, &block, lower, upper, stride);
        let is_timed = balance::is_timed(&block);
        let next: StepsFn = match is_timed {
            true => last_step::<BOOKKEEPING>,
            false => stepped::no_step::<BOOKKEEPING>,
        };
        (*frame).next = next as *const ();
        (*frame).chunk = stepped::first_stepped_chunk;
        if is_timed {
            balance::begins(&block);
        }
        if is_timed && has_any == 0 {
            // The program asks no more.
            balance::ends((*frame).the_loop);
        }
        has_any
    }
}

/// `StepsFn`: the thread has run its block, which was timed.
unsafe extern "C" fn last_step<const BOOKKEEPING: bool>(
    frame: *mut Frame,
    lower: *mut (),
    upper: *mut (),
    stride: *mut (),
) -> i32 {
    // SAFETY: passed on.
    unsafe {
        balance::ends((*frame).the_loop);
        stepped::no_step::<BOOKKEEPING>(frame, lower, upper, stride)
    }
}

/// The thread's block, in an execution that has iterations.
///
/// # Safety
///
/// The frame is of an execution that is stepped, before its first chunk.
unsafe fn block<N: Number>(frame: *mut Frame) -> Option<balance::Block> {
    // SAFETY: the caller's promise.
    let whole = unsafe { whole::<N>(frame) };
    if whole.is_empty() {
        return None;
    }
    let iterations = whole.last.minus(whole.first).plus(N::ONE).wide();
    // SAFETY: the caller's promise.
    balance::block(unsafe { (*frame).the_loop }, iterations)
}

/// # Safety
///
/// As for [`block`].
unsafe fn whole<N: Number>(frame: *mut Frame) -> Whole<N> {
    // SAFETY: the caller's promise.
    unsafe {
        Whole {
            first: N::of((*frame).next.addr() as u64),
            last: N::of((*frame).size_then_last),
            is_signed: (*(*frame).the_loop).flags & LOOP_SIGNED != 0,
        }
    }
}

/// Writes the block's bounds, and has the program find that nothing follows. Returns 0 for a block without iterations.
///
/// # Safety
///
/// As for [`block`], which has given it; the pointers are to the loop's own bounds and stride.
unsafe fn go<N: Number>(
    frame: *mut Frame,
    block: &balance::Block,
    lower: *mut (),
    upper: *mut (),
    stride: *mut (),
) -> i32 {
    // SAFETY: the caller's promise.
    unsafe {
        let whole = whole::<N>(frame);
        let (last, past_all) = match block.begin < block.end {
            true => {
                let begin = whole.first.plus(N::of(block.begin));
                lower.cast::<N>().write(begin);
                let end = whole.first.plus(N::of(block.end)).minus(N::ONE);
                upper.cast::<N>().write(end);
                // No stride leads from there to another.
                (begin, N::ZERO.minus(N::ONE))
            }
            // Nor from the empty range that the program runs now.
            false => stride::nowhere(whole.last),
        };
        (*frame).size_then_last = last.wide();
        stride.cast::<N>().write(past_all);
        (*frame).schedule = 1;
        i32::from(block.begin < block.end)
    }
}
