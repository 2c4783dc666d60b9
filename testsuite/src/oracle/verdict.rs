//! What was found in a log.

use std::collections::BTreeMap;

use super::violation::Violation;

#[derive(Debug, Default)]
pub struct Verdict {
    /// Everything wrong with the log.
    pub violations: Vec<Violation>,
    /// Iterations run per loop.
    pub iterations: BTreeMap<u64, u64>,
    /// Chunks run in instrumented loops.
    pub chunks: u64,
    pub sub_blocks: u64,
    /// Dispatch events of loops whose chunks the runtime deals, and of everything else.
    pub runtimes_own: u64,
}
