//! The accounts of parallel regions, of traces made by hand: one tick is one microsecond. Each adds up to team × elapsed time, and of sums
//! that may be another region's nothing is guessed.

use ompchunk_analysis::Report;
use ompchunk_analysis::model::RegionReport;
use ompchunk_trace_format::sum::TASK_IN_WAIT;
use ompchunk_trace_format::{Code, Event, Meta, NOBODY, Paused, SumOf};

use crate::common::{Maker, definition, meta, near, off_core, report, taken};

const REGION_END: u32 = 8;
const EXPLICIT: u32 = 3;
/// `ompt_mutex_t`
const CRITICAL: u32 = 5;
/// Return addresses of the calls that begin regions.
const SWEEP: u64 = 0x10;
const OUTPUT: u64 = 0x20;

fn knows_locks() -> Meta {
    let mut meta = meta(None);
    meta.events.insert("mutex_acquired".into(), 5);
    meta.clock.cpu_read = Some(1.0);
    meta
}

/// The program's thread in lane 0, one of the runtime's in lane 1.
fn maker(directory: &tempfile::TempDir) -> Maker {
    let mut maker = Maker::new(directory.path(), "pid-7", &knows_locks());
    for (thread, kind) in [(0, 1), (1, 2)] {
        maker.thread(thread, 0, kind);
        maker.put(thread, 0, &Event::Loop(definition(0, 12, "sweep")));
    }
    for (address, function) in [(SWEEP, "sweep"), (OUTPUT, "output")] {
        let code =
            Event::Code(Code { address, offset: address, function: function.as_bytes(), object: b"/nowhere/app" });
        maker.put(0, 0, &code);
    }
    maker
}

fn end(maker: &mut Maker, lane: u32, at: u64, parallel: u64) {
    maker.put(lane, at, &Event::ParallelEnd { parallel });
}

/// A region in which two threads do nothing of which there are events.
fn plain(maker: &mut Maker, (from, to): (u64, u64), (parallel, code): (u64, u64)) {
    maker.region(0, from, parallel, code);
    for lane in 0..2 {
        maker.task(lane, from, parallel, 2);
        maker.put(lane, to, &Event::ImplicitTaskEnd { parallel });
    }
    end(maker, 0, to, parallel);
}

/// A loop in a region from 100 to 310; thread 1 comes later and works longer.
fn sweep(maker: &mut Maker) {
    maker.region(0, 100, 1, SWEEP);
    for (lane, comes, ends) in [(0, 110, 220), (1, 130, 290)] {
        maker.task(lane, comes, 1, 2);
        maker.run(lane, u64::from(lane) * 2, (comes + 10, ends));
        maker.wait(lane, REGION_END, (ends, 290));
        maker.put(lane, 300, &Event::ImplicitTaskEnd { parallel: 1 });
    }
    end(maker, 0, 310, 1);
}

fn finish(maker: Maker, end: u64) -> Report {
    let report = report(&maker.finish(end));
    for region in &report.regions {
        let known: f64 = region.entries.iter().map(|entry| entry.seconds).sum();
        near(known + region.unknown_seconds, region.thread_seconds);
    }
    report
}

fn region<'r>(report: &'r Report, function: &str) -> &'r RegionReport {
    let is_it = |region: &&RegionReport| region.site.function.as_deref() == Some(function);
    report.regions.iter().find(is_it).unwrap()
}

/// Entries in ticks, and what is unknown.
fn has(region: &RegionReport, expected: &[(&str, f64)], unknown: f64) {
    for (code, ticks) in expected {
        near(region.entry_seconds(&[code]), ticks * 1e-6);
    }
    let known: Vec<&str> = expected.iter().map(|(code, _)| *code).collect();
    let mut entries = region.entries.iter();
    let more = entries.find(|entry| !known.contains(&entry.code) && entry.seconds > 1e-12);
    assert!(more.is_none(), "{region:?}");
    near(region.unknown_seconds, unknown * 1e-6);
}

