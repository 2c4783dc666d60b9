//! What the tests share: every kind of event, and parts made of them.

use std::path::Path;

use ompchunk_trace_format::layout;
use ompchunk_trace_format::{
    Aggregate, Chunk, ClockMeta, Code, Event, Histogram, LeftOut, LoopBegin, LoopDefinition, Lost, Meta, NOBODY,
    OffCore, PartWriter, Paused, Recorder, SubBlock, Sum, SumOf, Sync, Times, Unwanted,
};

mod tasks;

/// Counts of a histogram, little-endian.
pub const COUNTS: [u8; 24] = [1, 0, 0, 0, 0, 0, 0, 0, 2, 0, 0, 0, 0, 0, 0, 0, 3, 0, 0, 0, 0, 0, 0, 0];

pub fn meta() -> Meta {
    Meta {
        recorder: "synthetic".into(),
        command: vec!["./app".into(), "-n".into()],
        host: "node".into(),
        pid: 42,
        rank: Some(3),
        clock: ClockMeta { source: "tsc".into(), hertz: 2e9, read: 18.0, ..ClockMeta::default() },
        ..Meta::default()
    }
}

/// A chunk without bookkeeping.
pub fn chunk(lower: u64, iterations: u64) -> Event<'static> {
    Event::Chunk(Chunk { lower, iterations, create_duration: 0, last: false })
}

pub fn definition(the_loop: u32) -> Event<'static> {
    Event::Loop(LoopDefinition {
        chunk: 4,
        start: -5,
        step: -2,
        code: 0x7fff_1234,
        file: b"src/f.cpp",
        ..ompchunk_testkit::traces::definition(the_loop, 17, "_Z1fv")
    })
}

/// Every kind, in an order that the check accepts, with the time of each.
pub fn every_kind() -> Vec<(u64, Event<'static>)> {
    kinds(layout::VERSION, true)
}

/// The pieces of `chunk(16, 4)`, the last of the sample's three.
fn sub_blocks() -> [Event<'static>; 3] {
    [(16, 1), (17, 2), (19, 1)].map(|(lower, iterations)| {
        Event::SubBlock(SubBlock { lower, iterations, first: lower == 16, last: lower == 19 })
    })
}

/// What is left out on purpose.
fn steered() -> Vec<Event<'static>> {
    let begin = |of: u64| Event::ParallelBegin { parallel: of, requested: 2, flags: 0, code: 0 };
    vec![
        Event::Omitted { the_loop: 7, why: Unwanted::Loop },
        Event::LeftOut(LeftOut { why: Unwanted::Skipped, the_loop: 7, thread: 2, executions: 1 << 40 }),
        Event::Pause(Paused::ByProgram),
        begin(9),
        Event::Barriers { parallel: 9, count: 3 },
        Event::Resume,
        Event::Pause(Paused::ByTime),
        Event::ParallelEnd { parallel: 9 },
    ]
}

/// The same of an older version, as its first recorder wrote them.
pub fn kinds_of(version: u32) -> Vec<(u64, Event<'static>)> {
    kinds(version, false)
}

const BARRIER: Sync = Sync { kind: 9, code: 0xabcd };

const WIDE: Chunk = Chunk { lower: u64::MAX - 7, iterations: 1 << 33, create_duration: 1 << 25, last: true };

fn kinds(version: u32, profile: bool) -> Vec<(u64, Event<'static>)> {
    let mut events = up_to_the_loop();
    events.extend(loops());
    events.extend(up_to_the_end());
    if version > 1 {
        insert(&mut events, &chunk(0, 4), [chunk(8, 4), chunk(16, 4)]);
    }
    if version > 2 {
        insert(&mut events, &Event::Chunk(WIDE), clock_events());
        let end = events.len() - 2;
        events.splice(end..end, steered().into_iter().chain(sums_and_joints()));
    }
    if profile {
        for event in &mut events {
            if let Event::Loop(definition) = event {
                definition.fixed = 3;
            }
        }
        insert(&mut events, &chunk(16, 4), sub_blocks());
        let end = events.len() - 2;
        events.splice(end..end, tasks::added_up().into_iter().chain(tasks::one_by_one()));
    }
    // Half way there is a pause that the low half of the time cannot tell.
    let time = |at: usize| at as u64 * 100 + if at > 9 { 5 << 32 } else { 0 };
    events.into_iter().enumerate().map(|(at, event)| (1_000_000 + time(at), event)).collect()
}

/// Puts events behind another one.
fn insert(events: &mut Vec<Event<'static>>, before: &Event<'_>, more: impl IntoIterator<Item = Event<'static>>) {
    let before = events.iter().position(|event| event == before);
    let after = before.unwrap() + 1;
    events.splice(after..after, more);
}

