//! Programs with explicit tasks only: the report has them by construct and region, in text and JSON, with the program's own counts, and the
//! account of the threads' time stays closed. What is said of them hangs on what else the machine does, so that made traces have the
//! tests of it (`analysis/tests/all/tasks.rs`); here the causes that may be named are those that fit.

use serde_json::Value;

use crate::common::recorded::report;
use crate::common::{self, majors, must_say, number, ompchunk, succeed};

const PROGRAM: &str = "#include <stdio.h>
#include <stdlib.h>
static volatile long sink;
static void work(long n) { for (long i = 0; i < n; i++) sink = i; }
static int fib(int n) {
  int a, b;
  if (n < 2) return n;
#pragma omp task shared(a)
  a = fib(n - 1);
#pragma omp task shared(b)
  b = fib(n - 2);
#pragma omp taskwait
  return a + b;
}
static void chain(void) {
  for (int i = 0; i < 100; i++) {
#pragma omp task
    work(200000);
#pragma omp taskwait
  }
}
static void ordered(void) {
  for (int i = 0; i < 10; i++) {
#pragma omp task depend(mutexinoutset : sink)
    work(1000);
  }
}
int main(int argc, char **argv) {
  int kind = atoi(argv[1]);
#pragma omp parallel num_threads(2)
#pragma omp single
  if (kind == 0) fib(20); else if (kind == 1) chain(); else ordered();
  return 0;
}
";

fn program() -> tempfile::TempDir {
    common::built(PROGRAM, majors()[0])
}

fn record(place: &tempfile::TempDir, kind: &str, options: &[&str]) {
    let mut command = ompchunk(&["record", "--force", "-o", "t"]);
    let command = command.args(options).args(["./app", kind]);
    succeed(command.current_dir(place.path()));
}

fn json(place: &tempfile::TempDir) -> Value {
    serde_json::from_str(&report(place, &["--json"])).unwrap()
}

/// The account of all is closed, and the hint, if there is one, is one that fits.
fn sound(found: &Value, fit: &[&str]) {
    let account = &found["run"]["account"];
    let entries = account["entries"].as_array().unwrap();
    let known: f64 = entries.iter().map(|entry| number(entry, "seconds")).sum();
    let all = number(account, "thread_seconds");
    let unknown = number(account, "unknown_seconds");
    assert!((known + unknown - all).abs() <= 0.01 * all, "{account}");
    let tasks = &found["tasks"];
    let work: f64 = tasks["constructs"].as_array().unwrap().iter().map(|of| number(of, "work_seconds")).sum();
    assert!(work <= all, "{tasks}");
    let region = &tasks["regions"][0];
    let team = number(region, "seconds") * number(region, "team_size");
    assert!(number(region, "work_seconds") <= team, "{region}");
    if let Some(code) = tasks["hint"]["code"].as_str() {
        assert!(fit.contains(&code), "{tasks}");
    }
}

#[test]
fn tasks_that_create_tasks() {
    let place = program();
    for options in [&[][..], &["--aggregate"]] {
        record(&place, "0", options);
        let found = json(&place);
        let constructs = found["tasks"]["constructs"].as_array().unwrap();
        assert_eq!(constructs.len(), 2, "{constructs:?}");
        // Two for each call with an argument of 2 or more: fib(21) - 1 of these.
        for of in constructs {
            let counts = ["created", "begun", "ended", "timed"].map(|name| number(of, name));
            assert_eq!(counts, [10945.0; 4], "{of}");
            assert_eq!(of["function"], "fib", "{of}");
            assert_eq!(number(of, "deepest"), 19.0, "{of}");
        }
        let lines: Vec<f64> = constructs.iter().map(|of| number(of, "line")).collect();
        assert!(lines.contains(&8.0) && lines.contains(&10.0), "{lines:?}");
        let text = report(&place, &[]);
        must_say(&text, "tasks: 21,890 explicit tasks");
        assert!(text.contains("app.c:8") && text.contains("parallelism"), "{text}");
        assert!(!text.contains("the program's OpenMP loops would be listed here"), "{text}");
        if options.is_empty() {
            sound(&found, &["cutoff"]);
        } else {
            // Without an account no cause is named that rests on it.
            assert!(found["tasks"].get("hint").is_none(), "{found}");
        }
    }
}

#[test]
fn tasks_in_a_chain() {
    let place = program();
    record(&place, "1", &[]);
    let found = json(&place);
    sound(&found, &["chain"]);
    let of = &found["tasks"]["constructs"][0];
    assert_eq!((number(of, "created"), number(of, "deepest")), (100.0, 1.0), "{of}");
    assert_eq!(number(of, "creators"), 1.0, "{of}");
    let region = &found["tasks"]["regions"][0];
    assert!(number(region, "span_seconds") >= number(of, "work_seconds"), "{region}");
    // What the other thread works beside the chain is next to nothing.
    let parallelism = number(region, "parallelism");
    assert!((0.99..1.5).contains(&parallelism), "{region}");
}

