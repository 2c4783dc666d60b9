//! What iterations cost, over the iteration space: from sub-blocks, and from chunks that the runtime dealt.

use ompchunk_analysis::Curve;
use ompchunk_trace_format::{ClockMeta, Event, LoopBegin, SubBlock};

use crate::common::{Maker, definition, meta, recorder, taken, with};

/// A thread's pieces: how many iterations, and what each of them takes; in a chunk of their own.
type Pieces<'a> = &'a [(u64, u64)];

/// One execution by two threads, each with one chunk, after `at`; gives the end.
fn execute(maker: &mut Maker, at: u64, region: u64, team: [Pieces<'_>; 2], divided: bool) -> u64 {
    let count = |pieces: Pieces<'_>| pieces.iter().map(|piece| piece.0).sum::<u64>();
    let total = count(team[0]) + count(team[1]);
    let mut last = at;
    let mut lower = 0;
    for (lane, pieces) in (0..).zip(team) {
        maker.task(lane, at, region, 2);
        maker.begin(lane, at, 0, total);
        maker.chunk(lane, at, lower, count(pieces), 0);
        let mut now = at;
        for (number, (iterations, each)) in pieces.iter().enumerate() {
            if divided {
                let piece =
                    SubBlock { lower, iterations: *iterations, first: number == 0, last: number + 1 == pieces.len() };
                maker.put(lane, now, &Event::SubBlock(piece));
            }
            now += iterations * each;
            lower += iterations;
        }
        maker.put(lane, now, &Event::LoopEnd { the_loop: 0 });
        last = last.max(now);
    }
    for lane in 0..2 {
        maker.put(lane, last, &Event::ImplicitTaskEnd { parallel: region });
    }
    last
}

fn maker(directory: &std::path::Path) -> Maker {
    let mut meta = meta(None);
    meta.clock = ClockMeta { step: None, cpu_read: Some(1.0), own_least: Some(1.0), ..meta.clock };
    let mut maker = Maker::new(directory, "0", &meta);
    maker.threads(2, &[definition(0, 12, "main")]);
    maker
}

fn near(found: Option<f32>, expected: f32) {
    let found = found.unwrap();
    assert!((found / expected - 1.0).abs() < 1e-6, "{found}, not {expected}");
}

fn curve(maker: Maker) -> Option<Curve> {
    with(&maker.finish(100_000), |analysis| {
        let loops: Vec<_> = analysis.report.loops.iter().collect();
        analysis.curves(&loops, &|_| {}).unwrap().remove(0)
    })
}

#[test]
fn a_step_within_a_block() {
    let directory = tempfile::tempdir().unwrap();
    let mut maker = maker(directory.path());
    let mut now = 10;
    for region in 1..=9 {
        // Cut elsewhere each time; every third is whole, and takes a tenth less.
        let divided = region % 3 != 0;
        let first = 1 + region % 2;
        let block = [(first, 10), (5 - first, 10), (5, 30)];
        let team: [Pieces<'_>; 2] = match divided {
            true => [&block, &[(10, 40)]],
            false => [&[(5, 9), (5, 27)], &[(10, 36)]],
        };
        now = execute(&mut maker, now, region, team, divided) + 5;
    }
    let curve = curve(maker).unwrap();
    assert!(curve.divided);
    assert_eq!((curve.iterations, curve.mean.len()), (20, 20));
    assert_eq!((curve.pieces, curve.parts), (6 * 4, 12));
    for (at, expected) in [(0, 10e-6), (4, 10e-6), (5, 30e-6), (9, 30e-6), (19, 40e-6)] {
        near(curve.mean[at], expected);
        near(curve.low[at], expected);
        near(curve.high[at], expected);
    }
    assert_eq!(curve.borders, [10]);
    assert_eq!(curve.user, Some([100, 290]));
    let cost = curve.cost.unwrap();
    assert_eq!((cost.divided, cost.whole), (12, 6));
    assert!((cost.ratio - 10.0 / 9.0).abs() < 1e-6, "{cost:?}");
}

/// Nothing is known of a piece in which the thread had its core for less than half of the time.
#[test]
fn a_piece_without_a_core() {
    let directory = tempfile::tempdir().unwrap();
    let mut maker = maker(directory.path());
    maker.begin(0, 10, 0, 8);
    maker.chunk(0, 10, 0, 8, 0);
    let piece = |lower, flags| Event::SubBlock(SubBlock::new(lower, 4, flags));
    maker.put(0, 10, &piece(0, 1));
    maker.put(0, 100, &taken(50, 70));
    maker.put(0, 100, &piece(4, 2));
    maker.put(0, 140, &Event::LoopEnd { the_loop: 0 });
    let curve = curve(maker).unwrap();
    assert_eq!(curve.mean[..4], [None; 4]);
    near(curve.mean[4], 10e-6);
}

/// What is taken from a thread is no cost of its iterations, and a piece whose end is not told is none.
#[test]
fn what_is_not_the_iterations_own() {
    let directory = tempfile::tempdir().unwrap();
    let mut maker = maker(directory.path());
    maker.begin(0, 10, 0, 10);
    maker.chunk(0, 10, 0, 8, 0);
    let piece = |lower, iterations, flags| Event::SubBlock(SubBlock::new(lower, iterations, flags));
    maker.put(0, 10, &piece(0, 4, 1));
    maker.put(0, 100, &taken(30, 70));
    maker.put(0, 100, &piece(4, 4, 2));
    maker.put(0, 130, &recorder(20, 0));
    maker.chunk(0, 160, 8, 2, 0);
    maker.put(0, 160, &piece(8, 1, 1));
    // The second iteration has no sub-block, so it is in the first one's time.
    maker.put(0, 1000, &Event::LoopEnd { the_loop: 0 });
    let curve = curve(maker).unwrap();
    near(curve.mean[0], 15e-6);
    near(curve.mean[7], 10e-6);
    assert_eq!(curve.mean[8..], [None, None]);
    assert_eq!(curve.pieces, 2);
    assert_eq!(curve.cost, None);
}

#[test]
fn chunks_that_the_runtime_deals_are_one() {
    let directory = tempfile::tempdir().unwrap();
    let mut maker = maker(directory.path());
    let begin = LoopBegin { the_loop: 0, work: 12, count: 40, start: None, step: None };
    maker.put(0, 10, &Event::LoopBegin(begin));
    let mut now = 10;
    for chunk in 0..20 {
        maker.chunk(0, now, chunk * 2, 2, 0);
        now += 2 * (chunk + 1);
    }
    maker.put(0, now, &Event::LoopEnd { the_loop: 0 });
    let curve = curve(maker).unwrap();
    assert!(!curve.divided);
    near(curve.mean[0], 1e-6);
    near(curve.mean[39], 20e-6);
    assert_eq!((curve.user, curve.borders.len()), (None, 0));
    // One chunk per thread tells nothing of its iterations.
    let directory = tempfile::tempdir().unwrap();
    let mut maker = self::maker(directory.path());
    execute(&mut maker, 10, 1, [&[(5, 9)], &[(5, 9)]], false);
    assert_eq!(self::curve(maker), None);
}
