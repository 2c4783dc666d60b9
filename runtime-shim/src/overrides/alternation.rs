//! Whose turn it is, for loops that run under several schedules from parallel region to parallel region.
//!
//! All threads of a team must find the same. Little of what runtimes say may be relied on for that: libomp begins some of a
//! league's implicit tasks twice, so threads that begin cannot be counted; of a task that calls the same team as another before it,
//! the team's threads do not hear; and it gives a team away before it tells of the end of the team's region (nested ones, and all of
//! them with `KMP_HOT_TEAMS_MAX_LEVEL=0`), so another primary thread may have begun a region with it by then. What may: the region
//! around a team's, if it has one thread, the implicit one of a program's thread included. All threads of the team find the same
//! data of it, no two regions that live have the same, and its only thread is told of the end of a region before it begins another.
//! Then none of the ended region's threads is in a loop of it any more. So two numbers hang on the address of these data:
//!
//! - how many regions have ended within;
//! - the turn, and in which region it was taken: the first thread that comes to a loop with turns in another region takes the
//!   next one.
//!
//! So all loops of a region are at the same turn: one may rely on another's threads having run the same iterations.
//!
//! Where the runtime names other data at the end of a region, nothing ever counts, and the first schedule stays. So it does in
//! teams of several threads inside regions of several, where several threads begin regions.

use core::ffi::{c_int, c_void};
use core::sync::atomic::Ordering;

use crate::balance;
use crate::chain::{Chain, pass_on};
use crate::consensus::taken;
use crate::runtime::RUNTIME;
use crate::thread::numbers::{ALONE, Numbers};
use crate::thread::thread_storage;
use ompt::raw::{Data, EVENT_PARALLEL_END, ParallelEndFn};

pub(crate) static PARALLEL_END: Chain<ParallelEndFn> = Chain::new(EVENT_PARALLEL_END, on_parallel_end);

const PLACES: usize = 1 << 12;

/// How many regions have ended within one.
static REGIONS: Numbers<PLACES> = Numbers::empty();
/// The turn within it, and in which of the regions there that was taken.
static TURNS: Numbers<PLACES> = Numbers::empty();

/// Which of several schedules is on in the region that the calling thread runs. The same for its whole team and for all
/// loops of the region. The first one outside of all, where there is no team to agree with.
pub(crate) fn which(several: usize) -> usize {
    chosen(number(), several)
}

/// The schedule of a turn. Each comes once in so many turns as there are schedules, but not always in the same order: a loop of every
/// second region would else meet the same ones again and again.
fn chosen(turn: u32, several: usize) -> usize {
    let round = u64::from(turn) / several as u64;
    let shift = round.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 32;
    ((u64::from(turn) + shift) % several as u64) as usize
}

fn number() -> u32 {
    let Some(around) = RUNTIME.region(1) else { return 0 };
    let around = around.addr();
    if around == 0 || RUNTIME.is_one_of_several_teams() {
        return 0;
    }
    let Some(ended) = REGIONS.number_for(around, ALONE) else { return 0 };
    // 0 stands for no region.
    let region = (ended.load(Ordering::Acquire) as u32).wrapping_add(1);
    TURNS.number_for(around, ALONE).map_or(0, |turn| taken(turn, region))
}

/// A region within one of one thread has ended: so many have by now. `None`: there is no room to count them.
fn count(around: usize) -> Option<u64> {
    let ended = REGIONS.number_for(around, ALONE)?;
    Some(ended.fetch_add(1, Ordering::AcqRel) + 1)
}

/// The shim's own parallel-end callback. Safety: the runtime's arguments.
pub(crate) unsafe extern "C" fn on_parallel_end(
    parallel_data: *mut Data,
    task_data: *mut Data,
    flags: c_int,
    codeptr: *const c_void,
) {
    thread_storage::standing().forget();
    // What the thread is in again.
    if let Some(around) = RUNTIME.region(0).filter(|around| !around.is_null()) {
        if let Some(ended) = count(around.addr()) {
            balance::region_ended(around.addr(), ended);
        }
    }
    pass_on!(PARALLEL_END(parallel_data, task_data, flags, codeptr));
}

#[cfg(test)]
mod tests {
    use core::sync::atomic::AtomicU64;

    use super::*;

    #[test]
    fn the_first_thread_of_a_region_takes_the_turn() {
        let turn = AtomicU64::new(0);
        let taken: Vec<u32> = [1, 1, 1, 2, 2, 5, 5, 5, 1].into_iter().map(|region| taken(&turn, region)).collect();
        assert_eq!(taken, [0, 0, 0, 1, 1, 2, 2, 2, 3]);
    }

    #[test]
    fn each_schedule_comes_once_in_a_round_and_in_every_second_region_too() {
        for several in 2..=5_u32 {
            let of_turn = |turn| chosen(turn, several as usize);
            let first: Vec<usize> = (0..several).map(of_turn).collect();
            assert_eq!(first, (0..several as usize).collect::<Vec<_>>());
            for round in 0..100 {
                let mut met: Vec<usize> = (0..several).map(|turn| of_turn(round * several + turn)).collect();
                met.sort_unstable();
                assert_eq!(met, (0..several as usize).collect::<Vec<_>>());
            }
            let firsts = (0..1000).filter(|turn| of_turn(turn * several) == 0).count();
            let usual = 1000 / several as usize;
            assert!((usual / 2..usual * 2).contains(&firsts), "{several}: {firsts}");
        }
    }

    #[test]
    fn teams_count_for_themselves() {
        let regions = |team| REGIONS.number_for(team, ALONE).unwrap().load(Ordering::Relaxed);
        let counted = [0x1000, 0x1000, 0x2000].map(|team| count(team).unwrap());
        assert_eq!(counted, [1, 2, 1]);
        assert_eq!((regions(0x1000), regions(0x2000), regions(0x3000)), (2, 1, 0));
    }
}
