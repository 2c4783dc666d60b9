//! Loops that run under another schedule than the one they were compiled with.
//! Programs get this `enter` only where there are orders for any loop; the others pay nothing for it.

use core::ptr;

use ompchunk_abi::sched_type::{STATIC, STATIC_CHUNKED};
use ompchunk_abi::{Frame, LOOP_DEALT, LOOP_STOCK, LoopRecord, ON_TIMED};

use crate::hooks::init_trampolines::{DEALT, STEPPED, StepsFn};
use crate::hooks::run::over;
use crate::overrides::chosen_schedule::Chosen;
use crate::registered_callbacks::CALLBACKS;
use crate::{
    balance, balance::block_parts, balance::equal_blocks, hooks, hooks::dealt_counts, hooks::loop_event, overrides,
    static_override, sub_block::sub_block_entry, thread::thread_storage,
};

/// `EnterFn` where orders name loops. Safety: as for `hooks::enter`.
// Not within another, which would save registers for it.
#[inline(never)]
pub(crate) unsafe extern "C" fn enter_changed(
    record: *const LoopRecord,
    frame: *mut Frame,
    start: i64,
    step: i64,
) -> u32 {
    // SAFETY: passed on.
    unsafe {
        if CALLBACKS.is_quiet() {
            let known = overrides::known(record);
            if known == overrides::STAYS {
                return 0;
            }
            if let Some(chunk) = Chosen::static_chunk_in_a_word(known) {
                return enter_static(record, frame, chunk);
            }
            if let Some(chosen) = Chosen::in_a_word(known) {
                return enter_under(record, frame, 0, chosen);
            }
            return enter_perhaps_changed::<true>(record, frame, start, step);
        }
        enter_perhaps_changed::<false>(record, frame, start, step)
    }
}

/// The same for a loop of which no word tells all, and for a tool. `QUIET`: nobody wants to know of loops.
/// Safety: as for `hooks::enter`.
// A function of its own, so that the other saves no registers.
#[inline(never)]
unsafe extern "C" fn enter_perhaps_changed<const QUIET: bool>(
    record: *const LoopRecord,
    frame: *mut Frame,
    start: i64,
    step: i64,
) -> u32 {
    // SAFETY: the loop's own record, which stays as long as its code.
    let chosen = overrides::choose(unsafe { &*record }, true);
    // SAFETY: passed on.
    unsafe {
        let is_unwanted = match &chosen {
            Some(own) if !QUIET && own.is_stepped_in_chunks() => sub_block_entry::is_unwanted(record, own.chunk.into()),
            _ => false,
        };
        match (chosen, if is_unwanted { 0 } else { CALLBACKS.wants() }) {
            (Some(chosen), 0) => {
                if !QUIET {
                    loop_event::name_loop(record, start, step, Some(chosen));
                }
                enter_under(record, frame, 0, chosen)
            }
            // For a tool, a loop under its own schedule is any other, and is not timed.
            (Some(chosen), _) if !chosen.is_source => enter_wanted(record, frame, start, step, &chosen),
            (None, 0) if QUIET => 0,
            // What is not changed of a loop without the plugin, the runtime tells.
            (None, _) if (*record).flags & LOOP_STOCK != 0 => 0,
            _ => hooks::enter(record, frame, start, step),
        }
    }
}

/// The same for a loop that is changed, where somebody may listen. Safety: as for [`enter_under`].
#[inline(never)]
unsafe fn enter_wanted(record: *const LoopRecord, frame: *mut Frame, start: i64, step: i64, chosen: &Chosen) -> u32 {
    // SAFETY: passed on.
    unsafe {
        let wants = hooks::enter_any(record, frame, start, step, Some(*chosen));
        enter_under(record, frame, wants, *chosen)
    }
}

/// `EnterFn` where it is found out in the run how loops run. Safety: as for `hooks::enter`.
pub(crate) unsafe extern "C" fn enter_learned(
    record: *const LoopRecord,
    frame: *mut Frame,
    start: i64,
    step: i64,
) -> u32 {
    // SAFETY: passed on; what is kept of a loop that was met in this region is of a record.
    unsafe {
        if CALLBACKS.is_quiet() {
            if balance::is_quiet(record) {
                return 0;
            }
            if let Some(way) = thread_storage::standing().way(record) {
                return match (way.block(), way.word()) {
                    (Some(block), _) => {
                        let begin = equal_blocks::enter_block(frame, block, (*record).bits);
                        // The size is as a schedule without a chunk size has it.
                        step_unheard(record, frame, (STATIC, 1), begin)
                    }
                    (None, Some(word)) => enter_by_word(record, frame, word),
                    (None, None) => enter_known(record, frame, start, step),
                };
            }
            return enter_group(record, frame, start, step);
        }
        enter_changed(record, frame, start, step)
    }
}

/// The same where nobody listens, of a loop that may be one of a group. Safety: as for `hooks::enter`.
// A function of its own, so that the other saves no registers.
#[inline(never)]
unsafe extern "C" fn enter_group(record: *const LoopRecord, frame: *mut Frame, start: i64, step: i64) -> u32 {
    if balance::is_quiet_group(record) {
        return 0;
    }
    // SAFETY: passed on.
    unsafe { enter_changed(record, frame, start, step) }
}

