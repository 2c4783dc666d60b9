//! What numbers are and how they are written: medians, intervals and ratios of what was measured, in every room the same. Measures
//! nothing, and prints nothing.

mod interval;
mod median;
mod ratio;
mod sampled;
mod verdict;
mod words;
mod written;

pub use interval::{Interval, median_between};
pub use median::{median, quantile};
pub use ratio::{Sample, noise, ratio, typical_time};
pub use sampled::{share_between, worth};
pub use verdict::{Verdict, verdict};
pub use words::{are, counted, were};
pub use written::{count, number, percent, time};
