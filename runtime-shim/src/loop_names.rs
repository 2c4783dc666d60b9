//! Loops that run as if nobody listened, and that are known all the same while the runtime tells of their begin
//! (`ompt_chunk_name_loops`).
//!
//! Nothing is called when such a loop ends, so it is forgotten as soon as its begin has been told.

use core::ffi::c_int;
use std::panic::catch_unwind;

use ompchunk_abi::LoopRecord;

use crate::choice::Chosen;
use crate::loop_event::WORK;
use crate::table::TABLE;
use crate::thread::{Phase, Running};
use crate::{report, tally, thread, thread_storage};

/// `ompt_chunk_name_loops`.
pub(crate) unsafe extern "C" fn name_loops(on: c_int) -> c_int {
    catch_unwind(|| {
        let on = on != 0;
        if on {
            tally::wanted();
            if !WORK.hook() {
                report::explain(format_args!(
                    "the runtime refuses ompt_callback_work: loops are named in loop and chunk events alone"
                ));
                return 0;
            }
        }
        c_int::from(TABLE.name_loops(on))
    })
    .unwrap_or(0)
}

/// The thread is about to run the loop, under a `chosen` schedule or its own, and nobody listens: it is named, if that is wanted.
///
/// # Safety
///
/// The record is the loop's own, which stays as long as its code.
pub(crate) unsafe fn enter(the_loop: *const LoopRecord, start: i64, step: i64, chosen: Option<Chosen>) {
    if !TABLE.names_loops() {
        return;
    }
    let here = thread_storage::thread();
    // What a tool hears of stays what the thread is in, until it leaves it.
    if here.is_in_a_loop() && here.phase() != Phase::Named {
        return;
    }
    tally::entered();
    let mut running = Running::new(the_loop, start, step);
    running.phase = Phase::Named;
    if let Some(chosen) = chosen.filter(|chosen| !chosen.is_source) {
        (running.schedule, running.chunk) = (thread::packed(chosen.told()), chosen.chunk);
    }
    here.replace(&running, false);
}
