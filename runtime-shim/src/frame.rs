//! What a frame holds beyond what its fields say, for all that begin, run and leave an execution.

use core::mem::offset_of;

use ompchunk_abi::{Frame, LOOP_CHUNK_KNOWN, LOOP_DEALT, LOOP_SIGNED, LoopRecord};

use crate::chunk::Execution;

/// Of `Frame::on`: the runtime deals the execution's chunks instead, ...
pub(crate) const DEALT: u32 = 1 << 2;
/// ... or it runs under `static` or `static,c`.
pub(crate) const STEPPED: u32 = 1 << 3;
const _: () = assert!(DEALT | STEPPED == ompchunk_abi::ON_CHANGED);

/// Called once the runtime has a thread's first bounds, of an execution that is stepped, and then where it has run what they say: returns
/// 1, with the bounds of what it runs next, or 0 if that is nothing. The one for the first chunk stands in [`Frame::chunk`], where it leaves a
/// [`ompchunk_abi::ChunkFn`] if somebody listens, and one for the others in [`Frame::next`].
pub(crate) type StepsFn =
    unsafe extern "C" fn(frame: *mut Frame, lower: *mut (), upper: *mut (), stride: *mut ()) -> i32;

/// In a frame until `ready`: the chunk size that the runtime is given. Of an execution, a time that nobody has taken yet.
pub(crate) const SIZE_AT: usize = offset_of!(Frame, shim) + offset_of!(Execution, since);
/// Until `ready`: the function of the runtime that initialises the loop.
pub(crate) const TARGET_AT: usize = offset_of!(Frame, module);

/// Which of a module's functions of the runtime are for loops of that type.
#[inline(always)]
pub(crate) fn kind(bits: u8, flags: u32) -> usize {
    usize::from(bits == 64) * 2 + usize::from(flags & LOOP_SIGNED == 0)
}

/// The chunk size in the source: the record's, or what the program tells. (Of a loop that is dealt it tells it in any case.)
///
/// # Safety
///
/// The frame is the calling thread's, which has entered nothing with it yet, and the record that of its loop, with a chunk size or dealt.
#[inline(always)]
pub(crate) unsafe fn chunk_size(frame: *mut Frame, record: &LoopRecord) -> u64 {
    match record.flags & (LOOP_DEALT | LOOP_CHUNK_KNOWN) {
        LOOP_CHUNK_KNOWN => record.chunk as u64,
        // SAFETY: the program has written what its record says.
        _ => unsafe { (&raw const (*frame).size_then_last).read() },
    }
}
