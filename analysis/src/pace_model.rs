//! How long an execution of a loop takes, as data.

use serde::Serialize;

/// How long an execution of a loop takes, and how that changes in the course of the run.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct PaceReport {
    /// Executions that this is of: complete ones.
    pub executions: u64,
    /// Iterations of their mean.
    pub mean_trip_count: f64,
    /// Threads of the team, likewise.
    pub mean_team_size: f64,
    /// Processes that run it.
    pub processes: usize,
    /// From the first thread's begin to the last one's end, without the recorder.
    pub elapsed: Pace,
    /// The same without what was taken from threads, by other programs or by threads that are more than cores; `None`: not known.
    pub own: Option<Pace>,
}

/// Seconds that an execution takes.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Pace {
    /// The median of up to 64 means of consecutive executions; of several processes the mean of theirs.
    pub seconds: f64,
    /// The same of up to eight stretches of the run, with equal numbers of executions, one after the other.
    pub stretches: Vec<f64>,
}
