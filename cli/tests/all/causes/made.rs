//! A program is compiled, recorded and reported.

use std::process::Command;

use serde_json::Value;

use super::cases::work;
use crate::common::{built as built_of, clean, dist, majors, ompchunk, succeed};

/// The program, compiled.
pub fn built(body: &str) -> tempfile::TempDir {
    built_of(&format!("{}{body}\n  return 0;\n}}\n", work()), majors()[0])
}

pub fn recorded(body: &str, options: &[&str]) -> tempfile::TempDir {
    let place = built(body);
    let record = [&["record", "-o", "trace"], options, &["./app"]].concat();
    succeed(ompchunk(&record).current_dir(place.path()));
    place
}

/// `ompchunk` with those processors, as `taskset` has them.
pub fn ompchunk_on(processors: &str, words: &[&str]) -> Command {
    let mut command = clean("taskset");
    command
        .args(["-c", processors, env!("CARGO_BIN_EXE_ompchunk")])
        .args(words)
        .env("OMPCHUNK_LIBDIR", dist().join("lib"));
    command
}

pub fn report(place: &tempfile::TempDir, words: &[&str]) -> String {
    let mut command = clean(env!("CARGO_BIN_EXE_ompchunk"));
    let words = [&["report", "trace"], words].concat();
    succeed(command.args(words).current_dir(place.path()).env("OMPCHUNK_LIBDIR", dist().join("lib")))
}

/// The entries of what to do: the line with the loss and the sentence below it.
pub fn entries(text: &str) -> Vec<String> {
    let lines = text.lines().skip_while(|line| *line != "what to do").skip(1);
    let lines: Vec<&str> = lines.take_while(|line| !line.is_empty()).collect();
    let pairs = lines.windows(2).filter(|pair| pair[1].starts_with("  → "));
    pairs.map(|pair| pair.join("\n")).collect()
}

/// Entries and what is unknown, against threads × elapsed time.
pub fn adds_up(json: &str) -> Value {
    let report: Value = serde_json::from_str(json).unwrap();
    let account = &report["run"]["account"];
    let entries = account["entries"].as_array().unwrap_or_else(|| panic!("{account}"));
    let known: f64 = entries.iter().map(|entry| entry["seconds"].as_f64().unwrap()).sum();
    let all = account["thread_seconds"].as_f64().unwrap();
    let unknown = account["unknown_seconds"].as_f64().unwrap();
    assert!((known + unknown - all).abs() <= 0.01 * all, "{account}");
    assert!(unknown <= 0.01 * all, "{account}");
    report
}
