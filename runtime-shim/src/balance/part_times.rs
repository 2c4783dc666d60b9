//! What the threads of a team took for their parts of a loop, in processor time: another program that takes a core changes
//! nothing. Reading that clock takes a call of the system, so loops are timed now and then alone.

use core::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering};

/// Larger teams run as compiled.
pub(crate) const LARGEST_TEAM: u32 = 1024;

/// So long, the time of a part is more than the clock's noise.
const SHORTEST_NS: u64 = 2_000;

pub(crate) struct Watch {
    threads: [Slot; LARGEST_TEAM as usize],
    team_size: AtomicU32,
    /// Iterations of the last execution; 0: not known.
    iterations: AtomicU64,
    /// Iterations and chunks of all executions, if it is dealt in the source.
    dealt: AtomicU64,
    chunks: AtomicU64,
    is_on: AtomicBool,
}

/// A thread's own, in nanoseconds of its processor's time.
struct Slot {
    /// 0: it runs no part that is timed.
    begun: AtomicU64,
    taken: AtomicU64,
    executions: AtomicU32,
}

pub(super) enum Found {
    /// The loop did not run, or not all threads ran it as often.
    Nothing,
    /// It is over sooner than times mean something.
    TooShort,
    Times(Times),
}

pub(super) struct Times {
    /// By thread.
    pub(super) ticks: Vec<u64>,
    /// Executions of each thread, in the region.
    pub(super) executions: u32,
    pub(super) iterations: u64,
    /// Chunks of an execution that was dealt, if the loop is dealt in the source; else 0.
    pub(super) chunks: u64,
}

impl Times {
    /// Time of the thread that took longest, for an execution.
    pub(super) fn busiest(&self) -> f64 {
        let busiest = self.ticks.iter().max().copied().unwrap_or(0);
        busiest as f64 / f64::from(self.executions)
    }

    pub(super) fn mean(&self) -> f64 {
        let all: u128 = self.ticks.iter().map(|ticks| u128::from(*ticks)).sum();
        all as f64 / self.ticks.len() as f64 / f64::from(self.executions)
    }

    #[cfg(test)]
    pub(super) fn new(ticks: &[u64]) -> Self {
        Times { ticks: ticks.to_vec(), executions: 1, iterations: 0, chunks: 0 }
    }
}

impl Watch {
    pub(super) fn is_on(&self) -> bool {
        self.is_on.load(Ordering::Acquire)
    }

    /// No thread is in the loop.
    pub(super) fn set(&self, is_on: bool) {
        self.is_on.store(is_on, Ordering::Release);
    }

    pub(super) fn begins(&self, thread: u32, team_size: u32) {
        self.team_size.store(team_size, Ordering::Relaxed);
        if let Some(slot) = self.threads.get(thread as usize) {
            slot.begun.store(processor_time(), Ordering::Relaxed);
        }
    }

    pub(crate) fn note_iterations(&self, iterations: u64) {
        self.iterations.store(iterations, Ordering::Relaxed);
    }

    pub(crate) fn count(&self, iterations: u64, chunks: u64) {
        self.dealt.fetch_add(iterations, Ordering::Relaxed);
        self.chunks.fetch_add(chunks, Ordering::Relaxed);
    }

    pub(super) fn ends(&self, thread: u32) {
        let Some(slot) = self.threads.get(thread as usize) else { return };
        let begun = slot.begun.swap(0, Ordering::Relaxed);
        if begun != 0 {
            let taken = processor_time().saturating_sub(begun);
            slot.taken.fetch_add(taken, Ordering::Relaxed);
            slot.executions.fetch_add(1, Ordering::Relaxed);
        }
    }

    /// The region has ended, and no thread of the team is in the loop.
    pub(super) fn collect(&self) -> Found {
        let team_size = self.team_size.swap(0, Ordering::Relaxed) as usize;
        let mut times = Times {
            ticks: vec![0; team_size.min(self.threads.len())],
            executions: 0,
            iterations: self.iterations.load(Ordering::Relaxed),
            chunks: 0,
        };
        let [dealt, chunks] = [&self.dealt, &self.chunks].map(|sum| sum.swap(0, Ordering::Relaxed));
        let mut executions = None;
        let mut is_whole = true;
        for (slot, ticks) in self.threads.iter().zip(&mut times.ticks) {
            slot.begun.store(0, Ordering::Relaxed);
            *ticks = slot.taken.swap(0, Ordering::Relaxed);
            let ran = slot.executions.swap(0, Ordering::Relaxed);
            is_whole &= ran > 0 && *executions.get_or_insert(ran) == ran;
        }
        times.executions = executions.unwrap_or(0);
        if let Some(iterations) = dealt.checked_div(times.executions.into())
            && iterations > 0
        {
            times.iterations = iterations;
            times.chunks = chunks / u64::from(times.executions);
        }
        match is_whole && times.executions > 0 {
            false => Found::Nothing,
            true if times.mean() < SHORTEST_NS as f64 => Found::TooShort,
            true => Found::Times(times),
        }
    }
}

/// The calling thread's, in nanoseconds; 0 where the system does not tell.
pub(crate) fn processor_time() -> u64 {
    let mut now = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: there is a place for the result.
    match unsafe { libc::clock_gettime(libc::CLOCK_THREAD_CPUTIME_ID, &raw mut now) } {
        0 => (now.tv_sec as u64).saturating_mul(1_000_000_000).saturating_add(now.tv_nsec as u64),
        _ => 0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn watch() -> Watch {
        Watch {
            threads: [const { Slot { begun: AtomicU64::new(0), taken: AtomicU64::new(0), executions: AtomicU32::new(0) } };
                LARGEST_TEAM as usize],
            team_size: AtomicU32::new(0),
            iterations: AtomicU64::new(0),
            dealt: AtomicU64::new(0),
            chunks: AtomicU64::new(0),
            is_on: AtomicBool::new(false),
        }
    }

    fn run(watch: &Watch, taken: &[u64]) {
        watch.team_size.store(taken.len() as u32, Ordering::Relaxed);
        for (slot, taken) in watch.threads.iter().zip(taken) {
            slot.taken.fetch_add(*taken, Ordering::Relaxed);
            slot.executions.fetch_add(1, Ordering::Relaxed);
        }
    }

    #[test]
    fn what_threads_took() {
        let watch = watch();
        run(&watch, &[10_000, 90_000]);
        run(&watch, &[20_000, 80_000]);
        let Found::Times(times) = watch.collect() else {
            panic!("nothing found");
        };
        assert_eq!(times.ticks, [30_000, 170_000]);
        assert_eq!((times.executions, times.busiest(), times.mean()), (2, 85_000.0, 50_000.0));
        assert!(matches!(watch.collect(), Found::Nothing));
    }

    #[test]
    fn what_is_too_short_or_in_parts_tells_nothing() {
        let watch = watch();
        run(&watch, &[100, 900]);
        assert!(matches!(watch.collect(), Found::TooShort));
        run(&watch, &[50_000, 90_000]);
        watch.threads[1].executions.store(2, Ordering::Relaxed);
        assert!(matches!(watch.collect(), Found::Nothing));
        watch.begins(5000, 2);
        watch.ends(5000);
        watch.ends(0);
        assert_eq!(watch.threads[0].executions.load(Ordering::Relaxed), 0);
    }
}
