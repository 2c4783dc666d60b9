//! The values of `omp-tools.h` that are one of several. Flags stand in `flags`.

use super::{
    DependenceType, DispatchKind, Endpoint, MutexKind, SetResult, Severity, SyncKind, TargetDataOp, TargetKind,
    TaskStatus, ThreadType, WorkType,
};

// What `ompt_set_callback` answers.

/// `ompt_set_error`.
pub const SET_ERROR: SetResult = 0;
/// `ompt_set_never`.
pub const SET_NEVER: SetResult = 1;
/// `ompt_set_impossible`.
pub const SET_IMPOSSIBLE: SetResult = 2;
/// `ompt_set_sometimes`.
pub const SET_SOMETIMES: SetResult = 3;
/// `ompt_set_sometimes_paired`.
pub const SET_SOMETIMES_PAIRED: SetResult = 4;
/// `ompt_set_always`.
pub const SET_ALWAYS: SetResult = 5;

// Which end of a construct.

/// `ompt_scope_begin`.
pub const SCOPE_BEGIN: Endpoint = 1;
/// `ompt_scope_end`.
pub const SCOPE_END: Endpoint = 2;
/// `ompt_scope_beginend`.
pub const SCOPE_BEGINEND: Endpoint = 3;

// Kinds of worksharing.

/// `ompt_work_loop`.
pub const WORK_LOOP: WorkType = 1;
/// `ompt_work_sections`.
pub const WORK_SECTIONS: WorkType = 2;
/// `ompt_work_single_executor`.
pub const WORK_SINGLE_EXECUTOR: WorkType = 3;
/// `ompt_work_single_other`.
pub const WORK_SINGLE_OTHER: WorkType = 4;
/// `ompt_work_workshare`.
pub const WORK_WORKSHARE: WorkType = 5;
/// `ompt_work_distribute`.
pub const WORK_DISTRIBUTE: WorkType = 6;
/// `ompt_work_taskloop`.
pub const WORK_TASKLOOP: WorkType = 7;
/// `ompt_work_scope`.
pub const WORK_SCOPE: WorkType = 8;
/// `ompt_work_loop_static`.
pub const WORK_LOOP_STATIC: WorkType = 10;
/// `ompt_work_loop_dynamic`.
pub const WORK_LOOP_DYNAMIC: WorkType = 11;
/// `ompt_work_loop_guided`.
pub const WORK_LOOP_GUIDED: WorkType = 12;
/// `ompt_work_loop_other`.
pub const WORK_LOOP_OTHER: WorkType = 13;

// What is dispatched.

/// `ompt_dispatch_iteration`.
pub const DISPATCH_ITERATION: DispatchKind = 1;
/// `ompt_dispatch_section`.
pub const DISPATCH_SECTION: DispatchKind = 2;
/// `ompt_dispatch_ws_loop_chunk`.
pub const DISPATCH_WS_LOOP_CHUNK: DispatchKind = 3;
/// `ompt_dispatch_taskloop_chunk`.
pub const DISPATCH_TASKLOOP_CHUNK: DispatchKind = 4;
/// `ompt_dispatch_distribute_chunk`.
pub const DISPATCH_DISTRIBUTE_CHUNK: DispatchKind = 5;

// Kinds of synchronisation.

/// `ompt_sync_region_barrier`.
pub const SYNC_BARRIER: SyncKind = 1;
/// `ompt_sync_region_barrier_implicit`.
pub const SYNC_BARRIER_IMPLICIT: SyncKind = 2;
/// `ompt_sync_region_barrier_explicit`.
pub const SYNC_BARRIER_EXPLICIT: SyncKind = 3;
/// `ompt_sync_region_barrier_implementation`.
pub const SYNC_BARRIER_IMPLEMENTATION: SyncKind = 4;
/// `ompt_sync_region_taskwait`.
pub const SYNC_TASKWAIT: SyncKind = 5;
/// `ompt_sync_region_taskgroup`.
pub const SYNC_TASKGROUP: SyncKind = 6;
/// `ompt_sync_region_reduction`.
pub const SYNC_REDUCTION: SyncKind = 7;
/// `ompt_sync_region_barrier_implicit_workshare`.
pub const SYNC_BARRIER_IMPLICIT_WORKSHARE: SyncKind = 8;
/// `ompt_sync_region_barrier_implicit_parallel`.
pub const SYNC_BARRIER_IMPLICIT_PARALLEL: SyncKind = 9;
/// `ompt_sync_region_barrier_teams`.
pub const SYNC_BARRIER_TEAMS: SyncKind = 10;

// Kinds of threads.

/// `ompt_thread_initial`.
pub const THREAD_INITIAL: ThreadType = 1;
/// `ompt_thread_worker`.
pub const THREAD_WORKER: ThreadType = 2;
/// `ompt_thread_other`.
pub const THREAD_OTHER: ThreadType = 3;
/// `ompt_thread_unknown`.
pub const THREAD_UNKNOWN: ThreadType = 4;

// Why a thread leaves a task.

