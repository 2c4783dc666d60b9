//! Whose turn it is, for loops that run under several schedules from parallel region to parallel region.
//!
//! All threads of a team must find the same. Two numbers see to that, each changed by whoever comes first and then fixed for
//! as long as a region lasts:
//!
//! - the number of the region that a team runs. A team's threads begin their implicit tasks before they come to any
//!   loop, and no thread begins one of the next region before all have begun this one's, since they meet at its end. So
//!   the first of as many as the team has threads begins a region.
//! - for each loop and team, the turn, and in which region it was taken: the first thread that finds another region there
//!   takes the next turn.
//!
//! A team is known by the address of its data, which the threads share.

use core::ffi::{c_int, c_uint, c_void};
use core::sync::atomic::{AtomicU64, AtomicUsize, Ordering};

use ompchunk_abi::LoopRecord;

use crate::chain::IMPLICIT_TASK;
use crate::ompt::{Data, SCOPE_BEGIN, TASK_IMPLICIT};
use crate::runtime::RUNTIME;

/// Places for teams, and for loops in teams.
const PLACES: usize = 1 << 12;
/// How far from its own place something is looked for.
const REACH: usize = 16;

/// A number for each pair of addresses. Addresses are never taken back, so all threads find the same place, or none.
struct Numbers([Place; PLACES]);

struct Place {
    /// 0: free.
    team: AtomicUsize,
    the_loop: AtomicUsize,
    number: AtomicU64,
}

impl Numbers {
    const fn empty() -> Self {
        Self(
            [const {
                Place {
                    team: AtomicUsize::new(0),
                    the_loop: AtomicUsize::new(0),
                    number: AtomicU64::new(0),
                }
            }; PLACES],
        )
    }

    /// The number of a team, or of a loop (not 0) in it.
    fn of(&self, team: usize, the_loop: usize) -> Option<&AtomicU64> {
        let mixed = (team >> 3) ^ (the_loop >> 3).rotate_left(32);
        let hash = mixed.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> (64 - 12);
        for step in 0..REACH {
            let place = &self.0[(hash + step) % PLACES];
            let owner = place
                .team
                .compare_exchange(0, team, Ordering::AcqRel, Ordering::Acquire)
                .map_or_else(|owner| owner, |_| team);
            if owner != team {
                continue;
            }
            // The first of the team that comes takes it for its loop.
            let taken = place
                .the_loop
                .compare_exchange(0, the_loop, Ordering::AcqRel, Ordering::Acquire)
                .map_or_else(|owner| owner, |_| the_loop);
            if taken == the_loop {
                return Some(&place.number);
            }
        }
        None
    }
}

/// The region that a team runs: its number, and how many threads have begun it.
static REGIONS: Numbers = Numbers::empty();
/// The turn that a loop is at in a team, and in which region.
static TURNS: Numbers = Numbers::empty();
/// What stands for the loop where only the team matters.
const NO_LOOP: usize = 1;

/// Two numbers in one word.
const fn both(high: u32, low: u32) -> u64 {
    (high as u64) << 32 | low as u64
}

const fn parted(both: u64) -> (u32, u32) {
    ((both >> 32) as u32, both as u32)
}

/// Which of the schedules of a loop is on in the region that the calling thread runs. The same for its whole team. 0
/// outside of all, where there is no team to agree with.
pub(crate) fn number(record: &LoopRecord) -> u32 {
    let Some((_, parallel_data)) = RUNTIME.current_task() else {
        return 0;
    };
    let team = parallel_data.addr();
    if team == 0 {
        return 0;
    }
    let Some(region) = REGIONS.of(team, NO_LOOP) else {
        return 0;
    };
    let (region, _) = parted(region.load(Ordering::Acquire));
    let Some(turn) = TURNS.of(team, core::ptr::from_ref(record).addr()) else {
        return 0;
    };
    let mut before = turn.load(Ordering::Acquire);
    loop {
        let (number, taken_in) = parted(before);
        if taken_in == region {
            // In a region that was not counted too, as the first of all.
            return number.saturating_sub(1);
        }
        let next = both(number.wrapping_add(1), region);
        match turn.compare_exchange(before, next, Ordering::AcqRel, Ordering::Acquire) {
            Ok(_) => return number,
            Err(other) => before = other,
        }
    }
}

/// A thread of a team of `threads` begins its part of a region.
fn begin(team: usize, threads: u32) {
    let Some(region) = REGIONS.of(team, NO_LOOP) else {
        return;
    };
    let count = |now: u64| {
        let (number, begun) = parted(now);
        let number = match begun {
            // 0 stands for no region.
            0 => number.wrapping_add(1).max(1),
            _ => number,
        };
        Some(match begun + 1 >= threads {
            true => both(number, 0),
            false => both(number, begun + 1),
        })
    };
    let _ = region.fetch_update(Ordering::AcqRel, Ordering::Acquire, count);
}

/// The shim's own implicit-task callback.
///
/// # Safety
///
/// The runtime's arguments.
pub(crate) unsafe extern "C" fn on_implicit_task(
    endpoint: c_uint,
    parallel_data: *mut Data,
    task_data: *mut Data,
    actual_parallelism: c_uint,
    index: c_uint,
    flags: c_int,
) {
    if endpoint == SCOPE_BEGIN && flags & TASK_IMPLICIT != 0 && !parallel_data.is_null() {
        begin(parallel_data.cast::<c_void>().addr(), actual_parallelism);
    }
    if let Some(implicit_task) = IMPLICIT_TASK.tool() {
        // SAFETY: the tool's callback, with what the runtime wants it to get.
        unsafe {
            implicit_task(
                endpoint,
                parallel_data,
                task_data,
                actual_parallelism,
                index,
                flags,
            )
        };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_region_begins_with_the_first_of_its_threads() {
        let region = || parted(REGIONS.of(0x1000, NO_LOOP).unwrap().load(Ordering::Relaxed));
        begin(0x1000, 3);
        assert_eq!(region(), (1, 1));
        begin(0x1000, 3);
        begin(0x1000, 3);
        assert_eq!(region(), (1, 0));
        // The next one has fewer threads.
        begin(0x1000, 1);
        assert_eq!(region(), (2, 0));
        begin(0x1000, 2);
        assert_eq!(region(), (3, 1));
    }

    #[test]
    fn full_is_full_for_everybody() {
        let numbers = Numbers::empty();
        let all: Vec<bool> = (1..=2 * PLACES)
            .map(|at| numbers.of(at << 6, NO_LOOP).is_some())
            .collect();
        assert!(all.contains(&false));
        for (at, there) in (1..).zip(all) {
            assert_eq!(numbers.of(at << 6, NO_LOOP).is_some(), there);
        }
    }
}
