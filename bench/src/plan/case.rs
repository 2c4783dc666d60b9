//! What is to be measured in all variants.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

/// What a case's nanoseconds are of.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Unit {
    /// A chunk.
    Chunk,
    /// An execution of a loop by one thread.
    Loop,
    /// An execution of a loop that has iterations enough to be scheduled, by one thread.
    Schedule,
    /// A task, created and run.
    Task,
    /// A run of a program.
    Run,
}

/// One body with one chunk size on one number of threads.
#[derive(Debug, Clone, PartialEq)]
pub struct Case {
    /// The loop's body.
    pub body: String,
    /// The chunk size; of tasks, how many.
    pub chunk: u32,
    /// Threads.
    pub threads: u32,
    /// What the nanoseconds are of.
    pub unit: Unit,
}

impl Case {
    /// One.
    pub fn new(body: &str, chunk: u32, threads: u32, unit: Unit) -> Case {
        Case { body: body.to_owned(), chunk, threads, unit }
    }
}

/// Those that are named, else all; few of them for a look.
pub fn chosen(named: &[u32], quick: bool, all: Vec<u32>, few: &[u32]) -> Vec<u32> {
    match (named, quick) {
        ([], false) => all,
        ([], true) => few.to_vec(),
        _ => named.to_vec(),
    }
}

/// Each once, the smallest first.
pub fn ascending(numbers: impl IntoIterator<Item = u32>) -> Vec<u32> {
    BTreeSet::from_iter(numbers).into_iter().collect()
}

/// Each once, in the order in which they come.
pub fn distinct<T: PartialEq>(values: impl IntoIterator<Item = T>) -> Vec<T> {
    let mut found = Vec::new();
    for value in values {
        if !found.contains(&value) {
            found.push(value);
        }
    }
    found
}
