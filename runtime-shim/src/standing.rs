//! What a thread has found out in the region that it is in: its place in the team, and how loops run there. So it asks the runtime once
//! in a region, and not for each execution of a loop.
//!
//! # Why it holds
//!
//! A thread's place changes where an implicit task or a region begins or ends in the thread, and nowhere else. It is told of each
//! of these, and forgets then. That is relied on only where the runtime says that it always tells of them, and not in a child
//! of `fork`, whose runtime begins anew. How loops run changes between regions alone (`balance`). Where another image has met the
//! shim, or another runtime is served, all is found out anew.

use core::cell::Cell;
use core::sync::atomic::{AtomicU32, Ordering};
use std::sync::Once;

use ompchunk_abi::LoopRecord;

use crate::agreed::both;
use crate::met;
use crate::runtime::PlaceInTeam;

/// Loops of a region of which it is kept how they run.
const LOOPS: usize = 4;

/// The how-manieth runtime is served that always tells; 0: none is.
static TELLS: AtomicU32 = AtomicU32::new(0);

/// All bits 0: nothing was found out.
#[repr(C)]
pub(crate) struct Standing {
    /// When that was, as [`now`] has it; 0: nothing was.
    since: Cell<u64>,
    place: Cell<PlaceInTeam>,
    /// What is kept of the region around.
    around: Cell<*const ()>,
    ways: [Cell<Way>; LOOPS],
}

/// How a loop runs.
#[derive(Clone, Copy)]
pub(crate) struct Way {
    pub(crate) the_loop: *const LoopRecord,
    /// What is kept of it; null: nothing is known.
    pub(crate) kept: *const (),
    /// As in `Chosen`, with [`IS_STEPPED`] and [`IS_BALANCED`].
    pub(crate) schedule: u32,
    pub(crate) chunk: u32,
}

/// Bits that no `enum sched_type` has.
pub(crate) const IS_STEPPED: u32 = 1 << 16;
pub(crate) const IS_BALANCED: u32 = 1 << 17;

impl Way {
    const NONE: Way = Way {
        the_loop: core::ptr::null(),
        kept: core::ptr::null(),
        schedule: 0,
        chunk: 0,
    };
}

impl Standing {
    /// Nothing was found out.
    #[cfg(any(test, not(all(target_arch = "x86_64", target_os = "linux"))))]
    #[allow(clippy::declare_interior_mutable_const)]
    pub(crate) const NONE: Standing = Standing {
        since: Cell::new(0),
        place: Cell::new(PlaceInTeam {
            around: 0,
            thread: 0,
            team_size: 0,
        }),
        around: Cell::new(core::ptr::null()),
        ways: [const { Cell::new(Way::NONE) }; LOOPS],
    };

    /// An implicit task or a region begins or ends in the thread.
    pub(crate) fn forget(&self) {
        self.since.set(0);
    }

    /// The place in the team, and what is kept of the region around.
    #[inline(always)]
    pub(crate) fn place(&self) -> Option<(PlaceInTeam, *const ())> {
        (self.since.get() == now()?).then(|| (self.place.get(), self.around.get()))
    }

    /// That was found out just now.
    pub(crate) fn keep_place(&self, place: PlaceInTeam, around: *const ()) {
        if let Some(now) = now() {
            self.place.set(place);
            self.around.set(around);
            self.ways.iter().for_each(|way| way.set(Way::NONE));
            self.since.set(now);
        }
    }

    /// How a loop runs, if that is known, and what [`Self::place`] gives. Of no loop, nothing is known.
    #[inline(always)]
    pub(crate) fn way(&self, the_loop: *const LoopRecord) -> Option<(Way, PlaceInTeam, *const ())> {
        let (place, around) = self.place()?;
        let way = self.ways[number_of(the_loop)].get();
        (way.the_loop == the_loop && !way.kept.is_null()).then_some((way, place, around))
    }

    /// That was found out just now, where the thread's place is kept.
    pub(crate) fn keep_way(&self, way: Way) {
        if now() == Some(self.since.get()) {
            self.ways[number_of(way.the_loop)].set(way);
        }
    }
}

/// Where the loop's way is.
#[inline(always)]
fn number_of(the_loop: *const LoopRecord) -> usize {
    const { assert!(LOOPS.is_power_of_two()) };
    let mixed = the_loop.addr().wrapping_mul(0x9e37_79b9_7f4a_7c15);
    mixed >> (usize::BITS - LOOPS.ilog2())
}

/// What is found out now holds as long as this stays the same; none: it does not hold.
#[inline(always)]
fn now() -> Option<u64> {
    match TELLS.load(Ordering::Relaxed) {
        0 => None,
        runtime => Some(both(runtime, met::so_far() as u32)),
    }
}

/// A runtime is served that always tells.
pub(crate) fn begin() {
    static IN_CHILDREN: Once = Once::new();
    static RUNTIMES: AtomicU32 = AtomicU32::new(0);
    IN_CHILDREN.call_once(|| {
        // SAFETY: a function that stores one word.
        unsafe { libc::pthread_atfork(None, None, Some(end_in_child)) };
    });
    let runtime = RUNTIMES.fetch_add(1, Ordering::Relaxed) + 1;
    TELLS.store(runtime, Ordering::Relaxed);
}

/// It is not served any more, or does not tell.
pub(crate) fn end() {
    TELLS.store(0, Ordering::Relaxed);
}

unsafe extern "C" fn end_in_child() {
    end();
}

#[cfg(test)]
mod tests {
    use super::*;

    const PLACE: PlaceInTeam = PlaceInTeam {
        around: 64,
        thread: 1,
        team_size: 2,
    };

    fn a_loop(number: usize) -> *const LoopRecord {
        core::ptr::without_provenance(4096 + 64 * number)
    }

    fn way(number: usize) -> Way {
        Way {
            the_loop: a_loop(number),
            kept: core::ptr::without_provenance(8),
            schedule: 34,
            chunk: number as u32,
        }
    }

    /// One test, since what holds is the process' own.
    #[test]
    fn what_was_found_out_holds_until_something_changes() {
        let standing = Standing::NONE;
        let around = core::ptr::without_provenance(16);
        let knows = |number| standing.way(a_loop(number)).map(|(way, ..)| way.chunk);
        standing.keep_place(PLACE, around);
        standing.keep_way(way(1));
        assert!(
            standing.place().is_none() && knows(1).is_none(),
            "nobody tells"
        );

        begin();
        standing.keep_way(way(1));
        assert_eq!(knows(1), None, "there is no place yet");
        standing.keep_place(PLACE, around);
        assert_eq!(standing.place().map(|(place, _)| place.thread), Some(1));
        standing.keep_way(way(1));
        assert_eq!(knows(1), Some(1));
        assert!(standing.way(core::ptr::null()).is_none(), "none is no loop");
        for number in 2..100 {
            standing.keep_way(way(number));
            assert_eq!(knows(number), Some(number as u32));
            assert!(knows(1).is_none_or(|found| found == 1));
        }

        for changes in [
            |_: &Standing| met::another(),
            |_: &Standing| end(),
            |standing: &Standing| standing.forget(),
        ] {
            begin();
            standing.keep_place(PLACE, around);
            assert_eq!(knows(99), None, "another region");
            standing.keep_way(way(99));
            assert_eq!(knows(99), Some(99));
            changes(&standing);
            assert!(standing.place().is_none() && knows(99).is_none());
        }
        begin();
        assert!(standing.place().is_none(), "another runtime");
    }
}
