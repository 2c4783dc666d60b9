//! Does `make test` notice what the table of mutants says?

use std::collections::BTreeSet;

use ompchunk_testsuite::check_list::CheckList;
use ompchunk_testsuite::dist::repository;
use ompchunk_testsuite::suite::Suite;
use ompchunk_testsuite::tests;

pub fn trials(suite: &mut Suite) {
    suite.plain(&tests![
        check_notices_mutants, a_file_is_listed_once_and_is_there, how_many_mutants_are_noticed_is_said
    ]);
}

fn read(path: &str) -> String {
    let path = repository().join(path);
    std::fs::read_to_string(&path).unwrap_or_else(|e| panic!("{}: {e}", path.display()))
}

/// Files of tests, and perhaps a filter each.
fn listed() -> Vec<(String, String)> {
    CheckList::read(&repository()).expect("a list").0
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

/// The files of tests that notice each mutant that any notices.
fn noticing() -> Vec<BTreeSet<String>> {
    let mut table = csv::Reader::from_path(repository().join("docs/data/mutants.csv")).unwrap();
    let file = |test: &str| test.trim().split(' ').next().expect("a name").to_owned();
    let rows = table.records().map(|row| row.unwrap());
    rows.filter(|row| &row[5] == "noticed").map(|row| row[6].split(';').map(file).collect()).collect()
}

/// `make test` notices at least 95 % of the mutants that are noticed.
fn check_notices_mutants() {
    let mutants = noticing();
    let is_listed = |files: &BTreeSet<String>| listed().iter().any(|(file, _)| files.contains(file));
    let all = mutants.iter().filter(|files| is_listed(files)).count();
    assert!(100 * all >= 95 * mutants.len(), "scripts/check.sh notices {all} of {} mutants", mutants.len());
    let said = format!("The list as it is now notices {all} of these {}", mutants.len());
    assert!(read("CONTRIBUTING.md").replace('\n', " ").contains(&said), "CONTRIBUTING.md does not say: {said}");
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
    let verdicts = ["equivalent: ", "unreachable: ", "new test: "];
    for row in rows.iter().filter(|row| &row[5] != "noticed") {
        assert!(verdicts.iter().any(|verdict| row[9].starts_with(verdict)), "no verdict: {row:?}");
    }
}
