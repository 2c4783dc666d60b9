//! How a loop compares under two schedules: executions that alternate within one process, so that both run at one speed of the
//! machine, read from traces and compared as ratios. Runs nothing, and prints nothing.
//!
//! Executions as recorded (`executions`) -> samples of both schedules -> a ratio with its interval (`ratio`) -> what may be
//! said of it (`verdict`).

mod compared;
mod executions;
mod order;
mod ratio;
mod verdict;

pub use compared::Compared;
pub use executions::{Execution, LoopPlace, Ran, Runs};
pub use order::in_turns;
pub use ratio::{Interval, Sample, median, median_time, noise, ratio, typical_time};
pub use verdict::{Verdict, verdict};
