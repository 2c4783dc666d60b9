//! What is written is what is read, whatever the events, the times and the lanes.

use ompchunk_trace_format::{
    AccDetail, AccEnd, AccOperation, AccSite, At, Chunk, Ending, Event, Group, LoopBegin, LoopDefinition, PartWriter,
    SubBlock, Sync, Trace, layout,
};
use proptest::prelude::*;

use crate::common;

/// Everything that a part holds, with lane, thread and time.
fn read(path: &std::path::Path) -> Vec<(u32, u32, u64, String)> {
    let trace = Trace::open(path).unwrap();
    let mut found = Vec::new();
    let count =
        trace.parts[0].for_each(|at, event| found.push((at.lane, at.thread, at.ticks, format!("{event:?}")))).unwrap();
    assert_eq!(count, found.len() as u64);
    found
}

#[test]
fn every_kind_of_event() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("0.trace");
    common::sample(&path).unwrap();
    let written: Vec<_> =
        common::every_kind().iter().map(|(ticks, event)| (0, 2, *ticks, format!("{event:?}"))).collect();
    assert_eq!(read(&path), written);
    let trace = Trace::open(directory.path()).unwrap();
    assert_eq!(trace.parts[0].ending(), Ending::Clean);
    assert_eq!(*trace.parts[0].meta(), common::meta());
}

/// What may rely on a loop's threads is told with it; of a group that is too large nothing is, since half of one would mislead.
#[test]
fn loops_with_their_groups() {
    let words = |loops: u32| -> Vec<u8> {
        let numbers = (0..loops).flat_map(|number| [10 * number + 10, 3, u32::from(number != 1)]);
        numbers.flat_map(u32::to_le_bytes).collect()
    };
    let directory = tempfile::tempdir().unwrap();
    for (number, (loops, told)) in [(0, 0), (1, 1), (2, 2), (128, 128), (129, 0)].into_iter().enumerate() {
        let bytes = words(loops);
        let Event::Loop(plain) = common::definition(7) else { unreachable!("a definition") };
        let longest = [b'x'; layout::MOST_TEXT];
        let written = LoopDefinition {
            fixed: 9,
            bound: 5,
            function: &longest,
            file: &longest,
            group: Group::from(&bytes[..]),
            ..plain
        };
        let path = directory.path().join(format!("{number}.trace"));
        let mut part = PartWriter::with_block_size(&path, &common::meta(), 0, 4096).unwrap();
        part.event(0, 1, &Event::Loop(written)).unwrap();
        part.finish(2).unwrap();
        let trace = Trace::open(&path).unwrap();
        let mut found = 0;
        trace.parts[0]
            .for_each(|_, event| {
                let Event::Loop(read_loop) = event else {
                    return;
                };
                found += 1;
                assert_eq!((read_loop.fixed, read_loop.bound), (9, 5));
                assert_eq!((read_loop.function, read_loop.file), (&longest[..], &longest[..]));
                assert_eq!(read_loop.group.len(), told);
                assert!(read_loop.group.loops().eq(written.group.loops().take(told)));
            })
            .unwrap();
        assert_eq!(found, 1);
    }
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
        2 => (number(), number(), any::<bool>(), any::<bool>()).prop_map(
            |(lower, iterations, first, last)| {
                Event::SubBlock(SubBlock { lower, iterations, first, last })
            }
        ),
        1 => any::<u32>().prop_map(|the_loop| Event::LoopEnd { the_loop }),
        2 => openacc(),
        1 => any::<u32>().prop_map(common::definition),
        1 => number().prop_map(|parallel| Event::ParallelEnd { parallel }),
        6 => joint(),
        2 => (0..300_u32, prop_oneof![0..9_u64, Just(0xffff), Just(0x1_0000)], number())
            .prop_map(|(work, count, code)| Event::WorkBegin { work, count, code }),
        1 => (0..70_u32, any::<u16>(), any::<i16>(), any::<Option<i16>>()).prop_map(
            |(work, the_loop, start, step)| Event::LoopBegin(LoopBegin {
                the_loop: the_loop.into(),
                work,
                count: u64::from(work) << 28,
                start: Some(start.into()),
                step: step.map(i64::from),
            })
        ),
    ]
}

fn openacc() -> impl Strategy<Value = Event<'static>> {
    let text = || prop_oneof![Just(&b""[..]), Just(&b"a.c"[..]), Just(&[b'x'; 1000][..])];
    let lines = any::<[u32; 2]>;
    let operation = (
        (0..256_u32, any::<u32>(), any::<Option<u32>>(), any::<Option<bool>>()),
        (any::<Option<i32>>(), any::<Option<i32>>()),
        (any::<Option<i64>>(), any::<Option<i64>>()),
        any::<[Option<u64>; 3]>(),
        any::<bool>(),
    )
        .prop_map(|(what, device, queue, numbers, is_begin)| {
            let (event, site, construct, implicit) = what;
            let operation = AccOperation {
                event,
                site,
                construct,
                implicit,
                device_type: device.0,
                device: device.1,
                asynchronous: queue.0,
                queue: queue.1,
                detail: AccDetail::from_numbers(event, numbers),
            };
            match is_begin {
                true => Event::AccBegin(operation),
                false => Event::AccPoint(operation),
            }
        });
    prop_oneof![
        2 => operation,
        1 => (any::<u32>(), lines(), lines(), [text(), text(), text()]).prop_map(
            |(site, lines, function_lines, [file, function, name])| Event::AccSite(AccSite {
                site,
                lines,
                function_lines,
                file,
                function,
                name,
            })
        ),
        1 => (any::<u32>(), any::<bool>())
            .prop_map(|(event, told)| Event::AccEnd(AccEnd { event, told })),
    ]
}

