//! OpenACC in exports: slices and regions beside OpenMP's, and tables, with what the runtime told and nothing else.

use std::path::{Path, PathBuf};

use ompchunk_export::{Error, Format, Notice, Options, Table, export};
use ompchunk_trace_format::{AccDetail, AccEnd, AccOperation, AccSite, Event, NOBODY, Sum, SumOf, Trace};
use serde_json::Value;

use crate::common::otf2::{events, is_here};
use crate::common::parquet::{Field, is_same, number, rows};
use crate::common::{self, written};

fn begin(event: u32, site: u32) -> AccOperation {
    AccOperation { site, ..AccOperation::bare(event) }
}

/// A construct with an upload and a launch in it, an allocation, and something of which nothing is known.
fn trace(directory: &Path) -> PathBuf {
    let (trace, mut part) = common::one_process(directory);
    let site = |site, name: &'static [u8]| {
        Event::AccSite(AccSite {
            site,
            lines: [17, 20],
            function_lines: [0, 0],
            file: b"src/a.c",
            function: b"work",
            name,
        })
    };
    let upload = AccOperation {
        asynchronous: Some(-1),
        construct: Some(1),
        detail: AccDetail::from_numbers(20, [Some(4096), None, None]),
        ..begin(20, 1)
    };
    let end = |event| Event::AccEnd(AccEnd { event, told: true });
    let all = [
        (0, common::thread_begin(0)),
        (100, site(0, b"")),
        (100, Event::AccBegin(begin(16, 0))),
        (200, site(1, b"x")),
        (200, Event::AccPoint(begin(8, 1))),
        (300, Event::AccBegin(upload)),
        (500, end(20)),
        (900, end(16)),
        (1000, Event::AccBegin(begin(24, NOBODY))),
        (1200, end(24)),
    ];
    common::write(&mut part, 0, &all);
    part.finish(2_000_000).unwrap();
    trace
}

#[test]
fn slices_and_points() {
    let directory = tempfile::tempdir().unwrap();
    let trace = trace(directory.path());
    let to = directory.path().join("out.json");
    assert_eq!(written(Format::Chrome, &trace, &to), []);
    let all: serde_json::Value = serde_json::from_slice(&std::fs::read(&to).unwrap()).unwrap();
    let all = all["traceEvents"].as_array().unwrap();
    let shown: Vec<(&str, &str, f64)> = all
        .iter()
        .filter(|event| event["ph"] != "M")
        .map(|event| {
            let text = |key: &str| event[key].as_str().unwrap_or_default();
            (text("ph"), text("name"), event["ts"].as_f64().unwrap())
        })
        .collect();
    // Two ticks are a nanosecond.
    let wanted = [
        ("B", "acc compute construct a.c:17", 0.05),
        ("i", "acc alloc x", 0.1),
        ("B", "acc upload x", 0.15),
        ("E", "", 0.25),
        ("E", "", 0.45),
        ("B", "acc wait", 0.5),
        ("E", "", 0.6),
    ];
    assert_eq!(shown, wanted);
    let of = |name: &str| &all.iter().find(|event| event["name"] == name).unwrap()["args"];
    let upload = serde_json::json!({
        "construct": "kernels", "async": -1, "bytes": 4096, "var_name": "x",
        "src_file": "src/a.c", "line_no": 17, "func_name": "work",
    });
    assert_eq!(*of("acc upload x"), upload);
    assert_eq!(*of("acc wait"), serde_json::Value::Null);
    // A table of chunks would be empty.
    let to = directory.path().join("out.csv");
    let all = Trace::open(&trace).unwrap();
    let error = export(&all, Format::Csv(Table::Chunks), &to, &Options::default()).unwrap_err();
    assert!(matches!(error, Error::NoChunks), "{error}");
    let to = directory.path().join("out.pftrace");
    assert_eq!(written(Format::Perfetto, &trace, &to), []);
    let bytes = std::fs::read(&to).unwrap();
    for text in ["acc upload x", "openacc", "src/a.c", "num_gangs"] {
        let is_there = bytes.windows(text.len()).any(|window| window == text.as_bytes());
        assert_eq!(is_there, text != "num_gangs", "{text}");
    }
}

#[test]
fn regions_of_an_archive() {
    if !is_here() {
        return;
    }
    let directory = tempfile::tempdir().unwrap();
    let trace = trace(directory.path());
    let to = directory.path().join("archive");
    assert_eq!(written(Format::Otf2, &trace, &to), []);
    let all = events(&to);
    let named: Vec<(&str, u64, &str)> =
        all[&0].iter().map(|record| (record.kind.as_str(), record.time, record.what.as_str())).collect();
    let wanted = [
        ("ENTER", 500, "!$acc compute construct @a.c:17"),
        ("ENTER", 1500, "!$acc upload @a.c:17 x"),
        ("LEAVE", 2500, "!$acc upload @a.c:17 x"),
        ("LEAVE", 4500, "!$acc compute construct @a.c:17"),
        ("ENTER", 5000, "!$acc wait"),
        ("LEAVE", 6000, "!$acc wait"),
    ];
    assert_eq!(named, wanted);
}

