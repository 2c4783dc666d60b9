//! What instrumented loops call at their begin and end. What they call for a chunk is in `chunk`, and where the bookkeeping
//! for one begins in `bookkeeping`.
//!
//! The hot path: no lock, no allocation, nothing that can panic; thread-local storage is found once per execution, and
//! its address kept in the frame. The tool's functions are called with nothing held.

use core::ffi::c_uint;

use ompchunk_abi::{
    BookkeepingFn, CONSTRUCT_DISTRIBUTE, CONSTRUCT_FOR, CONSTRUCT_SECTIONS, CREATES_ANY, CREATES_ONE, ChunkFn,
    ENTER_LISTENING, ENTER_TIMED, EnterFn, Frame, LOOP_CHUNKED, LOOP_DEALT, LeaveFn, LoopRecord, ModuleRecord, WAITS,
};

use crate::bookkeeping::{bookkeeping, changed_bookkeeping, dealt_bookkeeping, first_bookkeeping, stepped_bookkeeping};
use crate::chosen::Chosen;
use crate::chunk::{NO_DISPATCH, dealt_chunk, execution, first_chunk, one_of_many, only_chunk};
use crate::table::TABLE;
use crate::thread::{NO_SECTION, Phase, Running};
use crate::{balance, divided, local, loop_event, named, report, schedules, section, tally, task, thread};
use ompt::raw::{DISPATCH_DISTRIBUTE_CHUNK, DISPATCH_WS_LOOP_CHUNK};

/// `EnterFn`: a thread is about to run a loop, or creates a task.
///
/// # Safety
///
/// `the_loop` says what becomes of a task, or is a loop record that stays and `frame` memory for a frame.
pub(crate) unsafe extern "C" fn enter(
    module: *const ModuleRecord,
    the_loop: *const LoopRecord,
    frame: *mut Frame,
    start: i64,
    step: i64,
) -> u32 {
    let unread = task::Unread::uninit();
    let place = frame.cast_const().cast();
    let what = the_loop.addr();
    // One comparison for the two that every creation comes with.
    if what <= CREATES_ONE {
        return match what {
            CREATES_ONE => task::creates_one(unread, unread, place),
            _ => task::created(unread, unread, place),
        };
    }
    match what {
        CREATES_ANY => task::creates_any(unread, unread, place),
        WAITS => task::waits(unread, unread, place),
        // SAFETY: passed on.
        _ => unsafe { enter_loop(module, the_loop, frame, start, step) },
    }
}

/// What programs enter loops by, where no loop is to run under another schedule.
pub(crate) fn usual() -> EnterFn {
    match report::verbose() {
        true => enter_counted,
        false => enter,
    }
}

/// The same where the summary will tell how many creations of tasks there were.
///
/// # Safety
///
/// As for [`enter`].
pub(crate) unsafe extern "C" fn enter_counted(
    module: *const ModuleRecord,
    the_loop: *const LoopRecord,
    frame: *mut Frame,
    start: i64,
    step: i64,
) -> u32 {
    if [CREATES_ONE, CREATES_ANY].contains(&the_loop.addr()) && TABLE.creations().is_some() {
        tally::creating();
    }
    // SAFETY: passed on.
    unsafe { enter(module, the_loop, frame, start, step) }
}

#[used]
static ENTER_LOOP: EnterFn = enter_loop;

/// What is usual takes the short way: a loop that is not inside another, dispatch events alone.
/// Nothing is cleared, and nothing asked: whose the loop is, the runtime tells in the event that `chunk::filter` drops.
///
/// # Safety
///
/// As for [`enter`]; there is a loop.
// A function of its own, so that a loop saves no registers that a task needs; with the same arguments, so that all stay
// where they are, and its address taken, so that the compiler leaves it so.
#[inline(never)]
unsafe extern "C" fn enter_loop(
    _module: *const ModuleRecord,
    the_loop: *const LoopRecord,
    frame: *mut Frame,
    start: i64,
    step: i64,
) -> u32 {
    // SAFETY: the plugin passes the loop's own record; passed on.
    unsafe {
        let flags = (*the_loop).flags;
        if flags & (LOOP_DEALT | LOOP_CHUNKED) == 0 {
            enter_usual(the_loop, frame, start, step, only_chunk)
        } else {
            enter_chunked(the_loop, frame, start, step)
        }
    }
}

