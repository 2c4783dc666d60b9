//! Parquet: the tables say what the other exports say, nothing of the user's is touched, and what is not whole is not there.

use std::path::Path;

use ompchunk_export::{Error, Format, Notice, Options, Table, export};
use ompchunk_trace_format::{Event, Trace};

use crate::common;
use crate::common::parquet::{Field, files, is_same, number, rows, unsigned};

fn write(trace: &Path, to: &Path) -> Result<Vec<Notice>, Error> {
    let trace = Trace::open(trace).expect("a trace");
    export(&trace, Format::Parquet, to, &Options::default())
}

#[test]
fn each_row_is_that_of_the_json_export() {
    let directory = tempfile::tempdir().unwrap();
    let trace = common::two_threads(directory.path());
    let to = directory.path().join("tables");
    assert_eq!(write(&trace, &to).unwrap(), []);
    let (chunks, expected) = (rows(&to, "chunks"), common::json_rows(&trace, Table::Chunks, &Options::default()));
    assert_eq!(chunks.len(), expected.len());
    for (row, json) in chunks.iter().zip(&expected) {
        let exact = ["thread", "region", "loop", "execution", "lower", "iterations"];
        for name in exact {
            assert_eq!(Some(unsigned(&row[name])), json[name].as_u64(), "{name}");
        }
        assert_eq!(row["part"], Field::Str("pid-42".into()));
        for name in ["first", "last"] {
            let fits = json[name].as_i64();
            let found = match &row[name] {
                Field::Null => None,
                Field::Long(value) => Some(*value),
                other => panic!("{other:?}"),
            };
            assert_eq!(found, fits, "{name}: {json}");
        }
        for name in ["start_ns", "duration_ns", "create_duration_ns"] {
            let (found, exact) = (number(&row[name]), json[name].as_f64());
            assert_eq!(found.is_some(), exact.is_some(), "{name}");
            let away = found.zip(exact).map_or(0.0, |(one, other)| one - other);
            assert!(away.abs() <= 0.5, "{name}: {row:?} {json}");
        }
        // Two ticks are a nanosecond.
        let ticks = number(&row["duration_ticks"]).unwrap();
        assert_eq!(ticks / 2.0, json["duration_ns"].as_f64().unwrap());
    }
    let (loops, expected) = (rows(&to, "loops"), common::json_rows(&trace, Table::Loops, &Options::default()));
    assert_eq!(loops.len(), expected.len());
    for (row, json) in loops.iter().zip(&expected) {
        is_same(row, json, &[]);
        assert_eq!(row["ticks_per_second"], Field::Double(common::HERTZ));
    }
    assert_eq!(loops[1]["name"], Field::Str("d.c:17:3".into()));
}

#[test]
fn threads_add_up_to_loops_and_regions_are_there() {
    let directory = tempfile::tempdir().unwrap();
    let trace = common::two_threads(directory.path());
    let to = directory.path().join("tables");
    write(&trace, &to).unwrap();
    let (threads, loops) = (rows(&to, "threads"), rows(&to, "loops"));
    for sums in &loops {
        for name in ["executions", "chunks", "iterations", "duration_ticks"] {
            let of_loop = threads.iter().filter(|row| row["loop"] == sums["loop"]);
            let sum = of_loop.fold(0, |sum: u64, row| sum.wrapping_add(unsigned(&row[name])));
            assert_eq!(sum, unsigned(&sums[name]), "{name}");
        }
    }
    assert!(threads.iter().all(|row| row["host"] == Field::Str("node".into())));
    let regions = rows(&to, "regions");
    let of = |name: &str| -> Vec<f64> { regions.iter().map(|row| number(&row[name]).unwrap()).collect() };
    // As they end.
    assert_eq!(of("region"), [2.0, 1.0]);
    assert_eq!(of("threads"), [1.0, 2.0]);
    assert_eq!(of("start_ns"), [215.0, 50.0]);
    assert_eq!(of("duration_ns"), [35.0, 250.0]);
}

