//! The events of `omp-tools.h` by their numbers. Those of `ompt-chunk.h` stand in `chunk`.

use super::Event;

/// `ompt_callback_thread_begin`.
pub const EVENT_THREAD_BEGIN: Event = 1;
/// `ompt_callback_thread_end`.
pub const EVENT_THREAD_END: Event = 2;
/// `ompt_callback_parallel_begin`.
pub const EVENT_PARALLEL_BEGIN: Event = 3;
/// `ompt_callback_parallel_end`.
pub const EVENT_PARALLEL_END: Event = 4;
/// `ompt_callback_task_create`.
pub const EVENT_TASK_CREATE: Event = 5;
/// `ompt_callback_task_schedule`.
pub const EVENT_TASK_SCHEDULE: Event = 6;
/// `ompt_callback_implicit_task`.
pub const EVENT_IMPLICIT_TASK: Event = 7;
/// `ompt_callback_target`.
pub const EVENT_TARGET: Event = 8;
/// `ompt_callback_target_data_op`.
pub const EVENT_TARGET_DATA_OP: Event = 9;
/// `ompt_callback_target_submit`.
pub const EVENT_TARGET_SUBMIT: Event = 10;
/// `ompt_callback_control_tool`.
pub const EVENT_CONTROL_TOOL: Event = 11;
/// `ompt_callback_device_initialize`.
pub const EVENT_DEVICE_INITIALIZE: Event = 12;
/// `ompt_callback_device_finalize`.
pub const EVENT_DEVICE_FINALIZE: Event = 13;
/// `ompt_callback_device_load`.
pub const EVENT_DEVICE_LOAD: Event = 14;
/// `ompt_callback_device_unload`.
pub const EVENT_DEVICE_UNLOAD: Event = 15;
/// `ompt_callback_sync_region_wait`.
pub const EVENT_SYNC_REGION_WAIT: Event = 16;
/// `ompt_callback_mutex_released`.
pub const EVENT_MUTEX_RELEASED: Event = 17;
/// `ompt_callback_dependences`.
pub const EVENT_DEPENDENCES: Event = 18;
/// `ompt_callback_task_dependence`.
pub const EVENT_TASK_DEPENDENCE: Event = 19;
/// `ompt_callback_work`.
pub const EVENT_WORK: Event = 20;
/// `ompt_callback_master`, what OpenMP before 5.1 calls [`EVENT_MASKED`].
pub const EVENT_MASTER: Event = 21;
/// `ompt_callback_masked`.
pub const EVENT_MASKED: Event = 21;
/// `ompt_callback_target_map`.
pub const EVENT_TARGET_MAP: Event = 22;
/// `ompt_callback_sync_region`.
pub const EVENT_SYNC_REGION: Event = 23;
/// `ompt_callback_lock_init`.
pub const EVENT_LOCK_INIT: Event = 24;
/// `ompt_callback_lock_destroy`.
pub const EVENT_LOCK_DESTROY: Event = 25;
/// `ompt_callback_mutex_acquire`.
pub const EVENT_MUTEX_ACQUIRE: Event = 26;
/// `ompt_callback_mutex_acquired`.
pub const EVENT_MUTEX_ACQUIRED: Event = 27;
/// `ompt_callback_nest_lock`.
pub const EVENT_NEST_LOCK: Event = 28;
/// `ompt_callback_flush`.
pub const EVENT_FLUSH: Event = 29;
/// `ompt_callback_cancel`.
pub const EVENT_CANCEL: Event = 30;
/// `ompt_callback_reduction`.
pub const EVENT_REDUCTION: Event = 31;
/// `ompt_callback_dispatch`.
pub const EVENT_DISPATCH: Event = 32;
/// `ompt_callback_target_emi`.
pub const EVENT_TARGET_EMI: Event = 33;
/// `ompt_callback_target_data_op_emi`.
pub const EVENT_TARGET_DATA_OP_EMI: Event = 34;
/// `ompt_callback_target_submit_emi`.
pub const EVENT_TARGET_SUBMIT_EMI: Event = 35;
/// `ompt_callback_target_map_emi`.
pub const EVENT_TARGET_MAP_EMI: Event = 36;
/// `ompt_callback_error`.
pub const EVENT_ERROR: Event = 37;
