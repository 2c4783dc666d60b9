//! `docs/data/mutants.csv`: a row per mutant that was judged.

use std::collections::BTreeMap;
use std::path::Path;

use anyhow::{Context, Result};
use ompchunk_testsuite::check_list::CheckList;

use crate::cases::{Known, Learnt};
use crate::judge::{self, Effort, Judged};
use crate::mutant::Mutant;

const HEAD: [&str; 10] =
    ["room", "place", "function", "was", "is", "result", "noticed by", "seconds", "make test", "verdict"];

/// What is the same of a mutant as long as its function is.
type Key = [String; 4];

fn key(mutant: &Mutant) -> Key {
    [mutant.file.display().to_string(), mutant.function.clone(), mutant.was.clone(), mutant.is.clone()]
}

/// What people said of survivors, from the table as it is.
pub fn verdicts(path: &Path) -> Result<BTreeMap<Key, String>> {
    let mut verdicts = BTreeMap::new();
    if !path.exists() {
        return Ok(verdicts);
    }
    for row in csv::Reader::from_path(path)?.records() {
        let row = row?;
        let file = row[1].rsplit_once(':').context("a place")?.0.to_owned();
        verdicts.insert([file, row[2].to_owned(), row[3].to_owned(), row[4].to_owned()], row[9].to_owned());
    }
    Ok(verdicts)
}

pub struct Row<'a> {
    pub mutant: &'a Mutant,
    /// `noticed`, `survives`, `unmet` (no test comes by it), or `open` (tests are left that were not run).
    pub result: &'static str,
    /// The tests that noticed it, and their seconds.
    pub noticed: Vec<(&'a str, f64)>,
    pub by_make_test: bool,
}

pub fn row<'a>(
    number: usize,
    mutant: &'a Mutant,
    judged: &'a Judged,
    known: &Known,
    listed: &CheckList,
    effort: &Effort,
) -> Row<'a> {
    let candidates = judge::candidates(&known.learnt, number);
    let left: Vec<&Learnt> =
        candidates.iter().filter(|test| !judged.ends.contains_key(&test.case.key())).copied().collect();
    let is_done = !left.iter().any(|test| judge::is_wanted(judged, test, &left, listed, effort));
    let noticed: Vec<(&str, f64)> = judged.noticed().collect();
    let by_make_test = noticed.iter().any(|(case, _)| listed.has(case));
    let result = match () {
        _ if !noticed.is_empty() => "noticed",
        _ if !is_done || !known.is_all => "open",
        _ if candidates.is_empty() => "unmet",
        _ => "survives",
    };
    Row { mutant, result, noticed, by_make_test }
}

pub fn write(path: &Path, rows: &[Row]) -> Result<()> {
    let verdicts = verdicts(path)?;
    let mut table = csv::Writer::from_path(path)?;
    table.write_record(HEAD)?;
    for row in rows {
        let mutant = row.mutant;
        let mut noticed = row.noticed.clone();
        noticed.sort_by(|a, b| a.1.total_cmp(&b.1));
        let names: Vec<&str> = noticed.iter().map(|(case, _)| *case).collect();
        let seconds: Vec<String> = noticed.iter().map(|(_, seconds)| format!("{seconds:.1}")).collect();
        table.write_record([
            &*mutant.room,
            &format!("{}:{}", mutant.file.display(), mutant.line),
            &mutant.function,
            &mutant.was,
            &mutant.is,
            row.result,
            &names.join("; "),
            &seconds.join("; "),
            if row.by_make_test { "yes" } else { "no" },
            verdicts.get(&key(mutant)).map_or("", |verdict| verdict),
        ])?;
    }
    Ok(table.flush()?)
}