#[test]
fn each_regions_time_is_where_its_threads_were() {
    let directory = tempfile::tempdir().unwrap();
    let mut maker = maker(&directory);
    sweep(&mut maker);
    plain(&mut maker, (400, 500), (2, OUTPUT));
    plain(&mut maker, (600, 700), (3, OUTPUT));
    let report = finish(maker, 1000);
    let first = region(&report, "sweep");
    assert_eq!((first.executions, first.team_size), (1, [2, 2]));
    assert_eq!(first.site.name, "app+0x10");
    near(first.seconds, 210e-6);
    near(first.thread_seconds, 420e-6);
    has(
        first,
        &[
            ("start", 10.0 + 30.0 + 2.0 * 10.0),
            ("region", 4.0 * 10.0),
            ("loops", 100.0 + 150.0),
            ("wait-after-loop", 70.0),
        ],
        0.0,
    );
    let second = region(&report, "output");
    assert_eq!(second.executions, 2);
    has(second, &[("region", 400.0)], 0.0);
}

#[test]
fn sums_are_a_regions_where_they_can_be_no_others() {
    let sums = |maker: &mut Maker| {
        // In the loop, less ten readings of the clock; and somewhere outside of loops, likewise.
        maker.add(900, SumOf::Mutex, CRITICAL, 0, (10, 30));
        maker.add(900, SumOf::Mutex, CRITICAL, NOBODY, (5, 45));
        // In the wait behind the loop.
        maker.add(900, SumOf::Task, TASK_IN_WAIT, NOBODY, (2, 50));
    };
    let directory = tempfile::tempdir().unwrap();
    let mut several = maker(&directory);
    sweep(&mut several);
    plain(&mut several, (400, 500), (2, OUTPUT));
    sums(&mut several);
    let report = finish(several, 1000);
    // What was outside of loops may have been in either.
    has(
        region(&report, "sweep"),
        &[("start", 60.0), ("loops", 230.0), ("critical", 20.0), ("tasks", 50.0), ("wait-after-loop", 20.0)],
        40.0,
    );
    has(region(&report, "output"), &[("region", 160.0)], 40.0);

    let directory = tempfile::tempdir().unwrap();
    let mut alone = maker(&directory);
    sweep(&mut alone);
    sums(&mut alone);
    let report = finish(alone, 1000);
    let only = region(&report, "sweep");
    near(only.unknown_seconds, 0.0);
    near(only.entry_seconds(&["critical"]), 60e-6);
    near(only.entry_seconds(&["tasks"]), 50e-6);
}

/// The same barrier or loop in several regions, or outside of them.
#[test]
fn what_may_be_anothers_is_unknown() {
    let directory = tempfile::tempdir().unwrap();
    let mut maker = maker(&directory);
    for (from, parallel, code) in [(100, 1, SWEEP), (400, 2, OUTPUT)] {
        maker.region(0, from, parallel, code);
        for lane in 0..2 {
            maker.task(lane, from, parallel, 2);
            maker.run(lane, u64::from(lane) * 2, (from, from + 100));
            maker.wait(lane, EXPLICIT, (from + 100, from + 200));
            maker.put(lane, from + 200, &Event::ImplicitTaskEnd { parallel });
        }
        end(&mut maker, 0, from + 200, parallel);
    }
    maker.add(900, SumOf::Mutex, CRITICAL, 0, (10, 30));
    maker.add(900, SumOf::Task, TASK_IN_WAIT, NOBODY, (2, 50));
    let report = finish(maker, 1000);
    assert_eq!(report.regions.len(), 2);
    for region in &report.regions {
        let expected = [("loops", 180.0), ("wait-after-loop", 150.0)];
        has(region, &expected, 20.0 + 50.0);
    }
}

