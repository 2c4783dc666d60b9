//! Programs that call `exit` while threads are at work: what is open then is no disorder.

use std::process::Command;

use ompchunk_testkit::runtimes;

use crate::common::{self, finish, majors, ompchunk};

/// In the third region, ends where the argument says, with code 3.
const PROGRAM: &str = r#"#include <omp.h>
#include <stdlib.h>
#include <string.h>
static const char *where;
static int now;
static void maybe(const char *here, int thread) {
  if (now && !strcmp(where, here) && omp_get_thread_num() == thread)
    exit(3);
}
int main(int argc, char **argv) {
  where = argv[1];
  for (int repetition = 0; repetition < 3; repetition++) {
    now = repetition == 2;
#pragma omp parallel num_threads(3)
    {
      maybe("region", 0);
      maybe("worker's region", 2);
#pragma omp for schedule(static, 1)
      for (int i = 0; i < 30; i++) {
        if (i > 10) {
          maybe("loop", 0);
          maybe("worker's loop", 2);
        }
      }
#pragma omp for schedule(dynamic, 1)
      for (int i = 0; i < 30; i++)
        if (now && i == 20 && !strcmp(where, "dealt loop"))
          exit(3);
#pragma omp sections
      {
#pragma omp section
        if (now && !strcmp(where, "section"))
          exit(3);
#pragma omp section
        __asm__ volatile("");
      }
#pragma omp single
      for (int i = 0; i < 20; i++) {
#pragma omp task
        if (now && i == 7 && !strcmp(where, "task"))
          exit(3);
      }
#pragma omp critical
      maybe("critical section", 1);
#pragma omp parallel num_threads(2)
      {
        if (omp_get_ancestor_thread_num(1) == 1)
          maybe("inner region", 0);
#pragma omp barrier
      }
    }
  }
  return 0;
}
"#;

#[test]
fn exit_anywhere_is_in_order() {
    let at = common::built(PROGRAM, majors()[0]);
    for runtime in runtimes::two() {
        let on = |command: &mut Command| finish(runtime.serve(command).current_dir(&at));
        for place in [
            "region", "worker's region", "loop", "worker's loop", "dealt loop", "section", "task", "critical section",
            "inner region", "nowhere",
        ] {
            // Which thread is where when the process ends differs from run to run.
            for _ in 0..4 {
                let _ = std::fs::remove_dir_all(at.path().join("trace"));
                let mut command = ompchunk(&["record", "-o", "trace", "./app", place]);
                let (code, _, said) = on(command.env("OMP_MAX_ACTIVE_LEVELS", "2"));
                let wanted = if place == "nowhere" { 0 } else { 3 };
                assert_eq!(code, Some(wanted), "{place}: {said}");
                let (code, checked, said) = on(&mut ompchunk(&["report", "--check", "trace"]));
                assert_eq!(code, Some(0), "{place}: {checked}{said}");
                assert!(checked.ends_with(" events, in order\n"), "{checked}");
            }
        }
    }
}
