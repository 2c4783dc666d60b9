//! The part of OMPT (OpenMP 5.2, chapter 19) that the shim speaks, under Rust names.
//!
//! Values and layouts only. Those that `omp-tools.h` and `ompt-chunk.h` also state are compared
//! with the headers by a test.

use core::ffi::{c_char, c_int, c_uint, c_void};

/// `ompt_data_t`.
#[repr(C)]
#[derive(Clone, Copy)]
pub union Data {
    /// As a number.
    pub value: u64,
    /// As an address.
    pub ptr: *mut c_void,
}

/// `ompt_callback_t` and `ompt_interface_fn_t`: a function of a type that the name or number asked
/// for decides.
pub type AnyFn = unsafe extern "C" fn();

/// `ompt_function_lookup_t`.
pub type LookupFn = unsafe extern "C" fn(name: *const c_char) -> Option<AnyFn>;
/// `ompt_initialize_t`.
pub type InitializeFn = unsafe extern "C" fn(
    lookup: Option<LookupFn>,
    initial_device_num: c_int,
    tool_data: *mut Data,
) -> c_int;
/// `ompt_finalize_t`.
pub type FinalizeFn = unsafe extern "C" fn(tool_data: *mut Data);
/// `ompt_start_tool`.
pub type StartToolFn = unsafe extern "C" fn(
    omp_version: c_uint,
    runtime_version: *const c_char,
) -> *mut StartToolResult;

/// `ompt_start_tool_result_t`. Both functions may be missing in what a careless tool hands out.
#[repr(C)]
pub struct StartToolResult {
    /// Called once, when the runtime is ready; 0 switches OMPT off.
    pub initialize: Option<InitializeFn>,
    /// Called once, at the end.
    pub finalize: Option<FinalizeFn>,
    /// The tool's own.
    pub tool_data: Data,
}

/// `ompt_set_callback_t`.
pub type SetCallbackFn = unsafe extern "C" fn(event: c_uint, callback: Option<AnyFn>) -> c_int;
/// `ompt_get_callback_t`.
pub type GetCallbackFn = unsafe extern "C" fn(event: c_uint, callback: *mut Option<AnyFn>) -> c_int;
/// `ompt_get_task_info_t`.
pub type GetTaskInfoFn = unsafe extern "C" fn(
    ancestor_level: c_int,
    flags: *mut c_int,
    task_data: *mut *mut Data,
    task_frame: *mut *mut c_void,
    parallel_data: *mut *mut Data,
    thread_num: *mut c_int,
) -> c_int;
/// `ompt_get_parallel_info_t`.
pub type GetParallelInfoFn = unsafe extern "C" fn(
    ancestor_level: c_int,
    parallel_data: *mut *mut Data,
    team_size: *mut c_int,
) -> c_int;
/// What `ompt_get_task_info` and `ompt_get_parallel_info` answer when a task or region exists at that level and its data is
/// available.
pub const TASK_INFO_AVAILABLE: c_int = 2;

/// `ompt_callback_dispatch_t`.
pub type DispatchFn = unsafe extern "C" fn(
    parallel_data: *mut Data,
    task_data: *mut Data,
    kind: c_uint,
    instance: Data,
);
/// `ompt_callback_chunk_t` of `ompt-chunk.h`.
pub type ChunkFn = unsafe extern "C" fn(
    task_data: *mut Data,
    lower: i64,
    upper: i64,
    create_duration: f64,
    is_last_chunk: c_int,
);
/// `ompt_tool_time_t` of `ompt-chunk.h`.
pub type ClockFn = unsafe extern "C" fn() -> f64;

/// `ompt_callback_loop_t` of `ompt-chunk.h`.
pub type LoopFn = unsafe extern "C" fn(
    loop_sched: c_uint,
    endpoint: c_uint,
    parallel_data: *mut Data,
    task_data: *mut Data,
    is_iter_signed: c_int,
    step: i64,
    codeptr_ra: *const c_void,
);
/// `ompt_callback_task_creation_t` of `ompt-chunk.h`.
pub type CreationFn = unsafe extern "C" fn(
    encountering_task_data: *mut Data,
    encountering_task_frame: *const c_void,
    new_task_data: *mut Data,
    flags: c_int,
    has_dependences: c_int,
    event_duration: f64,
    codeptr_ra: *const c_void,
);

/// `ompt_callback_thread_begin_t`.
pub type ThreadBeginFn = unsafe extern "C" fn(thread_type: c_uint, thread_data: *mut Data);
/// `ompt_callback_parallel_end_t`.
pub type ParallelEndFn = unsafe extern "C" fn(
    parallel_data: *mut Data,
    encountering_task_data: *mut Data,
    flags: c_int,
    codeptr_ra: *const c_void,
);

