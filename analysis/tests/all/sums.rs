//! Sums whose right answers are computed by hand.

use ompchunk_trace_format::Event;

use crate::common::{Maker, definition, meta, near, report, with};

/// Two runs on two threads: 60 and 20, then 10 and 30 microseconds.
fn two_runs(maker: &mut Maker) -> u64 {
    maker.threads(2, &[definition(0, 12, "main")]);
    let end = maker.execute(100, 1, 0, &[&[(40, 0), (20, 3)], &[(10, 0), (10, 3)]]);
    maker.execute(end + 40, 2, 0, &[&[(5, 0), (5, 3)], &[(15, 0), (15, 3)]])
}

#[test]
fn balance_and_efficiency() {
    let directory = tempfile::tempdir().unwrap();
    let mut maker = Maker::new(directory.path(), "0", &meta(None));
    let end = two_runs(&mut maker);
    let report = report(&maker.finish(end));
    assert!(report.notes.is_empty(), "{:?}", report.notes);
    let the_loop = &report.loops[0];
    assert_eq!((the_loop.number, the_loop.name.as_str()), (1, "a.c:12"));
    assert_eq!((the_loop.executions, the_loop.incomplete_executions), (2, 0));
    assert_eq!(the_loop.trip_count, Some([8, 8]));
    assert_eq!(the_loop.team_size, Some([2, 2]));
    assert_eq!(the_loop.identity.schedule.as_deref(), Some("schedule(static,2)"));
    // 60 + 30 microseconds; averages 40 + 20, busiest 60 + 30, and 4 of each are bookkeeping.
    near(the_loop.metrics.seconds, 90e-6);
    near(the_loop.metrics.load_balance.unwrap(), 56.0 / 86.0);
    near(the_loop.metrics.communication_efficiency.unwrap(), 86.0 / 90.0);
    near(the_loop.metrics.parallel_efficiency.unwrap(), 56.0 / 90.0);
    near(the_loop.metrics.imbalance_seconds, 30e-6);
    // All together one thread worked 70, the other 50.
    near(the_loop.total_load_balance.unwrap(), 60.0 / 70.0);
    assert_eq!((the_loop.chunks, the_loop.iterations), (8, 16));
    near(the_loop.busy_seconds, 120e-6);
    // Thread 1 waits 40 after the first run, thread 0 20 after the second.
    near(the_loop.threads[0].barrier_seconds.unwrap(), 20e-6);
    near(the_loop.threads[1].barrier_seconds.unwrap(), 40e-6);
    near(the_loop.barrier_seconds.unwrap(), 60e-6);
    // Four chunks timed, 3 each, of which reading the clock takes 1.
    near(the_loop.bookkeeping_seconds.unwrap(), 8e-6);
    near(the_loop.bookkeeping_share.unwrap(), 8.0 / 120.0);
}

#[test]
fn distribution_and_worst_chunks() {
    let directory = tempfile::tempdir().unwrap();
    let mut maker = Maker::new(directory.path(), "0", &meta(None));
    let end = two_runs(&mut maker);
    let report = report(&maker.finish(end));
    let all = report.loops[0].chunk_seconds.as_ref().unwrap();
    // 5 5 10 10 15 15 20 40
    assert_eq!(all.count, 8);
    near(all.min, 5e-6);
    near(all.median, 10e-6);
    near(all.p95, 40e-6);
    near(all.max, 40e-6);
    near(all.mean, 15e-6);
    assert_eq!(all.histogram.iter().map(|histogram| histogram.2).sum::<u64>(), 8);
    let worst = &report.loops[0].worst_chunks;
    near(worst[0].seconds, 40e-6);
    assert_eq!((worst[0].thread, worst[0].logical), (0, [0, 1]));
    assert_eq!(worst[0].user, Some([100, 110]));
    near(worst[0].at_seconds, 100e-6);
    near(worst[1].seconds, 20e-6);
    assert_eq!(worst[1].logical, [4, 5]);
    assert_eq!(worst[1].user, Some([140, 150]));
}

