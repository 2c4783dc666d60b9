//! The types that callbacks and entry points share, and how a runtime finds its tool.

use core::ffi::{c_char, c_int, c_uint, c_void};

use super::{DependenceType, signatures};

/// `ompt_wait_id_t`: names a lock, while it exists.
pub type WaitId = u64;
/// `ompt_id_t`: names a target construct or an operation of it.
pub type Id = u64;

/// `ompt_data_t`: the tool's own memory of a thread, a region or a task; 0 until the tool writes.
#[repr(C)]
#[derive(Clone, Copy)]
pub union Data {
    /// As a number.
    pub value: u64,
    /// As an address.
    pub ptr: *mut c_void,
}

/// `ompt_frame_t`: where a task's frames lie on the stack.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct Frame {
    /// Address of the runtime's last frame before the task's own code.
    pub exit_frame: Data,
    /// Address of the task's frame that entered the runtime.
    pub enter_frame: Data,
    /// What `exit_frame` is, of `FRAME_…`.
    pub exit_frame_flags: c_int,
    /// What `enter_frame` is, of `FRAME_…`.
    pub enter_frame_flags: c_int,
}

/// `ompt_dependence_t`: one dependence of a task.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct Dependence {
    /// What it is about.
    pub variable: Data,
    /// One of `DEPENDENCE_…`.
    pub dependence_type: DependenceType,
}

/// `ompt_dispatch_chunk_t`: what the `instance` of a dispatch event points to if a chunk is dispatched.
#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub struct DispatchChunk {
    /// First logical iteration.
    pub start: u64,
    /// Number of iterations.
    pub iterations: u64,
}

/// `ompt_callback_t`, and `ompt_interface_fn_t`: a function of a type that the number or name asked for decides.
pub type AnyFn = unsafe extern "C" fn();

signatures! {
    ompt_function_lookup_t: LookupFn(name: *const c_char) -> Option<AnyFn>;
    ompt_initialize_t: InitializeFn(lookup: Option<LookupFn>, initial_device_num: c_int, tool_data: *mut Data) -> c_int;
    ompt_finalize_t: FinalizeFn(tool_data: *mut Data);
    /// The one function that a tool exports.
    ompt_start_tool: StartToolFn(omp_version: c_uint, runtime_version: *const c_char) -> *mut StartToolResult;
}

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
