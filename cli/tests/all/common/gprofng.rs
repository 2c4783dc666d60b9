//! Programs whose stacks are recorded, and what GNU gprofng says of the experiments.

use std::path::{Path, PathBuf};
use std::process::Command;

use crate::common::{clean, finish, lacks, majors, ompchunk, succeed};

/// Thread `k` waits `k * 10` ms for the first one, thirty times over: it has less to do. Lines matter.
pub const WAITS: &str = r#"#include <stdlib.h>
#include <time.h>

static volatile double sink[1024];

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return t.tv_sec + t.tv_nsec * 1e-9;
}

__attribute__((noinline)) static void burn(double ms, int k) {
  for (double end = now() + ms * 1e-3; now() < end;)
    for (int i = 0; i < 500; i++)
      sink[k] += i;
}

__attribute__((noinline)) static void step(int threads, double ms) {
#pragma omp parallel for schedule(static, 1) num_threads(threads)
  for (int k = 0; k < threads; k++)
    burn(ms * (threads - k), k);
  sink[1023] += 1;
}

int main(int argc, char **argv) {
  int threads = argc > 1 ? atoi(argv[1]) : 2, steps = argc > 2 ? atoi(argv[2]) : 30;
  for (int i = 0; i < steps; i++)
    step(threads, argc > 3 ? atof(argv[3]) : 10);
  return threads < 1;
}
"#;

/// Compiles [`WAITS`] to `app`, with debugging information.
pub fn compile(directory: &Path, major: u32, words: &[&str]) -> PathBuf {
    std::fs::write(directory.join("waits.c"), WAITS).unwrap();
    let mut command = ompchunk(&["cc", "-O2", "-g", "waits.c", "-o", "app"]);
    command.env("OMPCHUNK_CC", format!("clang-{major}"));
    succeed(command.args(words).current_dir(directory));
    directory.join("app")
}

pub fn newest(directory: &Path) -> PathBuf {
    compile(directory, majors()[0], &["-fopenmp"])
}

/// It, in a directory of its own, if there is a gprofng.
pub fn built() -> Option<(tempfile::TempDir, PathBuf)> {
    let directory = (!lacks(&["gprofng"])).then(|| tempfile::tempdir().unwrap())?;
    let app = newest(directory.path());
    Some((directory, app))
}

pub fn record(app: &Path, words: &[&str]) -> PathBuf {
    let trace = app.with_extension("ompchunk");
    let mut command = ompchunk(&["record", "--sample-stacks", "-o"]);
    succeed(command.arg(&trace).arg(app).args(words));
    trace
}

pub fn export(trace: &Path) -> (PathBuf, String) {
    let to = trace.with_extension("er");
    let _ = std::fs::remove_dir_all(&to);
    let mut command = ompchunk(&["export"]);
    let (status, _, said) = finish(command.arg(trace).args(["--to", "gprofng"]).arg(&to));
    assert_eq!(status, Some(0), "{said}");
    (to, said)
}

/// `said` is of a recording with samples: on a busy machine one is lost now and then.
pub fn says_nothing_of_note(said: &str) {
    let lost = "not recorded; other samples stand for their time";
    assert!(said.lines().all(|line| line.ends_with(lost)), "{said}");
}

/// What unmodified gprofng prints: warnings and errors of the experiment are none.
pub fn display(experiment: &Path, words: &[&str]) -> String {
    let mut command = clean("gprofng");
    command.args(["display", "text"]).args(words);
    let (status, text, said) = finish(command.arg(experiment).env("LC_ALL", "C"));
    assert_eq!(status, Some(0), "{said}");
    assert!(!text.contains("rror:"), "{text}\n{said}");
    text
}

/// One row of a table: seconds of total, work, wait, then overhead; and what it is of.
#[derive(Debug, Clone, PartialEq)]
pub struct Row {
    pub seconds: [f64; 4],
    pub name: String,
}

const METRICS: [&str; 2] = ["-metrics", "e.total:e.ompwork:e.ompwait:e.ompovhd:name"];
const INCLUSIVE: [&str; 2] = ["-metrics", "i.total:i.ompwork:i.ompwait:i.ompovhd:name"];

/// A table, exclusive times.
pub fn table(experiment: &Path, words: &[&str]) -> Vec<Row> {
    rows(&display(experiment, &[&METRICS, words].concat()))
}

pub fn inclusive(experiment: &Path, words: &[&str]) -> Vec<Row> {
    rows(&display(experiment, &[&INCLUSIVE, words].concat()))
}

fn rows(text: &str) -> Vec<Row> {
    let row = |line: &str| {
        let mut rest = line;
        let mut seconds = [0.0; 4];
        for number in &mut seconds {
            rest = rest.trim_start();
            let (word, behind) = rest.split_at(rest.find(' ')?);
            *number = word.parse().ok()?;
            rest = behind;
        }
        Some(Row { seconds, name: rest.trim().to_owned() })
    };
    text.lines().filter_map(row).collect()
}

pub fn named<'r>(rows: &'r [Row], name: &str) -> &'r Row {
    let found = rows.iter().find(|row| row.name == name);
    found.unwrap_or_else(|| panic!("no {name} in {rows:#?}"))
}

/// Work and waits are all there is.
pub fn adds_up(rows: &[Row]) {
    let all = named(rows, "<Total>");
    let [total, work, wait, overhead] = all.seconds;
    assert_eq!(overhead, 0.0);
    // Each is rounded to a thousandth.
    assert!((work + wait - total).abs() < 0.0016, "{all:?}");
    for column in 0..3 {
        let others = rows.iter().filter(|row| row.name != "<Total>");
        let sum: f64 = others.map(|row| row.seconds[column]).sum();
        let most = 0.0006 * rows.len() as f64;
        assert!((sum - all.seconds[column]).abs() < most, "{rows:#?}");
    }
}

/// Sum of a field of all loops in the report, by JSON pointer.
pub fn of_report(trace: &Path, field: &str) -> f64 {
    let report = crate::common::json(ompchunk(&["report", "--json"]).arg(trace));
    let loops = report["loops"].as_array().unwrap();
    loops.iter().map(|the_loop| the_loop.pointer(field).unwrap().as_f64().unwrap()).sum()
}

pub fn shell(script: &str) -> Command {
    let mut command = clean("sh");
    command.args(["-c", script, "sh"]);
    command
}
