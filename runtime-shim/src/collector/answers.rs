//! What a thread is doing, and in which region: STATE, CURRENT_PRID and PARENT_PRID.
//!
//! The first two are for signal handlers: nothing here allocates, waits or calls what does. The runtime says the state; what it
//! does not say but has told in events is added: which mutex a thread waits for, that results are combined, and that
//! the region is over at whose end a worker still waits.

use core::ffi::c_int;

use super::codes::{
    Code, STATE_ATOMIC_WAIT, STATE_CRITICAL_WAIT, STATE_EXPLICIT_BARRIER, STATE_IDLE, STATE_IMPLICIT_BARRIER,
    STATE_LOCK_WAIT, STATE_ORDERED_WAIT, STATE_OVERHEAD, STATE_REDUCTION, STATE_SERIAL, STATE_WORK,
};
use super::regions::BY_ADDRESS;
use super::session;
use super::thread::{Collected, UNSEEN};
use crate::runtime::RUNTIME;
use crate::thread::thread_storage;
use ompt::raw;

/// The state of the calling thread, and the id of what it waits for where the interface and the runtime have one.
pub(super) fn state() -> (c_int, Option<u64>) {
    if !session::is_attached() {
        return (STATE_SERIAL, None);
    }
    let here = thread_storage::collected();
    let announced = here.announced();
    if announced != 0 {
        let wait = here.waiting().filter(|(state, _)| *state == announced);
        return (announced, wait.map(|(_, id)| id));
    }
    let Some((said, wait_id)) = session::call_runtime(here, || RUNTIME.state()) else { return (STATE_SERIAL, None) };
    let mut state = plain(said);
    if was_heard(here) {
        if let Some((state, id)) = here.waiting() {
            return (state, Some(id));
        }
        state = corrected(state, here);
    }
    // Only of a mutex does the runtime give an id.
    (state, matches!(state, STATE_LOCK_WAIT..=STATE_ATOMIC_WAIT).then_some(wait_id))
}

fn was_heard(here: &Collected) -> bool {
    session::number().is_some_and(|session| here.heard_in(session))
}

fn corrected(state: c_int, here: &Collected) -> c_int {
    let (region, lasts) = here.region();
    match state {
        // Runtimes leave this state behind after a serialised region inside another.
        STATE_SERIAL if region != 0 && region != UNSEEN => {
            if here.is_between.get() {
                STATE_OVERHEAD
            } else {
                STATE_WORK
            }
        }
        STATE_WORK if region == 0 => STATE_SERIAL,
        // They combine results inside a barrier.
        STATE_WORK | STATE_OVERHEAD | STATE_IMPLICIT_BARRIER if here.is_reducing.get() => STATE_REDUCTION,
        // A worker that sleeps hears of the region's end when it is woken.
        STATE_IMPLICIT_BARRIER | STATE_OVERHEAD if !lasts => STATE_IDLE,
        state => state,
    }
}

/// A state of OMPT's in the words of the interface.
fn plain(state: c_int) -> c_int {
    match state {
        raw::STATE_WORK_SERIAL | raw::STATE_UNDEFINED => STATE_SERIAL,
        raw::STATE_WORK_PARALLEL => STATE_WORK,
        raw::STATE_WORK_REDUCTION => STATE_REDUCTION,
        raw::STATE_WAIT_BARRIER_EXPLICIT => STATE_EXPLICIT_BARRIER,
        raw::STATE_WAIT_BARRIER..=raw::STATE_WAIT_BARRIER_TEAMS => STATE_IMPLICIT_BARRIER,
        raw::STATE_WAIT_MUTEX | raw::STATE_WAIT_LOCK => STATE_LOCK_WAIT,
        raw::STATE_WAIT_CRITICAL => STATE_CRITICAL_WAIT,
        raw::STATE_WAIT_ATOMIC => STATE_ATOMIC_WAIT,
        raw::STATE_WAIT_ORDERED => STATE_ORDERED_WAIT,
        raw::STATE_IDLE => STATE_IDLE,
        // Overhead, and what the interface has no name for: waiting for tasks or for a device.
        _ => STATE_OVERHEAD,
    }
}

