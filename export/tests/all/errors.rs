//! What is wrong is said once, with the next step; what is missing is said beside the output.

use std::path::Path;

use ompchunk_export::{Error, Format, Notice, Options, Ranks, Table, export};
use ompchunk_trace_format::{Aggregate, Event, Histogram, LoopDefinition, Lost, Meta, Mode, PartWriter, Trace};

use crate::common;

const ALL: [Format; 9] = [
    Format::Perfetto,
    Format::Chrome,
    Format::GraphMl,
    Format::GraphMlSummary,
    Format::TaskStats,
    Format::Csv(Table::Chunks),
    Format::Json(Table::Chunks),
    Format::Csv(Table::Loops),
    Format::Json(Table::Loops),
];

fn failure(trace: &Path, to: &Path, format: Format, options: &Options) -> Error {
    let trace = Trace::open(trace).expect("a trace");
    export(&trace, format, to, options).expect_err("nothing to export")
}

#[test]
fn an_output_that_cannot_be_written() {
    let directory = tempfile::tempdir().expect("a directory");
    let trace = common::two_threads(directory.path());
    for format in ALL {
        for (to, why) in [("/dev/full", "No space left on device"), ("/proc/nothing/here", "No such file or directory")]
        {
            let error = failure(&trace, to.as_ref(), format, &Options::default());
            let text = error.to_string();
            assert!(text.starts_with(&format!("cannot write {to}: {why}")), "{text}");
            assert!(error.next().contains("permissions"));
        }
    }
}

#[test]
fn a_part_is_not_overwritten() {
    let directory = tempfile::tempdir().expect("a directory");
    let trace = common::two_threads(directory.path());
    let part = trace.join("pid-42.trace");
    let before = std::fs::read(&part).expect("read");
    let error = failure(&trace, &trace.join("./pid-42.trace"), Format::Csv(Table::Chunks), &Options::default());
    assert!(matches!(error, Error::WouldOverwriteTrace { .. }), "{error}");
    assert_eq!(std::fs::read(&part).expect("read"), before);
}

#[test]
fn what_was_written_before_is_overwritten() {
    let directory = tempfile::tempdir().expect("a directory");
    let trace = Trace::open(&common::two_threads(directory.path())).expect("a trace");
    let to = directory.path().join("output");
    std::fs::write(&to, vec![b'x'; 1 << 20]).expect("written");
    export(&trace, Format::Csv(Table::Loops), &to, &Options::default()).expect("exported");
    assert!(std::fs::read_to_string(&to).expect("text").starts_with("part,rank,"));
}

#[test]
fn loops_and_ranks_that_there_are_not() {
    let directory = tempfile::tempdir().expect("a directory");
    let trace = common::two_threads(directory.path());
    let to = directory.path().join("output");
    let options = Options { loops: Some(common::selected(&trace, "nowhere.c")), ..Options::default() };
    for format in ALL {
        let error = failure(&trace, &to, format, &options);
        assert!(matches!(&error, Error::NoSuchLoop), "{error}");
        assert!(!to.exists(), "nothing is created");
    }
    let options = Options { ranks: Ranks(vec![3..=3, 7..=9]), ..Options::default() };
    for format in ALL {
        let error = failure(&trace, &to, format, &options);
        assert!(matches!(error, Error::NoSuchRank), "{error}");
    }
    assert!(options.ranks.have(Some(3)) && options.ranks.have(Some(9)));
    assert!(!options.ranks.have(Some(4)) && !options.ranks.have(None));
    assert!(Ranks::default().have(None));
}

