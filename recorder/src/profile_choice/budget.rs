//! What telling the chunks of a loop may cost where a profile is wanted: about half the time that the loop takes
//! without. Each loop has a credit: what telling an execution costs is taken from it, a third of what executions take
//! is added. Who has none runs unrecorded. The cost is a number of chunks times a price: a clock that stands still
//! gives no credit, and one that jumps no more than [`MOST`].

use std::ptr;
use std::sync::atomic::{AtomicI64, AtomicU64, Ordering::Relaxed};
use std::time::Duration;

use ompchunk_abi::LoopRecord;

use crate::clock;

/// What telling a chunk costs, in readings of the clock and at least, and besides with its one sub-block, which chunks of one iteration do not have.
const READINGS: f64 = 4.0;
const LEAST: Duration = Duration::from_nanos(40);
const DIVIDED: Duration = Duration::from_nanos(150);
const MOST: Duration = Duration::from_millis(10);
const PART: u64 = 3;
/// Once a loop had no credit, one of so many executions that have some is told, by a power of two.
const ONE_OF: u32 = 2;
const RATIO: u64 = 0x9e37_79b9_7f4a_7c15;

static CHUNK_TICKS: AtomicU64 = AtomicU64::new(0);
static DIVIDED_TICKS: AtomicU64 = AtomicU64::new(0);
static MOST_TICKS: AtomicU64 = AtomicU64::new(0);

/// The budget of a loop, or of some loops: they have it together then.
pub(crate) struct Budget {
    credit: AtomicI64,
    /// Executions since there was too little; 0: there always was enough since one was told.
    refused: AtomicU64,
}

const PLACES: usize = 1 << 10;
static BUDGETS: [Budget; PLACES] = [const { Budget::new() }; PLACES];

/// Before the first event; a reading of the clock takes so many ticks.
pub(crate) fn start(reading: f64) {
    let readings = (READINGS * reading.max(0.0)) as u64;
    CHUNK_TICKS.store(readings.max(clock::ticks_of(LEAST)), Relaxed);
    DIVIDED_TICKS.store(clock::ticks_of(DIVIDED), Relaxed);
    MOST_TICKS.store(clock::ticks_of(MOST), Relaxed);
}

/// Telling so many chunks of that size, in ticks.
pub(crate) fn cost(chunks: u64, size: u64) -> u64 {
    let divided = if size > 1 { DIVIDED_TICKS.load(Relaxed) } else { 0 };
    chunks.saturating_mul(CHUNK_TICKS.load(Relaxed) + divided)
}

pub(crate) fn find(record: usize) -> &'static Budget {
    let place = (record as u64).wrapping_mul(RATIO) >> (u64::BITS - PLACES.trailing_zeros());
    &BUDGETS[place as usize]
}

impl Budget {
    const fn new() -> Budget {
        Budget { credit: AtomicI64::new(0), refused: AtomicU64::new(0) }
    }

    pub(crate) fn grants(&self) -> bool {
        let is_enough = self.credit.load(Relaxed) >= 0;
        let refused = self.refused.load(Relaxed);
        if is_enough && (refused == 0 || refused.wrapping_mul(RATIO) >> (u64::BITS - ONE_OF) == 0) {
            self.refused.store(0, Relaxed);
            return true;
        }
        self.refused.fetch_add(1, Relaxed);
        false
    }

    /// A thread's part of an execution took so long, and telling it so long.
    pub(crate) fn book(&self, took: u64, cost: u64) {
        let most = MOST_TICKS.load(Relaxed);
        let change = (took / PART).min(most) as i64 - cost.min(1 << 60) as i64;
        let add = |credit: i64| Some(credit.saturating_add(change).min(most as i64));
        let _ = self.credit.fetch_update(Relaxed, Relaxed, add);
    }
}

/// How many executions of a region were decided, above the answers to the last of them.
#[derive(Default)]
pub(crate) struct Answers(AtomicU64);

/// All are told: the region is within a loop, whose own answer counts.
const ALL: u64 = u64::MAX;
const KEPT: u32 = 32;

