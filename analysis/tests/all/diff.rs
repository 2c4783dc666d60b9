//! Two runs, in traces that are written by hand: what is said of loops that take longer, of loads, and of runs that have little to compare.

use std::path::Path;

use ompchunk_analysis::{Change, Reason, Report, Verdict, diff};
use ompchunk_trace_format::{ClockMeta, Event, Meta, Mode};

use crate::common::{self, Maker, definition, meta, near, report, set_lost};

/// Recorded with both clocks.
fn with_clocks(rank: Option<u64>) -> Meta {
    let meta = meta(rank);
    Meta { clock: ClockMeta { cpu_read: Some(1.0), own_least: Some(1.0), ..meta.clock }, processors: 4, ..meta }
}

/// Executions in ticks, each of two equal threads, of which both lost their cores for so long.
fn write(directory: &Path, rank: Option<u64>, executions: &[(u64, u64)]) {
    let name = format!("rank-{}", rank.unwrap_or(0));
    let mut maker = Maker::new(directory, &name, &with_clocks(rank));
    maker.threads(2, &[definition(0, 12, "sweep")]);
    let mut at = 100;
    for (region, (ticks, taken)) in (1..).zip(executions) {
        for lane in 0..2 {
            maker.task(lane, at, region, 2);
            maker.begin(lane, at, 0, 4);
            maker.chunk(lane, at, u64::from(lane) * 2, 2, 0);
            if *taken > 0 {
                maker.put(lane, at + ticks, &common::taken(*taken, ticks + 1));
            }
            maker.put(lane, at + ticks, &Event::LoopEnd { the_loop: 0 });
            let end = Event::ImplicitTaskEnd { parallel: region };
            maker.put(lane, at + ticks, &end);
        }
        at += ticks + 10;
    }
    maker.finish(at);
}

fn run(ranks: &[&[(u64, u64)]]) -> Report {
    let directory = tempfile::tempdir().unwrap();
    for (rank, executions) in (0..).zip(ranks) {
        let rank = (ranks.len() > 1).then_some(rank);
        write(directory.path(), rank, executions);
    }
    report(directory.path())
}

fn change(before: &Report, after: &Report) -> Change {
    let diff = diff(before, after);
    assert_eq!(diff.loops.len(), 1);
    diff.loops[0].change.unwrap()
}

#[test]
fn twice_the_work_is_slower() {
    let before = run(&[&[(1000, 0); 20]]);
    let pace = before.loops[0].pace.clone().unwrap();
    near(pace.elapsed.seconds, 1e-3);
    assert_eq!(pace.elapsed.stretches.len(), 8);
    assert_eq!(pace.own.as_ref(), Some(&pace.elapsed));
    assert_eq!((pace.mean_trip_count, pace.mean_team_size), (4.0, 2.0));
    let found = change(&before, &run(&[&[(2000, 0); 30]]));
    assert_eq!((found.verdict, found.reason), (Verdict::Slower, None));
    near(found.own.unwrap().middle, 2.0);
    let back = change(&run(&[&[(2000, 0); 30]]), &before);
    assert_eq!((back.verdict, back.reason), (Verdict::Faster, None));
    assert_eq!(change(&before, &before).verdict, Verdict::WithinNoise);
}

#[test]
fn a_load_is_named() {
    let before = run(&[&[(1000, 0); 20]]);
    let after = run(&[&[(1800, 800); 20]]);
    let diff = diff(&before, &after);
    let found = diff.loops[0].change.unwrap();
    assert_eq!((found.verdict, found.reason), (Verdict::Load, None));
    near(found.own.unwrap().middle, 1.0);
    near(found.elapsed.unwrap().middle, 1.8);
    near(found.taken_share[1].unwrap(), 8.0 / 18.0);
    near(diff.after.load.taken_share.unwrap(), 8.0 / 18.0);
    assert_eq!(diff.before.load.taken_share, Some(0.0));
    assert_eq!(diff.after.load.crowd, None);
    assert!(diff.after.load.knows_processors);
}

