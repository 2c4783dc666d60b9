//! The tool `schedule-check`: a run that says where iterations moved that loops promise to the same thread.

use std::path::Path;

use ompchunk_testkit::runtimes::{self, Runtime};

use crate::common::{built, clean, directory, dist, fail, finish, majors, ompchunk};

/// The second loop, at line 9, reads what the thread wrote in the first, at line 6, without a barrier. The code is 3.
const PAIR: &str = "static double a[1000], b[1000];
int main(void) {
  for (int k = 0; k < 20; k++)
#pragma omp parallel
  {
#pragma omp for schedule(static) nowait
    for (int i = 0; i < 1000; i++)
      a[i] = i + k;
#pragma omp for schedule(static)
    for (int i = 0; i < 1000; i++)
      b[i] = a[i];
  }
  return 3;
}
";

/// Pairs whose loops stand in functions of their own: called by a team, by teams in a team (from several primary threads at
/// once), by a serialized region, and outside of all. `dealt` has a chunk size, `own` other iterations.
const ORPHANED: &str = "int omp_get_num_threads(void); void omp_set_max_active_levels(int);
static double a[1000], b[1000], c[1000];
__attribute__((noinline)) void writes(int n) {
#pragma omp for schedule(static) nowait
  for (int i = 0; i < n; i++) a[i] = i;
}
__attribute__((noinline)) void reads(int n) {
#pragma omp for schedule(static) nowait
  for (int i = 5; i < n + 5; i++) b[i - 5] = a[i - 5];
}
__attribute__((noinline)) void dealt(int n) {
#pragma omp for schedule(static, 4) nowait
  for (int i = 0; i < n; i++) c[i] = b[i];
}
__attribute__((noinline)) void own(int n) {
#pragma omp for schedule(static) nowait
  for (int i = 0; i < n; i++) c[i] = b[i];
}
int main(void) {
  omp_set_max_active_levels(2);
#pragma omp parallel
  { writes(1000); reads(1000); dealt(1000); own(900); }
#pragma omp parallel num_threads(2)
  for (int k = 0; k < 50; k++) {
#pragma omp parallel num_threads(3)
    { writes(500); reads(500); }
  }
#pragma omp parallel if(0)
  { writes(500); reads(500); }
  writes(100); reads(100);
  return 0;
}
";

/// A loop that is cancelled in the middle of a thread's chunks, beside one that is not.
const CANCELLED: &str = "static double a[1000], b[1000];
int main(void) {
#pragma omp parallel
  {
#pragma omp for schedule(static, 7)
    for (int i = 0; i < 1000; i++) {
      if (i == 100) {
#pragma omp cancel for
      }
#pragma omp cancellation point for
      a[i] = i;
    }
#pragma omp for schedule(static, 7)
    for (int i = 0; i < 1000; i++) b[i] = i;
  }
  return 0;
}
";

/// A loop that one region executes three times.
const REPEATED: &str = "static double a[1000];
__attribute__((noinline)) void writes(void) {
#pragma omp for schedule(static) nowait
  for (int i = 0; i < 1000; i++) a[i] = i;
}
int main(void) {
#pragma omp parallel
  { writes(); writes(); writes(); }
  return 0;
}
";

/// What the check says of the program under that table.
fn said(dir: &Path, runtime: &Runtime, threads: &str, table: &str, code: i32) -> String {
    let mut command = ompchunk(&["run", "--check", "--schedule", table, "./app"]);
    runtime.serve(&mut command).current_dir(dir).env("OMP_NUM_THREADS", threads);
    let (ended, _, stderr) = finish(&mut command);
    assert_eq!(ended, Some(code), "{table}: {stderr}");
    checked(&stderr)
}

fn checked(stderr: &str) -> String {
    let lines = stderr.lines().filter(|line| line.contains("ompchunk: schedule-check: "));
    lines.map(|line| format!("{line}\n")).collect()
}

fn assert_says(said: &str, parts: &[&str]) {
    for part in parts {
        assert!(said.contains(part), "{part:?} is not in {said}");
    }
}

const NOTHING: &str = "nothing moved: 1 pair of 2 loops gave each thread the same iterations in";

#[test]
fn a_loop_of_a_pair_that_is_changed_alone_is_named() {
    for major in majors() {
        let dir = built(PAIR, major);
        for runtime in runtimes::two() {
            for threads in ["2", "5"] {
                let said = |table| said(dir.path(), &runtime, threads, table, 3);
                let moved = said("!app.c:9=dynamic,3");
                let both = "the loops app.c:6:1 and app.c:9:1 gave a thread different iterations";
                let order = "under dynamic,3 instead of static";
                let next = "Name both or none; `ompchunk loops` shows groups";
                assert_says(&moved, &[both, &format!("of {threads} ran"), order, next]);
                assert_says(&moved, &["app.c:6:1 and app.c:9:1 in 20 of 20 regions"]);
                assert_eq!(moved.matches(both).count(), 1, "{moved}");
                assert_says(&said("*=dynamic,3"), &[NOTHING, "in 20 parallel regions\n"]);
                assert_eq!(said("app.c=static,7").lines().count(), 1);
            }
        }
    }
}

