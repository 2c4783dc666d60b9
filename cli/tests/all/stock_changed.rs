//! Programs that were compiled without the plugin, in other blocks: what is asked for, what changes, and what is said.
#![cfg(target_arch = "x86_64")]

use std::path::Path;

use ompchunk_testkit::{clean, runtimes, succeed};

use crate::common::{self, hundred, majors, must_say, ompchunk};

/// A loop of which each thread says how many iterations it ran in the last of many regions; the last ones cost most.
const UNEVEN: &str = "#include <stdio.h>
#include <stdlib.h>
#define N 400
static double a[N];
static int mine[64];
int omp_get_thread_num(void);
#ifndef WHO
#define WHO 0
#endif
static double work(int n) { double s = 0; for (int i = 0; i < n * 60; i++) s += 1.0 / (1 + i); return s; }
int main(int argc, char **argv) {
  int last = -1, regions = argc > 1 ? atoi(argv[1]) : 60;
  for (int r = 0; r < regions; r++) {
    for (int t = 0; t < 64; t++) mine[t] = 0;
#pragma omp parallel for schedule(static) lastprivate(last) num_threads(2)
    for (int i = 0; i < N; i++) { a[i] += work(i); mine[WHO]++; last = i; }
  }
#ifdef PAIR
#pragma omp parallel num_threads(2)
  {
#pragma omp for nowait
    for (int i = 0; i < N; i++) a[i] *= 2;
#pragma omp for
    for (int i = 0; i < N; i++) a[i] += 1;
  }
#endif
#ifdef CHUNKED
#pragma omp parallel for schedule(static, 4) num_threads(2)
  for (int i = 0; i < N; i++) a[i] *= 2;
#pragma omp teams distribute parallel for schedule(static, 1) num_teams(2)
  for (int i = 0; i < N; i++) a[i] += 3;
#pragma omp parallel sections num_threads(2)
  {
    a[0] += 1;
#pragma omp section
    a[1] += 1;
  }
#endif
#ifdef MORE
  void more(double *, int);
  more(a, N);
#endif
  for (int i = 1; i < N; i++) a[0] += a[i];
  printf(\"%.17g %d\\n\", a[0], last);
  fprintf(stderr, \"threads ran %d %d\\n\", mine[0], mine[1]);
  return 0;
}
";

fn build(at: &Path, major: u32, flags: &[&str]) {
    let mut clang = clean(format!("clang-{major}"));
    succeed(clang.args(["-g", "-O2", "-fopenmp", "uneven.c", "-o", "app"]).args(flags).current_dir(at));
}

/// What it prints on standard output, and on standard error with what is said of it.
fn run(at: &Path, runtime: &runtimes::Runtime, words: &[&str]) -> (String, String) {
    let mut command = ompchunk(words);
    command.current_dir(at).env("OMP_WAIT_POLICY", "passive");
    let output = runtime.serve(&mut command).output().expect("the command runs");
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    assert!(output.status.success(), "{words:?}: {}", text(&output.stderr));
    (text(&output.stdout), text(&output.stderr))
}

const UNPROVEN: [&str; 4] = ["run", "--balance", "--unproven", "./app"];

#[test]
fn uneven_loops_get_other_blocks() {
    let directory = common::directory("uneven.c", UNEVEN);
    let at = directory.path();
    for major in majors() {
        build(at, major, &["-DWHO=omp_get_thread_num()"]);
        for runtime in &runtimes::two() {
            let (plain, _) = run(at, runtime, &["run", "./app"]);
            let (same, said) = run(at, runtime, &["run", "--schedule", "uneven.c:15=balanced", "./app"]);
            assert_eq!(same, plain, "clang {major}, {}", runtime.name);
            must_say(&said, "changes the loop uneven.c:15, and may break a promise");
            must_say(&said, "it is not instrumented, so nothing shows what relies on who runs which iteration");
            let ran = said.lines().find_map(|line| line.strip_prefix("threads ran ")).expect("its numbers");
            let first: u32 = ran.split(' ').next().and_then(|number| number.parse().ok()).expect("a number");
            assert!((240..340).contains(&first), "clang {major}, {}: {ran}", runtime.name);
        }
    }
}

#[test]
fn unproven_means_what_no_file_speaks_against() {
    let directory = common::directory("uneven.c", UNEVEN);
    let (at, runtime, major) = (directory.path(), &runtimes::two()[0], majors()[0]);
    build(at, major, &[]);
    let (plain, _) = run(at, runtime, &["run", "./app", "12"]);
    let (same, said) = run(at, runtime, &[&UNPROVEN[..], &["12"]].concat());
    assert_eq!(same, plain);
    must_say(&said, "--unproven: 1 static loop of ");
    must_say(&said, "may run in other blocks. Nobody has proven");
    must_say(&said, "uneven.c:15");
    for (flags, why) in [
        (
            &["-DWHO=omp_get_thread_num()"][..],
            "only by name may change 1 static loop: its file asks for threads' numbers",
        ),
        (&["-DPAIR"], "2 static loops: another loop of its function follows without a barrier in between"),
        (&["-s"], "no name changes 1 static loop: its file has loops without lines (-g) that may be copies of one"),
        // A region's only loop has no copies that its team comes to.
        (&["-g0"], "--unproven: 1 static loop of "),
        (&["-g0", "-DPAIR"], "no name changes 3 static loops: its file has loops without lines"),
    ] {
        build(at, major, flags);
        must_say(&run(at, runtime, &[&UNPROVEN[..], &["2"]].concat()).1, why);
    }
    // Without the word nothing is preloaded, whatever `*` says.
    build(at, major, &[]);
    for words in [&["run", "--balance", "./app", "2"][..], &["run", "--schedule", "*=balanced", "./app", "2"]] {
        let (_, said) = run(at, runtime, words);
        assert!(!said.contains("unproven") && !said.contains("uneven.c"), "{words:?}: {said}");
    }
    let (_, said) = common::fail(&mut ompchunk(&["run", "--unproven", "./app"]));
    must_say(&said, "--balance");
}

#[test]
fn what_cannot_change_stays_and_says_why() {
    let directory = common::directory("uneven.c", UNEVEN);
    let (at, runtime) = (directory.path(), &runtimes::two()[0]);
    build(at, majors()[0], &["-DCHUNKED"]);
    let (plain, _) = run(at, runtime, &["run", "./app", "2"]);
    for (order, changed) in [
        ("main=dynamic,4", 0),
        ("!main=static,8", 1),
        ("main=static|source", 1),
        ("main=guided|source", 0),
        ("!main=balanced", 1),
        ("main=static,100000", 1),
        ("main=static,2147483647", 1),
    ] {
        let (same, said) = run(at, runtime, &["run", "--schedule", order, "./app", "2"]);
        assert_eq!(same, plain, "{order}");
        must_say(&said, "as compiled: it is not instrumented, so a thread ");
        must_say(&said, "as compiled: it is not instrumented, and its file may have loops that do not step from chunk");
        assert_eq!(said.matches("and may break a promise").count(), changed, "{said}");
        assert!(!said.contains("A '!' before its name"), "{said}");
    }
    let (said, _) = run(at, runtime, &["tune", "--time", "1", "./app", "2"]);
    must_say(&said, "uneven.c:15  static -> balanced  of which nothing is predicted");
    must_say(&said, " -> static,32  of which");
    let listed = common::succeed(ompchunk(&["loops", "./app"]).current_dir(at));
    assert_eq!(
        listed.matches("by name, to balanced or adaptive; with a chunk size, to static or static,c").count(),
        5,
        "{listed}"
    );
    hundred(at, majors()[0], &["-g"]);
    must_say(&run(at, runtime, &UNPROVEN).1, "calls no runtime for a static loop");
}

/// In one file with loops of the plugin's.
const MORE: &str = "void more(double *a, int n) {
#pragma omp parallel for schedule(static, 4) num_threads(2)
  for (int i = 0; i < n; i++) a[i] += 1;
}
";

#[test]
fn loops_of_the_plugin_and_others_change_in_one_program() {
    let directory = common::directory("uneven.c", UNEVEN);
    let (at, major) = (directory.path(), majors()[0]);
    std::fs::write(at.join("more.c"), MORE).unwrap();
    succeed(clean(format!("clang-{major}")).args(["-g", "-fopenmp", "-c", "more.c"]).current_dir(at));
    common::compile(at, major, "-g -O2 -fopenmp -DMORE -DCHUNKED uneven.c more.o -o app");
    let listed = common::succeed(ompchunk(&["loops", "./app"]).current_dir(at));
    assert_eq!((listed.matches("uneven.c:").count(), listed.matches("by name, to").count()), (5, 1), "{listed}");
    for runtime in &runtimes::two() {
        let (plain, _) = run(at, runtime, &["run", "./app", "2"]);
        let words = ["run", "--schedule", "uneven.c=dynamic,9;more.c:2=static,7", "./app", "2"];
        let (same, said) = run(at, runtime, &words);
        assert_eq!(same, plain);
        must_say(&said, "'more.c:2=static,7' changes the loop more.c:2, and may break a promise");
        assert!(!said.contains("no loop that ran is meant by"), "{said}");
    }
    // Two compilers have a copy each of one loop.
    std::fs::write(at.join("two.c"), "void same(int);\nint main(void) { same(9); return 0; }\n").unwrap();
    for (construct, lines) in [("parallel for", "-g"), ("for", "-g0")] {
        let same = format!(
            "#line 2 \"more.c\"\nvoid same(int n) {{\n#pragma omp {construct}\nfor (int i = 0; i < n; i++) __asm__ volatile(\"\");\n}}\n"
        );
        std::fs::write(at.join("same.c"), same).unwrap();
        common::compile(at, major, &format!("{lines} -O2 -fopenmp -c same.c -o with.o"));
        succeed(
            clean(format!("clang-{major}"))
                .args("-g -fopenmp -shared -fPIC same.c -o libsame.so".split(' '))
                .current_dir(at),
        );
        common::compile(at, major, "-fopenmp two.c with.o ./libsame.so -Wl,--no-as-needed -o two");
        let words = ["run", "--balance", "--unproven", "./two"];
        must_say(
            &run(at, &runtimes::two()[0], &words).1,
            "no name changes 1 static loop: a copy of its code is of the plugin",
        );
    }
    // Without symbols nothing tells them apart.
    succeed(clean("strip").arg("app").current_dir(at));
    assert!(!common::succeed(ompchunk(&["loops", "./app"]).current_dir(at)).contains("by name, to"));
}
