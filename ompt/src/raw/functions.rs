//! The signatures of `omp-tools.h`: of callbacks, and of what a runtime's lookup gives to a tool. Those of `ompt-chunk.h` stand in `chunk`.

use core::ffi::{c_char, c_int, c_uint, c_void};

use super::{
    AnyFn, Data, Dependence, DispatchKind, Endpoint, Event, Frame, Id, LookupFn, MutexKind, SetResult, Severity,
    SyncKind, TargetDataOp, TargetKind, TaskStatus, ThreadType, WaitId, WorkType, signatures,
};

signatures! {
    ompt_callback_thread_begin_t: ThreadBeginFn(thread_type: ThreadType, thread_data: *mut Data);
    ompt_callback_thread_end_t: ThreadEndFn(thread_data: *mut Data);
    ompt_callback_parallel_begin_t: ParallelBeginFn(
        encountering_task_data: *mut Data, encountering_task_frame: *const Frame, parallel_data: *mut Data,
        requested_parallelism: c_uint, flags: c_int, codeptr_ra: *const c_void);
    ompt_callback_parallel_end_t: ParallelEndFn(
        parallel_data: *mut Data, encountering_task_data: *mut Data, flags: c_int, codeptr_ra: *const c_void);
    ompt_callback_work_t: WorkFn(
        work_type: WorkType, endpoint: Endpoint, parallel_data: *mut Data, task_data: *mut Data, count: u64,
        codeptr_ra: *const c_void);
    /// Of a chunk, `instance` points to a [`DispatchChunk`](super::DispatchChunk).
    ompt_callback_dispatch_t: DispatchFn(
        parallel_data: *mut Data, task_data: *mut Data, kind: DispatchKind, instance: Data);
    ompt_callback_task_create_t: TaskCreateFn(
        encountering_task_data: *mut Data, encountering_task_frame: *const Frame, new_task_data: *mut Data,
        flags: c_int, has_dependences: c_int, codeptr_ra: *const c_void);
    ompt_callback_dependences_t: DependencesFn(task_data: *mut Data, deps: *const Dependence, ndeps: c_int);
    ompt_callback_task_dependence_t: TaskDependenceFn(src_task_data: *mut Data, sink_task_data: *mut Data);
    ompt_callback_task_schedule_t: TaskScheduleFn(
        prior_task_data: *mut Data, prior_task_status: TaskStatus, next_task_data: *mut Data);
    ompt_callback_implicit_task_t: ImplicitTaskFn(
        endpoint: Endpoint, parallel_data: *mut Data, task_data: *mut Data, actual_parallelism: c_uint, index: c_uint,
        flags: c_int);
    ompt_callback_masked_t: MaskedFn(
        endpoint: Endpoint, parallel_data: *mut Data, task_data: *mut Data, codeptr_ra: *const c_void);
    ompt_callback_sync_region_t: SyncRegionFn(
        kind: SyncKind, endpoint: Endpoint, parallel_data: *mut Data, task_data: *mut Data, codeptr_ra: *const c_void);
    ompt_callback_mutex_acquire_t: MutexAcquireFn(
        kind: MutexKind, hint: c_uint, implementation: c_uint, wait_id: WaitId, codeptr_ra: *const c_void);
    ompt_callback_mutex_t: MutexFn(kind: MutexKind, wait_id: WaitId, codeptr_ra: *const c_void);
    ompt_callback_nest_lock_t: NestLockFn(endpoint: Endpoint, wait_id: WaitId, codeptr_ra: *const c_void);
    ompt_callback_flush_t: FlushFn(thread_data: *mut Data, codeptr_ra: *const c_void);
    ompt_callback_cancel_t: CancelFn(task_data: *mut Data, flags: c_int, codeptr_ra: *const c_void);
    ompt_callback_control_tool_t: ControlToolFn(
        command: u64, modifier: u64, arg: *mut c_void, codeptr_ra: *const c_void) -> c_int;
    ompt_callback_error_t: ErrorFn(
        severity: Severity, message: *const c_char, length: usize, codeptr_ra: *const c_void);
    ompt_callback_device_initialize_t: DeviceInitializeFn(
        device_num: c_int, device_type: *const c_char, device: *mut c_void, lookup: Option<LookupFn>,
        documentation: *const c_char);
    ompt_callback_device_finalize_t: DeviceFinalizeFn(device_num: c_int);
    ompt_callback_device_load_t: DeviceLoadFn(
        device_num: c_int, filename: *const c_char, offset_in_file: i64, vma_in_file: *mut c_void, bytes: usize,
        host_addr: *mut c_void, device_addr: *mut c_void, module_id: u64);
    ompt_callback_device_unload_t: DeviceUnloadFn(device_num: c_int, module_id: u64);
    ompt_callback_target_emi_t: TargetEmiFn(
        kind: TargetKind, endpoint: Endpoint, device_num: c_int, task_data: *mut Data, target_task_data: *mut Data,
        target_data: *mut Data, codeptr_ra: *const c_void);
    ompt_callback_target_t: TargetFn(
        kind: TargetKind, endpoint: Endpoint, device_num: c_int, task_data: *mut Data, target_id: Id,
        codeptr_ra: *const c_void);
    ompt_callback_target_data_op_emi_t: TargetDataOpEmiFn(
        endpoint: Endpoint, target_task_data: *mut Data, target_data: *mut Data, host_op_id: *mut Id,
        optype: TargetDataOp, src_addr: *mut c_void, src_device_num: c_int, dest_addr: *mut c_void,
        dest_device_num: c_int, bytes: usize, codeptr_ra: *const c_void);
    ompt_callback_target_data_op_t: TargetDataOpFn(
        target_id: Id, host_op_id: Id, optype: TargetDataOp, src_addr: *mut c_void, src_device_num: c_int,
        dest_addr: *mut c_void, dest_device_num: c_int, bytes: usize, codeptr_ra: *const c_void);
    ompt_callback_target_map_emi_t: TargetMapEmiFn(
        target_data: *mut Data, nitems: c_uint, host_addr: *mut *mut c_void, device_addr: *mut *mut c_void,
        bytes: *mut usize, mapping_flags: *mut c_uint, codeptr_ra: *const c_void);
    ompt_callback_target_map_t: TargetMapFn(
        target_id: Id, nitems: c_uint, host_addr: *mut *mut c_void, device_addr: *mut *mut c_void, bytes: *mut usize,
        mapping_flags: *mut c_uint, codeptr_ra: *const c_void);
    ompt_callback_target_submit_emi_t: TargetSubmitEmiFn(
        endpoint: Endpoint, target_data: *mut Data, host_op_id: *mut Id, requested_num_teams: c_uint);
    ompt_callback_target_submit_t: TargetSubmitFn(target_id: Id, host_op_id: Id, requested_num_teams: c_uint);

    // By their names without `_t`, a runtime's lookup finds these.
    ompt_set_callback_t: SetCallbackFn(event: Event, callback: Option<AnyFn>) -> SetResult;
    ompt_get_callback_t: GetCallbackFn(event: Event, callback: *mut Option<AnyFn>) -> c_int;
    ompt_get_thread_data_t: GetThreadDataFn() -> *mut Data;
    ompt_get_parallel_info_t: GetParallelInfoFn(
        ancestor_level: c_int, parallel_data: *mut *mut Data, team_size: *mut c_int) -> c_int;
    ompt_get_task_info_t: GetTaskInfoFn(
        ancestor_level: c_int, flags: *mut c_int, task_data: *mut *mut Data, task_frame: *mut *mut Frame,
        parallel_data: *mut *mut Data, thread_num: *mut c_int) -> c_int;
    ompt_get_task_memory_t: GetTaskMemoryFn(addr: *mut *mut c_void, size: *mut usize, block: c_int) -> c_int;
    ompt_get_target_info_t: GetTargetInfoFn(device_num: *mut u64, target_id: *mut Id, host_op_id: *mut Id) -> c_int;
    /// One of `STATE_…`.
    ompt_get_state_t: GetStateFn(wait_id: *mut WaitId) -> c_int;
    ompt_get_unique_id_t: GetUniqueIdFn() -> u64;
    ompt_get_num_devices_t: GetNumDevicesFn() -> c_int;
    ompt_get_num_procs_t: GetNumProcsFn() -> c_int;
    ompt_get_num_places_t: GetNumPlacesFn() -> c_int;
    ompt_get_place_num_t: GetPlaceNumFn() -> c_int;
    ompt_get_proc_id_t: GetProcIdFn() -> c_int;
    ompt_get_place_proc_ids_t: GetPlaceProcIdsFn(place_num: c_int, ids_size: c_int, ids: *mut c_int) -> c_int;
    ompt_get_partition_place_nums_t: GetPartitionPlaceNumsFn(place_nums_size: c_int, place_nums: *mut c_int) -> c_int;
    ompt_enumerate_states_t: EnumerateStatesFn(
        current_state: c_int, next_state: *mut c_int, next_state_name: *mut *const c_char) -> c_int;
    ompt_enumerate_mutex_impls_t: EnumerateMutexImplsFn(
        current_impl: c_int, next_impl: *mut c_int, next_impl_name: *mut *const c_char) -> c_int;
    ompt_finalize_tool_t: FinalizeToolFn();
}

/// Of `ompt_get_task_info` and `ompt_get_parallel_info`: a task or region exists at that level, with data. No header names it.
pub const TASK_INFO_AVAILABLE: c_int = 2;