/// Teams that are larger than what there is.
#[test]
fn a_crowd_is_no_other_program() {
    let mut after = run(&[&[(1800, 800); 20]]);
    after.parts[0].processors = 1;
    let before = run(&[&[(1000, 0); 20]]);
    assert_eq!(diff(&before, &after).after.load.crowd, Some((2, 1)));
}

#[test]
fn of_several_ranks_their_mean() {
    let equal: [&[(u64, u64)]; 2] = [&[(1000, 0); 12], &[(3000, 0); 12]];
    let before = run(&equal);
    let pace = before.loops[0].pace.as_ref().unwrap();
    near(pace.elapsed.seconds, 2e-3);
    assert_eq!(pace.processes, 2);
    // The slow one is slower.
    let after = run(&[&[(1000, 0); 12], &[(5000, 0); 12]]);
    let found = change(&before, &after);
    assert_eq!((found.verdict, found.reason), (Verdict::Slower, None));
    near(found.elapsed.unwrap().middle, 1.5);
    let alone = run(&[&[(1000, 0); 12]]);
    assert_eq!(change(&before, &alone).reason, Some(Reason::Processes));
    assert_eq!(change(&before, &before).verdict, Verdict::WithinNoise);
    // A rank that has too few of its own.
    let few = run(&[&[(1000, 0); 12], &[(3000, 0); 2]]);
    let pace = few.loops[0].pace.as_ref().unwrap();
    assert_eq!(pace.executions, 14);
    near(pace.elapsed.seconds, 1e-3);
}

#[test]
fn what_has_nothing_to_compare() {
    let many = run(&[&[(1000, 0); 20]]);
    let single = run(&[&[(5000, 0)]]);
    assert!(single.loops[0].pace.is_none());
    for found in [change(&many, &single), change(&single, &single)] {
        let expected = (Verdict::Unclear, Some(Reason::FewExecutions));
        assert_eq!((found.verdict, found.reason), expected);
    }
    let no_time = run(&[&[(0, 0); 20]]);
    for found in [change(&many, &no_time), change(&no_time, &no_time)] {
        assert_eq!(found.reason, Some(Reason::NoTime));
        assert_eq!(found.ratio(), None);
    }
    // Its definition alone.
    let never = run(&[&[]]);
    assert_eq!(change(&never, &never).reason, Some(Reason::FewExecutions));
    // A run without loops, and two of them.
    let directory = tempfile::tempdir().unwrap();
    Maker::new(directory.path(), "none", &with_clocks(None)).finish(100);
    let empty = report(directory.path());
    assert!(empty.loops.is_empty());
    let found = diff(&many, &empty);
    assert!(found.loops[0].change.is_none() && found.loops.len() == 1);
    assert!(found.after.load.taken_share.is_none());
    assert!(diff(&empty, &empty).loops.is_empty());
}

#[test]
fn losses_and_sums_are_not_compared() {
    let many = run(&[&[(1000, 0); 20]]);
    let directory = tempfile::tempdir().unwrap();
    write(directory.path(), None, &[(1000, 0); 20]);
    set_lost(&directory.path().join("rank-0.trace"), 30);
    let lossy = report(directory.path());
    assert_eq!(change(&many, &lossy).reason, Some(Reason::Lost));
    let directory = tempfile::tempdir().unwrap();
    let meta = Meta { mode: Mode { aggregate: true, ..Mode::default() }, ..with_clocks(None) };
    let mut maker = Maker::new(directory.path(), "sums", &meta);
    maker.threads(2, &[definition(0, 12, "sweep")]);
    maker.aggregate(0, 1000, (10, 40, 400), &[0, 0, 0, 40]);
    maker.aggregate(1, 1000, (10, 40, 200), &[0, 0, 40]);
    maker.finish(1000);
    let sums = report(directory.path());
    assert_eq!(change(&many, &sums).reason, Some(Reason::OnlySums));
    assert_eq!(change(&sums, &many).reason, Some(Reason::OnlySums));
}
