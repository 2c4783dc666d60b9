//! Two runs side by side: which loop of the one is which of the other, though lines have moved and schedules have changed.

use std::collections::BTreeMap;

use serde::Serialize;

use crate::change::{Change, Load};
use crate::definition::Identity;
use crate::model::{LoopReport, Report, VERSION};
use crate::tasks::model::{ConstructReport, TasksReport};

#[derive(Debug, Clone, Serialize)]
pub struct Diff<'a> {
    pub schema: &'static str,
    pub version: u32,
    pub before: Side,
    pub after: Side,
    pub loops: Vec<Pair<'a>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub tasks: Vec<TaskPair<'a>>,
}

#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Side {
    /// Its length, from the start of the process where that is known; of several processes the mean.
    pub seconds: f64,
    pub load: Load,
}

/// A loop in both runs, or in one.
#[derive(Debug, Clone, Copy, Serialize)]
pub struct Pair<'a> {
    pub before: Option<&'a LoopReport>,
    pub after: Option<&'a LoopReport>,
    /// How long its executions take; `None`: it is in one run only.
    pub change: Option<Change>,
}

impl Side {
    fn from_report(report: &Report) -> Side {
        Side { seconds: report.run.seconds + report.run.before_seconds.unwrap_or(0.0), load: Load::from_report(report) }
    }
}

impl<'a> Pair<'a> {
    fn new(before: Option<&'a LoopReport>, after: Option<&'a LoopReport>) -> Pair<'a> {
        Pair { before, after, change: before.zip(after).map(|(before, after)| Change::between(before, after)) }
    }

    fn identity(&self) -> Option<&'a Identity> {
        self.after.or(self.before).map(|the_loop| &the_loop.identity)
    }

    fn cost(&self) -> f64 {
        let cost = |the_loop: Option<&LoopReport>| the_loop.map_or(0.0, LoopReport::cost);
        cost(self.before).max(cost(self.after))
    }
}

/// What two of a kind may have in common: file or program, function, and place there.
type Key<'a> = (Option<&'a str>, Option<&'a str>, Option<(Option<u32>, Option<u32>, Option<u64>)>);

type KeyOf<T> = fn(&T) -> Option<Key<'_>>;

/// What two loops must have in common: less and less, each tried for those that are left.
const LOOPS: [KeyOf<LoopReport>; 3] = [
    // The same function of the same file: first to first, second to second.
    |LoopReport { identity, .. }| {
        Some((identity.file.as_deref().or(identity.object.as_deref()), Some(identity.symbol.as_deref()?), None))
    },
    // The same place.
    |LoopReport { identity, .. }| {
        let place = (identity.line, identity.column, identity.offset);
        Some((identity.file.as_deref().or(identity.object.as_deref()), identity.symbol.as_deref(), Some(place)))
    },
    // Another path to the file, another program.
    |LoopReport { identity, .. }| identity.symbol.as_deref().map(|symbol| (None, Some(symbol), None)),
];

/// The same of constructs: the same place, then, where lines have moved, the same function of the same file.
const CONSTRUCTS: [KeyOf<ConstructReport>; 2] = [
    |ConstructReport { site, .. }| {
        let place = (site.line, None, site.offset);
        Some((site.file.as_deref().or(site.object.as_deref()), site.function.as_deref(), Some(place)))
    },
    |ConstructReport { site, .. }| {
        Some((site.file.as_deref().or(site.object.as_deref()), Some(site.function.as_deref()?), None))
    },
];

pub fn diff<'a>(before: &'a Report, after: &'a Report) -> Diff<'a> {
    let pairs = pair_up(&LOOPS, loops_of(before), loops_of(after)).into_iter();
    let mut pairs: Vec<Pair<'_>> = pairs.map(|(before, after)| Pair::new(before, after)).collect();
    pairs.sort_by(|a, b| b.cost().total_cmp(&a.cost()).then_with(|| a.identity().cmp(&b.identity())));
    Diff {
        schema: "ompchunk-report-diff",
        version: VERSION,
        before: Side::from_report(before),
        after: Side::from_report(after),
        loops: pairs,
        tasks: task_pairs(before.tasks.as_ref(), after.tasks.as_ref()),
    }
}

fn loops_of(report: &Report) -> Vec<&LoopReport> {
    let mut loops: Vec<&LoopReport> = report.loops.iter().collect();
    loops.sort_by(|a, b| a.identity.cmp(&b.identity));
    loops
}

/// Pairs items of both runs with the same key, first to first, then those of one run. If their numbers differ, nobody knows which is which.
fn pair_up<'a, T>(
    keys: &[KeyOf<T>],
    mut left: Vec<&'a T>,
    mut right: Vec<&'a T>,
) -> Vec<(Option<&'a T>, Option<&'a T>)> {
    let mut pairs = Vec::new();
    for key in keys {
        let (mut of_left, of_right) = (by_key(*key, &left), by_key(*key, &right));
        for (key, after) in of_right {
            let before = of_left.remove(&key).unwrap_or_default();
            if before.len() == after.len() {
                left.retain(|of| !before.iter().any(|paired| std::ptr::eq(*paired, *of)));
                right.retain(|of| !after.iter().any(|paired| std::ptr::eq(*paired, *of)));
                pairs.extend(before.into_iter().map(Some).zip(after.into_iter().map(Some)));
            }
        }
    }
    pairs.extend(left.into_iter().map(|gone| (Some(gone), None)));
    pairs.extend(right.into_iter().map(|new| (None, Some(new))));
    pairs
}

fn by_key<'a, T>(key: KeyOf<T>, all: &[&'a T]) -> BTreeMap<Key<'a>, Vec<&'a T>> {
    let mut found: BTreeMap<Key<'a>, Vec<&'a T>> = BTreeMap::new();
    for of in all {
        if let Some(key) = key(of) {
            found.entry(key).or_default().push(of);
        }
    }
    found
}

#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct TaskPair<'a> {
    pub before: Option<&'a ConstructReport>,
    pub after: Option<&'a ConstructReport>,
}

impl TaskPair<'_> {
    fn work(&self) -> f64 {
        self.before.into_iter().chain(self.after).map(|side| side.work_seconds).fold(0.0, f64::max)
    }
}

fn task_pairs<'a>(before: Option<&'a TasksReport>, after: Option<&'a TasksReport>) -> Vec<TaskPair<'a>> {
    let pairs = pair_up(&CONSTRUCTS, constructs(before), constructs(after)).into_iter();
    let mut pairs: Vec<TaskPair<'a>> = pairs.map(|(before, after)| TaskPair { before, after }).collect();
    pairs.sort_by(|one, two| two.work().total_cmp(&one.work()));
    pairs
}

fn constructs(tasks: Option<&TasksReport>) -> Vec<&ConstructReport> {
    let mut all: Vec<_> = tasks.into_iter().flat_map(|of| &of.constructs).collect();
    all.sort_by_key(|of| (&of.site.file, of.site.line, of.site.offset));
    all
}
