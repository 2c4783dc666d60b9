//! Two runs side by side: which construct of the one is which of the other. There is no verdict, as there are sums only.

use std::collections::BTreeMap;

use serde::Serialize;

use super::model::{ConstructReport, Site, TasksReport};

/// The tasks of a construct in both runs, or in one.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct TaskPair<'a> {
    /// In the run before the change.
    pub before: Option<&'a ConstructReport>,
    /// In the run after it.
    pub after: Option<&'a ConstructReport>,
}

impl TaskPair<'_> {
    fn work(&self) -> f64 {
        let sides = self.before.into_iter().chain(self.after);
        sides.map(|side| side.work_seconds).fold(0.0, f64::max)
    }
}

type Key<'a> = (Option<&'a str>, Option<&'a str>, Option<(Option<u32>, Option<u64>)>);

/// What two constructs must have in common, each tried for those that are left: the same place, then, where lines have moved, the same
/// function of the same file.
const KEYS: [fn(&Site) -> Option<Key<'_>>; 2] = [
    |site| {
        let place = (site.line, site.offset);
        Some((file(site), site.function.as_deref(), Some(place)))
    },
    |site| {
        let function = site.function.as_deref()?;
        Some((file(site), Some(function), None))
    },
];

fn file(site: &Site) -> Option<&str> {
    site.file.as_deref().or(site.object.as_deref())
}

/// Pairs, those with most work first.
pub(crate) fn pairs<'a>(before: Option<&'a TasksReport>, after: Option<&'a TasksReport>) -> Vec<TaskPair<'a>> {
    let (mut left, mut right) = (constructs(before), constructs(after));
    let mut pairs: Vec<TaskPair<'a>> = Vec::new();
    for key in KEYS {
        let (mut of_left, of_right) = (by_key(key, &left), by_key(key, &right));
        let mut matched: Vec<TaskPair<'a>> = Vec::new();
        for (key, after) in of_right {
            let before = of_left.remove(&key).unwrap_or_default();
            // Of different numbers nobody knows which is which.
            if before.len() == after.len() {
                let both = before.into_iter().map(Some).zip(after.into_iter().map(Some));
                matched.extend(both.map(|(before, after)| TaskPair { before, after }));
            }
        }
        let is = |side: Option<&ConstructReport>, of| side.is_some_and(|side| std::ptr::eq(side, of));
        left.retain(|of| !matched.iter().any(|pair| is(pair.before, *of)));
        right.retain(|of| !matched.iter().any(|pair| is(pair.after, *of)));
        pairs.extend(matched);
    }
    pairs.extend(left.into_iter().map(|gone| TaskPair { before: Some(gone), after: None }));
    pairs.extend(right.into_iter().map(|new| TaskPair { before: None, after: Some(new) }));
    pairs.sort_by(|one, two| two.work().total_cmp(&one.work()));
    pairs
}

/// In the order of their places.
fn constructs(tasks: Option<&TasksReport>) -> Vec<&ConstructReport> {
    let mut all: Vec<_> = tasks.into_iter().flat_map(|of| &of.constructs).collect();
    all.sort_by_key(|of| (&of.site.file, of.site.line, of.site.offset));
    all
}

fn by_key<'a>(
    key: fn(&Site) -> Option<Key<'_>>,
    all: &[&'a ConstructReport],
) -> BTreeMap<Key<'a>, Vec<&'a ConstructReport>> {
    let mut found: BTreeMap<Key<'a>, Vec<&'a ConstructReport>> = BTreeMap::new();
    for of in all {
        if let Some(key) = key(&of.site) {
            found.entry(key).or_default().push(of);
        }
    }
    found
}
