//! What a runtime's lookup gives to a tool, by the names without `_t`.

use core::ffi::{c_char, c_int, c_void};

use super::{AnyFn, Data, Event, Frame, Id, SetResult, WaitId};

/// `ompt_set_callback_t`
pub type SetCallbackFn = unsafe extern "C" fn(event: Event, callback: Option<AnyFn>) -> SetResult;
/// `ompt_get_callback_t`
pub type GetCallbackFn = unsafe extern "C" fn(event: Event, callback: *mut Option<AnyFn>) -> c_int;
/// `ompt_get_thread_data_t`
pub type GetThreadDataFn = unsafe extern "C" fn() -> *mut Data;
/// `ompt_get_parallel_info_t`
pub type GetParallelInfoFn =
    unsafe extern "C" fn(ancestor_level: c_int, parallel_data: *mut *mut Data, team_size: *mut c_int) -> c_int;
/// `ompt_get_task_info_t`
pub type GetTaskInfoFn = unsafe extern "C" fn(
    ancestor_level: c_int,
    flags: *mut c_int,
    task_data: *mut *mut Data,
    task_frame: *mut *mut Frame,
    parallel_data: *mut *mut Data,
    thread_num: *mut c_int,
) -> c_int;
/// What `ompt_get_task_info` and `ompt_get_parallel_info` answer when a task or region exists at that level and its data is
/// available. No header has a name for it.
pub const TASK_INFO_AVAILABLE: c_int = 2;

/// `ompt_get_task_memory_t`
pub type GetTaskMemoryFn = unsafe extern "C" fn(addr: *mut *mut c_void, size: *mut usize, block: c_int) -> c_int;
/// `ompt_get_target_info_t`
pub type GetTargetInfoFn = unsafe extern "C" fn(device_num: *mut u64, target_id: *mut Id, host_op_id: *mut Id) -> c_int;
/// `ompt_get_state_t`: one of `STATE_…`.
pub type GetStateFn = unsafe extern "C" fn(wait_id: *mut WaitId) -> c_int;
/// `ompt_get_unique_id_t`
pub type GetUniqueIdFn = unsafe extern "C" fn() -> u64;
/// `ompt_get_num_devices_t`
pub type GetNumDevicesFn = unsafe extern "C" fn() -> c_int;
/// `ompt_get_num_procs_t`
pub type GetNumProcsFn = unsafe extern "C" fn() -> c_int;
/// `ompt_get_num_places_t`
pub type GetNumPlacesFn = unsafe extern "C" fn() -> c_int;
/// `ompt_get_place_num_t`
pub type GetPlaceNumFn = unsafe extern "C" fn() -> c_int;
/// `ompt_get_proc_id_t`
pub type GetProcIdFn = unsafe extern "C" fn() -> c_int;
/// `ompt_get_place_proc_ids_t`
pub type GetPlaceProcIdsFn = unsafe extern "C" fn(place_num: c_int, ids_size: c_int, ids: *mut c_int) -> c_int;
/// `ompt_get_partition_place_nums_t`
pub type GetPartitionPlaceNumsFn = unsafe extern "C" fn(place_nums_size: c_int, place_nums: *mut c_int) -> c_int;
/// `ompt_enumerate_states_t`
pub type EnumerateStatesFn =
    unsafe extern "C" fn(current_state: c_int, next_state: *mut c_int, next_state_name: *mut *const c_char) -> c_int;
/// `ompt_enumerate_mutex_impls_t`
pub type EnumerateMutexImplsFn =
    unsafe extern "C" fn(current_impl: c_int, next_impl: *mut c_int, next_impl_name: *mut *const c_char) -> c_int;
/// `ompt_finalize_tool_t`
pub type FinalizeToolFn = unsafe extern "C" fn();
