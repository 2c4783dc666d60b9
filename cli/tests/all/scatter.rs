//! On which processor chunks and tasks ran, and how far apart siblings were: of programs that say themselves where their threads run, on
//! each runtime.

use std::collections::BTreeMap;
use std::path::Path;

use ompchunk_trace_format::{Event, Trace};

use ompchunk_testkit::runtimes::{self, Runtime};

use crate::common::{self, clean, dist, finish, must_say, ompchunk, succeed};

/// The threads run on the first and the second of two processors; behind its second chunk the first thread goes to the second one, and
/// comes back before there are tasks.
const PROGRAM: &str = "#define _GNU_SOURCE
#include <sched.h>
#include <stdlib.h>
static volatile long sink;
int omp_get_thread_num(void);
static void work(long n) { for (long i = 0; i < n; i++) sink = i; }
static void go_to(const char *processor) {
  cpu_set_t set;
  CPU_ZERO(&set);
  CPU_SET(atoi(processor), &set);
  if (sched_setaffinity(0, sizeof set, &set)) abort();
}
int main(int argc, char **argv) {
#pragma omp parallel num_threads(2)
  {
    const char *own = argv[1 + omp_get_thread_num()];
    go_to(own);
#pragma omp for schedule(static, 1)
    for (int i = 0; i < 6; i++) {
      work(1000);
      if (i == 2) go_to(argv[2]);
    }
    go_to(own);
#pragma omp barrier
#pragma omp single
    for (int i = 0; i < 20; i++) {
#pragma omp task
      work(100000);
    }
  }
  return 0;
}
";

fn program() -> tempfile::TempDir {
    common::built(PROGRAM, common::oldest_major())
}

/// The first and the last processor that this process may use, which may be the same.
fn two_processors() -> [u32; 2] {
    let all = common::processors();
    [all[0], all[all.len() - 1]]
}

/// Records a run on these processors.
fn record(place: &Path, runtime: &Runtime, options: &[&str], [first, second]: [u32; 2]) {
    let mut command = clean("taskset");
    command
        .args(["-c", &format!("{first},{second}")])
        .arg(env!("CARGO_BIN_EXE_ompchunk"))
        .args(["record", "--force", "-o", "t"])
        .args(options)
        .arg("./app")
        .args([first, second].map(|number| number.to_string()))
        .env("OMPCHUNK_LIBDIR", dist().join("lib"))
        .env("OMP_DYNAMIC", "false");
    succeed(runtime.serve(command.current_dir(place)));
}

fn export(place: &Path, format: &str) -> String {
    let mut command = ompchunk(&["export", "t", "--to", format, "-"]);
    succeed(command.current_dir(place))
}

/// The thread of each record that says so, and the processor that it is on.
fn told(place: &Path) -> Vec<(u32, u32)> {
    let mut found = Vec::new();
    let trace = Trace::open(&place.join("t")).unwrap();
    for part in &trace.parts {
        part.for_each(|at, event| {
            if let Event::OnCpu { cpu } = event {
                found.push((at.thread, *cpu));
            }
        })
        .unwrap();
        assert_eq!(part.check().unwrap().violations, []);
    }
    found
}

struct Node<'g>(&'g str);

impl Node<'_> {
    fn text(&self, key: &str) -> Option<&str> {
        let data = self.0.split_once(&format!("<data key=\"v_{key}\">"))?.1;
        Some(data.split_once('<').unwrap().0)
    }

    fn number(&self, key: &str) -> Option<f64> {
        Some(self.text(key)?.parse().unwrap())
    }
}

fn nodes<'g>(graph: &'g str, kind: &str) -> Vec<Node<'g>> {
    let all = graph.split("<node ").skip(1).map(Node);
    all.filter(|node| node.text("type") == Some(kind)).collect()
}

