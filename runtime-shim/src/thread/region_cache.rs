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

use crate::consensus::{both, parted};
use crate::runtime::PlaceInTeam;
use crate::thread::numbers;

/// Loops of a region of which it is kept how they run.
const LOOPS: usize = 4;

/// The how-manieth runtime is served that always tells; 0: none is.
static TELLS: AtomicU32 = AtomicU32::new(0);

/// All bits 0: nothing was found out.
#[derive(Default)]
#[repr(C)]
pub(crate) struct Standing {
    /// When that was, as [`now`] has it; 0: nothing was.
    since: Cell<u64>,
    place: Cell<PlaceInTeam>,
    around: Cell<*const ()>,
    ways: [CachedSchedule; LOOPS],
}

/// How a loop runs: under a schedule, or untimed in a block of equal cost that is known.
#[derive(Default)]
#[repr(C)]
pub(crate) struct CachedSchedule {
    loop_record: Cell<*const LoopRecord>,
    /// What is kept of the loop; of a block, where it begins, as a share of the iterations.
    kept_or_begin: Cell<*const ()>,
    /// 0: nothing is known. Schedule and chunk; or no schedule, and a word that has both; or [`IS_BLOCK`], and where it ends.
    schedule_or_end: Cell<u64>,
}

/// Bits that no `enum sched_type` has.
pub(crate) const IS_STEPPED: u32 = 1 << 16;
pub(crate) const IS_BALANCED: u32 = 1 << 17;
pub(crate) const IS_SOURCE: u32 = 1 << 18;

/// The highest bit, so that one test finds it.
const IS_BLOCK: u64 = 1 << 63;

impl CachedSchedule {
    /// `kept` is what is kept of the loop, and the schedule is as in `Chosen`, with [`IS_STEPPED`] and the others.
    pub(crate) fn under(loop_record: *const LoopRecord, kept: *const (), schedule: u32, chunk: u32) -> CachedSchedule {
        CachedSchedule {
            loop_record: Cell::new(loop_record),
            kept_or_begin: Cell::new(kept),
            schedule_or_end: Cell::new(both(schedule, chunk)),
        }
    }

    /// The block is given by shares of the iterations, as `balance` has them.
    pub(crate) fn in_block(loop_record: *const LoopRecord, [begin, end]: [u64; 2]) -> CachedSchedule {
        CachedSchedule {
            loop_record: Cell::new(loop_record),
            kept_or_begin: Cell::new(core::ptr::without_provenance(begin as usize)),
            schedule_or_end: Cell::new(IS_BLOCK | end),
        }
    }

    /// The loop is untimed; a schedule in a word, as in `Chosen`.
    pub(crate) fn by_word(loop_record: *const LoopRecord, word: u32) -> CachedSchedule {
        CachedSchedule::under(loop_record, core::ptr::null(), 0, word)
    }

    /// What [`Self::by_word`] was given.
    #[inline(always)]
    pub(crate) fn word(&self) -> Option<u32> {
        let (schedule, word) = parted(self.schedule_or_end.get());
        (schedule == 0 && word != 0).then_some(word)
    }

    /// What [`Self::in_block`] was given.
    #[inline(always)]
    pub(crate) fn block(&self) -> Option<[u64; 2]> {
        let end = self.schedule_or_end.get();
        let block = || [self.kept_or_begin.get().addr() as u64, end & !IS_BLOCK];
        (end & IS_BLOCK != 0).then(block)
    }

    /// What [`Self::under`] was given.
    pub(crate) fn schedule(&self) -> Option<(*const (), u32, u32)> {
        let word = self.schedule_or_end.get();
        let (schedule, chunk) = parted(word);
        let is_one = schedule != 0 && word & IS_BLOCK == 0;
        is_one.then(|| (self.kept_or_begin.get(), schedule, chunk))
    }

    fn replace(&self, way: &CachedSchedule) {
        self.loop_record.set(way.loop_record.get());
        self.kept_or_begin.set(way.kept_or_begin.get());
        self.schedule_or_end.set(way.schedule_or_end.get());
    }
}

impl Standing {
    /// An implicit task or a region begins or ends in the thread.
    pub(crate) fn forget(&self) {
        self.since.set(0);
    }

    /// The place in the team, and what is kept of the region around.
    #[inline(always)]
    pub(crate) fn place(&self) -> Option<(PlaceInTeam, *const ())> {
        (self.since.get() == now()?).then(|| (self.place.get(), self.around.get()))
    }

