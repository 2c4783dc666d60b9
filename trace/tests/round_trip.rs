//! What is written is what is read, whatever the events, the times and the lanes.

mod common;

use ompchunk_trace_format::{Chunk, Ending, Event, LoopBegin, PartWriter, Trace};
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
