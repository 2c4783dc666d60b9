//! How many iterations a sub-block has: learnt from how long earlier ones took, per thread and loop.
//!
//! Nothing but that is kept here, and it may be wrong: a loop that was unloaded may have had its address, a loop inside may be
//! another execution of the same one, a signal handler may run a loop. Then sub-blocks are too long or too short for a while.
//!
//! Sizes follow time. A sub-block lasts long enough for a clock, the longer the more of them an execution has had, and longer in
//! loops that ran for long the last time, so that there are some hundred per execution. The first one of a chunk is longer by a part that
//! changes from execution to execution, so that cuts come to lie everywhere. Where a sub-block is far too long all the same, `outliers`
//! divides it the next time.

use core::sync::atomic::{AtomicU32, AtomicU64, AtomicUsize, Ordering::Relaxed};

use ompchunk_abi::LoopRecord;

use crate::consensus::are_taken_by;
use crate::hooks::chunk::Execution;
use crate::sub_block::outliers::Costly;
use crate::thread::Thread;
use crate::thread::numbers::places;

/// Nanoseconds that a sub-block takes at least, whatever the clock.
const LEAST_TIME: u64 = 5000;
/// And in readings of the clock.
const LEAST_READINGS: u64 = 500;
/// About how many sub-blocks an execution has whose length is known.
const PER_EXECUTION: u64 = 512;
/// After so many they are to be twice as long.
const PER_LENGTH: u32 = 256;
/// Parts of the first chunk of which nothing is known, each a sub-block.
const AT_FIRST: u64 = 32;
/// Loops, optimized or not, work in multiples of a power of two.
const MULTIPLE: u64 = 64;

/// What is known of a loop on a thread, and of its execution that is on.
#[repr(align(64))]
pub(crate) struct Sizes {
    /// Whose it is; 0: nobody's.
    loop_record: AtomicUsize,
    thread: AtomicUsize,
    /// Iterations of the first sub-blocks of an execution; 0: nothing is known.
    size: AtomicU64,
    /// Iterations of those that come now.
    now: AtomicU64,
    /// Nanoseconds that one is to take.
    target: AtomicU64,
    /// When the sub-block began that runs, and the execution.
    since: AtomicU64,
    begun: AtomicU64,
    executions: AtomicU32,
    count: AtomicU32,
    costly: Costly,
}

const PLACES: usize = 1 << 12;
const _: () = assert!(PLACES < u16::MAX as usize);

/// The last is for all that have no place of their own.
static ALL: [Sizes; PLACES + 1] = [const {
    Sizes {
        loop_record: AtomicUsize::new(0),
        thread: AtomicUsize::new(0),
        size: AtomicU64::new(0),
        now: AtomicU64::new(0),
        target: AtomicU64::new(0),
        since: AtomicU64::new(0),
        begun: AtomicU64::new(0),
        executions: AtomicU32::new(0),
        count: AtomicU32::new(0),
        costly: Costly::new(),
    }
}; PLACES + 1];

/// What [`LEAST_READINGS`] comes to on this machine, or [`LEAST_TIME`].
static LEAST: AtomicU64 = AtomicU64::new(LEAST_TIME);
/// The size that the user wants; 0: none.
static FIXED: AtomicU64 = AtomicU64::new(0);

/// Nanoseconds.
fn clock() -> u64 {
    let mut now = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: memory for the answer. This clock there always is.
    unsafe { libc::clock_gettime(libc::CLOCK_MONOTONIC, &raw mut now) };
    (now.tv_sec as u64).wrapping_mul(1_000_000_000).wrapping_add(now.tv_nsec as u64)
}

/// Finds out what a reading of the clock takes: the least of some, as others may need the machine.
pub(crate) fn measure_clock() {
    const READINGS: u64 = 64;
    let reading = || {
        let before = clock();
        for _ in 1..READINGS {
            clock();
        }
        clock().wrapping_sub(before)
    };
    let least = (0..8).map(|_| reading()).min().unwrap_or(0);
    LEAST.store(least_time(least, READINGS), Relaxed);
}

fn least_time(took: u64, readings: u64) -> u64 {
    (took.saturating_mul(LEAST_READINGS) / readings).max(LEAST_TIME)
}

/// From now on, sub-blocks have so many iterations.
pub(crate) fn fix(iterations: u64) {
    FIXED.store(iterations, Relaxed);
}

