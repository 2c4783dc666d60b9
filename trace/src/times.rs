//! Time that is not the program's work: the recorder's own, time off a core; and what a recording leaves out because it was asked to.

use crate::numbered::numbered;

/// The recorder's own time: blocks that were written, definitions, waiting for a lock.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Recorder {
    /// Ticks up to this record. They are in the chunk, the wait or whatever else the thread was in.
    pub ticks: u64,
    /// Ticks of these in which the core was taken from it.
    pub preempted: u64,
    /// Ticks of what was too short for a record of its own, since the lane's record of this kind before.
    pub before: u32,
}

/// Time of a thread that the processor did not give to it, by the thread's own CPU clock.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct OffCore {
    /// Ticks in which it was not on a core; [`OffCore::UNKNOWN`]: the thread's CPU clock can no longer be read.
    pub ticks: u64,
    /// Ticks since that clock was read before: somewhere in these.
    pub since: u64,
    /// How often it gave up its core in that time, as to sleep or to wait for a lock or a file, ...
    pub voluntary: u32,
    /// ... and how often the core was taken from it. Both 0: not known.
    pub involuntary: u32,
    /// The core on which it then was.
    pub core: Option<u32>,
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

/// What [`Recorder`] and [`OffCore`] tell, added up over chunks of which an [`Aggregate`](crate::Aggregate) tells the rest. Ticks.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Times {
    /// The loop.
    pub the_loop: u32,
    /// The thread.
    pub thread: u32,
    /// The recorder's own. It is not in the chunks' durations.
    pub recorder: u64,
    /// Off a core, where all switches were involuntary. This and the next two are in the durations.
    pub preempted: u64,
    /// Off a core, where all switches were voluntary.
    pub waiting: u64,
    /// Off a core, where there were both, or where it is not known.
    pub either: u64,
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
    pub fn of;
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
    pub fn of;
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

/// Executions of a loop by a thread that are not told.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LeftOut {
    /// Why.
    pub why: Unwanted,
    /// The loop.
    pub the_loop: u32,
    /// The thread.
    pub thread: u32,
    /// How many.
    pub executions: u64,
}
