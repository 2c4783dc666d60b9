//! What a recording says of its own cost, and of time that threads were not on a core, held against what the program itself measures.

use std::path::Path;

use serde_json::Value;
use tempfile::TempDir;

use crate::common::{self, Busy, clean, finish, majors, missing, must_say, ompchunk, processors, succeed};

const THREADS: usize = 2;

fn program(text: &str) -> TempDir {
    common::built(text, majors()[0])
}

/// `ompchunk record`, with the program's output.
fn record(directory: &Path, options: &[&str], arguments: &[&str], preload: Option<&Path>) -> String {
    let mut command = ompchunk(&["record", "--force", "-o", "trace"]);
    command.args(options).arg("./app").args(arguments);
    command.env("OMP_NUM_THREADS", THREADS.to_string()).env("OMP_DYNAMIC", "false");
    if let Some(library) = preload {
        command.env("LD_PRELOAD", library);
    }
    succeed(command.current_dir(directory))
}

fn report(directory: &Path) -> Value {
    crate::common::json(ompchunk(&["report", "--json", "trace"]).current_dir(directory))
}

fn text(directory: &Path) -> String {
    succeed(ompchunk(&["report", "trace"]).current_dir(directory))
}

fn number(value: &Value) -> f64 {
    value.as_f64().unwrap_or_else(|| panic!("{value} is no number"))
}

const TINY: &str = r#"
#include <stdio.h>
static volatile double sink[64];
int main(void) {
#pragma omp parallel for schedule(static, 1)
  for (long i = 0; i < 300000; i++) {
    double x = i;
    for (int k = 0; k < 20; k++) x = x * 0.999 + 1;
    sink[i % 8 * 8] = x;
  }
  puts("done");
  return 0;
}
"#;

/// A disk that takes 20 ms for each block.
const SLOW: &str = r#"
#define _GNU_SOURCE
#include <dlfcn.h>
#include <sys/types.h>
#include <unistd.h>
typedef ssize_t write_fn(int, const void *, size_t, off_t);
static ssize_t slowly(const char *name, int fd, const void *from, size_t size, off_t at) {
  if (size >= 60000) usleep(20000);
  return ((write_fn *)dlsym(RTLD_NEXT, name))(fd, from, size, at);
}
ssize_t pwrite(int fd, const void *from, size_t size, off_t at) { return slowly("pwrite", fd, from, size, at); }
ssize_t pwrite64(int fd, const void *from, size_t size, off_t at) { return slowly("pwrite64", fd, from, size, at); }
"#;

#[test]
#[ignore = "judges time: make test-full PART=machine"]
fn a_slow_disk_is_not_the_programs() {
    let directory = program(TINY);
    let at = directory.path();
    std::fs::write(at.join("slow.c"), SLOW).unwrap();
    let mut cc = clean(format!("clang-{}", majors()[0]));
    cc.args(["-O2", "-shared", "-fPIC", "slow.c", "-o", "slow.so"]);
    succeed(cc.current_dir(at));
    record(at, &[], &[], Some(&at.join("slow.so")));
    let found = report(at);
    let the_loop = &found["loops"][0];
    // 300,000 chunks are 37 blocks of 64 KiB at least, but for each thread's last.
    let own = number(&the_loop["recorder_seconds"]);
    assert!(own > 30.0 * 0.02, "{own} s");
    assert!(number(&found["parts"][0]["recorder_seconds"]) >= own);
    for chunk in the_loop["worst_chunks"].as_array().unwrap() {
        let off = chunk["off_core"]["seconds"].as_f64().unwrap_or(0.0);
        assert!(number(&chunk["seconds"]) - off < 0.015, "{chunk:#}");
    }
    // Neither is it what the thread waited for.
    assert!(number(&the_loop["off_core"]["waiting_seconds"]) < own / 2.0, "{the_loop:#}");
    assert!(number(&the_loop["recorder_share"]) > 0.5);
    let said = text(at);
    assert!(said.contains("recorder ") && said.contains(" of the loop: "), "{said}");
    must_say(&said, "recording took at least ");
    must_say(&said, " for storing events, about ");
    assert!(number(&found["parts"][0]["storing_seconds"]) > 0.0);
}

