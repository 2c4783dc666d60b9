//! What is counted, of which loop and thread.

use chunk_tool::Running;

/// Which loop, and the thread's number in its team.
pub(crate) type Key = (usize, i32);

/// One row of the report while it is being counted.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Row {
    pub(crate) who: Running,
    pub(crate) first_seen: f64,
    pub(crate) counts: Counts,
}

#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Counts {
    pub(crate) runs: u64,
    pub(crate) chunks: u64,
    pub(crate) iterations: u64,
    pub(crate) busy: f64,
    pub(crate) longest: f64,
    pub(crate) bookkeeping: f64,
}

pub(crate) fn key(running: &Running) -> Key {
    (running.identity(), running.thread_num)
}
