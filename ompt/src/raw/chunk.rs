//! The extension events of `ompt-chunk.h`, which ompchunk adds to a runtime's own. That header says what they mean.

use core::ffi::{c_int, c_uint, c_void};
use core::sync::atomic::AtomicU64;

use super::{Data, Endpoint, Event, Frame, LoopRecord};

/// `ompt_callback_loop`
pub const EVENT_LOOP: Event = 81;
/// `ompt_callback_chunk`
pub const EVENT_CHUNK: Event = 82;
/// `ompt_callback_tool_time`: no event, but how a tool registers its clock.
pub const EVENT_TOOL_TIME: Event = 83;
/// `ompt_callback_task_creation`
pub const EVENT_TASK_CREATION: Event = 84;
/// `ompt_callback_sub_block`
pub const EVENT_SUB_BLOCK: Event = 85;
/// `ompt_callback_wanted`: no event either, but how a tool is asked.
pub const EVENT_WANTED: Event = 86;

/// `ompt_sub_block_first`: of its chunk; a flag of sub-blocks, as is the next.
pub const SUB_BLOCK_FIRST: c_uint = 1;
/// `ompt_sub_block_last`
pub const SUB_BLOCK_LAST: c_uint = 2;

/// `ompt_loop_sched_t`: one of `SCHED_…`.
pub type LoopSched = c_uint;

/// `ompt_loop_sched_static`; this and the following as `omp_sched_t` numbers them.
pub const SCHED_STATIC: LoopSched = 1;
/// `ompt_loop_sched_dynamic`
pub const SCHED_DYNAMIC: LoopSched = 2;
/// `ompt_loop_sched_guided`
pub const SCHED_GUIDED: LoopSched = 3;
/// `ompt_loop_sched_auto`
pub const SCHED_AUTO: LoopSched = 4;
/// `ompt_loop_sched_monotonic`, a modifier.
pub const SCHED_MONOTONIC: LoopSched = 0x8000_0000;

/// `ompt_callback_loop_t`
pub type LoopFn = unsafe extern "C" fn(
    loop_sched: LoopSched,
    endpoint: Endpoint,
    parallel_data: *mut Data,
    task_data: *mut Data,
    is_iter_signed: c_int,
    step: i64,
    codeptr_ra: *const c_void,
);
/// `ompt_callback_chunk_t`
pub type ChunkFn =
    unsafe extern "C" fn(task_data: *mut Data, lower: i64, upper: i64, create_duration: f64, is_last_chunk: c_int);
/// `ompt_tool_time_t`
pub type ToolTimeFn = unsafe extern "C" fn() -> f64;
/// `ompt_callback_task_creation_t`
pub type TaskCreationFn = unsafe extern "C" fn(
    encountering_task_data: *mut Data,
    encountering_task_frame: *const Frame,
    new_task_data: *mut Data,
    flags: c_int,
    has_dependences: c_int,
    event_duration: f64,
    codeptr_ra: *const c_void,
);
/// `ompt_callback_sub_block_t`
pub type SubBlockFn = unsafe extern "C" fn(
    parallel_data: *mut Data,
    task_data: *mut Data,
    lower: u64,
    iterations: u64,
    flags: c_uint,
    codeptr_ra_or_null: *const c_void,
);
/// `ompt_chunk_wanted_t`
pub type WantedFn = unsafe extern "C" fn(the_loop: *const LoopRecord, chunk: u64) -> c_int;

/// `ompt_chunk_get_loop_t`
pub type GetLoopFn = unsafe extern "C" fn() -> *const LoopRecord;
/// `ompt_chunk_get_variable_t`
pub type GetVariableFn = unsafe extern "C" fn(start: *mut i64, step: *mut i64) -> c_int;
/// `ompt_chunk_sched_balanced`: beside the numbers of `enum sched_type`, a block of equal cost for each thread.
pub const CHUNK_SCHED_BALANCED: u32 = 62;

/// `ompt_chunk_get_schedule_t`
pub type GetScheduleFn = unsafe extern "C" fn(schedule: *mut c_uint, chunk: *mut i64) -> c_int;
/// `ompt_chunk_get_section_t`
pub type GetSectionFn = unsafe extern "C" fn(number: *mut u64) -> c_int;
/// `ompt_chunk_get_met_t`
pub type GetMetFn = unsafe extern "C" fn() -> *const AtomicU64;
/// `ompt_chunk_name_loops_t`
pub type NameLoopsFn = unsafe extern "C" fn(on: c_int) -> c_int;
