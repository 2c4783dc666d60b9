//! Which loops and which ranks of a trace are exported.

use std::collections::{HashMap, HashSet};
use std::ops::RangeInclusive;
use std::path::{Path, PathBuf};

use ompchunk_trace_format::Part;

/// Some loops of a trace, by their numbers in each part.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Selection {
    numbers: HashMap<PathBuf, HashSet<u32>>,
}

impl Selection {
    /// Adds a loop of a part.
    pub fn add(&mut self, part: &Path, the_loop: u32) {
        let of_part = self.numbers.entry(part.to_owned()).or_default();
        of_part.insert(the_loop);
    }

    /// Those of a part.
    pub(crate) fn of(&self, part: &Part) -> HashSet<u32> {
        self.numbers.get(part.path()).cloned().unwrap_or_default()
    }
}

/// Some ranks; none: all.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Ranks(pub Vec<RangeInclusive<u64>>);

impl Ranks {
    /// Is a rank one of them?
    #[must_use]
    pub fn have(&self, rank: Option<u64>) -> bool {
        let is_named = |rank| self.0.iter().any(|range| range.contains(&rank));
        self.0.is_empty() || rank.is_some_and(is_named)
    }
}
