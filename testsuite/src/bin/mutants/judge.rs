//! Each mutant against the tests that come by it, one after another, until enough have noticed it.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::time::Duration;

use anyhow::Result;
use ompchunk_testsuite::check_list::CheckList;
use serde_json::{Value, json};

use crate::cases::Learnt;
use crate::run;
use crate::run::{End, Run, Switch};

/// A test that takes longer, in seconds, is run only with what no other one noticed.
const DEAR: f64 = 60.0;

/// What takes less takes as long as this: the rest is noise.
const SHORTEST: f64 = 0.05;

/// How far a mutant is followed.
pub struct Effort {
    /// Until so many files of tests have noticed it.
    pub enough: usize,
    pub most: f64,
    pub jobs: usize,
}

/// What is known of one mutant.
#[derive(Debug, Default, Clone)]
pub struct Judged {
    /// By test: its end and its seconds.
    pub ends: BTreeMap<String, (End, f64)>,
}

impl Judged {
    /// The tests that noticed it, with their seconds.
    pub fn noticed(&self) -> impl Iterator<Item = (&str, f64)> {
        let noticed = self.ends.iter().filter(|(_, (end, _))| *end != End::Passes);
        noticed.map(|(case, (_, seconds))| (&**case, *seconds))
    }

    pub fn units(&self) -> BTreeSet<&str> {
        self.noticed().map(|(case, _)| case.split(' ').next().unwrap_or_default()).collect()
    }

    fn is_listed(&self, listed: &CheckList) -> bool {
        self.noticed().any(|(case, _)| listed.has(case))
    }
}

/// The tests that pass without mutants and come by this one. First those that are quick and come by few others: they look at what is changed, while a
/// program that is compiled and run comes by most of the product. And those of other files than the ones before, which look at something else.
pub fn candidates(learnt: &[Learnt], mutant: usize) -> Vec<&Learnt> {
    let meets = |test: &&Learnt| test.end == End::Passes && test.met.contains(&mutant);
    let cost = |test: &Learnt| test.seconds.max(SHORTEST) * test.met.len() as f64;
    let mut found: Vec<&Learnt> = learnt.iter().filter(meets).collect();
    found.sort_by(|a, b| cost(a).total_cmp(&cost(b)));
    let mut seen: BTreeMap<&str, f64> = BTreeMap::new();
    let ranked = found.into_iter().map(|test| {
        let rank = seen.entry(&test.case.unit).or_default();
        *rank += 1.0;
        (cost(test) * *rank, test)
    });
    let mut ranked: Vec<(f64, &Learnt)> = ranked.collect();
    ranked.sort_by(|a, b| a.0.total_cmp(&b.0));
    ranked.into_iter().map(|(_, test)| test).collect()
}

/// Whether another run with this test says more.
pub fn is_wanted(judged: &Judged, test: &Learnt, left: &[&Learnt], listed: &CheckList, effort: &Effort) -> bool {
    let units = judged.units();
    let has_listed = judged.is_listed(listed);
    let is_of_use = !has_listed && listed.has(&test.case.key());
    let enough = units.len() >= effort.enough;
    let for_list = has_listed || !left.iter().any(|test| listed.has(&test.case.key()));
    if units.contains(&*test.case.unit) && !is_of_use {
        return false;
    }
    match enough {
        true => !for_list && is_of_use,
        false => units.is_empty() || test.seconds <= DEAR || is_of_use,
    }
}

/// All that was run so far.
pub fn read(path: &Path) -> Result<BTreeMap<usize, Judged>> {
    let mut all: BTreeMap<usize, Judged> = BTreeMap::new();
    for line in run::read(path)? {
        let (Some(mutant), Some(case)) = (line["mutant"].as_u64(), line["case"].as_str()) else { continue };
        let end = End::named(line["end"].as_str().unwrap_or_default())?;
        let seconds = line["seconds"].as_f64().unwrap_or_default();
        all.entry(mutant as usize).or_default().ends.insert(case.to_owned(), (end, seconds));
    }
    Ok(all)
}

/// Runs what is left to be run for one mutant.
pub fn judge(
    number: usize,
    learnt: &[Learnt],
    before: Judged,
    runs: &Run,
    listed: &CheckList,
    effort: &Effort,
) -> Result<Judged> {
    let mut left = candidates(learnt, number);
    left.retain(|test| !before.ends.contains_key(&test.case.key()));
    // The next one is the last.
    left.reverse();
    let mut spent: f64 = before.ends.values().map(|(_, seconds)| seconds).sum();
    let mut judged = before;
    while let Some(test) = left.pop() {
        if spent > effort.most {
            break;
        }
        if !is_wanted(&judged, test, &left, listed, effort) {
            continue;
        }
        let (end, seconds) = twice(runs, test, number)?;
        spent += seconds;
        judged.ends.insert(test.case.key(), (end, seconds));
        let line: Value = json!({"mutant": number, "case": test.case.key(), "end": end.name(), "seconds": seconds});
        run::append(&runs.notes.join("runs"), &line)?;
    }
    Ok(judged)
}

/// Some tests fail now and then where the machine is busy: the mutant is noticed where one fails twice, or hangs although it does not
/// without it, now.
fn twice(runs: &Run, test: &Learnt, number: usize) -> Result<(End, f64)> {
    let limit = Duration::from_secs_f64(5.0 * test.seconds + 10.0);
    let run = |number: usize| runs.run(&test.case, Switch::On(number), limit);
    match run(number)? {
        (End::Passes, seconds) => Ok((End::Passes, seconds)),
        (End::Fails, _) => run(number),
        (End::Hangs, seconds) => match run(0)? {
            (End::Passes, without) if 3.0 * without < seconds => Ok((End::Hangs, seconds)),
            _ => run(number),
        },
    }
}
