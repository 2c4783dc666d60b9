//! Explicit tasks: what recordings add up of them by construct and by region (`sums`), in seconds and by name (`report`, `model`),
//! and what it suggests (`hints`). Where tasks are told one by one, how many threads ran some at a time (`activity`).

mod activity;
mod hints;
pub(crate) mod model;
mod report;
mod sums;

pub(crate) use self::activity::add as add_activity;
pub(crate) use self::report::{report, sites};
pub(crate) use self::sums::TaskSums;
