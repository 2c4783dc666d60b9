//! Explicit tasks: what is known of each while it lives (`record`), how long the longest chain of work is that leads to it
//! (`paths`), and what is added up of them by construct and by region (`sums`). The runtime tells of them in `events`.
//!
//! A record for each task goes into the trace only where that is asked for (`each`, `tell`): tasks of half a microsecond are usual, by the
//! million.

pub(crate) mod each;
pub(crate) mod events;
pub(crate) mod grains;
pub(crate) mod order;
pub(crate) mod paths;
pub(crate) mod pool;
pub(crate) mod record;
pub(crate) mod sums;
pub(crate) mod tell;
