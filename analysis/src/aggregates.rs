//! What a recording only added up, and page faults: memory that is touched for the first time costs one for each page. Recorders
//! count them in a thread's first executions of a loop and in long ones, with its time in the system's kernel meanwhile.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::RangeInclusive;

use ompchunk_trace_format::sum::{FAULTS_FIRST, FAULTS_KERNEL, FAULTS_MAJOR, FAULTS_MINOR};
use ompchunk_trace_format::{NOBODY, Sum, SumOf};
use serde::Serialize;

use crate::merge::Merge;

/// How many, and how long all together, in ticks.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Total {
    pub(crate) count: u64,
    pub(crate) ticks: u64,
}

merge!(Total: count, ticks);

pub(crate) type ByThread = BTreeMap<u32, Total>;

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct LoopCounted {
    /// Waits in the barrier right after it.
    pub(crate) waits: ByThread,
    pub(crate) inside: ByThread,
    pub(crate) faults: Faults,
}

merge!(LoopCounted: waits, inside, faults);

impl LoopCounted {
    /// A thread's wait after the loop: known if it waited there each time. One execution may be running.
    pub(crate) fn wait(&self, thread: u32, executions: u64) -> Option<u64> {
        let wait = self.waits.get(&thread)?;
        (wait.count + 1 >= executions).then_some(wait.ticks)
    }
}

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Counted {
    pub(crate) loops: BTreeMap<u32, LoopCounted>,
    /// Regions that are not inside another.
    pub(crate) regions: Total,
    pub(crate) beginners: BTreeSet<u32>,
    pub(crate) waits: Total,
    pub(crate) last: u64,
    pub(crate) storing: Option<u64>,
    /// Threads that are recorded, and the process's others: how many at the end, and for how many ticks they had a core.
    pub(crate) cpu: [Option<(u64, u64)>; 2],
}

impl Counted {
    pub(crate) fn follow(&mut self, sum: &Sum) {
        if sum.what == SumOf::Storing {
            self.storing.take_in(&Some(sum.sum));
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
            return self.loops.entry(sum.the_loop).or_default().faults.add_sum(sum);
        }
        self.last = self.last.max(sum.to);
        let total = Total { count: sum.count, ticks: sum.sum };
        match sum.what {
            SumOf::Parallel if sum.of == 0 => {
                self.regions.take_in(&total);
                self.beginners.insert(sum.thread);
            }
            SumOf::Wait => self.waits.take_in(&total),
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
        to.entry(sum.thread).or_default().take_in(&total);
    }
}

impl Merge for Counted {
    fn take_in(&mut self, other: &Counted) {
        merge_fields!(self, other: loops, regions, beginners, waits, storing; max last);
        self.cpu = [0, 1].map(|of| self.cpu[of].or(other.cpu[of]));
    }
}

/// What a fault may cost: less is no fault, and what takes longer is something else too, as a system call or a page of 2 MiB.
const PLAUSIBLE: RangeInclusive<f64> = 50e-9..=20e-6;

#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct PageFaults {
    pub executions: u64,
    pub minor: u64,
    pub major: u64,
    /// Both, in the threads' first executions of the loop; `None`: these were not measured.
    pub first: Option<u64>,
    /// Thread time on a core in the system's kernel, by the system's own account: for these, and for system calls.
    pub kernel_seconds: f64,
}

impl PageFaults {
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
                self.executions.entry(sum.thread).or_default().take_in(&sum.count);
                &mut self.minor
            }
            FAULTS_MAJOR => &mut self.major,
            FAULTS_KERNEL => return self.kernel.take_in(&sum.sum),
            // From a later version.
            _ => return,
        };
        amount.take_in(&sum.sum);
        self.first.take_in(&is_first.then_some(sum.sum));
    }
}

merge!(Faults: executions, minor, major, first, kernel);

/// Adds up all parts, each with the rate of its clock. `None`: nothing was measured.
pub(crate) fn report<'p>(all: impl Iterator<Item = (f64, &'p Faults)>) -> Option<PageFaults> {
    let (mut sum, mut most, mut kernel) = (Faults::default(), 0, 0.0);
    for (hertz, faults) in all {
        sum.take_in(faults);
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
