//! `ompt_callback_loop`: begin and end of an instrumented loop, beside the runtime's own work events.
//!
//! What really is done with a loop, and where it stands, the runtime says in its own `ompt_callback_work`, where the shim
//! listens meanwhile. So the begin comes right after the runtime's initialisation of the loop, in which that event came.

use core::ffi::{c_int, c_uint, c_void};
use core::ptr;
use std::panic::catch_unwind;

use ompchunk_abi::sched_type::{
    AUTO, DYNAMIC, GUIDED, GUIDED_SIMD, MONOTONIC, RUNTIME as RUNTIME_SCHEDULE, RUNTIME_SIMD, kind_without_order,
};
use ompchunk_abi::{LOOP_DEALT, LOOP_SIGNED, LOOP_STEP_KNOWN, LOOP_STEP_PASSED, LoopRecord};
use ompt::raw::{
    Data, EVENT_WORK, SCHED_AUTO, SCHED_DYNAMIC, SCHED_GUIDED, SCHED_MONOTONIC, SCHED_STATIC, SCOPE_BEGIN, SCOPE_END,
    WORK_DISTRIBUTE, WORK_LOOP, WORK_LOOP_DYNAMIC, WORK_LOOP_GUIDED, WORK_LOOP_OTHER, WORK_LOOP_STATIC, WorkFn,
};

use crate::chain::{Chain, pass_on};
use crate::overrides::chosen_schedule::{Chosen, is_stepped};
use crate::registered_callbacks::CALLBACKS;
use crate::runtime::RUNTIME;
use crate::thread::{Phase, Running, Thread, unpacked};
use crate::{start::report, thread, thread::thread_storage};

pub(crate) static WORK: Chain<WorkFn> = Chain::new(EVENT_WORK, on_work);

/// The runtime has initialised the loop that the thread entered.
#[inline]
pub(crate) fn begin(here: &Thread) {
    if here.phase.get() == Phase::Entered {
        here.phase.set(Phase::Begun);
        send(here, SCOPE_BEGIN);
    }
}

/// The thread has run its last chunk.
#[inline]
pub(crate) fn end(here: &Thread) {
    begin(here);
    if here.phase.get() == Phase::Begun {
        here.phase.set(Phase::Ended);
        send(here, SCOPE_END);
    }
}

/// The shim's own work callback. Safety: the runtime's arguments.
pub(crate) unsafe extern "C" fn on_work(
    work_type: c_uint,
    endpoint: c_uint,
    parallel_data: *mut Data,
    task_data: *mut Data,
    count: u64,
    codeptr_ra: *const c_void,
) {
    let here = thread_storage::thread();
    if matches!(work_type, WORK_LOOP | WORK_DISTRIBUTE | WORK_LOOP_STATIC..=WORK_LOOP_OTHER) {
        if endpoint == SCOPE_BEGIN && here.phase.get() == Phase::Entered {
            here.codeptr.set(codeptr_ra);
            here.work.set(work_type as u8);
        } else if endpoint == SCOPE_END
            && here.phase.get() == Phase::Begun
            && ptr::eq(here.parallel_and_task_data().1, task_data)
            && is_dealt(&here.running())
        {
            // The runtime ends such a loop in the call that finds no more chunks. What ends in another task is inside.
            end(here);
        }
    }
    let codeptr_ra = match here.asks.get() {
        code if endpoint == SCOPE_END && !code.is_null() => code,
        _ => codeptr_ra,
    };
    pass_on!(WORK(work_type, endpoint, parallel_data, task_data, count, codeptr_ra));
    if endpoint == SCOPE_BEGIN && here.phase.get() == Phase::Named {
        here.replace(&Running::new(ptr::null(), 0, 0), false);
    }
}

/// Does the runtime end it in the call that finds no more chunks? Not where the program steps by itself: there the runtime tells of the end
/// after `leave`, and a serialized loop around it may have the same data.
fn is_dealt(running: &Running) -> bool {
    // SAFETY: null, or the constant record of a loop that the thread is in.
    let record = unsafe { running.loop_record.as_ref() };
    let is_changed_to_dealt = running.schedule != 0 && !is_stepped(unpacked(running.schedule), running.chunk);
    is_changed_to_dealt || record.is_some_and(|record| record.flags & LOOP_DEALT != 0)
}