/// The same for a loop that runs untimed under the schedule in the word, unheard. Safety: as for [`enter_under`].
// A function of its own, so that the other saves no registers.
#[inline(never)]
unsafe extern "C" fn enter_by_word(record: *const LoopRecord, frame: *mut Frame, word: u32) -> u32 {
    // SAFETY: passed on.
    unsafe {
        match Chosen::static_chunk_in_a_word(word) {
            Some(chunk) => enter_static(record, frame, chunk),
            None => Chosen::in_a_word(word).map_or(0, |chosen| enter_under(record, frame, 0, chosen)),
        }
    }
}

/// The same where nobody listens, and the thread knows how the loop runs. Safety: as for `hooks::enter`.
// A function of its own, so that the other saves no registers.
#[inline(never)]
unsafe extern "C" fn enter_known(record: *const LoopRecord, frame: *mut Frame, start: i64, step: i64) -> u32 {
    // SAFETY: passed on.
    unsafe {
        match Chosen::known(record) {
            Some(chosen) => enter_under(record, frame, 0, chosen),
            None => enter_changed(record, frame, start, step),
        }
    }
}

/// Runs the loop under `static,c`, unheard, in fewer instructions than [`enter_under`]. Safety: as for it.
#[inline(always)]
unsafe fn enter_static(record: *const LoopRecord, frame: *mut Frame, chunk: u32) -> u32 {
    // SAFETY: passed on.
    unsafe {
        let begin = static_override::begin_unheard((*record).bits);
        step_unheard(record, frame, (STATIC_CHUNKED, chunk), begin)
    }
}

/// Steps through the loop from what `begin` gives first, with a chunk size, unheard. Safety: as for [`enter_under`].
#[inline(always)]
unsafe fn step_unheard(
    record: *const LoopRecord,
    frame: *mut Frame,
    (schedule, chunk): (u32, u32),
    begin: StepsFn,
) -> u32 {
    // SAFETY: the frame is this thread's.
    unsafe {
        (&raw mut (*frame).leave).write(leave_quiet);
        (&raw mut (*frame).loop_record).write(record);
        (&raw mut (*frame).size_then_last).write(chunk.into());
        (&raw mut (*frame).schedule).write(schedule);
        (&raw mut (*frame).next).write(ptr::null());
        (&raw mut (*frame).chunk).cast::<StepsFn>().write(begin);
    }
    STEPPED
}

/// `EnterFn` of an image that another runtime runs: nobody hears of it. Safety: as for `hooks::enter`.
pub(crate) unsafe extern "C" fn enter_elsewhere(record: *const LoopRecord, frame: *mut Frame, _: i64, _: i64) -> u32 {
    // SAFETY: the loop's own record, which stays as long as its code.
    match overrides::choose(unsafe { &*record }, false) {
        // SAFETY: passed on.
        Some(chosen) => unsafe { enter_under(record, frame, 0, chosen) },
        None => 0,
    }
}

/// Has the program run the loop under that schedule, whether somebody listens (`wants`) or not.
/// Safety: as for [`enter_changed`]; there is a loop, whose record says that it can be changed.
#[inline(always)]
unsafe fn enter_under(record: *const LoopRecord, frame: *mut Frame, wants: u32, chosen: Chosen) -> u32 {
    // SAFETY: the frame is this thread's.
    unsafe {
        if wants == 0 {
            (&raw mut (*frame).leave).write(leave_quiet);
        }
        (&raw mut (*frame).loop_record).write(record);
        (&raw mut (*frame).size_then_last).write(chosen.chunk.into());
        (&raw mut (*frame).schedule).write(chosen.schedule);
        if let Some(seat) = chosen.seat {
            equal_blocks::enter(frame, wants, seat);
        }
        if !chosen.stepped {
            return match chosen.seat {
                Some(seat) if (*record).flags & LOOP_DEALT != 0 => {
                    dealt_counts::enter(frame, wants, seat, chosen.is_source)
                }
                _ => wants | DEALT,
            };
        }
        // Balanced blocks come before what a thread may know alone.
        let own = (chosen.kind(), chosen.chunk.into());
        if !chosen.is_balanced && wants != 0 && sub_block_entry::may_be(&*record, own) {
            return sub_block_entry::enter(record, frame, wants, own);
        }
        (&raw mut (*frame).schedule).write(chosen.kind());
        if let Some(seat) = chosen.seat
            && chosen.is_balanced
            && wants == 0
            && block_parts::may_be(&*record, &seat)
        {
            return block_parts::enter(frame, (*record).bits);
        }
        let begin = match chosen.seat {
            Some(_) if chosen.is_balanced => equal_blocks::begin((*record).bits, wants),
            Some(seat) if seat.is_timed() => equal_blocks::begin_own((*record).bits, wants),
            Some(_) | None => static_override::begin((*record).bits, wants & ON_TIMED != 0),
        };
        let chunk = match wants {
            0 => ptr::null(),
            _ => (*frame).chunk as *const (),
        };
        (&raw mut (*frame).next).write(chunk);
        (&raw mut (*frame).chunk).cast::<StepsFn>().write(begin);
        wants | STEPPED
    }
}

/// `AdvanceFn` where nobody listened when the loop began.
unsafe extern "C" fn leave_quiet(frame: *mut Frame) -> i32 {
    // SAFETY: `enter_under` has filled in the frame.
    unsafe { over(frame) }
}
