//! The numbers of `omp-tools.h`: events, values that are one of several, flags. Those of `ompt-chunk.h` stand in `chunk`.

use core::ffi::{c_int, c_uint};

use super::constants;

constants! {
    Event = c_uint as ompt_callbacks_t, "the number of an event" {
        ompt_callback_thread_begin: EVENT_THREAD_BEGIN = 1;
        ompt_callback_thread_end: EVENT_THREAD_END = 2;
        ompt_callback_parallel_begin: EVENT_PARALLEL_BEGIN = 3;
        ompt_callback_parallel_end: EVENT_PARALLEL_END = 4;
        ompt_callback_task_create: EVENT_TASK_CREATE = 5;
        ompt_callback_task_schedule: EVENT_TASK_SCHEDULE = 6;
        ompt_callback_implicit_task: EVENT_IMPLICIT_TASK = 7;
        ompt_callback_target: EVENT_TARGET = 8;
        ompt_callback_target_data_op: EVENT_TARGET_DATA_OP = 9;
        ompt_callback_target_submit: EVENT_TARGET_SUBMIT = 10;
        ompt_callback_control_tool: EVENT_CONTROL_TOOL = 11;
        ompt_callback_device_initialize: EVENT_DEVICE_INITIALIZE = 12;
        ompt_callback_device_finalize: EVENT_DEVICE_FINALIZE = 13;
        ompt_callback_device_load: EVENT_DEVICE_LOAD = 14;
        ompt_callback_device_unload: EVENT_DEVICE_UNLOAD = 15;
        ompt_callback_sync_region_wait: EVENT_SYNC_REGION_WAIT = 16;
        ompt_callback_mutex_released: EVENT_MUTEX_RELEASED = 17;
        ompt_callback_dependences: EVENT_DEPENDENCES = 18;
        ompt_callback_task_dependence: EVENT_TASK_DEPENDENCE = 19;
        ompt_callback_work: EVENT_WORK = 20;
        ompt_callback_master: EVENT_MASTER = 21, "what OpenMP before 5.1 calls [`EVENT_MASKED`]";
        ompt_callback_masked: EVENT_MASKED = 21;
        ompt_callback_target_map: EVENT_TARGET_MAP = 22;
        ompt_callback_sync_region: EVENT_SYNC_REGION = 23;
        ompt_callback_lock_init: EVENT_LOCK_INIT = 24;
        ompt_callback_lock_destroy: EVENT_LOCK_DESTROY = 25;
        ompt_callback_mutex_acquire: EVENT_MUTEX_ACQUIRE = 26;
        ompt_callback_mutex_acquired: EVENT_MUTEX_ACQUIRED = 27;
        ompt_callback_nest_lock: EVENT_NEST_LOCK = 28;
        ompt_callback_flush: EVENT_FLUSH = 29;
        ompt_callback_cancel: EVENT_CANCEL = 30;
        ompt_callback_reduction: EVENT_REDUCTION = 31;
        ompt_callback_dispatch: EVENT_DISPATCH = 32;
        ompt_callback_target_emi: EVENT_TARGET_EMI = 33;
        ompt_callback_target_data_op_emi: EVENT_TARGET_DATA_OP_EMI = 34;
        ompt_callback_target_submit_emi: EVENT_TARGET_SUBMIT_EMI = 35;
        ompt_callback_target_map_emi: EVENT_TARGET_MAP_EMI = 36;
        ompt_callback_error: EVENT_ERROR = 37;
    }
    SetResult = c_int as ompt_set_result_t, "what `ompt_set_callback` answers, one of `SET_…`" {
        ompt_set_error: SET_ERROR = 0;
        ompt_set_never: SET_NEVER = 1;
        ompt_set_impossible: SET_IMPOSSIBLE = 2;
        ompt_set_sometimes: SET_SOMETIMES = 3;
        ompt_set_sometimes_paired: SET_SOMETIMES_PAIRED = 4;
        ompt_set_always: SET_ALWAYS = 5;
    }
    Endpoint = c_uint as ompt_scope_endpoint_t, "which end of a construct, one of `SCOPE_…`" {
        ompt_scope_begin: SCOPE_BEGIN = 1;
        ompt_scope_end: SCOPE_END = 2;
        ompt_scope_beginend: SCOPE_BEGINEND = 3;
    }
    WorkType = c_uint as ompt_work_t, "a kind of worksharing, one of `WORK_…`" {
        ompt_work_loop: WORK_LOOP = 1;
        ompt_work_sections: WORK_SECTIONS = 2;
        ompt_work_single_executor: WORK_SINGLE_EXECUTOR = 3;
        ompt_work_single_other: WORK_SINGLE_OTHER = 4;
        ompt_work_workshare: WORK_WORKSHARE = 5;
        ompt_work_distribute: WORK_DISTRIBUTE = 6;
        ompt_work_taskloop: WORK_TASKLOOP = 7;
        ompt_work_scope: WORK_SCOPE = 8;
        ompt_work_loop_static: WORK_LOOP_STATIC = 10;
        ompt_work_loop_dynamic: WORK_LOOP_DYNAMIC = 11;
        ompt_work_loop_guided: WORK_LOOP_GUIDED = 12;
        ompt_work_loop_other: WORK_LOOP_OTHER = 13;
    }
    DispatchKind = c_uint as ompt_dispatch_t, "what is dispatched, one of `DISPATCH_…`" {
        ompt_dispatch_iteration: DISPATCH_ITERATION = 1;
        ompt_dispatch_section: DISPATCH_SECTION = 2;
        ompt_dispatch_ws_loop_chunk: DISPATCH_WS_LOOP_CHUNK = 3;
        ompt_dispatch_taskloop_chunk: DISPATCH_TASKLOOP_CHUNK = 4;
        ompt_dispatch_distribute_chunk: DISPATCH_DISTRIBUTE_CHUNK = 5;
    }
    SyncKind = c_uint as ompt_sync_region_t, "a kind of synchronisation, one of `SYNC_…`" {
        ompt_sync_region_barrier: SYNC_BARRIER = 1;
        ompt_sync_region_barrier_implicit: SYNC_BARRIER_IMPLICIT = 2;
        ompt_sync_region_barrier_explicit: SYNC_BARRIER_EXPLICIT = 3;
        ompt_sync_region_barrier_implementation: SYNC_BARRIER_IMPLEMENTATION = 4;
        ompt_sync_region_taskwait: SYNC_TASKWAIT = 5;
        ompt_sync_region_taskgroup: SYNC_TASKGROUP = 6;
        ompt_sync_region_reduction: SYNC_REDUCTION = 7;
        ompt_sync_region_barrier_implicit_workshare: SYNC_BARRIER_IMPLICIT_WORKSHARE = 8;
        ompt_sync_region_barrier_implicit_parallel: SYNC_BARRIER_IMPLICIT_PARALLEL = 9;
        ompt_sync_region_barrier_teams: SYNC_BARRIER_TEAMS = 10;
    }
    ThreadType = c_uint as ompt_thread_t, "a kind of threads, one of `THREAD_…`" {
        ompt_thread_initial: THREAD_INITIAL = 1;
        ompt_thread_worker: THREAD_WORKER = 2;
        ompt_thread_other: THREAD_OTHER = 3;
        ompt_thread_unknown: THREAD_UNKNOWN = 4;
    }
    TaskStatus = c_uint as ompt_task_status_t, "why a thread leaves a task, one of `STATUS_…`" {
        ompt_task_complete: STATUS_COMPLETE = 1;
        ompt_task_yield: STATUS_YIELD = 2;
        ompt_task_cancel: STATUS_CANCEL = 3;
        ompt_task_detach: STATUS_DETACH = 4;
        ompt_task_early_fulfill: STATUS_EARLY_FULFILL = 5;
        ompt_task_late_fulfill: STATUS_LATE_FULFILL = 6;
        ompt_task_switch: STATUS_SWITCH = 7;
        ompt_taskwait_complete: STATUS_WAIT_COMPLETE = 8;
    }
    MutexKind = c_uint as ompt_mutex_t, "a kind of mutual exclusion, one of `MUTEX_…`" {
        ompt_mutex_lock: MUTEX_LOCK = 1;
        ompt_mutex_test_lock: MUTEX_TEST_LOCK = 2;
        ompt_mutex_nest_lock: MUTEX_NEST_LOCK = 3;
        ompt_mutex_test_nest_lock: MUTEX_TEST_NEST_LOCK = 4;
        ompt_mutex_critical: MUTEX_CRITICAL = 5;
        ompt_mutex_atomic: MUTEX_ATOMIC = 6;
        ompt_mutex_ordered: MUTEX_ORDERED = 7;
    }
    DependenceType = c_uint as ompt_dependence_type_t, "a kind of dependences, one of `DEPENDENCE_…`" {
        ompt_dependence_type_in: DEPENDENCE_IN = 1;
        ompt_dependence_type_out: DEPENDENCE_OUT = 2;
        ompt_dependence_type_inout: DEPENDENCE_INOUT = 3;
        ompt_dependence_type_mutexinoutset: DEPENDENCE_MUTEXINOUTSET = 4;
        ompt_dependence_type_source: DEPENDENCE_SOURCE = 5;
        ompt_dependence_type_sink: DEPENDENCE_SINK = 6;
        ompt_dependence_type_inoutset: DEPENDENCE_INOUTSET = 7;
        ompt_dependence_type_out_all_memory: DEPENDENCE_OUT_ALL_MEMORY = 34;
        ompt_dependence_type_inout_all_memory: DEPENDENCE_INOUT_ALL_MEMORY = 35;
    }
    Severity = c_uint as ompt_severity_t, "the severity of an `error` directive, one of `SEVERITY_…`" {
        ompt_warning: SEVERITY_WARNING = 1;
        ompt_fatal: SEVERITY_FATAL = 2;
    }
    TargetKind = c_uint as ompt_target_t, "a kind of target constructs, one of `TARGET_…`" {
        ompt_target: TARGET = 1;
        ompt_target_enter_data: TARGET_ENTER_DATA = 2;
        ompt_target_exit_data: TARGET_EXIT_DATA = 3;
        ompt_target_update: TARGET_UPDATE = 4;
        ompt_target_nowait: TARGET_NOWAIT = 9;
        ompt_target_enter_data_nowait: TARGET_ENTER_DATA_NOWAIT = 10;
        ompt_target_exit_data_nowait: TARGET_EXIT_DATA_NOWAIT = 11;
        ompt_target_update_nowait: TARGET_UPDATE_NOWAIT = 12;
    }
    TargetDataOp = c_uint as ompt_target_data_op_t, "an operation on data of devices, one of `TARGET_DATA_…`" {
        ompt_target_data_alloc: TARGET_DATA_ALLOC = 1;
        ompt_target_data_transfer_to_device: TARGET_DATA_TRANSFER_TO_DEVICE = 2;
        ompt_target_data_transfer_from_device: TARGET_DATA_TRANSFER_FROM_DEVICE = 3;
        ompt_target_data_delete: TARGET_DATA_DELETE = 4;
        ompt_target_data_associate: TARGET_DATA_ASSOCIATE = 5;
        ompt_target_data_disassociate: TARGET_DATA_DISASSOCIATE = 6;
        ompt_target_data_alloc_async: TARGET_DATA_ALLOC_ASYNC = 17;
        ompt_target_data_transfer_to_device_async: TARGET_DATA_TRANSFER_TO_DEVICE_ASYNC = 18;
        ompt_target_data_transfer_from_device_async: TARGET_DATA_TRANSFER_FROM_DEVICE_ASYNC = 19;
        ompt_target_data_delete_async: TARGET_DATA_DELETE_ASYNC = 20;
    }
    // Flags of tasks.
    c_int {
        ompt_task_initial: TASK_INITIAL = 0x0000_0001;
        ompt_task_implicit: TASK_IMPLICIT = 0x0000_0002;
        ompt_task_explicit: TASK_EXPLICIT = 0x0000_0004;
        ompt_task_target: TASK_TARGET = 0x0000_0008;
        ompt_task_taskwait: TASK_TASKWAIT = 0x0000_0010;
        ompt_task_undeferred: TASK_UNDEFERRED = 0x0800_0000;
        ompt_task_untied: TASK_UNTIED = 0x1000_0000;
        ompt_task_final: TASK_FINAL = 0x2000_0000;
        ompt_task_mergeable: TASK_MERGEABLE = 0x4000_0000;
        ompt_task_merged: TASK_MERGED = -0x8000_0000;
    }
    // Flags of parallel regions.
    c_int {
        ompt_parallel_invoker_program: PARALLEL_INVOKER_PROGRAM = 0x0000_0001;
        ompt_parallel_invoker_runtime: PARALLEL_INVOKER_RUNTIME = 0x0000_0002;
        ompt_parallel_league: PARALLEL_LEAGUE = 0x4000_0000;
        ompt_parallel_team: PARALLEL_TEAM = -0x8000_0000;
    }
    // Flags of cancellation.
    c_int {
        ompt_cancel_parallel: CANCEL_PARALLEL = 0x01;
        ompt_cancel_sections: CANCEL_SECTIONS = 0x02;
        ompt_cancel_loop: CANCEL_LOOP = 0x04;
        ompt_cancel_taskgroup: CANCEL_TASKGROUP = 0x08;
        ompt_cancel_activated: CANCEL_ACTIVATED = 0x10;
        ompt_cancel_detected: CANCEL_DETECTED = 0x20;
        ompt_cancel_discarded_task: CANCEL_DISCARDED_TASK = 0x40;
    }
    // Flags of the addresses in a [`Frame`](super::Frame).
    c_int {
        ompt_frame_runtime: FRAME_RUNTIME = 0x00;
        ompt_frame_application: FRAME_APPLICATION = 0x01;
        ompt_frame_cfa: FRAME_CFA = 0x10;
        ompt_frame_framepointer: FRAME_FRAMEPOINTER = 0x20;
        ompt_frame_stackaddress: FRAME_STACKADDRESS = 0x30;
    }
    // Flags of the mapping of data.
    c_uint {
        ompt_target_map_flag_to: MAP_TO = 0x01;
        ompt_target_map_flag_from: MAP_FROM = 0x02;
        ompt_target_map_flag_alloc: MAP_ALLOC = 0x04;
        ompt_target_map_flag_release: MAP_RELEASE = 0x08;
        ompt_target_map_flag_delete: MAP_DELETE = 0x10;
        ompt_target_map_flag_implicit: MAP_IMPLICIT = 0x20;
    }
    // Not flags: the states of a thread, which `ompt_get_state` answers as an `int`.
    c_int {
        ompt_state_work_serial: STATE_WORK_SERIAL = 0x000;
        ompt_state_work_parallel: STATE_WORK_PARALLEL = 0x001;
        ompt_state_work_reduction: STATE_WORK_REDUCTION = 0x002;
        ompt_state_wait_barrier: STATE_WAIT_BARRIER = 0x010;
        ompt_state_wait_barrier_implicit_parallel: STATE_WAIT_BARRIER_IMPLICIT_PARALLEL = 0x011;
        ompt_state_wait_barrier_implicit_workshare: STATE_WAIT_BARRIER_IMPLICIT_WORKSHARE = 0x012;
        ompt_state_wait_barrier_implicit: STATE_WAIT_BARRIER_IMPLICIT = 0x013;
        ompt_state_wait_barrier_explicit: STATE_WAIT_BARRIER_EXPLICIT = 0x014;
        ompt_state_wait_barrier_implementation: STATE_WAIT_BARRIER_IMPLEMENTATION = 0x015;
        ompt_state_wait_barrier_teams: STATE_WAIT_BARRIER_TEAMS = 0x016;
        ompt_state_wait_taskwait: STATE_WAIT_TASKWAIT = 0x020;
        ompt_state_wait_taskgroup: STATE_WAIT_TASKGROUP = 0x021;
        ompt_state_wait_mutex: STATE_WAIT_MUTEX = 0x040;
        ompt_state_wait_lock: STATE_WAIT_LOCK = 0x041;
        ompt_state_wait_critical: STATE_WAIT_CRITICAL = 0x042;
        ompt_state_wait_atomic: STATE_WAIT_ATOMIC = 0x043;
        ompt_state_wait_ordered: STATE_WAIT_ORDERED = 0x044;
        ompt_state_wait_target: STATE_WAIT_TARGET = 0x080;
        ompt_state_wait_target_map: STATE_WAIT_TARGET_MAP = 0x081;
        ompt_state_wait_target_update: STATE_WAIT_TARGET_UPDATE = 0x082;
        ompt_state_idle: STATE_IDLE = 0x100;
        ompt_state_overhead: STATE_OVERHEAD = 0x101;
        ompt_state_undefined: STATE_UNDEFINED = 0x102;
    }
}

/// Whether a kind of work is a loop whose chunks are dealt to threads. Runtimes before OpenMP 5.2 call each of them a loop.
#[inline]
pub const fn is_loop(work: WorkType) -> bool {
    matches!(work, WORK_LOOP | WORK_DISTRIBUTE | WORK_LOOP_STATIC..=WORK_LOOP_OTHER)
}
