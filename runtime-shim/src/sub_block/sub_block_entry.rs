//! Which loops run in sub-blocks, and how such an execution begins.
//!
//! A tool wants `ompt_callback_sub_block`, so this thread goes through its own chunks in parts. Nothing else depends on it: the
//! runtime's static init is called with the loop's own schedule and chunk size, so each thread of a team may decide for itself,
//! at any moment, and all of them still have the iterations that they would have.
//!
//! Left out is every loop of which it is not known that its results stay the same bit for bit, and the whole process where
//! `OMP_CANCELLATION` is on, as for other schedules. `OMPCHUNK_PROFILE` says more, see [`begin`].

use core::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use ompchunk_abi::sched_type::{STATIC, kind};
use ompchunk_abi::{
    CONSTRUCT_FOR, Frame, LOOP_CHANGEABLE, LOOP_DEALT, LOOP_DIVISIBLE, LOOP_REASSOCIATED, LoopRecord, ON_TIMED,
};

use crate::hooks::bookkeeping::no_bookkeeping;
use crate::hooks::chunk::execution;
use crate::hooks::init_trampolines::{STEPPED, StepsFn};
use crate::overrides::group::place_of;
use crate::overrides::source_schedule::own_static;
use crate::registered_callbacks::CALLBACKS;
use crate::thread::Phase;
use crate::{
    overrides, overrides::override_messages, start::environment, start::report, sub_block, sub_block::sizes,
    thread::thread_storage,
};

/// A list, of [`REASSOCIATED`] and [`ITERATIONS`] with a number.
const VARIABLE: &str = "OMPCHUNK_PROFILE";
/// Also loops whose results may then differ in their last bits.
const REASSOCIATED: &str = "reassociated";
/// Sub-blocks of about so many iterations, however long they take.
const ITERATIONS: &str = "iterations";

/// What a loop's record must say, one of these.
static ALLOWED: AtomicU64 = AtomicU64::new(LOOP_DIVISIBLE as u64);

/// A tool wants sub-blocks: reads what the user says of them, and measures the clock. Once.
pub(crate) fn begin() {
    static BEGUN: AtomicBool = AtomicBool::new(false);
    if BEGUN.swap(true, Ordering::AcqRel) {
        return;
    }
    sizes::measure_clock();
    if overrides::cancels() {
        ALLOWED.store(0, Ordering::Release);
        return report::explain(format_args!(
            "OMP_CANCELLATION is on: no loop runs in sub-blocks, so there is no cost profile"
        ));
    }
    let Some(value) = environment::variable(VARIABLE) else { return };
    for word in value.to_string_lossy().split(',').map(str::trim) {
        let number = word.strip_prefix(ITERATIONS).and_then(|rest| rest.strip_prefix('=')).map(str::parse);
        match (word, number) {
            ("", _) => {}
            (REASSOCIATED, _) => ALLOWED.store((LOOP_DIVISIBLE | LOOP_REASSOCIATED).into(), Ordering::Release),
            (_, Some(Ok(number))) if number > 0 => sizes::fix(number),
            _ => report::complain(format_args!(
                "{VARIABLE}: '{}' is none of {REASSOCIATED} and {ITERATIONS}=NUMBER, and is ignored",
                word.escape_debug()
            )),
        }
    }
}

/// May the loop run in sub-blocks under that static schedule and chunk size? A chunk of one iteration tells as much itself.
#[inline(always)]
pub(crate) fn may_be(record: &'static LoopRecord, (schedule, chunk): (u32, u64)) -> bool {
    let is_wanted = CALLBACKS.sub_blocks().is_some() && (chunk > 1 || kind(schedule) == STATIC);
    if !is_wanted || record.flags & LOOP_CHANGEABLE == 0 || record.flags & LOOP_DEALT != 0 {
        return false;
    }
    let is_allowed = u64::from(record.flags) & ALLOWED.load(Ordering::Acquire) != 0;
    if !is_allowed && report::verbose() {
        override_messages::once(place_of(record), |name| {
            let why = match record.flags & LOOP_REASSOCIATED {
                0 => "was compiled by a plugin that did not look whether its results stay the same",
                _ => {
                    "may give results that differ in their last bits, as its floating-point operations may be \
                      reordered (OMPCHUNK_PROFILE=reassociated profiles it all the same)"
                }
            };
            report::explain(format_args!("no sub-blocks: the loop {name} {why}"));
        });
    }
    is_allowed
}

/// The loop's own schedule, as the program passes it to the runtime, and its chunk size, if the loop runs in sub-blocks.
#[inline(always)]
pub(crate) fn schedule(record: &'static LoopRecord) -> Option<(u32, u64)> {
    let own = own_static(record).filter(|_| record.construct == CONSTRUCT_FOR);
    own.filter(|own| may_be(record, *own))
}

/// Does the tool not want to hear of the thread's part, with chunks of its own of so many iterations? Not asked within another
/// loop, as a tool hears of that. Safety: the record is the loop's own, which stays as long as its code.
pub(crate) unsafe fn is_unwanted(loop_record: *const LoopRecord, chunk: u64) -> bool {
    let Some(wanted) = CALLBACKS.wanted() else { return false };
    let here = thread_storage::thread();
    let is_inside = here.inside.get() && here.phase.get() != Phase::Named;
    // SAFETY: the tool's function, of the type its slot states; the caller's promise.
    !is_inside && unsafe { wanted(loop_record, chunk) == 0 }
}

/// Runs chunks in sub-blocks. Safety: as for `hooks::enter`, which has filled in the frame and answered `wants`, not 0; the
/// record says that the loop can be changed, and a static schedule follows with its chunk size.
#[inline(always)]
pub(crate) unsafe fn enter(
    loop_record: *const LoopRecord,
    frame: *mut Frame,
    wants: u32,
    (schedule, chunk): (u32, u64),
) -> u32 {
    // SAFETY: the frame is this thread's.
    unsafe {
        let this = execution(frame);
        (&raw mut (*this).sizes).write(sizes::place(loop_record, thread_storage::thread()));
        (&raw mut (*frame).loop_record).write(loop_record);
        (&raw mut (*frame).size_then_last).write(chunk);
        (&raw mut (*frame).schedule).write(schedule);
        // For a loop without iterations, which runs as compiled.
        (&raw mut (*frame).next).write((*frame).chunk as *const ());
        if wants & ON_TIMED == 0 {
            (&raw mut (*frame).bookkeeping).write(no_bookkeeping);
        }
        let is_only = kind(schedule) == STATIC;
        let begin = sub_block::begin((*loop_record).bits, is_only);
        (&raw mut (*frame).chunk).cast::<StepsFn>().write(begin);
    }
    wants | STEPPED
}
