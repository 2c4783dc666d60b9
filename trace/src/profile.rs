//! Whether the cost of a loop's iterations can be recorded, and if not, why not: from what is known of the loop.

use std::fmt;

use crate::event::{LoopDefinition, flag};

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

impl NotProfiled {
    /// Whether another way of compiling would help, ...
    #[must_use]
    pub fn is_compiled_otherwise(self) -> bool {
        const UNWANTED: u8 = 8;
        matches!(self, NotProfiled::Fixed(UNWANTED) | NotProfiled::NotLooked | NotProfiled::NotCompiled)
    }

    /// ... or its chunks tell what sub-blocks would.
    #[must_use]
    pub fn is_told_by_chunks(self) -> bool {
        matches!(self, NotProfiled::Dealt | NotProfiled::Single)
    }
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
            NotProfiled::Fixed(fixed) => words(*fixed),
            NotProfiled::ChunkSize => "its chunk size is not known before it runs",
            NotProfiled::NotLooked => "an older plugin compiled it",
            NotProfiled::NotCompiled => "it was compiled without ompchunk",
        })
    }
}

/// The names of `enum ompt_chunk_fixed`, in words.
fn words(fixed: u8) -> &'static str {
    match fixed {
        1 => "it deals to the teams of a league",
        2 => "it deals to teams and threads at once",
        3 => "its iterations take turns (ordered)",
        4 => "its iterations wait for earlier ones (ordered with a parameter)",
        5 => "it is not clear where control leaves it after its last iteration",
        6 => "it is compiled for coverage",
        7 => "its steps are those from chunk to chunk",
        8 => "it was compiled with OMPCHUNK_COPIES=report",
        9 => "its function has so many loops that they share their code",
        10 => "its iterations are sections",
        11 => "a register carries a value from one iteration to the next",
        12 => "it is not instrumented, and its file may have loops that do not step from chunk to chunk",
        _ => "its code cannot be stepped through",
    }
}

impl LoopDefinition<'_> {
    /// Why it has no sub-blocks where a profile is recorded; `None`: it has some, as far as the loop can tell.
    #[must_use]
    pub fn not_profiled(&self) -> Option<NotProfiled> {
        let has = |flag: u32| self.flags & flag != 0;
        if !self.instrumented {
            return Some(NotProfiled::NotCompiled);
        }
        if has(flag::DEALT) {
            return Some(NotProfiled::Dealt);
        }
        if has(flag::CHUNK_KNOWN) && self.chunk == 1 {
            return Some(NotProfiled::Single);
        }
        if !has(flag::CHANGEABLE) {
            return Some(NotProfiled::Fixed(self.fixed));
        }
        if has(flag::REASSOCIATED) {
            return Some(NotProfiled::Reassociated);
        }
        if !has(flag::DIVISIBLE) {
            return Some(NotProfiled::NotLooked);
        }
        (has(flag::CHUNKED) && !has(flag::CHUNK_KNOWN)).then_some(NotProfiled::ChunkSize)
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
            flags: flag::CHANGEABLE | flag::DIVISIBLE,
            schedule: 34,
            group: crate::iterations::Group::default(),
            ..LoopDefinition::default()
        };
        let of = |flags: u32| LoopDefinition { flags, ..plain }.not_profiled();
        let both = flag::CHANGEABLE | flag::DIVISIBLE;
        assert_eq!(of(both), None);
        assert_eq!(of(both | flag::CHUNKED | flag::CHUNK_KNOWN), None);
        assert_eq!(of(both | flag::CHUNKED), Some(NotProfiled::ChunkSize));
        let single = LoopDefinition { flags: both | flag::CHUNKED | flag::CHUNK_KNOWN, chunk: 1, ..plain };
        assert_eq!(single.not_profiled(), Some(NotProfiled::Single));
        assert_eq!(of(both | flag::DEALT), Some(NotProfiled::Dealt));
        assert_eq!(of(flag::CHANGEABLE), Some(NotProfiled::NotLooked));
        let reassociated = flag::CHANGEABLE | flag::REASSOCIATED;
        assert_eq!(of(reassociated), Some(NotProfiled::Reassociated));
        let ordered = LoopDefinition { fixed: 3, flags: flag::DIVISIBLE, ..plain };
        assert_eq!(ordered.not_profiled(), Some(NotProfiled::Fixed(3)));
        let uninstrumented = LoopDefinition { instrumented: false, ..plain };
        assert_eq!(uninstrumented.not_profiled(), Some(NotProfiled::NotCompiled));
        assert!(NotProfiled::Fixed(8).is_compiled_otherwise());
        assert!(!NotProfiled::Fixed(3).is_compiled_otherwise());
    }
}
