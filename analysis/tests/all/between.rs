//! What differs between processes, in traces that are written by hand: a machine that is slow, a process with more iterations, one
//! that does not run the loop, and parts that follow each other in one process.

use std::path::Path;

use ompchunk_analysis::model::{BetweenReport, Report};
use ompchunk_trace_format::{Event, Meta};

use crate::common::{Maker, definition, meta, near, report};

/// A rank on a machine: `executions` of a loop whose one thread has one chunk of two iterations.
fn rank(directory: &Path, number: u64, host: &str, micros: u64, executions: u64) {
    let meta = Meta { host: host.into(), pid: 10 + number as u32, ..meta(Some(number)) };
    let mut maker = Maker::new(directory, &format!("rank-{number}"), &meta);
    maker.threads(1, &[definition(0, 12, "main")]);
    let mut at = 100;
    for execution in 0..executions {
        maker.region(0, at, 1 + execution, 0);
        maker.execute(at, 1 + execution, 0, &[&[(micros, 0)]]);
        maker.put(0, at + micros, &Event::ParallelEnd { parallel: 1 + execution });
        at += micros;
    }
    maker.finish(100_000);
}

fn between(report: &Report) -> &BetweenReport {
    report.loops[0].between.as_ref().expect("several processes")
}

#[test]
fn a_slow_machine_and_a_rank_with_more_runs() {
    let folder = tempfile::tempdir().unwrap();
    for (number, host, micros, executions) in [
        (0, "a", 100, 10),
        (1, "a", 100, 10),
        (2, "b", 150, 10),
        (3, "b", 150, 10),
        (4, "c", 100, 10),
        (5, "c", 100, 20),
        (6, "d", 100, 10),
        (7, "d", 100, 10),
    ] {
        rank(folder.path(), number, host, micros, executions);
    }
    let report = report(folder.path());
    let between = between(&report);
    assert_eq!((between.processes, between.slowest), (8, 5));
    near(between.least_seconds, 1e-3);
    near(between.median_seconds, 1e-3);
    near(between.most_seconds, 2e-3);
    near(between.spread_seconds, 2e-3 - 10e-3 / 8.0);
    let [more_runs, slow] = &between.groups[..] else {
        panic!("{:?}", between.groups);
    };
    assert_eq!((&more_runs.host, &more_runs.parts[..]), (&None, &[5][..]));
    assert_eq!(more_runs.executions_ratio, Some(2.0));
    assert_eq!(more_runs.iterations_ratio, Some(2.0));
    assert_eq!(slow.host.as_deref(), Some("b"));
    assert_eq!(slow.parts, [2, 3]);
    near(slow.ratio, 1.5);
    assert_eq!((slow.executions_ratio, slow.iterations_ratio), (Some(1.0), Some(1.0)));
    near(slow.work_ratio.unwrap(), 1.5);
    // What was not measured is absent.
    assert_eq!(slow.taken_share, None);
    let hosts = between.hosts.iter().map(|host| (&*host.host, host.processes));
    let hosts: Vec<(&str, usize)> = hosts.collect();
    assert_eq!(hosts[..2], [("b", 2), ("c", 2)]);
    near(between.hosts[1].seconds, 1.5e-3);
    near(between.hosts[1].slowest_seconds, 2e-3);
}

/// It counts where the mean is meant, and nowhere else.
#[test]
fn a_rank_that_does_not_run_the_loop() {
    let folder = tempfile::tempdir().unwrap();
    for number in 0..3 {
        rank(folder.path(), number, "", 100, 10);
    }
    rank(folder.path(), 3, "", 100, 0);
    let report = report(folder.path());
    let between = between(&report);
    assert_eq!(between.processes, 3);
    near(between.median_seconds, 1e-3);
    near(between.spread_seconds, 1e-3 - 3e-3 / 4.0);
    assert!(between.groups.is_empty() && between.hosts.is_empty(), "{between:?}");
}

/// One process, and one in two parts, have no other to differ from.
#[test]
fn parts_of_one_process() {
    let folder = tempfile::tempdir().unwrap();
    rank(folder.path(), 0, "a", 100, 10);
    assert!(report(folder.path()).loops[0].between.is_none());
}