fn send(here: &Thread, endpoint: c_uint) {
    let Some(callback) = CALLBACKS.loops() else { return };
    if !here.knows_task() {
        return;
    }
    let (running, (parallel_data, task_data)) = (here.running(), here.parallel_and_task_data());
    // SAFETY: the constant record of a loop that the thread is in.
    let Some(record) = (unsafe { running.loop_record.as_ref() }) else { return };
    let sched_type = match running.schedule {
        0 => record.schedule,
        instead => unpacked(instead),
    };
    let step = match record.flags & (LOOP_STEP_KNOWN | LOOP_STEP_PASSED) {
        LOOP_STEP_PASSED => running.step,
        // 0 if it is not known.
        _ => record.step.into(),
    };
    // SAFETY: the tool's callback, of the type its slot states.
    unsafe {
        callback(
            schedule(sched_type, running.work.into()),
            endpoint,
            parallel_data,
            task_data,
            c_int::from(record.flags & LOOP_SIGNED != 0),
            step,
            running.codeptr,
        );
    }
}

/// `ompt_loop_sched_t` of a loop compiled with `sched_type`: what the runtime says in its work event, else the clause.
fn schedule(sched_type: u32, work: c_uint) -> c_uint {
    let modifier = if sched_type & MONOTONIC != 0 { SCHED_MONOTONIC } else { 0 };
    let kind = match work {
        WORK_LOOP_STATIC | WORK_DISTRIBUTE => SCHED_STATIC,
        WORK_LOOP_DYNAMIC => SCHED_DYNAMIC,
        WORK_LOOP_GUIDED => SCHED_GUIDED,
        WORK_LOOP_OTHER => SCHED_AUTO,
        _ => match kind_without_order(sched_type) {
            DYNAMIC => SCHED_DYNAMIC,
            GUIDED | GUIDED_SIMD => SCHED_GUIDED,
            RUNTIME_SCHEDULE | RUNTIME_SIMD => RUNTIME.schedule().unwrap_or(SCHED_AUTO),
            AUTO => SCHED_AUTO,
            _ => SCHED_STATIC,
        },
    };
    kind | modifier
}

// Loops that run as if nobody listened, and are known while the runtime tells of their begin (`ompt_chunk_name_loops`).
// Nothing is called when such a loop ends, so it is forgotten as soon as its begin has been told.

pub(crate) unsafe extern "C" fn name_loops(on: c_int) -> c_int {
    catch_unwind(|| {
        let on = on != 0;
        if on {
            report::set_registered();
            if !WORK.hook() {
                report::explain(format_args!(
                    "the runtime refuses ompt_callback_work: loops are named in loop and chunk events alone"
                ));
                return 0;
            }
        }
        c_int::from(CALLBACKS.name_loops(on))
    })
    .unwrap_or(0)
}

/// The thread is about to run the loop, under a `chosen` schedule or its own, and nobody listens: it is named, if that is wanted.
/// Safety: the record is the loop's own, which stays as long as its code.
#[inline]
pub(crate) unsafe fn name_loop(loop_record: *const LoopRecord, start: i64, step: i64, chosen: Option<Chosen>) {
    if !CALLBACKS.names_loops() {
        return;
    }
    let here = thread_storage::thread();
    // What a tool hears of stays what the thread is in, until it leaves it.
    if here.inside.get() && here.phase.get() != Phase::Named {
        return;
    }
    report::count_execution();
    let mut running = Running::new(loop_record, start, step);
    running.phase = Phase::Named;
    if let Some(chosen) = chosen.filter(|chosen| !chosen.is_source) {
        (running.schedule, running.chunk) = (thread::packed(chosen.reported_schedule()), chosen.chunk);
    }
    here.replace(&running, false);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_runtime_s_word_counts_more_than_the_clause() {
        assert_eq!(schedule(33, WORK_LOOP_STATIC), SCHED_STATIC);
        assert_eq!(schedule(38, WORK_LOOP_GUIDED), SCHED_GUIDED);
        assert_eq!(schedule(36 | 1 << 30, WORK_LOOP_DYNAMIC), SCHED_DYNAMIC);
        assert_eq!(schedule(35 | 1 << 29, WORK_LOOP_DYNAMIC), SCHED_DYNAMIC | SCHED_MONOTONIC);
        assert_eq!(schedule(37, WORK_LOOP_OTHER), SCHED_AUTO);
    }

    #[test]
    fn an_older_runtime_s_clause_counts() {
        let cases = [
            (33, SCHED_STATIC),
            (66, SCHED_STATIC),
            (91, SCHED_STATIC),
            (35, SCHED_DYNAMIC),
            (67, SCHED_DYNAMIC),
            (36, SCHED_GUIDED),
            (68, SCHED_GUIDED),
            (38, SCHED_AUTO),
        ];
        for (sched_type, right) in cases {
            assert_eq!(schedule(sched_type, WORK_LOOP), right, "{sched_type}");
            assert_eq!(schedule(sched_type | 1 << 30, 0), right, "{sched_type}");
        }
    }
}
