//! Traces made by hand: one tick is one microsecond, so that sums can be done in the head.

use std::path::{Path, PathBuf};

use ompchunk_trace_format::stacks::{Module, Sample, StackMeta, StackWriter, path_beside};
use ompchunk_trace_format::tasks::{DEPTHS, SIZES};
use ompchunk_trace_format::{
    Aggregate, Chunk, ClockMeta, Event, Histogram, LoopBegin, LoopDefinition, Lost, Meta, Mode, NOBODY, OffCore,
    PartWriter, Recorder, Sum, SumOf, Sync, TaskRegion, Tasks,
};

pub const BARRIER: u32 = 8;

pub const END: Sync = Sync { kind: BARRIER, code: 0 };

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
        clock: ClockMeta { source: "tsc".into(), hertz: 1e6, read: 1.0, ..ClockMeta::default() },
        mode: Mode { sample: 1, bookkeeping: true, ..Mode::default() },
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
        ..LoopDefinition::default()
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
            self.thread(thread, 1, 1);
            for definition in loops {
                self.put(thread, 1, &Event::Loop(*definition));
            }
        }
    }

    /// One in the lane of its number; `kind` is an `ompt_thread_t`.
    pub fn thread(&mut self, thread: u32, ticks: u64, kind: u32) {
        let begin = Event::ThreadBegin { thread, os_thread: thread, kind };
        self.put(thread, ticks, &begin);
    }

    pub fn initial_task(&mut self, lane: u32, ticks: u64) {
        let begin = Event::ImplicitTaskBegin { parallel: 0, index: 1, team_size: 1, flags: 1 };
        self.put(lane, ticks, &begin);
    }

    /// Begins a region, by a call at `code`.
    pub fn region(&mut self, lane: u32, ticks: u64, parallel: u64, code: u64) {
        let begin = Event::ParallelBegin { parallel, requested: 2, flags: 0, code };
        self.put(lane, ticks, &begin);
    }

    pub fn task(&mut self, lane: u32, ticks: u64, parallel: u64, team_size: u32) {
        let begin = Event::ImplicitTaskBegin { parallel, index: lane, team_size, flags: 2 };
        self.put(lane, ticks, &begin);
    }

    pub fn begin(&mut self, lane: u32, ticks: u64, the_loop: u32, count: u64) {
        let begin = LoopBegin { the_loop, work: 10, count, start: Some(100), step: Some(10) };
        self.put(lane, ticks, &Event::LoopBegin(begin));
    }

    /// What thread 0 created and ran of one construct, in all and from the shortest to the longest; nothing else is known of them.
    pub fn tasks(&mut self, ticks: u64, code: u64, count: u64, work: u64, [min, max]: [u64; 2]) {
        const ZEROS: &[u8] = &[0; 8 * SIZES];
        let none = |buckets: usize| Histogram::from(&ZEROS[..8 * buckets]);
        let tasks = Tasks {
            flags: 4,
            code,
            created: count,
            begun: count,
            ended: count,
            work,
            min,
            max,
            deepest: 1,
            sizes: none(SIZES),
            depths: none(DEPTHS),
            depth_work: none(DEPTHS),
            ..Tasks::default()
        };
        self.put(0, ticks, &Event::Tasks(tasks));
    }

    /// An execution of a region that thread 0 began, of 1000 ticks.
    pub fn task_region(&mut self, ticks: u64, code: u64, team_size: u32, work: u64, span: u64) {
        let region =
            TaskRegion { thread: 0, team_size, code, executions: 1, unknown: 0, work, waited: 0, span, elapsed: 1000 };
        self.put(0, ticks, &Event::TaskRegion(region));
    }

    pub fn chunk(&mut self, lane: u32, ticks: u64, lower: u64, iterations: u64, bookkeeping: u64) {
        let chunk = Chunk { lower, iterations, create_duration: bookkeeping, last: false };
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
        for (lane, end) in (0..).zip(ends) {
            self.leave(lane, (end, last), region);
        }
        last
    }

    /// A thread's part of an execution of loop 0, of four iterations: two of them, in one chunk, from when to when.
    pub fn run(&mut self, lane: u32, lower: u64, (from, to): (u64, u64)) {
        self.begin(lane, from, 0, 4);
        self.chunk(lane, from, lower, 2, 0);
        self.put(lane, to, &Event::LoopEnd { the_loop: 0 });
    }

    /// The first lane tells what was only [added up](added_up).
    pub fn add(&mut self, ticks: u64, what: SumOf, of: u32, the_loop: u32, sum: (u64, u64)) {
        self.put(0, ticks, &added_up(what, of, the_loop, sum));
    }

    /// A thread waits, from when to when; `kind` is an `ompt_sync_region_t`.
    pub fn wait(&mut self, lane: u32, kind: u32, (from, to): (u64, u64)) {
        let sync = Sync { kind, code: 77 };
        self.put(lane, from, &Event::WaitBegin(sync));
        self.put(lane, to, &Event::WaitEnd(sync));
    }

    /// A thread waits in the barrier at a region's end, from when to when, and leaves the region.
    pub fn leave(&mut self, lane: u32, (arrives, released): (u64, u64), parallel: u64) {
        self.put(lane, arrives, &Event::SyncBegin(END));
        self.put(lane, released, &Event::SyncEnd(END));
        self.put(lane, released, &Event::ImplicitTaskEnd { parallel });
    }

    pub fn aggregate(&mut self, lane: u32, ticks: u64, (executions, chunks, sum): (u64, u64, u64), counts: &[u64]) {
        let bytes: Vec<u8> = counts.iter().flat_map(|count| count.to_le_bytes()).collect();
        let aggregate = Aggregate {
            thread: lane,
            executions,
            chunks,
            iterations: chunks * 2,
            sum,
            min: 1,
            max: 15,
            histogram: Histogram::from(&bytes[..]),
            ..Aggregate::default()
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
    Event::Sum(Sum { thread: 0, what, of, code: 77, the_loop, count, sum: ticks, min: 1, max: ticks, from: 0, to: 0 })
}

/// The thread was not on a core for so long, of the time since it was looked at; its core was taken from it.
pub fn taken(ticks: u64, since: u64) -> Event<'static> {
    off_core(ticks, since, (0, 1))
}