/// # Safety
///
/// As for [`enter`]; there is a loop.
#[inline(never)]
unsafe extern "C" fn enter_chunked(the_loop: *const LoopRecord, frame: *mut Frame, start: i64, step: i64) -> u32 {
    // SAFETY: the plugin passes the loop's own record; passed on.
    unsafe {
        if (*the_loop).flags & LOOP_DEALT == 0 {
            enter_usual(the_loop, frame, start, step, one_of_many)
        } else {
            enter_not_usual(the_loop, frame, start, step)
        }
    }
}

/// The short way, if it may be taken; `chunk` is for the first chunk.
///
/// # Safety
///
/// As for [`enter`]; there is a loop, whose chunks the runtime does not deal.
#[inline(always)]
unsafe fn enter_usual(the_loop: *const LoopRecord, frame: *mut Frame, start: i64, step: i64, chunk: ChunkFn) -> u32 {
    // SAFETY: the plugin passes the loop's own record, and memory of a frame's size and alignment, which this thread
    // owns. All writes stay within it: `Execution` fits the field `shim`, asserted in `chunk`.
    unsafe {
        // Loops pay no test for what they are not.
        if (*the_loop).construct != CONSTRUCT_FOR {
            return enter_no_for(the_loop, frame, start, step);
        }
        if TABLE.dispatch_alone().is_some() {
            let here = local::near_thread();
            if !here.is_in_a_loop() {
                here.enter_first(the_loop, start, step);
                // `bookkeeping` is not called without `ENTER_TIMED`.
                (&raw mut (*frame).chunk).write(chunk);
                (&raw mut (*frame).leave).write(leave);
                (&raw mut (*execution(frame)).here).write(here);
                return ENTER_LISTENING;
            }
        }
        enter_not_usual(the_loop, frame, start, step)
    }
}

/// Sections, each of which is reported like a chunk where the processor's code is known, and loops of `distribute`.
///
/// # Safety
///
/// As for [`enter`]; there is a loop or sections.
#[inline(never)]
unsafe extern "C" fn enter_no_for(the_loop: *const LoopRecord, frame: *mut Frame, start: i64, step: i64) -> u32 {
    // SAFETY: the plugin passes the loop's own record; passed on.
    unsafe {
        if (*the_loop).construct != CONSTRUCT_SECTIONS {
            return enter_not_usual(the_loop, frame, start, step);
        }
        let first = section::FIRST;
        match TABLE.wants() {
            wants if wants != 0 && first.is_some() => {
                enter_wanted(the_loop, frame, NO_SECTION, step, None, first, wants)
            }
            _ => {
                named::enter(the_loop, NO_SECTION, step, None);
                0
            }
        }
    }
}

/// # Safety
///
/// As for [`enter`]; there is a loop.
#[inline(never)]
unsafe extern "C" fn enter_not_usual(the_loop: *const LoopRecord, frame: *mut Frame, start: i64, step: i64) -> u32 {
    // SAFETY: passed on.
    unsafe {
        match TABLE.usually_wants() {
            0 => enter_seldom(the_loop, frame, start, step),
            wants => enter_wanted(the_loop, frame, start, step, None, None, wants),
        }
    }
}

/// The same where nobody listens, or to sub-blocks too. Where loops are named, this one is.
///
/// # Safety
///
/// As for [`enter`]; there is a loop.
#[cold]
#[inline(never)]
unsafe extern "C" fn enter_seldom(the_loop: *const LoopRecord, frame: *mut Frame, start: i64, step: i64) -> u32 {
    // SAFETY: passed on; the plugin passes the loop's own record.
    unsafe {
        let wants = enter_any(the_loop, frame, start, step, None);
        if wants == 0 {
            named::enter(the_loop, start, step, None);
            return 0;
        }
        match divided::schedule(&*the_loop) {
            Some(own) => divided::enter(the_loop, frame, wants, own),
            None => wants,
        }
    }
}

/// The long way, right for every loop. 0: nobody listens, and nothing was done.
///
/// # Safety
///
/// As for [`enter`]; there is a loop, and a `chosen` schedule is one under which it can run.
#[inline(always)]
pub(crate) unsafe fn enter_any(
    the_loop: *const LoopRecord,
    frame: *mut Frame,
    start: i64,
    step: i64,
    chosen: Option<Chosen>,
) -> u32 {
    match TABLE.wants() {
        0 => 0,
        // SAFETY: passed on.
        wants => unsafe { enter_wanted(the_loop, frame, start, step, chosen, None, wants) },
    }
}

