//! Whether the cost of a loop's iterations can be recorded, and if not, why not: from what is known of the loop.

use std::fmt;

use ompt::raw::{
    LOOP_CHANGEABLE, LOOP_CHUNK_KNOWN, LOOP_CHUNKED, LOOP_DEALT, LOOP_DIVISIBLE, LOOP_REASSOCIATED, fixed,
};

use crate::event::LoopDefinition;

/// Why a loop has no sub-blocks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum NotProfiled {
    /// The runtime deals its chunks, and all of them are told: they are its profile.
    Dealt,
    /// Its chunks have one iteration each, and are told.
    Single,
    /// In sub-blocks the last bits of its results might differ.
    Reassociated,
    /// Its code cannot be stepped through: `enum ompt_chunk_fixed`.
    Fixed(u8),
    /// Its chunk size is not known before it runs.
    ChunkSize,
    /// A plugin compiled it that did not look.
    NotLooked,
    /// It was compiled without the plugin.
    NotCompiled,
}

impl fmt::Display for NotProfiled {
    /// As what follows the loop's name and "because".
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        to.write_str(match self {
            NotProfiled::Dealt => "the runtime deals its chunks, which are its profile",
            NotProfiled::Single => "its chunks have one iteration each, and are its profile",
            NotProfiled::Reassociated => {
                "the compiler may reorder its floating-point operations, and results might differ in their last bits \
                 (OMPCHUNK_PROFILE=reassociated records one all the same)"
            }
            NotProfiled::Fixed(fixed) => fixed::sentence(*fixed).unwrap_or("its code cannot be stepped through"),
            NotProfiled::ChunkSize => "its chunk size is not known before it runs",
            NotProfiled::NotLooked => "an older plugin compiled it",
            NotProfiled::NotCompiled => "it was compiled without ompchunk",
        })
    }
}

impl LoopDefinition<'_> {
    /// Why it has no sub-blocks where a profile is recorded; `None`: it has some, as far as the loop can tell.
    pub fn not_profiled(&self) -> Option<NotProfiled> {
        let has = |flag: u32| self.flags & flag != 0;
        if !self.instrumented {
            return Some(NotProfiled::NotCompiled);
        }
        if has(LOOP_DEALT) {
            return Some(NotProfiled::Dealt);
        }
        if has(LOOP_CHUNK_KNOWN) && self.chunk == 1 {
            return Some(NotProfiled::Single);
        }
        if !has(LOOP_CHANGEABLE) {
            return Some(NotProfiled::Fixed(self.fixed));
        }
        if has(LOOP_REASSOCIATED) {
            return Some(NotProfiled::Reassociated);
        }
        if !has(LOOP_DIVISIBLE) {
            return Some(NotProfiled::NotLooked);
        }
        (has(LOOP_CHUNKED) && !has(LOOP_CHUNK_KNOWN)).then_some(NotProfiled::ChunkSize)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_reason_is_told() {
        let plain = LoopDefinition {
            instrumented: true,
            construct: 1,
            bits: 32,
            variable_bits: 32,
            flags: LOOP_CHANGEABLE | LOOP_DIVISIBLE,
            schedule: 34,
            group: crate::iterations::Group::default(),
            ..LoopDefinition::default()
        };
        let of = |flags: u32| LoopDefinition { flags, ..plain }.not_profiled();
        let both = LOOP_CHANGEABLE | LOOP_DIVISIBLE;
        assert_eq!(of(both), None);
        assert_eq!(of(both | LOOP_CHUNKED | LOOP_CHUNK_KNOWN), None);
        assert_eq!(of(both | LOOP_CHUNKED), Some(NotProfiled::ChunkSize));
        let single = LoopDefinition { flags: both | LOOP_CHUNKED | LOOP_CHUNK_KNOWN, chunk: 1, ..plain };
        assert_eq!(single.not_profiled(), Some(NotProfiled::Single));
        assert_eq!(of(both | LOOP_DEALT), Some(NotProfiled::Dealt));
        assert_eq!(of(LOOP_CHANGEABLE), Some(NotProfiled::NotLooked));
        let reassociated = LOOP_CHANGEABLE | LOOP_REASSOCIATED;
        assert_eq!(of(reassociated), Some(NotProfiled::Reassociated));
        let ordered = LoopDefinition { fixed: 3, flags: LOOP_DIVISIBLE, ..plain };
        assert_eq!(ordered.not_profiled(), Some(NotProfiled::Fixed(3)));
        let uninstrumented = LoopDefinition { instrumented: false, ..plain };
        assert_eq!(uninstrumented.not_profiled(), Some(NotProfiled::NotCompiled));
    }
}