#[test]
fn ranks_are_partitions() {
    let directory = tempfile::tempdir().unwrap();
    let trace = directory.path().join("app.ompchunk");
    std::fs::create_dir(&trace).unwrap();
    for rank in [0, 7, 1000] {
        let path = trace.join(format!("rank-{rank}.trace"));
        let mut part = common::part(&path, &common::meta(rank + 1, Some(u64::from(rank))));
        let events = [
            (0, common::thread_begin(0)),
            (0, Event::Loop(common::definition(1, 32, "a.c"))),
            (10, common::begin(1, 0, 1)),
            (20, common::chunk(0, u64::from(rank) + 1, 0)),
            (30, common::end(1)),
        ];
        common::write(&mut part, 0, &events);
        part.finish(1_100).unwrap();
    }
    let to = directory.path().join("tables");
    write(&trace, &to).unwrap();
    for table in ["chunks", "loops", "threads", "regions"] {
        let names = files(&to, table);
        let name = |rank: u32| to.join(format!("{table}/rank={rank}/rank-{rank}.parquet"));
        assert_eq!(names, [name(0), name(1000), name(7)]);
    }
    let mut iterations: Vec<u64> = rows(&to, "chunks").iter().map(|row| unsigned(&row["iterations"])).collect();
    iterations.sort_unstable();
    assert_eq!(iterations, [1, 8, 1001]);
}

/// Traces of one run in several directories, where files have the same names: no part takes the place of another one.
#[test]
fn parts_of_several_directories() {
    let directory = tempfile::tempdir().unwrap();
    let of = |name: &str| {
        let path = directory.path().join(name);
        std::fs::create_dir(&path).unwrap();
        Trace::open(&common::two_threads(&path)).expect("a trace")
    };
    // The third one's directory is called like the others', too.
    let parts: Vec<_> = ["a", "b", "c"].into_iter().flat_map(|name| of(name).parts).collect();
    let to = directory.path().join("tables");
    let trace = Trace { parts };
    export(&trace, Format::Parquet, &to, &Options::default()).unwrap();
    let one = rows(&tables_of_one(directory.path()), "chunks").len();
    let all = rows(&to, "chunks");
    assert_eq!(all.len(), 3 * one);
    let names: std::collections::BTreeSet<String> = all.iter().map(|row| format!("{:?}", row["part"])).collect();
    assert_eq!(names.len(), 3, "{names:?}");
}

fn tables_of_one(directory: &Path) -> std::path::PathBuf {
    let to = directory.join("one");
    write(&directory.join("a/app.ompchunk"), &to).unwrap();
    to
}

#[test]
fn many_rows_are_several_row_groups() {
    const CHUNKS: u64 = 300_000;
    let directory = tempfile::tempdir().unwrap();
    let (trace, mut part) = common::one_process(directory.path());
    let begin =
        [(0, common::thread_begin(0)), (0, Event::Loop(common::definition(1, 64, "a.c"))), (1, common::begin(1, 0, 1))];
    common::write(&mut part, 0, &begin);
    for at in 0..CHUNKS {
        let create = if at % 3 == 0 { 4 } else { 0 };
        common::write(&mut part, 0, &[(2 + 9 * at, common::chunk(u64::MAX - at, 1, create))]);
    }
    common::write(&mut part, 0, &[(2 + 9 * CHUNKS, common::end(1))]);
    part.finish(4_000_000).unwrap();
    let to = directory.path().join("tables");
    write(&trace, &to).unwrap();
    let all = rows(&to, "chunks");
    assert_eq!(all.len() as u64, CHUNKS);
    for (at, row) in (0..).zip(&all) {
        assert_eq!(unsigned(&row["lower"]), u64::MAX - at);
        assert_eq!(row["duration_ticks"], Field::ULong(9));
        assert_eq!(row["create_duration_ns"] == Field::Null, at % 3 != 0);
        // It is no signed number of 64 bits.
        assert_eq!(row["first"], Field::Null);
    }
    // Names are there once in each group, and numbers that grow take little.
    let size = std::fs::metadata(&files(&to, "chunks")[0]).unwrap().len();
    assert!(size < CHUNKS * 4, "{size}");
}

