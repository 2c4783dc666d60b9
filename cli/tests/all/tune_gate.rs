//! `ompchunk tune --gate`: the exit code says whether the schedules of a file are still what they were kept for, and what cannot be
//! told, or is no such file, never passes.

use std::path::Path;
use std::sync::{Mutex, PoisonError};

use serde_json::Value;

use crate::common::{self, finish, majors, must_say, ompchunk};

/// Line 7: equal iterations, dealt one by one, which any machine does slower than `static`. Line 11: what takes long enough to hide that. Arguments:
/// repetitions, and how it ends under another schedule. `TELLS`: prints whether there is one. `VARIES`: prints its own number.
const PROGRAM: &str = "#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
static double a[1 << 17];
static void dealt(void) {
  int n = 1 << 17;
#pragma omp parallel for schedule(dynamic, 1) num_threads(2)
  for (int i = 0; i < n; i++) a[i] += i;
}
static void blocks(void) {
#pragma omp parallel for num_threads(2)
  for (int i = 0; i < 1 << 17; i++) a[i] += 2 * i;
}
int main(int argc, char **argv) {
  for (int r = 0; r < atoi(argv[1]); r++) { dealt(); blocks(); }
  printf(\"%g\\n\", a[7]);
  int other = getenv(\"OMPCHUNK_SCHEDULE\") != 0;
  if (getenv(\"TELLS\")) printf(\"%d\\n\", other);
  if (getenv(\"VARIES\")) printf(\"%d\\n\", (int)getpid());
  return other && argc > 2 ? atoi(argv[2]) : 0;
}
";

/// What measures has the machine for itself, as far as that is ours to say.
static ALONE: Mutex<()> = Mutex::new(());

fn gate(directory: &Path, schedules: &str, words: &[&str]) -> (Option<i32>, String, String) {
    gate_within("8", directory, schedules, words)
}

fn gate_within(time: &str, directory: &Path, schedules: &str, words: &[&str]) -> (Option<i32>, String, String) {
    std::fs::write(directory.join("kept.txt"), schedules).unwrap();
    let words = [&["tune", "--gate", "kept.txt", "--time", time], words].concat();
    let found = {
        let _alone = ALONE.lock().unwrap_or_else(PoisonError::into_inner);
        finish(ompchunk(&words).current_dir(directory))
    };
    assert!(!directory.join("schedules.txt").exists(), "{found:?}");
    let kept = std::fs::read_to_string(directory.join("kept.txt")).unwrap();
    assert_eq!(kept, schedules, "the file stays as it is");
    found
}

/// Runs until it is decided, or so often: a machine that is busy enough hides every difference.
const TRIES: usize = 4;

fn decided(directory: &Path, schedules: &str, words: &[&str]) -> (Option<i32>, String, String) {
    let mut found = gate(directory, schedules, words);
    for _ in 1..TRIES {
        if found.0 != Some(4) {
            break;
        }
        eprintln!("the machine is busy: {}{}", found.1, found.2);
        found = gate(directory, schedules, words);
    }
    found
}

#[test]
#[ignore = "judges time: make test-full PART=machine"]
fn what_is_faster_passes() {
    for major in majors().into_iter().take(2) {
        let built = common::built(PROGRAM, major);
        let words = ["--fail-if", "not faster", "--fail-if", "slower", "./app", "6"];
        let (code, stdout, stderr) = decided(built.path(), "app.c:7=static  # 0.1\n", &words);
        assert_eq!((code, stderr.as_str()), (Some(0), ""), "{stdout}");
        must_say(&stdout, "  app.c:7  static  measured 0.");
        must_say(&stdout, "the whole program (");
    }
}

#[test]
#[ignore = "judges time: make test-full PART=machine"]
fn what_is_slower_fails() {
    let built = common::built(PROGRAM, majors()[0]);
    let words = ["--json", "./app", "6"];
    let (code, stdout, stderr) = decided(built.path(), "app.c:11=dynamic,1\n", &words);
    assert_eq!(code, Some(3), "{stdout}{stderr}");
    must_say(&stderr, "ompchunk: --fail-if: app.c:11 takes ");
    let all: Value = serde_json::from_str(&stdout).unwrap();
    assert_eq!((&all["schema"], &all["exit_code"]), (&"ompchunk-gate".into(), &3.into()));
    let one = &all["loops"][0];
    assert_eq!(one["loops"], serde_json::json!(["app.c:11"]));
    assert_eq!(one["verdict"], "slower", "{all:#}");
    assert!(all["run"]["measured_ratio"]["low"].is_number() || all["run"].is_object());
}

/// Entries for loops that the program has not, or that cannot be told apart from what it does: neither passes nor fails.
#[test]
#[ignore = "judges time: make test-full PART=machine"]
fn what_cannot_be_told_is_no_pass() {
    let built = common::built(PROGRAM, majors()[0]);
    for (schedules, said) in [
        ("gone.c:7=static\n", "gone.c:7=static: no loop ran for which it counts"),
        ("app.c:8=static\napp.c:7=static\n", "app.c:8=static: no loop"),
    ] {
        let (code, stdout, stderr) = gate_within("2", built.path(), schedules, &["./app", "6"]);
        assert_eq!(code, Some(4), "{stdout}{stderr}");
        must_say(&stderr, "--fail-if cannot be decided: ");
        must_say(&stderr, said);
    }
    // What fails goes before what cannot be told.
    let both = "gone.c:7=static\napp.c:11=dynamic\n";
    let (code, stdout, stderr) = decided(built.path(), both, &["./app", "6"]);
    assert_eq!(code, Some(3), "{stdout}{stderr}");
}

/// What only the program as a whole can tell of: schedules that take turns by themselves.
#[test]
#[ignore = "judges time: make test-full PART=machine"]
fn what_takes_turns_is_measured_with_the_whole_program() {
    let built = common::built(PROGRAM, majors()[0]);
    // A run is so short that attaching the shim may be a part of it that is measured.
    let words = ["--fail-if", "slower>100%", "./app", "6"];
    let (code, stdout, stderr) = gate(built.path(), "app.c:7=adaptive\n", &words);
    assert!(matches!(code, Some(0 | 4)), "{stdout}{stderr}");
    must_say(&stdout, "app.c:7=adaptive  takes turns itself");
    must_say(&stdout, "the whole program (");
}

#[test]
fn no_file_of_schedules_is_an_error() {
    let built = common::built(PROGRAM, majors()[0]);
    for (schedules, said) in [
        ("", "kept.txt has no schedule"),
        ("# ompchunk tune -- ./app\n\n ; \n", "kept.txt has no schedule"),
        ("app.c:7=static\napp.c:11=dinamic\n", "line 2 of kept.txt, 'app.c:11=dinamic'"),
        ("app.c:7\n", "line 1 of kept.txt, 'app.c:7': it has no '='"),
        ("a=\u{1b}[2J\n", "line 1 of kept.txt"),
    ] {
        let (code, stdout, stderr) = gate(built.path(), schedules, &["./app", "2"]);
        assert_eq!((code, stdout.as_str()), (Some(1), ""), "{stderr}");
        must_say(&stderr, said);
        assert!(stderr.contains("next: ") && !stderr.contains('\u{1b}'), "{stderr}");
    }
    for place in ["nowhere.txt", "/dev/null", "."] {
        let words = ["tune", "--gate", place, "./app", "2"];
        let (code, stdout, stderr) = finish(ompchunk(&words).current_dir(built.path()));
        assert_eq!((code, stdout.as_str()), (Some(1), ""), "{stderr}");
        must_say(&stderr, &format!("--gate: cannot read {place}"));
    }
}

#[test]
fn options_that_do_not_go_together() {
    let built = common::built(PROGRAM, majors()[0]);
    for words in [
        &["tune", "--fail-if", "slower", "./app"][..],
        &["tune", "--gate", "kept.txt", "--fail-if", "lost>5%", "./app"],
        &["tune", "--gate", "kept.txt", "-o", "new.txt", "./app"],
    ] {
        let (code, stdout, stderr) = finish(ompchunk(words).current_dir(built.path()));
        assert_eq!((code, stdout.as_str()), (Some(2), ""), "{stderr}");
    }
}

#[test]
fn a_program_that_fails_as_compiled_is_an_error() {
    let built = common::built(PROGRAM, majors()[0]);
    for (words, said) in [
        (&["sh", "-c", "echo because >&2; exit 3"][..], "because"),
        (&["./nothing"], "nothing"),
        (&["true"], "nothing was recorded"),
        (&["--check", "false", "./app", "2"], "for a run of the program as compiled"),
    ] {
        let (code, stdout, stderr) = gate(built.path(), "app.c:7=static\n", words);
        assert!(matches!(code, Some(1 | 127)), "{code:?} {stdout}{stderr}");
        must_say(&stderr, said);
    }
}

#[test]
#[ignore = "judges time: make test-full PART=machine"]
fn a_program_that_does_something_else_fails() {
    let built = common::built(PROGRAM, majors()[0]);
    let faster = "app.c:7=static\n";
    let (code, stdout, stderr) = gate(built.path(), faster, &["./app", "6", "7"]);
    assert_eq!(code, Some(3), "{stdout}{stderr}");
    must_say(&stderr, "ended with exit status: 7 under app.c:7=static");
    must_say(&stdout, "NOT RECOMMENDED");
    let mut command = ompchunk(&["tune", "--gate", "kept.txt", "--time", "8", "./app", "6"]);
    command.env("TELLS", "1").current_dir(built.path());
    let (code, stdout, stderr) = finish(&mut command);
    assert_eq!(code, Some(3), "{stdout}{stderr}");
    must_say(&stderr, "line 2 is '1', before '0'");
    // Where two runs as compiled differ, that says nothing.
    command.env("VARIES", "1").env_remove("TELLS");
    let (code, stdout, stderr) = finish(&mut command);
    assert!(matches!(code, Some(0 | 4)), "{stdout}{stderr}");
    must_say(&stderr, "cannot be compared");
}
