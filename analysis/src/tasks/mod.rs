//! Explicit tasks: what recordings add up of them by construct and by region (`sums`), in seconds and by name (`report`, `model`),
//! and what it suggests (`hints`).

mod hints;
pub(crate) mod model;
mod report;
mod sums;

pub(crate) use self::report::report;
pub(crate) use self::sums::TaskSums;
