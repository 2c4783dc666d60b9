//! Two regions of which it is known where their threads' time goes: each has a closed account at its place in the source, and a table tells
//! them apart.

use serde_json::Value;

use crate::common::recorded::report;
use crate::common::{self, majors, number, ompchunk, succeed};

/// In `even` there is nothing but a loop, in `turns` one thread at a time works. Both regions run forty times. Their functions do not end
/// with them, or these calls would be jumps, and return to `main`.
const PROGRAM: &str = "static void work(long n) { volatile double x = 0; for (long i = 0; i < n; i++) x += i; }
static __attribute__((noinline)) void even(void) {
#pragma omp parallel for num_threads(2)
  for (int i = 0; i < 8; i++) work(200000);
  __asm__ volatile(\"\");
}
static __attribute__((noinline)) void turns(void) {
#pragma omp parallel for num_threads(2)
  for (int i = 0; i < 40; i++) {
#pragma omp critical
    work(40000);
  }
  __asm__ volatile(\"\");
}
int main(void) {
  for (int k = 0; k < 40; k++) { even(); turns(); }
  return 0;
}
";

fn seconds(account: &Value, codes: &[&str]) -> f64 {
    let entries = account["entries"].as_array().unwrap();
    let meant = entries.iter();
    let meant = meant.filter(|entry| codes.contains(&entry["code"].as_str().unwrap()));
    meant.map(|entry| number(entry, "seconds")).sum()
}

/// Threads × elapsed time is in the entries, to 1 %.
fn is_closed(region: &Value) {
    let total = number(region, "thread_seconds");
    let entries = region["entries"].as_array().unwrap();
    let known: f64 = entries.iter().map(|entry| number(entry, "seconds")).sum();
    let unknown = number(region, "unknown_seconds");
    let is_near = |found: f64| (found - total).abs() <= 0.01 * total;
    assert!(is_near(known + unknown), "{region}");
    assert!(unknown <= 0.01 * total, "{region}");
    assert!(is_near(2.0 * number(region, "seconds")), "{region}");
}

#[test]
fn each_region_has_a_closed_account() {
    let place = common::built(PROGRAM, majors()[0]);
    let mut command = ompchunk(&["record", "-o", "t", "./app"]);
    succeed(command.current_dir(place.path()));
    let json = report(&place, &["--json"]);
    let found: Value = serde_json::from_str(&json).unwrap();
    let regions = found["regions"].as_array().unwrap();
    assert_eq!(regions.len(), 2, "{regions:?}");
    for region in regions {
        is_closed(region);
        assert_eq!(number(region, "executions"), 40.0, "{region}");
    }
    let of = |function: &str| {
        let is_it = |region: &&Value| region["function"] == function;
        regions.iter().find(is_it).unwrap_or_else(|| panic!("{regions:?}"))
    };
    let (even, turns) = (of("even"), of("turns"));
    assert_eq!((&even["name"], &even["line"]), (&"app.c:3".into(), &3.into()));
    // The loop's critical section is in no other region; on a machine with one core nobody waits for long.
    assert_eq!(seconds(even, &["critical"]), 0.0, "{even}");
    assert!(seconds(turns, &["critical"]) > 0.0, "{turns}");
    // All that happens in regions is in one of these two. Outside of them little happens, but other programs may take cores away there.
    let codes = ["loops", "critical", "wait-after-loop", "region", "off-core", "recorder"];
    let run = seconds(&found["run"]["account"], &codes);
    let both = seconds(even, &codes) + seconds(turns, &codes);
    assert!(both <= 1.01 * run && both >= 0.8 * run, "{run} {both}");

    let waiting = |region: &Value| seconds(region, &["critical"]) / number(region, "thread_seconds");
    let text = report(&place, &[]);
    if waiting(turns) - waiting(even) > 0.11 {
        let (_, table) = text.split_once("\nregions: ").unwrap_or_else(|| panic!("{text}"));
        assert!(table.contains("app.c:3") && table.contains("turns"), "{text}");
    }
    common::are_documented(even.as_object().unwrap().keys());
}
