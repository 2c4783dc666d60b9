//! The flags of `omp-tools.h`, and its states of threads.

use core::ffi::{c_int, c_uint};

// Flags of tasks.

/// `ompt_task_initial`.
pub const TASK_INITIAL: c_int = 0x0000_0001;
/// `ompt_task_implicit`.
pub const TASK_IMPLICIT: c_int = 0x0000_0002;
/// `ompt_task_explicit`.
pub const TASK_EXPLICIT: c_int = 0x0000_0004;
/// `ompt_task_target`.
pub const TASK_TARGET: c_int = 0x0000_0008;
/// `ompt_task_taskwait`.
pub const TASK_TASKWAIT: c_int = 0x0000_0010;
/// `ompt_task_undeferred`.
pub const TASK_UNDEFERRED: c_int = 0x0800_0000;
/// `ompt_task_untied`.
pub const TASK_UNTIED: c_int = 0x1000_0000;
/// `ompt_task_final`.
pub const TASK_FINAL: c_int = 0x2000_0000;
/// `ompt_task_mergeable`.
pub const TASK_MERGEABLE: c_int = 0x4000_0000;
/// `ompt_task_merged`.
pub const TASK_MERGED: c_int = -0x8000_0000;

// Flags of parallel regions.

/// `ompt_parallel_invoker_program`.
pub const PARALLEL_INVOKER_PROGRAM: c_int = 0x0000_0001;
/// `ompt_parallel_invoker_runtime`.
pub const PARALLEL_INVOKER_RUNTIME: c_int = 0x0000_0002;
/// `ompt_parallel_league`.
pub const PARALLEL_LEAGUE: c_int = 0x4000_0000;
/// `ompt_parallel_team`.
pub const PARALLEL_TEAM: c_int = -0x8000_0000;

// Flags of cancellation.

/// `ompt_cancel_parallel`.
pub const CANCEL_PARALLEL: c_int = 0x01;
/// `ompt_cancel_sections`.
pub const CANCEL_SECTIONS: c_int = 0x02;
/// `ompt_cancel_loop`.
pub const CANCEL_LOOP: c_int = 0x04;
/// `ompt_cancel_taskgroup`.
pub const CANCEL_TASKGROUP: c_int = 0x08;
/// `ompt_cancel_activated`.
pub const CANCEL_ACTIVATED: c_int = 0x10;
/// `ompt_cancel_detected`.
pub const CANCEL_DETECTED: c_int = 0x20;
/// `ompt_cancel_discarded_task`.
pub const CANCEL_DISCARDED_TASK: c_int = 0x40;

// Flags of the addresses in a [`Frame`](super::Frame).

/// `ompt_frame_runtime`.
pub const FRAME_RUNTIME: c_int = 0x00;
/// `ompt_frame_application`.
pub const FRAME_APPLICATION: c_int = 0x01;
/// `ompt_frame_cfa`.
pub const FRAME_CFA: c_int = 0x10;
/// `ompt_frame_framepointer`.
pub const FRAME_FRAMEPOINTER: c_int = 0x20;
/// `ompt_frame_stackaddress`.
pub const FRAME_STACKADDRESS: c_int = 0x30;

// Flags of the mapping of data.

/// `ompt_target_map_flag_to`.
pub const MAP_TO: c_uint = 0x01;
/// `ompt_target_map_flag_from`.
pub const MAP_FROM: c_uint = 0x02;
/// `ompt_target_map_flag_alloc`.
pub const MAP_ALLOC: c_uint = 0x04;
/// `ompt_target_map_flag_release`.
pub const MAP_RELEASE: c_uint = 0x08;
/// `ompt_target_map_flag_delete`.
pub const MAP_DELETE: c_uint = 0x10;
/// `ompt_target_map_flag_implicit`.
pub const MAP_IMPLICIT: c_uint = 0x20;

// Not flags: the states of a thread, which `ompt_get_state` answers as an `int`.

/// `ompt_state_work_serial`.
pub const STATE_WORK_SERIAL: c_int = 0x000;
/// `ompt_state_work_parallel`.
pub const STATE_WORK_PARALLEL: c_int = 0x001;
/// `ompt_state_work_reduction`.
pub const STATE_WORK_REDUCTION: c_int = 0x002;
/// `ompt_state_wait_barrier`.
pub const STATE_WAIT_BARRIER: c_int = 0x010;
/// `ompt_state_wait_barrier_implicit_parallel`.
pub const STATE_WAIT_BARRIER_IMPLICIT_PARALLEL: c_int = 0x011;
/// `ompt_state_wait_barrier_implicit_workshare`.
pub const STATE_WAIT_BARRIER_IMPLICIT_WORKSHARE: c_int = 0x012;
/// `ompt_state_wait_barrier_implicit`.
pub const STATE_WAIT_BARRIER_IMPLICIT: c_int = 0x013;
/// `ompt_state_wait_barrier_explicit`.
pub const STATE_WAIT_BARRIER_EXPLICIT: c_int = 0x014;
/// `ompt_state_wait_barrier_implementation`.
pub const STATE_WAIT_BARRIER_IMPLEMENTATION: c_int = 0x015;
/// `ompt_state_wait_barrier_teams`.
pub const STATE_WAIT_BARRIER_TEAMS: c_int = 0x016;
/// `ompt_state_wait_taskwait`.
pub const STATE_WAIT_TASKWAIT: c_int = 0x020;
/// `ompt_state_wait_taskgroup`.
pub const STATE_WAIT_TASKGROUP: c_int = 0x021;
/// `ompt_state_wait_mutex`.
pub const STATE_WAIT_MUTEX: c_int = 0x040;
/// `ompt_state_wait_lock`.
pub const STATE_WAIT_LOCK: c_int = 0x041;
/// `ompt_state_wait_critical`.
pub const STATE_WAIT_CRITICAL: c_int = 0x042;
/// `ompt_state_wait_atomic`.
pub const STATE_WAIT_ATOMIC: c_int = 0x043;
/// `ompt_state_wait_ordered`.
pub const STATE_WAIT_ORDERED: c_int = 0x044;
/// `ompt_state_wait_target`.
pub const STATE_WAIT_TARGET: c_int = 0x080;
/// `ompt_state_wait_target_map`.
pub const STATE_WAIT_TARGET_MAP: c_int = 0x081;
/// `ompt_state_wait_target_update`.
pub const STATE_WAIT_TARGET_UPDATE: c_int = 0x082;
/// `ompt_state_idle`.
pub const STATE_IDLE: c_int = 0x100;
/// `ompt_state_overhead`.
pub const STATE_OVERHEAD: c_int = 0x101;
/// `ompt_state_undefined`.
pub const STATE_UNDEFINED: c_int = 0x102;
