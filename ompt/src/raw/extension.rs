//! The extension events of `ompt-chunk.h`, which ompchunk adds to a runtime's own. That header says what they mean.

use core::ffi::{c_int, c_uint, c_void};
use core::sync::atomic::AtomicU64;

use super::{Data, Endpoint, Event, Frame, LoopRecord, constants, signatures};

constants! {
    Event {
        ompt_callback_loop: EVENT_LOOP = 81;
        ompt_callback_chunk: EVENT_CHUNK = 82;
        ompt_callback_tool_time: EVENT_TOOL_TIME = 83, "no event, but how a tool registers its clock";
        ompt_callback_task_creation: EVENT_TASK_CREATION = 84;
        ompt_callback_sub_block: EVENT_SUB_BLOCK = 85;
        ompt_callback_wanted: EVENT_WANTED = 86, "no event either, but how a tool is asked";
    }
    // Flags of sub-blocks: the first or last of its chunk.
    c_uint {
        ompt_sub_block_first: SUB_BLOCK_FIRST = 1;
        ompt_sub_block_last: SUB_BLOCK_LAST = 2;
    }
    LoopSched = c_uint as ompt_loop_sched_t, "one of `SCHED_…`, as `omp_sched_t` numbers them, and a modifier" {
        ompt_loop_sched_static: SCHED_STATIC = 1;
        ompt_loop_sched_dynamic: SCHED_DYNAMIC = 2;
        ompt_loop_sched_guided: SCHED_GUIDED = 3;
        ompt_loop_sched_auto: SCHED_AUTO = 4;
        ompt_loop_sched_monotonic: SCHED_MONOTONIC = 0x8000_0000;
    }
    u32 {
        ompt_chunk_sched_balanced: CHUNK_SCHED_BALANCED = 62,
            "beside the numbers of `enum sched_type`, a block of equal cost for each thread";
    }
}

signatures! {
    ompt_callback_loop_t: LoopFn(
        loop_sched: LoopSched, endpoint: Endpoint, parallel_data: *mut Data, task_data: *mut Data,
        is_iter_signed: c_int, step: i64, codeptr_ra: *const c_void);
    ompt_callback_chunk_t: ChunkFn(
        task_data: *mut Data, lower: i64, upper: i64, create_duration: f64, is_last_chunk: c_int);
    ompt_tool_time_t: ToolTimeFn() -> f64;
    ompt_callback_task_creation_t: TaskCreationFn(
        encountering_task_data: *mut Data, encountering_task_frame: *const Frame, new_task_data: *mut Data,
        flags: c_int, has_dependences: c_int, event_duration: f64, codeptr_ra: *const c_void);
    ompt_callback_sub_block_t: SubBlockFn(
        parallel_data: *mut Data, task_data: *mut Data, lower: u64, iterations: u64, flags: c_uint,
        codeptr_ra_or_null: *const c_void);
    ompt_chunk_wanted_t: WantedFn(the_loop: *const LoopRecord, chunk: u64) -> c_int;
    ompt_chunk_get_loop_t: GetLoopFn() -> *const LoopRecord;
    ompt_chunk_get_variable_t: GetVariableFn(start: *mut i64, step: *mut i64) -> c_int;
    ompt_chunk_get_schedule_t: GetScheduleFn(schedule: *mut c_uint, chunk: *mut i64) -> c_int;
    ompt_chunk_get_section_t: GetSectionFn(number: *mut u64) -> c_int;
    ompt_chunk_get_met_t: GetMetFn() -> *const AtomicU64;
    ompt_chunk_name_loops_t: NameLoopsFn(on: c_int) -> c_int;
}
