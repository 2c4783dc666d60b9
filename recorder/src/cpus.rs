//! On which processor grains begin, where that was asked for: chunks, and explicit tasks that are told one by one. A record says it only
//! where it is another processor than at the lane's grain before.
//!
//! Callbacks look here in builds of their own, so that those for other recordings do no more for it.

use ompchunk_trace_format::Event;

use crate::clock;
use crate::guard::guard;
use crate::lane::Lane;
use crate::recorder::with_lane;
use crate::scope::Scope;

/// Looks on which processor the calling thread is, which `lane` is of.
///
/// # Safety
///
/// `lane` is null or the calling thread's, and no reference to it is alive.
pub(crate) unsafe fn look(lane: *mut Lane) {
    let Some(cpu) = clock::core() else { return };
    // SAFETY: the caller's promise.
    let is_recorded = !lane.is_null() && unsafe { (*lane).seen.recorded_cpu } == Some(cpu);
    if !is_recorded {
        record(cpu);
    }
}

#[cold]
#[inline(never)]
fn record(cpu: u32) {
    guard(|| {
        with_lane(|lane| lane.record_cpu(cpu));
    });
}

impl Lane {
    /// Where the grain begins that is told next.
    fn record_cpu(&mut self, cpu: u32) {
        let is_counted = self.scopes.last().is_some_and(Scope::is_counted);
        let is_recorded = self.seen.recorded_cpu == Some(cpu);
        if is_recorded || is_counted || self.silent || self.full.is_some() || !self.tells_inside() {
            return;
        }
        self.seen.recorded_cpu = Some(cpu);
        // It has no time of its own: the clock is read for the grain.
        self.put(self.last, &Event::OnCpu { cpu });
    }
}
