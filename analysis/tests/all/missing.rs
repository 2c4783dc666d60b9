//! Traces that do not hold everything: nothing incomplete is added up, and the report says so.

use ompchunk_trace_format::Event;

use crate::common::{END, Maker, definition, meta, near, report};

#[test]
fn cut() {
    let directory = tempfile::tempdir().unwrap();
    let mut maker = Maker::new(directory.path(), "0", &meta(None));
    maker.threads(2, &[definition(0, 12, "main")]);
    let end = maker.execute(10, 1, 0, &[&[(10, 0)], &[(10, 0)]]);
    // Killed in the second run: one thread was done, the other in its second chunk.
    for lane in 0..2 {
        maker.task(lane, end, 2, 2);
        maker.begin(lane, end, 0, 8);
        maker.chunk(lane, end, u64::from(lane) * 2, 2, 0);
    }
    maker.put(0, end + 100, &Event::LoopEnd { the_loop: 0 });
    maker.chunk(1, end + 70, 6, 2, 0);
    let report = report(&maker.abandon());
    let the_loop = &report.loops[0];
    assert!(report.parts[0].cut);
    assert_eq!(report.notes[0].code, "cut");
    assert_eq!((the_loop.executions, the_loop.incomplete_executions), (1, 1));
    near(the_loop.metrics.seconds, 10e-6);
    near(the_loop.metrics.load_balance.unwrap(), 1.0);
    // Chunks that have an end count; the last one of thread 1 has none.
    assert_eq!(the_loop.chunks, 4);
    near(the_loop.threads[1].busy_seconds, 80e-6);
}

#[test]
fn lost_chunks() {
    let directory = tempfile::tempdir().unwrap();
    let mut maker = Maker::new(directory.path(), "0", &meta(None));
    maker.threads(1, &[definition(0, 12, "main")]);
    let end = maker.execute(10, 1, 0, &[&[(10, 0), (10, 0)]]);
    maker.task(0, end, 2, 1);
    maker.begin(0, end, 0, 4);
    maker.chunk(0, end, 0, 2, 0);
    maker.lost(0, end + 40, 1);
    maker.put(0, end + 50, &Event::LoopEnd { the_loop: 0 });
    let path = maker.finish(end + 60);
    // What the recorder says in the head.
    let mut bytes = std::fs::read(&path).unwrap();
    bytes[ompchunk_trace_format::layout::head::LOST_CHUNKS] = 1;
    std::fs::write(&path, bytes).unwrap();
    let report = report(&path);
    let the_loop = &report.loops[0];
    assert_eq!(report.parts[0].lost_chunks, 1);
    assert_eq!(report.notes[0].code, "lost");
    assert_eq!((the_loop.executions, the_loop.incomplete_executions), (1, 1));
    near(the_loop.metrics.seconds, 20e-6);
    let lost = the_loop.lost.as_ref().unwrap();
    assert_eq!((lost.chunks, lost.iterations), (1, 2));
    let [from, to] = lost.between_seconds.unwrap();
    near(from, 100e-6);
    near(to, 200e-6);
}

#[test]
fn aggregates() {
    let directory = tempfile::tempdir().unwrap();
    let mut meta = meta(None);
    meta.mode.aggregate = true;
    let mut maker = Maker::new(directory.path(), "0", &meta);
    maker.threads(2, &[definition(0, 12, "main")]);
    // Ten runs: 30 chunks of 1 tick and 10 of 8 to 15; then 10 of 8 to 15.
    maker.aggregate(0, 900, (10, 40, 130), &[30, 0, 0, 10]);
    maker.aggregate(1, 900, (10, 10, 100), &[0, 0, 0, 10]);
    let report = report(&maker.finish(1000));
    let the_loop = &report.loops[0];
    assert_eq!(report.notes[0].code, "aggregate");
    assert_eq!((the_loop.executions, the_loop.counted_executions), (0, 10));
    assert_eq!((the_loop.chunks, the_loop.iterations), (50, 100));
    assert_eq!(the_loop.metrics.parallel_efficiency, None);
    near(the_loop.total_load_balance.unwrap(), 115.0 / 130.0);
    near(the_loop.cost(), 130e-6);
    let all = the_loop.chunk_seconds.as_ref().unwrap();
    assert_eq!(all.count, 50);
    assert!(all.quantile_error > 0.4);
    assert!((1e-6..2e-6).contains(&all.median), "{}", all.median);
    assert!((8e-6..16e-6).contains(&all.p95), "{}", all.p95);
    assert!(the_loop.worst_chunks.is_empty());
}

