//! Which files of tests `make test` runs, and in which order, so that `make check` runs the first of them: those that find most per second of `docs/data/faults.csv`, which `make measure WHAT=faults` measures.
//!
//! The rule, of which nothing is left to taste: first, again and again, the file that finds most planted faults per second among
//! those that no chosen one finds yet, until each that anybody finds is found. Then every other file that takes at most [`CHEAP`] seconds,
//! the cheapest first, as long as all of them together take at most [`TOTAL`]: a fault that nobody has planted yet may be theirs.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail, ensure};

use crate::dist;

/// Seconds of processor time of a file that is chosen without finding anything that others do not.
pub const CHEAP: f64 = 10.0;
/// Seconds of processor time of all chosen files: four minutes of the five on two cores, of which the processes of a test use one and a half.
pub const TOTAL: f64 = 240.0;
/// What is shorter is as long as this: the rest is noise.
const SHORTEST: f64 = 0.1;

/// What was measured of a file of tests.
#[derive(Debug, Clone, PartialEq)]
pub struct File {
    /// Folder of the package, and file or kind: `testsuite/run`, `trace/--lib`.
    pub name: String,
    /// The filter for the part of it that was run; empty for all.
    pub part: String,
    pub seconds: f64,
    pub finds: BTreeSet<String>,
}

/// A file that is run, and what it adds.
#[derive(Debug, Clone, PartialEq)]
pub struct Chosen<'a> {
    pub file: &'a File,
    /// Faults that no file before finds.
    pub adds: BTreeSet<&'a str>,
}

/// What `scripts/check.sh` lists, in a tree: files of tests, and perhaps a filter each.
pub fn listed(tree: &Path) -> Result<Vec<(String, String)>> {
    let script = std::fs::read_to_string(tree.join("scripts/check.sh"))?;
    let (_, list) = script.split_once("cat <<END\n").context("scripts/check.sh has no list")?;
    let (list, _) = list.split_once("\nEND\n").context("the list of scripts/check.sh has no end")?;
    let halves = list.lines().map(|line| line.split_once(' ').unwrap_or((line, "")));
    Ok(halves.map(|(file, part)| (file.to_owned(), part.to_owned())).collect())
}

#[derive(Debug, Clone, PartialEq)]
pub struct Measured {
    pub faults: Vec<String>,
    pub files: Vec<File>,
}

impl Measured {
    pub fn path() -> PathBuf {
        dist::repository().join("docs/data/faults.csv")
    }

    pub fn read() -> Result<Measured> {
        let path = Measured::path();
        let text = std::fs::read_to_string(&path).with_context(|| path.display().to_string())?;
        Measured::parse(&text).with_context(|| path.display().to_string())
    }

    /// A row per file: its name, its part, its seconds, and what became of each fault.
    pub fn parse(text: &str) -> Result<Measured> {
        let mut reader = csv::Reader::from_reader(text.as_bytes());
        let heads = reader.headers()?.clone();
        let columns: Vec<&str> = heads.iter().collect();
        let ["file", "part", "seconds", faults @ ..] = &columns[..] else {
            bail!("the columns are {columns:?}");
        };
        let mut files = Vec::new();
        for row in reader.records() {
            let row = row?;
            let seconds: f64 = row[2].parse().with_context(|| row[2].to_owned())?;
            ensure!(seconds.is_finite() && seconds >= 0.0, "{seconds} seconds");
            let mut finds = BTreeSet::new();
            for (fault, result) in faults.iter().zip(row.iter().skip(3)) {
                match result {
                    "fails" | "hangs" => finds.insert((*fault).to_owned()),
                    "passes" | "same" | "absent" => false,
                    other => bail!("{}, {fault}: {other:?}", &row[0]),
                };
            }
            files.push(File { name: row[0].to_owned(), part: row[1].to_owned(), seconds, finds });
        }
        Ok(Measured { faults: faults.iter().map(|fault| (*fault).to_owned()).collect(), files })
    }

    pub fn found_by_nobody(&self) -> Vec<&str> {
        let found = |fault: &&str| self.files.iter().any(|file| file.finds.contains(*fault));
        let faults = self.faults.iter().map(String::as_str);
        faults.filter(|fault| !found(fault)).collect()
    }

    /// What is run, in the order of choice.
    pub fn chosen(&self) -> Vec<Chosen<'_>> {
        let mut left: Vec<&File> = self.files.iter().collect();
        let mut found: BTreeSet<&str> = BTreeSet::new();
        let mut chosen = Vec::new();
        loop {
            let rate = |file: &File| {
                let new = file.finds.iter().filter(|fault| !found.contains(fault.as_str()));
                new.count() as f64 / file.seconds.max(SHORTEST)
            };
            // Of equal ones the first in the data.
            let best = (0..left.len()).rev().max_by(|&a, &b| rate(left[a]).total_cmp(&rate(left[b])));
            let Some(best) = best.filter(|&at| rate(left[at]) > 0.0) else {
                break;
            };
            let file = left.remove(best);
            let new = file.finds.iter().map(String::as_str);
            let adds: BTreeSet<&str> = new.filter(|fault| !found.contains(fault)).collect();
            found.extend(&adds);
            chosen.push(Chosen { file, adds });
        }
        left.sort_by(|a, b| a.seconds.total_cmp(&b.seconds));
        let mut seconds: f64 = chosen.iter().map(|choice| choice.file.seconds).sum();
        for file in left {
            seconds += file.seconds;
            if file.seconds > CHEAP || seconds > TOTAL {
                break;
            }
            let adds = BTreeSet::new();
            chosen.push(Chosen { file, adds });
        }
        chosen
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names<'a>(chosen: &[Chosen<'a>]) -> Vec<&'a str> {
        chosen.iter().map(|choice| &*choice.file.name).collect()
    }

    #[test]
    fn most_per_second_first_and_then_what_is_cheap() {
        let measured = Measured::parse(
            "file,part,seconds,p,q,r,s\n\
             a,,40.0,fails,fails,passes,same\n\
             b,x,10.0,fails,passes,passes,same\n\
             c,,30.0,same,fails,hangs,same\n\
             d,,9.0,same,same,same,same\n\
             e,,0.0,same,same,same,same\n\
             f,,11.0,same,same,same,same\n",
        )
        .unwrap();
        let chosen = measured.chosen();
        // b finds 1 in 10 s; then c two more in 30 s, and a nothing that they do not.
        assert_eq!(names(&chosen), ["b", "c", "e", "d"]);
        assert_eq!(chosen[1].adds, BTreeSet::from(["q", "r"]));
        assert_eq!(chosen[0].file.part, "x");
        assert_eq!(measured.found_by_nobody(), ["s"]);
    }

    #[test]
    fn all_together_stay_within_the_total() {
        let mut text = String::from("file,part,seconds,p\nlong,,235.0,fails\n");
        for name in ["g", "h", "i"] {
            text += &format!("{name},,2.0,same\n");
        }
        let measured = Measured::parse(&text).unwrap();
        assert_eq!(names(&measured.chosen()), ["long", "g", "h"]);
    }

    #[test]
    fn other_data_are_refused() {
        for text in [
            "file,seconds,part\n", "file,part,seconds,p\na,,x,same\n", "file,part,seconds,p\na,,-1,same\n",
            "file,part,seconds,p\na,,1,maybe\n", "file,part,seconds,p\na,,1\n",
        ] {
            assert!(Measured::parse(text).is_err(), "{text}");
        }
    }
}