/// A head without rows looks like a run without work.
#[test]
fn nothing_is_not_exported() {
    let directory = tempfile::tempdir().expect("a directory");
    let path = directory.path().join("pid-7.trace");
    let to = directory.path().join("output");
    let write = |events: &[(u64, Event<'_>)]| {
        let mut part = common::part(&path, &common::meta(7, None));
        common::write(&mut part, 0, events);
        part.finish(1_100).expect("finished");
    };
    write(&[(0, common::thread_begin(0))]);
    for format in [Format::Csv(Table::Loops), Format::Json(Table::Loops)] {
        let error = failure(&path, &to, format, &Options::default());
        assert!(matches!(error, Error::NoLoops), "{error}");
    }
    std::fs::remove_file(&path).expect("removed");
    write(&[
        (0, common::thread_begin(0)),
        (0, Event::Loop(common::definition(1, 32, "a.c"))),
        (0, Event::Loop(common::definition(2, 32, "b.c"))),
        (10, common::begin(1, 0, 1)),
        (20, common::end(1)),
        (21, common::begin(2, 0, 1)),
        (22, common::chunk(0, 4, 0)),
        (30, common::end(2)),
    ]);
    let options = Options { loops: Some(common::selected(&path, "a.c")), ..Options::default() };
    for format in [Format::GraphMl, Format::TaskStats, Format::Csv(Table::Chunks), Format::Json(Table::Chunks)] {
        let error = failure(&path, &to, format, &options);
        assert!(matches!(error, Error::NoChunks), "{error}");
        assert!(!to.exists(), "nothing is created");
        common::exported(&path, format, &Options::default());
    }
}

/// Before it is written, with the size and what to do.
#[test]
fn a_graph_that_nothing_opens() {
    let directory = tempfile::tempdir().expect("a directory");
    let path = directory.path().join("pid-7.trace");
    let to = directory.path().join("output");
    let mut part = PartWriter::create(&path, &common::meta(7, None), 1_000).expect("created");
    let mut event = |ticks: u64, event: Event<'_>| part.event(0, ticks, &event).expect("written");
    event(1_000, common::thread_begin(0));
    event(1_000, Event::Loop(common::definition(1, 32, "a.c")));
    event(1_000, Event::Loop(common::definition(2, 32, "b.c")));
    event(1_001, common::begin(1, 0, 1));
    for number in 0..1_000_001 {
        event(1_002 + number, common::chunk(number, 1, 0));
    }
    event(2_000_000, common::end(1));
    event(2_000_001, common::begin(2, 0, 1));
    event(2_000_002, common::chunk(0, 1, 0));
    event(2_000_003, common::end(2));
    part.finish(2_000_003).expect("finished");
    let error = failure(&path, &to, Format::GraphMl, &Options::default());
    assert!(matches!(error, Error::TooLarge { nodes: 1_000_002, .. }), "{error}");
    let text = error.to_string();
    assert!(text.contains("in about 1.1 GB"), "{text}");
    assert!(error.next().contains("graphml-summary "), "{}", error.next());
    assert!(!to.exists(), "nothing is created");
    // A summary is small.
    common::exported(&path, Format::GraphMlSummary, &Options::default());
    // What is selected counts.
    let options = Options { loops: Some(common::selected(&path, "b.c")), ..Options::default() };
    common::exported(&path, Format::GraphMl, &options);
    // The size that is said is that which a graph has.
    let some = common::two_threads(directory.path());
    let (graph, _) = common::exported(&some, Format::GraphMl, &Options::default());
    let nodes = String::from_utf8(graph.clone()).expect("UTF-8").matches("<node ").count();
    let each = graph.len() as f64 / nodes as f64;
    assert!((700.0..1_400.0).contains(&each), "{each}");
}

#[test]
fn filters_leave_out_the_others() {
    let directory = tempfile::tempdir().expect("a directory");
    let trace = common::two_threads(directory.path());
    let options = Options { loops: Some(common::selected(&trace, "src/d.c")), ..Options::default() };
    for (format, chunk, expected) in [
        (Format::Csv(Table::Chunks), ",src/d.c,", 2),
        (Format::Json(Table::Chunks), "\"src/d.c\"", 2),
        (Format::Chrome, "\"cat\":\"chunk\"", 2),
        (Format::GraphMl, ">chunk<", 2),
        (Format::TaskStats, ",chunk_task,", 2),
        (Format::Csv(Table::Loops), ",src/d.c,", 1),
    ] {
        let (bytes, notices) = common::exported(&trace, format, &options);
        let text = String::from_utf8(bytes).expect("UTF-8");
        assert_eq!(text.matches(chunk).count(), expected, "{format:?}");
        assert!(!text.contains("&.c") && !text.contains("&amp;.c"), "{format:?}");
        assert_eq!(notices, []);
    }
}

/// One thread, one loop: sums, something lost, and chunks of a loop that the plugin did not see.
fn incomplete(directory: &Path, aggregate: bool) {
    let meta = Meta { mode: Mode { aggregate, ..Mode::default() }, ..common::meta(5, None) };
    let mut part = common::part(&directory.join("pid-5.trace"), &meta);
    let counts = [0_u8; 8];
    let aggregated = Aggregate {
        the_loop: 1,
        thread: 0,
        executions: 2,
        chunks: 10,
        iterations: 40,
        sum: 400,
        min: 20,
        max: 60,
        create_duration: 30,
        histogram: Histogram::from(&counts[..]),
    };
    let lost = Lost { reason: 2, the_loop: 1, thread: 0, chunks: 3, iterations: 12, events: 0, from: 1_010, to: 1_020 };
    let plain =
        LoopDefinition { instrumented: false, line: 0, file: b"", function: b"", ..common::definition(2, 32, "") };
    let mut events = vec![
        (0, common::thread_begin(0)),
        (0, common::task(0, 0, 1)),
        (0, Event::Loop(common::definition(1, 32, "a.c"))),
        (30, Event::Aggregate(aggregated)),
        (30, Event::Lost(lost)),
    ];
    if !aggregate {
        events.extend([
            (40, Event::Loop(plain)),
            (41, common::begin(2, 0, 1)),
            (42, common::chunk(0, 100, 0)),
            (52, common::end(2)),
            (53, common::chunk(0, 1, 0)),
        ]);
    }
    events.push((60, common::task_end(0)));
    common::write(&mut part, 0, &events);
    part.finish(1_100).expect("finished");
}

#[test]
fn of_sums_alone_only_the_table_of_loops_can_be_made() {
    let directory = tempfile::tempdir().expect("a directory");
    incomplete(directory.path(), true);
    let to = directory.path().join("output");
    for format in [Format::GraphMl, Format::TaskStats, Format::Csv(Table::Chunks), Format::Json(Table::Chunks)] {
        let error = failure(directory.path(), &to, format, &Options::default());
        assert!(error.to_string().contains("recorded with --aggregate"), "{error}");
        assert!(error.next().contains("--table loops"));
        assert!(!to.exists(), "nothing is created");
    }
    let (bytes, notices) = common::exported(directory.path(), Format::Csv(Table::Loops), &Options::default());
    assert_eq!(notices, []);
    let text = String::from_utf8(bytes).expect("UTF-8");
    let row = text.lines().nth(1).expect("a row");
    // Executions, chunks, iterations; 2 ticks are a nanosecond; sums; lost.
    assert!(row.ends_with(",1,2,10,40,200.0,10.0,30.0,15.0,10,3"), "{row}");
    // A timeline has the rest, and says what it lacks.
    let (_, notices) = common::exported(directory.path(), Format::Chrome, &Options::default());
    assert_eq!(notices, [Notice::Aggregated { chunks: 10 }, Notice::NoChunks]);
}

#[test]
fn what_is_missing_is_said() {
    let directory = tempfile::tempdir().expect("a directory");
    incomplete(directory.path(), false);
    for format in ALL {
        let (_, notices) = common::exported(directory.path(), format, &Options::default());
        let part = directory.path().join("pid-5.trace").display().to_string();
        let mut expected = vec![
            Notice::Stray { part, chunks: 1 },
            Notice::Aggregated { chunks: 10 },
            Notice::NotInstrumented { loops: 1 },
        ];
        if matches!(format, Format::Csv(Table::Loops) | Format::Json(Table::Loops)) {
            expected.remove(1);
        }
        assert_eq!(notices, expected, "{format:?}");
    }
}

#[test]
fn a_cut_part_is_exported_up_to_the_cut() {
    let directory = tempfile::tempdir().expect("a directory");
    let path = directory.path().join("pid-7.trace");
    let mut part = common::part(&path, &common::meta(7, None));
    let events = [
        (0, common::thread_begin(0)),
        (0, Event::Loop(common::definition(1, 32, "a.c"))),
        (10, common::begin(1, 0, 1)),
        (20, common::chunk(0, 4, 0)),
        (40, common::chunk(4, 4, 0)),
    ];
    common::write(&mut part, 0, &events);
    part.abandon().expect("written");
    for format in ALL {
        let (bytes, notices) = common::exported(&path, format, &Options::default());
        assert!(matches!(notices[..], [Notice::Cut { .. }]), "{format:?}: {notices:?}");
        assert!(!bytes.is_empty());
    }
    let (bytes, _) = common::exported(&path, Format::Csv(Table::Chunks), &Options::default());
    let text = String::from_utf8(bytes).expect("UTF-8");
    let rows: Vec<&str> = text.lines().skip(1).collect();
    assert!(rows[0].ends_with(",0,4,0,3,10.0,10.0,,"), "{}", rows[0]);
    assert!(rows[1].ends_with(",4,4,4,7,20.0,,,"), "how long it took is not known: {}", rows[1]);
}