#[test]
fn one_thread_and_threads_without_chunks() {
    let directory = tempfile::tempdir().unwrap();
    let mut maker = Maker::new(directory.path(), "0", &meta(None));
    maker.threads(2, &[definition(0, 12, "main"), definition(1, 13, "main")]);
    let end = maker.execute(10, 1, 0, &[&[(10, 0)], &[]]);
    // Outside of any region.
    maker.begin(0, end, 1, 2);
    maker.chunk(0, end, 0, 2, 0);
    maker.put(0, end + 5, &Event::LoopEnd { the_loop: 1 });
    let report = report(&maker.finish(end + 10));
    let [two, one] = &report.loops[..] else {
        panic!("{:?}", report.loops);
    };
    near(two.metrics.load_balance.unwrap(), 0.5);
    assert_eq!(two.threads.len(), 2);
    assert_eq!(two.threads[1].chunks, 0);
    assert_eq!(one.team_size, Some([1, 1]));
    near(one.metrics.parallel_efficiency.unwrap(), 1.0);
    assert!(one.hints.is_empty());
}

#[test]
fn chunks_that_take_no_time() {
    let directory = tempfile::tempdir().unwrap();
    let mut maker = Maker::new(directory.path(), "0", &meta(None));
    maker.threads(1, &[definition(0, 12, "main")]);
    let end = maker.execute(10, 1, 0, &[&[(0, 0), (0, 0)]]);
    let path = maker.finish(end);
    let the_loop = &report(&path).loops[0];
    assert_eq!(the_loop.executions, 1);
    assert_eq!(the_loop.metrics.load_balance, None);
    assert_eq!(the_loop.metrics.parallel_efficiency, None);
    assert_eq!(the_loop.chunk_seconds.as_ref().unwrap().max, 0.0);
    with(&path, |analysis| {
        let pictures = analysis.pictures(&[the_loop], &|_| {}).unwrap();
        let timeline = &pictures[0].timelines[0];
        assert_eq!(timeline.spans.iter().map(|span| span.chunks).sum::<u64>(), 2);
    });
}

#[test]
fn empty() {
    let directory = tempfile::tempdir().unwrap();
    let maker = Maker::new(directory.path(), "0", &meta(None));
    let report = report(&maker.finish(10));
    assert!(report.loops.is_empty());
    assert_eq!(report.parts[0].threads, 0);
}

#[test]
fn a_region_inside_a_chunk() {
    let directory = tempfile::tempdir().unwrap();
    let mut maker = Maker::new(directory.path(), "0", &meta(None));
    maker.threads(1, &[definition(0, 12, "outer"), definition(1, 13, "inner")]);
    maker.begin(0, 100, 0, 2);
    maker.chunk(0, 100, 0, 1, 0);
    // The inner region, of one thread, from 110 to 140.
    maker.task(0, 110, 5, 1);
    maker.begin(0, 110, 1, 4);
    maker.chunk(0, 110, 0, 4, 0);
    maker.put(0, 140, &Event::LoopEnd { the_loop: 1 });
    maker.put(0, 140, &Event::ImplicitTaskEnd { parallel: 5 });
    maker.chunk(0, 150, 1, 1, 0);
    maker.put(0, 160, &Event::LoopEnd { the_loop: 0 });
    let report = report(&maker.finish(200));
    let outer = &report.loops[0];
    assert_eq!(outer.identity.function.as_deref(), Some("outer"));
    near(outer.worst_chunks[0].seconds, 50e-6);
    near(outer.worst_chunks[1].seconds, 10e-6);
    near(report.loops[1].worst_chunks[0].seconds, 30e-6);
}

#[test]
fn unsigned_iterations_of_64_bits() {
    let directory = tempfile::tempdir().unwrap();
    let mut maker = Maker::new(directory.path(), "0", &meta(None));
    let mut long = definition(0, 12, "main");
    (long.bits, long.variable_bits, long.flags) = (64, 64, 0b11110);
    maker.threads(1, &[long]);
    maker.begin(0, 10, 0, u64::MAX);
    maker.chunk(0, 10, u64::MAX - 4, 4, 0);
    maker.put(0, 30, &Event::LoopEnd { the_loop: 0 });
    let path = maker.finish(40);
    let report = report(&path);
    let the_loop = &report.loops[0];
    assert_eq!(the_loop.trip_count, Some([u64::MAX, u64::MAX]));
    let worst = &the_loop.worst_chunks[0];
    assert_eq!(worst.logical, [u64::MAX - 4, u64::MAX - 1]);
    let value = |k: u64| i128::from(100u64.wrapping_add(k.wrapping_mul(10)));
    assert_eq!(worst.user, Some([value(u64::MAX - 4), value(u64::MAX - 1)]));
    let json = serde_json::to_string(&report).unwrap();
    assert!(json.contains("18446744073709551611"));
    with(&path, |analysis| {
        let pictures = analysis.pictures(&[the_loop], &|_| {}).unwrap();
        let heat = pictures[0].heat.as_ref().unwrap();
        assert_eq!(heat.counts.iter().sum::<u32>(), 1);
        let last = heat.counts.len() - ompchunk_analysis::ROWS;
        assert_eq!(heat.counts[last], 1, "the last column, and the one duration");
    });
}