/// Iterations that all cost the same, on two threads with a core each. The second core has other work.
const STENCIL: &str = r#"
#define _GNU_SOURCE
#include <omp.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
static double a[200000], b[200000];
int main(int argc, char **argv) {
#pragma omp parallel
  {
    cpu_set_t cores;
    CPU_ZERO(&cores);
    CPU_SET(atoi(argv[1 + omp_get_thread_num()]), &cores);
    sched_setaffinity(0, sizeof cores, &cores);
  }
  for (int step = 0; step < 40; step++) {
#pragma omp parallel for schedule(static)
    for (long i = 1; i < 199999; i++) {
      double x = a[i - 1] + a[i] + a[i + 1];
      for (int k = 0; k < 100; k++) x = x * 0.333 + 1e-3;
      b[i] = x;
    }
    a[step] = b[step + 1];
  }
  printf("%d %g\n", argc, a[7]);
  return 0;
}
"#;

#[test]
#[ignore = "judges time: make test-full PART=machine"]
fn a_preempted_thread_is_no_reason_for_another_schedule() {
    let [first, second, ..] = processors()[..] else {
        return missing("this process may use one core only");
    };
    let directory = program(STENCIL);
    let at = directory.path();
    let _busy = Busy::on(Some(&second.to_string()), 5);
    record(at, &[], &[&first.to_string(), &second.to_string()], None);
    let found = report(at);
    let loops = found["loops"].as_array().unwrap();
    let the_loop = loops.iter().max_by_key(|the_loop| the_loop["executions"].as_u64());
    let the_loop = the_loop.unwrap();
    let hints = the_loop["hints"].as_array().unwrap();
    assert!(!hints.is_empty(), "{the_loop:#}");
    assert!(hints.iter().all(|hint| hint["code"] == "off-core"), "{hints:#?}");
    let busy = |thread: usize| number(&the_loop["threads"][thread]["busy_seconds"]);
    let off = |thread: usize| number(&the_loop["threads"][thread]["off_core"]["seconds"]);
    assert!(off(1) > 0.4 * busy(1), "{the_loop:#}");
    // The worst chunk has its mark, in the text too.
    let worst = &the_loop["worst_chunks"][0];
    assert!(number(&worst["off_core"]["preempted_seconds"]) > 0.0, "{worst:#}");
    let cores = [first, second];
    assert_eq!(worst["core"], cores[worst["thread"].as_u64().unwrap() as usize]);
    assert!(text(at).contains("preempted"));
}

/// Says which core time each thread had in chunks, of which some also sleep.
const ORACLE: &str = r#"
#define _GNU_SOURCE
#include <omp.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
static double now(clockid_t clock) {
  struct timespec t;
  clock_gettime(clock, &t);
  return t.tv_sec + 1e-9 * t.tv_nsec;
}
static void run(int sleeps) {
  double had[8] = {0};
#pragma omp parallel for schedule(static, 1)
  for (long i = 0; i < 200; i++) {
    double start = now(CLOCK_THREAD_CPUTIME_ID);
    volatile double x = i;
    while (now(CLOCK_THREAD_CPUTIME_ID) - start < 2e-3) x = x * 0.999;
    if (sleeps && i % 50 < 2) usleep(10000);
    had[omp_get_thread_num()] += now(CLOCK_THREAD_CPUTIME_ID) - start;
  }
  for (int thread = 0; thread < omp_get_max_threads(); thread++) printf("%d %.6f\n", sleeps, had[thread]);
  fflush(stdout);
}
int main(int argc, char **argv) {
  run(0);
  if (argc > 1 && !strcmp(argv[1], "fork")) {
    usleep(200000);
    if (fork() == 0) {
      run(1);
      return 0;
    }
    wait(0);
  } else
    run(1);
  return 0;
}
"#;