/// `ompt_callback_work_t`.
pub type WorkFn = unsafe extern "C" fn(
    work_type: c_uint,
    endpoint: c_uint,
    parallel_data: *mut Data,
    task_data: *mut Data,
    count: u64,
    codeptr_ra: *const c_void,
);
/// `ompt_callback_task_create_t`.
pub type TaskCreateFn = unsafe extern "C" fn(
    encountering_task_data: *mut Data,
    encountering_task_frame: *const c_void,
    new_task_data: *mut Data,
    flags: c_int,
    has_dependences: c_int,
    codeptr_ra: *const c_void,
);
/// `ompt_callback_task_schedule_t`.
pub type TaskScheduleFn = unsafe extern "C" fn(
    prior_task_data: *mut Data,
    prior_task_status: c_uint,
    next_task_data: *mut Data,
);

/// `omp_get_schedule`.
pub type GetScheduleFn = unsafe extern "C" fn(kind: *mut c_uint, chunk: *mut c_int);

/// `ompt_callback_thread_begin`.
pub const EVENT_THREAD_BEGIN: c_uint = 1;
/// `ompt_callback_task_create`.
pub const EVENT_TASK_CREATE: c_uint = 5;
/// `ompt_callback_task_schedule`.
pub const EVENT_TASK_SCHEDULE: c_uint = 6;
/// `ompt_callback_work`.
pub const EVENT_WORK: c_uint = 20;
/// `ompt_callback_parallel_end`.
pub const EVENT_PARALLEL_END: c_uint = 4;
/// `ompt_callback_dispatch`.
pub const EVENT_DISPATCH: c_uint = 32;
/// `ompt_callback_loop`.
pub const EVENT_LOOP: c_uint = 81;
/// `ompt_callback_chunk`.
pub const EVENT_CHUNK: c_uint = 82;
/// `ompt_callback_tool_time`.
pub const EVENT_TOOL_TIME: c_uint = 83;
/// `ompt_callback_task_creation`.
pub const EVENT_CREATION: c_uint = 84;

/// `ompt_task_explicit`.
pub const TASK_EXPLICIT: c_int = 4;
/// `ompt_task_target`.
pub const TASK_TARGET: c_int = 8;

/// `ompt_scope_begin`.
pub const SCOPE_BEGIN: c_uint = 1;
/// `ompt_scope_end`.
pub const SCOPE_END: c_uint = 2;

/// `ompt_work_loop`: the runtime does not say how the iterations are dealt.
pub const WORK_LOOP: c_uint = 1;
/// `ompt_work_distribute`.
pub const WORK_DISTRIBUTE: c_uint = 6;
/// `ompt_work_loop_static`.
pub const WORK_LOOP_STATIC: c_uint = 10;
/// `ompt_work_loop_dynamic`.
pub const WORK_LOOP_DYNAMIC: c_uint = 11;
/// `ompt_work_loop_guided`.
pub const WORK_LOOP_GUIDED: c_uint = 12;
/// `ompt_work_loop_other`.
pub const WORK_LOOP_OTHER: c_uint = 13;

/// `ompt_loop_sched_static`; this and the following as `omp_sched_t` numbers them.
pub const SCHED_STATIC: c_uint = 1;
/// `ompt_loop_sched_dynamic`.
pub const SCHED_DYNAMIC: c_uint = 2;
/// `ompt_loop_sched_guided`.
pub const SCHED_GUIDED: c_uint = 3;
/// `ompt_loop_sched_auto`.
pub const SCHED_AUTO: c_uint = 4;
/// `ompt_loop_sched_monotonic`, a modifier.
pub const SCHED_MONOTONIC: c_uint = 0x8000_0000;

/// `ompt_set_error`.
pub const SET_ERROR: c_int = 0;
/// `ompt_set_never`.
pub const SET_NEVER: c_int = 1;
/// `ompt_set_sometimes`.
pub const SET_SOMETIMES: c_int = 3;
/// `ompt_set_sometimes_paired`.
pub const SET_SOMETIMES_PAIRED: c_int = 4;
/// `ompt_set_always`.
pub const SET_ALWAYS: c_int = 5;

/// `ompt_dispatch_ws_loop_chunk`.
pub const DISPATCH_WS_LOOP_CHUNK: c_uint = 3;
/// `ompt_dispatch_distribute_chunk`.
pub const DISPATCH_DISTRIBUTE_CHUNK: c_uint = 5;

/// `ompt_dispatch_chunk_t`.
#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub struct DispatchChunk {
    /// First logical iteration.
    pub start: u64,
    /// Number of iterations.
    pub iterations: u64,
}
