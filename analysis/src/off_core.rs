//! Time in a chunk that is not its iterations' work: the recorder's own, and what was taken from the thread, or may have been. What the
//! thread gave up itself (a sleep, a lock, a file) is what its iterations do, and stays their work.

use ompchunk_trace_format::{Event, OffCore, Why};

use crate::merge::Merge;

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
        [self.beside, self.preempted, self.waiting, self.either].into_iter().fold(0, u64::saturating_add)
    }

    pub fn outside(&self) -> u64 {
        self.recorder.saturating_add(self.beside)
    }

    /// What of a chunk's time iterations may not be blamed for.
    pub fn taken(&self) -> u64 {
        self.preempted.saturating_add(self.either)
    }

    pub fn core(&self) -> Option<u32> {
        self.core.checked_sub(1)
    }

    /// The recorder has told of its work, or time off a core was found, in something that began at `since`: not more of that can be this one's
    /// than it has lasted.
    pub(crate) fn add_event(&mut self, event: &Event<'_>, now: u64, since: u64) {
        match event {
            Event::Recorder(recorder) => {
                let own = recorder.ticks.saturating_sub(recorder.preempted);
                self.recorder.take_in(&own);
                self.beside.take_in(&(recorder.ticks - own));
            }
            Event::OffCore(off_core) if off_core.ticks != OffCore::UNKNOWN => {
                let to = match off_core.why() {
                    Why::Preempted => &mut self.preempted,
                    Why::Waiting => &mut self.waiting,
                    Why::Either => &mut self.either,
                };
                to.take_in(&off_core.ticks.min(now.saturating_sub(since)));
                self.core = off_core.core.map_or(0, |core| core.saturating_add(1));
            }
            _ => {}
        }
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

merge!(Off: recorder, beside, preempted, waiting, either; max core);

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
