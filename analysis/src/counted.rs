//! What a recording only added up: of regions, barriers and waits, and of loops what each thread spent in and after them.

use std::collections::{BTreeMap, BTreeSet};

use ompchunk_trace_format::{NOBODY, Sum, SumOf};

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

/// By thread.
pub(crate) type ByThread = BTreeMap<u32, Total>;

/// A loop's.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct LoopCounted {
    /// Waits in the barrier right after it.
    pub(crate) waits: ByThread,
    /// From begin to end.
    pub(crate) inside: ByThread,
}

impl LoopCounted {
    pub(crate) fn add(&mut self, other: &LoopCounted) {
        for (to, from) in [
            (&mut self.waits, &other.waits),
            (&mut self.inside, &other.inside),
        ] {
            for (thread, it) in from {
                to.entry(*thread).or_default().add(it.count, it.ticks);
            }
        }
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
    pub(crate) fn see(&mut self, it: &Sum) {
        if it.what == SumOf::Storing {
            let before = self.storing.unwrap_or(0);
            self.storing = Some(before.saturating_add(it.sum));
        }
        // What every recording adds up (`account`).
        let always = matches!(it.what, SumOf::Mutex | SumOf::Task | SumOf::Storing);
        if it.count == 0 || always {
            return;
        }
        self.last = self.last.max(it.to);
        match it.what {
            SumOf::Parallel if it.of == 0 => {
                self.regions.add(it.count, it.sum);
                self.beginners.insert(it.thread);
            }
            SumOf::Wait => self.waits.add(it.count, it.sum),
            _ => {}
        }
        if it.the_loop == NOBODY {
            return;
        }
        let to = self.loops.entry(it.the_loop).or_default();
        let to = match it.what {
            SumOf::Wait => &mut to.waits,
            SumOf::Loop => &mut to.inside,
            _ => return,
        };
        to.entry(it.thread).or_default().add(it.count, it.sum);
    }

    pub(crate) fn add(&mut self, other: &Counted) {
        for (number, it) in &other.loops {
            self.loops.entry(*number).or_default().add(it);
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
