//! Chunks of a static loop in sub-blocks: what the program asks for the next one, and what it calls before it runs it.
//!
//! Sub-blocks of a chunk are consecutive, and all of it: the next begins behind the last one's end, and the last ends where the
//! chunk does, wherever in its type's range the loop lies. How long they are (`sizes`) decides nothing else.
//!
//! A program calls the two in turn. If it does not, it left the execution on a way that nobody knows (an exception that OpenMP
//! forbids), and what is left of that is taken for part of an execution that began without us: it gets nothing more.
//!
//! The hot path, as `hooks` says of it.

pub(crate) mod outliers;
pub(crate) mod sizes;
pub(crate) mod sub_block_entry;

use ompchunk_abi::Frame;
use ompt::raw::{DispatchChunk, SUB_BLOCK_FIRST, SUB_BLOCK_LAST};

use crate::hooks::bookkeeping::{bookkeeping, no_bookkeeping};
use crate::hooks::chunk::{Execution, dispatched, elapsed, execution, send_both};
use crate::hooks::init_trampolines::{StepsFn, bounds};
use crate::registered_callbacks::CALLBACKS;
use crate::static_override::stride::{Number, Step};
use crate::static_override::{given_first, no_step};
use crate::{static_override::stride, thread::thread_storage};

/// The `StepsFn` for the first bounds of a loop with a variable of so many bits. `is_only`: there is no other chunk.
pub(crate) fn begin(bits: u8, is_only: bool) -> StepsFn {
    match (bits, is_only) {
        (32, true) => first_step::<u32, true>,
        (32, false) => first_step::<u32, false>,
        (_, true) => first_step::<u64, true>,
        (_, false) => first_step::<u64, false>,
    }
}

/// `StepsFn`, for the first sub-block.
/// Safety: what that type says; the frame is of an execution that `sub_block_entry::enter` began.
unsafe extern "C" fn first_step<N: Number, const IS_ONLY: bool>(frame: *mut Frame) -> i32 {
    let this = execution(frame);
    // SAFETY: the caller's promise; the program reads the entry points anew for each call.
    unsafe {
        // The loop's begin, and that the bookkeeping for its first chunk begins, where that is wanted.
        ((*frame).bookkeeping)(frame);
        (*frame).bookkeeping = no_bookkeeping;
        (*frame).chunk = sub_block::<N>;
        (&raw mut (*this).task_data).write(core::ptr::null_mut());
        let (_, step) = given_first::<N>(frame, IS_ONLY);
        let next: StepsFn = match step {
            Some(_) => next_step::<N, IS_ONLY>,
            None => no_step::<false>,
        };
        (*frame).next = next as *const ();
        let Some(step) = step else { return 0 };
        sizes::in_execution(this).begin();
        begin_chunk(frame, step)
    }
}

/// `StepsFn`: the thread has run a sub-block. Safety: as for [`first_step`], which has been called.
unsafe extern "C" fn next_step<N: Number, const IS_ONLY: bool>(frame: *mut Frame) -> i32 {
    let this = execution(frame);
    // SAFETY: the frame is this thread's.
    unsafe {
        let [lower, upper, stride] = bounds::<N>(frame);
        let (from, to) = (lower.read(), upper.read());
        if stage(frame) == Stage::Runs && (*frame).schedule >> MARK_AT != mark(from, to) {
            return no_more(frame);
        }
        let DispatchChunk { start, iterations } = dispatched(this).read();
        let start = N::from_wide(start);
        let end = start.plus(N::from_wide(iterations)).minus(N::ONE);
        let sizes = sizes::in_execution(this);
        sizes.measure(from.wide(), to.minus(from).wide().wrapping_add(1));
        if to != end {
            set_stage(frame, Stage::GoesOn, 0);
            let rest = end.minus(to).wide();
            let begin = to.plus(N::ONE);
            let size = match CALLBACKS.sub_blocks() {
                Some(_) => sizes.next(begin.wide(), rest),
                None => rest,
            };
            return give(frame, begin, size);
        }
        let step =
            if IS_ONLY { None } else { stride::next(N::from_wide((*frame).size_then_last), start, end, stride.read()) };
        let Some(step) = step else {
            sizes.end();
            return no_more(frame);
        };
        if (*this).timed {
            bookkeeping::<false>(frame);
        }
        begin_chunk(frame, step)
    }
}

/// Safety: as for [`next_step`].
#[inline(always)]
unsafe fn begin_chunk<N: Number>(frame: *mut Frame, step: Step<N>) -> i32 {
    let this = execution(frame);
    let iterations = step.upper.minus(step.lower).wide().wrapping_add(1);
    // SAFETY: the caller's promise. The program has read the schedule where it began the loop.
    unsafe {
        let chunk = DispatchChunk { start: step.lower.wide(), iterations };
        dispatched(this).write(chunk);
        const { assert!(Stage::Begins as u32 == 0) };
        (*frame).schedule = step.is_last.into();
        let size = sizes::in_execution(this).first(step.lower.wide(), iterations);
        give(frame, step.lower, size)
    }
}

