//! What the tests share: traces of which everything is known, and exports of them as text.

pub mod otf2;
pub mod parquet;
pub mod perfetto;

use std::path::{Path, PathBuf};

use ompchunk_export::{Error, Format, Notice, Options, Selection, Table, export};
use ompchunk_trace_format::{Chunk, ClockMeta, Event, LoopBegin, LoopDefinition, Meta, PartWriter, Sync, Trace};
use serde_json::Value;

/// Two ticks are a nanosecond.
pub const HERTZ: f64 = 2e9;

pub fn meta(pid: u32, rank: Option<u64>) -> Meta {
    Meta {
        command: vec!["./build/app".into(), "a\"<b>".into()],
        host: "node".into(),
        pid,
        rank,
        started: 1_700_000_000_000_000_000,
        clock: ClockMeta { source: "tsc".into(), hertz: HERTZ, read: 18.0, ..ClockMeta::default() },
        ..Meta::default()
    }
}

/// A loop of `int i`, or of a 64-bit unsigned variable.
pub fn definition(the_loop: u32, bits: u8, file: &'static str) -> LoopDefinition<'static> {
    LoopDefinition {
        the_loop,
        instrumented: true,
        construct: 1,
        bits,
        variable_bits: bits,
        // Chunked, chunk known, start and step known; signed if narrow.
        flags: if bits == 32 { 0b11111 } else { 0b11110 },
        schedule: 33,
        chunk: 4,
        step: 1,
        line: 17,
        column: 3,
        code: 0x40_1000,
        function: b"work",
        file: file.as_bytes(),
        ..LoopDefinition::default()
    }
}

pub fn begin(the_loop: u32, start: i64, step: i64) -> Event<'static> {
    Event::LoopBegin(LoopBegin { the_loop, work: 10, count: 16, start: Some(start), step: Some(step) })
}

pub fn end(the_loop: u32) -> Event<'static> {
    Event::LoopEnd { the_loop }
}

pub fn chunk(lower: u64, iterations: u64, create_duration: u64) -> Event<'static> {
    Event::Chunk(Chunk { lower, iterations, create_duration, last: false })
}

pub fn thread_begin(thread: u32) -> Event<'static> {
    Event::ThreadBegin { thread, os_thread: 5000 + thread, kind: if thread == 0 { 1 } else { 2 } }
}

pub fn parallel(id: u64) -> Event<'static> {
    Event::ParallelBegin { parallel: id, requested: 2, flags: 1, code: 0x40_2000 }
}

pub fn task(parallel: u64, index: u32, team_size: u32) -> Event<'static> {
    Event::ImplicitTaskBegin { parallel, index, team_size, flags: if parallel == 0 { 1 } else { 2 } }
}

pub fn task_end(parallel: u64) -> Event<'static> {
    Event::ImplicitTaskEnd { parallel }
}

/// The implicit barrier of a worksharing construct.
pub const BARRIER: Sync = Sync { kind: 8, code: 0 };

