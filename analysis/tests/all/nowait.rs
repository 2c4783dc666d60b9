//! Loops that run at the same time: what they take adds up to what they took together, and who makes others wait is who pays.

use ompchunk_analysis::Report;
use ompchunk_trace_format::Event;

use crate::common::{END, Maker, definition, meta, near, report};

/// One region: each thread's loops, by number and time in the only chunk, one after the other from 100 on; then the
/// barrier. `pause` is what each thread does between the last loop and the barrier.
fn region(loops: u32, team: &[&[(u32, u64)]], pause: &[u64]) -> Report {
    let directory = tempfile::tempdir().unwrap();
    let mut maker = Maker::new(directory.path(), "0", &meta(None));
    let definitions: Vec<_> = (0..loops).map(|index| definition(index, index + 1, "f")).collect();
    maker.threads(team.len() as u32, &definitions);
    let mut ends = Vec::new();
    for ((lane, row), pause) in (0..).zip(team).zip(pause) {
        maker.task(lane, 100, 1, team.len() as u32);
        let mut now = 100;
        for (the_loop, time) in *row {
            maker.begin(lane, now, *the_loop, 2 * team.len() as u64);
            maker.chunk(lane, now, u64::from(lane) * 2, 2, 0);
            now += time;
            let end = Event::LoopEnd { the_loop: *the_loop };
            maker.put(lane, now, &end);
        }
        ends.push(now + pause);
    }
    let last = *ends.iter().max().unwrap();
    for (lane, end) in (0..).zip(ends) {
        maker.put(lane, end, &Event::SyncBegin(END));
        // Thread 1 has nothing to do next, and learns late that it may go on.
        let until = last + if lane == 1 { 5000 } else { 2 };
        maker.put(lane, until, &Event::SyncEnd(END));
        maker.put(lane, until, &Event::ImplicitTaskEnd { parallel: 1 });
    }
    report(&maker.finish(last + 6000))
}

fn by_line(report: &Report, line: u32) -> &ompchunk_analysis::LoopReport {
    let mut all = report.loops.iter();
    all.find(|the_loop| the_loop.identity.line == Some(line)).unwrap()
}

#[test]
fn the_loop_that_is_uneven_pays() {
    // The first loop has a slow thread; the second is even, and ends where the wait is.
    let report = region(2, &[&[(0, 60), (1, 20)], &[(0, 20), (1, 20)]], &[0, 0]);
    let (first, second) = (by_line(&report, 1), by_line(&report, 2));
    near(first.metrics.seconds, 60e-6);
    near(second.metrics.seconds, 20e-6);
    near(first.metrics.imbalance_seconds, 20e-6);
    near(second.metrics.imbalance_seconds, 0.0);
    near(first.metrics.load_balance.unwrap(), 40.0 / 60.0);
    near(second.metrics.load_balance.unwrap(), 1.0);
    near(first.threads[1].barrier_seconds.unwrap(), 40e-6);
    near(first.threads[0].barrier_seconds.unwrap(), 0.0);
    near(second.barrier_seconds.unwrap(), 0.0);
    assert!(second.hints.is_empty(), "{:?}", second.hints);
}

/// Each loop has a slow thread, but another one: nobody waits, so nothing would be saved.
#[test]
fn what_evens_out_costs_nothing() {
    let report = region(2, &[&[(0, 30), (1, 10)], &[(0, 10), (1, 30)]], &[0, 0]);
    for the_loop in &report.loops {
        near(the_loop.metrics.seconds, 20e-6);
        near(the_loop.metrics.imbalance_seconds, 0.0);
        near(the_loop.metrics.parallel_efficiency.unwrap(), 1.0);
        near(the_loop.barrier_seconds.unwrap(), 0.0);
        assert!(the_loop.hints.is_empty(), "{:?}", the_loop.hints);
    }
}

