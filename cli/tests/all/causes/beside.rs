//! Other programs on the same processors.

use std::process::Command;

use super::made::{adds_up, built, entries, ompchunk_on, report};
use crate::common::busy::Busy;
use crate::common::succeed;

/// Work that is shared evenly.
const EVEN: &str = "#pragma omp parallel for schedule(static) num_threads(2)
  for (int i = 0; i < 4000; i++) work(200000);";

/// Processors that this process may use, two at most, as `taskset` has them.
fn two_processors() -> String {
    let status = std::fs::read_to_string("/proc/self/status").expect("what Linux tells of a process");
    let list = status.lines().find_map(|line| line.strip_prefix("Cpus_allowed_list:")).expect("its processors");
    let range = |range: &str| {
        let (first, last) = range.split_once('-').unwrap_or((range, range));
        let number = |text: &str| text.trim().parse::<u32>().expect("a processor's number");
        number(first)..=number(last)
    };
    let all = list.split(',').flat_map(range);
    let two: Vec<String> = all.take(2).map(|number| number.to_string()).collect();
    two.join(",")
}

/// Somebody else has each core half of the time: that, and no schedule, is what the loop loses by.
#[test]
#[ignore = "judges time: make test-full PART=machine"]
fn a_hog_is_named_and_not_the_schedule() {
    let processors = two_processors();
    let place = built(EVEN);
    let hogs = Busy::on(Some(&processors), 3);
    let mut command: Command = ompchunk_on(&processors, &["record", "-o", "trace", "./app"]);
    succeed(command.current_dir(place.path()));
    drop(hogs);
    let text = report(&place, &[]);
    let entries = entries(&text);
    let first = entries.first().unwrap_or_else(|| panic!("{text}"));
    let says = first.contains("were not on a core") || first.contains("lost their core");
    // Where one processor is all there is, the two threads are too many by themselves.
    let is_crowded = text.contains("more than processors") || !processors.contains(',');
    assert!(says || is_crowded, "{text}");
    assert!(!text.contains("nothing to gain"), "{text}");
    adds_up(&report(&place, &["--json"]));
}
