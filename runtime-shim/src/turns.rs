//! Whose turn it is, for loops that run under several schedules from parallel region to parallel region.
//!
//! All threads of a team must find the same. Little of what runtimes say may be relied on for that: libomp begins some of a
//! league's implicit tasks twice, so threads that begin cannot be counted, and of a task that calls the same team as another before
//! it, the team's threads do not hear. What may: they all find the same data of their region, and its end comes when none of them
//! is in a loop of it any more, nor in one of the next region, which the same thread will begin. So two numbers hang on the
//! address of these data:
//!
//! - how many regions have ended there;
//! - for each loop, the turn, and in which region it was taken: the first thread that finds another region there takes the
//!   next turn.
//!
//! Where the runtime names other data at the end of a region, nothing ever counts, and the first schedule stays. So it does in
//! teams of several threads inside regions of several: libomp gives such a team away before it tells of the end, and another
//! thread's region may then begin there whose threads would disagree.

use core::ffi::{c_int, c_void};
use core::sync::atomic::Ordering;

use ompchunk_abi::LoopRecord;

use crate::agreed::taken;
use crate::chain::Chain;
use crate::numbers::{ALONE, Numbers};
use crate::runtime::RUNTIME;
use ompt::raw::{Data, EVENT_PARALLEL_END, ParallelEndFn};

/// `ompt_callback_parallel_end`.
pub(crate) static PARALLEL_END: Chain<ParallelEndFn> =
    Chain::new(EVENT_PARALLEL_END, on_parallel_end);

/// Teams, and loops in their regions.
const PLACES: usize = 1 << 12;

/// How many regions of a team have ended.
static REGIONS: Numbers<PLACES> = Numbers::empty();
/// The turn that a loop is at in a team's regions, and in which of them.
static TURNS: Numbers<PLACES> = Numbers::empty();

/// Which of the schedules of a loop is on in the region that the calling thread runs. The same for its whole team. 0
/// outside of all, where there is no team to agree with.
pub(crate) fn number(record: &LoopRecord) -> u32 {
    let Some((_, parallel_data)) = RUNTIME.current_task() else {
        return 0;
    };
    let team = parallel_data.addr();
    if team == 0 || RUNTIME.is_one_of_several_teams() {
        return 0;
    }
    let Some(ended) = REGIONS.of(team, ALONE) else {
        return 0;
    };
    // 0 stands for no region.
    let region = (ended.load(Ordering::Acquire) as u32).wrapping_add(1);
    match TURNS.of(team, core::ptr::from_ref(record).addr()) {
        Some(turn) => taken(turn, region),
        None => 0,
    }
}

/// A region of a team has ended.
fn count(team: usize) {
    if let Some(ended) = REGIONS.of(team, ALONE) {
        ended.fetch_add(1, Ordering::AcqRel);
    }
}

/// The shim's own parallel-end callback.
///
/// # Safety
///
/// The runtime's arguments.
pub(crate) unsafe extern "C" fn on_parallel_end(
    parallel_data: *mut Data,
    task_data: *mut Data,
    flags: c_int,
    codeptr: *const c_void,
) {
    if !parallel_data.is_null() {
        count(parallel_data.addr());
    }
    if let Some(parallel_end) = PARALLEL_END.tool() {
        // SAFETY: the tool's callback, with what the runtime wants it to get.
        unsafe { parallel_end(parallel_data, task_data, flags, codeptr) };
    }
}

#[cfg(test)]
mod tests {
    use core::sync::atomic::AtomicU64;

    use super::*;

    #[test]
    fn the_first_thread_of_a_region_takes_the_turn() {
        let turn = AtomicU64::new(0);
        let taken: Vec<u32> = [1, 1, 1, 2, 2, 5, 5, 5, 1]
            .into_iter()
            .map(|region| taken(&turn, region))
            .collect();
        assert_eq!(taken, [0, 0, 0, 1, 1, 2, 2, 2, 3]);
    }

    #[test]
    fn teams_count_for_themselves() {
        let regions = |team| REGIONS.of(team, ALONE).unwrap().load(Ordering::Relaxed);
        count(0x1000);
        count(0x1000);
        count(0x2000);
        assert_eq!(
            (regions(0x1000), regions(0x2000), regions(0x3000)),
            (2, 1, 0)
        );
    }
}
