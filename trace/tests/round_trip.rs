//! What is written is what is read, whatever the events, the times and the lanes.

mod common;

use ompchunk_trace_format::{Chunk, Ending, Event, LoopBegin, PartWriter, Trace, layout};
use proptest::prelude::*;

/// Everything that a part holds, with lane, thread and time.
fn read(path: &std::path::Path) -> Vec<(u32, u32, u64, String)> {
    let trace = Trace::open(path).unwrap();
    let mut found = Vec::new();
    let count = trace.parts[0]
        .for_each(|at, event| found.push((at.lane, at.thread, at.ticks, format!("{event:?}"))))
        .unwrap();
    assert_eq!(count, found.len() as u64);
    found
}

#[test]
fn every_kind_of_event() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("0.trace");
    common::sample(&path).unwrap();
    let wanted: Vec<_> = common::every_kind()
        .iter()
        .map(|(ticks, event)| (0, 2, *ticks, format!("{event:?}")))
        .collect();
    assert_eq!(read(&path), wanted);
    let trace = Trace::open(directory.path()).unwrap();
    assert_eq!(trace.parts[0].ending(), Ending::Clean);
    assert_eq!(*trace.parts[0].meta(), common::meta());
}

fn event() -> impl Strategy<Value = Event<'static>> {
    let number = || prop_oneof![0..100_u64, any::<u64>(), Just(u64::from(u32::MAX))];
    prop_oneof![
        8 => (number(), number(), number(), any::<bool>()).prop_map(
            |(lower, iterations, create_duration, last)| {
                Event::Chunk(Chunk { lower, iterations, create_duration, last })
            }
        ),
        1 => (any::<u32>(), any::<u32>(), number(), any::<Option<i64>>(), any::<Option<i64>>())
            .prop_map(|(the_loop, work, count, start, step)| {
                Event::LoopBegin(LoopBegin { the_loop, work, count, start, step })
            }),
        1 => any::<u32>().prop_map(|the_loop| Event::LoopEnd { the_loop }),
        1 => any::<u32>().prop_map(common::definition),
        1 => number().prop_map(|parallel| Event::ParallelEnd { parallel }),
    ]
}

/// What a writer puts into units of two chunks, and what not: near and beyond each limit.
fn loop_of_chunks() -> impl Strategy<Value = Vec<(u64, Chunk)>> {
    let of = |numbers: &'static [u64]| prop::sample::select(numbers);
    let chunk = (
        prop_oneof![4 => of(&[0, 1, 7, (1 << 24) - 1, 1 << 24, 1 << 31]), 1 => 0..(1_u64 << 33)],
        of(&[0, 1, 2, 0xfffe, 0xffff, 0x1_0000, 0xffff_ffff, 1 << 32]),
        of(&[1, 2, 4, 4, 4, 0xffff, 0x1_0000, 0xffff_ffff]),
        prop_oneof![8 => Just((0, false)), 1 => Just((3, false)), 1 => Just((0, true))],
    );
    prop::collection::vec(chunk, 0..800).prop_map(|chunks| {
        let (mut now, mut lower) = (0, 0);
        let chunk = |(pause, distance, iterations, (create_duration, last))| {
            now += pause;
            let chunk = Chunk {
                lower,
                iterations,
                create_duration,
                last,
            };
            lower = (lower + distance) & 0xffff_ffff;
            (now, chunk)
        };
        chunks.into_iter().map(chunk).collect()
    })
}

#[test]
fn two_chunks_in_a_unit() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("0.trace");
    let mut part = PartWriter::with_block_size(&path, &common::meta(), 0, 4096).unwrap();
    for number in 0..7 {
        part.event(0, 100 + 10 * number, &common::chunk(4 * number, 2))
            .unwrap();
    }
    part.finish(200).unwrap();
    let mut bytes = std::fs::read(&path).unwrap();
    let units = layout::HEAD_SIZE.next_multiple_of(4096) + layout::BLOCK_HEAD;
    let kinds: Vec<u8> = bytes[units..]
        .iter()
        .copied()
        .step_by(layout::UNIT)
        .take(5)
        .collect();
    let pair = layout::kind::CHUNK_PAIR;
    assert_eq!(kinds, [pair, pair, pair, layout::kind::CHUNK, 0]);
    assert_eq!(read(&path).len(), 7);
    // Killed before the second word was there: the unit is one chunk, at its own time.
    bytes[units + 14..units + 16].fill(0);
    std::fs::write(&path, bytes).unwrap();
    let found: Vec<_> = read(&path)
        .into_iter()
        .map(|(_, _, ticks, _)| ticks)
        .collect();
    assert_eq!(found, [100, 120, 130, 140, 150, 160]);
}

proptest! {
    #[test]
    fn any_chunks(chunks in loop_of_chunks()) {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("0.trace");
        let mut part = PartWriter::with_block_size(&path, &common::meta(), 0, 4096).unwrap();
        let mut wanted = Vec::new();
        for (now, chunk) in chunks {
            part.event(0, now, &Event::Chunk(chunk)).unwrap();
            wanted.push((now, format!("{:?}", Event::Chunk(chunk))));
        }
        part.finish(0).unwrap();
        let found: Vec<_> = read(&path).into_iter().map(|(_, _, ticks, event)| (ticks, event)).collect();
        prop_assert_eq!(found, wanted);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]
    #[test]
    fn any_events(events in prop::collection::vec(
        (0..3_u32, prop_oneof![9 => 0..1000_u64, 1 => any::<u64>().prop_map(|t| t >> 20)], event()),
        0..600,
    )) {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("0.trace");
        let mut part = PartWriter::with_block_size(&path, &common::meta(), 0, 4096).unwrap();
        let mut now = 0;
        let mut wanted: [Vec<_>; 3] = Default::default();
        for (lane, pause, event) in &events {
            now += pause;
            part.event(*lane, now, event).unwrap();
            wanted[*lane as usize].push((now, format!("{event:?}")));
        }
        part.finish(now).unwrap();
        let mut found: [Vec<_>; 3] = Default::default();
        for (lane, _, ticks, event) in read(&path) {
            found[lane as usize].push((ticks, event));
        }
        prop_assert_eq!(&found, &wanted);
        // The same, merged: in the order of time.
        let trace = Trace::open(&path).unwrap();
        let (mut last, mut merged): (u64, [Vec<_>; 3]) = Default::default();
        trace.parts[0].merged(|at, event| {
            assert!(at.ticks >= last);
            last = at.ticks;
            merged[at.lane as usize].push((at.ticks, format!("{event:?}")));
        }).unwrap();
        prop_assert_eq!(&merged, &wanted);
    }
}
