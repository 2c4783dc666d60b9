//! Locks, critical and ordered sections, and atomics that need one: how long a thread takes until it has it. Added up by the place
//! in the program and the loop around it, since a lock may be taken in 20 ns, by the million. Two readings of the clock each.

use std::ffi::{c_uint, c_void};
use std::mem::take;

use ompchunk_trace_format::sum::MUTEX_IN_TASK;
use ompchunk_trace_format::{NOBODY, SumOf};

use crate::clock;
use crate::guard::{guard, is_its_own};
use crate::lane::Lane;
use crate::recorder;
use crate::scope::Scope;
use crate::short_way::is_at_work;
use ompt::raw::{MutexKind, WaitId};

/// `ompt_callback_mutex_acquire`. `COUNTER`: what [`clock::is_counter`] says.
pub(crate) unsafe extern "C" fn mutex_acquire<const COUNTER: bool>(
    _: MutexKind,
    _: c_uint,
    _: c_uint,
    _: WaitId,
    _: *const c_void,
) {
    if let Some(lane) = lane_at_work() {
        lane.asked = clock::ticks_by::<COUNTER>();
    }
}

/// `ompt_callback_mutex_acquired`, likewise. Locks that are only tested have no such event where somebody else has them.
pub(crate) unsafe extern "C" fn mutex_acquired<const COUNTER: bool>(kind: MutexKind, _: WaitId, code: *const c_void) {
    if let Some(lane) = lane_at_work() {
        let now = clock::ticks_by::<COUNTER>();
        guard(|| lane.has_mutex(now, kind, code as usize));
    }
}

/// The calling thread's lane, unless others have it or it is in no part.
#[inline(always)]
fn lane_at_work() -> Option<&'static mut Lane> {
    let lane = recorder::current();
    if lane.is_null() || is_its_own() {
        return None;
    }
    // SAFETY: the calling thread's lane, which is never freed; no reference to it is alive, since callbacks do not interrupt each
    // other. Whoever takes a lane whose thread has left it finds that its state says so.
    let lane = unsafe { &mut *lane };
    (is_at_work(lane) && lane.attached).then_some(lane)
}

impl Lane {
    fn has_mutex(&mut self, now: u64, kind: MutexKind, code: usize) {
        let asked = take(&mut self.asked);
        if asked == 0 || self.silent {
            return;
        }
        let (inside, the_loop) = match self.scopes.last() {
            _ if self.grains.is_any() => (MUTEX_IN_TASK, NOBODY),
            Some(Scope::Loop(running)) if running.unwanted.is_none() => (0, running.the_loop),
            _ => (0, NOBODY),
        };
        let of = kind & 0xff | inside | self.work_around();
        // Addresses of a library that is unloaded may be another's later: that is as rare as what is looked for then is dear.
        if !self.adds_up(SumOf::Mutex, of, code as u64, the_loop) {
            self.know_code(now, code);
        }
        self.add_up(SumOf::Mutex, of, code as u64, the_loop, asked, now);
    }
}
