//! Explicit tasks, of traces made by hand: what a report adds up.

use ompchunk_analysis::model::TaskDepth;

use crate::common::made_tasks::{Made, run};
use crate::common::{Maker, meta, near, report};

#[test]
fn threads_add_up() {
    let made = [Made::new(30, 10, 100, 7, &[4, 6]), Made::new(0, 20, 400, 0, &[0, 20])];
    let found = run(&made, 2, 500_000, Some(250_000));
    let [of] = found.constructs.as_slice() else {
        panic!("{found:#?}");
    };
    assert_eq!(of.site.name, "app+0x1000");
    assert_eq!(of.site.function.as_deref(), Some("creates"));
    assert_eq!([of.created, of.begun, of.ended, of.moved], [30, 30, 30, 2]);
    near(of.work_seconds, 9e-3);
    // Without one reading of the clock in each.
    near(of.creation_seconds.unwrap(), 30.0 * 7e-6);
    near(of.queued_seconds, 10e-6);
    near(of.waiting_seconds, 6e-6);
    assert_eq!((of.creators, of.deepest), (1, 2));
    near(of.largest_creator_share, 1.0);
    let sizes = of.task_seconds.as_ref().unwrap();
    near(sizes.min, 100e-6);
    near(sizes.mean, 300e-6);
    near(sizes.max, 400e-6);
    // 64 to 127, and 256 to 511.
    let counts: Vec<u64> = sizes.histogram.iter().map(|(_, _, count)| *count).collect();
    assert_eq!(counts, [10, 20]);
    near(sizes.histogram[1].0, 256e-6);
    near(sizes.histogram[1].1, 511e-6);
    let [first, second] = of.depths.as_slice() else {
        panic!("{of:#?}");
    };
    assert_eq!((first.depth, first.tasks), (1, 4));
    let TaskDepth { depth, tasks, work_seconds } = *second;
    assert_eq!((depth, tasks), (2, 26));
    near(work_seconds, 6.0 * 100e-6 + 20.0 * 400e-6);
    let [region] = found.regions.as_slice() else {
        panic!("{found:#?}");
    };
    assert_eq!((region.executions, region.team_size), (1, 2));
    near(region.seconds, 1.0);
    near(region.work_seconds, 1.0);
    near(region.span_seconds.unwrap(), 0.25);
    near(region.parallelism.unwrap(), 4.0);
}

#[test]
fn no_span_is_not_0() {
    let found = run(&[Made::new(1, 1, 100, 7, &[1])], 2, 500_000, None);
    assert_eq!((found.regions[0].span_seconds, found.regions[0].parallelism), (None, None));
}

#[test]
fn a_run_without_tasks_has_none() {
    let directory = tempfile::tempdir().unwrap();
    let mut maker = Maker::new(directory.path(), "pid-7", &meta(None));
    maker.thread(0, 0, 1);
    maker.part.finish(1000).unwrap();
    assert_eq!(report(directory.path()).tasks, None);
}
