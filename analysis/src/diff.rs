//! Two runs side by side: which loop of the one is which of the other, though lines have moved and the
//! schedule is another.

use std::collections::HashMap;

use serde::Serialize;

use crate::change::Change;
use crate::definition::Identity;
use crate::load::Load;
use crate::model::{LoopReport, Report, VERSION};
use crate::tasks::diff::{TaskPair, pairs as task_pairs};

/// Before and after a change.
#[derive(Debug, Clone, Serialize)]
pub struct Diff<'a> {
    /// `ompchunk-report-diff`
    pub schema: &'static str,
    /// Version of the JSON form.
    pub version: u32,
    /// The run before the change ...
    pub before: Side,
    /// ... and the one after it.
    pub after: Side,
    /// The costliest first, by the larger of both costs.
    pub loops: Vec<Pair<'a>>,
    /// Explicit tasks, by construct, those with most work first; not there where neither run has any.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub tasks: Vec<TaskPair<'a>>,
}

/// One of the runs.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Side {
    /// Its length, from the start of the process where that is known; of several processes the mean.
    pub seconds: f64,
    /// What of its threads' time in these loops was taken from them.
    pub load: Load,
}

/// A loop in both runs, or in one.
#[derive(Debug, Clone, Copy, Serialize)]
pub struct Pair<'a> {
    /// In the run before the change.
    pub before: Option<&'a LoopReport>,
    /// In the run after it.
    pub after: Option<&'a LoopReport>,
    /// How long its executions take; `None`: it is in one run only.
    pub change: Option<Change>,
}

impl Side {
    fn of(report: &Report) -> Side {
        Side { seconds: report.run.seconds + report.run.before_seconds.unwrap_or(0.0), load: Load::of(report) }
    }
}

impl<'a> Pair<'a> {
    fn of(before: Option<&'a LoopReport>, after: Option<&'a LoopReport>) -> Pair<'a> {
        let both = before.zip(after);
        Pair { before, after, change: both.map(|(before, after)| Change::of(before, after)) }
    }

    fn has(&self, the_loop: &LoopReport) -> bool {
        let mut sides = self.before.into_iter().chain(self.after);
        sides.any(|side| std::ptr::eq(side, the_loop))
    }

    fn identity(&self) -> Option<&'a Identity> {
        let latest = self.after.or(self.before);
        latest.map(|the_loop| &the_loop.identity)
    }

    fn cost(&self) -> f64 {
        let cost = |the_loop: Option<&LoopReport>| the_loop.map_or(0.0, LoopReport::cost);
        cost(self.before).max(cost(self.after))
    }
}

/// What two loops must have in common: less and less, each tried for those that are left.
const KEYS: [KeyOf; 3] = [
    // The same function of the same file: first to first, second to second.
    |the_loop| {
        the_loop
            .symbol
            .as_deref()
            .map(|symbol| (the_loop.file.as_deref().or(the_loop.object.as_deref()), Some(symbol), None))
    },
    // The same place.
    |the_loop| {
        let place = (the_loop.line, the_loop.column, the_loop.offset);
        Some((the_loop.file.as_deref().or(the_loop.object.as_deref()), the_loop.symbol.as_deref(), Some(place)))
    },
    // Another path to the file, another program.
    |the_loop| the_loop.symbol.as_deref().map(|symbol| (None, Some(symbol), None)),
];

type KeyOf = fn(&Identity) -> Option<Key<'_>>;

type Key<'a> = (Option<&'a str>, Option<&'a str>, Option<(Option<u32>, Option<u32>, Option<u64>)>);

/// Compares the loops of two reports.
#[must_use]
pub fn diff<'a>(before: &'a Report, after: &'a Report) -> Diff<'a> {
    let mut pairs = Vec::new();
    let (mut left, mut right) = (loops_of(before), loops_of(after));
    for key in KEYS {
        let matched = matches(key, &left, &right);
        let free = |the_loop: &&LoopReport| !matched.iter().any(|pair| pair.has(the_loop));
        left.retain(free);
        right.retain(free);
        pairs.extend(matched);
    }
    pairs.extend(left.into_iter().map(|gone| Pair::of(Some(gone), None)));
    pairs.extend(right.into_iter().map(|new| Pair::of(None, Some(new))));
    pairs.sort_by(|a, b| {
        let by_cost = b.cost().total_cmp(&a.cost());
        by_cost.then_with(|| a.identity().cmp(&b.identity()))
    });
    Diff {
        schema: "ompchunk-report-diff",
        version: VERSION,
        before: Side::of(before),
        after: Side::of(after),
        loops: pairs,
        tasks: task_pairs(before.tasks.as_ref(), after.tasks.as_ref()),
    }
}

fn loops_of(report: &Report) -> Vec<&LoopReport> {
    let mut loops: Vec<&LoopReport> = report.loops.iter().collect();
    loops.sort_by(|a, b| a.identity.cmp(&b.identity));
    loops
}

/// Loops of both runs with the same key, first to first. Of different numbers of loops, nobody knows which is which.
fn matches<'a>(key: KeyOf, left: &[&'a LoopReport], right: &[&'a LoopReport]) -> Vec<Pair<'a>> {
    let (mut of_left, of_right) = (by_key(key, left), by_key(key, right));
    let mut pairs = Vec::new();
    for (key, after) in of_right {
        let before = of_left.remove(&key).unwrap_or_default();
        if before.len() == after.len() {
            let both = before.into_iter().zip(after);
            pairs.extend(both.map(|(before, after)| Pair::of(Some(before), Some(after))));
        }
    }
    pairs
}

fn by_key<'a>(key: KeyOf, loops: &[&'a LoopReport]) -> HashMap<Key<'a>, Vec<&'a LoopReport>> {
    let mut found: HashMap<Key<'_>, Vec<&LoopReport>> = HashMap::new();
    for the_loop in loops {
        if let Some(key) = key(&the_loop.identity) {
            found.entry(key).or_default().push(the_loop);
        }
    }
    found
}
