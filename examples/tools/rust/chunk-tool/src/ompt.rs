//! The part of the OMPT interface (OpenMP 5.2, chapter 19) that the tools use, and the two
//! extensions of `ompt-chunk.h`.

use std::ffi::{c_char, c_int, c_uint, c_void};

use ompchunk_abi::LoopRecord;

/// Any entry point, before it is given its type.
pub type Interface = unsafe extern "C" fn();
/// `ompt_function_lookup_t`
pub type Lookup = unsafe extern "C" fn(name: *const c_char) -> Option<Interface>;
/// `ompt_set_callback_t`; a callback of any signature travels as [`Interface`].
pub type SetCallback = unsafe extern "C" fn(event: c_int, callback: Interface) -> c_int;
/// `ompt_get_task_info_t`
pub type GetTaskInfo = unsafe extern "C" fn(
    ancestor_level: c_int,
    flags: *mut c_int,
    task_data: *mut *mut c_void,
    task_frame: *mut *mut c_void,
    parallel_data: *mut *mut c_void,
    thread_num: *mut c_int,
) -> c_int;
/// `ompt_chunk_get_loop_t`
pub type GetLoop = unsafe extern "C" fn() -> *const LoopRecord;

/// `ompt_callback_work_t`
pub type WorkCallback = unsafe extern "C" fn(
    work: c_int,
    endpoint: c_int,
    parallel_data: *mut c_void,
    task_data: *mut c_void,
    count: u64,
    code: *const c_void,
);
/// `ompt_callback_dispatch_t`; for chunks, `instance` points to a [`DispatchChunk`].
pub type DispatchCallback = unsafe extern "C" fn(
    parallel_data: *mut c_void,
    task_data: *mut c_void,
    kind: c_int,
    instance: *const DispatchChunk,
);
/// `ompt_callback_chunk_t`
pub type ChunkCallback = unsafe extern "C" fn(
    task_data: *mut c_void,
    lower: i64,
    upper: i64,
    create_duration: f64,
    is_last_chunk: c_int,
);
/// `ompt_tool_time_t`
pub type ToolTime = unsafe extern "C" fn() -> f64;

/// `ompt_dispatch_chunk_t`
#[repr(C)]
#[derive(Debug)]
pub struct DispatchChunk {
    /// First logical iteration.
    pub start: u64,
    /// Number of iterations.
    pub iterations: u64,
}

/// `ompt_start_tool_result_t`
#[repr(C)]
#[derive(Debug)]
pub struct StartToolResult {
    /// Non-zero keeps the tool.
    pub initialize: unsafe extern "C" fn(Lookup, c_int, *mut c_void) -> c_int,
    /// Called when the runtime has finished.
    pub finalize: unsafe extern "C" fn(*mut c_void),
    /// The tool's own; unused.
    pub tool_data: u64,
}

/// The signature of `ompt_start_tool`.
pub type StartTool = unsafe extern "C" fn(c_uint, *const c_char) -> *mut StartToolResult;

pub(crate) const CALLBACK_WORK: c_int = 20;
pub(crate) const CALLBACK_DISPATCH: c_int = 32;
pub(crate) const CALLBACK_CHUNK: c_int = 82;
pub(crate) const CALLBACK_TOOL_TIME: c_int = 83;

pub(crate) const SET_SOMETIMES: c_int = 3;
pub(crate) const SET_ALWAYS: c_int = 5;

pub(crate) const SCOPE_BEGIN: c_int = 1;
pub(crate) const SCOPE_END: c_int = 2;

pub(crate) const WORK_LOOP: c_int = 1;
pub(crate) const WORK_DISTRIBUTE: c_int = 6;
pub(crate) const WORK_LOOP_STATIC: c_int = 10;
pub(crate) const WORK_LOOP_DYNAMIC: c_int = 11;
pub(crate) const WORK_LOOP_GUIDED: c_int = 12;
pub(crate) const WORK_LOOP_OTHER: c_int = 13;

pub(crate) const DISPATCH_WS_LOOP_CHUNK: c_int = 3;
pub(crate) const DISPATCH_DISTRIBUTE_CHUNK: c_int = 5;
