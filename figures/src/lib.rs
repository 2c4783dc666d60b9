//! What numbers are and how they are written: medians, intervals and ratios of what was measured, in every room the same. Measures
//! nothing, and prints nothing.

#![allow(missing_docs, reason = "a doc says what the name does not; nobody else uses this")]

mod interval;
mod ratio;
mod written;

pub use interval::{Interval, median, median_between, quantile, share_between, worth};
pub use ratio::{Sample, Verdict, noise, ratio, typical_time, verdict};
pub use written::{are, count, counted, number, percent, time, were};
