//! How the list of loops is sorted.

use clap::ValueEnum;

/// Order of the list of loops.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Sort {
    /// Most lost time first: time in which the average thread does no work
    Lost,
    /// The costliest first
    Time,
    /// What perfect balance would save, most first
    Imbalance,
    /// The lowest parallel efficiency first
    Efficiency,
    /// The longest wait that the loop causes at barriers first
    Barrier,
    /// The largest share of bookkeeping first
    Bookkeeping,
    /// Most chunks first
    Chunks,
    /// The longest chunk first
    Longest,
    /// As in the source
    Position,
}
