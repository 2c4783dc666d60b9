//! Grain graphs of real programs with explicit tasks: what networkx reads has no cycles, one begin and one end, and the program's own
//! tasks and chunks, on each runtime.

use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

use ompchunk_testkit::runtimes::{self, Runtime};

use crate::common::{self, directory, finish, missing, ompchunk, parted, repository, succeed};

/// Tasks in chunks, chunks in tasks, and a barrier between.
const MIXED: &str = "static volatile long sink;
static void work(long n) { for (long i = 0; i < n; i++) sink = i; }
int main(void) {
#pragma omp parallel num_threads(2)
  {
#pragma omp for schedule(static, 1)
    for (int i = 0; i < 4; i++) {
#pragma omp task
      work(1000);
#pragma omp task
      work(1000);
      work(1000);
#pragma omp taskwait
    }
#pragma omp single
    {
#pragma omp task
#pragma omp parallel for schedule(static, 1) num_threads(2)
      for (int j = 0; j < 3; j++) work(1000);
    }
  }
  return 0;
}
";

/// Recursion deeper than a summary shows one by one, in tasks, in chunks inside of tasks and in regions.
const DEEP: &str = "static volatile long sink;
static void work(long n) { for (long i = 0; i < n; i++) sink = i; }
static void chunks(int depth);
static void tasks(int depth) {
  work(50);
  if (depth == 0) return;
#pragma omp task
  tasks(depth - 1);
  if (depth % 40 == 0) chunks(depth - 1);
  if (depth % 3 == 0) {
#pragma omp taskwait
  }
}
static void chunks(int depth) {
#pragma omp parallel for schedule(static, 1) num_threads(1)
  for (int i = 0; i < 2; i++) {
#pragma omp task
    tasks(depth > 20 ? 20 : depth);
#pragma omp taskwait
  }
}
int main(void) {
#pragma omp parallel num_threads(2)
#pragma omp single
  tasks(200);
  return 0;
}
";

fn compile(source: &Path, to: &Path) {
    common::compile_to(source, to, common::oldest_major(), &[]);
}

/// Records a program's run, and gives what it printed and what networkx says of its graph.
fn graph(place: &Path, runtime: &Runtime, words: &[&str]) -> Option<(String, Value)> {
    let mut record = ompchunk(&["record", "--tasks", "--force", "-o", "t", "./app"]);
    record.args(words).current_dir(place).env("OMP_DYNAMIC", "false").env("OMP_MAX_ACTIVE_LEVELS", "2");
    let printed = succeed(runtime.serve(&mut record));
    let mut export = ompchunk(&["export", "t", "--to", "graphml", "t.graphml"]);
    let (status, _, said) = finish(export.current_dir(place));
    assert_eq!((status, said.as_str()), (Some(0), ""), "{words:?}");
    let script: PathBuf = repository().join("cli/tests/read_grains.py");
    let mut read = Command::new("python3");
    let (status, numbers, said) = finish(read.arg(script).arg("t.graphml").current_dir(place));
    if said.contains("No module named 'networkx'") {
        missing("no networkx (apt-get install python3-networkx)");
        return None;
    }
    assert_eq!(status, Some(0), "{words:?}: {said}");
    is_summarized(place, words);
    Some((printed, serde_json::from_str(&numbers).unwrap()))
}

/// The summary of `t`, whose graph is there, is a graph with the same sums, of few nodes.
fn is_summarized(place: &Path, words: &[&str]) {
    let mut export = ompchunk(&["export", "t", "--to", "graphml-summary", "s.graphml"]);
    let (status, _, said) = finish(export.current_dir(place));
    assert_eq!((status, said.as_str()), (Some(0), ""), "{words:?}");
    let mut read = Command::new("python3");
    read.arg(repository().join("cli/tests/read_summary.py"));
    read.args(["t.graphml", "s.graphml"]).current_dir(place);
    let (status, nodes, said) = finish(&mut read);
    assert_eq!(status, Some(0), "{words:?}: {said}");
    let nodes: u32 = nodes.trim().parse().unwrap();
    assert!(nodes < 300, "{words:?}: {nodes}");
}

