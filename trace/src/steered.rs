//! What a recording leaves out because it was asked to, as events.

/// Why a lane stops recording.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Paused {
    /// The program said so: `omp_control_tool`.
    ByProgram,
    /// `--for` was over.
    ByTime,
    /// A writer of a later version has another reason.
    Other(u32),
}

impl Paused {
    /// The number on disk.
    #[must_use]
    pub const fn number(self) -> u32 {
        match self {
            Paused::ByProgram => 1,
            Paused::ByTime => 2,
            Paused::Other(number) => number,
        }
    }

    /// From the number on disk.
    #[must_use]
    pub const fn of(number: u32) -> Paused {
        match number {
            1 => Paused::ByProgram,
            2 => Paused::ByTime,
            other => Paused::Other(other),
        }
    }
}

/// Why an execution of a loop is not told.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Unwanted {
    /// `--loop` names others.
    Loop,
    /// `--skip`
    Skipped,
    /// A writer of a later version has another reason.
    Other(u32),
}

impl Unwanted {
    /// The number on disk.
    #[must_use]
    pub const fn number(self) -> u32 {
        match self {
            Unwanted::Loop => 1,
            Unwanted::Skipped => 2,
            Unwanted::Other(number) => number,
        }
    }

    /// From the number on disk.
    #[must_use]
    pub const fn of(number: u32) -> Unwanted {
        match number {
            1 => Unwanted::Loop,
            2 => Unwanted::Skipped,
            other => Unwanted::Other(other),
        }
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
