//! `ompchunk tune --balance`: the whole program is measured while it balances itself, whatever is advised of its loops.

use std::path::Path;

use serde_json::Value;

use crate::common::{self, finish, majors, must_say, ompchunk};

/// A loop whose iterations take ever longer, as often as the first argument says. Under another schedule it ends as the second says.
const TRIANGLE: &str = "#include <stdio.h>
#include <stdlib.h>
static double a[600];
int main(int argc, char **argv) {
  if (argc > 2 && getenv(\"OMPCHUNK_SCHEDULE\")) return atoi(argv[2]);
  for (int r = 0; r < atoi(argv[1]); r++) {
#pragma omp parallel for num_threads(2)
    for (int i = 0; i < 600; i++) { double s = a[i]; for (int j = 0; j < 40 * i; j++) s = s * 0.5 + j; a[i] = s; }
  }
  printf(\"%.17g\\n\", a[599]);
  return 0;
}
";

fn tune(directory: &Path, words: &[&str]) -> (Option<i32>, String, String) {
    let words = [&["tune", "--balance"], words].concat();
    let mut command = ompchunk(&words);
    command.env("OMPCHUNK_LEARNED", "learned");
    finish(command.current_dir(directory))
}

fn json(directory: &Path, words: &[&str]) -> (Value, String) {
    let (code, stdout, stderr) = tune(directory, &[&["--json"], words].concat());
    assert_eq!(code, Some(0), "{stdout}{stderr}");
    (serde_json::from_str(&stdout).unwrap(), stderr)
}

#[test]
#[ignore = "judges time: make test-full PART=machine"]
fn the_whole_program_is_measured() {
    for major in majors() {
        let built = common::built(TRIANGLE, major);
        let (all, _) = json(built.path(), &["--time", "8", "./app", "12"]);
        let balance = &all["balance"];
        let ratio = |end: &str| balance["measured_ratio"][end].as_f64().unwrap_or_else(|| panic!("{all:#}"));
        assert!(ratio("low") <= ratio("middle") && ratio("middle") <= ratio("high"));
        let verdict = balance["verdict"].as_str().unwrap();
        assert!(["faster", "slower", "same", "unknown"].contains(&verdict));
        assert!(balance["alarm"].is_null());
        assert!(!built.path().join("learned").exists());
    }
    let built = common::built(TRIANGLE, majors()[0]);
    let (code, stdout, stderr) = tune(built.path(), &["--time", "8", "./app", "12"]);
    assert_eq!(code, Some(0), "{stdout}{stderr}");
    must_say(&stdout, "the whole program, balancing itself (");
    let line = (stdout.lines()).find(|line| line.contains("balancing itself"));
    let shown = stdout.contains("\n  ompchunk run --balance ./app 12\n");
    assert_eq!(line.unwrap().ends_with(": faster"), shown, "{stdout}");
    // Nothing is advised of a loop that nobody asked for, and the program balances itself all the same.
    let words = ["--time", "3", "--loop", "elsewhere.c", "./app", "20"];
    let (code, stdout, stderr) = tune(built.path(), &words);
    must_say(&stderr, "elsewhere.c");
    assert!(code != Some(0) || stdout.contains("balancing itself"), "{stdout}{stderr}");
}

#[test]
fn a_program_that_does_something_else_is_not_recommended() {
    let built = common::built(TRIANGLE, majors()[0]);
    let (all, stderr) = json(built.path(), &["--time", "3", "./app", "20", "7"]);
    let balance = &all["balance"];
    must_say(balance["alarm"].as_str().unwrap(), "under *=adaptive");
    assert!(balance["verdict"].is_null() && balance["measured_ratio"].is_null());
    must_say(&stderr, "ended with exit status: 7 under *=adaptive");
    let (_, stdout, _) = tune(built.path(), &["--time", "3", "./app", "20", "7"]);
    must_say(&stdout, "balancing itself: NOT RECOMMENDED");
    assert!(!stdout.contains("run --balance"), "{stdout}");
}

#[test]
fn without_a_loop_there_is_nothing_to_balance() {
    let source = "int main(void) {\n#pragma omp parallel num_threads(2)\n  __asm__ volatile(\"\");\n  return 0;\n}\n";
    let built = common::built(source, majors()[0]);
    let all = json(built.path(), &["--time", "3", "./app"]).0;
    assert!(all.get("balance").is_none(), "{all:#}");
    let (code, _, stderr) = tune(built.path(), &["--gate", "schedules.txt", "./app"]);
    assert_eq!(code, Some(2), "{stderr}");
}