/// Codes of the hints for runs of two threads with chunks of these durations, two iterations each.
fn hints(runs: &[[&[(u64, u64)]; 2]]) -> Vec<&'static str> {
    let directory = tempfile::tempdir().unwrap();
    let mut maker = Maker::new(directory.path(), "0", &meta(None));
    maker.threads(2, &[definition(0, 12, "main")]);
    let mut at = 10;
    for (region, team) in (1..).zip(runs) {
        at = maker.execute(at, region, 0, team);
    }
    let report = report(&maker.finish(at));
    report.loops[0].hints.iter().map(|hint| hint.code).collect()
}

#[test]
fn hints_where_the_numbers_leave_no_other_reading() {
    let (long, short): (&[_], &[_]) = (&[(90, 0), (90, 0)], &[(30, 0), (30, 0)]);
    assert_eq!(hints(&[[long, short]]), ["uneven-cost"]);
    assert_eq!(hints(&[[long, short], [short, long]]), ["changing-threads"]);
    assert_eq!(hints(&[[long, long]]), [""; 0]);
    assert_eq!(hints(&[[&[(90, 0)], &[]]]), ["few-chunks"]);
    let three: &[_] = &[(50, 0), (50, 0), (50, 0)];
    assert_eq!(hints(&[[three, &[(50, 0)]]]), ["uneven-count"]);
    // 3 of 20 ticks are timed, 1 of them the clock's.
    let tiny: &[_] = &[(20, 3), (20, 3)];
    assert_eq!(hints(&[[tiny, tiny]]), ["small-chunks"]);
}

/// The second thread comes when the first has run the only chunk: 10 of 1010 ticks are worked, and no schedule would change that.
#[test]
fn late_threads_are_not_blamed_on_the_schedule() {
    let directory = tempfile::tempdir().unwrap();
    let mut maker = Maker::new(directory.path(), "0", &meta(None));
    maker.threads(2, &[definition(0, 12, "main")]);
    for (lane, at) in [(0, 10), (1, 1010)] {
        maker.task(lane, at, 1, 2);
        maker.begin(lane, at, 0, 2);
    }
    maker.chunk(0, 10, 0, 2, 0);
    for (lane, at) in [(0, 20), (1, 1020)] {
        maker.put(lane, at, &Event::LoopEnd { the_loop: 0 });
        maker.put(lane, 1020, &Event::ImplicitTaskEnd { parallel: 1 });
    }
    let the_loop = &report(&maker.finish(1020)).loops[0];
    near(the_loop.metrics.load_balance.unwrap(), 0.5);
    assert_eq!(the_loop.executions, 1);
    let codes: Vec<_> = the_loop.hints.iter().map(|hint| hint.code).collect();
    assert_eq!(codes, ["late-threads"]);
    let text = &the_loop.hints[0].text;
    assert!(text.contains("works less than 1 % of"), "{text}");
    assert!(text.contains("begins 1.00 ms after the first, and a run takes 1.01 ms"), "{text}");
}

/// One iteration for each thread, as where a program deals its work itself.
#[test]
fn single_iterations_cannot_be_dealt_better() {
    let directory = tempfile::tempdir().unwrap();
    let mut maker = Maker::new(directory.path(), "0", &meta(None));
    maker.threads(2, &[definition(0, 12, "main")]);
    for (lane, end) in [(0, 110), (1, 30)] {
        maker.task(lane, 10, 1, 2);
        maker.begin(lane, 10, 0, 2);
        maker.chunk(lane, 10, u64::from(lane), 1, 0);
        maker.put(lane, end, &Event::LoopEnd { the_loop: 0 });
        maker.put(lane, 110, &Event::ImplicitTaskEnd { parallel: 1 });
    }
    let the_loop = &report(&maker.finish(110)).loops[0];
    let codes: Vec<_> = the_loop.hints.iter().map(|hint| hint.code).collect();
    assert_eq!(codes, ["few-iterations"]);
}