fn table(trace: &Path) -> Vec<Value> {
    common::json_rows(trace, Table::OpenAcc, &Options::default())
}

#[test]
fn a_row_for_each_operation() {
    let directory = tempfile::tempdir().unwrap();
    let trace = trace(directory.path());
    let csv = common::text(&trace, Format::Csv(Table::OpenAcc));
    // Two ticks are a nanosecond, and a row comes when its operation ends.
    let wanted = "part,rank,thread,depth,operation,construct,file,line,function,name,start_ns,duration_ns,async,async_queue,\
        implicit,device_type,device_number,bytes,host_ptr,device_ptr,num_gangs,num_workers,vector_length,model,at,teams\r\n\
        pid-1,,0,1,alloc,,src/a.c,17,work,x,100.0,,,,,,,,,,,,,OpenACC,,\r\n\
        pid-1,,0,1,upload,kernels,src/a.c,17,work,x,150.0,100.0,-1,,,,,4096,,,,,,OpenACC,,\r\n\
        pid-1,,0,0,compute construct,,src/a.c,17,work,,50.0,400.0,,,,,,,,,,,,OpenACC,,\r\n\
        pid-1,,0,0,wait,,,,,,500.0,100.0,,,,,,,,,,,,OpenACC,,\r\n";
    assert_eq!(csv, wanted);
    let rows = table(&trace);
    assert_eq!(rows.len(), 4);
    let names: Vec<&str> = csv.lines().next().unwrap().split(',').collect();
    let docs = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/export.md");
    let docs = std::fs::read_to_string(docs).unwrap();
    let (_, docs) = docs.split_once("| openacc | |").expect("the columns");
    let (docs, _) = docs.split_once("\n\n").unwrap();
    for row in &rows {
        assert!(names.iter().all(|name| row.get(name).is_some()), "{row}");
        assert_eq!(row.as_object().unwrap().len(), names.len());
    }
    for name in &names {
        assert!(docs.contains(&format!("`{name}`")), "{name}");
    }
    assert_eq!(rows[3]["file"], Value::Null, "not known, and no empty text");
    assert_eq!(rows[3]["bytes"], Value::Null);
}

#[test]
fn rows_add_up_to_the_report() {
    let directory = tempfile::tempdir().unwrap();
    let trace = trace(directory.path());
    let (rows, opened) = (table(&trace), Trace::open(&trace).unwrap());
    let parts: Vec<_> = opened.parts.iter().collect();
    let found = ompchunk_analysis::analyse(&parts, &|_| {}).unwrap();
    let of_report = &found.report.openacc;
    assert_eq!(of_report.len(), 4);
    for sum in of_report {
        let all = rows.iter().filter(|row| row["operation"] == sum.operation);
        let all: Vec<&Value> = all.collect();
        assert_eq!(all.len() as u64, sum.count, "{sum:?}");
        let times = all.iter().filter_map(|row| row["duration_ns"].as_f64());
        let seconds = times.reduce(|one, other| one + other).map(|ns| ns / 1e9);
        let away = seconds.zip(sum.seconds).map_or(0.0, |(one, other)| one - other);
        assert!(seconds.is_some() == sum.seconds.is_some() && away.abs() < 1e-12, "{sum:?}");
    }
    // What is in no other operation is the thread's time.
    let outermost = rows.iter().filter(|row| row["depth"] == 0);
    let ns: f64 = outermost.filter_map(|row| row["duration_ns"].as_f64()).sum();
    assert!((ns / 1e9 - found.report.openacc_seconds.unwrap()).abs() < 1e-12);
}

/// A launch whose end is lost, an operation that something else ended, one that never ends, ends without a begin, and a thread that ends within.
fn without_ends(directory: &Path) -> PathBuf {
    let trace = directory.join("app.ompchunk");
    std::fs::create_dir(&trace).unwrap();
    let mut part = common::part(&trace.join("rank-3.trace"), &common::meta(1, Some(3)));
    let launch = AccOperation {
        implicit: Some(true),
        device_type: Some(-4),
        device: Some(2),
        queue: Some(7),
        detail: AccDetail::from_numbers(18, [Some(8), None, Some(128)]),
        ..begin(18, NOBODY)
    };
    let free = AccOperation { detail: AccDetail::from_numbers(9, [None, Some(u64::MAX), Some(0)]), ..begin(9, NOBODY) };
    let end = |event, told| Event::AccEnd(AccEnd { event, told });
    let first = [
        (0, common::thread_begin(0)),
        (10, Event::AccBegin(begin(16, NOBODY))),
        (20, Event::AccBegin(launch)),
        (100, end(16, true)),
        (110, Event::AccPoint(free)),
        (200, Event::AccBegin(begin(24, NOBODY))),
        (300, end(24, false)),
        (310, Event::AccPoint(begin(17, NOBODY))),
        (320, end(22, true)),
        (400, Event::AccBegin(begin(10, NOBODY))),
    ];
    let second =
        [(5, common::thread_begin(1)), (50, Event::AccBegin(begin(16, NOBODY))), (90, Event::ThreadEnd { thread: 1 })];
    common::write(&mut part, 0, &first);
    common::write(&mut part, 1, &second);
    part.finish(2_000).unwrap();
    trace
}

