//! What a process's events refer to, numbered as it comes. When the process is written, its numbers become everybody's
//! (`definitions`), so that a loop is one region in all ranks.

use std::collections::HashMap;
use std::hash::Hash;

/// Values, each once.
#[derive(Debug)]
pub(super) struct Numbered<T> {
    numbers: HashMap<T, u32>,
    all: Vec<T>,
}

impl<T> Default for Numbered<T> {
    fn default() -> Self {
        Numbered {
            numbers: HashMap::new(),
            all: Vec::new(),
        }
    }
}

impl<T: Eq + Hash + Clone> Numbered<T> {
    /// The value's number, and whether it is new.
    pub(super) fn number(&mut self, value: &T) -> (u32, bool) {
        if let Some(number) = self.numbers.get(value) {
            return (*number, false);
        }
        let number = self.all.len() as u32;
        self.numbers.insert(value.clone(), number);
        self.all.push(value.clone());
        (number, true)
    }

    /// By their numbers.
    pub(super) fn all(&self) -> &[T] {
        &self.all
    }
}

/// A region: something that is entered and left.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) struct Region {
    /// As Score-P names it: `!$omp for @app.c:19`.
    pub(super) name: String,
    /// Without its place: `!$omp for`.
    pub(super) what: &'static str,
    /// The function that it is in; may be empty.
    pub(super) function: String,
    /// `OTF2_RegionRole`
    pub(super) role: u8,
    /// File and line, where they are known.
    pub(super) source: Option<(String, u32)>,
}

/// Of a process.
#[derive(Debug, Default)]
pub(super) struct Numbers {
    pub(super) strings: Numbered<String>,
    pub(super) regions: Numbered<Region>,
    /// The threads of each team, in its order.
    pub(super) teams: Numbered<Vec<u32>>,
}