/// Where it is kept for a loop on a thread.
#[inline(always)]
pub(crate) fn place(loop_record: *const LoopRecord, thread: &Thread) -> u16 {
    let (loop_record, thread) = (loop_record.addr(), core::ptr::from_ref(thread).addr());
    let found = places::<PLACES>(loop_record, thread)
        .find(|&place| are_taken_by(&ALL[place].loop_record, &ALL[place].thread, (loop_record, thread)));
    found.unwrap_or(PLACES) as u16
}

/// The sizes of an execution that `sub_block_entry::enter` began. Safety: `this` is the calling thread's.
#[inline(always)]
pub(crate) unsafe fn in_execution(this: *mut Execution) -> &'static Sizes {
    // SAFETY: the caller's promise.
    let place = unsafe { (*this).sizes };
    // Never more than there are: so the compiler is spared a way out.
    &ALL[usize::from(place).min(PLACES)]
}

impl Sizes {
    pub(crate) fn begin(&self) {
        let now = clock();
        self.begun.store(now, Relaxed);
        self.since.store(now, Relaxed);
        self.count.store(0, Relaxed);
        let executions = self.executions.load(Relaxed);
        self.executions.store(executions.wrapping_add(1), Relaxed);
        self.now.store(self.size.load(Relaxed), Relaxed);
    }

    /// The size of the first sub-block of a chunk, which begins at `begin`.
    #[inline]
    pub(crate) fn first(&self, begin: u64, chunk: u64) -> u64 {
        let mut learnt = self.now.load(Relaxed);
        if learnt == 0 {
            learnt = rounded(chunk / AT_FIRST);
            self.now.store(learnt, Relaxed);
        }
        let turn = self.executions.load(Relaxed) ^ self.count.load(Relaxed).rotate_left(16);
        let size = cut(chunk, longer(self.fixed_or(learnt), turn), self.fixed_or(learnt));
        self.costly.cut(begin, size)
    }

    /// The size of one that is not the first, and begins at `begin`, with so many iterations left.
    #[inline]
    pub(crate) fn next(&self, begin: u64, rest: u64) -> u64 {
        let size = self.fixed_or(self.now.load(Relaxed));
        self.costly.cut(begin, cut(rest, size, size))
    }

    #[inline]
    fn fixed_or(&self, size: u64) -> u64 {
        match FIXED.load(Relaxed) {
            0 => size,
            fixed => fixed,
        }
    }

    /// A sub-block of so many iterations from `begin` has run.
    #[inline]
    pub(crate) fn measure(&self, begin: u64, iterations: u64) {
        let now = clock();
        let took = now.wrapping_sub(self.since.load(Relaxed));
        self.since.store(now, Relaxed);
        let count = self.count.load(Relaxed).wrapping_add(1);
        self.count.store(count, Relaxed);
        let first_target = self.target.load(Relaxed).max(LEAST.load(Relaxed));
        let target = first_target << (count / PER_LENGTH).min(20);
        let size = self.now.load(Relaxed);
        let is_right = size != 0 && took >= target && took <= target.saturating_mul(2);
        if is_right || FIXED.load(Relaxed) != 0 {
            return;
        }
        self.adapt(begin, iterations, took, target);
    }

    #[inline(never)]
    fn adapt(&self, begin: u64, iterations: u64, took: u64, target: u64) {
        let is_new = self.executions.load(Relaxed) <= 1;
        if !is_new {
            self.costly.observe(begin, iterations, took, target);
        }
        // What is divided there says nothing of the iterations behind.
        if self.costly.has(begin) {
            return;
        }
        let size = adapted(self.now.load(Relaxed), iterations, took, target, is_new);
        self.now.store(size, Relaxed);
        if self.count.load(Relaxed) == 1 {
            self.size.store(size, Relaxed);
        }
    }

    pub(crate) fn end(&self) {
        let took = self.since.load(Relaxed).wrapping_sub(self.begun.load(Relaxed));
        self.target.store(took / PER_EXECUTION, Relaxed);
        self.costly.end(took);
        if self.executions.load(Relaxed) == 1 {
            // It began with what nobody knew.
            self.size.store(self.now.load(Relaxed), Relaxed);
        }
    }
}

/// The next sub-block's part of `rest`, at least one: `wanted`, or all if less than a sub-block would be left.
#[inline]
fn cut(rest: u64, wanted: u64, size: u64) -> u64 {
    if wanted < rest && rest - wanted >= size && wanted != 0 { wanted } else { rest }
}

