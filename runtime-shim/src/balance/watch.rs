//! How long threads take for their blocks: when that is worth a look, and what it tells.
//!
//! Times are of the processor that a thread had, so another program that takes its core moves no block. Reading that clock takes a
//! call of the system, so loops that are in balance are looked at now and then alone.

use core::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering};

use super::restless;

/// Larger teams have the runtime's blocks.
pub(crate) const LARGEST_TEAM: u32 = 1024;

/// So long, the time of a block is more than the clock's noise.
const SHORTEST_NS: u64 = 2_000;
/// The busiest thread takes up to so many thousandths more than the average one: that is in balance.
const EVEN: u64 = 20;
/// Corrections that are followed all the way.
const FIRST_CORRECTIONS: u32 = 6;
/// With so many the costs differ from execution to execution, and more corrections help no more often than they harm.
const MANY_CORRECTIONS: u32 = 24;
/// Most regions from one look to the next, as a power of two.
const LONGEST_PAUSE: u32 = 6;

/// Of one loop in one team.
pub(super) struct Watch {
    threads: [Slot; LARGEST_TEAM as usize],
    team_size: AtomicU32,
    // These are the thread's that is told of the region's end.
    /// Regions until the next look; 0: blocks are timed.
    pause: AtomicU32,
    /// Looks that found nothing to correct, one after the other.
    even_looks: AtomicU32,
    corrections: AtomicU32,
    is_warm: AtomicBool,
}

/// A thread's own, in nanoseconds of its processor's time.
struct Slot {
    /// 0: it runs no block that is timed.
    begun: AtomicU64,
    taken: AtomicU64,
    executions: AtomicU32,
}

/// What the threads of a team took.
pub(super) struct Times {
    ticks: [u64; LARGEST_TEAM as usize],
    team_size: usize,
    /// There were many corrections before.
    pub(super) follows_many: bool,
}

impl Times {
    const NONE: Times = Times {
        ticks: [0; LARGEST_TEAM as usize],
        team_size: 0,
        follows_many: false,
    };

    /// By thread.
    pub(super) fn ticks(&self) -> &[u64] {
        &self.ticks[..self.team_size]
    }
}

impl Watch {
    #[cfg(test)]
    const fn new() -> Self {
        Self {
            threads: [const {
                Slot {
                    begun: AtomicU64::new(0),
                    taken: AtomicU64::new(0),
                    executions: AtomicU32::new(0),
                }
            }; LARGEST_TEAM as usize],
            team_size: AtomicU32::new(0),
            pause: AtomicU32::new(0),
            even_looks: AtomicU32::new(0),
            corrections: AtomicU32::new(0),
            is_warm: AtomicBool::new(false),
        }
    }

    pub(super) fn is_on(&self) -> bool {
        self.pause.load(Ordering::Relaxed) == 0
    }

    /// A thread of such a team begins its block.
    pub(super) fn begins(&self, thread: u32, team_size: u32) {
        self.team_size.store(team_size, Ordering::Relaxed);
        if let Some(slot) = self.threads.get(thread as usize) {
            slot.begun.store(processor_time(), Ordering::Relaxed);
        }
    }

    /// It has run it.
    pub(super) fn ends(&self, thread: u32) {
        let Some(slot) = self.threads.get(thread as usize) else {
            return;
        };
        let begun = slot.begun.swap(0, Ordering::Relaxed);
        if begun != 0 {
            let taken = processor_time().saturating_sub(begun);
            slot.taken.fetch_add(taken, Ordering::Relaxed);
            slot.executions.fetch_add(1, Ordering::Relaxed);
        }
    }

    /// No thread of the team is in the loop. Times, if blocks should change.
    pub(super) fn region_ended(&self) -> Option<Times> {
        let pause = self.pause.load(Ordering::Relaxed);
        if pause > 0 {
            self.pause.store(pause - 1, Ordering::Relaxed);
            return None;
        }
        if restless::is_on() {
            return Some(Times::NONE);
        }
        let mut times = self.collect()?;
        // Memory that is touched for the first time, and code that is loaded, cost once.
        if !self.is_warm.swap(true, Ordering::Relaxed) {
            return None;
        }
        let corrections = self.corrections.load(Ordering::Relaxed);
        if is_even(times.ticks()) {
            self.pause_after_even();
            return None;
        }
        self.even_looks.store(0, Ordering::Relaxed);
        self.corrections
            .store(corrections.saturating_add(1), Ordering::Relaxed);
        if corrections >= MANY_CORRECTIONS {
            self.pause_for(LONGEST_PAUSE);
        }
        times.follows_many = corrections >= FIRST_CORRECTIONS;
        Some(times)
    }