/// `ompt_task_complete`.
pub const STATUS_COMPLETE: TaskStatus = 1;
/// `ompt_task_yield`.
pub const STATUS_YIELD: TaskStatus = 2;
/// `ompt_task_cancel`.
pub const STATUS_CANCEL: TaskStatus = 3;
/// `ompt_task_detach`.
pub const STATUS_DETACH: TaskStatus = 4;
/// `ompt_task_early_fulfill`.
pub const STATUS_EARLY_FULFILL: TaskStatus = 5;
/// `ompt_task_late_fulfill`.
pub const STATUS_LATE_FULFILL: TaskStatus = 6;
/// `ompt_task_switch`.
pub const STATUS_SWITCH: TaskStatus = 7;
/// `ompt_taskwait_complete`.
pub const STATUS_WAIT_COMPLETE: TaskStatus = 8;

// Kinds of mutual exclusion.

/// `ompt_mutex_lock`.
pub const MUTEX_LOCK: MutexKind = 1;
/// `ompt_mutex_test_lock`.
pub const MUTEX_TEST_LOCK: MutexKind = 2;
/// `ompt_mutex_nest_lock`.
pub const MUTEX_NEST_LOCK: MutexKind = 3;
/// `ompt_mutex_test_nest_lock`.
pub const MUTEX_TEST_NEST_LOCK: MutexKind = 4;
/// `ompt_mutex_critical`.
pub const MUTEX_CRITICAL: MutexKind = 5;
/// `ompt_mutex_atomic`.
pub const MUTEX_ATOMIC: MutexKind = 6;
/// `ompt_mutex_ordered`.
pub const MUTEX_ORDERED: MutexKind = 7;

// Kinds of dependences.

/// `ompt_dependence_type_in`.
pub const DEPENDENCE_IN: DependenceType = 1;
/// `ompt_dependence_type_out`.
pub const DEPENDENCE_OUT: DependenceType = 2;
/// `ompt_dependence_type_inout`.
pub const DEPENDENCE_INOUT: DependenceType = 3;
/// `ompt_dependence_type_mutexinoutset`.
pub const DEPENDENCE_MUTEXINOUTSET: DependenceType = 4;
/// `ompt_dependence_type_source`.
pub const DEPENDENCE_SOURCE: DependenceType = 5;
/// `ompt_dependence_type_sink`.
pub const DEPENDENCE_SINK: DependenceType = 6;
/// `ompt_dependence_type_inoutset`.
pub const DEPENDENCE_INOUTSET: DependenceType = 7;
/// `ompt_dependence_type_out_all_memory`.
pub const DEPENDENCE_OUT_ALL_MEMORY: DependenceType = 34;
/// `ompt_dependence_type_inout_all_memory`.
pub const DEPENDENCE_INOUT_ALL_MEMORY: DependenceType = 35;

// Severities of an `error` directive.

/// `ompt_warning`.
pub const SEVERITY_WARNING: Severity = 1;
/// `ompt_fatal`.
pub const SEVERITY_FATAL: Severity = 2;

// Kinds of target constructs.

/// `ompt_target`.
pub const TARGET: TargetKind = 1;
/// `ompt_target_enter_data`.
pub const TARGET_ENTER_DATA: TargetKind = 2;
/// `ompt_target_exit_data`.
pub const TARGET_EXIT_DATA: TargetKind = 3;
/// `ompt_target_update`.
pub const TARGET_UPDATE: TargetKind = 4;
/// `ompt_target_nowait`.
pub const TARGET_NOWAIT: TargetKind = 9;
/// `ompt_target_enter_data_nowait`.
pub const TARGET_ENTER_DATA_NOWAIT: TargetKind = 10;
/// `ompt_target_exit_data_nowait`.
pub const TARGET_EXIT_DATA_NOWAIT: TargetKind = 11;
/// `ompt_target_update_nowait`.
pub const TARGET_UPDATE_NOWAIT: TargetKind = 12;

// Operations on data of devices.

/// `ompt_target_data_alloc`.
pub const TARGET_DATA_ALLOC: TargetDataOp = 1;
/// `ompt_target_data_transfer_to_device`.
pub const TARGET_DATA_TRANSFER_TO_DEVICE: TargetDataOp = 2;
/// `ompt_target_data_transfer_from_device`.
pub const TARGET_DATA_TRANSFER_FROM_DEVICE: TargetDataOp = 3;
/// `ompt_target_data_delete`.
pub const TARGET_DATA_DELETE: TargetDataOp = 4;
/// `ompt_target_data_associate`.
pub const TARGET_DATA_ASSOCIATE: TargetDataOp = 5;
/// `ompt_target_data_disassociate`.
pub const TARGET_DATA_DISASSOCIATE: TargetDataOp = 6;
/// `ompt_target_data_alloc_async`.
pub const TARGET_DATA_ALLOC_ASYNC: TargetDataOp = 17;
/// `ompt_target_data_transfer_to_device_async`.
pub const TARGET_DATA_TRANSFER_TO_DEVICE_ASYNC: TargetDataOp = 18;
/// `ompt_target_data_transfer_from_device_async`.
pub const TARGET_DATA_TRANSFER_FROM_DEVICE_ASYNC: TargetDataOp = 19;
/// `ompt_target_data_delete_async`.
pub const TARGET_DATA_DELETE_ASYNC: TargetDataOp = 20;

/// Whether a kind of work is a loop whose chunks are dealt to threads. Runtimes before OpenMP 5.2 call each of them a loop.
#[inline]
#[must_use]
pub const fn is_loop(work: WorkType) -> bool {
    matches!(work, WORK_LOOP | WORK_DISTRIBUTE | WORK_LOOP_STATIC..=WORK_LOOP_OTHER)
}
