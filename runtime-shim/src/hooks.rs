//! What instrumented loops call at their begin and end; `chunk` and `bookkeeping` have what they call in between.
//!
//! The hot path: no lock, no allocation, nothing that can panic; thread-local storage is found once per execution, and
//! its address kept in the frame. The tool's functions are called with nothing held.

pub(crate) mod begin;
#[cfg(target_arch = "x86_64")]
pub(crate) mod begin_trampolines;
pub(crate) mod bookkeeping;
pub(crate) mod chunk;
pub(crate) mod dealt_counts;
pub(crate) mod init_trampolines;
pub(crate) mod loop_event;
pub(crate) mod run;
pub(crate) mod section;

use ompchunk_abi::{
    AdvanceFn, BookkeepingFn, CONSTRUCT_DISTRIBUTE, CONSTRUCT_FOR, CONSTRUCT_SECTIONS, ChunkFn, Frame, LOOP_CHUNKED,
    LOOP_DEALT, LoopRecord, ON_LISTENING, ON_TIMED,
};

use crate::hooks::bookkeeping::{as_compiled, changed_bookkeeping, first_bookkeeping};
use crate::hooks::chunk::{
    DISTRIBUTE_CHUNK, LOOP_CHUNK, NO_DISPATCH, dealt_chunk, execution, first_chunk, one_of_many,
};
use crate::hooks::init_trampolines::chunk_size;
use crate::hooks::run::{leave, over};
use crate::overrides::chosen_schedule::Chosen;
use crate::registered_callbacks::CALLBACKS;
use crate::thread::{NO_SECTION, Phase, Running};
use crate::{balance, overrides, start::report, sub_block::sub_block_entry, thread, thread::thread_storage};

/// Decides how a thread runs the loop that it is about to begin. Returns 0 if the loop runs as compiled and no tool listens, else the value
/// of [`Frame::on`]. Then these fields are filled in:
///
/// - `chunk`, `bookkeeping` and `leave`, as far as the program calls them;
/// - of an execution under another schedule `schedule`, and its chunk size in `size_then_last`;
/// - of one that is stepped a `StepsFn` in `chunk`, and in `next` the `ChunkFn` for a loop without iterations, or null.
pub(crate) type EnterFn =
    unsafe extern "C" fn(loop_record: *const LoopRecord, frame: *mut Frame, start: i64, step: i64) -> u32;

/// [`EnterFn`] where no loop is to run under another schedule.
/// Safety: `loop_record` is a loop record that stays and `frame` memory for a frame.
pub(crate) unsafe extern "C" fn enter(loop_record: *const LoopRecord, frame: *mut Frame, start: i64, step: i64) -> u32 {
    // SAFETY: the plugin passes the loop's own record; passed on.
    unsafe {
        if (*loop_record).construct != CONSTRUCT_FOR {
            return enter_other_construct(loop_record, frame, start, step);
        }
        let is_chunked = (*loop_record).flags & (LOOP_DEALT | LOOP_CHUNKED) == LOOP_CHUNKED;
        if is_chunked && is_first(loop_record, || (start, step)) {
            return listen(frame, one_of_many);
        }
        enter_general(loop_record, frame, start, step)
    }
}

/// What is usual takes a short way: the thread enters a loop that is not inside another, and only dispatch events are wanted.
/// Nothing is cleared, and nothing asked: whose the loop is, the runtime tells in the event that `chunk::filter` drops.
/// Safety: as for [`enter`]; the runtime does not deal the loop's chunks.
#[inline(always)]
pub(crate) unsafe fn is_first(loop_record: *const LoopRecord, start_and_step: impl FnOnce() -> (i64, i64)) -> bool {
    if CALLBACKS.dispatch_alone().is_none() {
        return false;
    }
    // SAFETY: where dispatch events alone are wanted, it is near.
    let here = unsafe { thread_storage::near_thread() };
    let is_first = !here.inside.get();
    if is_first {
        let (start, step) = start_and_step();
        here.enter_first(loop_record, start, step);
    }
    is_first
}

/// The loop reports its chunks by `chunk`. (`bookkeeping` is not called without `ON_TIMED`.)
/// Safety: as for [`enter`]; [`is_first`] has said yes.
#[inline(always)]
pub(crate) unsafe fn listen(frame: *mut Frame, chunk: ChunkFn) -> u32 {
    // SAFETY: memory of a frame's size and alignment, which this thread owns. All writes stay within it: `Execution` fits the field
    // `shim`, asserted in `chunk`.
    unsafe {
        (&raw mut (*frame).chunk).write(chunk);
        (&raw mut (*frame).leave).write(leave);
    }
    ON_LISTENING
}

/// Sections, each of which is reported like a chunk where the processor's code is known, and loops of `distribute`.
/// Safety: as for [`enter`].
#[inline(never)]
unsafe extern "C" fn enter_other_construct(
    loop_record: *const LoopRecord,
    frame: *mut Frame,
    start: i64,
    step: i64,
) -> u32 {
    // SAFETY: the plugin passes the loop's own record; passed on.
    unsafe {
        if (*loop_record).construct != CONSTRUCT_SECTIONS {
            return enter_general(loop_record, frame, start, step);
        }
        let first = section::FIRST;
        match CALLBACKS.wants() {
            wants if wants != 0 && first.is_some() => {
                enter_wanted(loop_record, frame, NO_SECTION, step, None, first, wants)
            }
            _ => {
                loop_event::name_loop(loop_record, NO_SECTION, step, None);
                0
            }
        }
    }
}

/// Safety: as for [`enter`].
#[inline(never)]
unsafe extern "C" fn enter_general(loop_record: *const LoopRecord, frame: *mut Frame, start: i64, step: i64) -> u32 {
    // SAFETY: passed on.
    unsafe {
        match CALLBACKS.wants_short_way() {
            0 => enter_rare(loop_record, frame, start, step),
            wants => enter_wanted(loop_record, frame, start, step, None, None, wants),
        }
    }
}