    pub(crate) fn keep_place(&self, place: PlaceInTeam, around: *const ()) {
        if let Some(now) = now() {
            self.place.set(place);
            self.around.set(around);
            self.ways.iter().for_each(|way| way.schedule_or_end.set(0));
            self.since.set(now);
        }
    }

    /// How a loop runs, if that was found out. Of no loop, it tells nothing.
    #[inline(always)]
    pub(crate) fn way(&self, loop_record: *const LoopRecord) -> Option<&CachedSchedule> {
        let way = &self.ways[number_of(loop_record)];
        let is_it = way.loop_record.get() == loop_record;
        (is_it && self.since.get() == now()?).then_some(way)
    }

    /// Keeps what was found out just now, where the thread's place is kept.
    pub(crate) fn keep_way(&self, way: &CachedSchedule) {
        if now() == Some(self.since.get()) {
            self.ways[number_of(way.loop_record.get())].replace(way);
        }
    }
}

#[inline(always)]
fn number_of(loop_record: *const LoopRecord) -> usize {
    const { assert!(LOOPS.is_power_of_two()) };
    let mixed = loop_record.addr().wrapping_mul(0x9e37_79b9_7f4a_7c15);
    mixed >> (usize::BITS - LOOPS.ilog2())
}

/// What is found out now holds as long as this stays the same; none: it does not hold.
#[inline(always)]
fn now() -> Option<u64> {
    match TELLS.load(Ordering::Relaxed) {
        0 => None,
        runtime => Some(both(runtime, numbers::images_met() as u32)),
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

    const PLACE: PlaceInTeam = PlaceInTeam { around: 64, thread: 1, team_size: 2 };

    fn a_loop(number: usize) -> *const LoopRecord {
        core::ptr::without_provenance(4096 + 64 * number)
    }

    fn way(number: usize) -> CachedSchedule {
        let kept = core::ptr::without_provenance(8);
        CachedSchedule::under(a_loop(number), kept, 34, number as u32)
    }

    #[test]
    fn a_way_is_a_schedule_or_a_block() {
        let kept = core::ptr::without_provenance(8);
        let schedule = 3 << 29 | IS_STEPPED | IS_BALANCED | 34;
        let way = CachedSchedule::under(a_loop(1), kept, schedule, u32::MAX);
        assert_eq!(way.schedule(), Some((kept, schedule, u32::MAX)));
        assert_eq!(way.block(), None);
        // All iterations, and none at the end.
        for block in [[0, 1 << 32], [1 << 32, 1 << 32], [5, 7], [0, 0]] {
            let way = CachedSchedule::in_block(a_loop(1), block);
            assert_eq!((way.block(), way.schedule()), (Some(block), None));
        }
        let none = CachedSchedule::default();
        assert!(none.block().is_none() && none.schedule().is_none());
    }

    /// One test, since what holds is the process' own.
    #[test]
    fn what_was_found_out_holds_until_something_changes() {
        let standing = Standing::default();
        let around = core::ptr::without_provenance(16);
        let knows = |number| Some(standing.way(a_loop(number))?.schedule()?.2);
        standing.keep_place(PLACE, around);
        standing.keep_way(&way(1));
        assert!(standing.place().is_none() && knows(1).is_none(), "nobody tells");

        begin();
        standing.keep_way(&way(1));
        assert_eq!(knows(1), None, "there is no place yet");
        standing.keep_place(PLACE, around);
        assert_eq!(standing.place().map(|(place, _)| place.thread), Some(1));
        standing.keep_way(&way(1));
        assert_eq!(knows(1), Some(1));
        let none = standing.way(core::ptr::null());
        let is_nothing = |way: &CachedSchedule| way.schedule().is_none() && way.block().is_none();
        assert!(none.is_none_or(is_nothing), "none is no loop");
        for number in 2..100 {
            standing.keep_way(&way(number));
            assert_eq!(knows(number), Some(number as u32));
            assert!(knows(1).is_none_or(|found| found == 1));
        }

        for changes in
            [|_: &Standing| numbers::count_image(), |_: &Standing| end(), |standing: &Standing| standing.forget()]
        {
            begin();
            standing.keep_place(PLACE, around);
            assert_eq!(knows(99), None, "another region");
            standing.keep_way(&way(99));
            assert_eq!(knows(99), Some(99));
            changes(&standing);
            assert!(standing.place().is_none() && knows(99).is_none());
        }
        begin();
        assert!(standing.place().is_none(), "another runtime");
    }
}