    /// `None`: the loop did not run, not all threads ran it as often, or it is too short.
    fn collect(&self) -> Option<Times> {
        let mut times = Times::NONE;
        times.team_size =
            (self.team_size.swap(0, Ordering::Relaxed) as usize).min(self.threads.len());
        let mut executions = None;
        let mut is_whole = true;
        for (slot, ticks) in self.threads.iter().zip(&mut times.ticks[..times.team_size]) {
            slot.begun.store(0, Ordering::Relaxed);
            *ticks = slot.taken.swap(0, Ordering::Relaxed);
            let ran = slot.executions.swap(0, Ordering::Relaxed);
            is_whole &= ran > 0 && *executions.get_or_insert(ran) == ran;
        }
        let sum = |all: u64, taken: &u64| all.saturating_add(*taken);
        let all = times.ticks().iter().fold(0, sum);
        let shortest = SHORTEST_NS * times.team_size as u64;
        let is_long = all / u64::from(executions?).max(1) >= shortest;
        (is_whole && is_long).then_some(times)
    }

    fn pause_after_even(&self) {
        let looks = self.even_looks.load(Ordering::Relaxed).saturating_add(1);
        self.even_looks.store(looks, Ordering::Relaxed);
        self.pause_for(looks.min(LONGEST_PAUSE));
    }

    fn pause_for(&self, power: u32) {
        self.pause.store(1 << power, Ordering::Relaxed);
    }
}

/// Does the busiest thread take little more than the average one?
fn is_even(ticks: &[u64]) -> bool {
    let all: u128 = ticks.iter().map(|ticks| u128::from(*ticks)).sum();
    let busiest = ticks.iter().max().copied().unwrap_or(0);
    u128::from(busiest) * ticks.len() as u128 * 1000 <= all * u128::from(1000 + EVEN)
}

/// The calling thread's, in nanoseconds; 0 where the system does not tell.
fn processor_time() -> u64 {
    let mut now = libc::timespec {
        tv_sec: 0,
        tv_nsec: 0,
    };
    // SAFETY: there is a place for the result.
    match unsafe { libc::clock_gettime(libc::CLOCK_THREAD_CPUTIME_ID, &raw mut now) } {
        0 => (now.tv_sec as u64)
            .saturating_mul(1_000_000_000)
            .saturating_add(now.tv_nsec as u64),
        _ => 0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run(watch: &Watch, taken: &[u64]) {
        watch.team_size.store(taken.len() as u32, Ordering::Relaxed);
        for (slot, taken) in watch.threads.iter().zip(taken) {
            slot.taken.fetch_add(*taken, Ordering::Relaxed);
            slot.executions.fetch_add(1, Ordering::Relaxed);
        }
    }

    #[test]
    fn the_first_region_does_not_count() {
        let watch = Watch::new();
        run(&watch, &[10_000, 90_000]);
        assert!(watch.region_ended().is_none());
        run(&watch, &[10_000, 90_000]);
        assert_eq!(watch.region_ended().unwrap().ticks(), [10_000, 90_000]);
    }

    #[test]
    fn what_is_even_is_looked_at_less_and_less() {
        let watch = Watch::new();
        let mut looks = 0;
        for _ in 0..1000 {
            looks += u32::from(watch.is_on());
            run(&watch, &[50_000, 50_500]);
            assert!(watch.region_ended().is_none());
        }
        assert!((10..30).contains(&looks), "{looks}");
        // And when the loop changes, it is followed again.
        let corrected = (0..200).any(|_| {
            run(&watch, &[10_000, 90_000]);
            watch.region_ended().is_some()
        });
        assert!(corrected && watch.is_on());
    }

    #[test]
    fn what_is_too_short_or_in_parts_tells_nothing() {
        let watch = Watch::new();
        for _ in 0..3 {
            run(&watch, &[100, 900]);
            assert!(watch.region_ended().is_none());
        }
        run(&watch, &[50_000, 90_000]);
        watch.threads[1].executions.store(2, Ordering::Relaxed);
        assert!(watch.region_ended().is_none());
        assert!(watch.region_ended().is_none(), "the loop did not run");
        watch.begins(5000, 2);
        watch.ends(5000);
        watch.ends(0);
        assert_eq!(watch.threads[0].executions.load(Ordering::Relaxed), 0);
    }

    #[test]
    fn costs_that_never_settle_are_followed_half_way_and_seldom() {
        let watch = Watch::new();
        let mut corrections = 0;
        for region in 0..1000_u64 {
            let odd = region % 2 * 50_000;
            run(&watch, &[40_000 + odd, 90_000 - odd]);
            if let Some(times) = watch.region_ended() {
                corrections += 1;
                assert_eq!(times.follows_many, corrections > FIRST_CORRECTIONS);
            }
        }
        assert!(
            (MANY_CORRECTIONS..60).contains(&corrections),
            "{corrections}"
        );
    }
}
