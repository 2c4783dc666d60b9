//! What a recording only added up: of regions, barriers and waits, and of loops what each thread spent in and after them.

use std::collections::{BTreeMap, BTreeSet};

use ompchunk_trace_format::{NOBODY, Sum, SumOf};

use crate::faults::Faults;

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
    /// Threads that began them.
    pub(crate) beginners: BTreeSet<u32>,
    pub(crate) waits: Total,
    /// Until when.
    pub(crate) last: u64,
    /// Ticks that storing events took, where they are told.
    pub(crate) storing: Option<u64>,
}

impl Counted {
    pub(crate) fn follow(&mut self, sum: &Sum) {
        if sum.what == SumOf::Storing {
            let before = self.storing.unwrap_or(0);
            self.storing = Some(before.saturating_add(sum.sum));
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
        self.storing = match (self.storing, other.storing) {
            (Some(ticks), Some(more)) => Some(ticks.saturating_add(more)),
            (ticks, more) => ticks.or(more),
        };
    }
}
