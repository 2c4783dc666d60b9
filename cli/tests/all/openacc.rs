//! OpenACC of programs that GCC compiles (their constructs run on the host, and libgomp tells a part of the events), from
//! `ompchunk record` to report and exports, alone and beside OpenMP.

use std::path::Path;
use std::process::Command;

use serde_json::Value;

use crate::common::{clean, dist, finish, majors, must_say, ompchunk, succeed};

const PROGRAM: &str = "\
#include <stdio.h>
#include <unistd.h>
double a[1000];
int openacc(int times) {
  double sum = 0;
#pragma acc enter data copyin(a)
#pragma acc data copy(a)
  for (int k = 0; k < times; k++) {
#pragma acc parallel loop
    for (int i = 0; i < 1000; i++) a[i] += i;
#pragma acc serial
    { usleep(10000); }
#pragma acc update host(a)
  }
#pragma acc exit data copyout(a)
  for (int i = 0; i < 1000; i++) sum += a[i];
  return printf(\"%g\\n\", sum);
}
#ifndef PART
int main(void) { return openacc(5) < 0; }
#endif
";

const OPENMP: &str = "\
int openacc(int times);
static volatile double b[100];
int main(void) {
  for (int k = 0; k < 3; k++) {
#pragma omp parallel for schedule(static, 1) num_threads(2)
    for (int i = 0; i < 100; i++) b[i] = i;
    openacc(2);
  }
  return 0;
}
";

/// A profiling library of a user's.
const THEIRS: &str = "\
#include <stdio.h>
static int events;
static void count(void *a, void *b, void *c) { events++; }
static void done(void) __attribute__((destructor));
static void done(void) { fprintf(stderr, \"%d events\\n\", events); }
void acc_register_library(void (*reg)(int, void *, int), void *u, void *l) {
  for (int event = 1; event < 26; event++) reg(event, count, 0);
}
";

fn gcc(directory: &Path, source: &str, arguments: &[&str]) {
    let name = directory.join("source.c");
    std::fs::write(&name, source).unwrap();
    let mut command = clean("gcc");
    succeed(command.args(["-O1", "-g"]).args(arguments).arg("source.c").current_dir(directory));
}

fn record(directory: &Path, arguments: &[&str]) -> Command {
    let mut command = ompchunk(&["record"]);
    command.env_remove("ACC_PROFLIB").args(arguments).current_dir(directory);
    command
}

fn report(directory: &Path, trace: &str) -> Value {
    let mut command = ompchunk(&["report", "--json", trace]);
    crate::common::json(command.current_dir(directory))
}

/// How often, and with which part of the thread's time.
fn row<'v>(report: &'v Value, operation: &str, construct: &str) -> &'v Value {
    let all = report["openacc"].as_array().unwrap();
    let is = |row: &&Value| row["operation"] == operation && row["construct"] == construct;
    all.iter().find(is).unwrap_or_else(|| panic!("no {operation} of {construct}: {report:#}"))
}

#[test]
fn a_program_of_gcc() {
    let directory = tempfile::tempdir().unwrap();
    let directory = directory.path();
    gcc(directory, PROGRAM, &["-fopenacc", "-o", "app"]);
    let (code, stdout, said) = finish(&mut record(directory, &["./app"]));
    assert_eq!(code, Some(0), "{said}");
    assert_eq!(stdout, "2.4975e+06\n");
    let begins = "ompchunk: app.ompchunk: 0 loops, 0 chunks, 20 OpenACC operations, ";
    assert!(said.starts_with(begins) && said.lines().count() == 1, "{said}");
    let found = report(directory, "app.ompchunk");
    assert_eq!(found["run"]["loop_seconds"], Value::Null);
    assert_eq!(found["run"]["serial_seconds"], Value::Null);
    assert_eq!(found["loops"], Value::Array(Vec::new()));
    operations_have_counts_and_times(&found);
    the_text_says_so(directory);
    exports_have_them(directory);
}

fn operations_have_counts_and_times(found: &Value) {
    let counts = [
        ("device init", "parallel", 1),
        ("enter data", "enter data", 1),
        ("enter data", "data", 1),
        ("compute construct", "parallel", 10),
        ("update", "update", 5),
        ("exit data", "data", 1),
        ("exit data", "exit data", 1),
    ];
    for (operation, construct, count) in counts {
        let row = row(found, operation, construct);
        assert_eq!(row["count"], count, "{operation} of {construct}");
        assert_eq!(row["untimed"], 0);
        // What the runtime does not tell is not there.
        for unknown in ["file", "line", "function", "name", "bytes", "dimensions"] {
            assert_eq!(row[unknown], Value::Null, "{unknown}");
        }
    }
    let constructs = row(found, "compute construct", "parallel");
    let seconds = constructs["seconds"].as_f64().unwrap();
    let whole = found["openacc_seconds"].as_f64().unwrap();
    let run = found["run"]["seconds"].as_f64().unwrap();
    assert!((0.05..run).contains(&seconds) && seconds <= whole && whole <= run, "{found:#}");
    assert!(constructs["longest_seconds"].as_f64().unwrap() >= 0.01);
}

fn the_text_says_so(directory: &Path) {
    let text = succeed(ompchunk(&["report", "app.ompchunk"]).current_dir(directory));
    must_say(&text, "no loop of OpenMP was recorded; what OpenACC did is below");
    must_say(&text, "note: no OpenMP runtime with a tools interface was there");
    must_say(&text, "OpenACC: 20 operations, ");
    assert!(text.lines().any(|line| line.ends_with("compute construct  parallel")), "{text}");
    succeed(ompchunk(&["report", "app.ompchunk", "--check"]).current_dir(directory));
    succeed(ompchunk(&["report", "app.ompchunk", "--html", "page.html"]).current_dir(directory));
}

fn exports_have_them(directory: &Path) {
    let (code, chrome, said) =
        finish(ompchunk(&["export", "app.ompchunk", "--to", "chrome", "-"]).current_dir(directory));
    assert_eq!((code, said.as_str()), (Some(0), ""));
    let chrome: Value = serde_json::from_str(&chrome).unwrap();
    let events = chrome["traceEvents"].as_array().unwrap();
    let begins = events.iter().filter(|event| event["ph"] == "B" && event["cat"] == "openacc");
    assert_eq!(begins.count(), 20);
    let (code, rows, said) =
        finish(ompchunk(&["export", "app.ompchunk", "--to", "csv", "-", "--table", "openacc"]).current_dir(directory));
    assert_eq!((code, said.as_str()), (Some(0), ""));
    let of = |column: usize, text: &str| {
        let rows = rows.lines().skip(1);
        rows.filter(|row| row.split(',').nth(column) == Some(text)).count()
    };
    assert_eq!(rows.lines().count(), 21);
    assert_eq!((of(4, "compute construct"), of(5, "update")), (10, 5));
    // Each has its time.
    assert_eq!(of(11, ""), 0);
}

#[test]
fn beside_openmp_of_clang() {
    let directory = tempfile::tempdir().unwrap();
    let directory = directory.path();
    gcc(directory, PROGRAM, &["-fopenacc", "-DPART", "-c", "-o", "part.o"]);
    let libgomp = succeed(clean("gcc").arg("-print-file-name=libgomp.so"));
    std::fs::write(directory.join("app.c"), OPENMP).unwrap();
    let mut compile = ompchunk(&["cc", "-O1", "-g", "-fopenmp", "app.c", "part.o"]);
    compile.arg(libgomp.trim()).args(["-o", "app"]).current_dir(directory);
    succeed(compile.env("OMPCHUNK_CC", format!("clang-{}", majors()[0])));
    let (code, _, said) = finish(&mut record(directory, &["./app"]));
    assert_eq!(code, Some(0), "{said}");
    let begins = "ompchunk: app.ompchunk: 1 loop, 300 chunks, 31 OpenACC operations, ";
    assert!(said.starts_with(begins), "{said}");
    let found = report(directory, "app.ompchunk");
    assert_eq!(found["loops"][0]["chunks"], 300);
    assert_eq!(row(&found, "compute construct", "parallel")["count"], 12);
    assert_eq!(found["parts"].as_array().unwrap().len(), 1);
    assert_eq!(found["run"]["threads"], 2);
    // The loops' own account is as without.
    assert!(found["run"]["loop_seconds"].as_f64().unwrap() > 0.0);
    assert!(found["run"]["serial_seconds"].as_f64().unwrap() > 0.06);
    let codes = found["notes"].as_array().unwrap().iter().map(|report| &report["code"]);
    assert_eq!(codes.filter(|codes| *codes == "openacc-alone").count(), 0);
}

#[test]
fn programs_without_openacc_are_as_they_were() {
    let directory = tempfile::tempdir().unwrap();
    let directory = directory.path();
    let source = "#include <stdio.h>\nint main(void) {\n#pragma omp parallel\n  puts(\"\");\n  return 0;\n}\n";
    gcc(directory, source, &["-fopenmp", "-o", "app"]);
    let (code, _, said) = finish(&mut record(directory, &["--runtime", "as-linked", "./app"]));
    assert_eq!(code, Some(125), "{said}");
    must_say(&said, "which has no tools interface (OMPT), and it ran no OpenACC");
    assert!(!directory.join("app.ompchunk").exists());
}

#[test]
fn a_users_own_profiling_library() {
    let directory = tempfile::tempdir().unwrap();
    let directory = directory.path();
    gcc(directory, THEIRS, &["-shared", "-fPIC", "-w", "-o", "theirs.so"]);
    gcc(directory, PROGRAM, &["-fopenacc", "-o", "app"]);
    // Theirs alone, with a word on how to have both.
    let mut command = record(directory, &["./app"]);
    let (_, _, said) = finish(command.env("ACC_PROFLIB", "./theirs.so"));
    must_say(&said, "ACC_PROFLIB names ./theirs.so, which stays alone");
    must_say(&said, "\n40 events\n");
    assert!(!directory.join("app.ompchunk").exists());
    // As that says.
    let recorder = dist().join("lib/libompchunk_trace.so");
    let both = format!("./theirs.so;{}", recorder.display());
    let mut command = record(directory, &["./app"]);
    let (code, _, said) = finish(command.env("ACC_PROFLIB", both));
    assert_eq!(code, Some(0), "{said}");
    assert!(said.contains("40 events\n") && said.contains(", 20 OpenACC operations, "), "{said}");
    assert!(!said.contains("stays alone"), "{said}");
    // By hand, without the command.
    let mut command = clean("./app");
    command.current_dir(directory).env("ACC_PROFLIB", &recorder);
    succeed(command.env("OMPCHUNK_TRACE", directory.join("by-hand")));
    assert_eq!(row(&report(directory, "by-hand"), "update", "update")["count"], 5);
}