#[test]
fn the_programs_tasks_are_in_the_graph() {
    let place = tempfile::tempdir().unwrap();
    let source = parted("recorder/tests/programs").join("tasks.c");
    compile(&source, &place.path().join("app"));
    let kinds = [
        ["fib", "10"],
        ["tree", "6"],
        ["untied", "50"],
        ["undeferred", "50"],
        ["taskloop", "100"],
        ["taskgroup", "50"],
        ["detached", "50"],
        ["wavefront", "12"],
        ["nested", "10"],
        ["serial", "8"],
        ["chain", "10"],
        ["fan", "50"],
    ];
    for runtime in &runtimes::three() {
        let name = runtime.name;
        for words in kinds {
            let Some((printed, found)) = graph(place.path(), runtime, &words) else {
                return;
            };
            let case = format!("{name}, {words:?}: {found}");
            assert_eq!(found["tasks"].to_string(), printed.trim(), "{case}");
            assert_eq!(found["chunks"], 0, "{case}");
            fits(words[0], &found, &case);
        }
    }
}

/// What follows from the kind of program, whatever else the machine does.
fn fits(kind: &str, found: &Value, case: &str) {
    let number = |of: &Value| of.as_f64().unwrap();
    let (span, work) = (number(&found["span"]), number(&found["work"]));
    assert!(span > 0.0 && span <= work * 1.000_001, "{case}");
    let tasks = number(&found["tasks"]);
    match kind {
        // Rows and columns but the first depend on what is above and on the left.
        "wavefront" => assert_eq!(found["edges"]["depend"], 2 * 11 * 10, "{case}"),
        "chain" => assert!(span > 0.9 * work, "{case}"),
        "fib" => assert_eq!(number(&found["benefits"]), tasks, "{case}"),
        "nested" => assert_eq!(found["regions"], 11, "{case}"),
        _ => {}
    }
    assert!(number(&found["balances"]) >= tasks, "{case}");
}

/// In a timeline each task has at least one slice, slices of a thread nest, and each ends.
#[test]
fn the_programs_tasks_are_in_the_timeline() {
    let place = tempfile::tempdir().unwrap();
    let source = parted("recorder/tests/programs").join("tasks.c");
    compile(&source, &place.path().join("app"));
    for runtime in &runtimes::three() {
        let name = runtime.name;
        for words in [["fib", "12"], ["untied", "100"], ["nested", "20"]] {
            let mut record = ompchunk(&["record", "--tasks", "--force", "-o", "t", "./app"]);
            runtime.serve(&mut record);
            let printed = succeed(record.args(words).current_dir(place.path()));
            let mut export = ompchunk(&["export", "t", "--to", "chrome", "-"]);
            let text = succeed(export.current_dir(place.path()));
            let (tasks, named) = timeline(&serde_json::from_str(&text).unwrap());
            let case = format!("{name}, {words:?}");
            assert_eq!(tasks.to_string(), printed.trim(), "{case}");
            assert!(named, "{case}");
        }
    }
}

/// How many tasks have slices, and whether each is named by its construct.
fn timeline(found: &Value) -> (usize, bool) {
    let events = found.as_array().or(found["traceEvents"].as_array());
    let (mut tasks, mut named) = (HashSet::new(), true);
    let mut open: HashMap<String, u64> = HashMap::new();
    for event in events.unwrap() {
        let depth = open.entry(event["tid"].to_string()).or_default();
        match event["ph"].as_str() {
            Some("B") => *depth += 1,
            Some("E") => *depth = depth.checked_sub(1).expect("a slice that is open"),
            _ => {}
        }
        if event["ph"] == "B" && event["cat"] == "explicit task" {
            tasks.insert(event["args"]["task"].as_u64().unwrap());
            named &= event["name"].as_str().unwrap().starts_with("task of ");
        }
    }
    assert!(open.values().all(|depth| *depth == 0));
    (tasks.len(), named)
}

#[test]
fn tasks_in_chunks_and_chunks_in_tasks() {
    let place = directory("app.c", MIXED);
    compile(&place.path().join("app.c"), &place.path().join("app"));
    for runtime in &runtimes::three() {
        let name = runtime.name;
        let Some((_, found)) = graph(place.path(), runtime, &[]) else {
            return;
        };
        assert_eq!(found["tasks"], 9, "{name}: {found}");
        assert_eq!(found["chunks"], 7, "{name}: {found}");
        assert_eq!(found["regions"], 2, "{name}: {found}");
    }
}

#[test]
fn deep_recursion_is_summarized() {
    let place = directory("app.c", DEEP);
    compile(&place.path().join("app.c"), &place.path().join("app"));
    for runtime in &runtimes::three() {
        let Some((_, found)) = graph(place.path(), runtime, &[]) else {
            return;
        };
        let tasks = found["tasks"].as_u64().unwrap();
        assert!(tasks > 300, "{}: {found}", runtime.name);
    }
}
