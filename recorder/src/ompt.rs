//! The part of OMPT (OpenMP 5.2, chapter 19) and of `ompt-chunk.h` that the recorder uses.

use std::ffi::{c_char, c_int, c_uint, c_void};
use std::sync::atomic::AtomicU64;

use ompchunk_abi::LoopRecord;
use ompchunk_trace_format::{
    PARALLEL_INVOKER_PROGRAM, PARALLEL_INVOKER_RUNTIME, PARALLEL_LEAGUE, PARALLEL_TEAM,
};

/// `ompt_data_t`
#[repr(C)]
#[derive(Clone, Copy)]
pub union Data {
    /// As a number.
    pub value: u64,
    /// As an address.
    pub ptr: *mut c_void,
}

/// Any function, before it is given its type.
pub type AnyFn = unsafe extern "C" fn();
/// `ompt_function_lookup_t`
pub type LookupFn = unsafe extern "C" fn(name: *const c_char) -> Option<AnyFn>;
/// `ompt_set_callback_t`
pub type SetCallbackFn = unsafe extern "C" fn(event: c_int, callback: Option<AnyFn>) -> c_int;
/// `ompt_chunk_get_loop_t`
pub type GetLoopFn = unsafe extern "C" fn() -> *const LoopRecord;
/// `ompt_chunk_get_variable_t`
pub type GetVariableFn = unsafe extern "C" fn(start: *mut i64, step: *mut i64) -> c_int;

/// `ompt_chunk_get_schedule_t`
pub type GetScheduleFn = unsafe extern "C" fn(schedule: *mut c_uint, chunk: *mut i64) -> c_int;
/// `ompt_chunk_get_met_t`
pub type GetMetFn = unsafe extern "C" fn() -> *const AtomicU64;

/// `ompt_start_tool_result_t`
#[repr(C)]
pub struct StartToolResult {
    /// Non-zero keeps the tool.
    pub initialize: unsafe extern "C" fn(LookupFn, c_int, *mut Data) -> c_int,
    /// Called when the runtime has finished.
    pub finalize: unsafe extern "C" fn(*mut Data),
    /// The tool's own.
    pub tool_data: Data,
}

/// `ompt_dispatch_chunk_t`
#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub struct DispatchChunk {
    /// First logical iteration.
    pub start: u64,
    /// Number of iterations.
    pub iterations: u64,
}

/// `ompt_callback_control_tool_t`
pub type ControlToolFn = unsafe extern "C" fn(
    command: u64,
    modifier: u64,
    argument: *mut c_void,
    code: *const c_void,
) -> c_int;
/// `ompt_callback_thread_begin_t`
pub type ThreadBeginFn = unsafe extern "C" fn(kind: c_uint, thread_data: *mut Data);
/// `ompt_callback_thread_end_t`
pub type ThreadEndFn = unsafe extern "C" fn(thread_data: *mut Data);
/// `ompt_callback_parallel_begin_t`
pub type ParallelBeginFn = unsafe extern "C" fn(
    task_data: *mut Data,
    task_frame: *const c_void,
    parallel_data: *mut Data,
    requested: c_uint,
    flags: c_int,
    code: *const c_void,
);
/// `ompt_callback_parallel_end_t`
pub type ParallelEndFn = unsafe extern "C" fn(
    parallel_data: *mut Data,
    task_data: *mut Data,
    flags: c_int,
    code: *const c_void,
);
/// `ompt_callback_implicit_task_t`
pub type ImplicitTaskFn = unsafe extern "C" fn(
    endpoint: c_uint,
    parallel_data: *mut Data,
    task_data: *mut Data,
    team_size: c_uint,
    index: c_uint,
    flags: c_int,
);
/// `ompt_callback_work_t`
pub type WorkFn = unsafe extern "C" fn(
    work: c_uint,
    endpoint: c_uint,
    parallel_data: *mut Data,
    task_data: *mut Data,
    count: u64,
    code: *const c_void,
);
/// `ompt_callback_sync_region_t`
pub type SyncRegionFn = unsafe extern "C" fn(
    kind: c_uint,
    endpoint: c_uint,
    parallel_data: *mut Data,
    task_data: *mut Data,
    code: *const c_void,
);
/// `ompt_callback_dispatch_t`
pub type DispatchFn = unsafe extern "C" fn(
    parallel_data: *mut Data,
    task_data: *mut Data,
    kind: c_uint,
    instance: Data,
);
/// `ompt_callback_chunk_t`
pub type ChunkFn = unsafe extern "C" fn(
    task_data: *mut Data,
    lower: i64,
    upper: i64,
    create_duration: f64,
    is_last_chunk: c_int,
);
/// `ompt_tool_time_t`
pub type ToolTimeFn = unsafe extern "C" fn() -> f64;

pub(crate) const SET_SOMETIMES: c_int = 3;

pub(crate) const SCOPE_BEGIN: c_uint = 1;
pub(crate) const SCOPE_END: c_uint = 2;

pub(crate) const WORK_LOOP: u32 = 1;
pub(crate) const WORK_DISTRIBUTE: u32 = 6;
pub(crate) const WORK_LOOP_STATIC: u32 = 10;
pub(crate) const WORK_LOOP_OTHER: u32 = 13;

pub(crate) const DISPATCH_WS_LOOP_CHUNK: c_uint = 3;
pub(crate) const DISPATCH_DISTRIBUTE_CHUNK: c_uint = 5;

/// `ompt_sync_region_barrier_implicit`, as runtimes before OpenMP 5.1 call every implicit barrier.
pub(crate) const SYNC_BARRIER_IMPLICIT: u32 = 2;
/// `ompt_sync_region_barrier_implicit_parallel`
pub(crate) const SYNC_BARRIER_IMPLICIT_PARALLEL: u32 = 9;
/// `ompt_sync_region_barrier_teams`
pub(crate) const SYNC_BARRIER_TEAMS: u32 = 10;

/// `ompt_task_initial`
pub(crate) const TASK_INITIAL: u32 = 1;

/// `ompt_thread_unknown`
pub(crate) const THREAD_UNKNOWN: u32 = 4;

/// Whether a `work` is a loop that deals chunks to threads.
pub(crate) fn is_loop(work: u32) -> bool {
    matches!(
        work,
        WORK_LOOP | WORK_DISTRIBUTE | WORK_LOOP_STATIC..=WORK_LOOP_OTHER
    )
}

/// `ompt_parallel_flag_t` in 24 bits.
pub(crate) fn squeeze(flags: u32) -> u32 {
    [
        (1, PARALLEL_INVOKER_PROGRAM),
        (2, PARALLEL_INVOKER_RUNTIME),
        (1 << 30, PARALLEL_LEAGUE),
        (1 << 31, PARALLEL_TEAM),
    ]
    .iter()
    .filter(|(theirs, _)| flags & theirs != 0)
    .fold(0, |all, (_, ours)| all | ours)
}