/// The id of the region that the calling thread is in; 0: none.
pub(super) fn current() -> u64 {
    let here = thread_storage::collected();
    if !was_heard(here) {
        return unseen(here, 0);
    }
    match here.region() {
        _ if !session::is_attached() => 0,
        (UNSEEN, _) => unseen(here, 0),
        // An event belongs to its region, also if that is over by the time the runtime tells.
        (_, false) if here.announced() == 0 => 0,
        (region, _) => region,
    }
}

/// The id of a region that began before the session, so many levels up, by what the runtime says; 0: none.
fn unseen(here: &Collected, level: c_int) -> u64 {
    let found = session::call_runtime(here, || {
        let (state, _) = RUNTIME.state()?;
        if matches!(plain(state), STATE_SERIAL | STATE_IDLE) {
            return None;
        }
        // Around everything lies the part of the program that is in no region.
        RUNTIME.region(level + 1)?;
        RUNTIME.region(level)
    });
    found.map_or(0, |region| BY_ADDRESS | region.addr() as u64)
}

/// The id of the region around the one that the calling thread is in; 0: none.
pub(super) fn parent() -> Result<u64, Code> {
    if !session::is_attached() {
        // No runtime yet, or none any more: the process has its initial thread, and strangers.
        // SAFETY: both have no preconditions.
        let is_initial = unsafe { libc::gettid() == libc::getpid() };
        return if is_initial { Ok(0) } else { Err(Code::Thread) };
    }
    let here = thread_storage::collected();
    let heard = was_heard(here);
    let region = if heard { here.region().0 } else { UNSEEN };
    if region != 0 && region != UNSEEN {
        return if here.is_primary.get() { Ok(here.parent.get()) } else { Err(Code::Thread) };
    }
    let may = session::call_runtime(here, || {
        let number = RUNTIME.thread_number()?;
        let is_primary = number == 0 && plain(RUNTIME.state()?.0) != STATE_IDLE;
        Some(is_primary && !(heard && region == 0 && here.is_worker.get()))
    });
    match may {
        Some(true) if region == 0 => Ok(0),
        Some(true) => Ok(unseen(here, 1)),
        _ => Err(Code::Thread),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn states_have_the_interface_s_names() {
        let pairs = [
            (raw::STATE_WORK_SERIAL, STATE_SERIAL),
            (raw::STATE_WORK_PARALLEL, STATE_WORK),
            (raw::STATE_WORK_REDUCTION, STATE_REDUCTION),
            (raw::STATE_WAIT_BARRIER, STATE_IMPLICIT_BARRIER),
            (raw::STATE_WAIT_BARRIER_IMPLICIT_PARALLEL, STATE_IMPLICIT_BARRIER),
            (raw::STATE_WAIT_BARRIER_EXPLICIT, STATE_EXPLICIT_BARRIER),
            (raw::STATE_WAIT_BARRIER_IMPLEMENTATION, STATE_IMPLICIT_BARRIER),
            (raw::STATE_WAIT_BARRIER_TEAMS, STATE_IMPLICIT_BARRIER),
            (raw::STATE_WAIT_TASKWAIT, STATE_OVERHEAD),
            (raw::STATE_WAIT_LOCK, STATE_LOCK_WAIT),
            (raw::STATE_WAIT_CRITICAL, STATE_CRITICAL_WAIT),
            (raw::STATE_WAIT_ATOMIC, STATE_ATOMIC_WAIT),
            (raw::STATE_WAIT_ORDERED, STATE_ORDERED_WAIT),
            (raw::STATE_WAIT_TARGET, STATE_OVERHEAD),
            (raw::STATE_IDLE, STATE_IDLE),
            (raw::STATE_OVERHEAD, STATE_OVERHEAD),
            (raw::STATE_UNDEFINED, STATE_SERIAL),
        ];
        for (ompt, right) in pairs {
            assert_eq!(plain(ompt), right, "{ompt:#x}");
        }
    }
}
