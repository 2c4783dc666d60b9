//! What a recording only added up: of regions, barriers and waits, and of loops what each thread spent in and after them, and page faults:
//! of memory that is touched for the first time each page costs one. Recorders count them in a thread's first executions of a loop and in
//! long ones, with the time that the thread was in the system's kernel meanwhile.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::RangeInclusive;

use ompchunk_trace_format::sum::{FAULTS_FIRST, FAULTS_KERNEL, FAULTS_MAJOR, FAULTS_MINOR};
use ompchunk_trace_format::{NOBODY, Sum, SumOf};
use serde::Serialize;

/// How many, and how long all together, in ticks.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Total {
    pub(crate) count: u64,
    pub(crate) ticks: u64,
}

impl Total {
    fn add(&mut self, count: u64, ticks: u64) {
        self.count += count;
        self.ticks = self.ticks.saturating_add(ticks);
    }
}

pub(crate) type ByThread = BTreeMap<u32, Total>;

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct LoopCounted {
    /// Waits in the barrier right after it.
    pub(crate) waits: ByThread,
    /// From begin to end.
    pub(crate) inside: ByThread,
    pub(crate) faults: Faults,
}

impl LoopCounted {
    pub(crate) fn add(&mut self, other: &LoopCounted) {
        for (to, from) in [(&mut self.waits, &other.waits), (&mut self.inside, &other.inside)] {
            for (thread, total) in from {
                to.entry(*thread).or_default().add(total.count, total.ticks);
            }
        }
        self.faults.add(&other.faults);
    }

    /// A thread's wait after the loop: known if it waited there each time. One execution may be running.
    pub(crate) fn wait(&self, thread: u32, executions: u64) -> Option<u64> {
        let wait = self.waits.get(&thread)?;
        (wait.count + 1 >= executions).then_some(wait.ticks)
    }
}

/// A lane's or a part's.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Counted {
    pub(crate) loops: BTreeMap<u32, LoopCounted>,
    /// Regions that are not inside another.
    pub(crate) regions: Total,
    pub(crate) beginners: BTreeSet<u32>,
    pub(crate) waits: Total,
    /// Until when.
    pub(crate) last: u64,
    /// Ticks that storing events took, where they are told.
    pub(crate) storing: Option<u64>,
    /// Threads that are recorded, and the process's others: how many at the end, and for how many ticks they had a core.
    pub(crate) cpu: [Option<(u64, u64)>; 2],
}

impl Counted {
    pub(crate) fn follow(&mut self, sum: &Sum) {
        if sum.what == SumOf::Storing {
            let before = self.storing.unwrap_or(0);
            self.storing = Some(before.saturating_add(sum.sum));
        }
        if sum.what == SumOf::Cpu {
            let of = self.cpu.get_mut(sum.of as usize);
            of.into_iter().for_each(|of| *of = Some((sum.count, sum.sum)));
            return;
        }
        // What every recording adds up (`account`).
        let always = matches!(sum.what, SumOf::Mutex | SumOf::Task | SumOf::Storing);
        if sum.count == 0 || always {
            return;
        }
        if sum.what == SumOf::Faults {
            let the_loop = self.loops.entry(sum.the_loop).or_default();
            return the_loop.faults.add_sum(sum);
        }
        self.last = self.last.max(sum.to);
        match sum.what {
            SumOf::Parallel if sum.of == 0 => {
                self.regions.add(sum.count, sum.sum);
                self.beginners.insert(sum.thread);
            }
            SumOf::Wait => self.waits.add(sum.count, sum.sum),
            _ => {}
        }
        if sum.the_loop == NOBODY {
            return;
        }
        let to = self.loops.entry(sum.the_loop).or_default();
        let to = match sum.what {
            SumOf::Wait => &mut to.waits,
            SumOf::Loop => &mut to.inside,
            _ => return,
        };
        to.entry(sum.thread).or_default().add(sum.count, sum.sum);
    }

    pub(crate) fn add(&mut self, other: &Counted) {
        for (number, the_loop) in &other.loops {
            self.loops.entry(*number).or_default().add(the_loop);
        }
        self.regions.add(other.regions.count, other.regions.ticks);
        self.beginners.extend(&other.beginners);
        self.waits.add(other.waits.count, other.waits.ticks);
        self.last = self.last.max(other.last);
        self.cpu = [0, 1].map(|of| self.cpu[of].or(other.cpu[of]));
        self.storing = match (self.storing, other.storing) {
            (Some(ticks), Some(more)) => Some(ticks.saturating_add(more)),
            (ticks, more) => ticks.or(more),
        };
    }
}

/// What a fault may cost: less is no fault, and what takes longer is something else too, as a system call or a page of 2 MiB.
const PLAUSIBLE: RangeInclusive<f64> = 50e-9..=20e-6;

/// What was counted of a loop.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct PageFaults {
    /// In so many executions, as the thread with most of them has it.
    pub executions: u64,
    /// Faults that read no disk, ...
    pub minor: u64,
    /// ... and that do.
    pub major: u64,
    /// Both, in the threads' first executions of the loop; `None`: these were not measured.
    pub first: Option<u64>,
    /// Thread time on a core in the system's kernel, by the system's own account: for these, and for system calls.
    pub kernel_seconds: f64,
}