/// Time in chunks less time off a core is the CPU time that the program itself has measured.
#[test]
#[ignore = "judges time: make test-full PART=machine"]
fn what_is_left_is_cpu_time() {
    let directory = program(ORACLE);
    let at = directory.path();
    let _busy = Busy::on(None, 3);
    for (options, argument) in [(&[][..], "stay"), (&[][..], "fork"), (&["--aggregate"][..], "stay")] {
        let said = record(at, options, &[argument], None);
        let had: f64 = said.lines().map(|line| line.split(' ').nth(1).unwrap().parse::<f64>().unwrap()).sum();
        let found = report(at);
        assert_eq!(found["parts"].as_array().unwrap().len(), 1 + usize::from(argument == "fork"));
        let (mut work, mut waiting, mut preempted) = (0.0, 0.0, 0.0);
        for the_loop in found["loops"].as_array().unwrap() {
            let off = &the_loop["off_core"];
            work += number(&the_loop["busy_seconds"]) - number(&off["seconds"]) + number(&off["beside_seconds"]);
            waiting += number(&off["waiting_seconds"]) + number(&off["either_seconds"]);
            preempted += number(&off["preempted_seconds"]) + number(&off["either_seconds"]);
        }
        let apart = (work - had).abs() / had;
        assert!(apart < 0.1, "{options:?} {argument}: {work} s on a core, {had} s by the program itself");
        // Eight sleeps, which take longer on a busy machine.
        assert!(waiting > 0.07, "{options:?} {argument}: waiting {waiting} s");
        assert!(preempted > 0.1, "{options:?} {argument}: preempted {preempted} s");
    }
}

/// Forbids itself the CPU clock of threads, at once or between two loops.
const FORBIDDEN: &str = r#"
#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>
static void forbid(void) {
  struct sock_filter code[] = {
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_clock_gettime, 0, 3),
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, args[0])),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, CLOCK_THREAD_CPUTIME_ID, 0, 1),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
  };
  struct sock_fprog program = {sizeof code / sizeof *code, code};
  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) || syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_TSYNC, &program)) {
    perror("seccomp");
    exit(77);
  }
}
static void run(void) {
#pragma omp parallel for schedule(static, 1)
  for (long i = 0; i < 20; i++) usleep(1000);
}
int main(int argc, char **argv) {
  if (argc > 1 && !strcmp(argv[1], "first")) forbid();
  run();
  if (argc > 1 && !strcmp(argv[1], "later")) forbid();
  run();
  struct timespec t;
  printf("%d\n", clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t));
  return 0;
}
"#;

#[test]
fn a_clock_that_cannot_be_read_is_absent() {
    let directory = program(FORBIDDEN);
    let at = directory.path();
    let (code, _, said) = finish(clean(at.join("app")).arg("first"));
    if code == Some(77) {
        return missing(&said);
    }
    for (when, answer) in [("never", "0\n"), ("first", "-1\n"), ("later", "-1\n")] {
        assert_eq!(record(at, &[], &[when], None), answer, "{when}");
        let found = report(at);
        let the_loop = &found["loops"][0];
        let known = when == "never";
        assert_eq!(the_loop["off_core"].is_object(), known, "{when}: {the_loop:#}");
        assert_eq!(the_loop["threads"][0]["off_core"].is_object(), known, "{when}");
        assert_eq!(the_loop["worst_chunks"][0]["off_core"].is_object(), known, "{when}");
        assert_eq!(found["parts"][0]["knows_cores"], known, "{when}");
        // The recorder's own clock is another.
        assert!(the_loop["recorder_seconds"].is_number(), "{when}");
        let said = text(at);
        assert_eq!(said.contains("not on a core"), known, "{when}: {said}");
        if known {
            assert!(number(&the_loop["off_core"]["waiting_seconds"]) > 0.02, "{the_loop:#}");
        }
    }
}

/// What recording costs, from outside: runs with and without, in turn.
#[test]
fn bench_measures_recording() {
    let directory = common::directory("app.c", TINY);
    let clang = format!("clang-{}", majors()[0]);
    let words = ["bench", "--quick", "--record", "-o", "found.json"];
    let mut bench = ompchunk(&words);
    bench.args(["--", &clang, "-O2", "-fopenmp", "app.c", "--", "./app"]);
    let said = succeed(bench.current_dir(directory.path()));
    let line = said.lines().find(|line| line.trim_start().starts_with("recorder "));
    // A ratio with its interval.
    assert!(line.is_some_and(|line| line.contains('[')), "{said}");
    let found = std::fs::read_to_string(directory.path().join("found.json")).unwrap();
    let found: Value = serde_json::from_str(&found).unwrap();
    let series = found["cells"][0]["series"].as_array().unwrap();
    let recorder = series.iter().find(|series| series["variant"] == "recorder");
    assert!(!recorder.unwrap()["blocks"]["log_ratio"].as_array().unwrap().is_empty());
}
