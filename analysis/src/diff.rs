//! Two runs side by side: which loop of the one is which of the other, though lines have moved and the
//! schedule is another.

use std::collections::HashMap;

use serde::Serialize;

use crate::change::Change;
use crate::definition::Identity;
use crate::load::Load;
use crate::model::{LoopReport, Report, VERSION};

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
        Side {
            seconds: report.run.seconds + report.run.before_seconds.unwrap_or(0.0),
            load: Load::of(report),
        }
    }
}

impl Pair<'_> {
    fn cost(&self) -> f64 {
        let cost = |the_loop: Option<&LoopReport>| the_loop.map_or(0.0, LoopReport::cost);
        cost(self.before).max(cost(self.after))
    }
}

/// What two loops must have in common: less and less, each tried for those that are left.
const KEYS: [fn(&Identity) -> Option<Key<'_>>; 3] = [
    // The same function of the same file: first to first, second to second.
    |the_loop| {
        the_loop.symbol.as_deref().map(|symbol| {
            (
                the_loop.file.as_deref().or(the_loop.object.as_deref()),
                Some(symbol),
                None,
            )
        })
    },
    // The same place.
    |the_loop| {
        let place = (the_loop.line, the_loop.column, the_loop.offset);
        Some((
            the_loop.file.as_deref().or(the_loop.object.as_deref()),
            the_loop.symbol.as_deref(),
            Some(place),
        ))
    },
    // Another path to the file, another program.
    |the_loop| {
        the_loop
            .symbol
            .as_deref()
            .map(|symbol| (None, Some(symbol), None))
    },
];

type Key<'a> = (
    Option<&'a str>,
    Option<&'a str>,
    Option<(Option<u32>, Option<u32>, Option<u64>)>,
);

/// Compares the loops of two reports.
#[must_use]
pub fn diff<'a>(before: &'a Report, after: &'a Report) -> Diff<'a> {
    let in_order = |report: &'a Report| {
        let mut loops: Vec<&LoopReport> = report.loops.iter().collect();
        loops.sort_by(|one, other| one.identity.cmp(&other.identity));
        loops
    };
    let (mut left, mut right) = (in_order(before), in_order(after));
    let mut pairs = Vec::new();
    for key in KEYS {
        let mut found: HashMap<Key<'_>, (Vec<&LoopReport>, Vec<&LoopReport>)> = HashMap::new();
        for the_loop in &left {
            if let Some(key) = key(&the_loop.identity) {
                found.entry(key).or_default().0.push(the_loop);
            }
        }
        for the_loop in &right {
            if let Some(key) = key(&the_loop.identity) {
                found.entry(key).or_default().1.push(the_loop);
            }
        }
        let mut taken: Vec<*const LoopReport> = Vec::new();
        for (one, other) in found.into_values() {
            // Of different numbers of loops, nobody knows which is which.
            if one.len() == other.len() {
                for (before, after) in one.into_iter().zip(other) {
                    taken.extend([std::ptr::from_ref(before), std::ptr::from_ref(after)]);
                    pairs.push(Pair {
                        before: Some(before),
                        after: Some(after),
                        change: Some(Change::of(before, after)),
                    });
                }
            }
        }
        let free = |loop_report: &&LoopReport| !taken.contains(&std::ptr::from_ref(*loop_report));
        left.retain(free);
        right.retain(free);
    }
    pairs.extend(left.into_iter().map(|the_loop| Pair {
        before: Some(the_loop),
        after: None,
        change: None,
    }));
    pairs.extend(right.into_iter().map(|the_loop| Pair {
        before: None,
        after: Some(the_loop),
        change: None,
    }));
    pairs.sort_by(|one, other| {
        let identity = |pair: &Pair<'a>| pair.after.or(pair.before).map(|after| &after.identity);
        other
            .cost()
            .total_cmp(&one.cost())
            .then_with(|| identity(one).cmp(&identity(other)))
    });
    Diff {
        schema: "ompchunk-report-diff",
        version: VERSION,
        before: Side::of(before),
        after: Side::of(after),
        loops: pairs,
    }
}
