//! What a recording only added up: sums say what they can, and what they cannot say is absent, never 0. And what is left
//! where chunks are lost says nothing of the rest.

use ompchunk_trace_format::{Event, NOBODY, Sum, SumOf};

use crate::common::{self, BARRIER, Maker, definition, meta, near, report};

fn sum(thread: u32, what: SumOf, the_loop: u32, (count, ticks): (u64, u64)) -> Event<'static> {
    Event::Sum(Sum {
        thread,
        what,
        of: if what == SumOf::Wait { BARRIER } else { 0 },
        code: 0,
        the_loop,
        count,
        sum: ticks,
        min: 1,
        max: ticks,
        from: 100,
        to: 900,
    })
}

fn aggregated(directory: &std::path::Path) -> Maker {
    let mut meta = meta(None);
    meta.mode.aggregate = true;
    let mut maker = Maker::new(directory, "0", &meta);
    maker.threads(2, &[definition(0, 12, "main")]);
    maker.aggregate(0, 100, (10, 10, 130), &[0, 0, 0, 10]);
    maker.aggregate(1, 100, (10, 10, 100), &[0, 0, 0, 10]);
    maker
}

fn json(report: &ompchunk_analysis::Report) -> serde_json::Value {
    serde_json::to_value(report).unwrap()
}

#[test]
fn what_was_not_measured_is_null() {
    let directory = tempfile::tempdir().unwrap();
    let report = report(&aggregated(directory.path()).finish(1000));
    let json = json(&report);
    let the_loop = &json["loops"][0];
    for name in [
        "seconds", "imbalance_seconds", "barrier_seconds", "mean_barrier_seconds", "counted_seconds",
        "parallel_efficiency",
    ] {
        assert!(the_loop[name].is_null(), "{name}: {}", the_loop[name]);
    }
    assert!(the_loop["threads"][0]["barrier_seconds"].is_null());
    assert!(json["parts"][0]["added_up"].is_null());
    near(the_loop["total_imbalance_seconds"].as_f64().unwrap(), 15e-6);
}

#[test]
fn sums_tell_waits_and_the_serial_part() {
    let directory = tempfile::tempdir().unwrap();
    let mut maker = aggregated(directory.path());
    for (lane, wait) in [(0, 20), (1, 40)] {
        let all = [(SumOf::Wait, 0, (10, wait)), (SumOf::Wait, NOBODY, (3, 7)), (SumOf::Loop, 0, (10, 150))];
        for (what, the_loop, amount) in all {
            maker.put(lane, 150, &sum(lane, what, the_loop, amount));
        }
    }
    maker.put(0, 150, &sum(0, SumOf::Parallel, NOBODY, (10, 300)));
    let report = report(&maker.finish(1000));
    let the_loop = &report.loops[0];
    near(the_loop.threads[0].barrier_seconds.unwrap(), 20e-6);
    near(the_loop.barrier_seconds.unwrap(), 60e-6);
    near(the_loop.mean_barrier_seconds.unwrap(), 30e-6);
    near(the_loop.counted_seconds.unwrap(), 300e-6);
    let all = report.parts[0].added_up.unwrap();
    assert_eq!((all.regions, all.waits), (10, 26));
    near(all.region_seconds, 300e-6);
    near(all.serial_seconds.unwrap(), 700e-6);
    near(all.wait_seconds, 74e-6);
    assert!(report.notes[0].text.contains("10 parallel regions took"));
}

/// Loops with `nowait`: of their waits only a part is theirs, or none.
#[test]
fn waits_that_are_not_all_known_are_none() {
    let directory = tempfile::tempdir().unwrap();
    let mut maker = aggregated(directory.path());
    for lane in 0..2 {
        maker.put(lane, 150, &sum(lane, SumOf::Wait, 0, (5, 20)));
    }
    let report = report(&maker.finish(1000));
    assert_eq!(report.loops[0].barrier_seconds, None);
}

/// A recording that was killed: its sums are as of when they were last changed, and the report says so.
#[test]
fn a_killed_recording_keeps_its_sums() {
    let directory = tempfile::tempdir().unwrap();
    let mut maker = aggregated(directory.path());
    maker.put(0, 150, &sum(0, SumOf::Loop, 0, (10, 150)));
    let report = report(&maker.abandon());
    assert!(report.parts[0].cut);
    near(report.parts[0].seconds, 900e-6);
    let text = &report.notes[1].text;
    assert!(text.contains("they are as of 0.001 s"), "{text}");
}

/// One thread had all the room: what it did is no balance.
#[test]
fn what_is_left_says_nothing_of_the_rest() {
    let directory = tempfile::tempdir().unwrap();
    let mut maker = Maker::new(directory.path(), "0", &meta(None));
    maker.threads(2, &[definition(0, 12, "main")]);
    let end = maker.execute(10, 1, 0, &[&[(10, 0)], &[(20, 0)]]);
    maker.task(0, end, 2, 2);
    maker.run(0, 0, (end, end + 10));
    maker.lost(1, end + 10, 97);
    let path = maker.finish(1000);
    common::set_lost(&path, 97);
    let report = report(&path);
    let the_loop = &report.loops[0];
    let lost = the_loop.lost.as_ref().unwrap();
    near(lost.share.unwrap(), 0.97);
    assert_eq!(the_loop.total_load_balance, None);
    assert_eq!(the_loop.total_imbalance_seconds, None);
    let hints: Vec<_> = the_loop.hints.iter().map(|hint| hint.code).collect();
    assert_eq!(hints, ["lost"]);
    assert!(the_loop.hints[0].text.starts_with("97.0 % of its chunks are not"));
    let note = report.notes.iter().find(|note| note.code == "lost").unwrap();
    assert!(note.text.contains("97.0 % of all"), "{}", note.text);
    // More are lost than is told of which loop: any loop may miss some.
    common::set_lost(&path, 100);
    let report = common::report(&path);
    assert_eq!(report.loops[0].lost.as_ref().unwrap().share, None);
}
