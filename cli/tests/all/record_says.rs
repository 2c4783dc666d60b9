//! What `ompchunk record` says of programs that are unlike others: those that leave processes behind, have names that a terminal
//! would obey, a tool of their own, or write over their arguments.

use std::process::Command;
use std::time::{Duration, Instant};

use ompchunk_trace_format::{Ending, Trace};

use crate::common::recorded::{chunks, record};
use crate::common::{self, fail, finish, hundred, majors, must_say, ompchunk};

/// It waits for a file, so that its first region comes after the program's end.
const DAEMON: &str = r#"
#include <unistd.h>
int main(void) {
  if (daemon(1, 0)) return 3;
  while (access("go", F_OK)) usleep(1000);
#pragma omp parallel for schedule(static, 1) num_threads(2)
  for (int i = 0; i < 100; i++) __asm__ volatile("");
  return 0;
}
"#;

/// A daemon records when the program has long ended: that is not nothing.
#[test]
fn a_process_that_is_left_behind() {
    let directory = common::directory("app.c", DAEMON);
    let at = directory.path();
    common::compile(at, majors()[0], "-fopenmp app.c -o app");
    let (code, _, said) = finish(&mut record(at, &["./app"]));
    std::fs::write(at.join("go"), "").unwrap();
    assert_eq!(code, Some(0), "{said}");
    // Some runtimes begin with the process, so it has a part of its own.
    assert!(!said.contains("nothing was recorded"), "{said}");
    let named = "(app), which the program left behind, still runs and may yet record into app.ompchunk";
    must_say(&said, named);
    let trace = at.join("app.ompchunk");
    let patience = Instant::now() + Duration::from_secs(60);
    let is_over = || {
        let parts = Trace::open(&trace).map(|trace| trace.parts).unwrap_or_default();
        parts.iter().any(|part| part.ending() == Ending::Clean)
    };
    while !is_over() {
        assert!(Instant::now() < patience, "it never ends: {said}");
        std::thread::sleep(Duration::from_millis(20));
    }
    let all: u64 = chunks(&trace).iter().map(|(_, chunks)| chunks).sum();
    assert_eq!(all, 100);
}

/// A tool of its own, which the linker finds first.
const OWN_TOOL: &str = r#"
#include <omp-tools.h>
static int begin(ompt_function_lookup_t lookup, int device, ompt_data_t *data) { return 1; }
static void end(ompt_data_t *data) {}
ompt_start_tool_result_t *ompt_start_tool(unsigned version, const char *runtime) {
  static ompt_start_tool_result_t result = {begin, end, {0}};
  return &result;
}
int main(void) {
#pragma omp parallel for schedule(static, 1) num_threads(2)
  for (int i = 0; i < 100; i++) __asm__ volatile("");
  return 0;
}
"#;

/// The cause by its name, where it can be known.
#[test]
fn why_nothing_was_recorded() {
    let directory = common::directory("own.c", OWN_TOOL);
    let at = directory.path();
    hundred(at, majors()[0], &[]);
    common::compile(at, majors()[0], "-fopenmp own.c -o own -rdynamic");
    let (_, _, said) = finish(&mut record(at, &["./own"]));
    must_say(&said, "./own has an OMPT tool of its own (ompt_start_tool)");
    // So few descriptors that the trace cannot be locked.
    let mut few = Command::new("sh");
    few.args(["-c", "ulimit -n 4; exec \"$@\"", "sh"]);
    let program = record(at, &["-o", "few", "./app"]);
    few.arg(program.get_program()).args(program.get_args());
    few.envs(program.get_envs().filter_map(|(name, value)| Some((name, value?))));
    let (_, said) = fail(few.current_dir(at));
    must_say(&said, "Too many open files");
    must_say(&said, "next: again with a higher limit of open files (ulimit -n)");
}

/// It hides its arguments, as some do with passwords, and others by parsing them in place.
const OVERWRITTEN: &str = r#"
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
static void run(void) {
#pragma omp parallel for schedule(static, 1) num_threads(2)
  for (int i = 0; i < 100; i++) __asm__ volatile("");
}
int main(int argc, char **argv) {
  for (int k = 0; k < argc; k++)
    memset(argv[k], '*', strlen(argv[k]));
  run();
  pid_t child = fork();
  if (child == 0)
    run();
  else
    waitpid(child, 0, 0);
  return 0;
}
"#;

/// What was started is in the trace, not what the program has made of it.
#[test]
fn the_command_as_it_was_started() {
    let directory = common::directory("app.c", OVERWRITTEN);
    let at = directory.path();
    common::compile(at, majors()[0], "-fopenmp app.c -o app");
    let words = ["./app", "-n", "a b\nc\\"];
    let (code, _, said) = finish(&mut record(at, &words));
    assert_eq!(code, Some(0), "{said}");
    let trace = Trace::open(&at.join("app.ompchunk")).unwrap();
    assert_eq!(trace.parts.len(), 2, "{said}");
    for part in &trace.parts {
        assert_eq!(part.meta().command, words);
    }
    // Another program than the one that was started has its own.
    let shell = ["--force", "-o", "t", "sh", "-c", "./app -n; true"];
    assert_eq!(finish(&mut record(at, &shell)).0, Some(0));
    let trace = Trace::open(&at.join("t")).unwrap();
    assert_eq!(trace.parts[0].meta().command, ["*****", "**"]);
}

/// What a directory is called commands nothing to the terminal, and looks like no line of ours.
#[test]
fn names_are_no_commands() {
    let directory = tempfile::tempdir().unwrap();
    let at = directory.path();
    hundred(at, majors()[0], &[]);
    let name = "a\u{1b}[31mb\nompchunk: c";
    let harmless = |said: &str| {
        assert!(!said.contains('\u{1b}'), "{said:?}");
        let shown = said.contains("a\\u{1b}[31mb\\nompchunk: c");
        assert!(shown, "{said:?}");
        assert!(!said.contains("\nompchunk: c"), "{said:?}");
    };
    let mut copy = Command::new("sh");
    copy.args(["-c", "cp app \"$1.app\"", "sh", name]);
    assert!(copy.current_dir(at).status().unwrap().success());
    let program = format!("./{name}.app");
    let (code, _, said) = finish(&mut record(at, &["-o", name, &program]));
    assert_eq!(code, Some(0), "{said}");
    harmless(&said);
    // The same again, and what is no trace, or not there.
    harmless(&fail(&mut record(at, &["-o", name, &program])).1);
    std::fs::remove_dir_all(at.join(name)).unwrap();
    harmless(&fail(ompchunk(&["report", name]).current_dir(at)).1);
    harmless(&fail(ompchunk(&["export", name, "--to", "csv", "out"]).current_dir(at)).1);
    // A program that cannot be started.
    harmless(&fail(&mut record(at, &["-o", "x", &format!("{program}?")])).1);
}

/// Nobody may be left to read what it says; the program's code is what it ends with all the same.
#[test]
fn standard_error_that_takes_nothing() {
    let directory = common::directory("app.c", &common::HUNDRED.replace("return 0", "return 7"));
    let at = directory.path();
    common::compile(at, majors()[0], "-fopenmp app.c -o app");
    for led in ["2>/dev/full", "2>&-", ">&- 2>&-"] {
        let mut shell = common::clean("sh");
        common::by_name(&mut shell).current_dir(at).arg("-c");
        let line = format!("ompchunk record --force -o trace ./app {led}");
        let (code, ..) = finish(shell.arg(line));
        assert_eq!(code, Some(7), "{led}");
    }
}
