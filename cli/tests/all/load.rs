//! Hints on a machine that others use too: with twice as many busy processes as cores, loops of uniform cost get no hint about their schedule, and a
//! triangular one gets one. Three recordings, or as many as `OMPCHUNK_RECORDINGS` says (`make measure WHAT=load`: 20).

use std::path::Path;

use serde_json::Value;

use crate::common::{self, Busy, majors, ompchunk, succeed};

/// Executions of each loop take some 10 ms of a core. The sum of what is computed is used, so nothing is left out.
const PROGRAM: &str = r#"
#include <stdio.h>
#include <stdlib.h>
static double burn(long count, double x) {
  for (long i = 0; i < count; i++) x = x * 0.9999999 + 1e-7;
  return x;
}
static double uniform_static(long n, long work) {
  double sum = 0;
#pragma omp parallel for schedule(static) reduction(+ : sum)
  for (long i = 0; i < n; i++) sum += burn(work, i);
  return sum;
}
static double uniform_turns(long n, long work) {
  double sum = 0;
#pragma omp parallel for schedule(static, 4) reduction(+ : sum)
  for (long i = 0; i < n; i++) sum += burn(work, i);
  return sum;
}
static double uniform_dynamic(long n, long work) {
  double sum = 0;
#pragma omp parallel for schedule(dynamic, 4) reduction(+ : sum)
  for (long i = 0; i < n; i++) sum += burn(work, i);
  return sum;
}
static double triangular(long n, long work) {
  double sum = 0;
#pragma omp parallel for schedule(static) reduction(+ : sum)
  for (long i = 0; i < n; i++) sum += burn(2 * work * i / n, i);
  return sum;
}
int main(int argc, char **argv) {
  (void)argc;
  long runs = atol(argv[1]);
  double sum = 0;
  for (long run = 0; run < runs; run++)
    sum += uniform_static(2000, 2000) + uniform_turns(2000, 2000) + uniform_dynamic(2000, 2000) + triangular(2000, 2000);
  printf("%g\n", sum);
  return 0;
}
"#;

/// Hints that tell the user to change how a loop is dealt out, or what its iterations cost.
const ABOUT_SCHEDULES: [&str; 9] = [
    "uneven-cost", "uneven-count", "few-iterations", "few-chunks", "long-chunk", "large-chunks", "slow-thread",
    "changing-threads", "some-runs",
];

fn recorded(directory: &Path) -> Value {
    let threads = std::thread::available_parallelism().unwrap().get();
    let mut record = ompchunk(&["record", "--force", "-o", "trace", "./app", "10"]);
    record.env("OMP_NUM_THREADS", threads.to_string()).env("OMP_DYNAMIC", "false");
    succeed(record.current_dir(directory));
    let report = succeed(ompchunk(&["report", "--json", "trace"]).current_dir(directory));
    serde_json::from_str(&report).unwrap()
}

fn codes(the_loop: &Value) -> Vec<&str> {
    let hints = the_loop["hints"].as_array().unwrap().iter();
    hints.map(|hints| hints["code"].as_str().unwrap()).collect()
}

#[test]
#[ignore = "judges time: make test-full PART=machine"]
fn hints_on_a_busy_machine() {
    let recordings = std::env::var("OMPCHUNK_RECORDINGS").map_or(3, |number| number.parse().unwrap());
    let directory = common::built(PROGRAM, majors()[0]);
    let _load = Busy::everywhere();
    let (mut uniform, mut triangular) = (0, 0);
    let mut wrong = Vec::new();
    for recording in 1..=recordings {
        let report = recorded(directory.path());
        let loops = report["loops"].as_array().unwrap();
        assert_eq!(loops.len(), 4);
        let mut quiet = true;
        for the_loop in loops {
            let function = the_loop["function"].as_str().unwrap();
            let codes = codes(the_loop);
            let about = codes.iter().any(|code| ABOUT_SCHEDULES.contains(code));
            let seconds = the_loop["off_core"]["seconds"].as_f64();
            println!("{recording}: {function}: off core {:.3} s, hints {codes:?}", seconds.unwrap_or(f64::NAN));
            if function == "triangular" {
                triangular += u32::from(codes.contains(&"uneven-cost"));
                if !codes.contains(&"uneven-cost") {
                    wrong.push(format!("{the_loop:#}"));
                }
            } else if about {
                quiet = false;
                wrong.push(format!("{the_loop:#}"));
            }
        }
        uniform += u32::from(quiet);
    }
    println!(
        "of {recordings} recordings: uniform loops without a hint about schedules in {uniform}, the triangular loop with \
         one in {triangular}"
    );
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
