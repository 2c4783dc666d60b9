//! The short way: a loop that is known begins and ends, not inside another, and every execution is recorded. No lock,
//! allocation or system call, nothing that can panic. Else [`Lane::begin_loop`] and [`Lane::end`] store the same.
//!
//! Whether it may be taken says one word of the lane's (`recent_loops`), set where a scope begins or ends in the long
//! way. A thread closes it before it leaves its lane to others, or its process to a child.

use std::ptr;
use std::sync::atomic::Ordering;

use ompchunk_trace_format::encode::{self, Unit};

use crate::callbacks::inquiry::INQUIRY;
use crate::clock::own_time::keep_up_quickly;
use crate::clock::{self, SHORT};
use crate::lane::lane_owner::{self, RUNNING};
use crate::lane::recent_loops::Known;
use crate::lane::unit;
use crate::lane::{Lane, word_at};
use crate::loops::objects;
use crate::loops::static_block;
use crate::part::fork;
use crate::scope::{Scope, Way};
use crate::steer;

/// For a lane whose short way is open. `known`: the lane's, of that address and work. False: nothing was done. Safety: `lane`
/// is the calling thread's, and no reference to it is alive.
#[inline(always)]
pub(crate) unsafe fn begin_loop<const COUNTER: bool>(lane: *mut Lane, known: *const Known, count: u64) -> bool {
    // SAFETY: the caller's promise; nothing below changes what is known.
    let (lane, known) = unsafe { (&mut *lane, &*known) };
    if INQUIRY.current_loop() != known.running.record {
        return false;
    }
    let now = clock::ticks_by::<COUNTER>();
    // What has a record cannot have taken another's address without having met the shim.
    if lane.loops.met != INQUIRY.met() || lane.silence.steered != steer::state() {
        return false;
    }
    if count >= known.beyond {
        return begin_another(lane, now, known, count);
    }
    let stored = store(lane, now, [encode::loop_begin_again(known.short, now, count)]);
    if stored {
        enter(lane, known);
    }
    stored
}

/// There is more to ask than whether it still is that loop, or more to say than the short form has room for.
#[inline(never)]
fn begin_another(lane: &mut Lane, now: u64, known: &Known, count: u64) -> bool {
    let is_current = match known.running.record.is_null() {
        // Of who runs a static loop alone, the runtime tells no chunk.
        true if known.is_static && static_block::is_alone(&lane.scopes, known.running.work) => false,
        true => objects::is_seen(now) && lane.loops.epoch == objects::EPOCH.number(),
        // It may run under another schedule now, from the same address.
        false => !known.may_change || INQUIRY.current_change().is_none(),
    };
    if !is_current || !store_begin(lane, now, known, count) {
        return false;
    }
    enter(lane, known);
    if known.is_static {
        lane.await_block(count);
    }
    true
}

#[inline(always)]
fn enter(lane: &mut Lane, known: &Known) {
    if !ptr::eq(lane.loops.recent.behind, known) {
        put_behind(lane, known);
    }
    // SAFETY: that loop is there.
    unsafe { lane.scopes.set_len(lane.scopes.len() + 1) };
    lane.loops.recent.at = known;
    lane.block.limit = lane.block.end;
}

#[inline(never)]
fn put_behind(lane: &mut Lane, known: &Known) {
    lane.repeats = known.running.instrumented;
    lane.first = known.first;
    // SAFETY: there is room for one more, or the way was not open.
    unsafe { lane.scopes.as_mut_ptr().add(lane.scopes.len()).write(Scope::Loop(known.running)) };
    lane.loops.recent.behind = known;
}

fn store_begin(lane: &mut Lane, now: u64, known: &Known, count: u64) -> bool {
    let (mut start, mut step) = (known.start, known.step);
    if known.passed {
        (_, start, step) = INQUIRY.current_values();
    }
    let (the_loop, work, bits) = (known.running.the_loop, known.running.work, known.known);
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

/// For a lane in that loop, in the short way. False: nothing was done. Safety: as for [`begin_loop`].
#[inline(always)]
pub(crate) unsafe fn end_loop<const COUNTER: bool>(lane: *mut Lane, the_loop: u32) -> bool {
    // SAFETY: the caller's promise.
    let lane = unsafe { &mut *lane };
    if lane.silence.steered != steer::state() {
        return false;
    }
    let now = clock::ticks_by::<COUNTER>();
    if !store(lane, now, [encode::loop_end(now, the_loop)]) {
        return false;
    }
    // SAFETY: the last scope is that loop's, which needs no drop.
    unsafe { lane.scopes.set_len(lane.scopes.len().wrapping_sub(1)) };
    lane.loops.recent.at = ptr::null();
    lane.block.limit = ptr::null_mut();
    if now >= lane.block.due {
        keep_up_quickly(lane, now);
    }
    true
}

/// The thread has not left its lane to others, nor its process to a child.
#[inline(always)]
pub(crate) fn is_at_work(lane: &Lane) -> bool {
    lane.holder.state.load(Ordering::Relaxed) == RUNNING && fork::is_settled()
}

#[inline(always)]
pub(crate) fn store<const UNITS: usize>(lane: &mut Lane, now: u64, units: [Unit; UNITS]) -> bool {
    let at = lane.block.cursor;
    let distance = now.wrapping_sub(lane.last);
    // Both are in steps of a unit, and null together. A time before the last has a distance beyond the longest.
    if at.wrapping_add(2 * (UNITS - 1)) >= lane.block.end || distance >= SHORT {
        return false;
    }
    // SAFETY: `end` is null with `cursor`, or the end of a mapped block that `cursor` is in.
    unsafe {
        for (number, [first, second]) in units.into_iter().enumerate().rev() {
            unit::prepare(word_at(at.add(2 * number + 1)), second);
            unit::publish(word_at(at.add(2 * number)), first);
        }
        lane.block.cursor = at.add(2 * UNITS);
    }
    lane.last = now;
    true
}

impl Lane {
    /// The thread leaves the lane for now, and never comes back if somebody takes it.
    pub(crate) fn park(&mut self) {
        self.loops.recent.close();
        lane_owner::park(&self.holder.state);
    }

    /// What the next event may do in the short way. Who has left the lane has closed it.
    pub(crate) fn aim_short_way(&mut self) {
        // Not while a child comes: handlers that run until then would open it again.
        if !is_at_work(self) {
            return;
        }
        self.loops.recent.close();
        match (self.running_loops(), self.scopes.last()) {
            _ if self.silence.is_on => {}
            (0, _) if self.scopes.len() < self.scopes.capacity() => self.loops.recent.at = ptr::null(),
            (1, Some(Scope::Loop(running))) if running.way == Way::Short => self.loops.recent.return_to(running),
            _ => {}
        }
    }
}