/// Safety: as for [`next_step`]; so many iterations are left of the chunk, at least one.
#[inline(always)]
unsafe fn give<N: Number>(frame: *mut Frame, from: N, size: u64) -> i32 {
    // SAFETY: the caller's promise.
    unsafe {
        let [lower, upper, _] = bounds::<N>(frame);
        lower.write(from);
        upper.write(from.plus(N::from_wide(size.wrapping_sub(1))));
    }
    1
}

/// Safety: as for [`next_step`].
unsafe fn no_more(frame: *mut Frame) -> i32 {
    let none: StepsFn = no_step::<false>;
    // SAFETY: the caller's promise.
    unsafe { (*frame).next = none as *const () };
    0
}

/// How far an execution in sub-blocks is: the program asks for one, tells that it is about to run it, and so on, in turn.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Stage {
    /// It was given the first sub-block of a chunk.
    Begins = 0,
    /// It was given another.
    GoesOn,
    Runs,
}

// Once the program has read `Frame::schedule`, it says whether the chunk is the thread's last, in one bit, how far the execution is, and what
// runs, by a mark.
const STAGE_AT: u32 = 1;
const MARK_AT: u32 = 3;

/// Safety: as for [`next_step`].
#[inline(always)]
unsafe fn stage(frame: *mut Frame) -> Stage {
    // SAFETY: the caller's promise.
    match unsafe { (*frame).schedule >> STAGE_AT & 3 } {
        0 => Stage::Begins,
        1 => Stage::GoesOn,
        _ => Stage::Runs,
    }
}

/// Safety: as for [`next_step`].
#[inline(always)]
unsafe fn set_stage(frame: *mut Frame, stage: Stage, mark: u32) {
    // SAFETY: the caller's promise.
    unsafe { (*frame).schedule = (*frame).schedule & 1 | (stage as u32) << STAGE_AT | mark << MARK_AT }
}

/// By which two bounds are known again. Some others look the same, but hardly any.
fn mark<N: Number>(lower: N, upper: N) -> u32 {
    let both = lower.wide().rotate_left(32) ^ upper.wide();
    (both.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> (32 + MARK_AT)) as u32
}

/// `ChunkFn`: the thread is about to run a sub-block.
/// Safety: as for `chunk::only_chunk`, of an execution that `sub_block_entry::enter` began.
unsafe extern "C" fn sub_block<N: Number>(frame: *mut Frame, lower: u64, upper: u64, _: u32) {
    let this = execution(frame);
    // SAFETY: the frame is this thread's, and was filled in by `first_step`. The callback is of the type its slot states.
    unsafe {
        match stage(frame) {
            Stage::GoesOn => {}
            Stage::Begins => chunk_begins(frame, lower),
            Stage::Runs => {
                no_more(frame);
                return;
            }
        }
        set_stage(frame, Stage::Runs, mark(N::from_wide(lower), N::from_wide(upper)));
        let task_data = (*this).task_data;
        let Some(tell) = CALLBACKS.sub_blocks().filter(|_| !task_data.is_null()) else { return };
        let DispatchChunk { start, iterations } = dispatched(this).read();
        let size = upper.wrapping_sub(lower).wrapping_add(1);
        let is_last = lower.wrapping_sub(start).wrapping_add(size) == iterations;
        let first = if lower == start { SUB_BLOCK_FIRST } else { 0 };
        let last = if is_last { SUB_BLOCK_LAST } else { 0 };
        let code = thread_storage::thread().codeptr.get();
        tell((*this).parallel_data, task_data, lower, size, first | last, code);
    }
}

/// The chunk whose first sub-block begins at `lower`. Safety: as for [`sub_block`].
#[inline(never)]
unsafe fn chunk_begins(frame: *mut Frame, lower: u64) {
    let this: *mut Execution = execution(frame);
    // SAFETY: as in `sub_block`.
    unsafe {
        // First of all, so that the duration holds as little of ours as possible.
        let create_duration = if (*this).timed { elapsed(thread_storage::thread()) } else { 0.0 };
        let iterations = (*dispatched(this)).iterations;
        // As dispatch events have it, extended by the sign of the loop's variable.
        (*dispatched(this)).start = lower;
        if (*this).task_data.is_null() {
            let here = thread_storage::thread();
            here.starting.set(false);
            if !here.knows_task() {
                return;
            }
            ((*this).parallel_data, (*this).task_data) = here.parallel_and_task_data();
        }
        let upper = lower.wrapping_add(iterations).wrapping_sub(1);
        send_both(this, lower, upper, create_duration, (*frame).schedule & 1);
    }
}

#[cfg(test)]
mod tests;
