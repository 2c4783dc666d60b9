//! Loops dealt in the source that are timed and unheard: they tell of each chunk, as nothing else says how many there are.

use ompchunk_abi::{Frame, ON_LISTENING};

use crate::balance::Seat;
use crate::hooks::chunk::quiet_memory;
use crate::hooks::init_trampolines::DEALT;
use crate::hooks::run::over;

#[repr(C)]
struct Part {
    /// First, as in other executions that are timed (`equal_blocks::enter`).
    seat: Seat,
    iterations: u64,
    chunks: u64,
}

/// Has the program run such a loop, as compiled or under the schedule that the frame says. `wants` is what a tool wants of it.
/// Safety: the frame is this thread's, of an execution that is being entered; `equal_blocks::enter` was called.
pub(crate) unsafe fn enter(frame: *mut Frame, wants: u32, seat: Seat, as_compiled: bool) -> u32 {
    let dealt = if as_compiled { 0 } else { DEALT };
    if wants != 0 || !seat.is_timed() {
        return wants | dealt;
    }
    let part = Part { seat, iterations: 0, chunks: 0 };
    // SAFETY: the caller's promise; the shim's memory is free where nobody listens.
    unsafe {
        quiet_memory::<Part>(frame).write(part);
        (&raw mut (*frame).chunk).write(chunk);
        (&raw mut (*frame).leave).write(leave);
    }
    ON_LISTENING | dealt
}

/// `ChunkFn`
/// Safety: what that type says; [`enter`] has filled in the frame, which nobody else uses where nobody listens.
unsafe extern "C" fn chunk(frame: *mut Frame, lower: u64, upper: u64, _: u32) {
    // SAFETY: the caller's promise.
    let part = unsafe { &mut *quiet_memory::<Part>(frame) };
    part.chunks += 1;
    let size = upper.wrapping_sub(lower).wrapping_add(1);
    part.iterations = part.iterations.wrapping_add(size);
}

/// `AdvanceFn`. Safety: as for [`chunk`].
unsafe extern "C" fn leave(frame: *mut Frame) -> i32 {
    // SAFETY: the caller's promise.
    unsafe {
        let part = &*quiet_memory::<Part>(frame);
        part.seat.ends();
        part.seat.kept.watch.count(part.iterations, part.chunks);
        over(frame)
    }
}
