//! Blocks of equal cost that run in parts, so that it is known what each part takes (`balance/costs.rs`). Nobody listens: the program asks
//! for each part as it asks for chunks where somebody does, and what it says of them goes nowhere.
//!
//! A thread runs its own block, whole, in the order of the loop, so nothing else depends on whether it does so in parts. Only loops are
//! divided whose results stay the same bit for bit, as in `sub_block_entry`.

use core::mem::{align_of, offset_of, size_of};

use ompchunk_abi::{ChunkFn, Frame, LOOP_DIVISIBLE, LoopRecord, ON_LISTENING};

use crate::balance::{Seat, processor_time};
use crate::hooks::chunk::quiet_memory;
use crate::hooks::init_trampolines::{STEPPED, StepsFn, bounds};
use crate::static_override::stride::Number;
use crate::{balance::equal_blocks, static_override};

/// In [`Frame::shim`], and the loop's first iteration in [`Frame::size_then_last`].
#[repr(C)]
struct Block {
    iterations: u64,
    /// The part that runs, and the block's end: numbers of iterations before them.
    begin: u64,
    /// Where other executions that are timed have theirs (`equal_blocks::enter`).
    seat: Seat,
    end: u64,
    block_end: u64,
}

/// From [`Frame::module`] on, and in [`Frame::own`] how long reading the time takes, in nanoseconds of the thread's processor time.
#[repr(C)]
struct Pace {
    size: u64,
    /// When the part began.
    since: u64,
}

const _: () = {
    assert!(size_of::<Block>() <= size_of::<Frame>() - offset_of!(Frame, shim));
    assert!(offset_of!(Frame, module) + size_of::<Pace>() == offset_of!(Frame, loop_record));
    assert!(align_of::<Block>() <= align_of::<u64>() && align_of::<Pace>() <= align_of::<u64>());
};

/// Safety: the frame is this thread's, of an execution of such a block, and nobody else uses the shim's memory in it.
unsafe fn block_and_pace<'a>(frame: *mut Frame) -> (&'a mut Block, &'a mut Pace) {
    // SAFETY: the caller's promise; they do not overlap.
    unsafe {
        let (block, pace) = (&raw mut (*frame).shim, &raw mut (*frame).module);
        debug_assert_eq!(quiet_memory::<Seat>(frame), &raw mut (*block.cast::<Block>()).seat);
        (&mut *block.cast(), &mut *pace.cast())
    }
}

/// Does the thread's block run in parts, where nobody listens?
pub(crate) fn may_be(record: &LoopRecord, seat: &Seat) -> bool {
    seat.is_timed() && seat.kept.pieces.parts() > 1 && record.flags & LOOP_DIVISIBLE != 0
}

/// Safety: the frame is this thread's, of an execution that is being entered; `equal_blocks::enter` was called, and nobody listens.
pub(crate) unsafe fn enter(frame: *mut Frame, bits: u8) -> u32 {
    let begin: StepsFn = match bits {
        32 => first_part::<u32>,
        _ => first_part::<u64>,
    };
    let unheard: ChunkFn = unheard;
    // SAFETY: the caller's promise.
    unsafe {
        // For a loop without iterations, which runs as compiled.
        (&raw mut (*frame).next).write(unheard as *const ());
        (&raw mut (*frame).chunk).cast::<StepsFn>().write(begin);
    }
    STEPPED | ON_LISTENING
}

unsafe extern "C" fn unheard(_: *mut Frame, _: u64, _: u64, _: u32) {}

/// `StepsFn`. Safety: as for `static_override::begin`'s; [`enter`] was called.
unsafe extern "C" fn first_part<N: Number>(frame: *mut Frame) -> i32 {
    // SAFETY: passed on; the program reads the entry points anew for each call.
    unsafe {
        let first = static_override::whole::<N>(frame).first;
        let Some((seat, iterations, (begin, end))) = equal_blocks::block::<N>(frame, true) else {
            let there_is = static_override::begin(N::BITS, false)(frame);
            (*frame).chunk = unheard;
            return there_is;
        };
        (*frame).chunk = unheard;
        let next: StepsFn = next_part::<N>;
        (*frame).next = next as *const ();
        let size = (end - begin).div_ceil(seat.kept.pieces.parts().max(1).into()).max(1);
        let before = processor_time();
        let since = processor_time();
        (*frame).size_then_last = first.wide();
        (*frame).own = u32::try_from(since.saturating_sub(before)).unwrap_or(u32::MAX);
        (&raw mut (*frame).module).cast::<Pace>().write(Pace { size, since });
        let block = Block { iterations, begin, seat, end: begin, block_end: end };
        (&raw mut (*frame).shim).cast::<Block>().write(block);
        match begin < end {
            true => give::<N>(frame),
            // The program runs an empty range, and asks again.
            false => equal_blocks::go::<N>(frame, (begin, end)),
        }
    }
}

/// `StepsFn`: the thread has run a part, or the empty range of a block without iterations.
/// Safety: as for [`first_part`], which has been called.
unsafe extern "C" fn next_part<N: Number>(frame: *mut Frame) -> i32 {
    let now = processor_time();
    // SAFETY: the caller's promise.
    let ((block, pace), reading) = unsafe { (block_and_pace(frame), (*frame).own) };
    if block.begin < block.end {
        let took = now.saturating_sub(pace.since).saturating_sub(reading.into());
        let part = [block.begin, block.end];
        block.seat.kept.part_took(part, block.iterations, took.max(1));
    }
    if block.end == block.block_end {
        block.seat.kept.pieces.ran();
        let none: StepsFn = static_override::no_step::<false>;
        // SAFETY: as above.
        unsafe { (*frame).next = none as *const () };
        return 0;
    }
    pace.since = now;
    // SAFETY: as above.
    unsafe { give::<N>(frame) }
}

/// Gives the part behind the one that has run. There are iterations left. Safety: as for [`next_part`].
unsafe fn give<N: Number>(frame: *mut Frame) -> i32 {
    // SAFETY: the caller's promise.
    unsafe {
        let (block, pace) = block_and_pace(frame);
        let rest = block.block_end - block.end;
        block.begin = block.end;
        block.end += rest.min(pace.size);
        let first = N::from_wide((*frame).size_then_last);
        let [lower, upper, _] = bounds::<N>(frame);
        lower.write(first.plus(N::from_wide(block.begin)));
        upper.write(first.plus(N::from_wide(block.end)).minus(N::ONE));
        (*frame).schedule = u32::from(block.end == block.block_end);
    }
    1
}