impl PageFaults {
    /// How many there were.
    pub fn all(&self) -> u64 {
        self.minor.saturating_add(self.major)
    }

    /// What each costs, in seconds, if they took all time in the kernel. `None`: it was not they alone.
    pub fn each(&self) -> Option<f64> {
        plausible(self.kernel_seconds / self.all() as f64)
    }

    /// Faults in the first execution, and in each of the others in the mean, where both were measured.
    pub fn first_and_others(&self) -> Option<(u64, f64)> {
        let first = self.first?;
        let others = self.executions.checked_sub(1).filter(|some| *some > 0)?;
        Some((first, self.all().saturating_sub(first) as f64 / others as f64))
    }
}

/// A time that a page fault may take.
pub(crate) fn plausible(seconds: f64) -> Option<f64> {
    PLAUSIBLE.contains(&seconds).then_some(seconds)
}

/// A loop's in a lane or a part, in ticks.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Faults {
    executions: BTreeMap<u32, u64>,
    minor: u64,
    major: u64,
    first: Option<u64>,
    kernel: u64,
}

impl Faults {
    pub(crate) fn add_sum(&mut self, sum: &Sum) {
        let is_first = sum.of & FAULTS_FIRST != 0;
        let amount = match sum.of & !FAULTS_FIRST {
            FAULTS_MINOR => {
                let executions = self.executions.entry(sum.thread).or_default();
                *executions = executions.saturating_add(sum.count);
                &mut self.minor
            }
            FAULTS_MAJOR => &mut self.major,
            FAULTS_KERNEL => {
                self.kernel = self.kernel.saturating_add(sum.sum);
                return;
            }
            // From a later version.
            _ => return,
        };
        *amount = amount.saturating_add(sum.sum);
        if is_first {
            self.first = Some(self.first.unwrap_or(0).saturating_add(sum.sum));
        }
    }

    pub(crate) fn add(&mut self, more: &Faults) {
        for (thread, executions) in &more.executions {
            let all = self.executions.entry(*thread).or_default();
            *all = all.saturating_add(*executions);
        }
        self.minor = self.minor.saturating_add(more.minor);
        self.major = self.major.saturating_add(more.major);
        self.kernel = self.kernel.saturating_add(more.kernel);
        if let Some(first) = more.first {
            self.first = Some(self.first.unwrap_or(0).saturating_add(first));
        }
    }
}

/// Adds up all parts, each with the rate of its clock. `None`: nothing was measured.
pub(crate) fn report<'p>(all: impl Iterator<Item = (f64, &'p Faults)>) -> Option<PageFaults> {
    let (mut sum, mut most, mut kernel) = (Faults::default(), 0, 0.0);
    for (hertz, faults) in all {
        sum.add(faults);
        most = most.max(faults.executions.values().copied().max().unwrap_or(0));
        kernel += faults.kernel as f64 / hertz;
    }
    (most > 0).then_some(PageFaults {
        executions: most,
        minor: sum.minor,
        major: sum.major,
        first: sum.first,
        kernel_seconds: kernel,
    })
}

#[cfg(test)]
mod tests {
    use ompchunk_trace_format::SumOf;

    use super::*;

    fn sum(thread: u32, of: u32, (count, amount): (u64, u64)) -> Sum {
        Sum {
            thread,
            what: SumOf::Faults,
            of,
            code: 0,
            the_loop: 0,
            count,
            sum: amount,
            min: 0,
            max: amount,
            from: 0,
            to: 1,
        }
    }

    #[test]
    fn the_first_execution_is_told_apart() {
        let mut faults = Faults::default();
        for thread in [0, 1] {
            faults.add_sum(&sum(thread, FAULTS_MINOR | FAULTS_FIRST, (1, 1000)));
            faults.add_sum(&sum(thread, FAULTS_MINOR, (4, 8)));
            faults.add_sum(&sum(thread, FAULTS_KERNEL | FAULTS_FIRST, (1, 2_008_000)));
        }
        faults.add_sum(&sum(1, 32, (7, 7)));
        let found = report([(1e9, &faults)].into_iter()).unwrap();
        assert_eq!((found.executions, found.all()), (5, 2016));
        assert_eq!(found.first_and_others(), Some((2000, 4.0)));
        // 4.016 ms for 2016.
        assert!((found.each().unwrap() - 1.992e-6).abs() < 1e-9, "{found:?}");
    }

    #[test]
    fn what_takes_far_longer_is_something_else() {
        let mut faults = Faults::default();
        faults.add_sum(&sum(0, FAULTS_MINOR, (1, 10)));
        faults.add_sum(&sum(0, FAULTS_KERNEL, (1, 10_000_000)));
        let found = report([(1e9, &faults)].into_iter()).unwrap();
        assert_eq!((found.each(), found.first_and_others()), (None, None));
        assert_eq!(report([(1e9, &Faults::default())].into_iter()), None);
    }
}
