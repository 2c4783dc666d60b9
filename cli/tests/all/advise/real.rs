//! From a program to advice, with a real recording. Predictions are of CPU time, so they hold on a busy machine, too; there
//! intervals are wide, and then the advice is to leave the loop. So where the machine is busy the recording is made again, up to
//! [`TIMES`] times; if it stays busy, that is said, and only the prediction itself is judged.

use serde_json::Value;

use super::{interval, ratio};
use crate::common::{clean, directory, dist, majors, ompchunk, succeed};

/// Recordings that are made until one is quiet.
const TIMES: usize = 4;

/// A triangle and an even loop, with a second of work.
const SOURCE: &str = r#"
#include <stdio.h>
double a[1200];
static double some(int times, int from) {
  double sum = 0;
  for (int k = 0; k < times; k++)
    sum += 1.0 / (1.0 + k + from);
  return sum;
}
static void steep(void) {
#pragma omp parallel for
  for (int i = 0; i < 1200; i++)
    a[i] += some(40 * (1200 - i), i);
}
static void even(void) {
#pragma omp parallel for
  for (int i = 0; i < 1200; i++)
    a[i] += some(10000, i);
}
int main(void) {
  for (int time = 0; time < 6; time++) {
    steep();
    even();
  }
  printf("%g\n", a[7]);
  return 0;
}
"#;

fn find<'a>(all: &'a Value, function: &str) -> &'a Value {
    let mut loops = all["loops"].as_array().expect("loops").iter();
    let found =
        loops.find(|the_loop| the_loop["function"].as_str().is_some_and(|the_loop| the_loop.contains(function)));
    found.unwrap_or_else(|| panic!("no {function}: {all:#}"))
}

fn is_busy(the_loop: &Value) -> bool {
    let mut notes = the_loop["notes"].as_array().expect("notes").iter();
    notes.any(|note| note.as_str().is_some_and(|note| note.contains("was taken from them")))
}

#[test]
#[ignore = "judges time: make test-full PART=machine"]
fn a_triangle_is_changed_and_an_even_loop_left() {
    let directory = directory("app.c", SOURCE);
    let at = directory.path();
    let major = majors()[0];
    let flags = ["cc", "-O2", "-g", "-fopenmp", "app.c", "-o", "app"];
    let mut compile = ompchunk(&flags);
    succeed(compile.env("OMPCHUNK_CC", format!("clang-{major}")).current_dir(at));
    for time in 1..=TIMES {
        let mut record = ompchunk(&["record", "-f", "-o", "run", "--profile", "./app"]);
        succeed(record.env("OMP_NUM_THREADS", "2").current_dir(at));
        let mut advise = clean(env!("CARGO_BIN_EXE_ompchunk"));
        advise.args(["advise", "run", "--json"]);
        advise.env("OMPCHUNK_LIBDIR", dist().join("lib"));
        let all = crate::common::json(advise.env("XDG_CACHE_HOME", at).current_dir(at));
        // The program's own runtime was there to be measured.
        assert!(all["dealing"]["dynamic"]["alone"].as_f64().is_some(), "{all:#}");
        let (steep, even) = (find(&all, "steep"), find(&all, "even"));
        assert_eq!((&steep["now"], &even["now"]), (&"static".into(), &"static".into()));
        assert_eq!(even["advice"], Value::Null, "{even:#}");
        let [_, middle, _] = ratio(steep, "dynamic,16");
        // Three quarters to a half; and a machine on which one thread is slower all the time.
        assert!((0.5..0.8).contains(&middle), "{steep:#}");
        if let Some(advice) = steep["advice"].as_str() {
            assert_ne!(advice, "static");
            assert!(interval(&steep["predicted_ratio"])[1] < 0.8, "{steep:#}");
            return;
        }
        assert!(is_busy(steep), "{steep:#}");
        eprintln!("recording {time} of {TIMES}: the machine is busy");
    }
    eprintln!("the machine stays busy: that the advice is given was not judged");
}

/// Neighbours share cache lines, and a chunk takes a few nanoseconds: how long under blocks, no recording of chunks tells.
const NEIGHBOURS: &str = r#"
#include <stdio.h>
double a[20000];
int main(void) {
  for (int time = 0; time < 1000; time++) {
#pragma omp parallel for schedule(static, 1)
    for (int i = 0; i < 20000; i++)
      a[i] += i;
  }
  printf("%g\n", a[7]);
  return 0;
}
"#;

#[test]
#[ignore = "judges time: make test-full PART=machine"]
fn neighbours_in_tiny_chunks_are_not_left_as_they_are() {
    let directory = directory("app.c", NEIGHBOURS);
    let at = directory.path();
    let mut compile = ompchunk(&["cc", "-O2", "-g", "-fopenmp", "app.c", "-o", "app"]);
    succeed(compile.env("OMPCHUNK_CC", format!("clang-{}", majors()[0])).current_dir(at));
    let mut record = ompchunk(&["record", "-o", "run", "--profile", "./app"]);
    succeed(record.env("OMP_NUM_THREADS", "2").current_dir(at));
    let advise = |options: &[&str]| {
        let mut advise = clean(env!("CARGO_BIN_EXE_ompchunk"));
        advise.args(["advise", "run"]).args(options).env("OMPCHUNK_LIBDIR", dist().join("lib"));
        advise.env("XDG_CACHE_HOME", at).current_dir(at);
        advise
    };
    let all = crate::common::json(&mut advise(&["--json"]));
    let the_loop = find(&all, "main");
    assert_eq!((&the_loop["advice"], &the_loop["too_short"]), (&Value::Null, &true.into()), "{the_loop:#}");
    assert_eq!(the_loop["possible"]["schedule"], "static");
    let [low, _, high] = interval(&the_loop["possible"]["predicted_ratio"]);
    assert!(low < 0.05 && high > 0.9, "{the_loop:#}");
    let told = the_loop["executions"].as_u64().unwrap();
    let notes = the_loop["notes"].to_string();
    assert!(notes.contains(&format!("profiled {told} of 1,000 executions: chunks of ")), "{notes}");
    assert!(!notes.contains("not complete") && !notes.contains("sums only"), "{notes}");
    let text = advise(&[]).output().unwrap();
    let text = String::from_utf8_lossy(&text.stdout).into_owned();
    let said = "static,1, not to be predicted; ompchunk tune measures static";
    assert!(text.contains(said) && !text.contains("leave"), "{text}");
}
