//! Which loop is which: in one part, in several, and in two runs.

use ompchunk_analysis::{Order, diff, is_meant, sort};
use ompchunk_trace_format::{Code, Event, LoopBegin, LoopDefinition};

use crate::common::{Maker, definition, meta, near, report};

#[test]
fn instantiations_stay_apart_and_inlined_copies_do_not() {
    let directory = tempfile::tempdir().unwrap();
    let mut maker = Maker::new(directory.path(), "0", &meta(None));
    let loops = [
        definition(0, 12, "_Z1fIiEvv"),
        definition(1, 12, "_Z1fIdEvv"),
        // The first again, from another translation unit.
        LoopDefinition { the_loop: 2, ..definition(0, 12, "_Z1fIiEvv") },
    ];
    maker.threads(1, &loops);
    for (the_loop, at) in [(0, 10), (1, 100), (2, 200)] {
        maker.execute(at, at, the_loop, &[&[(20 + at / 10, 0)]]);
    }
    let report = report(&maker.finish(300));
    let found: Vec<_> = report
        .loops
        .iter()
        .map(|the_loop| (the_loop.identity.function.as_deref().unwrap(), the_loop.executions))
        .collect();
    assert_eq!(found, [("f<int>()", 2), ("f<double>()", 1)]);
}

/// Ranks 0 and 1: the second works three times as long, on a clock of half the rate.
fn ranks(directory: &std::path::Path) {
    let mut maker = Maker::new(directory, "rank-0", &meta(Some(0)));
    maker.threads(2, &[definition(0, 12, "main")]);
    maker.execute(10, 1, 0, &[&[(10, 0)], &[(10, 0)]]);
    maker.finish(100);
    let mut slow = meta(Some(1));
    slow.clock.hertz = 5e5;
    let mut maker = Maker::new(directory, "rank-1", &slow);
    // Numbered otherwise there.
    maker.threads(2, &[definition(7, 12, "main")]);
    maker.execute(10, 1, 7, &[&[(15, 0)], &[(15, 0)]]);
    maker.finish(50);
}

#[test]
fn several_ranks() {
    let directory = tempfile::tempdir().unwrap();
    ranks(directory.path());
    let report = report(directory.path());
    assert_eq!(report.parts.len(), 2);
    let [the_loop] = &report.loops[..] else { panic!("{:?}", report.loops) };
    assert_eq!((the_loop.executions, the_loop.chunks), (2, 4));
    near(the_loop.metrics.seconds, 20e-6);
    near(the_loop.slowest_rank_seconds.unwrap(), 30e-6);
    near(the_loop.metrics.parallel_efficiency.unwrap(), 1.0);
    near(the_loop.busy_seconds, 80e-6);
    near(the_loop.ranks[0].metrics.seconds, 10e-6);
    near(the_loop.ranks[1].metrics.seconds, 30e-6);
    // 20 and 60 microseconds of work.
    near(the_loop.rank_load_balance.unwrap(), 40.0 / 60.0);
    let all = the_loop.chunk_seconds.as_ref().unwrap();
    near(all.min, 10e-6);
    near(all.max, 30e-6);
    near(all.median, 10e-6);
    assert_eq!(the_loop.worst_chunks[0].part, 1);
    assert_eq!(the_loop.threads.len(), 4);
}

/// A loop of which only an address is known.
fn bare(the_loop: u32) -> LoopDefinition<'static> {
    LoopDefinition { the_loop, code: 0x5000 + u64::from(the_loop), ..LoopDefinition::default() }
}

#[test]
fn without_the_plugin_and_without_debug_information() {
    let directory = tempfile::tempdir().unwrap();
    let mut maker = Maker::new(directory.path(), "0", &meta(None));
    let stripped = LoopDefinition { line: 0, column: 0, file: b"", ..definition(2, 0, "f") };
    maker.threads(2, &[bare(0), bare(1), stripped]);
    maker.put(
        0,
        2,
        &Event::Code(Code { address: 0x5000, offset: 0x1234, object: b"/opt/bin/ap\x1bp", function: b"g" }),
    );
    for (lane, the_loop, work, at, time) in [(0, 0, 10, 10, 30), (0, 1, 11, 100, 18), (1, 1, 11, 100, 18)] {
        let begin = LoopBegin { the_loop, work, count: 100, start: None, step: None };
        maker.put(lane, at, &Event::LoopBegin(begin));
        maker.chunk(lane, at + 5, 0, 50, 0);
        maker.chunk(lane, at + 10, 50, 50, 0);
        maker.put(lane, at + time, &Event::LoopEnd { the_loop });
    }
    maker.execute(200, 1, 2, &[&[(1, 0)]]);
    let report = report(&maker.finish(300));
    let [dealt, fixed, stripped] = &report.loops[..] else { panic!("{:?}", report.loops) };
    // Its chunks are a part of all: they are not added up, and all its time is work.
    assert_eq!(fixed.name, "ap\u{1b}p+0x1234");
    assert!(!fixed.chunks_complete);
    assert_eq!((fixed.chunks, fixed.chunk_seconds.as_ref()), (0, None));
    near(fixed.busy_seconds, 30e-6);
    assert_eq!(fixed.identity.schedule.as_deref(), Some("schedule(static)"));
    assert_eq!(dealt.name, "?+0x5001");
    assert!(dealt.chunks_complete);
    assert_eq!((dealt.chunks, dealt.iterations), (4, 200));
    near(dealt.busy_seconds, 26e-6);
    assert_eq!(stripped.name, "?+0x1002");
    assert_eq!(report.notes[0].code, "untold");
}