/// A size up to twice as long, another each turn: all turns together come everywhere.
#[inline]
fn longer(size: u64, turn: u32) -> u64 {
    let part = turn.wrapping_mul(0x9e37_79b9);
    let more = (u128::from(size) * u128::from(part)) >> 32;
    rounded_down(size.saturating_add(more as u64)).max(size)
}

/// The next size, when one took too long or not long enough. It may have lost its core, so known sizes shrink slowly.
fn adapted(size: u64, iterations: u64, took: u64, target: u64, is_new: bool) -> u64 {
    // Whole numbers: the program's threads have flags, and may have traps, for others.
    let right = iterations.saturating_mul(target.saturating_add(target / 4)) / took.max(1);
    let (least, most) = if is_new { (size / 64, size.saturating_mul(8)) } else { (size / 2, size.saturating_mul(4)) };
    rounded(right.clamp(least, most.max(1)))
}

/// To a multiple, if it is that long.
fn rounded(size: u64) -> u64 {
    if size < MULTIPLE { size.max(1) } else { rounded_down(size.saturating_add(MULTIPLE - 1)) }
}

fn rounded_down(size: u64) -> u64 {
    if size < MULTIPLE { size } else { size & !(MULTIPLE - 1) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_cut_leaves_nothing_or_too_little() {
        for rest in 1..300 {
            for size in 1..130 {
                for wanted in [size, longer(size, 0xffff_ffff), longer(size, 0x1234_5678)] {
                    let cut = cut(rest, wanted, size);
                    assert!(cut >= 1 && cut <= rest, "{rest}, {wanted}, {size}");
                    assert!(cut == rest || cut >= size && rest - cut >= size);
                }
            }
        }
        for size in [0, 1, u64::MAX] {
            assert_eq!(cut(u64::MAX, 0, size), u64::MAX);
            assert!((1..=7).contains(&cut(7, size, size)));
        }
    }

    #[test]
    fn cuts_come_to_lie_everywhere() {
        let mut met = [false; 16];
        for turn in 0..64 {
            let first = longer(1024, turn);
            assert!((1024..2048).contains(&first) && first % MULTIPLE == 0);
            met[(first / MULTIPLE) as usize % 16] = true;
        }
        assert_eq!(met, [true; 16]);
        assert!((0..9).all(|turn| longer(1, turn) == 1));
    }

    #[test]
    fn sizes_follow_time() {
        // 100 ns per iteration, and 5 us wanted; from far too long and far too short.
        for start in [1, 7, 64, 1_000_000] {
            let mut size = start;
            for _ in 0..40 {
                if !(5000..=10_000).contains(&(size * 100)) {
                    size = adapted(size, size, size * 100, 5000, false);
                }
            }
            assert!((50..=64).contains(&size), "{size} from {start}");
        }
        // One that lost its core for 10 ms halves the next, and no more.
        assert_eq!(adapted(128, 128, 10_000_000, 5000, false), 64);
        // Where nothing is known, a loop of a second is soon in small parts.
        let (mut size, mut passed) = (rounded(1_000_000 / AT_FIRST), 0);
        for _ in 0..4 {
            passed += size;
            size = adapted(size, size, size * 1000, 5000, true);
        }
        assert!(size <= 64 && passed < 70_000, "{size} after {passed}");
    }

    #[test]
    fn clocks_of_any_speed_have_a_least_time() {
        assert_eq!(least_time(0, 64), LEAST_TIME);
        assert_eq!(least_time(64 * 25, 64), 12_500);
        assert_eq!(least_time(u64::MAX, 64), u64::MAX / 64);
        measure_clock();
        assert!(LEAST.load(Relaxed) >= LEAST_TIME);
    }

    #[test]
    fn nonsense_is_no_harm() {
        let numbers = [0, 1, 5000, u64::MAX];
        for size in numbers {
            for iterations in numbers {
                for took in numbers {
                    for target in numbers {
                        let next = adapted(size, iterations, took, target, true);
                        assert!(next >= 1);
                        assert!(adapted(size, iterations, took, target, false) >= 1);
                    }
                }
            }
            assert!(longer(size, u32::MAX) >= rounded_down(size));
        }
    }

    #[test]
    fn loops_and_threads_have_sizes_of_their_own() {
        let records = [0_u64; 4].each_ref().map(|record| core::ptr::from_ref(record).cast());
        let thread = crate::thread::thread_storage::thread();
        let places = records.map(|record| place(record, thread));
        assert_eq!(places, records.map(|record| place(record, thread)));
        assert!(places.iter().all(|place| usize::from(*place) < PLACES));
        assert!(places[1..].iter().all(|place| *place != places[0]));
    }
}
