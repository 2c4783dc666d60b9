//! The table of sums: what was added up in place of events, with what it is called.

use ompchunk_export::{Error, Format, Options, Selection, Table, export};
use ompchunk_trace_format::sum::{MUTEX_IN_TASK, TASK_IN_WAIT, TASK_WAITS};
use ompchunk_trace_format::{Code, Event, NOBODY, Sum, SumOf, Trace};
use serde_json::Value;
use std::path::{Path, PathBuf};

use crate::common;
use crate::common::parquet::{Field, is_same, number, rows};

/// Where a lock is taken.
const ADDRESS: u64 = 0x40_3000;
/// `ompt_mutex_t`
const LOCK: u32 = 1;
const CRITICAL: u32 = 5;
/// `ompt_work_t`, where sums have it.
const SINGLE: u32 = 3 << 16;

fn sum(what: SumOf, of: u32, the_loop: u32, (count, ticks): (u64, u64)) -> Event<'static> {
    Event::Sum(Sum {
        thread: 0,
        what,
        of,
        code: ADDRESS,
        the_loop,
        count,
        sum: ticks,
        min: 2,
        max: ticks / 2,
        from: 1_010,
        to: 1_050,
    })
}

/// All that a recorder adds up, once each.
fn trace(directory: &Path) -> PathBuf {
    let to = directory.join("app.ompchunk");
    std::fs::create_dir_all(&to).unwrap();
    let mut part = common::part(&to.join("rank-3.trace"), &common::meta(42, Some(3)));
    let code = Code { address: ADDRESS, offset: 0x3000, function: b"work", object: b"/bin/app" };
    let events = [
        (0, common::thread_begin(0)),
        (0, Event::Code(code)),
        (0, Event::Loop(common::definition(1, 32, "a.c"))),
        (0, Event::Loop(common::definition(2, 32, "b.c"))),
        (1, common::begin(1, 0, 1)),
        (2, common::chunk(0, 16, 0)),
        (9, common::end(1)),
        (60, sum(SumOf::Mutex, CRITICAL, 1, (4, 80))),
        (60, sum(SumOf::Mutex, LOCK, 2, (1, 4))),
        (60, sum(SumOf::Mutex, CRITICAL | MUTEX_IN_TASK, NOBODY, (2, 40))),
        (60, sum(SumOf::Mutex, LOCK | SINGLE, NOBODY, (1, 6))),
        (60, sum(SumOf::Task, TASK_IN_WAIT, NOBODY, (3, 90))),
        (60, sum(SumOf::Task, TASK_WAITS | SINGLE, NOBODY, (2, 20))),
        (60, sum(SumOf::Task, SINGLE, NOBODY, (0, 10))),
        (60, sum(SumOf::Parallel, 1, NOBODY, (1, 30))),
        (60, sum(SumOf::Wait, 5, NOBODY, (1, 8))),
        // Not in the table.
        (60, sum(SumOf::OpenAcc, 16, NOBODY, (7, 70))),
        (60, sum(SumOf::Other(99), 0, NOBODY, (7, 70))),
        (61, Event::ThreadEnd { thread: 0 }),
    ];
    common::write(&mut part, 0, &events);
    part.finish(1_100).unwrap();
    to
}

fn table(trace: &Path, options: &Options) -> Vec<Value> {
    common::json_rows(trace, Table::Sums, options)
}

#[test]
fn each_sum_is_called_what_it_is() {
    let directory = tempfile::tempdir().unwrap();
    let rows = table(&trace(directory.path()), &Options::default());
    let found: Vec<[Value; 5]> =
        rows.iter().map(|row| ["what", "kind", "within", "loop", "count"].map(|name| row[name].clone())).collect();
    let expected = [
        ("mutex", "critical section", "loop", 1, 4),
        ("mutex", "lock", "loop", 2, 1),
        ("mutex", "critical section", "task", 0, 2),
        ("mutex", "lock", "single executor", 0, 1),
        ("task", "", "wait", 0, 3),
        ("wait", "", "task", 0, 2),
        ("task", "", "single executor", 0, 0),
        ("region", "", "region", 0, 1),
        ("wait", "taskwait", "", 0, 1),
    ];
    let expected = expected.map(|(what, kind, within, the_loop, count)| {
        let text = |text: &str| match text {
            "" => Value::Null,
            text => Value::from(text),
        };
        let the_loop = match the_loop {
            0 => Value::Null,
            number => Value::from(number),
        };
        let count = Value::from(count);
        [text(what), text(kind), text(within), the_loop, count]
    });
    assert_eq!(found, expected);
    // Two ticks are a nanosecond, and the part begins at tick 1000.
    let first = &rows[0];
    assert_eq!(first["at"], "work in app+0x3000");
    assert_eq!((&first["rank"], &first["thread"]), (&3.into(), &0.into()));
    let times = ["duration_ns", "shortest_ns", "longest_ns", "from_ns", "to_ns"];
    let times = times.map(|name| first[name].as_f64().unwrap());
    assert_eq!(times, [40.0, 1.0, 20.0, 5.0, 25.0]);
}