#[test]
fn orphaned_pairs_of_teams_in_teams() {
    let dir = built(ORPHANED, majors()[0]);
    for runtime in runtimes::two() {
        for threads in ["2", "5"] {
            let said = |table| said(dir.path(), &runtime, threads, table, 0);
            let same = "1 pair of 4 loops gave each thread the same iterations in 102 parallel regions";
            for table in ["*=dynamic,3", "reads=static,7; writes=static,7"] {
                let quiet = said(table);
                assert_says(&quiet, &["nothing moved", same]);
                assert_eq!(quiet.lines().count(), 1, "{quiet}");
            }
            // All but the serialized region, which one thread runs.
            let one = "1 of 1 pairs of loops moved: app.c:4:1 and app.c:8:1 in 101 of 102 regions";
            assert_says(&said("reads=static,1"), &[one]);
            assert_says(&said("writes=dynamic,3"), &["app.c:4:1 and app.c:8:1"]);
            let alone = "without another loop to compare with: app.c:16:1";
            assert_says(&said("own=dynamic,3"), &["nothing moved", alone]);
        }
    }
}

/// (Dealt ones differ or not, as threads come: so nothing is asserted of them.)
#[test]
fn executions_of_one_loop_are_a_pair() {
    let dir = built(REPEATED, majors()[0]);
    for runtime in runtimes::two() {
        let same = "nothing moved: 1 pair of 1 loop";
        for table in ["writes=static,7", "writes=static,7|static,3"] {
            assert_says(&said(dir.path(), &runtime, "2", table, 0), &[same]);
        }
    }
}

#[test]
fn chunks_go_to_the_threads_in_turn() {
    let dir = built(ORPHANED, majors()[0]);
    for runtime in runtimes::two() {
        let stray = said(dir.path(), &runtime, "2", "dealt=static,8", 0);
        let which = "the loop app.c:12:1, static,8 instead of static,4, did not give its chunks to the threads in turn";
        assert_says(&stray, &[which, "1 loop did not deal its chunks in turn"]);
        assert_eq!(stray.matches(which).count(), 1, "{stray}");
        let same = said(dir.path(), &runtime, "2", "dealt=static,4", 0);
        assert_says(&same, &["nothing moved"]);
    }
}

#[test]
fn a_loop_that_is_cancelled_is_not_compared() {
    for major in majors() {
        let dir = built(CANCELLED, major);
        for runtime in runtimes::two() {
            let mut command = ompchunk(&["run", "--check", "--schedule", "*=source", "./app"]);
            runtime.serve(&mut command).current_dir(&dir);
            command.env("OMP_NUM_THREADS", "5").env("OMP_CANCELLATION", "true");
            let (code, _, stderr) = finish(&mut command);
            assert_eq!(code, Some(0), "{stderr}");
            assert_says(&checked(&stderr), &["nothing moved"]);
        }
    }
}

#[test]
fn without_an_order_there_is_nothing_to_check() {
    let dir = directory("touch.sh", "");
    let (code, stderr) = fail(ompchunk(&["run", "--check", "touch", "ran"]).current_dir(dir.path()));
    assert_eq!(code, 1);
    assert_says(&stderr, &["--check has nothing to check", "next: "]);
    assert!(!dir.path().join("ran").exists());
    let words = ["run", "--check", "-t", "chunk-print", "touch", "ran"];
    assert_eq!(fail(&mut ompchunk(&words)).0, 2);
}

/// The program with a shim, and what the variable does.
fn by_variable(dir: &Path, shim: &Path, tool: &str) -> String {
    let mut list = shim.as_os_str().to_owned();
    list.push(tool);
    let mut command = clean(dir.join("app"));
    command.env("OMP_TOOL_LIBRARIES", list).env("OMP_NUM_THREADS", "2").env("OMPCHUNK_RUN", "check=1");
    let (code, _, stderr) = finish(&mut command);
    assert_eq!(code, Some(3), "{stderr}");
    checked(&stderr)
}

#[test]
fn the_shim_finds_the_tool_in_both_layouts() {
    let dir = built(PAIR, majors()[0]);
    let lib = dist().canonicalize().unwrap().join("lib");
    let shim = lib.join("libompchunk_rt.so");
    assert_says(&by_variable(dir.path(), &shim, ""), &[NOTHING]);
    let installed = dir.path().join("lib");
    let tools = installed.join("ompchunk/tools");
    std::fs::create_dir_all(&tools).unwrap();
    let copy = installed.join("libompchunk_rt.so");
    std::fs::copy(&shim, &copy).unwrap();
    let missing = by_variable(dir.path(), &copy, "");
    assert_says(&missing, &["there is neither ", "so nothing is checked"]);
    let tool = "libschedule-check.so";
    std::fs::copy(lib.join("tools").join(tool), tools.join(tool)).unwrap();
    assert_says(&by_variable(dir.path(), &copy, ""), &[NOTHING]);
}

#[test]
fn the_check_needs_to_be_alone() {
    let dir = built(PAIR, majors()[0]);
    let lib = dist().canonicalize().unwrap().join("lib");
    let shim = lib.join("libompchunk_rt.so");
    let with = |tool: &str| {
        let tool = format!(":{}", lib.join("tools").join(tool).display());
        by_variable(dir.path(), &shim, &tool)
    };
    let alone = "needs to be alone, so nothing is checked";
    assert_says(&with("libchunk-balance.so"), &[alone]);
    let itself = with("libschedule-check.so");
    assert!(itself.contains(NOTHING) && !itself.contains(alone), "{itself}");
}
