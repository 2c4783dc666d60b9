//! `--schedule`: loops of a compiled program run under other schedules, and everything tells of it.

use std::path::{Path, PathBuf};

use crate::common::{self, directory, fail, finish, majors, must_say, ompchunk};

/// Five regions with one loop, which says how often its iterations ran and how often the thread changes from one to the
/// next; then a loop that cannot be changed, and one without a barrier.
const PROGRAM: &str = "#include <stdio.h>
static int (*who_runs)(void); void *dlsym(void *, const char *);
static int hits[1000], who[1000];
static void work(void) {
#pragma omp parallel for num_threads(2)
  for (int i = 0; i < 1000; i++) { hits[i]++; who[i] = who_runs(); }
}
int main(void) { who_runs = (int (*)(void))dlsym(0, \"omp_get_thread_num\");
  for (int region = 0; region < 5; region++) {
    work();
    int wrong = 0, changes = 0;
    for (int i = 0; i < 1000; i++) {
      wrong += hits[i] != 1; hits[i] = 0;
      changes += i > 0 && who[i] != who[i - 1];
    }
    printf(\"%d:%d \", wrong, changes);
  }
  puts(\"\");
#pragma omp parallel num_threads(2)
  {
#pragma omp for ordered
    for (int i = 0; i < 10; i++) {
#pragma omp ordered
      hits[0]++;
    }
#pragma omp for nowait
    for (int i = 0; i < 10; i++) hits[i + 1]++;
    printf(\"%s\", \"\");
  }
  return 0;
}
";

fn program(directory: &Path, major: u32) -> PathBuf {
    common::compile(directory, major, "-O2 -g -fopenmp app.c -o app");
    directory.join("app")
}

fn run(directory: &Path, words: &[&str]) -> (String, String) {
    let (code, stdout, stderr) = finish(ompchunk(words).current_dir(directory));
    assert_eq!(code, Some(0), "{words:?}\n{stdout}{stderr}");
    (stdout, stderr)
}

#[test]
fn another_schedule_without_compiling_again() {
    for major in majors() {
        let dir = directory("app.c", PROGRAM);
        let at = dir.path();
        program(at, major);
        let said = |schedule: &str| run(at, &["run", "--schedule", schedule, "./app"]);

        assert_eq!(run(at, &["run", "./app"]).0, "0:1 0:1 0:1 0:1 0:1 \n");
        assert_eq!(said("work=static,1").0, "0:999 0:999 0:999 0:999 0:999 \n");
        assert_eq!(said("app.c:5=static,10").0, "0:99 0:99 0:99 0:99 0:99 \n");
        // In turn: the whole team in one region runs one of them.
        let turns = said("work=static,1|source|static,10");
        assert_eq!(turns.0, "0:999 0:1 0:99 0:999 0:1 \n", "{}", turns.1);

        let (stdout, stderr) = said("*=static,1");
        assert_eq!(stdout, "0:999 0:999 0:999 0:999 0:999 \n");
        assert!(stderr.contains("'*' left out") && stderr.contains("app.c:26"), "{stderr}");
        let (_, stderr) = said("app.c:21=dynamic; nowhere=dynamic");
        assert!(stderr.contains("app.c:21") && stderr.contains("take turns (ordered)"), "{stderr}");
        must_say(&stderr, "no loop that ran is meant by 'nowhere=dynamic'");
    }
}

#[test]
fn a_mistake_ends_before_the_program_begins() {
    let dir = directory("touch.sh", "");
    let at = dir.path();
    for command in ["run", "record"] {
        let words = [command, "--schedule", "a.c:3=dinamic", "touch", "ran"];
        let (_, stderr) = fail(ompchunk(&words).current_dir(at));
        assert!(stderr.contains("'dinamic' is no schedule") && stderr.contains("next: "), "{stderr}");
        assert!(!at.join("ran").exists());
    }
}

#[test]
fn a_recording_tells_which_ran() {
    let major = majors()[0];
    let dir = directory("app.c", PROGRAM);
    let at = dir.path();
    program(at, major);
    let schedule = "app.c:5=static,10|source|dynamic,50";
    run(at, &["record", "-o", "t", "--schedule", schedule, "./app"]);
    run(at, &["report", "--check", "t"]);
    let (json, _) = run(at, &["report", "--json", "t"]);
    let report: serde_json::Value = serde_json::from_str(&json).unwrap();
    let mut of_work: Vec<_> = report["loops"]
        .as_array()
        .unwrap()
        .iter()
        .filter(|report| report["line"] == 5)
        .map(|report| (report["schedule"].as_str().unwrap().to_owned(), report["executions"].as_u64().unwrap()))
        .collect();
    of_work.sort();
    let wanted = [("schedule(dynamic,50)", 1), ("schedule(static)", 2), ("schedule(static,10)", 2)];
    assert_eq!(of_work, wanted.map(|(schedule, runs)| (schedule.to_owned(), runs)), "{json}");
}

#[test]
fn loops_say_what_can_be_changed() {
    for major in majors() {
        let dir = directory("app.c", PROGRAM);
        let at = dir.path();
        program(at, major);
        let (json, _) = run(at, &["loops", "--json", "app"]);
        let listing: serde_json::Value = serde_json::from_str(&json).unwrap();
        let loops = listing["loops"].as_array().unwrap();
        let of = |line: u64| loops.iter().find(|the_loop| the_loop["line"] == line).unwrap();
        assert_eq!((&of(5)["changeable"], &of(5)["barrier"]), (&true.into(), &true.into()));
        assert_eq!(of(21)["changeable"], false);
        assert_eq!(of(21)["because"], "its iterations take turns (ordered)");
        assert_eq!((&of(26)["changeable"], &of(26)["barrier"]), (&true.into(), &false.into()));
    }
}

/// What comes right after a loop whose chunks the runtime deals may be anything, a return included.
#[test]
fn what_follows_a_dynamic_loop() {
    const SOURCE: &str = "int a[100];
void other(void);
void returns(int n) {
#pragma omp for schedule(dynamic, 4) nowait
  for (int i = 0; i < n; i++) a[i]++;
}
void calls(int n) {
#pragma omp for schedule(dynamic, 4) nowait
  for (int i = 0; i < n; i++) a[i]++;
  other();
}
void waits(int n) {
#pragma omp for schedule(dynamic, 4)
  for (int i = 0; i < n; i++) a[i]++;
  other();
}
";
    for major in majors() {
        let dir = directory("a.c", SOURCE);
        let at = dir.path();
        common::compile(at, major, "-O2 -g -fopenmp -c a.c -o a.o");
        let (json, _) = run(at, &["loops", "--json", "a.o"]);
        let listing: serde_json::Value = serde_json::from_str(&json).unwrap();
        for the_loop in listing["loops"].as_array().unwrap() {
            assert_eq!(the_loop["barrier"], the_loop["function"] == "waits", "{json}");
        }
        assert_eq!(listing["loops"].as_array().unwrap().len(), 3);
    }
}

/// A file that is named from here is found wherever the program has gone before the runtime looks for tools.
#[test]
fn a_file_of_a_program_that_goes_elsewhere() {
    let moves = PROGRAM
        .replace("int main(void) {", "int chdir(const char *);\nint main(void) {\n  if (chdir(\"/\")) return 2;");
    let dir = directory("app.c", &moves);
    let at = dir.path();
    program(at, majors()[0]);
    std::fs::write(at.join("s.txt"), "work=static,1\n").unwrap();
    let (stdout, stderr) = run(at, &["run", "--schedule", "@s.txt", "./app"]);
    assert_eq!(stdout, "0:999 0:999 0:999 0:999 0:999 \n", "{stderr}");
}
