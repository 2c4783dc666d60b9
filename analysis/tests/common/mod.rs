//! Traces made by hand: one tick is one microsecond, so that sums can be done in the head.
#![allow(dead_code, reason = "each test file uses a part of it")]

use std::path::{Path, PathBuf};

use ompchunk_analysis::{Analysis, Report, analyse};
use ompchunk_trace_format::{
    Aggregate, Chunk, ClockMeta, Event, Group, Histogram, LoopBegin, LoopDefinition, Lost, Meta,
    Mode, PartWriter, Sum, SumOf, Sync, Trace,
};

pub const BARRIER: u32 = 8;

/// A part that is being written.
pub struct Maker {
    pub part: PartWriter,
    pub path: PathBuf,
}

pub fn meta(rank: Option<u64>) -> Meta {
    Meta {
        recorder: "by hand".into(),
        command: vec!["./app".into()],
        host: "node".into(),
        pid: 7,
        rank,
        clock: ClockMeta {
            source: "tsc".into(),
            hertz: 1e6,
            read: 1.0,
            ..ClockMeta::default()
        },
        mode: Mode {
            sample: 1,
            bookkeeping: true,
            ..Mode::default()
        },
        ..Meta::default()
    }
}

pub fn definition<'a>(the_loop: u32, line: u32, function: &'a str) -> LoopDefinition<'a> {
    LoopDefinition {
        the_loop,
        instrumented: true,
        construct: 1,
        bits: 32,
        variable_bits: 32,
        fixed: 0,
        bound: 0,
        flags: 0b11111,
        schedule: 33,
        chunk: 2,
        start: 100,
        step: 10,
        line,
        column: 3,
        code: u64::from(the_loop) + 0x1000,
        function: function.as_bytes(),
        file: b"src/a.c",
        group: Group::default(),
    }
}

/// Chunks of one thread: duration of each and the bookkeeping before it.
pub type Chunks<'a> = &'a [(u64, u64)];

impl Maker {
    pub fn new(directory: &Path, name: &str, meta: &Meta) -> Maker {
        let path = directory.join(format!("{name}.trace"));
        let part = PartWriter::with_block_size(&path, meta, 0, 4096).unwrap();
        Maker { part, path }
    }

    pub fn put(&mut self, lane: u32, ticks: u64, event: &Event<'_>) -> &mut Maker {
        self.part.event(lane, ticks, event).unwrap();
        self
    }

