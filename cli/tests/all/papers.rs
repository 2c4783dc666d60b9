//! `docs/papers.md` says of each requirement which test shows it. What it names is there: files of the repository, and among them
//! tests that are tests.

use crate::common::repository;

const ROOTS: [&str; 12] = [
    "advice", "analysis", "bench", "cli", "examples", "export", "ompt", "pass", "recorder", "runtime-shim",
    "testsuite", "trace",
];

/// What a file of tests has, of which those of the suite make a list.
const TESTS: [&str; 3] = ["#[test]", "fn main()", "pub fn trials(suite: &mut Suite)"];

/// What stands between backticks and looks like a file of ours.
fn named(text: &str) -> Vec<&str> {
    let inside = text.split('`').skip(1).step_by(2);
    let is_path = |name: &&str| {
        let root = name.split_once('/').map(|(root, _)| root);
        root.is_some_and(|root| ROOTS.contains(&root)) && !name.contains(' ')
    };
    inside.filter(is_path).collect()
}

#[test]
fn what_the_page_of_papers_names_is_there() {
    let page = repository().join("docs/papers.md");
    let text = std::fs::read_to_string(&page).unwrap();
    let files = named(&text);
    assert!(files.len() > 40, "{files:?}");
    let mut wrong = Vec::new();
    for file in files {
        let content = std::fs::read_to_string(repository().join(file));
        let is_test = file.contains("/tests/");
        match content {
            Err(error) => wrong.push(format!("{file}: {error}")),
            Ok(content) if is_test && !TESTS.iter().any(|sign| content.contains(sign)) => {
                wrong.push(format!("{file} has no test"));
            }
            Ok(_) => {}
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

/// Each row of a table of requirements names a test, or says that it is missing or why there is none.
#[test]
fn each_requirement_has_a_test_or_says_why_not() {
    let page = repository().join("docs/papers.md");
    let text = std::fs::read_to_string(&page).unwrap();
    let (mut inside, mut rows, mut wrong) = (false, 0, Vec::new());
    for line in text.lines() {
        inside = line == "| asked for | where | test |" || inside && line.starts_with('|');
        let cells: Vec<&str> = line.split('|').map(str::trim).collect();
        if !inside || cells.len() != 5 || cells[1] == "asked for" || cells[1].starts_with("---") {
            continue;
        }
        rows += 1;
        let (place, test) = (cells[2], cells[3]);
        let says_why = place.starts_with("missing") || place.starts_with("not in") || test.starts_with("from what");
        if named(test).is_empty() && !says_why {
            wrong.push(line);
        }
    }
    assert!(rows > 35, "{rows}");
    assert!(wrong.is_empty(), "{wrong:#?}");
}