/// The rows of the prototype's table with this tag: its values, by the names of columns.
fn rows(table: &str, tag: &str, columns: [&str; 2]) -> Vec<[String; 2]> {
    let mut lines = table.lines().map(|line| line.split(',').collect());
    let head: Vec<&str> = lines.next().unwrap();
    let place = |name: &str| head.iter().position(|known| *known == name).unwrap();
    let places = columns.map(place);
    let is_meant = |row: &Vec<&str>| row[place("tag")] == tag;
    lines.filter(is_meant).map(|row| places.map(|place| row[place].to_owned())).collect()
}

/// Where each chunk of the table ran, by its first iteration.
fn cpus_of_rows(place: &Path) -> BTreeMap<u64, u64> {
    let rows = export(place, "json");
    let rows = rows.lines().map(json);
    rows.map(|row| cpu_of(&row)).collect()
}

/// Likewise, for the slices of a timeline.
fn cpus_of_slices(place: &Path) -> BTreeMap<u64, u64> {
    let timeline = json(&export(place, "chrome"));
    let events = timeline["traceEvents"].as_array().unwrap();
    let chunks = events.iter().filter(|event| event["cat"] == "chunk");
    chunks.map(|chunk| cpu_of(&chunk["args"])).collect()
}

fn json(text: &str) -> serde_json::Value {
    serde_json::from_str(text).unwrap()
}

fn cpu_of(chunk: &serde_json::Value) -> (u64, u64) {
    (chunk["lower"].as_u64().unwrap(), chunk["cpu"].as_u64().unwrap())
}

const KINDS: [&[&str]; 3] = [&["--cpus"], &["--cpus", "--tasks"], &["--cpus", "--tasks", "--bookkeeping"]];

#[test]
fn on_one_processor_nothing_is_scattered() {
    let program = program();
    let place = program.path();
    let [_, last] = two_processors();
    let number = last.to_string();
    for runtime in &runtimes::three() {
        for options in KINDS {
            record(place, runtime, options, [last, last]);
            let case = format!("{}, {options:?}", runtime.name);
            // Each thread says it once.
            let mut told = told(place);
            told.sort_unstable();
            assert_eq!(told, [(0, last), (1, last)], "{case}");
            let graph = export(place, "graphml");
            let (chunks, tasks) = (nodes(&graph, "chunk"), nodes(&graph, "task"));
            assert_eq!(chunks.len(), 6, "{case}");
            assert_eq!(tasks.is_empty(), options.len() == 1, "{case}");
            for node in chunks.iter().chain(&tasks) {
                assert_eq!(node.text("cpu"), Some(&*number), "{case}: {}", node.0);
                assert_eq!(node.number("scatter"), Some(0.0), "{case}: {}", node.0);
            }
            let table = export(place, "task-stats");
            let columns = ["cpu_id", "sibling_scatter"];
            for row in rows(&table, "chunk_task", columns) {
                assert_eq!(row, [&number, "NA"], "{case}");
            }
            let tasks = rows(&table, "task", columns);
            assert_eq!(tasks.is_empty(), options.len() == 1, "{case}");
            for [cpu, scatter] in tasks {
                assert_eq!(cpu, number, "{case}");
                assert_eq!(scatter.parse(), Ok(0.0), "{case}");
            }
        }
    }
}

/// Each chunk and each task is where its thread has gone.
#[test]
fn threads_that_go_elsewhere_are_followed() {
    let program = program();
    let place = program.path();
    let both = two_processors();
    let [first, second] = both;
    let far = f64::from(second - first);
    for runtime in &runtimes::three() {
        for options in KINDS {
            record(place, runtime, options, both);
            let case = format!("{}, {options:?}", runtime.name);
            let graph = export(place, "graphml");
            let chunks = nodes(&graph, "chunk");
            assert_eq!(chunks.len(), 6, "{case}");
            let cpu_at = |lower| {
                if [0, 2].contains(&lower) { first } else { second }
            };
            let cpus: BTreeMap<u64, u64> = (0..6).map(|lower| (lower, cpu_at(lower).into())).collect();
            for chunk in chunks {
                let lower = chunk.number("lower").unwrap() as u64;
                let cpu = cpus[&lower] as f64;
                assert_eq!(chunk.number("cpu"), Some(cpu), "{case}: {}", chunk.0);
                // Eight of fifteen pairs are on both.
                assert_eq!(chunk.number("scatter"), Some(far), "{case}: {}", chunk.0);
            }
            assert_eq!(cpus_of_rows(place), cpus, "{case}");
            assert_eq!(cpus_of_slices(place), cpus, "{case}");
            for task in nodes(&graph, "task") {
                let thread = task.number("thread").unwrap() as usize;
                assert_eq!(task.number("cpu"), Some(both[thread].into()), "{case}: {}", task.0);
                let scatter = task.number("scatter").unwrap();
                assert!([0.0, far].contains(&scatter), "{case}: {}", task.0);
            }
            summarized(place, &graph, far, &case);
        }
    }
}