#[test]
fn before_and_after() {
    let make = |lines: [u32; 2], chunk: i64, time: u64| {
        let directory = tempfile::tempdir().unwrap();
        let mut maker = Maker::new(directory.path(), "0", &meta(None));
        let of = |the_loop, line, function| LoopDefinition { chunk, ..definition(the_loop, line, function) };
        let third = if chunk == 2 { "gone" } else { "new" };
        maker.threads(1, &[of(0, lines[0], "f"), of(1, lines[1], "f"), of(2, 99, third)]);
        maker.execute(10, 1, 0, &[&[(time, 0)]]);
        maker.execute(1000, 2, 1, &[&[(200, 0)]]);
        maker.execute(2000, 3, 2, &[&[(1, 0)]]);
        maker.finish(3000);
        report(directory.path())
    };
    // The lines have moved by as much as the loops are apart.
    let (before, after) = (make([10, 20], 2, 100), make([20, 30], 4, 50));
    let diff = diff(&before, &after);
    let found: Vec<_> = diff
        .loops
        .iter()
        .map(|pair| {
            let line = |the_loop: Option<&ompchunk_analysis::LoopReport>| the_loop?.identity.line;
            (line(pair.before), line(pair.after))
        })
        .collect();
    assert_eq!(found, [(Some(20), Some(30)), (Some(10), Some(20)), (Some(99), None), (None, Some(99))]);
}

#[test]
fn selection() {
    let directory = tempfile::tempdir().unwrap();
    let mut maker = Maker::new(directory.path(), "0", &meta(None));
    maker.threads(2, &[definition(0, 30, "slow"), definition(1, 12, "uneven")]);
    maker.execute(10, 1, 0, &[&[(100, 0)], &[(100, 0)]]);
    maker.execute(200, 2, 1, &[&[(40, 0)], &[(10, 0)]]);
    let mut report = report(&maker.finish(300));
    let lines = |report: &ompchunk_analysis::Report| {
        let lines = report.loops.iter().filter_map(|the_loop| the_loop.identity.line);
        lines.collect::<Vec<_>>()
    };
    // What loses most, though the other takes longer.
    assert_eq!(lines(&report), [12, 30]);
    sort(&mut report.loops, Order::Time);
    assert_eq!(lines(&report), [30, 12]);
    for order in [Order::Lost, Order::Imbalance, Order::Efficiency, Order::Barrier, Order::Position] {
        sort(&mut report.loops, order);
        assert_eq!(lines(&report), [12, 30], "{order:?}");
    }
    sort(&mut report.loops, Order::Longest);
    assert_eq!(lines(&report), [30, 12]);
    let meant = |pattern| -> Vec<usize> {
        let all = report.loops.iter().filter(|the_loop| is_meant(the_loop, pattern));
        all.map(|the_loop| the_loop.number).collect()
    };
    assert_eq!(meant("2"), [2]);
    assert_eq!(meant("a.c:30"), [2]);
    assert_eq!(meant("src/a.c:30"), [2]);
    assert_eq!(meant("uneven"), [1]);
    assert_eq!(meant("src/a.c"), [2, 1]);
    assert!(meant("b.c:30").is_empty() && meant("3").is_empty());
}

#[test]
fn thousands_of_loops() {
    let directory = tempfile::tempdir().unwrap();
    let mut maker = Maker::new(directory.path(), "0", &meta(None));
    let mut at = 10;
    for the_loop in 0..3000 {
        maker.threads(2, &[definition(the_loop, the_loop + 1, "f")]);
        at = maker.execute(at, u64::from(the_loop) + 1, the_loop, &[&[(2, 0)], &[(1, 0)]]);
    }
    let report = report(&maker.finish(at));
    assert_eq!(report.loops.len(), 3000);
    assert!(report.loops.iter().all(|the_loop| the_loop.executions == 1));
}
