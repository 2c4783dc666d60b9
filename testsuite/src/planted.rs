//! Faults planted by hand: what no exchange of an operator amounts to. `make measure WHAT=mutants` plants them beside the mutants that it samples.

use std::path::Path;

use anyhow::{Context, Result};

/// An expression that stands once in a file of a room, and what is there with the fault.
pub struct Fault {
    pub room: &'static str,
    pub file: &'static str,
    pub was: &'static str,
    pub is: &'static str,
}

impl Fault {
    /// The first byte that it replaces.
    pub fn place(&self, tree: &Path) -> Result<usize> {
        let text = std::fs::read_to_string(tree.join(self.file)).context(self.file)?;
        let mut places = text.match_indices(self.was).map(|(at, _)| at);
        let place = places.next().filter(|_| places.next().is_none());
        place.with_context(|| format!("{} does not have once: {}", self.file, self.was))
    }
}

const fn fault(room: &'static str, file: &'static str, was: &'static str, is: &'static str) -> Fault {
    Fault { room, file, was, is }
}

pub const FAULTS: [Fault; 7] = [
    // Functions that cannot be looked into, and those that have loops themselves, count as relying on nothing.
    fault(
        "pass promises",
        "pass/src/promises/mod.rs",
        "all.calls_unknown || calls_loops(region, called)",
        "all.asks_who",
    ),
    // Behind a loop that does not wait, only what is stored counts.
    fault(
        "pass promises",
        "pass/src/promises/after_loop.rs",
        "!gives_back(current, work)",
        "current.is_store() && !gives_back(current, work)",
    ),
    // What comes before one of two loops without a barrier in between is not looked at.
    fault(
        "pass promises",
        "pass/src/promises/mod.rs",
        "(is_paired[number], is_paired[next]) = (true, true)",
        "is_paired[number] = true",
    ),
    // A loop over chunks of one iteration is recognised whatever it asks of its number and the bound plus one.
    fault("pass find", "pass/src/find/forms/strided.rs", "holds.is_strictly_less(unsigned)", "true"),
    // A chunk that ends right where the next would begin is taken for the last.
    fault("pass emit", "pass/src/emit/chunk_bounds.rs", "IntPredicate::ULT", "IntPredicate::ULE"),
    // A thread without a chunk of a changed loop runs the loop's last iteration.
    fault("shim schedules", "runtime-shim/src/hooks/run.rs", "(behind, last)", "(last, last)"),
    // The recorder's own time counts as the thread's wait.
    fault("analysis phase", "analysis/src/phase.rs", "wait.saturating_sub(self.recorder)", "wait"),
];
