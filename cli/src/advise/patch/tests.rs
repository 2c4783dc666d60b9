//! Patches of all sources that the project has: git takes each, and what it makes of the file compiles with the clause.

use std::path::{Path, PathBuf};
use std::process::Command;

use ompchunk_testkit::inputs;

use super::directive::{Form, Refusal, with_clause};
use super::*;

const CLAUSE: &str = "schedule(guided,3)";

fn sources() -> Vec<PathBuf> {
    let examples = ompchunk_testkit::repository().join("examples/programs");
    let mut files = Vec::new();
    for directory in [inputs().join("coverage"), inputs().join("run"), examples] {
        let entries = std::fs::read_dir(directory).unwrap();
        files.extend(entries.map(|entry| entry.unwrap().path()));
    }
    files.retain(|file| {
        let extension = file.extension().and_then(|extension| extension.to_str());
        matches!(extension, Some("c" | "cpp" | "f90"))
    });
    files.sort();
    files
}

/// Lines that look as if a directive of a loop began there.
fn candidates(text: &str) -> Vec<u32> {
    let lines = text.lines().enumerate().filter(|(_, line)| {
        let line = line.trim_start().to_ascii_lowercase();
        let directive = line.strip_prefix("#pragma omp ").or_else(|| line.strip_prefix("!$omp "));
        directive.is_some_and(|directive| {
            let name = directive.split(['(', '&', '\\']).next().unwrap();
            name.split_whitespace().any(|word| matches!(word, "for" | "do")) && !name.contains("end ")
        })
    });
    lines.map(|(index, _)| index as u32 + 1).collect()
}

#[test]
fn git_takes_a_patch_of_each_source() {
    let directory = tempfile::tempdir().unwrap();
    let (mut edited, mut refused) = (0, Vec::new());
    for file in sources() {
        let name = file.file_name().unwrap().to_str().unwrap();
        let text = std::fs::read_to_string(&file).unwrap();
        let mut lines = Lines::new();
        for line in candidates(&text) {
            match with_clause(&text, line, CLAUSE, Form::from_name(name)) {
                Ok(_) => drop(lines.insert(line, CLAUSE)),
                Err(why) => refused.push((name.to_owned(), line, why)),
            }
        }
        if lines.is_empty() {
            continue;
        }
        edited += lines.len();
        let diff = of_file(name, &text, name, &lines);
        std::fs::write(directory.path().join(name), &text).unwrap();
        std::fs::write(directory.path().join("patch"), &diff).unwrap();
        git_applies(directory.path(), &diff);
        let after = std::fs::read_to_string(directory.path().join(name)).unwrap();
        assert_eq!(after.matches(CLAUSE).count(), lines.len(), "{diff}");
    }
    assert!(edited > 200, "only {edited} loops were found");
    // Tasks take no schedule, and neither do macros tell one.
    let strange = refused.iter().filter(|(_, _, why)| !matches!(why, Refusal::Unknown(_)));
    assert_eq!(strange.collect::<Vec<_>>(), Vec::<&(String, u32, Refusal)>::new());
    println!("{edited} edited, refused: {refused:?}");
}

fn git_applies(directory: &Path, diff: &str) {
    for arguments in [&["apply", "--check", "patch"][..], &["apply", "patch"]] {
        let output = Command::new("git").args(arguments).current_dir(directory).output().unwrap();
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{said}\n{diff}");
    }
}

#[test]
fn bytes_and_ends_of_lines_stay() {
    let text = "// caf\u{e9}\r\n#pragma omp for\r\nfor (;;) {}";
    let diff = of_file("a b.c", text, "a b.c", &Lines::from([(2, CLAUSE)]));
    assert!(diff.starts_with("--- a/a b.c\t\n+++ b/a b.c\t\n"), "{diff}");
    assert!(diff.contains("\n-#pragma omp for\r\n+#pragma omp for schedule(guided,3)\r\n"), "{diff}");
    assert!(diff.contains("No newline at end of file"), "{diff}");
}
