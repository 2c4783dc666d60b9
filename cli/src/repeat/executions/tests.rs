//! Executions of traces that are made by hand, a tick being a microsecond: only those of which every thread's part is there count.

use std::path::Path;

use ompchunk_testkit::traces::{Maker, meta};
use ompchunk_trace_format::Trace;

use super::*;

fn definition(number: u32, line: u32, schedule: u32, chunk: i64) -> LoopDefinition<'static> {
    LoopDefinition {
        // Chunked, of a known size.
        flags: 0b111,
        schedule,
        chunk,
        ..ompchunk_testkit::traces::definition(number, line, "work")
    }
}

/// Executions of two threads: three under loop 1 and three under loop 2 in turns, 100 and 60 long, and the first of three 20 longer;
/// `lost` names one whose second thread has no end.
fn trace(directory: &Path, executions: u64, lost: Option<u64>) {
    let mut maker = Maker::new(directory, "pid-1", &meta(None));
    maker.threads(2, &[definition(1, 5, 34, 0), definition(2, 5, 35, 4)]);
    for number in 0..executions {
        let (from, the_loop) = (10 + 1000 * number, 1 + (number / 3 % 2) as u32);
        let after_a_change = if number % 3 == 0 && number > 0 { 20 } else { 0 };
        let length = after_a_change + if the_loop == 1 { 100 } else { 60 };
        let parallel = number + 1;
        for lane in 0..2_u32 {
            // The second begins later, and ends last.
            let from = from + 5 * u64::from(lane);
            maker.task(lane, from, parallel, 2);
            maker.begin(lane, from, the_loop, 64);
            if !(lane == 1 && lost == Some(number)) {
                maker.put(lane, from + length - 5, &Event::LoopEnd { the_loop });
            }
            maker.put(lane, from + 500, &Event::ImplicitTaskEnd { parallel });
        }
    }
    maker.finish(10 + 1000 * executions);
}

fn runs(directory: &Path) -> Executions {
    let mut runs = Executions::default();
    for part in &Trace::open(directory).unwrap().parts {
        runs.read(part).unwrap();
    }
    runs
}

fn ran(schedule: &str) -> DealtAs {
    DealtAs::ordered(Schedule::parse(schedule).unwrap()).unwrap()
}

fn micros(sample: &Sample) -> u64 {
    (sample.seconds * 1e6).round() as u64
}

fn compared(directory: &Path) -> (Vec<u64>, Vec<u64>) {
    let pattern = Pattern::parse("a.c:5").unwrap();
    let compared = runs(directory).compared(&pattern, ran("dynamic,4"));
    let times = |samples: Vec<Sample>| -> Vec<u64> {
        assert!(samples.iter().all(|sample| sample.iterations == 64));
        samples.iter().map(micros).collect()
    };
    (times(compared.source), times(compared.other))
}

#[test]
fn from_the_first_begin_to_the_last_end() {
    let directory = tempfile::tempdir().unwrap();
    trace(directory.path(), 12, None);
    let expected = (vec![100; 5], vec![60; 4]);
    assert_eq!(compared(directory.path()), expected);
}

#[test]
fn what_misses_an_end_does_not_count() {
    let directory = tempfile::tempdir().unwrap();
    trace(directory.path(), 12, Some(4));
    let expected = (vec![100; 5], vec![60; 3]);
    assert_eq!(compared(directory.path()), expected);
}

/// The first thread has each of three executions under `dynamic,4`, but for a little; or the second has more of one, of two, or
/// of all; or comes late to them.
#[test]
fn who_has_a_loop_alone() {
    let alone = |of_second: [u64; 3], late: u64| {
        let directory = tempfile::tempdir().unwrap();
        let mut maker = Maker::new(directory.path(), "pid-1", &meta(None));
        maker.threads(2, &[definition(1, 5, 34, 0), definition(2, 5, 35, 4)]);
        let [one, another, third] = of_second;
        for (number, the_loop, second) in [(1, 1, 90), (2, 2, one), (3, 2, another), (4, 2, third)] {
            for (lane, begin, length) in [(0, 5, 100), (1, 5 + late, second)] {
                let from = 1000 * number;
                maker.task(lane, from, number, 2);
                maker.begin(lane, from + begin, the_loop, 64);
                maker.put(lane, from + begin + length, &Event::LoopEnd { the_loop });
                maker.put(lane, from + 500, &Event::ImplicitTaskEnd { parallel: number });
            }
        }
        maker.finish(5000);
        let (runs, pattern) = (runs(directory.path()), [Pattern::parse("a.c:5").unwrap()]);
        ["dynamic,4", "static"].map(|schedule| runs.alone(&pattern, ran(schedule)))
    };
    assert_eq!(alone([1; 3], 0), [Some(2), None]);
    assert_eq!(alone([1, 1, 30], 0), [Some(2), None]);
    assert_eq!(alone([1, 30, 30], 0), [None; 2]);
    assert_eq!(alone([30; 3], 0), [None; 2]);
    assert_eq!(alone([1; 3], 60), [None; 2]);
}