#[test]
fn four_loops_add_up_to_what_they_took() {
    let rows: [&[(u32, u64)]; 3] = [
        &[(0, 10), (1, 70), (2, 5), (3, 40)],
        &[(0, 50), (1, 10), (2, 25), (3, 10)],
        &[(0, 20), (1, 20), (2, 20), (3, 20)],
    ];
    let report = region(4, &rows, &[0, 0, 0]);
    let sum = |of: fn(&ompchunk_analysis::LoopReport) -> f64| report.loops.iter().map(of).sum();
    near(sum(|the_loop| the_loop.metrics.seconds), 125e-6);
    // 125, 95 and 80 ticks of work.
    near(sum(|the_loop| the_loop.metrics.imbalance_seconds), 25e-6);
    near(sum(|the_loop| the_loop.busy_seconds), 300e-6);
    // All that is waited for, but for what the ticks lose in division.
    let waits: f64 = sum(|the_loop| the_loop.barrier_seconds.unwrap());
    assert!((72e-6..=75e-6).contains(&waits), "{waits}");
    assert!(report.loops.iter().all(|the_loop| the_loop.executions == 1));
}

/// A thread does other work before the barrier: no loop is to blame for that.
#[test]
fn what_no_loop_causes_is_no_loops() {
    let report = region(2, &[&[(0, 20), (1, 20)], &[(0, 20), (1, 15)]], &[900, 0]);
    near(by_line(&report, 1).barrier_seconds.unwrap(), 0.0);
    near(by_line(&report, 2).barrier_seconds.unwrap(), 5e-6);
}

/// The same loop again and again without a barrier is one phase, in memory that does not grow.
#[test]
fn one_loop_many_times() {
    let rows: Vec<Vec<(u32, u64)>> = (0..2)
        .map(|thread| {
            let time = |run: u32| if run % 2 == thread { 30 } else { 10 };
            (0..1000).map(|run| (0, time(run))).collect()
        })
        .collect();
    let report = region(1, &[&rows[0], &rows[1]], &[0, 0]);
    let the_loop = &report.loops[0];
    assert_eq!(the_loop.executions, 1000);
    near(the_loop.metrics.seconds, 20_000e-6);
    near(the_loop.metrics.load_balance.unwrap(), 1.0);
}

/// An inner region's loop is in the time of the loop that it is called from as well, and says so.
#[test]
fn a_loop_within_a_chunk() {
    let directory = tempfile::tempdir().unwrap();
    let mut maker = Maker::new(directory.path(), "0", &meta(None));
    maker.threads(2, &[definition(0, 1, "outer"), definition(1, 2, "inner")]);
    maker.begin(0, 100, 0, 2);
    maker.chunk(0, 100, 0, 2, 0);
    maker.execute(110, 5, 1, &[&[(20, 0)], &[(20, 0)]]);
    maker.put(0, 140, &Event::LoopEnd { the_loop: 0 });
    let report = report(&maker.finish(150));
    assert_eq!(by_line(&report, 1).nested_executions, 0);
    assert_eq!(by_line(&report, 2).nested_executions, 1);
    assert!(report.notes.is_empty(), "{:?}", report.notes);
}

/// Threads of the program's own have loops of their own: then times do add up to more, and the report says so.
#[test]
fn loops_of_several_threads_of_the_program() {
    let directory = tempfile::tempdir().unwrap();
    let mut maker = Maker::new(directory.path(), "0", &meta(None));
    maker.threads(2, &[definition(0, 1, "f"), definition(1, 2, "g")]);
    for lane in 0..2 {
        maker.begin(lane, 100, lane, 2);
        maker.chunk(lane, 100, 0, 2, 0);
        maker.put(lane, 1000, &Event::LoopEnd { the_loop: lane });
    }
    let report = report(&maker.finish(1100));
    let codes: Vec<_> = report.notes.iter().map(|note| note.code).collect();
    assert_eq!(codes, ["overlap"]);
}

/// Loops that different ranks run, and what perfect balance would save of them.
#[test]
fn of_ranks_the_mean() {
    let directory = tempfile::tempdir().unwrap();
    for rank in 0..4u32 {
        let name = format!("rank-{rank}");
        let mut maker = Maker::new(directory.path(), &name, &meta(Some(rank.into())));
        maker.threads(2, &[definition(0, rank % 2 + 1, "f")]);
        maker.execute(100, 1, 0, &[&[(800, 0)], &[(400, 0)]]);
        maker.finish(1000);
    }
    let report = report(directory.path());
    assert_eq!(report.loops.len(), 2);
    let sum: f64 = report.loops.iter().map(|the_loop| the_loop.metrics.seconds).sum();
    near(sum, 800e-6);
    for the_loop in &report.loops {
        near(the_loop.metrics.seconds, 400e-6);
        near(the_loop.slowest_rank_seconds.unwrap(), 800e-6);
        near(the_loop.metrics.imbalance_seconds, 100e-6);
    }
}
