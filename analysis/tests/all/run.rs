//! The run as a whole, from sums that are computed by hand.

use ompchunk_trace_format::{Event, LeftOut, Paused, Trace, Unwanted};

use crate::common::{Maker, definition, meta, near, report};

/// A thread and its initial task, 200 microseconds of regions with a loop of 60 and 20 in one, and a pause of 300.
fn one(directory: &std::path::Path, name: &str, rank: Option<u64>) -> std::path::PathBuf {
    let mut maker = Maker::new(directory, name, &meta(rank));
    maker.threads(2, &[definition(0, 12, "main"), definition(1, 40, "unwanted")]);
    maker.initial_task(0, 0);
    maker.region(0, 100, 1, 0);
    maker.execute(120, 1, 0, &[&[(60, 0)], &[(20, 0)]]);
    maker.put(0, 300, &Event::ParallelEnd { parallel: 1 });
    maker.put(0, 400, &Event::Pause(Paused::ByProgram));
    maker.put(0, 700, &Event::Resume);
    let left_out = LeftOut { why: Unwanted::Loop, the_loop: 1, thread: 0, executions: 5 };
    maker.put(0, 800, &Event::LeftOut(left_out));
    maker.finish(1300)
}

#[test]
fn shares_add_up() {
    let directory = tempfile::tempdir().unwrap();
    let report = report(&one(directory.path(), "0", None));
    let run = &report.run;
    assert_eq!(run.processes, 1);
    near(run.seconds, 1000e-6);
    near(run.paused_seconds, 300e-6);
    near(run.parallel_seconds.unwrap(), 200e-6);
    near(run.serial_seconds.unwrap(), 800e-6);
    near(run.loop_seconds.unwrap(), 60e-6);
    near(run.lost_seconds.unwrap(), 20e-6);
    near(run.imbalance_seconds.unwrap(), 20e-6);
    // The other loop was left out, and a note says so.
    let [the_loop] = &report.loops[..] else { panic!("{:?}", report.loops) };
    near(the_loop.run_share.unwrap(), 0.06);
    near(the_loop.lost_seconds.unwrap(), 20e-6);
    let codes: Vec<&str> = report.notes.iter().map(|note| note.code).collect();
    assert_eq!(codes, ["paused", "left-out"], "{:?}", report.notes);
    assert!(report.notes[1].text.starts_with("5 executions of 1 loop were left out"));
}

#[test]
fn of_several_processes_the_mean() {
    let directory = tempfile::tempdir().unwrap();
    let first = one(directory.path(), "rank-0", Some(0));
    let mut maker = Maker::new(directory.path(), "rank-1", &meta(Some(1)));
    maker.threads(1, &[]);
    let second = maker.finish(3000);
    let traces = [first, second].map(|path| Trace::open(&path).unwrap());
    let parts: Vec<_> = traces.iter().flat_map(|trace| &trace.parts).collect();
    let analysis = ompchunk_analysis::analyse(&parts, &|_| ()).unwrap();
    let run = &analysis.report.run;
    near(run.seconds, (1000e-6 + 3000e-6) / 2.0);
    near(run.loop_seconds.unwrap(), 30e-6);
    // Nobody knows when the second was serial.
    assert_eq!((run.serial_seconds, run.parallel_seconds), (None, None));
    near(analysis.report.loops[0].run_share.unwrap(), 30.0 / 2000.0);
}
