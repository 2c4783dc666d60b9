//! Whose a lane is: one word, over which its thread and whoever finishes the part agree.

use crate::primitive::{AtomicU32, Ordering};

pub(crate) const RUNNING: u32 = 0;
/// The thread waits at the end of a region and may never come back: whoever finishes the part may take the lane.
pub(crate) const PARKED: u32 = 1;
/// The lane is finished; nothing goes into it any more.
pub(crate) const TAKEN: u32 = 2;

/// Its thread leaves it for now. What the thread did with it is seen by who takes it.
pub(crate) fn park(state: &AtomicU32) {
    turn(state, RUNNING, PARKED);
}

/// The thread may use it: it is at work, or comes back to a lane that nobody has taken.
pub(crate) fn is_mine(state: &AtomicU32) -> bool {
    match state.load(Ordering::Acquire) {
        RUNNING => true,
        PARKED => turn(state, PARKED, RUNNING),
        _ => false,
    }
}

pub(crate) fn take(state: &AtomicU32) -> bool {
    turn(state, PARKED, TAKEN)
}

fn turn(state: &AtomicU32, from: u32, to: u32) -> bool {
    state.compare_exchange(from, to, Ordering::AcqRel, Ordering::Acquire).is_ok()
}