#[test]
fn operations_without_an_end() {
    let directory = tempfile::tempdir().unwrap();
    let trace = without_ends(directory.path());
    let all = table(&trace);
    let of = |thread: u64| -> Vec<(&str, u64, Option<f64>)> {
        let rows = all.iter().filter(|row| row["thread"] == thread);
        rows.map(|row| {
            let name = row["operation"].as_str().unwrap();
            (name, row["depth"].as_u64().unwrap(), row["duration_ns"].as_f64())
        })
        .collect()
    };
    let wanted = [
        ("launch", 1, None),
        ("compute construct", 0, Some(45.0)),
        ("free", 0, None),
        ("wait", 0, None),
        ("enter data", 0, None),
    ];
    assert_eq!(of(0), wanted);
    assert_eq!(of(1), [("compute construct", 0, None)]);
    let row = |name: &str| all.iter().find(|row| row["operation"] == name).unwrap();
    let given = [
        ("launch", "implicit", Value::Bool(true)),
        ("launch", "device_type", (-4).into()),
        ("launch", "device_number", 2.into()),
        ("launch", "async_queue", 7.into()),
        ("launch", "num_gangs", 8.into()),
        ("launch", "num_workers", Value::Null),
        ("launch", "vector_length", 128.into()),
        ("free", "bytes", Value::Null),
        ("free", "host_ptr", u64::MAX.into()),
        ("free", "device_ptr", 0.into()),
        ("free", "rank", 3.into()),
    ];
    for (name, column, value) in given {
        assert_eq!(row(name)[column], value, "{column} of {name}");
    }
    agree(&trace, &all);
}

/// The rows of the Parquet table are those of the JSON export.
fn agree(trace: &Path, json: &[Value]) {
    let directory = tempfile::tempdir().unwrap();
    let to = directory.path().join("tables");
    assert_eq!(written(Format::Parquet, trace, &to), []);
    let found = rows(&to, "openacc");
    assert_eq!(found.len(), json.len());
    for (row, json) in found.iter().zip(json) {
        is_same(row, json, &["start_ns", "duration_ns"]);
        // Two ticks are a nanosecond.
        let ticks = number(&row["duration_ticks"]).map(|ticks| ticks / 2.0);
        assert_eq!(ticks, json["duration_ns"].as_f64());
        assert_eq!(row["ticks_per_second"], Field::Double(common::HERTZ));
    }
}

#[test]
fn a_table_of_its_own_where_there_is_something() {
    let directory = tempfile::tempdir().unwrap();
    let trace = trace(directory.path());
    agree(&trace, &table(&trace));
    // Without OpenACC there is none.
    let other = directory.path().join("other");
    std::fs::create_dir(&other).unwrap();
    let other = common::two_threads(&other);
    let to = directory.path().join("tables");
    assert_eq!(written(Format::Parquet, &other, &to), []);
    assert!(to.join("chunks").exists() && !to.join("openacc").exists());
    let opened = Trace::open(&other).unwrap();
    for format in [Format::Csv(Table::OpenAcc), Format::Json(Table::OpenAcc)] {
        let to = directory.path().join("out");
        let error = export(&opened, format, &to, &Options::default()).unwrap_err();
        assert!(matches!(error, Error::NoOperations), "{error}");
        assert!(!to.exists(), "nothing is written");
    }
}

/// Operations that were added up are in no row, and the user is told.
#[test]
fn sums_are_said() {
    let directory = tempfile::tempdir().unwrap();
    let (trace, mut part) = common::one_process(directory.path());
    let sum = |of, count| {
        Event::Sum(Sum {
            what: SumOf::OpenAcc,
            of,
            code: u64::from(NOBODY),
            the_loop: NOBODY,
            thread: 0,
            count,
            sum: 100,
            min: 1,
            max: 90,
            from: 1_000,
            to: 1_030,
        })
    };
    let all = [
        (0, common::thread_begin(0)),
        (10, Event::AccBegin(begin(24, NOBODY))),
        (20, Event::AccEnd(AccEnd { event: 24, told: true })),
        (30, sum(16, 40)),
        (30, sum(8, 2)),
        // An end without a begin.
        (30, sum(23, 5)),
    ];
    common::write(&mut part, 0, &all);
    part.finish(2_000).unwrap();
    let said = [Notice::OpenAccSums { operations: 42 }];
    let files = ["out.csv", "out.json", "tables"];
    let formats = [Format::Csv(Table::OpenAcc), Format::Chrome, Format::Parquet];
    for (format, name) in formats.into_iter().zip(files) {
        let to = directory.path().join(name);
        assert_eq!(written(format, &trace, &to), said, "{format:?}");
    }
    assert!(said[0].to_string().starts_with("42 operations of OpenACC "));
}
