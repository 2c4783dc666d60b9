//! `ompchunk tune` proposes nothing that breaks what the program relies on, and where a run under another schedule does something
//! else than runs as compiled it says so, by the loop's name, and never recommends it.

use std::path::Path;

use serde_json::Value;

use crate::common::{built, finish, majors, must_say, ompchunk, succeed};

/// Two loops that any thread may run. In line 11 the program also asks by an address who ran what, which no compiler can know: it is right if the
/// first half was one thread's and the second the other's, each time. Arguments: repetitions, and how it ends under another schedule.
const ASKS: &str = "#include <stdio.h>
#include <stdlib.h>
static int (*who_runs)(void); void *dlsym(void *, const char *);
static int who[600];
static double a[600], b[600];
static void uneven(void) {
#pragma omp parallel for num_threads(2)
  for (int i = 0; i < 600; i++) { double s = a[i]; for (int j = 0; j < 20 * i; j++) s = s * 0.5 + j; a[i] = s; }
}
static void asks(void) {
#pragma omp parallel for num_threads(2)
  for (int i = 0; i < 600; i++) { double s = b[i]; for (int j = 0; j < 40 * i; j++) s = s * 0.5 + j; b[i] = s; who[i] = who_runs(); }
}
int main(int argc, char **argv) {
  int wrong = 0; who_runs = (int (*)(void))dlsym(0, \"omp_get_thread_num\");
  for (int r = 0; r < atoi(argv[1]); r++) {
    uneven();
    asks();
    for (int i = 0; i < 600; i++) wrong += who[i] != i / 300;
  }
  if (argc > 2 && getenv(\"OMPCHUNK_SCHEDULE\")) return atoi(argv[2]);
  puts(wrong ? \"wrong\" : \"right\");
  if (getenv(\"VARIES\")) printf(\"%d\\n\", (int)rand_r(&(unsigned){(unsigned)(size_t)&wrong}));
  return 0;
}
";

/// Triangles: the second loop reads what its own thread wrote in the first, for which OpenMP gives both the same iterations.
const PAIRS: &str = "#include <stdio.h>
#include <stdlib.h>
static double a[600], b[600];
static double some(int times) { double s = 0; for (int k = 0; k < times; k++) s = s * 0.5 + k; return s; }
int main(int argc, char **argv) {
  for (int r = 0; r < atoi(argv[1]); r++) {
#pragma omp parallel num_threads(2)
    {
#pragma omp for schedule(static) nowait
      for (int i = 0; i < 600; i++) a[i] = some(20 * i);
#pragma omp for schedule(static)
      for (int i = 0; i < 600; i++) b[i] += a[i] + some(40 * i);
    }
  }
  double sum = 0;
  for (int i = 0; i < 600; i++) sum += b[i];
  printf(\"%.17g\\n\", sum);
  return 0;
}
";

fn tune(directory: &Path, variable: Option<&str>, words: &[&str]) -> (Option<i32>, Value, String) {
    let words = [&["tune", "--json"], words].concat();
    let mut command = ompchunk(&words);
    if let Some(name) = variable {
        command.env(name, "1");
    }
    let (code, stdout, stderr) = finish(command.current_dir(directory));
    let json = serde_json::from_str(&stdout).unwrap_or(Value::Null);
    (code, json, stderr)
}

/// Runs until something is proposed for the loop in this line, or so often: a machine that is busy enough hides every gain.
const TRIES: usize = 5;

fn tuned(directory: &Path, line: u64, variable: Option<&str>, words: &[&str]) -> (Value, Value, String) {
    for _ in 0..TRIES {
        let (code, all, stderr) = tune(directory, variable, words);
        assert_eq!(code, Some(0), "{all:#}{stderr}");
        let one = at(&all, line);
        if !one["advice"].is_null() || !one["possible"].is_null() {
            return (all, one, stderr);
        }
        eprintln!("the machine is too loaded for a prediction: {}", one["reason"]);
    }
    panic!("nothing was proposed in {TRIES} runs for a triangle");
}

fn at(all: &Value, line: u64) -> Value {
    let mut loops = all["loops"].as_array().expect("loops").iter();
    let found = loops.find(|the_loop| the_loop["line"] == line);
    found.unwrap_or_else(|| panic!("no line {line}: {all:#}")).clone()
}

fn entries(directory: &Path) -> String {
    std::fs::read_to_string(directory.join("schedules.txt")).unwrap_or_default()
}

#[test]
#[ignore = "judges time: make test-full PART=machine"]
fn what_a_run_does_otherwise_is_an_alarm_with_the_loop_s_name() {
    let built = built(ASKS, majors()[0]);
    let (_, one, stderr) = tuned(built.path(), 11, None, &["--time", "4", "./app", "40"]);
    let alarm = one["alarm"].as_str().expect("an alarm");
    assert!(alarm.starts_with("the program printed something else under "), "{alarm}");
    for has in ["app.c:11=", "line 1 is 'wrong', before 'right'", "it is not recommended"] {
        assert!(alarm.contains(has), "no {has}: {alarm}");
    }
    must_say(&stderr, &format!("warning: {alarm}"));
    assert!(one["verdict"].is_null(), "{one:#}");
    assert!(!entries(built.path()).contains("app.c:11"), "{}", entries(built.path()));
    std::fs::remove_file(built.path().join("schedules.txt")).ok();
    let (all, one, stderr) = tuned(built.path(), 7, None, &["--time", "4", "./app", "40", "3"]);
    let alarm = one["alarm"].as_str().expect("an alarm");
    must_say(alarm, "ended with exit status: 3 under app.c:7=");
    assert!(all["run"].is_null() && entries(built.path()).is_empty(), "{all:#}{stderr}");
    // What is never the same is not compared.
    let (_, one, stderr) = tuned(built.path(), 11, Some("VARIES"), &["--time", "2", "./app", "40"]);
    assert!(one["alarm"].is_null(), "{one:#}");
    assert_eq!(stderr.matches("cannot be compared: two runs as compiled differ (line 2 is ").count(), 1, "{stderr}");
    must_say(&stderr, "--check CMD");
    std::fs::remove_file(built.path().join("schedules.txt")).ok();
    let check = |check: &'static str| ["--time", "4", "--check", check, "./app", "40"];
    let (_, one, stderr) = tuned(built.path(), 11, Some("VARIES"), &check("grep -q right"));
    let alarm = one["alarm"].as_str().expect("an alarm");
    assert!(alarm.contains("the check ended with exit status: 1") && alarm.contains("app.c:11="), "{alarm}");
    assert!(!stderr.contains("cannot be compared"), "{stderr}");
    assert!(!entries(built.path()).contains("app.c:11"), "{}", entries(built.path()));
    // One that allows everything: then the output is not compared either.
    let (_, one, stderr) = tuned(built.path(), 11, None, &check("cat >/dev/null"));
    assert!(one["alarm"].is_null() && !stderr.contains("warning"), "{one:#}{stderr}");
}

#[test]
fn a_check_that_refuses_the_program_as_compiled_ends_it() {
    let built = built(ASKS, majors()[0]);
    let words = ["--check", "echo because; grep -q nothing", "./app", "2"];
    let (code, all, stderr) = tune(built.path(), None, &words);
    assert_eq!((code, all), (Some(1), Value::Null), "{stderr}");
    for has in ["for a run of the program as compiled", "because", "next: --check takes"] {
        assert!(stderr.contains(has), "no {has}: {stderr}");
    }
}

/// For the second loop something dealt was proposed once, and wrong values were the result.
#[test]
#[ignore = "judges time: make test-full PART=machine"]
fn pairs_change_as_one_and_nothing_of_them_is_dealt() {
    for major in majors() {
        let built = built(PAIRS, major);
        let (all, _, stderr) = tuned(built.path(), 11, None, &["--time", "6", "./app", "40"]);
        for line in [9, 11] {
            let one = at(&all, line);
            assert_eq!((&one["promise"], &one["group"]), (&"group".into(), &serde_json::json!([9, 11])));
            for candidate in one["candidates"].as_array().unwrap() {
                assert_eq!(candidate["kind"], "static", "{candidate}");
            }
            let reason = one["reason"].as_str().unwrap();
            must_say(reason, "no chunks may be dealt");
            assert!(one["alarm"].is_null(), "{one:#}{stderr}");
        }
        let both = [at(&all, 9), at(&all, 11)];
        for same in ["advice", "predicted_ratio", "measured_ratio", "verdict"] {
            assert_eq!(both[0][same], both[1][same], "{same}: {all:#}");
        }
        let schedules = entries(built.path());
        assert!(!schedules.contains("dynamic") && !schedules.contains("guided"), "{schedules}");
        assert_eq!(schedules.contains("app.c:9="), schedules.contains("app.c:11="), "{schedules}");
        if !schedules.is_empty() {
            obeyed(built.path());
        }
    }
}

/// What was written is obeyed without a word, and changes no result.
fn obeyed(directory: &Path) {
    let plain = succeed(ompchunk(&["run", "./app", "5"]).current_dir(directory));
    let words = ["run", "--schedule", "@schedules.txt", "./app", "5"];
    let (code, stdout, stderr) = finish(ompchunk(&words).current_dir(directory));
    assert_eq!((code, stdout, stderr), (Some(0), plain, String::new()));
}

/// The form of what is written, whether or not this machine finds it faster.
#[test]
fn a_group_s_entries_are_obeyed_without_a_word() {
    let built = built(PAIRS, majors()[0]);
    std::fs::write(built.path().join("schedules.txt"), "app.c:9=static,8  # 0.7\napp.c:11=static,8  # 0.7\n").unwrap();
    obeyed(built.path());
}
