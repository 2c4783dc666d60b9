//! What a recording leaves out because it was asked to, as events.

use crate::numbered::numbered;

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
