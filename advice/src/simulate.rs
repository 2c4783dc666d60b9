//! A team runs a loop under a schedule, in thought: the time at which its last thread is done.
//!
//! `dynamic` is simulated as libomp and libiomp5 deal it: each thread begins with a part of its own, and takes from the
//! others' when that is done; `monotonic:dynamic` and `guided` from one place, next chunk to the thread that is free first.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use crate::costs::Dealing;
use crate::rules::{Guided, Own, block, steal};
use crate::schedule::{Kind, Schedule};
use crate::work::Work;

/// More chunks are dealt in groups of equal size: who takes each one no longer matters.
const MOST_CHUNKS: u64 = 1 << 12;
/// ... but so many for each thread are not too many.
const PER_THREAD: u64 = 256;

#[derive(Debug, Clone, Default, PartialEq)]
pub struct Team {
    /// When each thread begins, in nanoseconds.
    pub arrives: Vec<f64>,
    /// How much longer each takes for the same work; 1: as long as the work says.
    pub slower: Vec<f64>,
}

impl Team {
    pub fn from_threads(threads: usize) -> Team {
        Team { arrives: vec![0.0; threads.max(1)], slower: vec![1.0; threads.max(1)] }
    }

    fn threads(&self) -> usize {
        self.arrives.len()
    }
}

#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Simulated {
    /// From 0 to the end of the last thread, in nanoseconds.
    pub time: f64,
    /// Of all threads, as is `dealing`: the test's measure of what may not get lost.
    pub work: f64,
    pub dealing: f64,
}

/// Threads by the time at which they are free; equal ones in their order.
type Free = BinaryHeap<Reverse<(u64, usize)>>;

/// Times are not negative, so their bits are in their order.
fn free_at(time: f64, thread: usize) -> Reverse<(u64, usize)> {
    Reverse((time.max(0.0).to_bits(), thread))
}

pub fn simulate(schedule: &Schedule, work: &Work, team: &Team, dealing: &Dealing) -> Simulated {
    let mut run = Run { team, dealing, ends: team.arrives.clone(), done: Simulated::default() };
    match (schedule.kind, schedule.chunk) {
        (Kind::Static, None) => run.blocks(work),
        (Kind::Static, Some(chunk)) => run.in_turn(work, chunk),
        (Kind::Dynamic, chunk) if !schedule.monotonic => run.stealing(work, chunk.unwrap_or(1)),
        (Kind::Dynamic, chunk) => run.in_order(run.groups(work, chunk.unwrap_or(1))),
        (Kind::Guided, chunk) => run.guided(work, chunk.unwrap_or(1)),
    }
    run.done.time = run.ends.iter().copied().fold(0.0, f64::max);
    run.done
}

/// Runs it in a block for each thread, from a bound to the next: no chunk is dealt.
pub fn simulate_blocks(bounds: &[u64], work: &Work, team: &Team) -> Simulated {
    let mut run = Run { team, dealing: &Dealing::default(), ends: team.arrives.clone(), done: Simulated::default() };
    for (thread, block) in bounds.windows(2).enumerate().take(team.threads()) {
        run.ran(thread, work.between(block[0], block[1]), 0.0);
    }
    run.done.time = run.ends.iter().copied().fold(0.0, f64::max);
    run.done
}

struct Run<'a> {
    team: &'a Team,
    dealing: &'a Dealing,
    ends: Vec<f64>,
    done: Simulated,
}