#[test]
fn a_span_that_is_not_known_is_not_shown() {
    let place = program();
    record(&place, "2", &[]);
    let found = json(&place);
    sound(&found, &[]);
    let region = &found["tasks"]["regions"][0];
    assert!(region["span_seconds"].is_null() && region["parallelism"].is_null(), "{region}");
    let text = report(&place, &[]);
    must_say(&text, "not known");
    record(&place, "2", &["--tasks"]);
    assert!(json(&place)["tasks"].get("critical_path").is_none());
}

/// Recorded one by one, the longest run has slices: in them is the tasks' time, and no more than the team's.
#[test]
fn tasks_over_time() {
    let place = program();
    record(&place, "1", &["--tasks"]);
    let found = json(&place);
    let region = &found["tasks"]["regions"][0];
    let activity = &region["activity"];
    let slices = activity["slices"].as_array().unwrap();
    assert_eq!(slices.len(), 100, "{region}");
    let busy: Vec<f64> = slices.iter().map(|busy| busy.as_f64().unwrap()).collect();
    let seconds = number(activity, "seconds");
    let in_tasks = busy.iter().sum::<f64>() * seconds / 100.0;
    let work = number(&found["tasks"]["constructs"][0], "work_seconds");
    assert!(work <= in_tasks * 1.01, "{work} of {in_tasks}: {region}");
    assert_eq!(number(activity, "threads"), 2.0, "{region}");
    // One task at a time: two threads share a slice, but never its moments.
    let most = busy.iter().copied().fold(0.0, f64::max);
    assert!(in_tasks > 0.0 && most <= 1.05, "{most}: {region}");
    let text = report(&place, &[]);
    must_say(&text, "threads in tasks over time, app.c:");
    must_say(&text, "all in 0.0 % (means of 100 slices)");
    let path = &found["tasks"]["critical_path"];
    let parts = path["parts"].as_array().unwrap();
    let [first, ..] = &parts[..] else { panic!("{path}") };
    assert_eq!(first["site"]["function"], "chain", "{path}");
    assert!(number(first, "seconds") >= work * 0.99, "{path}");
    let sum: f64 = parts.iter().map(|part| number(part, "seconds")).sum();
    let seconds = number(path, "seconds");
    assert!((sum - seconds).abs() < 1e-9, "{path}");
    assert!(seconds <= number(path, "work_seconds"), "{path}");
    must_say(&text, "critical path, ");
    assert!(report(&place, &["--html", "-"]).contains("\"slices\""));
    // A recording of sums says in JSON what is missing, and nothing in the text.
    record(&place, "1", &[]);
    let region = &json(&place)["tasks"]["regions"][0];
    assert!(region.get("activity").is_none(), "{region}");
    assert!(json(&place)["tasks"].get("critical_path").is_none());
    let why = region["activity_missing"].as_str().unwrap();
    assert!(why.contains("ompchunk record --tasks"), "{why}");
    assert!(!report(&place, &[]).contains("over time"));
}

/// A recording beside another one: constructs by their place, and those of one run only.
#[test]
fn tasks_of_two_runs() {
    let place = program();
    record(&place, "0", &[]);
    std::fs::rename(place.path().join("t"), place.path().join("fib")).unwrap();
    record(&place, "0", &[]);
    let pairs = |found: &Value| found["tasks"].as_array().unwrap().clone();
    let compare = |words: &[&str]| report(&place, &[&["--diff", "fib"], words].concat());
    let found: Value = serde_json::from_str(&compare(&["--json"])).unwrap();
    assert_eq!(pairs(&found).len(), 2, "{found}");
    for pair in pairs(&found) {
        assert_eq!(pair["before"]["line"], pair["after"]["line"], "{pair}");
        assert_eq!(number(&pair["before"], "created"), 10945.0, "{pair}");
        assert_eq!(number(&pair["after"], "created"), 10945.0, "{pair}");
    }
    must_say(&compare(&[]), "explicit tasks; work is their own time");
    must_say(&compare(&[]), "no loop in either run; explicit tasks are compared below\n");
    // There is no loop to list.
    assert!(!compare(&[]).contains("verdict  "));
    record(&place, "1", &[]);
    let found: Value = serde_json::from_str(&compare(&["--json"])).unwrap();
    let gone = |pair: &&Value| pair["after"].is_null();
    assert_eq!(pairs(&found).iter().filter(gone).count(), 2, "{found}");
    let new = |pair: &&Value| pair["before"].is_null() && pair["after"]["function"] == "chain";
    assert_eq!(pairs(&found).len(), 3, "{found}");
    assert_eq!(pairs(&found).iter().filter(new).count(), 1, "{found}");
    let text = compare(&[]);
    assert!(text.contains("gone") && text.contains("new"), "{text}");
}
