//! Creations of tasks around the one in progress, put aside: per thread, the innermost last.
//!
//! A program says where on the stack a creation began. Code that is called has its place further down; so one whose
//! place lies below that of a new creation, or of the end of an earlier one, was left by an exception or a jump. It
//! is given up: reported if its task was created, and forgotten. Thus what is kept is never more than what nests.
//!
//! Where a program changes stacks within a creation, one that is still in progress may seem to have been left. Then its
//! event comes early, and its end is ignored.

use core::cell::RefCell;
use core::ffi::c_void;
use core::ptr;
use core::sync::atomic::{AtomicBool, Ordering};

use crate::creation::{Creation, State};
use crate::report;

/// Code that was inlined begins at the same place as the code around it. No more than this many do.
const AT_ONE_PLACE: usize = 8;
/// Memory for more than these is given back when the last is.
const KEPT: usize = 1024;

thread_local! {
    static ASIDE: RefCell<Vec<Creation>> = const { RefCell::new(Vec::new()) };
}

/// Runs `change` on the creations put aside; none after the thread has freed them.
fn aside<T>(change: impl FnOnce(&mut Vec<Creation>) -> T) -> Option<T> {
    let changed = ASIDE.try_with(|aside| Some(change(&mut *aside.try_borrow_mut().ok()?)));
    changed.ok().flatten()
}

/// Makes the thread ready for a creation at `place` while one is in progress. Gives the place to keep, or null if
/// that cannot be: then the new one is not reported.
#[cold]
#[inline(never)]
pub(crate) extern "C" fn make_room(here: &Creation, place: *const c_void) -> *const c_void {
    give_up_below(here, place);
    while here.state() != State::Idle && is_crowded(here, place) {
        give_up(here);
    }
    if here.state() == State::Idle {
        return place;
    }
    let has_room = aside(|creations| creations.try_reserve(1).is_ok());
    if has_room != Some(true) {
        complain();
        return ptr::null();
    }
    let around = here.put_aside();
    aside(|creations| creations.push(around));
    Creation::inside(place)
}

/// The program says that the creation at `place` is over, and it is not the only one.
#[cold]
#[inline(never)]
pub(crate) extern "C" fn leave(here: &Creation, place: *const c_void) {
    give_up_below(here, place);
    if here.state() == State::Idle || here.place() != place {
        return;
    }
    here.stop(State::Over);
    here.report();
    go_back(here);
}

/// The runtime's event comes from code that a creation in progress has called, or that one was left.
pub(crate) fn give_up_dead(here: &Creation) {
    let of_this_call = 0_u8;
    give_up_below(here, (&raw const of_this_call).cast());
}

/// Gives up what began further down the stack than `place`.
fn give_up_below(here: &Creation, place: *const c_void) {
    while here.state() != State::Idle && here.place() < place {
        give_up(here);
    }
}

fn give_up(here: &Creation) {
    here.give_up();
    go_back(here);
}

/// Are there as many at this place as can be?
fn is_crowded(here: &Creation, place: *const c_void) -> bool {
    let behind = |creations: &mut Vec<Creation>| {
        let inward = creations.iter().rev();
        let there = inward.take_while(|creation| creation.place() == place);
        there.take(AT_ONE_PLACE).count()
    };
    here.place() == place && here.is_inside() && aside(behind).unwrap_or(0) + 1 >= AT_ONE_PLACE
}

/// Goes on with the creation around this one, if there is one.
fn go_back(here: &Creation) {
    let around = match here.is_inside() {
        true => aside(take_innermost).flatten(),
        false => None,
    };
    here.put_back(around);
}

fn take_innermost(creations: &mut Vec<Creation>) -> Option<Creation> {
    let innermost = creations.pop();
    if creations.is_empty() && creations.capacity() > KEPT {
        *creations = Vec::new();
    }
    innermost
}

fn complain() {
    static SAID: AtomicBool = AtomicBool::new(false);
    if !SAID.swap(true, Ordering::Relaxed) {
        report::complain(format_args!(
            "no memory for the creation of a task within that of another; some of these have no event. \
             Let fewer tasks run at once, as with a final or if clause that bounds their depth"
        ));
    }
}
