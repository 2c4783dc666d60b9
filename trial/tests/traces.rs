//! Executions of traces that are made by hand, a tick being a microsecond: only those of which every thread's part is there count.

use std::path::Path;

use ompchunk_schedules::{Pattern, Schedule};
use ompchunk_trace_format::{
    ClockMeta, Event, Group, LoopBegin, LoopDefinition, Meta, PartWriter, Trace,
};
use ompchunk_trial::{Ran, Runs};

fn definition(the_loop: u32, schedule: u32, chunk: i64) -> LoopDefinition<'static> {
    LoopDefinition {
        the_loop,
        instrumented: true,
        construct: 1,
        bits: 32,
        variable_bits: 32,
        fixed: 0,
        bound: 0,
        // Chunked, of a known size.
        flags: 0b111,
        schedule,
        chunk,
        start: 0,
        step: 1,
        line: 5,
        column: 1,
        code: 0x1000,
        function: b"work",
        file: b"src/a.c",
        group: Group::default(),
    }
}

/// Executions of two threads: under loop 1 and 2 in turns, 100 and 60 long; `lost` names one whose second thread has no end.
fn trace(directory: &Path, executions: u64, lost: Option<u64>) {
    let meta = Meta {
        recorder: "by hand".into(),
        clock: ClockMeta {
            source: "tsc".into(),
            hertz: 1e6,
            ..ClockMeta::default()
        },
        ..Meta::default()
    };
    let path = directory.join("pid-1.trace");
    let mut part = PartWriter::with_block_size(&path, &meta, 0, 4096).unwrap();
    for lane in 0..2 {
        let begin = Event::ThreadBegin {
            thread: lane,
            os_thread: lane,
            kind: 1,
        };
        part.event(lane, 1, &begin).unwrap();
        for (number, schedule, chunk) in [(1, 34, 0), (2, 35, 4)] {
            let definition = definition(number, schedule, chunk);
            part.event(lane, 1, &Event::Loop(definition)).unwrap();
        }
    }
    for at in 0..executions {
        let (from, the_loop) = (10 + 1000 * at, 1 + (at % 2) as u32);
        let length = if the_loop == 1 { 100 } else { 60 };
        let parallel = at + 1;
        for lane in 0..2_u32 {
            // The second begins later, and ends last.
            let from = from + 5 * u64::from(lane);
            let mut put = |ticks, event: Event<'_>| part.event(lane, ticks, &event).unwrap();
            put(
                from,
                Event::ImplicitTaskBegin {
                    parallel,
                    index: lane,
                    team_size: 2,
                    flags: 2,
                },
            );
            put(
                from,
                Event::LoopBegin(LoopBegin {
                    the_loop,
                    work: 10,
                    count: 64,
                    start: None,
                    step: None,
                }),
            );
            if !(lane == 1 && lost == Some(at)) {
                put(from + length - 5, Event::LoopEnd { the_loop });
            }
            put(from + 500, Event::ImplicitTaskEnd { parallel });
        }
    }
    part.finish(10 + 1000 * executions).unwrap();
}

fn compared(directory: &Path) -> (Vec<u64>, Vec<u64>) {
    let mut runs = Runs::default();
    for part in &Trace::open(directory).unwrap().parts {
        runs.read(part).unwrap();
    }
    let pattern = Pattern::parse("a.c:5").unwrap();
    let other = Ran::of(Schedule::parse("dynamic,4").unwrap()).unwrap();
    let (source, other) = runs.compared(&pattern, other);
    let micros = |all: Vec<ompchunk_trial::Sample>| -> Vec<u64> {
        assert!(all.iter().all(|sample| sample.iterations == 64));
        all.iter()
            .map(|sample| (sample.seconds * 1e6).round() as u64)
            .collect()
    };
    (micros(source), micros(other))
}

#[test]
fn from_the_first_begin_to_the_last_end() {
    let directory = tempfile::tempdir().unwrap();
    trace(directory.path(), 6, None);
    let expected = (vec![100; 3], vec![60; 3]);
    assert_eq!(compared(directory.path()), expected);
}

#[test]
fn what_misses_an_end_does_not_count() {
    let directory = tempfile::tempdir().unwrap();
    trace(directory.path(), 6, Some(3));
    let expected = (vec![100; 3], vec![60; 2]);
    assert_eq!(compared(directory.path()), expected);
}

/// Very many executions take no more memory than some; the last ones count.
#[test]
fn of_very_many_the_last_are_kept() {
    let directory = tempfile::tempdir().unwrap();
    trace(directory.path(), 120_000, None);
    let (source, other) = compared(directory.path());
    assert!((50_000..=100_000).contains(&(source.len() + other.len())));
    assert!(source.len().abs_diff(other.len()) < 2);
}

/// Loops of a group count together: here one after the other in each region, of which every second one is under another schedule.
#[test]
fn what_a_group_takes_in_a_region() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("pid-1.trace");
    let meta = Meta {
        clock: ClockMeta {
            source: "tsc".into(),
            hertz: 1e6,
            ..ClockMeta::default()
        },
        ..Meta::default()
    };
    let mut part = PartWriter::with_block_size(&path, &meta, 0, 4096).unwrap();
    let mut put = |ticks, event: Event<'_>| part.event(0, ticks, &event).unwrap();
    for (number, line, schedule, chunk) in
        [(1, 5, 34, 0), (2, 7, 34, 0), (3, 5, 33, 8), (4, 7, 33, 8)]
    {
        let loop_definition = LoopDefinition {
            line,
            ..definition(number, schedule, chunk)
        };
        put(1, Event::Loop(loop_definition));
    }
    for region in 0..6_u64 {
        let (from, first) = (1000 * (region + 1), if region % 2 == 0 { 1 } else { 3 });
        // The last one has half of both.
        let second = if region == 5 { 2 } else { first + 1 };
        let parallel = region + 1;
        put(
            from,
            Event::ImplicitTaskBegin {
                parallel,
                index: 0,
                team_size: 1,
                flags: 2,
            },
        );
        for (the_loop, begin, end) in [(first, 0, 100), (second, 150, 200 + u64::from(first))] {
            let begins = LoopBegin {
                the_loop,
                work: 10,
                count: 64,
                start: None,
                step: None,
            };
            put(from + begin, Event::LoopBegin(begins));
            put(from + end, Event::LoopEnd { the_loop });
        }
        put(from + 500, Event::ImplicitTaskEnd { parallel });
    }
    part.finish(9000).unwrap();
    let mut runs = Runs::default();
    for part in &Trace::open(directory.path()).unwrap().parts {
        runs.read(part).unwrap();
    }
    let patterns = ["a.c:5", "a.c:7"].map(|text| Pattern::parse(text).unwrap());
    let other = Ran::of(Schedule::parse("static,8").unwrap()).unwrap();
    let (source, other) = runs.compared_together(&patterns, other);
    let micros = |all: &[ompchunk_trial::Sample]| -> Vec<(u64, u64)> {
        let of = |sample: &ompchunk_trial::Sample| {
            ((sample.seconds * 1e6).round() as u64, sample.iterations)
        };
        all.iter().map(of).collect()
    };
    assert_eq!(micros(&source), [(151, 128); 3]);
    assert_eq!(micros(&other), [(153, 128); 2]);
}
