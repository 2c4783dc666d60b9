//! What a process's events refer to, numbered in the order of its coming. When the process is written, its numbers become everybody's
//! (`definitions`), so that a loop is one region in all ranks.

use std::hash::Hash;

use indexmap::IndexSet;

/// A value's number: its place among all values, each of which is there once.
pub(super) fn number<T: Eq + Hash>(values: &mut IndexSet<T>, value: T) -> u32 {
    values.insert_full(value).0 as u32
}

/// A region: something that is entered and left.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) struct Region {
    /// Score-P's name: `!$omp for @app.c:19`.
    pub(super) name: String,
    /// Without its place: `!$omp for`.
    pub(super) what: &'static str,
    /// The function around the region; may be empty.
    pub(super) function: String,
    /// `OTF2_RegionRole`
    pub(super) role: u8,
    /// File and line, where they are known.
    pub(super) source: Option<(String, u32)>,
}

/// Of a process.
#[derive(Debug, Default)]
pub(super) struct Numbers {
    pub(super) strings: IndexSet<String>,
    pub(super) regions: IndexSet<Region>,
    /// The threads of each team, in its order.
    pub(super) teams: IndexSet<Vec<u32>>,
}
