//! Loops of which `balance` knows how they run: in blocks of equal cost, or under their own schedule or a dealt one; and timed or not.
//! For a block of equal cost the program asks for its first bounds, as for `static`, and gets the thread's. The runtime is asked for
//! `static` bounds all the same, so its own books stay right; they are used where a loop has no iterations.

use ompchunk_abi::{AdvanceFn, Frame, ON_TIMED};

use crate::balance::{Seat, block_of};
use crate::hooks::chunk::quiet_memory;
use crate::hooks::init_trampolines::{StepsFn, bounds};
use crate::hooks::run::over;
use crate::static_override::stride::{Number, nowhere};
use crate::{balance, hooks, overrides, overrides::source_schedule, static_override};

/// The thread is about to run its part. `wants` is what its tool wants of this execution.
/// Safety: the frame is this thread's, of an execution that is being entered; nobody listens, or its `leave` is one of changed loops.
pub(crate) unsafe fn enter(frame: *mut Frame, wants: u32, seat: Seat) {
    // SAFETY: the caller's promise.
    unsafe {
        if wants == 0 {
            // The shim's memory is free where nobody listens.
            quiet_memory::<Seat>(frame).write(seat);
        }
        if seat.is_timed() {
            let leave: AdvanceFn = match wants {
                0 => leave_quiet,
                _ => hooks::leave_timed,
            };
            (&raw mut (*frame).leave).write(leave);
            seat.begins();
        }
    }
}

/// The same of an untimed execution to which nobody listens, with a known block, as shares of the iterations.
/// Safety: the frame is this thread's, of an execution that is being entered.
#[inline(always)]
pub(crate) unsafe fn enter_block(frame: *mut Frame, block: [u64; 2], bits: u8) -> StepsFn {
    // SAFETY: the caller's promise; the shim's memory is free where nobody listens.
    unsafe { quiet_memory::<[u64; 2]>(frame).write(block) };
    match bits {
        32 => known_block::<u32>,
        _ => known_block::<u64>,
    }
}

/// `StepsFn`. Safety: as for `static_override::begin`'s; [`enter_block`] was called.
unsafe extern "C" fn known_block<N: Number>(frame: *mut Frame) -> i32 {
    // SAFETY: passed on.
    unsafe {
        let counted = static_override::whole::<N>(frame).iterations();
        let has_more = |iterations: u64| {
            balance::team_size().is_some_and(|team| balance::has_more_chunks(iterations, 1, team.into()))
        };
        let in_team = |iterations: &u64| has_more(*iterations) && !is_alone::<N>(frame, *iterations);
        let Some(iterations) = counted.filter(in_team) else { return static_override::begin(N::BITS, false)(frame) };
        let block = quiet_memory::<[u64; 2]>(frame).read();
        go::<N>(frame, block_of(block, iterations))
    }
}

/// Safety: [`enter`] was called for the frame's execution; nobody listens (`quiet_loops`), or somebody does.
unsafe fn seat(frame: *mut Frame, quiet: bool) -> Option<Seat> {
    // SAFETY: the caller's promise.
    unsafe {
        if quiet {
            Some(quiet_memory::<Seat>(frame).read())
        } else {
            balance::seat_again(overrides::key(&*(*frame).loop_record))
        }
    }
}

/// `AdvanceFn` where nobody listens, of an execution that is timed.
unsafe extern "C" fn leave_quiet(frame: *mut Frame) -> i32 {
    // SAFETY: `enter` has filled in the frame, which nobody else uses where nobody listens.
    unsafe {
        (*quiet_memory::<Seat>(frame)).ends();
        over(frame)
    }
}

/// The instance of a function for a loop with a variable of so many bits, and for what is wanted of its execution.
macro_rules! for_loop {
    ($function:ident, $bits:expr, $wants:expr) => {
        match ($bits, $wants, $wants & ON_TIMED != 0) {
            (32, 0, _) => $function::<u32, true, false>,
            (_, 0, _) => $function::<u64, true, false>,
            (32, _, false) => $function::<u32, false, false>,
            (_, _, false) => $function::<u64, false, false>,
            (32, _, true) => $function::<u32, false, true>,
            (_, _, true) => $function::<u64, false, true>,
        }
    };
}

/// What a program calls that has the runtime's bounds, of a loop with a variable of so many bits that runs in blocks of equal cost.
pub(crate) fn begin(bits: u8, wants: u32) -> StepsFn {
    for_loop!(first_block, bits, wants)
}

/// Likewise, of one that runs under its own schedule and is timed.
pub(crate) fn begin_own(bits: u8, wants: u32) -> StepsFn {
    for_loop!(first_own, bits, wants)
}

