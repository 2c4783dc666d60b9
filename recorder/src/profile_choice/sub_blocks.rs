//! Sub-blocks of chunks, where a profile is wanted: each stands in the trace behind its chunk, or is not told like it.
//! Nothing here runs unless the recorder asked for `ompt_callback_sub_block`.

use std::ffi::{c_int, c_uint, c_void};
use std::ptr;
use std::sync::atomic::{AtomicU64, Ordering};

use ompchunk_trace_format::encode::Unit;
use ompchunk_trace_format::layout::kind;
use ompchunk_trace_format::{Event, SubBlock, encode};
use ompt::raw::{Data, Frame};

use crate::callbacks::{lane_of, on_lane_at, parallel_begin};
use crate::clock::own_time::keep_up_quickly;
use crate::lane::Lane;
use crate::lane::short_way::{is_at_work, store};
use crate::recorder::guard;
use crate::scope::region::Shared;
use crate::scope::{NEVER, Scope};
use crate::{clock, recorder, steer};

/// Safety: the shim's arguments, and `COUNTER` is what [`clock::is_counter`] says.
pub(crate) unsafe extern "C" fn sub_block<const COUNTER: bool>(
    _: *mut Data,
    task_data: *mut Data,
    lower: u64,
    iterations: u64,
    flags: c_uint,
    _: *const c_void,
) {
    let now = clock::ticks_by::<COUNTER>();
    let piece = SubBlock::new(lower, iterations, flags);
    // SAFETY: the runtime's task data; what `lane_of` gives is the calling thread's, and no reference to it is alive.
    let stored = unsafe {
        let lane = lane_of(task_data);
        !lane.is_null() && (*lane).store_sub_block(now, &piece)
    };
    if !stored {
        slowly(now, &piece);
    }
}

#[cold]
#[inline(never)]
fn slowly(now: u64, piece: &SubBlock) {
    on_lane_at(now, |lane| lane.sub_block(now, piece));
}

impl Lane {
    /// It comes soon after the lane's last record; else the thread's CPU clock is read. False: nothing was done.
    fn store_sub_block(&mut self, now: u64, piece: &SubBlock) -> bool {
        // There is a limit while the innermost loop's chunks are told.
        if self.silence.is_on || self.block.limit.is_null() || !is_at_work(self) {
            return false;
        }
        let Some(Scope::Loop(running)) = self.scopes.last() else { return false };
        let is_told = running.since != NEVER && (piece.first || running.since != 0);
        if !is_told || !store(self, now, units(now, piece)) {
            return false;
        }
        if let Some(Scope::Loop(running)) = self.scopes.last_mut().filter(|_| piece.first) {
            running.since = now.max(1);
            self.loops.recent.behind = ptr::null();
        }
        if now >= self.block.due {
            keep_up_quickly(self, now);
        }
        true
    }

    fn sub_block(&mut self, now: u64, piece: &SubBlock) {
        let now = now.max(self.last);
        let silent = self.silence.is_on;
        let Some(Scope::Loop(running)) = self.scopes.last_mut() else { return };
        if silent || !running.recorded || running.since == NEVER {
            return;
        }
        if piece.first {
            running.since = now.max(1);
            self.loops.recent.behind = ptr::null();
        }
        if running.since != 0 {
            self.put(now, &Event::SubBlock(*piece));
        }
    }

    /// The chunks that the thread is in are not in the part that begins: a process was forked in one.
    pub(crate) fn leave_chunks(&mut self) {
        for scope in &mut self.scopes {
            if let Scope::Loop(running) = scope {
                running.since = 0;
            }
        }
    }
}

/// The record, as [`Event::encode`] makes it.
fn units(now: u64, piece: &SubBlock) -> [Unit; 2] {
    let (low, high) = (piece.lower as u32, (piece.lower >> 32) as u32);
    [encode::unit(kind::SUB_BLOCK, 2, now, low, high), [piece.iterations, piece.flags().into()]]
}

// What dividing chunks costs the loop: now and then a region that is in no other runs with its chunks whole, in all its
// threads, and a reader compares the two.

const ONE_OF: u32 = 3;
/// The golden ratio's bits. Its multiples fall into no step with a program whose loops take turns.
const RATIO: u64 = 0x9e37_79b9_7f4a_7c15;

static REGIONS: AtomicU64 = AtomicU64::new(0);

fn is_whole(region: u64) -> bool {
    region.wrapping_mul(RATIO) >> (u64::BITS - ONE_OF) == 0
}

pub(crate) unsafe extern "C" fn parallel_begin_of_profile(
    task: *mut Data,
    frame: *const Frame,
    parallel_data: *mut Data,
    requested: c_uint,
    flags: c_int,
    code: *const c_void,
) {
    let mut tells_all = false;
    guard(|| {
        let lane = recorder::current();
        // SAFETY: null, or the calling thread's lane, of which no reference is alive.
        let lane = unsafe { lane.as_ref() };
        if lane.is_none_or(|lane| lane.innermost_region().is_none()) {
            let region = REGIONS.fetch_add(1, Ordering::Relaxed) + 1;
            steer::divide(!is_whole(region));
        }
        tells_all = lane.is_some_and(Lane::tells_all_within);
    });
    // SAFETY: the runtime's arguments, as they came.
    unsafe { parallel_begin(task, frame, parallel_data, requested, flags, code) };
    if let Some(region) = Shared::from_data(parallel_data) {
        region.answers().begin(tells_all);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_ways_store_the_same() {
        for flags in 0..4 {
            for numbers in [(0, 1), (1 << 40, u64::MAX), (u64::MAX, 7)] {
                let piece = SubBlock::new(numbers.0, numbers.1, flags);
                let mut words = Vec::new();
                Event::SubBlock(piece).encode(77, &mut words);
                assert_eq!(words, units(77, &piece).concat());
            }
        }
    }

    #[test]
    fn the_trace_has_the_words_of_the_headers() {
        for fixed in 1..=u8::MAX {
            if let Some(sentence) = ompt::raw::fixed::sentence(fixed) {
                let why = ompchunk_trace_format::NotProfiled::Fixed(fixed);
                assert_eq!(why.to_string(), sentence);
            }
        }
    }
}

#[cfg(test)]
mod reference_tests {
    use super::*;

    #[test]
    fn one_of_eight_whatever_takes_turns() {
        assert!(!is_whole(1), "a program with one region has a profile");
        for period in 1..=64 {
            for phase in 0..period {
                let regions = (0..4000).map(|number| number * period + phase + 1);
                let whole = regions.filter(|regions| is_whole(*regions)).count();
                assert!((300..700).contains(&whole), "{phase} of {period}: {whole}");
            }
        }
    }
}
