//! The recorder's own time: what a callback does beyond storing what happened lies in the chunk or wait that is next.
//! So it is timed and told, and readers take it out. Never on the short ways, which do none of that.

use std::sync::atomic::{AtomicU64, Ordering};

use ompchunk_trace_format::encode::MOST_SMALL;
use ompchunk_trace_format::layout::UNIT;
use ompchunk_trace_format::{Event, NOBODY, OffCore, Recorder, Sum, SumOf, Why};

use crate::clock::{self, SHORT};
use crate::faults::count;
use crate::lane::Lane;
use crate::lane::lane_owner::RUNNING;
use crate::scope::Scope;

/// What takes fewer readings of the clock is not told: long ways take a third of it, the rarest work about twice it.
const READINGS: f64 = 48.0;

/// What is shorter than this share of what it came after has no record of its own: where chunks are long, so are the next.
const SMALL_SHARE: u64 = 64;

static LEAST: AtomicU64 = AtomicU64::new(u64::MAX);

/// Ticks that are told at least, where a reading of the clock takes so many.
pub(crate) fn least(read: f64) -> f64 {
    read * READINGS
}

pub(crate) fn start(read: f64) {
    LEAST.store(least(read) as u64, Ordering::Relaxed);
}

#[cold]
#[inline(never)]
pub(crate) extern "C" fn keep_up_quickly(lane: &mut Lane, now: u64) {
    lane.seen.gap = 0;
    lane.keep_up();
    lane.done(now);
}

impl Lane {
    /// A callback that came at `now` has done its work, and goes back to the program. The last that it does with the lane.
    pub(crate) fn done(&mut self, now: u64) {
        let spent = clock::ticks().saturating_sub(now);
        // Another thread may finish a lane that its own has left.
        if self.holder.state.load(Ordering::Relaxed) != RUNNING {
            return;
        }
        if spent >= LEAST.load(Ordering::Relaxed) {
            self.tell_own(now, spent);
        } else {
            let (thread, what, the_loop) = (self.holder.thread, SumOf::Storing, NOBODY);
            let (min, max, from, to) = (spent, 0, now, now);
            let none = || Sum { thread, what, of: 0, code: 0, the_loop, count: 0, sum: 0, min, max, from, to };
            count(self.sums.storing.get_or_insert_with(none), spent, now + spent);
        }
    }

    /// Where chunks are only added up they do not write, and are read once each.
    pub(crate) fn done_with_chunk(&mut self, now: u64) {
        if !self.block.limit.is_null() || self.seen.at >= now {
            self.done(now);
        }
    }

    #[cold]
    #[inline(never)]
    fn tell_own(&mut self, now: u64, spent: u64) {
        if self.silence.is_on {
            // A record now would come before the begins of what the thread is in when it goes on.
            return;
        }
        let mut off = self.seen.off.take();
        if spent >= SHORT {
            let missed = off.map_or(0, |off| off.ticks);
            off = match self.measure(now) {
                Some(found) => Some(OffCore { ticks: found.ticks.saturating_add(missed), ..found }),
                None => off,
            };
        }
        // Where it waited itself, as for a disk, that is what it costs.
        let preempted = off.filter(|off| off.why() == Why::Preempted);
        let preempted = preempted.map_or(0, |preempted| preempted.ticks.min(spent));
        let counted = match self.scopes.last_mut() {
            Some(Scope::Loop(running)) if !running.recorded => {
                if running.since != 0 {
                    running.since += spent;
                }
                // Nothing is told by the name of a loop that nobody wants to know.
                Some(running.unwanted.map_or(running.the_loop, |_| NOBODY))
            }
            _ => (!self.tells_inside()).then_some(NOBODY),
        };
        if let Some(the_loop) = counted {
            if let Some(times) = self.counted(the_loop) {
                times.recorder += spent - preempted;
            }
            return;
        }
        let before = self.sums.before.saturating_add(spent);
        if preempted == 0 && spent < self.seen.gap / SMALL_SHARE && before <= MOST_SMALL {
            self.sums.before = before;
            return;
        }
        // So that it tells of the new block too, if it needs one: a time of its own may come before it.
        let room = (self.block.end as usize).saturating_sub(self.block.cursor as usize);
        if self.block.full.is_some() || (room < 3 * UNIT && !self.next_block()) {
            return;
        }
        let end = clock::ticks();
        if self.in_time(end) < end {
            // Nothing of a region lies after its end.
            self.sums.before = before.min(MOST_SMALL);
            return;
        }
        let own = Recorder { ticks: end.saturating_sub(now), preempted, before: self.take_before() };
        self.put(end, &Event::Recorder(own));
    }

    pub(crate) fn take_before(&mut self) -> u32 {
        std::mem::take(&mut self.sums.before) as u32
    }
}
