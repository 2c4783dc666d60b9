//! OpenMP's `target` in exports: slices, regions and rows as OpenACC's, with the names of OMPT and the place of the call.

use std::path::{Path, PathBuf};

use ompchunk_export::{Format, Notice, Options, Table};
use ompchunk_trace_format::target::{SUBMIT, construct, data_op};
use ompchunk_trace_format::{AccDetail, AccEnd, AccOperation, Code, Event, Sum, SumOf};
use serde_json::{Value, json};

use crate::common::otf2::{events, is_here};
use crate::common::parquet::{Field, rows};
use crate::common::{self, written};

const CALL: u64 = 0x5000;

fn operation(event: u32, bytes: Option<u64>, teams: Option<u64>) -> AccOperation {
    AccOperation {
        device: (event != SUBMIT).then_some(2),
        detail: AccDetail::from_numbers(event, [bytes, teams, Some(CALL)]),
        ..AccOperation::bare(event)
    }
}

fn end(event: u32) -> Event<'static> {
    Event::AccEnd(AccEnd { event, told: true })
}

/// A construct with a transfer and a kernel in it, and an allocation that is told once.
fn trace(directory: &Path, more: &[(u64, Event<'static>)]) -> PathBuf {
    let (trace, mut part) = common::one_process(directory);
    let code = Event::Code(Code { address: CALL, offset: 0x1234, object: b"/bin/app", function: b"main" });
    let (whole, moved) = (construct(1), data_op(2));
    let mut all = vec![
        (0, common::thread_begin(0)),
        (100, code),
        (100, Event::AccBegin(operation(whole, None, None))),
        (200, Event::AccBegin(operation(moved, Some(4096), None))),
        (400, end(moved)),
        (500, Event::AccBegin(operation(SUBMIT, None, Some(8)))),
        (800, end(SUBMIT)),
        (900, end(whole)),
        (950, Event::AccPoint(operation(data_op(1), Some(7), None))),
        // Its begin was not told.
        (960, Event::AccPoint(operation(whole + 1, None, None))),
    ];
    all.extend_from_slice(more);
    common::write(&mut part, 0, &all);
    part.finish(2_000_000).unwrap();
    trace
}

#[test]
fn slices_with_the_names_of_ompt() {
    let directory = tempfile::tempdir().unwrap();
    let trace = trace(directory.path(), &[]);
    let to = directory.path().join("out.json");
    assert_eq!(written(Format::Chrome, &trace, &to), []);
    let all: Value = serde_json::from_slice(&std::fs::read(&to).unwrap()).unwrap();
    let all = all["traceEvents"].as_array().unwrap();
    let shown: Vec<(&str, &str, &str)> = all
        .iter()
        .filter(|event| event["ph"] == "B" || event["ph"] == "i")
        .map(|event| {
            let text = |key: &str| event[key].as_str().unwrap_or_default();
            (text("ph"), text("cat"), text("name"))
        })
        .collect();
    let wanted = [
        ("B", "target", "omp target"),
        ("B", "target", "omp transfer to device"),
        ("B", "target", "omp submit"),
        ("i", "target", "omp alloc"),
    ];
    assert_eq!(shown[..4], wanted);
    let of = |name: &str| &all.iter().find(|event| event["name"] == name).unwrap()["args"];
    let at = "main in app+0x1234";
    let moved = json!({"device_num": 2, "bytes": 4096, "at": at});
    assert_eq!(*of("omp transfer to device"), moved);
    let kernel = json!({"requested_num_teams": 8, "at": at});
    assert_eq!(*of("omp submit"), kernel);
}

#[test]
fn regions_of_openmp_in_an_archive() {
    if !is_here() {
        return;
    }
    let directory = tempfile::tempdir().unwrap();
    let trace = trace(directory.path(), &[]);
    let to = directory.path().join("archive");
    assert_eq!(written(Format::Otf2, &trace, &to), []);
    let all = events(&to);
    let named: Vec<(&str, &str)> = all[&0].iter().map(|record| (record.kind.as_str(), record.what.as_str())).collect();
    let at = |what: &str| format!("!$omp {what} @main in app+0x1234");
    let [whole, moved, kernel] = ["target", "target transfer to device", "target submit"].map(at);
    let wanted = [
        ("ENTER", whole.as_str()),
        ("ENTER", moved.as_str()),
        ("LEAVE", moved.as_str()),
        ("ENTER", kernel.as_str()),
        ("LEAVE", kernel.as_str()),
        ("LEAVE", whole.as_str()),
    ];
    assert_eq!(named, wanted);
}

#[test]
fn rows_in_the_table_of_operations() {
    let directory = tempfile::tempdir().unwrap();
    let trace = trace(directory.path(), &[]);
    let all = common::json_rows(&trace, Table::OpenAcc, &Options::default());
    let row = |operation: &str| all.iter().find(|row| row["operation"] == operation).unwrap();
    assert_eq!(all.len(), 4);
    for row in &all {
        assert_eq!((&row["model"], &row["function"]), (&json!("OpenMP"), &json!("main")));
        assert_eq!((&row["at"], &row["construct"]), (&json!("main in app+0x1234"), &Value::Null));
    }
    let submit = row("submit");
    assert_eq!((&submit["teams"], &submit["duration_ns"]), (&json!(8), &json!(150.0)));
    assert_eq!((&submit["device_number"], &submit["bytes"]), (&Value::Null, &Value::Null));
    let alloc = row("alloc");
    assert_eq!((&alloc["bytes"], &alloc["duration_ns"]), (&json!(7), &Value::Null));
    assert_eq!(alloc["device_number"], 2);
    let to = directory.path().join("tables");
    assert_eq!(written(Format::Parquet, &trace, &to), []);
    let found = rows(&to, "openacc");
    assert_eq!(found.len(), 4);
    for (row, json) in found.iter().zip(&all) {
        for name in ["operation", "model", "at"] {
            let text = json[name].as_str().unwrap().to_owned();
            assert_eq!(row[name], Field::Str(text));
        }
    }
}

/// Exports say that they lack what was added up.
#[test]
fn sums_are_not_there_and_it_is_said() {
    let directory = tempfile::tempdir().unwrap();
    let sum = |of, count| {
        Event::Sum(Sum {
            thread: 0,
            what: SumOf::Target,
            of,
            code: CALL,
            the_loop: ompchunk_trace_format::NOBODY,
            count,
            sum: 10,
            min: 1,
            max: 5,
            from: 0,
            to: 10,
        })
    };
    // The last ones are ends without a begin.
    let more = [(970, sum(SUBMIT, 5)), (980, sum(construct(1) + 1, 3))];
    let trace = trace(directory.path(), &more);
    let to = directory.path().join("out.json");
    let notices = written(Format::Chrome, &trace, &to);
    assert_eq!(notices, [Notice::OpenAccSums { operations: 5 }]);
}