#[test]
fn a_region_within_another_has_its_own_account() {
    let directory = tempfile::tempdir().unwrap();
    let mut maker = maker(&directory);
    maker.region(0, 100, 1, SWEEP);
    for lane in 0..2 {
        maker.task(lane, 100, 1, 2);
    }
    // In a chunk of a loop, and in it no loop.
    maker.begin(0, 120, 0, 2);
    maker.chunk(0, 120, 0, 2, 0);
    maker.region(0, 200, 2, OUTPUT);
    maker.task(0, 205, 2, 1);
    maker.put(0, 290, &Event::ImplicitTaskEnd { parallel: 2 });
    end(&mut maker, 0, 300, 2);
    maker.put(0, 320, &Event::LoopEnd { the_loop: 0 });
    for lane in 0..2 {
        maker.put(lane, 400, &Event::ImplicitTaskEnd { parallel: 1 });
    }
    end(&mut maker, 0, 400, 1);
    let report = finish(maker, 1000);
    has(region(&report, "sweep"), &[("region", 20.0 + 80.0 + 300.0), ("loops", 100.0), ("nested", 100.0)], 0.0);
    let inner = region(&report, "output");
    assert_eq!(inner.team_size, [1, 1]);
    has(inner, &[("region", 85.0), ("start", 15.0)], 0.0);
}

#[test]
fn what_is_open_when_a_thread_ends_ends_with_it() {
    let directory = tempfile::tempdir().unwrap();
    let mut maker = maker(&directory);
    maker.region(0, 100, 1, SWEEP);
    maker.task(0, 100, 1, 1);
    maker.region(0, 200, 2, OUTPUT);
    maker.task(0, 205, 2, 1);
    maker.put(0, 300, &Event::ThreadEnd { thread: 0 });
    let report = finish(maker, 1000);
    has(region(&report, "sweep"), &[("region", 100.0), ("nested", 100.0)], 0.0);
    has(region(&report, "output"), &[("region", 95.0), ("start", 5.0)], 0.0);
}

#[test]
fn what_was_not_recorded_is_unknown() {
    let directory = tempfile::tempdir().unwrap();
    let mut maker = maker(&directory);
    // One of three threads tells nothing, another one pauses.
    maker.region(0, 100, 1, SWEEP);
    for lane in 0..2 {
        maker.task(lane, 100, 1, 3);
    }
    maker.put(0, 190, &taken(40, 90));
    maker.put(1, 150, &Event::Pause(Paused::ByProgram));
    maker.put(1, 180, &Event::Resume);
    for lane in 0..2 {
        maker.put(lane, 200, &Event::ImplicitTaskEnd { parallel: 1 });
    }
    end(&mut maker, 0, 200, 1);
    let report = finish(maker, 1000);
    let region = region(&report, "sweep");
    near(region.thread_seconds, 300e-6);
    has(region, &[("region", 60.0 + 70.0), ("off-core", 40.0)], 130.0);
}

/// A thread that sleeps in serial code is in no region meanwhile.
#[test]
fn who_sleeps_outside_crowds_nobody() {
    let crowd = |threads: u32| {
        let directory = tempfile::tempdir().unwrap();
        let mut meta = knows_locks();
        meta.processors = 2;
        let mut maker = Maker::new(directory.path(), "pid-7", &meta);
        maker.threads(threads, &[]);
        maker.initial_task(0, 1);
        maker.region(0, 100, 1, SWEEP);
        for lane in 0..threads {
            maker.task(lane, 100, 1, threads);
            maker.put(lane, 200, &Event::ImplicitTaskEnd { parallel: 1 });
        }
        end(&mut maker, 0, 200, 1);
        maker.put(0, 1000, &off_core(700, 800, (1, 0)));
        finish(maker, 1000).run.crowd
    };
    assert_eq!(crowd(2), None);
    let (together, processors) = crowd(4).unwrap();
    near(together, 4.0);
    assert_eq!(processors, 2);
}

/// Without an account of the run there is none of its regions.
#[test]
fn sums_alone_have_no_regions() {
    let directory = tempfile::tempdir().unwrap();
    let mut maker = Maker::new(directory.path(), "pid-7", &meta(None));
    maker.threads(2, &[]);
    plain(&mut maker, (100, 200), (1, SWEEP));
    let report = report(&maker.finish(1000));
    assert!(report.run.account.is_none() && report.regions.is_empty());
}
