//! What the shim asked of executions, and what it was told: data. What is made of them is in `profile_choice`.

use std::ptr;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use ompchunk_abi::LoopRecord;

/// How many executions of a region were decided, above the answers to the last of them.
#[derive(Debug, Default)]
pub(crate) struct Answers(AtomicU64);

/// All are told: the region is within a loop, whose own answer counts.
const ALL: u64 = u64::MAX;
/// Answers that are kept.
const KEPT: u32 = 32;

impl Answers {
    /// The region begins, and none of its threads has.
    pub(crate) fn begin(&self, all: bool) {
        self.0.store(if all { ALL } else { 0 }, Relaxed);
    }

    pub(crate) fn are_all(&self) -> bool {
        self.0.load(Relaxed) == ALL
    }

    /// Whether the execution before which a thread was asked so often is told; the first thread decides.
    pub(crate) fn answer(&self, number: u32, decide: impl FnOnce() -> bool) -> bool {
        let mut before = self.0.load(Relaxed);
        let mut decide = Some(decide);
        let mut decided = false;
        loop {
            let (count, answers) = ((before >> 32) as u32, before as u32);
            if before == ALL {
                return true;
            }
            if number < count {
                let back = count - number - 1;
                return back < KEPT && answers >> back & 1 != 0;
            }
            if let Some(decide) = decide.take() {
                decided = decide();
            }
            let kept = answers.checked_shl(number - count + 1).unwrap_or(0);
            let next = u64::from(number.saturating_add(1)) << 32 | u64::from(kept | u32::from(decided));
            match self.0.compare_exchange(before, next, Relaxed, Relaxed) {
                Ok(_) => return decided,
                Err(now) => before = now,
            }
        }
    }
}

/// How often a thread was asked in regions that it is in, by how many tasks it is in.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct AskedTimes([(u64, u32); DEPTHS]);

/// In deeper regions a thread may count otherwise than others, which only has executions told in part.
const DEPTHS: usize = 4;

impl AskedTimes {
    /// It is asked once more, in the region of that number.
    pub(crate) fn next(&mut self, tasks: usize, region: u64) -> u32 {
        let (of, count) = &mut self.0[tasks.min(DEPTHS - 1)];
        if *of != region {
            (*of, *count) = (region, 0);
        }
        let before = *count;
        *count = before.wrapping_add(1);
        before
    }
}

/// What a thread was asked last.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Heard {
    /// Null: nothing, or its begin has come.
    pub(crate) asked: *const LoopRecord,
    /// The one that runs: whose budget it is on, null: none; and since when.
    pub(crate) runs: *const LoopRecord,
    pub(crate) since: u64,
    pub(crate) chunk: u64,
    pub(crate) wanted: bool,
    pub(crate) chunks: u64,
    /// It begins at this moment, and is not told.
    pub(crate) is_unrecorded: bool,
    pub(crate) times: AskedTimes,
}

impl Default for Heard {
    fn default() -> Heard {
        Heard::nothing(AskedTimes::default())
    }
}

impl Heard {
    pub(crate) const fn nothing(times: AskedTimes) -> Heard {
        Heard {
            times,
            asked: ptr::null(),
            runs: ptr::null(),
            since: 0,
            chunk: 1,
            wanted: true,
            chunks: 0,
            is_unrecorded: false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_thread_decides_for_all() {
        let answers = Answers::default();
        let script = [true, false, false, true, true, false];
        for (number, told) in (0..).zip(script) {
            assert_eq!(answers.answer(number, || told), told);
        }
        for (number, told) in (0..).zip(script) {
            assert_eq!(answers.answer(number, || unreachable!()), told, "{number}");
        }
        // A thread that is far behind tells nothing, one that is ahead leaves no answers behind.
        assert!(answers.answer(40, || true));
        assert!(!answers.answer(3, || unreachable!()));
        assert!(!answers.answer(39, || unreachable!()));
        assert!(answers.answer(u32::MAX, || true) && !answers.answer(u32::MAX, || false));
        answers.begin(true);
        assert!(answers.are_all() && answers.answer(7, || false));
        answers.begin(false);
        assert!(!answers.answer(0, || false));
    }

    #[test]
    fn each_region_has_its_own_count() {
        let mut times = AskedTimes::default();
        let asked = [(1, 7), (1, 7), (2, 8), (2, 8), (1, 7), (2, 9), (1, 7), (1, 10), (60, 11), (60, 11)];
        let counts = asked.map(|(tasks, region)| times.next(tasks, region));
        assert_eq!(counts, [0, 1, 0, 1, 2, 0, 3, 0, 0, 1]);
    }

    #[test]
    fn threads_that_come_together_agree() {
        let answers = Answers::default();
        let told = |thread: u32| {
            let one = |number: u32| answers.answer(number, || (number + thread) % 3 == 0);
            (0..KEPT).map(one).collect::<Vec<_>>()
        };
        let all: Vec<_> = std::thread::scope(|scope| {
            let threads: Vec<_> = (0..4).map(|thread| scope.spawn(move || told(thread))).collect();
            threads.into_iter().map(|thread| thread.join().unwrap()).collect()
        });
        assert!(all.windows(2).all(|two| two[0] == two[1]), "{all:?}");
    }
}