impl Run<'_> {
    fn ran(&mut self, thread: usize, work: f64, dealing: f64) {
        let took = work * self.team.slower[thread] * (1.0 + self.dealing.beside);
        self.done.work += took;
        self.done.dealing += dealing;
        self.ends[thread] += took + dealing;
    }

    fn most(&self) -> u64 {
        MOST_CHUNKS.max(self.team.threads() as u64 * PER_THREAD)
    }

    /// Chunks, or groups of so many where there are too many.
    fn groups(&self, work: &Work, chunk: u64) -> (Vec<f64>, f64) {
        let chunks = work.trips().div_ceil(chunk.max(1));
        let group = chunks.div_ceil(self.most()).max(1);
        let works = work.chunks(chunk.max(1).saturating_mul(group));
        (works, group as f64)
    }

    fn blocks(&mut self, work: &Work) {
        for thread in 0..self.team.threads() {
            let block = block(work.trips(), self.team.threads() as u64, thread as u64);
            self.ran(thread, work.between(block.start, block.end), 0.0);
        }
    }

    fn in_turn(&mut self, work: &Work, chunk: u64) {
        let threads = self.team.threads();
        let step = self.dealing.own;
        let (chunks, group) = self.groups(work, chunk);
        if group == 1.0 {
            for (number, chunk) in chunks.iter().enumerate() {
                self.ran(number % threads, *chunk, step);
            }
            return;
        }
        // Within a group each thread has as many chunks as the others.
        let share = 1.0 / threads as f64;
        for works in &chunks {
            for thread in 0..threads {
                self.ran(thread, works * share, step * group * share);
            }
        }
    }

    fn guided(&mut self, work: &Work, chunk: u64) {
        let sizes = Guided::new(work.trips(), self.team.threads() as u64, chunk);
        if sizes.clone().nth(self.most() as usize).is_some() {
            return self.in_order(self.groups(work, chunk));
        }
        let mut from = 0;
        let chunks = sizes.map(|size| {
            let begin = from;
            from += size;
            work.between(begin, from)
        });
        self.in_order((chunks.collect(), 1.0));
    }

    /// Each chunk, which stands for so many, to the thread that is free first.
    fn in_order(&mut self, (chunks, group): (Vec<f64>, f64)) {
        let mut free = self.all_free();
        let mut open = 0.0f64;
        self.begin_all();
        for chunk in chunks {
            let Some(Reverse((_, thread))) = free.pop() else { return };
            let waits = (open - self.ends[thread]).max(0.0);
            open = self.ends[thread] + waits + self.dealing.exclusive * group;
            self.ran(thread, chunk, self.dealing.own * group + waits);
            free.push(free_at(self.ends[thread], thread));
        }
    }

    fn stealing(&mut self, work: &Work, chunk: u64) {
        let (chunks, group) = self.groups(work, chunk);
        let threads = self.team.threads();
        let Some(mut own) = Own::all(chunks.len() as u64, threads as u64) else {
            return self.in_order((chunks, group));
        };
        let mut victims: Vec<usize> = (1..=threads).map(|thread| thread % threads).collect();
        let mut free = self.all_free();
        let mut begun = vec![false; threads];
        self.begin_all();
        while let Some(Reverse((_, thread))) = free.pop() {
            if !std::mem::replace(&mut begun[thread], true) {
                own[thread].begin();
            }
            let own_chunk = own[thread].take();
            let Some(chunk) = own_chunk.or_else(|| steal(&mut own, thread, &mut victims[thread])) else { continue };
            self.ran(thread, chunks[chunk as usize], self.dealing.own * group);
            free.push(free_at(self.ends[thread], thread));
        }
    }

    fn all_free(&self) -> Free {
        self.team.arrives.iter().enumerate().map(|(thread, arrives)| free_at(*arrives, thread)).collect()
    }

    fn begin_all(&mut self) {
        for thread in 0..self.team.threads() {
            self.ran(thread, 0.0, self.dealing.begin);
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const FREE: Dealing = Dealing { own: 0.0, exclusive: 0.0, begin: 0.0, beside: 0.0 };

    fn time(schedule: Schedule, work: &Work, threads: usize) -> f64 {
        simulate(&schedule, work, &Team::from_threads(threads), &FREE).time
    }

    fn triangle(trips: u64) -> Work {
        Work::new((0..trips).map(|i| (1, (trips - i) as f64)))
    }

    #[test]
    fn a_triangle_on_two_threads() {
        let work = triangle(1000);
        let total = work.total();
        let now = time(Schedule::STATIC, &work, 2);
        assert!((now / total - 0.75).abs() < 0.001, "{}", now / total);
        for schedule in [
            Schedule::with_chunk(Kind::Static, 1),
            Schedule::with_chunk(Kind::Dynamic, 1),
            Schedule::with_chunk(Kind::Guided, 1),
        ] {
            let balanced = time(schedule, &work, 2) / total;
            assert!((0.5..0.51).contains(&balanced), "{schedule}: {balanced}");
        }
        // The last chunk of two halves is what static has.
        let halves = time(Schedule::with_chunk(Kind::Dynamic, 500), &work, 2);
        assert!((halves - now).abs() < 1.0);
    }

    #[test]
    fn who_comes_late_gets_less() {
        let work = Work::new([(1000, 1000.0)]);
        let team = Team { arrives: vec![0.0, 400.0], slower: vec![1.0; 2] };
        let of = |schedule| simulate(&schedule, &work, &team, &FREE).time;
        assert_eq!(of(Schedule::STATIC), 900.0);
        let dynamic = of(Schedule::with_chunk(Kind::Dynamic, 10));
        assert!((700.0..=715.0).contains(&dynamic), "{dynamic}");
    }

    #[test]
    fn slow_threads_get_fewer_chunks() {
        let work = Work::new([(1000, 1000.0)]);
        let team = Team { arrives: vec![0.0; 2], slower: vec![1.0, 3.0] };
        let of = |schedule| simulate(&schedule, &work, &team, &FREE).time;
        assert_eq!(of(Schedule::STATIC), 1500.0);
        assert_eq!(of(Schedule::with_chunk(Kind::Static, 10)), 1500.0);
        let dynamic = of(Schedule::with_chunk(Kind::Dynamic, 10));
        assert!((750.0..=790.0).contains(&dynamic), "{dynamic}");
    }

    #[test]
    fn small_chunks_cost() {
        let work = Work::new([(10_000, 10_000.0)]);
        let dealing = Dealing { own: 50.0, exclusive: 20.0, begin: 100.0, beside: 0.0 };
        let guided = Schedule { monotonic: true, ..Schedule::with_chunk(Kind::Dynamic, 1) };
        let small = simulate(&guided, &work, &Team::from_threads(4), &dealing);
        assert!(small.time > 10_000.0 * 51.0 / 4.0, "{}", small.time);
        let crowd = simulate(&guided, &work, &Team::from_threads(64), &dealing);
        // One place gives one chunk in 20 ns.
        assert!(crowd.time >= 10_000.0 * 20.0, "{}", crowd.time);
    }

    #[test]
    fn millions_of_chunks_take_no_longer() {
        let work = Work::new((0..1_000_000u64).map(|i| (1 << 30, i as f64)));
        for kind in [Kind::Static, Kind::Dynamic, Kind::Guided] {
            let balanced = time(Schedule::with_chunk(kind, 1), &work, 3) / work.total();
            assert!((0.333..0.34).contains(&balanced), "{kind:?} {balanced}");
        }
        let huge = Work::new([(u64::MAX, 1e12)]);
        for kind in [Kind::Static, Kind::Dynamic, Kind::Guided] {
            let balanced = time(Schedule::with_chunk(kind, 1), &huge, 2) / huge.total();
            assert!((0.49..0.51).contains(&balanced), "{kind:?} {balanced}");
        }
    }

    proptest! {
        /// Work is neither lost nor made, and no schedule is better than perfect balance or worse than one thread alone.
        #[test]
        fn between_perfect_balance_and_one_thread(
            pieces in proptest::collection::vec((1u64..40, 0.0f64..1000.0), 0..60),
            kind in 0usize..4,
            chunk in 1u64..50,
            threads in 1usize..9,
            own in 0.0f64..100.0,
        ) {
            let work = Work::new(pieces);
            let schedule = match kind {
                0 => Schedule::STATIC,
                1 => Schedule::with_chunk(Kind::Static, chunk),
                2 => Schedule::with_chunk(Kind::Dynamic, chunk),
                _ => Schedule::with_chunk(Kind::Guided, chunk),
            };
            let dealing = Dealing { own, exclusive: own / 2.0, begin: own, beside: 0.0 };
            let simulated = simulate(&schedule, &work, &Team::from_threads(threads), &dealing);
            prop_assert!((simulated.work - work.total()).abs() < 1e-6 * (1.0 + work.total()));
            prop_assert!(simulated.time >= work.total() / threads as f64 - 1e-6);
            prop_assert!(simulated.time <= simulated.work + simulated.dealing + 1e-6);
        }

        #[test]
        fn each_block_as_the_sum_of_its_iterations(
            costs in proptest::collection::vec(0.0f64..100.0, 1..200),
            chunk in 1usize..20,
            threads in 1usize..7,
        ) {
            let work = Work::new(costs.iter().map(|cost| (1, *cost)));
            let mut sums = vec![0.0; threads];
            for (iteration, cost) in costs.iter().enumerate() {
                sums[iteration / chunk % threads] += cost;
            }
            let brute = sums.iter().copied().fold(0.0, f64::max);
            let cyclic = time(Schedule::with_chunk(Kind::Static, chunk as u64), &work, threads);
            prop_assert!((cyclic - brute).abs() < 1e-6);
            // Next chunk to the thread that is free first, by looking at all of them.
            let mut ends = vec![0.0f64; threads];
            for costs in costs.chunks(chunk) {
                let first = (0..threads).min_by(|a, b| ends[*a].total_cmp(&ends[*b])).unwrap();
                ends[first] += costs.iter().sum::<f64>();
            }
            let brute = ends.iter().copied().fold(0.0, f64::max);
            let monotonic = Schedule { monotonic: true, ..Schedule::with_chunk(Kind::Dynamic, chunk as u64) };
            prop_assert!((time(monotonic, &work, threads) - brute).abs() < 1e-6);
        }
    }
}
