//! `OMPCHUNK_SCHEDULE='*=balanced'`: blocks become what takes as long. Iterations take so much of their thread's own processor time, so
//! what is asked does not depend on what else the machine does.

mod common;

use std::path::Path;

use common::{majors, ompchunk, succeed};

/// Iteration i of 64 takes (i + 1) times as long as the first; with an argument the first takes longest from the middle of the run on.
/// Each region says how many iterations thread 0 of the team ran.
const PROGRAM: &str = r#"
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
int omp_get_thread_num(void);
static void work(long microseconds) {
  struct timespec begin, now;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &begin);
  do
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  while ((now.tv_sec - begin.tv_sec) * 1000000 + (now.tv_nsec - begin.tv_nsec) / 1000 < microseconds);
}
int main(int argc, char **argv) {
  int regions = atoi(argv[1]);
  for (int region = 0; region < regions; region++) {
    int ran[64] = {0}, by_first = 0, wrong = 0;
    int is_turned = argc > 2 && region >= regions / 2;
#pragma omp parallel for num_threads(2)
    for (int i = 0; i < 64; i++) {
      work(4 * (is_turned ? 64 - i : i + 1));
      ran[i]++;
      if (omp_get_thread_num() == 0) {
#pragma omp atomic
        by_first++;
      }
    }
    for (int i = 0; i < 64; i++) wrong += ran[i] != 1;
    printf("%d %d\n", by_first, wrong);
  }
}
"#;

/// Iterations that thread 0 ran in each region.
fn blocks(directory: &Path, before: &[&str], arguments: &[&str]) -> Vec<u32> {
    let words = [before, &["--schedule", "*=balanced", "./app"], arguments].concat();
    let output = succeed(ompchunk(&words).current_dir(directory));
    let lines = output.lines().map(|line| line.split_once(' ').expect(line));
    lines
        .map(|(block, wrong)| {
            assert_eq!(wrong, "0", "{output}");
            block.parse().unwrap()
        })
        .collect()
}

#[test]
fn blocks_of_a_triangle_take_as_long() {
    for major in majors() {
        let directory = common::built(PROGRAM, major);
        // sqrt(1/2) of 64 iterations are half of the work.
        let is_half = |block: &u32| (43..=47).contains(block);
        for before in [&["run"][..], &["record", "-o", "trace"]] {
            let found = blocks(directory.path(), before, &["24"]);
            assert_eq!(
                found[..2],
                [32, 32],
                "the first region does not count: {found:?}"
            );
            assert!(found[12..].iter().all(is_half), "{before:?}: {found:?}");
        }
        // And they follow a loop that changes: the middle goes to the other side.
        let found = blocks(directory.path(), &["run"], &["240", "turned"]);
        assert!(is_half(&found[100]), "{found:?}");
        assert!((17..=21).contains(found.last().unwrap()), "{found:?}");
    }
}