/// The same where nobody listens, or to sub-blocks too. Where loops are named, this one is. Safety: as for [`enter`].
#[cold]
#[inline(never)]
unsafe extern "C" fn enter_rare(loop_record: *const LoopRecord, frame: *mut Frame, start: i64, step: i64) -> u32 {
    // SAFETY: passed on; the plugin passes the loop's own record.
    unsafe {
        let record = &*loop_record;
        let is_chunked = record.flags & (LOOP_DEALT | LOOP_CHUNKED) == LOOP_CHUNKED;
        let may_ask = is_chunked && record.construct == CONSTRUCT_FOR;
        let wants = if may_ask && sub_block_entry::is_unwanted(loop_record, chunk_size(frame, record)) {
            0
        } else {
            enter_any(loop_record, frame, start, step, None)
        };
        if wants == 0 {
            loop_event::name_loop(loop_record, start, step, None);
            return 0;
        }
        match sub_block_entry::schedule(record) {
            Some(own) => sub_block_entry::enter(loop_record, frame, wants, own),
            None => wants,
        }
    }
}

/// The long way, right for every loop. 0: nobody listens, and nothing was done.
/// Safety: as for [`enter`]; a `chosen` schedule is one under which the loop can run.
#[inline(always)]
pub(crate) unsafe fn enter_any(
    loop_record: *const LoopRecord,
    frame: *mut Frame,
    start: i64,
    step: i64,
    chosen: Option<Chosen>,
) -> u32 {
    match CALLBACKS.wants() {
        0 => 0,
        // SAFETY: passed on.
        wants => unsafe { enter_wanted(loop_record, frame, start, step, chosen, None, wants) },
    }
}

/// Somebody listens, and the program gets that answer. Safety: as for [`enter_any`].
#[inline(always)]
unsafe fn enter_wanted(
    loop_record: *const LoopRecord,
    frame: *mut Frame,
    start: i64,
    step: i64,
    chosen: Option<Chosen>,
    first_section: Option<ChunkFn>,
    wants: u32,
) -> u32 {
    report::count_execution();
    // SAFETY: the plugin passes the loop's own record.
    let (construct, flags) = unsafe { ((*loop_record).construct, (*loop_record).flags) };
    let stepped = chosen.is_some_and(|chosen| chosen.stepped);
    let dealt = flags & LOOP_DEALT != 0 || chosen.is_some() && !stepped;
    let kind = match construct {
        _ if dealt => NO_DISPATCH,
        CONSTRUCT_DISTRIBUTE => DISTRIBUTE_CHUNK,
        _ => LOOP_CHUNK,
    };
    let timed = CALLBACKS.times_chunks();
    let here = thread_storage::thread();
    let around = here.running();
    let mut running = Running::new(loop_record, start, step);
    running.timed = dealt && timed;
    if let Some(chosen) = chosen {
        (running.schedule, running.chunk) = (thread::packed(chosen.reported_schedule()), chosen.chunk);
    }
    if CALLBACKS.loops().is_some() && wants & ON_TIMED != 0 && first_section.is_none() {
        running.phase = Phase::Entered;
    }
    // Chosen here, so that a chunk costs no test for what it is not.
    let chunk: ChunkFn = match first_section {
        Some(first_section) => first_section,
        None if dealt => dealt_chunk,
        None => first_chunk,
    };
    let bookkeeping: BookkeepingFn = match running.phase {
        Phase::Entered => first_bookkeeping,
        _ if chosen.is_some() => changed_bookkeeping,
        _ => as_compiled(),
    };
    let leave: AdvanceFn = if running.phase == Phase::Entered {
        leave_with_event
    } else if running.timed || chosen.is_some() || !around.loop_record.is_null() {
        leave_for_outer
    } else {
        leave
    };
    here.replace(&running, !dealt);
    here.clock.set(0);
    // SAFETY: as in `enter`. `dispatched` and whose the loop is are written before they are read.
    unsafe {
        (&raw mut (*frame).chunk).write(chunk);
        (&raw mut (*frame).bookkeeping).write(bookkeeping);
        (&raw mut (*frame).leave).write(leave);
        let this = execution(frame);
        (&raw mut (*this).around).write(around);
        (&raw mut (*this).kind).write(kind);
        (&raw mut (*this).timed).write(timed);
    }
    wants
}

/// `AdvanceFn` of every other loop than those of [`leave`]. Safety: as for that.
unsafe extern "C" fn leave_for_outer(frame: *mut Frame) -> i32 {
    // SAFETY: as in `leave`; `enter_any` wrote `around`.
    unsafe {
        let this = execution(frame);
        let here = thread_storage::thread();
        here.replace(&(*this).around, false);
        here.clock.set(0);
        over(frame)
    }
}

/// `AdvanceFn` where the loop's end is wanted. Safety: as for [`leave`].
#[inline(always)]
unsafe extern "C" fn leave_with_event(frame: *mut Frame) -> i32 {
    // SAFETY: as in `leave`; passed on.
    unsafe {
        loop_event::end(thread_storage::thread());
        leave_for_outer(frame)
    }
}

/// `AdvanceFn` of a loop that runs under another schedule, or as if it did, and is timed by `balance`.
/// Safety: as for [`leave`].
pub(crate) unsafe extern "C" fn leave_timed(frame: *mut Frame) -> i32 {
    // SAFETY: as in `leave`; passed on.
    unsafe {
        if let Some(seat) = balance::seat_again(overrides::key(&*(*frame).loop_record)) {
            seat.ends();
        }
        leave_with_event(frame)
    }
}