/// A node for all has what each has, and is a problem beyond a limit alone.
fn summarized(place: &Path, graph: &str, far: f64, case: &str) {
    let of = |format: &str, options: &[&str]| {
        let arguments = [&["export", "t", "--to", format, "-"], options].concat();
        succeed(ompchunk(&arguments).current_dir(place))
    };
    let is_problem = |node: &Node<'_>| {
        let problems = node.text("problems").unwrap_or_default();
        problems.split(' ').any(|problem| problem == "scatter")
    };
    let summary = of("graphml-summary", &[]);
    for kind in ["chunk", "task"] {
        let each = nodes(graph, kind).first().map(|node| node.number("scatter"));
        let all = nodes(&summary, kind).first().map(|node| node.number("scatter"));
        assert_eq!(each, all, "{case}, {kind}");
    }
    let limits = [(far as u32, false), ((far as u32).saturating_sub(1), far > 0.0)];
    for (limit, is_beyond) in limits {
        let limit = limit.to_string();
        for format in ["graphml", "graphml-summary"] {
            let beyond = of(format, &["--scatter-limit", &limit]);
            let chunks = nodes(&beyond, "chunk");
            assert!(!chunks.is_empty(), "{case}");
            for chunk in &chunks {
                assert_eq!(is_problem(chunk), is_beyond, "{case}, {format}: {}", chunk.0);
            }
        }
    }
    assert!(!nodes(&summary, "chunk").iter().any(is_problem), "{case}");
}

#[test]
fn what_was_not_asked_for_is_absent() {
    let program = program();
    let place = program.path();
    for runtime in &runtimes::two() {
        record(place, runtime, &["--tasks"], two_processors());
        assert_eq!(told(place), []);
        let graph = export(place, "graphml");
        for node in nodes(&graph, "chunk").iter().chain(&nodes(&graph, "task")) {
            assert_eq!((node.text("cpu"), node.text("scatter")), (None, None));
        }
        let mut limited = ompchunk(&["export", "t", "--to", "graphml", "-", "--scatter-limit", "0"]);
        let (status, _, said) = finish(limited.current_dir(place));
        assert_eq!(status, Some(0), "{said}");
        must_say(&said, "record --cpus");
        let mut summary = ompchunk(&["export", "t", "--to", "graphml-summary", "-"]);
        let summary = succeed(summary.current_dir(place));
        assert!(!summary.contains("\"v_scatter\">"), "{summary}");
        // The thread, as the prototype's runtime bound one to each core.
        let table = export(place, "task-stats");
        let chunks = rows(&table, "chunk_task", ["cpu_id", "sibling_scatter"]);
        assert!(chunks.contains(&["0".into(), "NA".into()]), "{table}");
        assert!(chunks.contains(&["1".into(), "NA".into()]), "{table}");
        let tasks = rows(&table, "task", ["tag", "sibling_scatter"]);
        assert!(tasks.iter().all(|row| row[1] == "NA"), "{table}");
    }
    let mut sums = ompchunk(&["record", "--cpus", "--aggregate", "-o", "u", "./app"]);
    let (status, _, said) = finish(sums.current_dir(place));
    assert_eq!(status, Some(2), "{said}");
    must_say(&said, "--cpus");
}
