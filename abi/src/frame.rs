//! The frame: one execution of one loop by one thread, on that thread's stack.

use core::mem::{align_of, offset_of, size_of};

use crate::LoopRecord;

/// A chunk is about to run: logical iterations `lower` to `upper`, both inclusive and clamped, each
/// extended to 64 bits by the signedness that the loop record states. `is_last` is 1 when this is
/// the last chunk that the thread runs in this execution of the loop.
pub type ChunkFn = unsafe extern "C" fn(frame: *mut Frame, lower: u64, upper: u64, is_last: u32);

/// The bookkeeping for the next chunk begins. The first call comes right after the runtime's
/// initialisation of the loop has returned.
pub type BookkeepingFn = unsafe extern "C" fn(frame: *mut Frame);

/// The thread has run its last chunk, or had none. The frame is dead afterwards.
pub type LeaveFn = unsafe extern "C" fn(frame: *mut Frame);

/// Under [`crate::ENTER_STEPPED`]: returns 1, with the bounds of what the thread runs next, or 0 if that is nothing. `lower`, `upper` and
/// `stride` point to what `__kmpc_for_static_init_*` has written, of the loop's own width. The one for the first chunk, right
/// after that call, stands in [`Frame::chunk`], where it leaves a [`ChunkFn`]; the others in [`Frame::next`].
pub type StepsFn = unsafe extern "C" fn(frame: *mut Frame, lower: *mut (), upper: *mut (), stride: *mut ()) -> i32;

/// Bytes the program reserves for a frame.
pub const FRAME_SIZE: usize = 176;
/// Its alignment: an `alloca` of this alignment costs nothing on any 64-bit ABI we know.
pub const FRAME_ALIGN: usize = 16;

/// Uninitialised until `enter` returns non-zero; then the program reads the entry points, and
/// everything from `the_loop` on is the shim's own.
#[repr(C, align(16))]
#[derive(Debug)]
pub struct Frame {
    /// Called before each chunk. At first a [`StepsFn`] in an execution that is stepped.
    pub chunk: ChunkFn,
    /// Called where the bookkeeping for a chunk begins, if `enter` returned `ENTER_TIMED`.
    pub bookkeeping: BookkeepingFn,
    /// Called once, at the end.
    pub leave: LeaveFn,
    /// The record `enter` was given: of a dealt execution, so that its end is not taken for another loop's.
    pub the_loop: *const LoopRecord,
    /// Where an execution under another schedule asks for chunks: a `__kmpc_dispatch_next_*`, which the program fills in. Of one
    /// that is stepped, from `enter` the [`ChunkFn`] for a loop without iterations, which runs as compiled; else the program
    /// puts the loop's first iteration here, extended to 64 bits as in [`ChunkFn`], and the shim then a [`StepsFn`].
    pub next: *const (),
    /// From `enter` the chunk size of such an execution, as the compiler would pass it to the runtime. Then, of a dealt one,
    /// from the program the address of the flag, an `i32`, that says whether a chunk holds the loop's last iteration; of one
    /// that is stepped, the loop's last iteration.
    pub size_then_last: u64,
    /// `enum sched_type` of such an execution, likewise.
    pub schedule: u32,
    /// The shim's own memory.
    pub shim: [u64; 15],
}

const _: () = {
    assert!(size_of::<usize>() != 8 || size_of::<Frame>() == FRAME_SIZE);
    assert!(align_of::<Frame>() == FRAME_ALIGN);
    assert!(offset_of!(Frame, chunk) == 0);
    assert!(offset_of!(Frame, bookkeeping) == size_of::<usize>());
    assert!(offset_of!(Frame, leave) == 2 * size_of::<usize>());
    assert!(offset_of!(Frame, the_loop) == 3 * size_of::<usize>());
    assert!(offset_of!(Frame, next) == 4 * size_of::<usize>());
    assert!(size_of::<usize>() != 8 || offset_of!(Frame, size_then_last) == 40);
    assert!(size_of::<usize>() != 8 || offset_of!(Frame, schedule) == 48);
    assert!(size_of::<usize>() != 8 || offset_of!(Frame, shim) == 56);
};