/// Very many executions take no more memory than some; the last ones count.
#[test]
fn of_very_many_the_last_are_kept() {
    let directory = tempfile::tempdir().unwrap();
    trace(directory.path(), 120_000, None);
    let (source, other) = compared(directory.path());
    // Two of three, since the first after a change is none.
    assert!((33_000..=67_000).contains(&(source.len() + other.len())));
    assert!(source.len().abs_diff(other.len()) < 3);
}

/// Loops of a group count together: here one after the other in each region, three regions under one schedule and three under another.
#[test]
fn what_a_group_takes_in_a_region() {
    let directory = tempfile::tempdir().unwrap();
    let mut maker = Maker::new(directory.path(), "pid-1", &meta(None));
    for (number, line, schedule, chunk) in [(1, 5, 34, 0), (2, 7, 34, 0), (3, 5, 33, 8), (4, 7, 33, 8)] {
        let definition = definition(number, line, schedule, chunk);
        maker.put(0, 1, &Event::Loop(definition));
    }
    for region in 0..6_u64 {
        let (from, first) = (1000 * (region + 1), if region < 3 { 1 } else { 3 });
        // The last one has half of both.
        let second = if region == 5 { 2 } else { first + 1 };
        let parallel = region + 1;
        maker.task(0, from, parallel, 1);
        for (the_loop, begin, end) in [(first, 0, 100), (second, 150, 200 + u64::from(first))] {
            maker.begin(0, from + begin, the_loop, 64);
            maker.put(0, from + end, &Event::LoopEnd { the_loop });
        }
        maker.put(0, from + 500, &Event::ImplicitTaskEnd { parallel });
    }
    maker.finish(9000);
    let patterns = ["a.c:5", "a.c:7"].map(|text| Pattern::parse(text).unwrap());
    let runs = runs(directory.path());
    let compared = runs.compared_together(&patterns, ran("static,8"));
    let times = |samples: &[Sample]| -> Vec<(u64, u64)> {
        let samples = samples.iter();
        samples.map(|sample| (micros(sample), sample.iterations)).collect()
    };
    assert_eq!(times(&compared.source), [(151, 128); 3]);
    assert_eq!(times(&compared.other), [(153, 128); 1]);
    assert_eq!(compared.after_a_change, 1);
}

#[test]
fn what_is_asked_for_is_what_runs() {
    let of = |text: &str| DealtAs::ordered(Schedule::parse(text).unwrap());
    assert_eq!(of("source"), None);
    assert_eq!(of("dynamic,16"), Some(DealtAs::new(35 | 1 << 30, Some(16))));
    assert_eq!(of("monotonic:dynamic"), Some(DealtAs::new(35 | 1 << 29, Some(1))));
    assert_eq!(of("guided"), Some(DealtAs::new(36, None)));
    assert_eq!(of("static"), Some(DealtAs::new(34, None)));
    assert_ne!(of("static,4"), of("static,8"));
    assert_ne!(of("static,4"), of("static"));
    // Not one block of as many iterations for each thread, as the source may have it.
    assert_eq!(of("balanced"), Some(DealtAs::new(BALANCED, None)));
}

#[test]
fn time_in_which_two_run_counts_once() {
    let of = |begin: f64, seconds: f64| Execution {
        region: 1,
        ran: DealtAs::new(34, None),
        sample: Sample { run: 0, begin, iterations: 8, seconds },
        alone: None,
    };
    // The second begins before the first ends, the third after a while.
    let all = [of(1e9, 2.0), of(2e9, 2.0), of(7e9, 1.0)];
    let found = covered(&all.iter().collect::<Vec<_>>());
    assert_eq!((found.seconds, found.iterations, found.begin), (4.0, 24, 1e9));
}

#[test]
fn threads_of_a_team_meet_the_same_loops() {
    let mut first = LaneRegions::default();
    let mut second = LaneRegions::default();
    // Its region's begin and its implicit task.
    first.enter(7, None);
    first.enter(7, Some(2));
    second.enter(7, Some(2));
    assert_eq!(first.meet(0), second.meet(1));
    let inner = first.meet(0);
    first.enter(8, Some(1));
    assert_eq!(first.meet(0), ((8, 1), 1));
    first.leave(8);
    assert_eq!(inner, second.meet(1));
    first.leave(7);
    first.leave(7);
    second.leave(7);
    assert_ne!(first.meet(0), second.meet(1));
}