/// Events that share a record with the next, or nearly.
fn joint() -> impl Strategy<Value = Event<'static>> {
    let region = || prop_oneof![8 => 1..3_u64, 1 => Just((1 << 40) - 1), 1 => Just(1 << 40)];
    let sync = || {
        let kind = prop_oneof![8 => 1..3_u32, 1 => Just(255), 1 => Just(256)];
        (kind, 7..9_u64).prop_map(|(kind, code)| Sync { kind, code })
    };
    let size = || prop_oneof![4 => 0..2_u32, 1 => Just((1 << 24) - 1), 1 => Just(1 << 24)];
    prop_oneof![
        (region(), any::<u32>(), prop_oneof![4 => 0..16_u32, 1 => Just(16)], any::<u64>())
            .prop_map(|(parallel, requested, flags, code)| Event::ParallelBegin { parallel, requested, flags, code }),
        (region(), size(), size(), 1..3_u32).prop_map(|(parallel, index, team_size, flags)| {
            Event::ImplicitTaskBegin { parallel, index, team_size, flags }
        }),
        region().prop_map(|parallel| Event::ImplicitTaskEnd { parallel }),
        region().prop_map(|parallel| Event::ParallelEnd { parallel }),
        sync().prop_map(Event::SyncBegin),
        sync().prop_map(Event::WaitBegin),
        sync().prop_map(Event::WaitEnd),
        sync().prop_map(Event::SyncEnd),
    ]
}

/// What a thread that begins tiny regions tells, and what the others of the team tell.
fn tiny_region(parallel: u64, index: u32) -> Vec<Event<'static>> {
    let code = 0x5555_0000_1234;
    let sync = Sync { kind: 9, code };
    let mut events = vec![
        Event::ImplicitTaskBegin { parallel, index, team_size: 4, flags: 2 },
        Event::LoopBegin(LoopBegin { the_loop: 3, work: 10, count: 1000, start: Some(0), step: Some(1) }),
        common::chunk(u64::from(index) * 250, 250),
        Event::LoopEnd { the_loop: 3 },
        Event::SyncBegin(sync),
        Event::WaitBegin(sync),
        Event::WaitEnd(sync),
        Event::SyncEnd(sync),
        Event::ImplicitTaskEnd { parallel },
    ];
    if index == 0 {
        let begin = Event::ParallelBegin { parallel, requested: 4, flags: 9, code };
        events.insert(0, begin);
        events.push(Event::ParallelEnd { parallel });
    }
    events
}

#[test]
fn events_of_tiny_regions_are_small() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("0.trace");
    let mut part = PartWriter::create(&path, &common::meta(), 0).unwrap();
    let (mut written, mut not_chunks) = (Vec::new(), 0);
    for region in 1..=1000 {
        for index in 0..4 {
            for (at, event) in tiny_region(region, index).iter().enumerate() {
                let ticks = region * 10_000 + at as u64 * 100;
                part.event(index, ticks, event).unwrap();
                written.push((index, ticks, format!("{event:?}")));
                not_chunks += u64::from(!matches!(event, Event::Chunk(_)));
            }
        }
    }
    part.finish(0).unwrap();
    let mut found: Vec<_> = read(&path).into_iter().map(|(lane, _, ticks, event)| (lane, ticks, event)).collect();
    written.sort();
    found.sort();
    assert!(found == written);
    let (mut used, bytes) = (0, std::fs::read(&path).unwrap());
    let from = layout::HEAD_SIZE.next_multiple_of(layout::BLOCK_SIZE);
    for unit in bytes[from..].chunks_exact(layout::UNIT) {
        used += u64::from(unit != [0; layout::UNIT]);
    }
    let per_event = (used - 4000) as f64 * 16.0 / not_chunks as f64;
    assert!(per_event < 12.5, "{per_event} bytes");
}

