//! Explicit tasks: each while it lives (`record`), the longest chain of work that leads to it (`paths`), sums by
//! construct and region (`sums`). Only where asked for, records of each (`each`, `each_record`): tasks may take half a µs.

pub(crate) mod each;
pub(crate) mod each_record;
pub(crate) mod events;
pub(crate) mod grains;
pub(crate) mod order;
pub(crate) mod paths;
pub(crate) mod pool;
pub(crate) mod record;
pub(crate) mod sums;
