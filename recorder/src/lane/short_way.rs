//! The short way: a loop that is known begins and ends, not inside another, and every execution is recorded. No lock,
//! allocation or system call, nothing that can panic. Else [`Lane::begin_loop`] and [`Lane::end`] store the same.

use std::ptr;
use std::sync::atomic::Ordering;

use ompchunk_trace_format::encode::{self, Unit};

use crate::callbacks::entries::ENTRIES;
use crate::clock::{self, SHORT};
use crate::lane::lane_owner::RUNNING;
use crate::lane::recent_loops::Known;
use crate::lane::unit;
use crate::lane::{Lane, word_at};
use crate::loops::objects;
use crate::loops::static_block;
use crate::part::fork;
use crate::scope::{AwaitedBlock, Running, Scope, Way};
use crate::steer;

/// For a lane in no loop that is told, and not silent (`loops`). False: not in the short way, and nothing was done.
/// Safety: `lane` is the calling thread's, and no reference to it is alive.
#[inline(always)]
pub(crate) unsafe fn begin_loop<const COUNTER: bool>(lane: *mut Lane, work: u32, count: u64, code: usize) -> bool {
    // SAFETY: the caller's promise.
    let lane = unsafe { &mut *lane };
    if !is_at_work(lane) || lane.scopes.len() == lane.scopes.capacity() {
        return false;
    }
    let record = ENTRIES.current_loop();
    let Some(known) = lane.recent.find(record, code).map(ptr::from_ref) else { return false };
    // SAFETY: the lane's own, which nothing below changes.
    let known = unsafe { &*known };
    let now = clock::ticks_by::<COUNTER>();
    // What has a record cannot have taken another's address without having met the shim.
    let is_current = lane.met == ENTRIES.met()
        && lane.steered == steer::state()
        && match record.is_null() {
            true => is_current_without(lane, now, known, work),
            // It may run under another schedule now, from the same address.
            false => !known.may_change || ENTRIES.current_change().is_none(),
        };
    if !is_current {
        return false;
    }
    let stored = match encode::loop_begin_again(known.short, now, work, count) {
        Some(unit) => store(lane, now, [unit]),
        None => store_begin(lane, now, known, work, count),
    };
    if !stored {
        return false;
    }
    let instrumented = !record.is_null();
    let scope = Scope::Loop(Running {
        the_loop: known.the_loop,
        recorded: true,
        unwanted: None,
        instrumented,
        record,
        code,
        work,
        changed: None,
        since: 0,
        way: Way::Short,
        block: AwaitedBlock::No,
    });
    let length = lane.scopes.len();
    // SAFETY: there is room for one more, seen above.
    unsafe {
        lane.scopes.as_mut_ptr().add(length).write(scope);
        lane.scopes.set_len(length + 1);
    }
    lane.loops = 1;
    lane.limit = lane.end;
    lane.repeats = instrumented;
    lane.first = known.first;
    if known.is_static {
        lane.await_block(count);
    }
    true
}

/// Of who runs a static loop alone, the runtime tells no chunk.
#[inline(never)]
fn is_current_without(lane: &Lane, now: u64, known: &Known, work: u32) -> bool {
    let is_told = !known.is_static || !static_block::is_alone(&lane.scopes, work);
    is_told && objects::is_seen(now) && lane.epoch == objects::EPOCH.number()
}

#[inline(never)]
fn store_begin(lane: &mut Lane, now: u64, known: &Known, work: u32, count: u64) -> bool {
    let (mut start, mut step) = (known.start, known.step);
    if known.passed {
        (_, start, step) = ENTRIES.current_values();
    }
    let (the_loop, bits) = (known.the_loop, known.known);
    if encode::is_short(the_loop, work, count, start, step) {
        let unit = encode::loop_begin_short(now, the_loop, work, count, bits, start, step);
        store(lane, now, [unit])
    } else if bits == 0 {
        let units = encode::loop_begin(now, the_loop, work, count);
        store(lane, now, units)
    } else {
        let units = encode::loop_begin_user(now, the_loop, work, count, bits, start, step);
        store(lane, now, units)
    }
}

/// False: not in the short way, and nothing was done. Safety: as for [`begin_loop`].
#[inline(always)]
pub(crate) unsafe fn end_loop<const COUNTER: bool>(lane: *mut Lane) -> bool {
    // SAFETY: the caller's promise.
    let lane = unsafe { &mut *lane };
    let Some(Scope::Loop(running)) = lane.scopes.last() else { return false };
    let the_loop = running.the_loop;
    debug_assert!(lane.loops == 1 || running.way != Way::Short);
    if running.way != Way::Short || !is_at_work(lane) || lane.steered != steer::state() {
        return false;
    }
    let now = clock::ticks_by::<COUNTER>();
    if !store(lane, now, [encode::loop_end(now, the_loop)]) {
        return false;
    }
    // SAFETY: the last scope is a loop's, seen above, which needs no drop.
    unsafe { lane.scopes.set_len(lane.scopes.len() - 1) };
    lane.loops = 0;
    lane.limit = ptr::null_mut();
    lane.repeats = false;
    if now >= lane.due {
        lane.keep_up_quickly(now);
    }
    true
}

/// The thread has not left its lane to others, nor its process to a child.
#[inline(always)]
pub(crate) fn is_at_work(lane: &Lane) -> bool {
    lane.state.load(Ordering::Relaxed) == RUNNING && fork::is_settled()
}

#[inline(always)]
pub(crate) fn store<const UNITS: usize>(lane: &mut Lane, now: u64, units: [Unit; UNITS]) -> bool {
    let at = lane.cursor;
    let room = (lane.end as usize).wrapping_sub(at as usize);
    let distance = now.wrapping_sub(lane.last);
    // A time before the last has a distance beyond the longest.
    if room < UNITS * size_of::<Unit>() || distance >= SHORT {
        return false;
    }
    // SAFETY: `end` is null with `cursor`, or the end of a mapped block that `cursor` is in.
    unsafe {
        for (number, [first, second]) in units.into_iter().enumerate().rev() {
            unit::prepare(word_at(at.add(2 * number + 1)), second);
            unit::publish(word_at(at.add(2 * number)), first);
        }
        lane.cursor = at.add(2 * UNITS);
    }
    lane.last = now;
    true
}