#[test]
fn nothing_that_is_there_is_touched() {
    let directory = tempfile::tempdir().unwrap();
    let trace = common::two_threads(directory.path());
    let mine = directory.path().join("mine");
    std::fs::create_dir(&mine).unwrap();
    // An empty one is fine.
    write(&trace, &mine).unwrap();
    let before = std::fs::read(&files(&mine, "chunks")[0]).unwrap();
    for to in [&mine, &trace] {
        let error = write(&trace, to).unwrap_err();
        assert!(matches!(error, Error::NotEmpty { .. }), "{error}");
        assert!(error.next().contains("new or empty"));
    }
    assert_eq!(std::fs::read(&files(&mine, "chunks")[0]).unwrap(), before);
    let file = directory.path().join("file");
    std::fs::write(&file, "text").unwrap();
    assert!(matches!(write(&trace, &file), Err(Error::Write { .. })));
    assert_eq!(std::fs::read(&file).unwrap(), b"text");
    let error = write(&trace, "-".as_ref()).unwrap_err().to_string();
    assert!(error.starts_with("cannot write -: these are several files"), "{error}");
    let error = write(&trace, "/proc/nothing/here".as_ref()).unwrap_err();
    assert!(error.to_string().starts_with("cannot write /proc/nothing"), "{error}");
}

/// A part that cannot be read: nothing of the others passes for the whole.
#[test]
fn what_is_not_whole_is_not_there() {
    let directory = tempfile::tempdir().unwrap();
    let trace = common::two_threads(directory.path());
    let path = trace.join("pid-43.trace");
    let mut part = common::part(&path, &common::meta(43, None));
    let begin =
        [(0, common::thread_begin(0)), (0, Event::Loop(common::definition(1, 32, "a.c"))), (1, common::begin(1, 0, 1))];
    common::write(&mut part, 0, &begin);
    for at in 0..20_000 {
        common::write(&mut part, 0, &[(2 + at, common::chunk(at * 7919, at + 1, 0))]);
    }
    part.finish(30_000).unwrap();
    let mut bytes = std::fs::read(&path).unwrap();
    let early = bytes.len() / 3;
    for byte in &mut bytes[early..early + 40] {
        *byte ^= 0x5a;
    }
    std::fs::write(&path, bytes).unwrap();
    let to = directory.path().join("tables");
    let opened = Trace::open(&trace).unwrap();
    if export(&opened, Format::Parquet, &to, &Options::default()).is_err() {
        let left = walk(&to);
        assert!(left.is_empty(), "{left:?}");
    } else {
        panic!("a damaged part was read");
    }
}

fn walk(directory: &Path) -> Vec<std::path::PathBuf> {
    let Ok(all) = std::fs::read_dir(directory) else {
        return Vec::new();
    };
    let paths = all.map(|entry| entry.unwrap().path());
    paths
        .flat_map(|path| match path.is_dir() {
            true => walk(&path),
            false => vec![path],
        })
        .collect()
}

#[test]
fn a_trace_that_is_cut_has_no_duration_at_its_end() {
    let directory = tempfile::tempdir().unwrap();
    let (trace, mut part) = common::one_process(directory.path());
    let events = [
        (0, common::thread_begin(0)),
        (0, Event::Loop(common::definition(1, 32, "a.c"))),
        (1, common::parallel(1)),
        (1, common::begin(1, 0, 1)),
        (2, common::chunk(0, 1, 0)),
        (9, common::chunk(1, 1, 0)),
    ];
    common::write(&mut part, 0, &events);
    part.finish(1_100).unwrap();
    let to = directory.path().join("tables");
    write(&trace, &to).unwrap();
    let chunks = rows(&to, "chunks");
    assert_eq!(chunks[0]["duration_ticks"], Field::ULong(7));
    assert_eq!(chunks[1]["duration_ticks"], Field::Null);
    assert_eq!(chunks[1]["duration_ns"], Field::Null);
    let regions = rows(&to, "regions");
    assert_eq!((&regions[0]["duration_ns"], &regions[0]["threads"]), (&Field::Null, &Field::Null));
}