/// How often it gave its core up, and how often it was taken.
pub fn off_core(ticks: u64, since: u64, (voluntary, involuntary): (u32, u32)) -> Event<'static> {
    Event::OffCore(OffCore { ticks, since, voluntary, involuntary, core: Some(3) })
}

/// The recorder's own work, so much of it off a core.
pub fn recorder(ticks: u64, preempted: u64) -> Event<'static> {
    Event::Recorder(Recorder { ticks, preempted, before: 0 })
}

/// What the recorder says in the head of chunks that were lost.
pub fn set_lost(path: &Path, chunks: u64) {
    let mut bytes = std::fs::read(path).unwrap();
    let at = ompchunk_trace_format::layout::head::LOST_CHUNKS;
    bytes[at..at + 8].copy_from_slice(&chunks.to_le_bytes());
    std::fs::write(path, bytes).unwrap();
}

/// A file of stacks beside a part, `module` first: thread, time, CPU time, state and frames of each sample.
pub fn stacks<'s>(
    part: &Path,
    modules: &[Module],
    samples: impl IntoIterator<Item = (u32, u64, u64, u32, &'s [u64])>,
) -> StackWriter {
    let mut writer = StackWriter::create(&path_beside(part), &StackMeta::default()).unwrap();
    for module in modules {
        writer.module(module).unwrap();
    }
    for (thread, time, cpu_ns, state, frames) in samples {
        let sample = Sample { thread, time, cpu_ns, state, wait_id: 0, region: 0, the_loop: NOBODY, frames, cut: None };
        writer.sample(&sample).unwrap();
    }
    writer
}