fn up_to_the_loop() -> Vec<Event<'static>> {
    vec![
        Event::ThreadBegin { thread: 2, os_thread: 4711, kind: 1 },
        Event::ImplicitTaskBegin { parallel: 0, index: 1, team_size: 1, flags: 1 },
        Event::Code(Code { address: 0x5555_0000_1234, offset: 0x1234, object: b"/usr/bin/app", function: b"main" }),
        Event::ParallelBegin { parallel: 1, requested: 8, flags: 9, code: 0x5555_0000_1234 },
        Event::ImplicitTaskBegin { parallel: 1, index: 0, team_size: 4, flags: 2 },
        Event::WorkBegin { work: 2, count: 1 << 40, code: 5 },
        Event::WorkEnd { work: 2 },
        definition(7),
    ]
}

fn loops() -> Vec<Event<'static>> {
    let begin = LoopBegin { the_loop: 7, work: 10, count: 100, start: Some(-5), step: None };
    vec![
        Event::LoopBegin(begin),
        chunk(0, 4),
        Event::Chunk(Chunk { lower: 8, iterations: 3, create_duration: 77, last: true }),
        Event::Chunk(WIDE),
        Event::LoopEnd { the_loop: 7 },
        Event::LoopBegin(LoopBegin { start: None, ..begin }),
        Event::LoopEnd { the_loop: 7 },
    ]
}

fn up_to_the_end() -> Vec<Event<'static>> {
    vec![
        Event::TaskCreate { task: 9, parent: 8, flags: 0x8000_0004, create_duration: 123, code: 6 },
        Event::TaskSchedule { prior: 8, status: 7, next: 9 },
        Event::SyncBegin(BARRIER),
        Event::WaitBegin(BARRIER),
        Event::WaitEnd(BARRIER),
        Event::SyncEnd(BARRIER),
        Event::ImplicitTaskEnd { parallel: 1 },
        Event::ParallelEnd { parallel: 1 },
        Event::Aggregate(Aggregate {
            the_loop: 7,
            thread: 2,
            executions: 1,
            chunks: 6,
            iterations: 24,
            sum: 30,
            min: 1,
            max: 9,
            create_duration: 4,
            histogram: Histogram::from(&COUNTS[..]),
        }),
        Event::Lost(Lost {
            reason: 2,
            the_loop: 7,
            thread: NOBODY,
            chunks: 5,
            iterations: 20,
            events: 1,
            from: 10,
            to: 20,
        }),
        Event::ImplicitTaskEnd { parallel: 0 },
        Event::ThreadEnd { thread: 2 },
    ]
}

/// What the recorder knows of its own time and of the thread's.
fn clock_events() -> [Event<'static>; 5] {
    [
        Event::Recorder(Recorder { ticks: 1 << 33, preempted: 1 << 32, before: (1 << 24) - 1 }),
        Event::OffCore(OffCore { ticks: 40, since: 90, voluntary: 1, involuntary: 2, core: Some(0) }),
        Event::OffCore(OffCore { ticks: 40, since: 1 << 40, voluntary: 0, involuntary: 0, core: Some(4711) }),
        Event::OffCore(OffCore { ticks: OffCore::UNKNOWN, since: 0, voluntary: 0, involuntary: 0, core: None }),
        Event::Times(Times { the_loop: 7, thread: 2, recorder: 1, preempted: 1 << 40, waiting: 3, either: 4 }),
    ]
}

/// Regions and barriers of which the records hold two events each, and what is added up.
fn sums_and_joints() -> Vec<Event<'static>> {
    let begin = LoopBegin { the_loop: 7, work: 10, count: 100, start: Some(-5), step: Some(-2) };
    vec![
        Event::ParallelBegin { parallel: 2, requested: 8, flags: 9, code: 0x5555_0000_1234 },
        Event::ImplicitTaskBegin { parallel: 2, index: 0, team_size: 4, flags: 2 },
        Event::LoopBegin(begin),
        Event::LoopEnd { the_loop: 7 },
        Event::WorkBegin { work: 2, count: 3, code: 5 },
        Event::WorkEnd { work: 2 },
        Event::SyncBegin(BARRIER),
        Event::WaitBegin(BARRIER),
        Event::WaitEnd(BARRIER),
        Event::SyncEnd(BARRIER),
        Event::ImplicitTaskEnd { parallel: 2 },
        Event::ParallelEnd { parallel: 2 },
        Event::Sum(Sum {
            thread: 2,
            what: SumOf::Wait,
            of: 9,
            code: 0xabcd,
            the_loop: 7,
            count: 5,
            sum: 500,
            min: 10,
            max: 300,
            from: 1_000_100,
            to: 1_000_900,
        }),
    ]
}

/// A part with [`every_kind`] in lane 0.
pub fn sample(path: &Path) -> std::io::Result<()> {
    let mut part = PartWriter::with_block_size(path, &meta(), 1_000_000, 4096)?;
    let events = every_kind();
    for (ticks, event) in &events {
        part.event(0, *ticks, event)?;
    }
    part.finish(events[events.len() - 1].0 + 100)
}
