//! Time in a chunk that is not the work of its iterations: the recorder's own, and time in which the thread was not on a
//! core. Of the latter, what the thread gave up itself (a sleep, a lock, a file) is what its iterations do, and stays
//! their work; what was taken from it, or may have been, says nothing of them.

use ompchunk_trace_format::{OffCore, Recorder, Times, Why};

/// In ticks.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Off {
    pub recorder: u64,
    /// Off a core: taken from the recorder, so in no chunk.
    pub beside: u64,
    /// Off a core: taken from it.
    pub preempted: u64,
    /// Off a core: given up.
    pub waiting: u64,
    /// Off a core: one or the other.
    pub either: u64,
    /// The core on which the thread was when that was found, plus 1.
    pub(crate) core: u32,
}

impl Off {
    pub fn core_time(&self) -> u64 {
        let all = [self.beside, self.preempted, self.waiting, self.either];
        all.into_iter().fold(0, u64::saturating_add)
    }

    /// What is no part of a chunk's time.
    pub fn outside(&self) -> u64 {
        self.recorder.saturating_add(self.beside)
    }

    /// What of a chunk's time iterations may not be blamed for.
    pub fn taken(&self) -> u64 {
        self.preempted.saturating_add(self.either)
    }

    /// The core on which the thread went on, if that is known.
    pub fn core(&self) -> Option<u32> {
        self.core.checked_sub(1)
    }

    pub(crate) fn add(&mut self, other: &Off) {
        self.recorder = self.recorder.saturating_add(other.recorder);
        self.beside = self.beside.saturating_add(other.beside);
        self.preempted = self.preempted.saturating_add(other.preempted);
        self.waiting = self.waiting.saturating_add(other.waiting);
        self.either = self.either.saturating_add(other.either);
        self.core = self.core.max(other.core);
    }

    /// The recorder has told of its work.
    pub(crate) fn record(&mut self, recorder: &Recorder) {
        let own = recorder.ticks.saturating_sub(recorder.preempted);
        self.recorder = self.recorder.saturating_add(own);
        self.beside = self.beside.saturating_add(recorder.ticks - own);
    }

    /// Time off a core was found, in something that has lasted so long: not more of it can be that one's.
    pub(crate) fn find(&mut self, off_core: &OffCore, most: u64) {
        let ticks = off_core.ticks.min(most);
        let to = match off_core.why() {
            Why::Preempted => &mut self.preempted,
            Why::Waiting => &mut self.waiting,
            Why::Either => &mut self.either,
        };
        *to = to.saturating_add(ticks);
        self.core = off_core.core.map_or(0, |core| core.saturating_add(1));
    }

    /// Not more than there is: what is together more than a chunk was told of times that overlap.
    pub(crate) fn within(self, ticks: u64) -> Off {
        let mut left = ticks;
        let mut cut = |of: u64| {
            let some = of.min(left);
            left -= some;
            some
        };
        Off {
            recorder: cut(self.recorder),
            beside: cut(self.beside),
            either: cut(self.either),
            preempted: cut(self.preempted),
            waiting: cut(self.waiting),
            core: self.core,
        }
    }

    pub(crate) fn is_none(&self) -> bool {
        *self == Off::default()
    }
}

impl From<&Times> for Off {
    fn from(times: &Times) -> Off {
        Off {
            recorder: times.recorder,
            beside: 0,
            preempted: times.preempted,
            waiting: times.waiting,
            either: times.either,
            core: 0,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn never_more_than_there_is() {
        let off = Off { recorder: 20, beside: 10, preempted: 60, waiting: 60, either: 20, core: 3 };
        let cut = off.within(100);
        assert_eq!((cut.outside(), cut.either), (30, 20));
        assert_eq!((cut.preempted, cut.waiting), (50, 0));
        assert_eq!((cut.core_time(), cut.taken()), (80, 70));
        assert_eq!(cut.core(), Some(2));
        assert_eq!(off.within(1000), off);
        assert!(off.within(0).core_time() == 0);
    }
}