#[test]
fn csv_has_a_line_of_names() {
    let directory = tempfile::tempdir().unwrap();
    let text = common::text(&trace(directory.path()), Format::Csv(Table::Sums));
    let mut lines = text.lines();
    assert_eq!(
        lines.next().unwrap(),
        "part,rank,thread,what,kind,within,loop,at,count,duration_ns,shortest_ns,longest_ns,from_ns,to_ns"
    );
    assert_eq!(
        lines.next().unwrap(),
        "rank-3,3,0,mutex,critical section,loop,1,work in app+0x3000,4,40.0,1.0,20.0,5.0,25.0"
    );
    assert_eq!(lines.count(), 8);
}

/// Only what was in the loops that are asked for.
#[test]
fn the_sums_of_a_loop() {
    let directory = tempfile::tempdir().unwrap();
    let trace = trace(directory.path());
    let mut loops = Selection::default();
    loops.entry(trace.join("rank-3.trace")).or_default().insert(2);
    let options = Options { loops: Some(loops), ..Options::default() };
    let rows = table(&trace, &options);
    assert_eq!(rows.len(), 1);
    assert_eq!((&rows[0]["loop"], &rows[0]["count"]), (&2.into(), &1.into()));
}

/// The rows of the Parquet table are those of the JSON export, with exact ticks.
#[test]
fn engines_get_the_same() {
    let directory = tempfile::tempdir().unwrap();
    let trace = trace(directory.path());
    let to = directory.path().join("tables");
    common::written(Format::Parquet, &trace, &to);
    let found = rows(&to, "sums");
    let json = table(&trace, &Options::default());
    assert_eq!(found.len(), json.len());
    for (row, json) in found.iter().zip(&json) {
        is_same(row, json, &["from_ns", "to_ns"]);
        let seconds = number(&row["duration_ticks"]).unwrap() / common::HERTZ;
        assert!((seconds * 1e9 - number(&row["duration_ns"]).unwrap()).abs() < 1e-9);
        assert_eq!(row["ticks_per_second"], Field::Double(common::HERTZ));
    }
}

/// Seconds of locks are those of the report, which takes a reading of the clock out of each wait.
#[test]
fn the_report_says_the_same() {
    let directory = tempfile::tempdir().unwrap();
    let trace = trace(directory.path());
    let opened = Trace::open(&trace).unwrap();
    let parts: Vec<_> = opened.parts.iter().collect();
    let report = ompchunk_analysis::analyse(&parts, &|_| ()).unwrap().report;
    let rows = table(&trace, &Options::default());
    let read = 18.0 / common::HERTZ;
    for kind in ["critical section", "lock"] {
        let locks = report.run.locks.iter().filter(|lock| lock.kind == kind);
        let known: f64 = locks.map(|lock| lock.seconds).sum();
        let waits = rows.iter().filter(|row| row["kind"] == kind);
        let told = waits.map(|row| {
            let count = row["count"].as_f64().unwrap();
            (row["duration_ns"].as_f64().unwrap() / 1e9 - count * read).max(0.0)
        });
        let told: f64 = told.sum();
        assert!((known - told).abs() < 1e-12, "{kind}: {known}, {told}");
    }
}

/// Few programs have none of them, and then there is no table.
#[test]
fn no_table_of_nothing() {
    let directory = tempfile::tempdir().unwrap();
    let trace = common::two_threads(directory.path());
    let opened = Trace::open(&trace).unwrap();
    let to = directory.path().join("tables");
    export(&opened, Format::Parquet, &to, &Options::default()).unwrap();
    assert!(to.join("chunks").exists() && !to.join("sums").exists());
    for format in [Format::Csv(Table::Sums), Format::Json(Table::Sums)] {
        let to = directory.path().join("out");
        let error = export(&opened, format, &to, &Options::default()).unwrap_err();
        assert!(matches!(error, Error::NoSums), "{error}");
        assert!(!to.exists(), "nothing is written");
    }
}
