//! The signatures of callbacks, of `omp-tools.h`. Those of `ompt-chunk.h` stand in `chunk`.

use core::ffi::{c_char, c_int, c_uint, c_void};

use super::{
    Data, Dependence, DispatchKind, Endpoint, Frame, Id, LookupFn, MutexKind, Severity, SyncKind, TargetDataOp,
    TargetKind, TaskStatus, ThreadType, WaitId, WorkType,
};

/// `ompt_callback_thread_begin_t`
pub type ThreadBeginFn = unsafe extern "C" fn(thread_type: ThreadType, thread_data: *mut Data);
/// `ompt_callback_thread_end_t`
pub type ThreadEndFn = unsafe extern "C" fn(thread_data: *mut Data);
/// `ompt_callback_parallel_begin_t`
pub type ParallelBeginFn = unsafe extern "C" fn(
    encountering_task_data: *mut Data,
    encountering_task_frame: *const Frame,
    parallel_data: *mut Data,
    requested_parallelism: c_uint,
    flags: c_int,
    codeptr_ra: *const c_void,
);
/// `ompt_callback_parallel_end_t`
pub type ParallelEndFn = unsafe extern "C" fn(
    parallel_data: *mut Data,
    encountering_task_data: *mut Data,
    flags: c_int,
    codeptr_ra: *const c_void,
);
/// `ompt_callback_work_t`
pub type WorkFn = unsafe extern "C" fn(
    work_type: WorkType,
    endpoint: Endpoint,
    parallel_data: *mut Data,
    task_data: *mut Data,
    count: u64,
    codeptr_ra: *const c_void,
);
/// `ompt_callback_dispatch_t`: of a chunk, `instance` points to a [`DispatchChunk`](super::DispatchChunk).
pub type DispatchFn =
    unsafe extern "C" fn(parallel_data: *mut Data, task_data: *mut Data, kind: DispatchKind, instance: Data);
/// `ompt_callback_task_create_t`
pub type TaskCreateFn = unsafe extern "C" fn(
    encountering_task_data: *mut Data,
    encountering_task_frame: *const Frame,
    new_task_data: *mut Data,
    flags: c_int,
    has_dependences: c_int,
    codeptr_ra: *const c_void,
);
/// `ompt_callback_dependences_t`
pub type DependencesFn = unsafe extern "C" fn(task_data: *mut Data, deps: *const Dependence, ndeps: c_int);
/// `ompt_callback_task_dependence_t`
pub type TaskDependenceFn = unsafe extern "C" fn(src_task_data: *mut Data, sink_task_data: *mut Data);
/// `ompt_callback_task_schedule_t`
pub type TaskScheduleFn =
    unsafe extern "C" fn(prior_task_data: *mut Data, prior_task_status: TaskStatus, next_task_data: *mut Data);
/// `ompt_callback_implicit_task_t`
pub type ImplicitTaskFn = unsafe extern "C" fn(
    endpoint: Endpoint,
    parallel_data: *mut Data,
    task_data: *mut Data,
    actual_parallelism: c_uint,
    index: c_uint,
    flags: c_int,
);
/// `ompt_callback_masked_t`
pub type MaskedFn =
    unsafe extern "C" fn(endpoint: Endpoint, parallel_data: *mut Data, task_data: *mut Data, codeptr_ra: *const c_void);
/// `ompt_callback_sync_region_t`
pub type SyncRegionFn = unsafe extern "C" fn(
    kind: SyncKind,
    endpoint: Endpoint,
    parallel_data: *mut Data,
    task_data: *mut Data,
    codeptr_ra: *const c_void,
);
/// `ompt_callback_mutex_acquire_t`
pub type MutexAcquireFn = unsafe extern "C" fn(
    kind: MutexKind,
    hint: c_uint,
    implementation: c_uint,
    wait_id: WaitId,
    codeptr_ra: *const c_void,
);
/// `ompt_callback_mutex_t`
pub type MutexFn = unsafe extern "C" fn(kind: MutexKind, wait_id: WaitId, codeptr_ra: *const c_void);
/// `ompt_callback_nest_lock_t`
pub type NestLockFn = unsafe extern "C" fn(endpoint: Endpoint, wait_id: WaitId, codeptr_ra: *const c_void);
/// `ompt_callback_flush_t`
pub type FlushFn = unsafe extern "C" fn(thread_data: *mut Data, codeptr_ra: *const c_void);
/// `ompt_callback_cancel_t`
pub type CancelFn = unsafe extern "C" fn(task_data: *mut Data, flags: c_int, codeptr_ra: *const c_void);
/// `ompt_callback_control_tool_t`
pub type ControlToolFn =
    unsafe extern "C" fn(command: u64, modifier: u64, arg: *mut c_void, codeptr_ra: *const c_void) -> c_int;
