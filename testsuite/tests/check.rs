//! Does `make test` run what finds most per second, as the data say that it was chosen by?

use std::collections::BTreeSet;
use std::path::PathBuf;

use ompchunk_testsuite::dist::{repository, testsuite};
use ompchunk_testsuite::faults::{self, Measured};
use ompchunk_testsuite::suite::Suite;
use ompchunk_testsuite::tests;

pub fn trials(suite: &mut Suite) {
    suite.plain(&tests![
        check_runs_what_finds_most, check_notices_mutants, a_file_is_listed_once_and_is_there,
        what_was_measured_can_be_measured_again, how_many_were_measured_is_said, each_fault_is_a_line,
        how_many_mutants_are_noticed_is_said
    ]);
}

fn read(path: &str) -> String {
    let path = repository().join(path);
    std::fs::read_to_string(&path).unwrap_or_else(|e| panic!("{}: {e}", path.display()))
}

/// Files of tests, and perhaps a filter each.
fn listed() -> Vec<(String, String)> {
    faults::listed(&repository()).expect("a list")
}

/// All that the rule takes; or, as long as planted faults are left to be measured, what it takes for the others, and more.
fn check_runs_what_finds_most() {
    let measured = Measured::read().unwrap();
    let is_complete = measured.faults.len() == planted().len();
    let chosen = measured.chosen();
    let right = chosen.iter().filter(|choice| is_complete || !choice.adds.is_empty());
    let right = right.map(|chosen| (chosen.file.name.clone(), chosen.file.part.clone()));
    let right: Vec<(String, String)> = right.collect();
    let listed = listed();
    let is_right = match is_complete {
        true => listed.starts_with(&right),
        false => right.iter().all(|file| listed.contains(file)),
    };
    assert!(is_right, "by docs/data/faults.csv, scripts/check.sh has these files:\n{right:#?}\n");
}

fn a_file_is_listed_once_and_is_there() {
    let mut listed = listed();
    for (name, _) in &listed {
        let (folder, file) = name.rsplit_once('/').expect("a folder");
        let exists = |path: String| repository().join(folder).join(path).exists();
        let is_there = match file {
            "--lib" => exists("src/lib.rs".into()),
            "--bins" => exists("src/main.rs".into()) || exists("src/bin".into()),
            _ => ["{}.rs", "{}/mod.rs", "{}/main.rs", "all/{}.rs", "all/{}/mod.rs"]
                .iter()
                .any(|form| exists(format!("tests/{}", form.replace("{}", file)))),
        };
        assert!(is_there, "{name}");
    }
    let all = listed.len();
    listed.sort();
    listed.dedup();
    assert_eq!(listed.len(), all);
}

/// The names of the planted faults, and their files.
fn planted() -> Vec<(String, PathBuf)> {
    let entries = std::fs::read_dir(testsuite().join("faults")).expect("faults");
    let patches = entries.map(|entry| entry.expect("a file").path());
    let named = |path: PathBuf| {
        let name = path.file_stem().expect("a name").to_string_lossy();
        (name.into_owned(), path)
    };
    patches.map(named).collect()
}

fn what_was_measured_can_be_measured_again() {
    let planted: Vec<String> = planted().into_iter().map(|(name, _)| name).collect();
    for fault in Measured::read().unwrap().faults {
        assert!(planted.contains(&fault), "{fault}: next: make measure WHAT=faults");
    }
}

fn how_many_were_measured_is_said() {
    let text = read("CONTRIBUTING.md").replace('\n', " ");
    let (measured, all) = (Measured::read().unwrap().faults.len(), planted().len());
    let said = format!("{measured} of {all} faults were measured");
    assert!(text.contains(&said), "CONTRIBUTING.md does not say: {said}");
}

fn each_fault_is_a_line() {
    for (name, patch) in planted() {
        let text = std::fs::read_to_string(&patch).unwrap();
        let lines = |sign: &str, head: &str| {
            let lines = text.lines();
            let ours = lines.filter(|line| line.starts_with(sign) && !line.starts_with(head));
            ours.count()
        };
        assert_eq!((lines("-", "---"), lines("+", "+++")), (1, 1), "{name}");
    }
}

/// The files of tests that notice each mutant that any notices.
fn noticing() -> Vec<BTreeSet<String>> {
    let mut table = csv::Reader::from_path(repository().join("docs/data/mutants.csv")).unwrap();
    let file = |test: &str| test.trim().split(' ').next().expect("a name").to_owned();
    let rows = table.records().map(|row| row.unwrap());
    rows.filter(|row| &row[5] == "noticed").map(|row| row[6].split(';').map(file).collect()).collect()
}

/// `make test` notices at least 95 % of the mutants that are noticed, and what stands at the list's end only for that is needed.
fn check_notices_mutants() {
    let mutants = noticing();
    let listed = listed();
    let files: Vec<&str> = listed.iter().map(|(file, _)| &**file).collect();
    let by = |files: &[&str]| mutants.iter().filter(|by| files.iter().any(|file| by.contains(*file))).count();
    let all = by(&files);
    assert!(100 * all >= 95 * mutants.len(), "scripts/check.sh notices {all} of {} mutants", mutants.len());
    let said = format!("The list as it is now notices {all} of these {}", mutants.len());
    assert!(read("CONTRIBUTING.md").replace('\n', " ").contains(&said), "CONTRIBUTING.md does not say: {said}");
    let measured = Measured::read().unwrap();
    let measured: BTreeSet<&str> = measured.files.iter().map(|file| &*file.name).collect();
    for (at, file) in files.iter().enumerate().filter(|(_, file)| !measured.contains(**file)) {
        let others = [&files[..at], &files[at + 1..]].concat();
        assert!(by(&others) < all, "{file}: no fault and no mutant needs it");
    }
}

/// What the table says, counted, and whether each survivor was looked at.
fn how_many_mutants_are_noticed_is_said() {
    let mut table = csv::Reader::from_path(repository().join("docs/data/mutants.csv")).unwrap();
    let rows: Vec<csv::StringRecord> = table.records().map(|row| row.unwrap()).collect();
    let with = |result: &str| rows.iter().filter(|row| &row[5] == result).count();
    let by_make_test = rows.iter().filter(|row| &row[8] == "yes").count();
    let said = format!(
        "Of {} mutants, tests notice {}, and those of `make test` {by_make_test} of them. {} survive, {} are unmet, and {} are open.",
        rows.len(),
        with("noticed"),
        with("survives"),
        with("unmet"),
        with("open"),
    );
    assert!(read("CONTRIBUTING.md").replace('\n', " ").contains(&said), "CONTRIBUTING.md does not say: {said}");
    let verdicts = ["equivalent: ", "unreachable: ", "new test: ", "missing: "];
    for row in rows.iter().filter(|row| ["survives", "unmet"].contains(&&row[5])) {
        assert!(verdicts.iter().any(|verdict| row[9].starts_with(verdict)), "no verdict: {row:?}");
    }
}