impl Answers {
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
        Heard {
            asked: ptr::null(),
            runs: ptr::null(),
            since: 0,
            chunk: 1,
            wanted: true,
            chunks: 0,
            is_unrecorded: false,
            times: AskedTimes::default(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cost(chunks: u64) -> u64 {
        super::cost(chunks, 2)
    }

    /// Executions of so many chunks that take so many ticks unrecorded. Which were recorded, and how long all of them took.
    fn run(budget: &Budget, executions: impl Iterator<Item = (u64, u64)>) -> (Vec<bool>, u64) {
        let (mut told, mut all) = (Vec::new(), 0);
        for (chunks, plain) in executions {
            let is_told = budget.grants();
            let cost = if is_told { cost(chunks) } else { 0 };
            let took = cost.saturating_add(plain);
            budget.book(took, cost);
            told.push(is_told);
            all += took;
        }
        (told, all)
    }

    fn started() -> u64 {
        clock::set_rate(1e9);
        start(12.5);
        cost(1)
    }

    fn count(told: &[bool]) -> usize {
        told.iter().filter(|told| **told).count()
    }

    #[test]
    fn tiny_chunks_cost_half_of_the_loop() {
        assert_eq!((started(), super::cost(1, 1)), (200, 50));
        for plain in [1, 3, 30, 100] {
            let executions = 20_000;
            let (told, all) = run(&Budget::new(), (0..executions).map(|_| (1000, plain * 1000)));
            let some = count(&told);
            assert!(told[0] && some > 20 && some < 10_000, "{plain}: {some}");
            // And the last that was told, whose cost no other execution has paid for.
            assert!(all <= executions * plain * 1500 + 2 * cost(1000), "{plain}: {all}");
            // All over the run.
            let late = count(&told[10_000..]);
            assert!(late * 3 > some, "{plain}: {late} of {some}");
        }
    }

    #[test]
    fn long_chunks_are_always_told() {
        started();
        let (told, _) = run(&Budget::new(), (0..1000).map(|_| (100, 100 * 1000)));
        assert_eq!(count(&told), 1000);
        let (told, _) = run(&Budget::new(), std::iter::once((u64::MAX, 1)));
        assert_eq!(told, [true]);
    }

    #[test]
    fn executions_of_different_length_all_have_their_share() {
        started();
        let of = |turn: u64| if turn % 2 == 0 { (100, 300) } else { (10_000, 30_000) };
        let (told, all) = run(&Budget::new(), (0..40_000).map(of));
        assert!(all <= 20_000 * 30_300 * 3 / 2 + 2 * cost(10_000));
        let [short, long] = [0, 1].map(|which| told.iter().skip(which).step_by(2).filter(|told| **told).count());
        assert!(short > 50 && long > 50 && short < 4 * long && long < 4 * short, "{short}, {long}");
    }

    #[test]
    fn a_clock_that_stands_or_jumps_costs_little() {
        started();
        let budget = Budget::new();
        let told = (0..1000).filter(|_| {
            let is_told = budget.grants();
            budget.book(0, if is_told { cost(1000) } else { 0 });
            is_told
        });
        assert_eq!(told.count(), 1);
        // A day, and then tiny chunks again: no more than the most credit, and one execution.
        let budget = Budget::new();
        budget.book(86_400_000_000_000, 0);
        let told = (0..1000).filter(|_| {
            let is_told = budget.grants();
            budget.book(0, if is_told { cost(1000) } else { 0 });
            is_told
        });
        assert!(told.count() as u64 <= 10_000_000 / cost(1000) + 1);
        for (took, cost) in [(0, u64::MAX), (u64::MAX, 0), (u64::MAX, u64::MAX)] {
            for _ in 0..20 {
                budget.book(took, cost);
            }
        }
        assert!(!budget.grants());
    }

    #[test]
    fn loops_have_places() {
        let places: std::collections::HashSet<_> =
            (0..64).map(|record| std::ptr::from_ref(find(0x5555_0000 + record * 128))).collect();
        assert!(places.len() > 48);
    }

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