/// Somebody listens, and the program gets that answer.
///
/// # Safety
///
/// As for [`enter_any`].
#[inline(always)]
unsafe fn enter_wanted(
    the_loop: *const LoopRecord,
    frame: *mut Frame,
    start: i64,
    step: i64,
    chosen: Option<Chosen>,
    first_section: Option<ChunkFn>,
    wants: u32,
) -> u32 {
    tally::entered();
    // SAFETY: the plugin passes the loop's own record.
    let (construct, flags) = unsafe { ((*the_loop).construct, (*the_loop).flags) };
    let stepped = chosen.is_some_and(|chosen| chosen.stepped);
    let dealt = flags & LOOP_DEALT != 0 || chosen.is_some() && !stepped;
    let kind = kind_of(construct, dealt);
    let timed = TABLE.times_chunks();
    let here = local::thread();
    let around = here.running();
    let mut running = Running::new(the_loop, start, step);
    running.timed = dealt && timed;
    if let Some(chosen) = chosen {
        (running.schedule, running.chunk) = (thread::packed(chosen.told()), chosen.chunk);
    }
    if TABLE.loops().is_some() && wants & ENTER_TIMED != 0 && first_section.is_none() {
        running.phase = Phase::Entered;
    }
    // Chosen here, so that a chunk costs no test for what it is not.
    let chunk: ChunkFn = match first_section {
        Some(first_section) => first_section,
        None if dealt => dealt_chunk,
        None => first_chunk,
    };
    let bookkeeping: BookkeepingFn = match (running.phase, dealt) {
        (Phase::Entered, _) => first_bookkeeping,
        _ if stepped => stepped_bookkeeping,
        _ if chosen.is_some() => changed_bookkeeping,
        (_, true) => dealt_bookkeeping,
        (_, false) => bookkeeping,
    };
    let leave: LeaveFn = if running.phase == Phase::Entered {
        leave_with_event
    } else if running.timed || chosen.is_some() || !around.the_loop.is_null() {
        leave_for_outer
    } else {
        leave
    };
    here.replace(&running, !dealt);
    // SAFETY: as in `enter`. `dispatched` and whose the loop is are written before they are read.
    unsafe {
        (&raw mut (*frame).chunk).write(chunk);
        (&raw mut (*frame).bookkeeping).write(bookkeeping);
        (&raw mut (*frame).leave).write(leave);
        let this = execution(frame);
        (&raw mut (*this).here).write(here);
        (&raw mut (*this).around).write(around);
        (&raw mut (*this).clock).write(None);
        (&raw mut (*this).kind).write(kind);
        (&raw mut (*this).timed).write(timed);
    }
    wants
}

/// `ompt_dispatch_t` of the loop's chunks.
#[inline(always)]
fn kind_of(construct: u8, dealt: bool) -> c_uint {
    if dealt {
        NO_DISPATCH
    } else if construct == CONSTRUCT_DISTRIBUTE {
        DISPATCH_DISTRIBUTE_CHUNK
    } else {
        DISPATCH_WS_LOOP_CHUNK
    }
}

/// `LeaveFn`: the thread has run its last chunk of the loop, or had none. There is no loop around it, and nothing
/// was timed.
///
/// # Safety
///
/// `frame` was filled in by `enter` and not left yet; it is dead afterwards.
unsafe extern "C" fn leave(frame: *mut Frame) {
    // SAFETY: `enter` wrote the execution, and this thread alone uses it.
    unsafe { (*(*execution(frame)).here).leave_last() };
}

/// `LeaveFn` of every other loop.
///
/// # Safety
///
/// As for [`leave`].
unsafe extern "C" fn leave_for_outer(frame: *mut Frame) {
    // SAFETY: as in `leave`; `enter_any` wrote `around`.
    unsafe {
        let this = execution(frame);
        (*(*this).here).replace(&(*this).around, false);
    }
}

/// `LeaveFn` where the loop's end is wanted.
///
/// # Safety
///
/// As for [`leave`].
unsafe extern "C" fn leave_with_event(frame: *mut Frame) {
    // SAFETY: as in `leave`; passed on.
    unsafe {
        loop_event::end(&*(*execution(frame)).here);
        leave_for_outer(frame);
    }
}

/// `LeaveFn` of a loop that runs under another schedule, or as if it did, and is timed by `balance`.
///
/// # Safety
///
/// As for [`leave`].
pub(crate) unsafe extern "C" fn leave_timed(frame: *mut Frame) {
    // SAFETY: as in `leave`; passed on.
    unsafe {
        if let Some(seat) = balance::seat_again(schedules::key(&*(*frame).the_loop)) {
            seat.ends();
        }
        leave_with_event(frame);
    }
}