/// A program may be killed while the second of two events is stored: the record is then that of the first.
#[test]
fn half_a_joint_record_is_the_first_event() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("0.trace");
    let mut part = PartWriter::with_block_size(&path, &common::meta(), 0, 4096).unwrap();
    for (at, event) in tiny_region(1, 0).iter().take(2).enumerate() {
        part.event(0, 100 + at as u64, event).unwrap();
    }
    part.finish(200).unwrap();
    let mut bytes = std::fs::read(&path).unwrap();
    let at = layout::HEAD_SIZE.next_multiple_of(4096) + layout::BLOCK_HEAD;
    assert_eq!(bytes[at], layout::kind::REGION_BEGIN);
    assert_eq!(read(&path).len(), 2);
    let small = u32::from_le_bytes(bytes[at..at + 4].try_into().unwrap()) >> 8 & 0xf;
    let first = u32::from(layout::kind::PARALLEL_BEGIN) | small << 8;
    bytes[at..at + 4].copy_from_slice(&first.to_le_bytes());
    std::fs::write(&path, bytes).unwrap();
    let found = read(&path);
    assert_eq!(found.len(), 1);
    assert_eq!(found[0].3, format!("{:?}", tiny_region(1, 0)[0]));
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
            let chunk = Chunk { lower, iterations, create_duration, last };
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
        part.event(0, 100 + 10 * number, &common::chunk(4 * number, 2)).unwrap();
    }
    part.finish(200).unwrap();
    let mut bytes = std::fs::read(&path).unwrap();
    let units = layout::HEAD_SIZE.next_multiple_of(4096) + layout::BLOCK_HEAD;
    let kinds: Vec<u8> = bytes[units..].iter().copied().step_by(layout::UNIT).take(5).collect();
    let pair = layout::kind::CHUNK_PAIR;
    assert_eq!(kinds, [pair, pair, pair, layout::kind::CHUNK, 0]);
    assert_eq!(read(&path).len(), 7);
    // Killed before the second word was there: the unit is one chunk, at its own time.
    bytes[units + 14..units + 16].fill(0);
    std::fs::write(&path, bytes).unwrap();
    let found: Vec<_> = read(&path).into_iter().map(|(_, _, ticks, _)| ticks).collect();
    assert_eq!(found, [100, 120, 130, 140, 150, 160]);
}

proptest! {
    #[test]
    fn any_chunks(chunks in loop_of_chunks()) {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("0.trace");
        let mut part = PartWriter::with_block_size(&path, &common::meta(), 0, 4096).unwrap();
        let mut written = Vec::new();
        for (now, chunk) in chunks {
            part.event(0, now, &Event::Chunk(chunk)).unwrap();
            written.push((now, format!("{:?}", Event::Chunk(chunk))));
        }
        part.finish(0).unwrap();
        let found: Vec<_> = read(&path).into_iter().map(|(_, _, ticks, event)| (ticks, event)).collect();
        prop_assert_eq!(found, written);
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
        let mut written: [Vec<_>; 3] = Default::default();
        for (lane, pause, event) in &events {
            now += pause;
            part.event(*lane, now, event).unwrap();
            written[*lane as usize].push((now, format!("{event:?}")));
        }
        part.finish(now).unwrap();
        let mut found: [Vec<_>; 3] = Default::default();
        for (lane, _, ticks, event) in read(&path) {
            found[lane as usize].push((ticks, event));
        }
        prop_assert_eq!(&found, &written);
        // The same, merged: in the order of time.
        let trace = Trace::open(&path).unwrap();
        let (mut last, mut merged): (u64, [Vec<_>; 3]) = Default::default();
        trace.parts[0].merged(|at, event| {
            assert!(at.ticks >= last);
            last = at.ticks;
            merged[at.lane as usize].push((at.ticks, format!("{event:?}")));
        }).unwrap();
        prop_assert_eq!(&merged, &written);
    }
}

/// A lane says it once for many blocks; another thread's processor is not known until it is told.
#[test]
fn threads_are_followed_to_their_processors() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("0.trace");
    let mut part = PartWriter::with_block_size(&path, &common::meta(), 0, 4096).unwrap();
    let begin = |thread| Event::ThreadBegin { thread, os_thread: 7, kind: 2 };
    let chunk = |lower| Event::Chunk(Chunk { lower, iterations: 1, create_duration: 0, last: false });
    part.event(0, 1, &begin(0)).unwrap();
    part.event(0, 2, &chunk(0)).unwrap();
    part.event(0, 3, &Event::OnCpu { cpu: 5 }).unwrap();
    (1..2000).for_each(|lower| part.event(0, 3 + lower, &chunk(lower)).unwrap());
    part.event(1, 2000, &begin(1)).unwrap();
    part.event(1, 2000, &Event::OnCpu { cpu: 0 }).unwrap();
    part.event(1, 2001, &chunk(2000)).unwrap();
    part.event(0, 3000, &Event::ThreadEnd { thread: 0 }).unwrap();
    part.event(0, 3001, &begin(2)).unwrap();
    part.event(0, 3002, &chunk(2001)).unwrap();
    part.finish(4000).unwrap();
    let part = &Trace::open(&path).unwrap().parts[0];
    assert!(part.block_count() > 3);
    let expected = |lower| (1..=2000).contains(&lower).then_some(if lower == 2000 { 0 } else { 5 });
    let mut chunks = 0;
    let mut see = |at: At, event: &Event<'_>| {
        if let Event::Chunk(chunk) = event {
            chunks += 1;
            assert_eq!(at.cpu, expected(chunk.lower), "{}", chunk.lower);
        }
    };
    part.for_each(&mut see).unwrap();
    part.merged(&mut see).unwrap();
    assert_eq!(chunks, 2 * 2002);
}
