//! The frame: one execution of one loop by one thread, on that thread's stack.

use core::mem::{align_of, size_of};

use crate::LoopRecord;

/// A chunk is about to run: logical iterations `lower` to `upper`, both inclusive and clamped, extended to 64 bits by the
/// signedness that the loop record states. `is_last` is 1 for the last one that the thread runs in this execution.
pub type ChunkFn = unsafe extern "C" fn(frame: *mut Frame, lower: u64, upper: u64, is_last: u32);

/// The bookkeeping for the next chunk of a loop over chunks begins.
pub type BookkeepingFn = unsafe extern "C" fn(frame: *mut Frame);

/// The execution goes on, or ends: returns [`RUNS_MORE`], [`ENDS`] or [`HAS_ENDED`]. But for [`RUNS_MORE`], the frame is dead afterwards.
pub type AdvanceFn = unsafe extern "C" fn(frame: *mut Frame) -> i32;

/// The bounds say what the program runs next. Below 0, the others not, so that one test tells all three apart.
pub const RUNS_MORE: i32 = -1;
/// The program goes on to `__kmpc_for_static_fini`.
pub const ENDS: i32 = 0;
/// It skips `__kmpc_for_static_fini`.
pub const HAS_ENDED: i32 = 1;

/// Bytes the program reserves for a frame.
pub const FRAME_SIZE: usize = 176;
/// Its alignment: an `alloca` of this alignment costs nothing on any 64-bit ABI we know.
pub const FRAME_ALIGN: usize = 16;

/// Uninitialised but for what the program writes until `begin` returns a [`crate::StartFn`]; then the program reads `on` and
/// the entry points. All else is the shim's.
#[repr(C, align(16))]
pub struct Frame {
    /// With [`crate::LOOP_TOLD`] the variables that the runtime fills in, of the loop's own width at the fields' begins: whether the thread
    /// has the loop's last iteration, ...
    pub last: i32,
    /// 0 from the program before it asks `begin`; while an instrumented execution runs, what [`crate::BeginFn`] says. Else it may be 1: where
    /// a program does not read `last`, the runtime of an execution as compiled writes it here.
    pub on: u32,
    /// ... the lower bound, ...
    pub lower: u64,
    /// ... the upper bound (where the runtime deals the chunks in the source and the loop can be changed: what the program writes before
    /// `begin`, the last iteration's number less the first one's, of the loop's width), ...
    pub upper: u64,
    /// ... and the distance of two chunks. They stand here if the loop begins by [`crate::ModuleRecord::entries`]; else the program copies
    /// them from its own variables before each call, and back behind it.
    pub stride: u64,
    /// Called before each chunk of a loop over chunks that reports.
    pub chunk: ChunkFn,
    /// Called where a loop over chunks steps to the next one, under [`crate::ON_TIMED`].
    pub bookkeeping: BookkeepingFn,
    /// Called behind the runtime's initialisation of the loop, where it returns [`RUNS_MORE`]; then, of a loop that can be changed, wherever
    /// what the bounds said has been run.
    pub advance: AdvanceFn,
    /// Called where control leaves the loop otherwise: never returns [`RUNS_MORE`].
    pub leave: AdvanceFn,
    /// From the program before `begin` the image's [`crate::ModuleRecord`].
    pub module: *const (),
    /// From the program before `begin` the user's step, if they say [`crate::LOOP_STEP_PASSED`]. Then the `ident_t` that `begin` was given.
    pub ident: *const (),
    /// The record that `begin` was given.
    pub loop_record: *const LoopRecord,
    /// From the program before `begin` the user's start ([`LoopRecord::start`]), with [`crate::LOOP_START_PASSED`].
    pub next: *const (),
    /// Likewise the chunk size, if they say [`crate::LOOP_CHUNKED`] or [`crate::LOOP_DEALT`] without [`crate::LOOP_CHUNK_KNOWN`],
    /// extended to 64 bits. `begin` leaves the chunk size here that the program passes, if the runtime deals the loop's chunks in
    /// the source; likewise, and no more, if the loop has [`crate::LOOP_STOCK`] and chunks.
    pub size_then_last: u64,
    /// `begin` leaves the `enum sched_type` here that the program passes, for loops whose chunk size it leaves in `size_then_last`.
    pub schedule: u32,
    /// The shim's own memory: a word, ...
    pub own: u32,
    /// ... and more of them.
    pub shim: [u64; 8],
}

/// The `ident_t` of one loop, behind which its record is found.
#[repr(C)]
pub struct LoopIdent {
    /// As the compiler wrote it.
    pub ident: [u64; 3],
    /// Bytes from here to the [`LoopRecord`].
    pub distance: i64,
    /// Where in [`crate::ModuleRecord`] the runtime's function is.
    pub static_init_at: u64,
}

const _: () = {
    assert!(size_of::<usize>() != 8 || size_of::<Frame>() == FRAME_SIZE);
    assert!(align_of::<Frame>() == FRAME_ALIGN);
};
offsets!(Frame: last 0, on 4, lower 8, upper 16, stride 24, chunk 32);
#[cfg(target_pointer_width = "64")]
offsets!(
    Frame: bookkeeping 40, advance 48, leave 56, module 64, ident 72, loop_record 80, next 88, size_then_last 96, schedule 104, own 108, shim 112
);
offsets!(LoopIdent: distance 24, static_init_at 32);
