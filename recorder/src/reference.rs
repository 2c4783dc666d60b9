//! What dividing chunks costs the loop: now and then a parallel region runs with its chunks whole, in the middle of the others.
//! A reader compares the two. The choice falls when a region begins that is in no other, so all its threads run alike.
//! Nothing of this is there without a profile.

use std::ffi::{c_int, c_uint, c_void};
use std::sync::atomic::{AtomicU64, Ordering};

use ompt::raw::{Data, Frame};

use crate::callbacks::{guard, parallel_begin};
use crate::lane::Lane;
use crate::recorder;
use crate::region::Shared;
use crate::steer;

/// One of so many regions, by a power of two.
const ONE_OF: u32 = 3;
/// The golden ratio's bits. Its multiples fall into no step with a program whose loops take turns.
const RATIO: u64 = 0x9e37_79b9_7f4a_7c15;

/// Regions that are in no other.
static REGIONS: AtomicU64 = AtomicU64::new(0);

fn is_whole(region: u64) -> bool {
    region.wrapping_mul(RATIO) >> (u64::BITS - ONE_OF) == 0
}

/// [`parallel_begin`] where a profile is recorded.
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