    /// Threads 0 to n-1, each in its lane, with the definitions of loops.
    pub fn threads(&mut self, n: u32, loops: &[LoopDefinition<'_>]) {
        for thread in 0..n {
            let begin = Event::ThreadBegin {
                thread,
                os_thread: thread,
                kind: 1,
            };
            self.put(thread, 1, &begin);
            for definition in loops {
                self.put(thread, 1, &Event::Loop(*definition));
            }
        }
    }

    pub fn task(&mut self, lane: u32, ticks: u64, parallel: u64, team_size: u32) {
        let begin = Event::ImplicitTaskBegin {
            parallel,
            index: lane,
            team_size,
            flags: 2,
        };
        self.put(lane, ticks, &begin);
    }

    pub fn begin(&mut self, lane: u32, ticks: u64, the_loop: u32, count: u64) {
        let begin = LoopBegin {
            the_loop,
            work: 10,
            count,
            start: Some(100),
            step: Some(10),
        };
        self.put(lane, ticks, &Event::LoopBegin(begin));
    }

    pub fn chunk(&mut self, lane: u32, ticks: u64, lower: u64, iterations: u64, bookkeeping: u64) {
        let chunk = Chunk {
            lower,
            iterations,
            create_duration: bookkeeping,
            last: false,
        };
        self.put(lane, ticks, &Event::Chunk(chunk));
    }

    /// One execution in a region of its own, from `at` on; each thread's chunks follow each other, chunks of
    /// two iterations dealt in turn; all leave the barrier when the last one has come. Gives that time.
    pub fn execute(&mut self, at: u64, region: u64, the_loop: u32, team: &[Chunks<'_>]) -> u64 {
        let n = team.len() as u64;
        let count = team.iter().map(|team| team.len() as u64 * 2).sum();
        let mut ends = Vec::new();
        for (lane, chunks) in (0..).zip(team) {
            self.task(lane, at, region, n as u32);
            self.begin(lane, at, the_loop, count);
            let mut now = at;
            for (number, (duration, bookkeeping)) in (0..).zip(*chunks) {
                let lower = (number * n + u64::from(lane)) * 2;
                self.chunk(lane, now, lower, 2, *bookkeeping);
                now += duration;
            }
            self.put(lane, now, &Event::LoopEnd { the_loop });
            ends.push(now);
        }
        let last = ends.iter().copied().max().unwrap_or(at);
        let barrier = Sync {
            kind: BARRIER,
            code: 0,
        };
        for (lane, end) in (0..).zip(ends) {
            self.put(lane, end, &Event::SyncBegin(barrier));
            self.put(lane, last, &Event::SyncEnd(barrier));
            self.put(lane, last, &Event::ImplicitTaskEnd { parallel: region });
        }
        last
    }

    pub fn aggregate(&mut self, lane: u32, ticks: u64, it: (u64, u64, u64), counts: &[u64]) {
        let (executions, chunks, sum) = it;
        let bytes: Vec<u8> = counts
            .iter()
            .flat_map(|count| count.to_le_bytes())
            .collect();
        let aggregate = Aggregate {
            the_loop: 0,
            thread: lane,
            executions,
            chunks,
            iterations: chunks * 2,
            sum,
            min: 1,
            max: 15,
            create_duration: 0,
            histogram: Histogram::from(&bytes[..]),
        };
        self.put(lane, ticks, &Event::Aggregate(aggregate));
    }

    pub fn lost(&mut self, lane: u32, ticks: u64, chunks: u64) {
        let lost = Lost {
            reason: 2,
            the_loop: 0,
            thread: lane,
            chunks,
            iterations: chunks * 2,
            events: 0,
            from: 100,
            to: 200,
        };
        self.put(lane, ticks, &Event::Lost(lost));
    }

    pub fn finish(self, ticks: u64) -> PathBuf {
        self.part.finish(ticks).unwrap();
        self.path
    }

    pub fn abandon(self) -> PathBuf {
        self.part.abandon().unwrap();
        self.path
    }
}

/// What a recording only adds up: so many, of so many ticks in all.
pub fn added_up(what: SumOf, of: u32, the_loop: u32, (count, ticks): (u64, u64)) -> Event<'static> {
    Event::Sum(Sum {
        thread: 0,
        what,
        of,
        code: 77,
        the_loop,
        count,
        sum: ticks,
        min: 1,
        max: ticks,
        from: 0,
        to: 0,
    })
}

/// What the recorder says in the head of chunks that were lost.
pub fn set_lost(path: &Path, chunks: u64) {
    let mut bytes = std::fs::read(path).unwrap();
    let at = ompchunk_trace_format::layout::head::LOST_CHUNKS;
    bytes[at..at + 8].copy_from_slice(&chunks.to_le_bytes());
    std::fs::write(path, bytes).unwrap();
}

/// The report of a directory or part.
pub fn report(path: &Path) -> Report {
    with(path, |analysis| analysis.report.clone())
}

pub fn with<T>(path: &Path, see: impl FnOnce(&Analysis<'_>) -> T) -> T {
    let trace = Trace::open(path).unwrap();
    let parts: Vec<_> = trace.parts.iter().collect();
    see(&analyse(&parts, &|_| {}).unwrap())
}

/// Equal but for rounding.
pub fn near(found: f64, expected: f64) {
    let error = (found - expected).abs();
    assert!(
        error <= expected.abs() * 1e-9 + 1e-12,
        "{found}, not {expected}"
    );
}