/// `StepsFn`. Safety: as for `static_override::begin`'s; [`enter`] was called.
unsafe extern "C" fn first_block<N: Number, const QUIET: bool, const BOOKKEEPING: bool>(frame: *mut Frame) -> i32 {
    // SAFETY: passed on.
    unsafe {
        let Some((_, _, block)) = block::<N>(frame, QUIET) else {
            return static_override::begin(N::BITS, BOOKKEEPING)(frame);
        };
        static_override::bookkeeping::<BOOKKEEPING>(frame);
        let has_any = go::<N>(frame, block);
        if !QUIET {
            // In place of the loop's first iteration, which nobody reads any more.
            let next: StepsFn = static_override::no_step::<BOOKKEEPING>;
            (*frame).next = next as *const ();
            (*frame).chunk = static_override::first_stepped_chunk;
        }
        has_any
    }
}

/// `StepsFn`. Safety: as for [`first_block`].
unsafe extern "C" fn first_own<N: Number, const QUIET: bool, const BOOKKEEPING: bool>(frame: *mut Frame) -> i32 {
    // SAFETY: passed on.
    unsafe {
        let _ = counted::<N>(frame, QUIET);
        static_override::begin(N::BITS, BOOKKEEPING)(frame)
    }
}

/// The thread's place, the loop's iterations, and those before begin and end of its block; `None`: it has the runtime's.
/// Safety: as for [`counted`]; the bounds are those that the runtime gave.
#[inline(always)]
pub(crate) unsafe fn block<N: Number>(frame: *mut Frame, quiet: bool) -> Option<(Seat, u64, (u64, u64))> {
    // SAFETY: passed on.
    unsafe {
        let (seat, iterations) = counted::<N>(frame, quiet)?;
        if is_alone::<N>(frame, iterations) {
            return None;
        }
        let whole = source_schedule::chunk(&*(*frame).loop_record)?;
        Some((seat, iterations, seat.block(iterations, whole)?))
    }
}

/// The thread's place, and the loop's iterations; `None`: it has none. Safety: the frame is of an execution that is stepped, before its first chunk; [`enter`] was called.
unsafe fn counted<N: Number>(frame: *mut Frame, quiet: bool) -> Option<(Seat, u64)> {
    // SAFETY: the caller's promise.
    let (whole, seat) = unsafe { (static_override::whole::<N>(frame), seat(frame, quiet)?) };
    let iterations = whole.iterations()?;
    if seat.is_timed() {
        seat.kept.watch.note_iterations(iterations);
    }
    Some((seat, iterations))
}

/// Is the thread alone, whatever was found out of its team? Then the runtime gave it all iterations, more than one.
/// Safety: as for [`counted`]; the bounds are those that the runtime gave.
#[inline(always)]
unsafe fn is_alone<N: Number>(frame: *mut Frame, iterations: u64) -> bool {
    // SAFETY: the caller's promise.
    unsafe {
        let whole = static_override::whole::<N>(frame);
        let [lower, upper, _] = bounds::<N>(frame);
        iterations != 1 && (lower.read(), upper.read()) == (whole.first, whole.last)
    }
}

/// Writes a block's bounds, given by the iterations before them, and that nothing follows. Returns 0 if it is empty.
/// Safety: as for [`counted`].
#[inline(always)]
pub(crate) unsafe fn go<N: Number>(frame: *mut Frame, (begin, end): (u64, u64)) -> i32 {
    // SAFETY: the caller's promise.
    unsafe {
        let whole = static_override::whole::<N>(frame);
        let [lower, upper, stride] = bounds::<N>(frame);
        let (last, past_all) = match begin < end {
            true => {
                let first = whole.first.plus(N::from_wide(begin));
                lower.write(first);
                upper.write(whole.first.plus(N::from_wide(end)).minus(N::ONE));
                // No stride leads from there to another.
                (first, N::ZERO.minus(N::ONE))
            }
            // Nor from the empty range that the program runs now.
            false => nowhere(whole.last),
        };
        (*frame).size_then_last = last.wide();
        stride.write(past_all);
        (*frame).schedule = 1;
        i32::from(begin < end)
    }
}

#[cfg(test)]
mod tests {
    use ompchunk_abi::ON_LISTENING;

    use super::*;

    #[test]
    fn only_who_wants_times_tells_where_bookkeeping_begins() {
        for entry in [begin, begin_own] {
            let [untimed, timed] = [ON_LISTENING, ON_LISTENING | ON_TIMED].map(|wants| entry(32, wants));
            assert!(!core::ptr::fn_addr_eq(untimed, timed));
        }
    }
}
