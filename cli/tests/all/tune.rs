//! `ompchunk tune`: predictions come before measurements, what was measured is said with its interval, and nothing of the user's
//! is touched.

use std::path::Path;

use serde_json::Value;

use crate::common::{self, directory, finish, majors, must_say, ompchunk, succeed};

/// Two loops: one whose iterations take ever longer, one whose iterations are equal. Prints a line that it read, and a sum
/// that no schedule changes. Arguments: repetitions; and perhaps how it ends under another schedule.
const PROGRAM: &str = "#include <stdio.h>
#include <stdlib.h>
static double a[600];
static void uneven(void) {
#pragma omp parallel for num_threads(2)
  for (int i = 0; i < 600; i++) { double s = a[i]; for (int j = 0; j < 20 * i; j++) s = s * 0.5 + j; a[i] = s; }
}
static void even(void) {
#pragma omp parallel for num_threads(2)
  for (int i = 0; i < 600; i++) { double s = a[i]; for (int j = 0; j < 3000; j++) s = s * 0.5 + j; a[i] = s; }
}
int main(int argc, char **argv) {
  char line[80] = \"nothing\";
  if (!fgets(line, sizeof line, stdin)) line[0] = 0;
  if (argc > 2 && getenv(\"OMPCHUNK_SCHEDULE\")) return atoi(argv[2]);
  for (int r = 0; r < atoi(argv[1]); r++) { uneven(); even(); }
  double sum = 0;
  for (int i = 0; i < 600; i++) sum += a[i];
  printf(\"%s%.17g\\n\", line, sum);
  return 0;
}
";

fn built(major: u32) -> tempfile::TempDir {
    common::built(PROGRAM, major)
}

fn tune(directory: &Path, words: &[&str]) -> (Option<i32>, String, String) {
    let words = [&["tune"], words].concat();
    finish(ompchunk(&words).current_dir(directory))
}

fn is_interval(value: &Value) -> bool {
    let [low, middle, high] = ["low", "middle", "high"].map(|name| value[name].as_f64());
    matches!((low, middle, high), (Some(low), Some(middle), Some(high)) if low <= middle && middle <= high)
}

#[test]
#[ignore = "judges time: make test-full PART=machine"]
fn predicts_then_measures() {
    for major in majors() {
        let built = built(major);
        let words = ["--time", "8", "--json", "./app", "60"];
        let (code, stdout, stderr) = tune(built.path(), &words);
        assert_eq!(code, Some(0), "{stdout}{stderr}");
        let all: Value = serde_json::from_str(&stdout).unwrap();
        let loops = all["loops"].as_array().unwrap();
        assert_eq!(loops.len(), 2, "{stdout}");
        let of = |line: u64| loops.iter().find(|the_loop| the_loop["line"] == line).unwrap();
        let (uneven, even) = (of(5), of(9));
        // What is equal is left as it is, however loaded the machine; what is not, is advised unless that hides it.
        assert!(even["advice"].is_null() || even["verdict"] != "slower", "{stdout}");
        let file = built.path().join("schedules.txt");
        if uneven["advice"].is_null() && uneven["possible"].is_null() {
            assert!(uneven["verdict"].is_null() && !file.exists(), "{stdout}");
            eprintln!("the machine is too loaded for a prediction: {}", uneven["reason"]);
            continue;
        }
        let possible = &uneven["possible"]["predicted_ratio"];
        let predicted = is_interval(&uneven["predicted_ratio"]) || is_interval(possible);
        assert!(predicted, "{stdout}");
        let measured = is_interval(&uneven["measured_ratio"]) && is_interval(&uneven["before_seconds"]);
        assert!(measured && is_interval(&uneven["measured_seconds"]), "{stdout}");
        let verdict = uneven["verdict"].as_str().unwrap();
        assert!(["faster", "slower", "same", "unknown"].contains(&verdict));
        assert_eq!(file.exists(), loops.iter().any(|the_loop| the_loop["verdict"] == "faster"), "{stdout}");
        if verdict == "faster" {
            assert!(is_interval(&all["run"]["measured_ratio"]) || all["run"]["measured_ratio"].is_null());
            let text = std::fs::read_to_string(&file).unwrap();
            must_say(&text, "app.c:5=");
            succeed(ompchunk(&["run", "--schedule", "@schedules.txt", "./app", "2"]).current_dir(built.path()));
        }
    }
}

#[test]
fn a_file_of_somebody_else_stays() {
    let built = built(majors()[0]);
    std::fs::write(built.path().join("schedules.txt"), "mine\n").unwrap();
    let (code, stdout, stderr) = tune(built.path(), &["./app", "2"]);
    assert_eq!((code, stdout.as_str()), (Some(1), ""), "{stderr}");
    assert!(stderr.contains("schedules.txt") && stderr.contains("next: "), "{stderr}");
    let text = std::fs::read_to_string(built.path().join("schedules.txt")).unwrap();
    assert_eq!(text, "mine\n");
}

#[test]
fn a_program_that_fails() {
    let built = built(majors()[0]);
    for (words, what) in [
        (&["./none"][..], "none"),
        (&["sh", "-c", "echo because >&2; exit 3"], "because"),
        (&["sh", "-c", "kill -9 $$"], "signal: 9"),
    ] {
        let (code, stdout, stderr) = tune(built.path(), words);
        assert_ne!(code, Some(0), "{stdout}{stderr}");
        assert!(stderr.contains(what), "{words:?}: {stderr}");
        assert!(!built.path().join("schedules.txt").exists());
    }
}

/// Nothing can be compared, for the cause that `ompchunk record` gives, and no temporary file is blamed.
#[test]
fn a_program_without_loops() {
    let built = built(majors()[0]);
    let tuned = |program: &str| {
        let (code, stdout, stderr) = tune(built.path(), &[program]);
        assert!(!built.path().join("schedules.txt").exists(), "{stdout}");
        assert_eq!(stderr.matches("next: ").count() + stdout.matches("next: ").count(), 1, "{stdout}{stderr}");
        assert!(!stderr.contains("cannot read"), "{stderr}");
        (code, stdout + &stderr)
    };
    let compiled = |name: &str, text: &str, flags: &[&str]| {
        let source = format!("{name}.c");
        std::fs::write(built.path().join(&source), text).unwrap();
        let words = [&["cc", &source, "-o", name], flags].concat();
        succeed(ompchunk(&words).env("OMPCHUNK_CC", format!("clang-{}", majors()[0])).current_dir(built.path()));
    };
    compiled("without", common::HUNDRED, &[]);
    let (code, text) = tuned("./without");
    assert_eq!(code, Some(1), "{text}");
    must_say(&text, "nothing was recorded, so nothing can be compared: ");
    must_say(&text, "./without is linked with none, as what is compiled without -fopenmp");
    // With regions, but no loops.
    let region = "int main(void) {\n#pragma omp parallel num_threads(2)\n  __asm__ volatile(\"\");\n  return 0;\n}\n";
    compiled("region", region, &["-fopenmp"]);
    let (code, text) = tuned("./region");
    assert_eq!(code, Some(0), "{text}");
    must_say(&text, "./region ran no OpenMP loop");
    // A loop that nobody can judge is not said to have nothing to gain.
    let plain = "clang-".to_owned() + &majors()[0].to_string();
    std::fs::write(built.path().join("plain.c"), common::HUNDRED).unwrap();
    succeed(common::clean(&plain).args(["-fopenmp", "plain.c", "-o", "plain"]).current_dir(built.path()));
    let (code, stdout, stderr) = tune(built.path(), &["./plain"]);
    assert_eq!(code, Some(0), "{stdout}{stderr}");
    assert!(stdout.contains("compiled without the plugin") && !stdout.contains("nothing to gain"), "{stdout}");
}

/// A report of what `tune` records while it measures would blame the schedule for what was not recorded.
#[test]
fn a_trace_without_chunks_has_no_report() {
    let built = built(majors()[0]);
    let words = ["record", "-o", "trace", "./app", "2"];
    succeed(ompchunk(&words).env("OMPCHUNK_RECORD", "executions").current_dir(built.path()));
    let (code, stdout, stderr) = finish(ompchunk(&["report", "trace"]).current_dir(built.path()));
    assert_eq!((code, stdout.as_str()), (Some(1), ""), "{stderr}");
    assert!(stderr.contains("without chunks") && stderr.contains("next: "), "{stderr}");
    succeed(ompchunk(&["report", "--check", "trace"]).current_dir(built.path()));
}

/// The README's example: dealing single iterations takes so much longer than they do that any machine shows it, and the file is written.
#[test]
#[ignore = "judges time: make test-full PART=machine"]
fn the_example_of_the_readme() {
    let source = common::repository().join("examples/programs/smooth.c");
    for major in majors() {
        let directory = directory("smooth.c", &std::fs::read_to_string(&source).unwrap());
        common::compile(directory.path(), major, "-O2 -g -fopenmp smooth.c -o smooth");
        let mut command = ompchunk(&["tune", "--time", "4", "./smooth"]);
        command.env("OMP_NUM_THREADS", "2").current_dir(directory.path());
        let (code, stdout, stderr) = finish(&mut command);
        assert_eq!(code, Some(0), "{stdout}{stderr}");
        assert_eq!(stderr, "", "{stdout}");
        must_say(&stdout, "smooth.c:16  dynamic,1 -> static");
        must_say(&stdout, "the whole program");
        assert!(!stdout.contains("--time"), "{stdout}");
        let written = std::fs::read_to_string(directory.path().join("schedules.txt")).expect(&stdout);
        must_say(&written, "smooth.c:16=static");
    }
}

/// A thread that takes twice as long for each iteration, and equal iterations that are dealt by one and by twenty. Arguments: which, and repetitions.
const ATTACKED: &str = "#include <dlfcn.h>
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
static double a[1 << 18];
static volatile double sink;
static void slow(void) {
  int (*who_runs)(void) = (int (*)(void))dlsym(0, \"omp_get_thread_num\");
#pragma omp parallel for schedule(static)
  for (int i = 0; i < 1000; i++) {
    double s = a[i];
    int times = who_runs() == 1 ? 12000 : 6000;
    for (int j = 0; j < times; j++) s = s * 0.5 + j;
    sink = s;
  }
}
static void one(void) {
#pragma omp parallel for schedule(dynamic, 1)
  for (int i = 0; i < 1 << 18; i++) a[i] += i;
}
static void twenty(void) {
#pragma omp parallel for schedule(dynamic, 20)
  for (int i = 0; i < 1 << 18; i++) a[i] += i;
}
int main(int argc, char **argv) {
  void (*all[])(void) = {slow, one, twenty};
  for (int r = 0; r < atoi(argv[2]); r++) all[atoi(argv[1])]();
  printf(\"%g\\n\", a[7]);
  return 0;
}
";

/// What was predicted of its only loop, what was measured, and the reason.
fn attacked(directory: &Path, words: [&str; 2]) -> [Value; 3] {
    let mut command = ompchunk(&["tune", "--time", "4", "--json", "./app"]);
    command.args(words).env("OMP_NUM_THREADS", "2");
    let (code, stdout, stderr) = finish(command.current_dir(directory));
    assert_eq!(code, Some(0), "{stdout}{stderr}");
    let all: Value = serde_json::from_str(&stdout).unwrap();
    let the_loop = &all["loops"][0];
    let predicted = match the_loop["predicted_ratio"].is_null() {
        true => &the_loop["possible"]["predicted_ratio"],
        false => &the_loop["predicted_ratio"],
    };
    assert!(is_interval(predicted), "{the_loop:#}");
    [predicted, &the_loop["measured_ratio"], &the_loop["reason"]].map(Value::clone)
}

/// A slow thread is no certain reason, so nothing is advised; but it is measured what dealing saves. Of equal iterations it is never said
/// that they differ, and the interval holds what is measured.
#[test]
#[ignore = "judges time: make test-full PART=machine"]
fn what_attacks_found() {
    let directory = common::built(ATTACKED, majors()[0]);
    let [predicted, measured, reason] = attacked(directory.path(), ["0", "40"]);
    assert!(predicted["middle"].as_f64().unwrap() <= 0.9, "{predicted} {reason}");
    assert!(is_interval(&measured), "{measured} {reason}");
    for words in [["1", "6"], ["2", "60"]] {
        let [predicted, measured, reason] = attacked(directory.path(), words);
        let said = reason.as_str().unwrap();
        assert!(!said.contains(" times the others"), "{said}");
        if measured.is_null() {
            eprintln!("the machine is too busy to measure: {predicted}");
            continue;
        }
        let end = |interval: &Value, end: &str| interval[end].as_f64().unwrap();
        assert!(
            end(&predicted, "low") <= end(&measured, "high") && end(&measured, "low") <= end(&predicted, "high"),
            "{predicted} {measured} {said}"
        );
    }
}
