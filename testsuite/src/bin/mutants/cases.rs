//! The tests, each by itself: what they take, and which mutants they come by.

use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, ensure};
use serde_json::{Value, json};

use crate::run::{End, Run, Switch};

#[derive(Debug, Clone)]
pub struct Case {
    /// Folder of its package, and file or kind: `testsuite/run`, `trace/--lib`.
    pub unit: String,
    pub name: String,
    pub program: PathBuf,
    pub folder: PathBuf,
}

#[derive(Debug, Clone)]
pub struct Learnt {
    pub case: Case,
    /// It is no candidate unless it passes.
    pub end: End,
    pub seconds: f64,
    /// The mutants that it comes by.
    pub met: BTreeSet<usize>,
}

/// What is known of tests without mutants.
pub struct Known {
    pub learnt: Vec<Learnt>,
    pub is_all: bool,
}

/// All tests of the files that are listed: a line with unit, program, folder and perhaps a filter each.
pub fn all(tree: &Path, files: &Path) -> Result<Vec<Case>> {
    let listed = fs::read_to_string(files).with_context(|| files.display().to_string())?;
    let mut of_programs: BTreeMap<&str, Vec<String>> = BTreeMap::new();
    let mut cases = Vec::new();
    for line in listed.lines() {
        let mut words = line.splitn(4, ' ');
        let mut word = || words.next().unwrap_or_default();
        let (unit, program, folder, filter) = (word(), word(), word(), word());
        let folder = tree.join(folder);
        let names = match of_programs.entry(program) {
            Entry::Occupied(known) => known.into_mut(),
            Entry::Vacant(new) => new.insert(names(tree, program, &folder)?),
        };
        // A room's program has a module for each file.
        let is_room = Path::new(program).file_name().is_some_and(|name| name.to_string_lossy().starts_with("all-"));
        let module = unit.rsplit('/').next().filter(|file| is_room && !file.starts_with("--"));
        let prefix = module.map_or(String::new(), |module| format!("{module}::"));
        let before = cases.len();
        cases.extend(names.iter().filter(|name| name.starts_with(&prefix) && name.contains(filter)).map(|name| Case {
            unit: unit.to_owned(),
            name: name.clone(),
            program: program.into(),
            folder: folder.clone(),
        }));
        // A package may have no test in its library, but a filter that fits none is wrong.
        ensure!(filter.is_empty() || cases.len() > before, "{line}: no tests");
    }
    Ok(cases)
}

/// The tests of a program but those that wait for a part of their own.
fn names(tree: &Path, program: &str, folder: &Path) -> Result<Vec<String>> {
    let listed = |more: &[&str]| -> Result<Vec<String>> {
        let mut command = Command::new(program);
        command.arg("--list").args(more).current_dir(folder).env("OMPCHUNK_DIST", tree.join("dist"));
        let output = command.output().with_context(|| program.to_owned())?;
        ensure!(output.status.success(), "{program} --list: {}", String::from_utf8_lossy(&output.stderr));
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        Ok(text.lines().filter_map(|line| line.strip_suffix(": test")).map(str::to_owned).collect())
    };
    let ignored = listed(&["--ignored"])?;
    let mut names = listed(&[])?;
    names.retain(|name| !ignored.contains(name));
    Ok(names)
}

impl Case {
    /// What notes know it by. In a room's program, its name begins with that of the file.
    pub fn key(&self) -> String {
        let file = self.unit.rsplit('/').next().unwrap_or_default();
        let name = self.name.strip_prefix(file).and_then(|rest| rest.strip_prefix("::"));
        format!("{} {}", self.unit, name.unwrap_or(&self.name))
    }

    pub fn learn(&self, runs: &Run, count: usize, at: usize) -> Result<Learnt> {
        let marks = runs.notes.join(format!("met-{at}"));
        fs::write(&marks, vec![0; count + 1])?;
        let (end, seconds) = runs.run(self, Switch::Marks(&marks), runs.limit)?;
        let bytes = fs::read(&marks)?;
        fs::remove_file(&marks)?;
        let met = (1..=count).filter(|&mutant| bytes[mutant] != 0).collect();
        Ok(Learnt { case: self.clone(), end, seconds, met })
    }
}

impl Learnt {
    pub fn noted(&self) -> Value {
        json!({"case": self.case.key(), "end": self.end.name(), "seconds": self.seconds, "met": self.met})
    }

    pub fn from_noted(noted: &Value, case: Case) -> Result<Learnt> {
        let met = noted["met"].as_array().context("met")?.iter().filter_map(Value::as_u64);
        Ok(Learnt {
            case,
            end: End::named(noted["end"].as_str().context("end")?)?,
            seconds: noted["seconds"].as_f64().context("seconds")?,
            met: met.map(|mutant| mutant as usize).collect(),
        })
    }
}