/// Appends events of one lane, each with its time.
pub fn write(part: &mut PartWriter, lane: u32, events: &[(u64, Event<'_>)]) {
    for (ticks, event) in events {
        part.event(lane, 1_000 + ticks, event).expect("written");
    }
}

/// A part that begins at tick 1000, as in `write`.
pub fn part(path: &Path, meta: &Meta) -> PartWriter {
    PartWriter::with_block_size(path, meta, 1_000, 4096).expect("created")
}

/// A new recording `app.ompchunk` of one process.
pub fn one_process(directory: &Path) -> (PathBuf, PartWriter) {
    let trace = directory.join("app.ompchunk");
    std::fs::create_dir(&trace).expect("created");
    let part = part(&trace.join("pid-1.trace"), &meta(1, None));
    (trace, part)
}

/// Two threads, a loop of five chunks from -8 by 2, a barrier, then a second loop where thread 0 has a nested region in its chunk.
pub fn two_threads(directory: &Path) -> PathBuf {
    let to = directory.join("app.ompchunk");
    std::fs::create_dir_all(&to).expect("created");
    let mut part = part(&to.join("pid-42.trace"), &meta(42, None));
    let one = Event::Loop(definition(1, 32, "src/a \"b\", <c>&.c"));
    let two = Event::Loop(definition(2, 64, "src/d.c"));
    let first = [
        (0, thread_begin(0)),
        (0, task(0, 1, 1)),
        (0, one.clone()),
        (0, two.clone()),
        (100, parallel(1)),
        (110, task(1, 0, 2)),
        (120, begin(1, -8, 2)),
        (130, chunk(0, 4, 10)),
        (230, chunk(8, 4, 20)),
        (290, chunk(16, 2, 30)),
        (330, end(1)),
        (330, Event::SyncBegin(BARRIER)),
        (331, Event::WaitBegin(BARRIER)),
        (397, Event::WaitEnd(BARRIER)),
        (400, Event::SyncEnd(BARRIER)),
        (410, begin(2, -1, -1)),
        (420, chunk(0, 1 << 40, 0)),
        (430, parallel(2)),
        (440, task(2, 0, 1)),
        (450, begin(1, 0, 1)),
        (460, chunk(0, 16, 6)),
        (480, end(1)),
        (490, task_end(2)),
        (500, Event::ParallelEnd { parallel: 2 }),
        (520, end(2)),
        (600, task_end(1)),
        (600, Event::ParallelEnd { parallel: 1 }),
        (700, task_end(0)),
        (700, Event::ThreadEnd { thread: 0 }),
    ];
    let second = [
        (105, thread_begin(1)),
        (115, one),
        (115, two),
        (115, task(1, 1, 2)),
        (125, begin(1, -8, 2)),
        (135, chunk(4, 4, 10)),
        (335, chunk(12, 4, 50)),
        (395, end(1)),
        (396, Event::SyncBegin(BARRIER)),
        (400, Event::SyncEnd(BARRIER)),
        (405, begin(2, -1, -1)),
        (415, chunk(u64::MAX - 7, 8, 0)),
        (455, end(2)),
        (600, task_end(1)),
        (650, Event::ThreadEnd { thread: 1 }),
    ];
    write(&mut part, 0, &first);
    write(&mut part, 1, &second);
    part.finish(1_700).expect("finished");
    to
}

/// The same with one thread, which takes ten ticks for each chunk, and without the last chunk of the first loop.
pub fn one_thread(directory: &Path) -> PathBuf {
    let to = directory.join("reference.ompchunk");
    std::fs::create_dir_all(&to).expect("created");
    let mut part = part(&to.join("pid-7.trace"), &meta(7, None));
    let events = [
        (0, thread_begin(0)),
        (0, task(0, 1, 1)),
        // Numbers are the run's own.
        (0, Event::Loop(definition(5, 32, "src/a \"b\", <c>&.c"))),
        (0, Event::Loop(definition(4, 64, "src/d.c"))),
        (100, parallel(8)),
        (110, task(8, 0, 1)),
        (120, begin(5, -8, 2)),
        (130, chunk(0, 4, 0)),
        (140, chunk(4, 4, 0)),
        (150, chunk(8, 4, 0)),
        (160, chunk(12, 4, 0)),
        (170, end(5)),
        (180, begin(4, -1, -1)),
        (190, chunk(0, 1 << 40, 0)),
        (195, parallel(9)),
        (196, task(9, 0, 1)),
        (197, begin(5, 0, 1)),
        (200, chunk(0, 16, 0)),
        (210, end(5)),
        (211, task_end(9)),
        (215, Event::ParallelEnd { parallel: 9 }),
        (220, chunk(u64::MAX - 7, 8, 0)),
        (230, end(4)),
        (240, task_end(8)),
        (240, Event::ParallelEnd { parallel: 8 }),
        (250, task_end(0)),
        (250, Event::ThreadEnd { thread: 0 }),
    ];
    write(&mut part, 0, &events);
    part.finish(1_300).expect("finished");
    to
}

pub fn exported(trace: &Path, format: Format, options: &Options) -> (Vec<u8>, Vec<Notice>) {
    let directory = tempfile::tempdir().expect("a directory");
    let to = directory.path().join("output");
    let trace = Trace::open(trace).expect("a trace");
    let notices = export(&trace, format, &to, options).expect("exported");
    (std::fs::read(to).expect("written"), notices)
}

/// An export as text, without notices.
pub fn text(trace: &Path, format: Format) -> String {
    let (bytes, notices) = exported(trace, format, &Options::default());
    assert_eq!(notices, []);
    String::from_utf8(bytes).expect("UTF-8")
}

pub fn json_rows(trace: &Path, table: Table, options: &Options) -> Vec<Value> {
    let (bytes, notices) = exported(trace, Format::Json(table), options);
    assert_eq!(notices, []);
    let text = String::from_utf8(bytes).expect("UTF-8");
    text.lines().map(|row| serde_json::from_str(row).expect("JSON")).collect()
}

/// Exports into a file or directory; gives the notices.
pub fn written(format: Format, trace: &Path, to: &Path) -> Vec<Notice> {
    export(&Trace::open(trace).expect("a trace"), format, to, &Options::default()).expect("exported")
}

/// Perfetto's own schema, as far as used.
pub fn perfetto_schema() -> prost_reflect::DescriptorPool {
    let tests = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests");
    let files = protox::compile(["perfetto_trace.proto"], [tests]).expect("a schema");
    prost_reflect::DescriptorPool::from_file_descriptor_set(files).expect("a schema")
}

pub fn selected(trace: &Path, file: &str) -> Selection {
    let mut selection = Selection::default();
    for part in &Trace::open(trace).expect("a trace").parts {
        part.for_each(|_, event| match event {
            Event::Loop(definition) if definition.file == file.as_bytes() => {
                selection.entry(part.path().to_owned()).or_default().insert(definition.the_loop);
            }
            _ => {}
        })
        .expect("read");
    }
    selection
}

pub fn refused(trace: &Path, format: Format) -> bool {
    let trace = Trace::open(trace).expect("a trace");
    let to = Path::new("/nowhere/at/all");
    let found = export(&trace, format, to, &Options::default());
    matches!(found, Err(Error::NoChunks))
}

/// An explicit task is created that is told one by one.
pub fn task_create(task: u64, parent: u64, flags: u32, code: u64) -> Event<'static> {
    Event::TaskCreate { task, parent, flags, create_duration: 0, code }
}

/// A thread leaves a task and goes on with another one.
pub fn task_switch(prior: u64, status: u32, next: u64) -> Event<'static> {
    Event::TaskSchedule { prior, status, next }
}

/// `ompt_sync_region_taskwait`
pub const TASKWAIT: Sync = Sync { kind: 5, code: 0 };
