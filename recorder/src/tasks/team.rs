//! What the threads of a team hand each other about tasks: up to where the longest chain of work in their region goes.

use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering};

/// One execution of a region.
#[derive(Debug, Default)]
pub(crate) struct Team {
    /// Ticks of the longest chain that has ended, by the number of barriers before, in two places in turn: a thread that leaves a
    /// barrier late does not find what others have done since.
    ends: [AtomicU64; 2],
    /// An explicit task was created in it.
    has_tasks: AtomicBool,
    /// Something orders its tasks of which nothing is known.
    is_unknown: AtomicBool,
    /// Threads, as the first of them says.
    size: AtomicU32,
    /// The return address of the call that began the outermost region around, or this one.
    root: AtomicU64,
}

impl Team {
    /// Before its threads begin.
    pub(crate) fn begin(&self, root: u64) {
        self.ends.iter().for_each(|end| end.store(0, Ordering::Relaxed));
        self.has_tasks.store(false, Ordering::Relaxed);
        self.is_unknown.store(false, Ordering::Relaxed);
        self.root.store(root, Ordering::Relaxed);
    }

    pub(crate) fn root(&self) -> u64 {
        self.root.load(Ordering::Relaxed)
    }

    pub(crate) fn has_size(&self, size: u32) {
        self.size.store(size, Ordering::Relaxed);
    }

    pub(crate) fn size(&self) -> u32 {
        self.size.load(Ordering::Relaxed)
    }

    /// A chain ends before the barrier that comes after so many.
    pub(crate) fn reaches(&self, barriers: u32, path: u64) {
        raise(&self.ends[barriers as usize & 1], path);
    }

    /// The longest of them. To be asked when that barrier is over.
    pub(crate) fn longest(&self, barriers: u32) -> u64 {
        self.ends[barriers as usize & 1].load(Ordering::Relaxed)
    }

    /// The longest of all. To be asked when the region is over.
    pub(crate) fn span(&self) -> u64 {
        self.longest(0).max(self.longest(1))
    }

    pub(crate) fn gets_task(&self) {
        if !self.has_tasks() {
            self.has_tasks.store(true, Ordering::Relaxed);
        }
    }

    pub(crate) fn has_tasks(&self) -> bool {
        self.has_tasks.load(Ordering::Relaxed)
    }

    /// From now on its span is not known.
    pub(crate) fn is_lost(&self) {
        self.is_unknown.store(true, Ordering::Relaxed);
    }

    pub(crate) fn is_known(&self) -> bool {
        !self.is_unknown.load(Ordering::Relaxed)
    }
}

/// Makes a number that only grows at least so large.
pub(crate) fn raise(number: &AtomicU64, least: u64) {
    // Most ends are not the last: they only look.
    if number.load(Ordering::Relaxed) < least {
        number.fetch_max(least, Ordering::Relaxed);
    }
}
