//! OpenACC in timelines: slices and regions beside OpenMP's, with what the runtime told and nothing that it did not.

mod common;

use std::path::{Path, PathBuf};

use common::otf2::{events, is_here};
use ompchunk_export::{Error, Format, Notice, Options, export};
use ompchunk_trace_format::{AccDetail, AccEnd, AccOperation, AccSite, Event, NOBODY, Trace};

fn begin(event: u32, site: u32) -> AccOperation {
    AccOperation {
        site,
        ..AccOperation::bare(event)
    }
}

/// A construct with an upload and a launch in it, an allocation, and something of which nothing is known.
fn trace(directory: &Path) -> PathBuf {
    let trace = directory.join("app.ompchunk");
    std::fs::create_dir(&trace).unwrap();
    let mut part = common::part(&trace.join("pid-1.trace"), &common::meta(1, None));
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
        detail: AccDetail::of(20, [Some(4096), None, None]),
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

fn write(format: Format, trace: &Path, to: &Path) -> Vec<Notice> {
    export(
        &Trace::open(trace).unwrap(),
        format,
        to,
        &Options::default(),
    )
    .unwrap()
}

#[test]
fn slices_and_points() {
    let directory = tempfile::tempdir().unwrap();
    let trace = trace(directory.path());
    let to = directory.path().join("out.json");
    assert_eq!(write(Format::Chrome, &trace, &to), []);
    let all: serde_json::Value = serde_json::from_slice(&std::fs::read(&to).unwrap()).unwrap();
    let all = all["traceEvents"].as_array().unwrap();
    let shown: Vec<(&str, &str, f64)> = all
        .iter()
        .filter(|it| it["ph"] != "M")
        .map(|it| {
            let text = |key: &str| it[key].as_str().unwrap_or_default();
            (text("ph"), text("name"), it["ts"].as_f64().unwrap())
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
    let of = |name: &str| &all.iter().find(|it| it["name"] == name).unwrap()["args"];
    let upload = serde_json::json!({
        "construct": "kernels", "async": -1, "bytes": 4096, "var_name": "x",
        "src_file": "src/a.c", "line_no": 17, "func_name": "work",
    });
    assert_eq!(*of("acc upload x"), upload);
    assert_eq!(*of("acc wait"), serde_json::Value::Null);
    // A table of chunks would be empty.
    let to = directory.path().join("out.csv");
    let all = Trace::open(&trace).unwrap();
    let error = export(&all, Format::Csv, &to, &Options::default()).unwrap_err();
    assert!(matches!(error, Error::NoChunks), "{error}");
    let to = directory.path().join("out.pftrace");
    assert_eq!(write(Format::Perfetto, &trace, &to), []);
    let bytes = std::fs::read(&to).unwrap();
    for text in ["acc upload x", "openacc", "src/a.c", "num_gangs"] {
        let is_there = bytes.windows(text.len()).any(|it| it == text.as_bytes());
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
    assert_eq!(write(Format::Otf2, &trace, &to), []);
    let all = events(&to);
    let named: Vec<(&str, u64, &str)> = all[&0]
        .iter()
        .map(|it| (it.kind.as_str(), it.time, it.what.as_str()))
        .collect();
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
