//! `ompchunk bench` and other schedules: a compiled program under them, and loops under them against clauses in the source. No
//! number is looked at for its size.

use std::path::Path;
use std::process::Command;

use serde_json::Value;

use crate::common::{directory, fail, majors, must_say, ompchunk, succeed};

/// Prints the sum of a loop; with an argument, also how often it goes over to another thread.
const APP: &str = "#include <stdio.h>
#include <stdlib.h>
int omp_get_thread_num(void);
static int who[1000];
int main(int count, char **arguments) {
  long sum = 0;
  int changes = 0;
#pragma omp parallel for num_threads(2) reduction(+ : sum)
  for (int i = 0; i < 1000; i++) { sum += i; who[i] = omp_get_thread_num(); }
  for (int i = 1; i < 1000; i++) changes += who[i] != who[i - 1];
  printf(\"%ld %d\\n\", sum, count > 1 ? changes : 0);
  return count > 2 && changes > 1 ? 3 : 0;
}
";

fn app(at: &Path, compiler: &[&str]) {
    let mut command = match compiler {
        [] => {
            let mut ours = ompchunk(&["cc"]);
            ours.env("OMPCHUNK_CC", format!("clang-{}", majors()[0]));
            ours
        }
        [other, ..] => Command::new(other),
    };
    command.args(["-O2", "-g", "-fopenmp", "app.c", "-o", "app"]);
    succeed(command.current_dir(at));
}

fn bench(at: &Path, schedules: &[&str], program: &[&str]) -> Command {
    let mut command = ompchunk(&["bench", "--quick", "--output", "results.json"]);
    for schedule in schedules {
        command.args(["--schedule", schedule]);
    }
    command.arg("--").args(program).current_dir(at);
    command
}

fn results(at: &Path) -> Value {
    let text = std::fs::read_to_string(at.join("results.json")).unwrap();
    serde_json::from_str(&text).unwrap()
}

#[test]
fn a_program_as_compiled_and_under_schedules() {
    let dir = directory("app.c", APP);
    let at = dir.path();
    app(at, &[]);
    let mut command = bench(at, &["main=static,1 # mine", "nowhere=guided"], &["./app"]);
    // What is ordered elsewhere is not what is asked for.
    let text = succeed(command.env("OMPCHUNK_SCHEDULE", "main=dynamic"));
    for says in [
        "./app as compiled and under other schedules",
        "main=static,1 # mine nowhere=guided",
        "as compiled, again (A/A)",
        "under the schedules",
        "ratio to compiled",
        "no loop that ran is meant by 'nowhere=guided'",
    ] {
        assert!(text.contains(says), "{says}: {text}");
    }
    let results = results(at);
    assert_eq!(results["suite"], "schedules-of-program");
    assert_eq!(results["setup"]["schedules"], "main=static,1 # mine\nnowhere=guided");
    let series = results["cells"][0]["series"].as_array().unwrap();
    let names: Vec<&str> = series.iter().map(|of| of["variant"].as_str().unwrap()).collect();
    assert_eq!(names, ["compiled", "compiled-again", "schedules"]);
    for of in series {
        assert!(of["ns"].as_array().unwrap().len() >= 2, "{of}");
    }
    let mut report = ompchunk(&["bench", "report", "results.json"]);
    let again = succeed(report.current_dir(at));
    assert!(text.starts_with(again.trim_end()), "{text}");
}

/// A file by its relative name, as `ompchunk run` takes it; and schedules in turn.
#[test]
fn schedules_of_a_file() {
    let dir = directory("app.c", APP);
    let at = dir.path();
    app(at, &[]);
    std::fs::write(at.join("s.txt"), "app.c:8=static,1|source|dynamic\n").unwrap();
    succeed(&mut bench(at, &["@s.txt"], &["./app"]));
    assert_eq!(results(at)["setup"]["schedules"], "app.c:8=static,1|source|dynamic\n");
}

#[test]
fn other_output_is_warned_of_and_another_end_is_an_error() {
    let dir = directory("app.c", APP);
    let at = dir.path();
    app(at, &[]);
    let text = succeed(&mut bench(at, &["main=static,1"], &["./app", "1"]));
    let says = "(under the schedules) printed something else than as compiled";
    assert_eq!(text.matches(says).count(), 1, "{text}");
    let (_, stderr) = fail(&mut bench(at, &["main=static,1"], &["./app", "1", "2"]));
    assert!(
        stderr.contains("ended with exit status: 3 instead of exit status: 0") && stderr.contains("next: "),
        "{stderr}"
    );
}

/// Equal things are not measured as if they differed.
#[test]
fn where_nothing_is_changed_nothing_is_measured() {
    let dir = directory("app.c", APP);
    let at = dir.path();
    app(at, &[]);
    let nothing = "no loop of the program runs under another schedule";
    for schedule in ["nowhere=dynamic", "main=source", "*=source", "# none"] {
        let (_, stderr) = fail(&mut bench(at, &[schedule], &["./app"]));
        assert!(stderr.contains(nothing) && stderr.contains("next: `ompchunk loops"), "{stderr}");
    }
    let mut cancels = bench(at, &["*=dynamic"], &["./app"]);
    let (_, stderr) = fail(cancels.env("OMP_CANCELLATION", "true"));
    assert!(stderr.contains(nothing) && stderr.contains("OMP_CANCELLATION is on"), "{stderr}");
    app(at, &[&format!("clang-{}", majors()[0])]);
    let (_, stderr) = fail(&mut bench(at, &["*=dynamic"], &["./app"]));
    must_say(&stderr, nothing);
    assert!(!at.join("results.json").exists());
}

#[test]
fn mistakes() {
    let dir = directory("app.c", APP);
    let at = dir.path();
    let cases: [(&[&str], &[&str], &str); 6] = [
        (&["main=dinamic"], &["./app"], "'dinamic' is no schedule"),
        (&["main"], &["./app"], "no '='"),
        (&["@/nowhere"], &["./app"], "cannot read /nowhere"),
        (&["*=static"], &[], "needs a program"),
        (&["*=static"], &["./nowhere"], "./nowhere cannot be run"),
        (&["*=static"], &["clang-22", "-O2", "app.c", "--", "./app"], "with --schedule nothing is compiled"),
    ];
    for (schedules, program, sentence) in cases {
        let (code, stderr) = fail(&mut bench(at, schedules, program));
        assert_eq!(code, 1, "{stderr}");
        assert!(stderr.contains(sentence) && stderr.contains("next: "), "{sentence}: {stderr}");
    }
    for other in [&["--record"][..], &["--suite", "chunk"], &["--layouts", "2"]] {
        let mut command = ompchunk(&["bench", "--schedule", "*=static"]);
        let (code, stderr) = fail(command.args(other).args(["--", "./app"]).current_dir(at));
        assert_eq!(code, 2, "{stderr}");
        must_say(&stderr, "cannot be used with");
    }
}

/// The workers looked whether each loop runs under what is ordered.
#[test]
fn clauses_in_the_source_and_at_run_time() {
    let dir = tempfile::tempdir().unwrap();
    let at = dir.path();
    let clang = format!("clang-{}", majors()[0]);
    let mut command = ompchunk(&["bench", "--suite", "schedules", "--quick", "--allow-noisy"]);
    command.args(["--cc", &clang, "--output", "results.json", "--threads", "2"]);
    let text = succeed(command.current_dir(at));
    for says in [
        "Schedules at run time and in the source, -O2 -fopenmp",
        "schedule(dynamic, chunk), body flops, 2 threads",
        "schedule(static, chunk), body delay, 2 threads",
        "guided at run time: ratio to the clause in the source",
    ] {
        assert!(text.contains(says), "{says}: {text}");
    }
    let results = results(at);
    let cells = results["cells"].as_array().unwrap();
    assert_eq!(cells.len(), 2 * 3 * 2);
    for cell in cells {
        assert_eq!(cell["series"].as_array().unwrap().len(), 4, "{cell}");
    }
}