#[test]
fn samples() {
    let directory = tempfile::tempdir().unwrap();
    let mut meta = meta(None);
    meta.mode.sample = 10;
    let mut maker = Maker::new(directory.path(), "0", &meta);
    maker.threads(2, &[definition(0, 12, "main")]);
    let end = maker.execute(10, 1, 0, &[&[(10, 0)], &[(20, 0)]]);
    // In one region the threads tell different runs, thread 1 the one after a barrier: no run can be made of them.
    for lane in 0..2 {
        let at = end + 100 * u64::from(lane);
        maker.task(lane, at, 2, 2);
        if lane == 1 {
            maker.put(lane, at, &Event::SyncBegin(END));
            maker.put(lane, at, &Event::SyncEnd(END));
        }
        maker.run(lane, 0, (at, at + 50));
        maker.aggregate(lane, at + 60, (18, 18, 100), &[0, 0, 18]);
    }
    let report = report(&maker.finish(end + 500));
    let the_loop = &report.loops[0];
    assert_eq!(report.notes[0].code, "sample");
    assert_eq!((the_loop.executions, the_loop.incomplete_executions), (1, 2));
    assert_eq!(the_loop.counted_executions, 18);
    near(the_loop.metrics.seconds, 20e-6);
    assert_eq!(the_loop.chunks, 2 + 2 + 36);
}

#[test]
fn damage_is_an_error() {
    let directory = tempfile::tempdir().unwrap();
    let mut maker = Maker::new(directory.path(), "0", &meta(None));
    maker.threads(1, &[definition(0, 12, "main")]);
    let path = maker.finish(10);
    let mut bytes = std::fs::read(&path).unwrap();
    bytes[4096 + 48] = 99;
    std::fs::write(&path, bytes).unwrap();
    let trace = ompchunk_trace_format::Trace::open(&path).unwrap();
    let error = ompchunk_analysis::analyse(&[&trace.parts[0]], &|_| {}).unwrap_err();
    assert!(error.to_string().contains("no record of kind 99"), "{error}");
}

/// Ranks that cannot be of one run, by their jobs or by their times.
#[test]
fn ranks_of_two_runs() {
    let notes = |jobs: [Option<&str>; 2], second: u64| {
        let directory = tempfile::tempdir().unwrap();
        for rank in 0..2u64 {
            let meta = ompchunk_trace_format::Meta {
                job: jobs[rank as usize].map(String::from),
                started: rank * second,
                ..meta(Some(rank))
            };
            let mut maker = Maker::new(directory.path(), &format!("rank-{rank}"), &meta);
            maker.threads(1, &[definition(0, 12, "main")]);
            let end = maker.execute(10, 1, 0, &[&[(10, 0), (10, 0)]]);
            maker.finish(end);
        }
        let report = report(directory.path());
        let codes: Vec<_> = report.notes.iter().map(|note| note.code).collect();
        assert!(codes.iter().all(|code| *code == "runs"), "{codes:?}");
        codes.len()
    };
    // The recording ends after 30 microseconds.
    assert_eq!(notes([None, None], 29_000), 0);
    assert_eq!(notes([Some("7.0"), Some("7.0")], 29_000), 0);
    assert_eq!(notes([None, None], 32_000), 1);
    assert_eq!(notes([Some("7.0"), Some("7.1")], 0), 1);
}
