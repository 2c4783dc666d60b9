//! Time that is not the program's work: the recorder's own, time off a core; and what a recording leaves out because it was asked to.

use crate::numbered::{event_fields, numbered};

event_fields! {
    /// The recorder's own time: blocks that were written, definitions, waiting for a lock.
    Recorder {
        ticks: u64, "Ticks up to this record. They are in the chunk, the wait or whatever else the thread was in.";
        preempted: u64, "Ticks of these in which the core was taken from it.";
        before: u32, "Ticks of what was too short for a record of its own, since the lane's record of this kind before.";
    }

    /// Time of a thread that the processor did not give to it, by the thread's own CPU clock.
    OffCore {
        ticks: u64, "Ticks in which it was not on a core; [`OffCore::UNKNOWN`]: the thread's CPU clock can no longer be read.";
        since: u64, "Ticks since that clock was read before: somewhere in these.";
        voluntary: u32, "How often it gave up its core in that time, as to sleep or to wait for a lock or a file, ...";
        involuntary: u32, "... and how often the core was taken from it. Both 0: not known.";
        core: Option<u32>, "The core on which it then was.";
    }
}

impl OffCore {
    /// In place of [`OffCore::ticks`].
    pub const UNKNOWN: u64 = u64::MAX;

    /// As the switches tell.
    pub fn why(&self) -> Why {
        match (self.voluntary, self.involuntary) {
            (0, 1..) => Why::Preempted,
            (1.., 0) => Why::Waiting,
            _ => Why::Either,
        }
    }
}

event_fields! {
    /// What [`Recorder`] and [`OffCore`] tell, added up over chunks of which an [`Aggregate`](crate::Aggregate) tells the rest. Ticks.
    #[derive(Default)]
    Times {
        the_loop: u32, "The loop.";
        thread: u32, "The thread.";
        recorder: u64, "The recorder's own. It is not in the chunks' durations.";
        preempted: u64, "Off a core, where all switches were involuntary. This and the next two are in the durations.";
        waiting: u64, "Off a core, where all switches were voluntary.";
        either: u64, "Off a core, where there were both, or where it is not known.";
    }
    /// Executions of a loop by a thread that are not told.
    LeftOut {
        why: Unwanted, "Why.";
        the_loop: u32, "The loop.";
        thread: u32, "The thread.";
        executions: u64, "How many.";
    }
}

/// Why a thread was not on a core.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Why {
    /// It was taken off.
    Preempted,
    /// It gave it up, as to sleep or to wait for a lock or a file.
    Waiting,
    /// It did both, or it is not known.
    Either,
}

impl Times {
    /// Adds time off a core.
    pub fn add(&mut self, off_core: &OffCore) {
        let sum = match off_core.why() {
            Why::Preempted => &mut self.preempted,
            Why::Waiting => &mut self.waiting,
            Why::Either => &mut self.either,
        };
        *sum = sum.saturating_add(off_core.ticks);
    }
}

numbered! {
    pub fn from_number;
    /// Why a lane stops recording.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub enum Paused {
        /// The program said so: `omp_control_tool`.
        ByProgram = 1,
        /// `--for` was over.
        ByTime = 2,
    }
}

numbered! {
    pub fn from_number;
    /// Why an execution of a loop is not told.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
    pub enum Unwanted {
        /// `--loop` names others.
        Loop = 1,
        /// `--skip`
        Skipped = 2,
        /// Its chunks cost more to tell than to run, in a recording with a profile. Its begin and end are told, and this between them.
        Costly = 3,
    }
}
