//! Loops that run under `balanced`: the program asks for its first bounds, as for `static`, and gets the thread's block of equal cost.
//!
//! The runtime is asked for `static` bounds all the same, so its own books stay right; they are used where `balance` has no block.

use ompchunk_abi::{ENTER_TIMED, Frame, StepsFn};

use crate::balance;
use crate::stepped;
use crate::stride::{self, Number};

/// What a program calls that has the runtime's bounds, of a loop with a variable of so many bits; `wants` is what the thread's tool wants
/// of this execution.
///
/// # Safety
///
/// The frame is this thread's, of an execution that is being entered.
pub(crate) unsafe fn begin(frame: *mut Frame, bits: u8, wants: u32) -> StepsFn {
    if wants == 0 {
        // SAFETY: the caller's promise. The shim's memory is free where nobody listens.
        unsafe {
            (&raw mut (*frame).shim[0]).write(UNTIMED);
            (&raw mut (*frame).leave).write(leave_quiet);
        }
    }
    match (bits, wants, wants & ENTER_TIMED != 0) {
        (32, 0, _) => first_quiet::<u32>,
        (_, 0, _) => first_quiet::<u64>,
        (32, _, false) => first_heard::<u32, false>,
        (_, _, false) => first_heard::<u64, false>,
        (32, _, true) => first_heard::<u32, true>,
        (_, _, true) => first_heard::<u64, true>,
    }
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
    let whole = unsafe { stepped::whole::<N>(frame) };
    if whole.is_empty() {
        return None;
    }
    let iterations = whole.last.minus(whole.first).plus(N::ONE).wide();
    // SAFETY: the caller's promise.
    balance::block(unsafe { (*frame).the_loop }, iterations)
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
        let whole = stepped::whole::<N>(frame);
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
