//! The critical path through a part in which explicit tasks are recorded one by one: whose work the longest chain is.

use ompchunk_trace_format::{Ending, Part};

use crate::error::Error;
use crate::grain;

pub use crate::grain::OnPath;

/// The longest chain of work of which no part can run at the same time as another part: in explicit tasks, in chunks, and in what
/// creates tasks.
#[derive(Debug, Clone, PartialEq)]
pub struct CriticalPath {
    /// How long it is.
    pub seconds: f64,
    /// All work of that kind.
    pub work_seconds: f64,
    /// Whose work is on it, in seconds. They add up to the path.
    pub parts: Vec<(OnPath, f64)>,
}

/// Reads a part once, in the order of time. `None`: it does not have all tasks.
pub fn critical_path(part: &Part) -> Result<Option<CriticalPath>, Error> {
    let mode = &part.meta().mode;
    let has_all = mode.tasks && !mode.aggregate && mode.sample <= 1;
    if !has_all || part.ending() != Ending::Clean || part.head().lost_events > 0 {
        return Ok(None);
    }
    let Some(path) = grain::critical_path(part)? else {
        return Ok(None);
    };
    let seconds = |ticks: u64| part.clock().duration(ticks) / 1e9;
    Ok(Some(CriticalPath {
        seconds: seconds(path.length),
        work_seconds: seconds(path.work),
        parts: path.parts.into_iter().map(|(whose, ticks)| (whose, seconds(ticks))).collect(),
    }))
}