/// `ompt_callback_error_t`
pub type ErrorFn =
    unsafe extern "C" fn(severity: Severity, message: *const c_char, length: usize, codeptr_ra: *const c_void);

/// `ompt_callback_device_initialize_t`
pub type DeviceInitializeFn = unsafe extern "C" fn(
    device_num: c_int,
    device_type: *const c_char,
    device: *mut c_void,
    lookup: Option<LookupFn>,
    documentation: *const c_char,
);
/// `ompt_callback_device_finalize_t`
pub type DeviceFinalizeFn = unsafe extern "C" fn(device_num: c_int);
/// `ompt_callback_device_load_t`
pub type DeviceLoadFn = unsafe extern "C" fn(
    device_num: c_int,
    filename: *const c_char,
    offset_in_file: i64,
    vma_in_file: *mut c_void,
    bytes: usize,
    host_addr: *mut c_void,
    device_addr: *mut c_void,
    module_id: u64,
);
/// `ompt_callback_device_unload_t`
pub type DeviceUnloadFn = unsafe extern "C" fn(device_num: c_int, module_id: u64);
/// `ompt_callback_target_emi_t`
pub type TargetEmiFn = unsafe extern "C" fn(
    kind: TargetKind,
    endpoint: Endpoint,
    device_num: c_int,
    task_data: *mut Data,
    target_task_data: *mut Data,
    target_data: *mut Data,
    codeptr_ra: *const c_void,
);
/// `ompt_callback_target_t`
pub type TargetFn = unsafe extern "C" fn(
    kind: TargetKind,
    endpoint: Endpoint,
    device_num: c_int,
    task_data: *mut Data,
    target_id: Id,
    codeptr_ra: *const c_void,
);
/// `ompt_callback_target_data_op_emi_t`
pub type TargetDataOpEmiFn = unsafe extern "C" fn(
    endpoint: Endpoint,
    target_task_data: *mut Data,
    target_data: *mut Data,
    host_op_id: *mut Id,
    optype: TargetDataOp,
    src_addr: *mut c_void,
    src_device_num: c_int,
    dest_addr: *mut c_void,
    dest_device_num: c_int,
    bytes: usize,
    codeptr_ra: *const c_void,
);
/// `ompt_callback_target_data_op_t`
pub type TargetDataOpFn = unsafe extern "C" fn(
    target_id: Id,
    host_op_id: Id,
    optype: TargetDataOp,
    src_addr: *mut c_void,
    src_device_num: c_int,
    dest_addr: *mut c_void,
    dest_device_num: c_int,
    bytes: usize,
    codeptr_ra: *const c_void,
);
/// `ompt_callback_target_map_emi_t`
pub type TargetMapEmiFn = unsafe extern "C" fn(
    target_data: *mut Data,
    nitems: c_uint,
    host_addr: *mut *mut c_void,
    device_addr: *mut *mut c_void,
    bytes: *mut usize,
    mapping_flags: *mut c_uint,
    codeptr_ra: *const c_void,
);
/// `ompt_callback_target_map_t`
pub type TargetMapFn = unsafe extern "C" fn(
    target_id: Id,
    nitems: c_uint,
    host_addr: *mut *mut c_void,
    device_addr: *mut *mut c_void,
    bytes: *mut usize,
    mapping_flags: *mut c_uint,
    codeptr_ra: *const c_void,
);
/// `ompt_callback_target_submit_emi_t`
pub type TargetSubmitEmiFn =
    unsafe extern "C" fn(endpoint: Endpoint, target_data: *mut Data, host_op_id: *mut Id, requested_num_teams: c_uint);
/// `ompt_callback_target_submit_t`
pub type TargetSubmitFn = unsafe extern "C" fn(target_id: Id, host_op_id: Id, requested_num_teams: c_uint);
