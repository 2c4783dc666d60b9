//! What a report says of OpenACC, from traces made by hand: one tick is one microsecond.

mod common;

use common::{Maker, definition, meta, near, report};
use ompchunk_analysis::Report;
use ompchunk_trace_format::{AccDetail, AccEnd, AccOperation, AccSite, Event, NOBODY};

fn site(number: u32, line: u32, name: &'static str) -> Event<'static> {
    Event::AccSite(AccSite {
        site: number,
        lines: [line, line],
        function_lines: [0, 0],
        file: b"a.c",
        function: b"f",
        name: name.as_bytes(),
    })
}

fn operation(event: u32, site: u32) -> AccOperation {
    AccOperation {
        site,
        ..AccOperation::bare(event)
    }
}

fn begin(event: u32, site: u32) -> Event<'static> {
    Event::AccBegin(operation(event, site))
}

fn end(event: u32, told: bool) -> Event<'static> {
    Event::AccEnd(AccEnd { event, told })
}

/// Some operations have no end, one is ended by what was around it, and one is never ended.
fn operations() -> Report {
    let directory = tempfile::tempdir().unwrap();
    let mut maker = Maker::new(directory.path(), "pid-7", &meta(None));
    maker.threads(2, &[]);
    let upload = Event::AccBegin(AccOperation {
        asynchronous: Some(2),
        detail: AccDetail::of(20, [Some(100), None, None]),
        ..operation(20, 1)
    });
    maker
        .put(0, 10, &site(0, 5, ""))
        .put(0, 10, &site(1, 6, "x"));
    maker
        .put(0, 10, &begin(16, 0))
        .put(0, 20, &upload)
        .put(0, 30, &end(20, true));
    maker.put(0, 110, &end(16, true));
    maker
        .put(0, 200, &begin(16, 0))
        .put(0, 210, &upload)
        .put(0, 300, &end(16, true));
    maker
        .put(0, 400, &begin(16, 0))
        .put(0, 450, &end(16, false));
    maker.put(0, 500, &begin(24, NOBODY));
    maker.put(1, 10, &begin(16, 0)).put(1, 60, &end(16, true));
    let point = |event| Event::AccPoint(operation(event, 1));
    maker
        .put(1, 70, &point(8))
        .put(1, 80, &point(17))
        .put(1, 90, &end(22, true));
    report(&maker.finish(1000))
}

/// Two threads, one of which gives the same place another number.
#[test]
fn times_bytes_and_what_is_missing() {
    let report = operations();
    let rows: Vec<_> = report
        .openacc
        .iter()
        .map(|openacc| {
            (
                openacc.operation,
                openacc.line,
                openacc.count,
                openacc.untimed,
            )
        })
        .collect();
    let wanted = [
        ("compute construct", Some(5), 4, 1),
        ("upload", Some(6), 2, 1),
        ("alloc", Some(6), 1, 1),
        ("wait", None, 1, 1),
    ];
    assert_eq!(rows, wanted);
    let [construct, upload, alloc, wait] = &report.openacc[..] else {
        panic!()
    };
    near(construct.seconds.unwrap(), 250e-6);
    near(construct.shortest_seconds.unwrap(), 50e-6);
    near(construct.longest_seconds.unwrap(), 100e-6);
    assert_eq!((construct.threads.len(), construct.bytes), (2, None));
    assert_eq!((upload.bytes, upload.asynchronous), (Some(200), 2));
    assert_eq!(upload.name.as_deref(), Some("x"));
    near(upload.seconds.unwrap(), 10e-6);
    // Not measured is not 0.
    assert_eq!(
        (alloc.seconds, wait.seconds, &wait.file),
        (None, None, &None)
    );
    // What is in another one counts once.
    near(report.openacc_seconds.unwrap(), 250e-6);
    let note = |code: &str| report.notes.iter().find(|note| note.code == code);
    assert!(note("openacc-alone").is_some());
    let unpaired = &note("openacc-unpaired").unwrap().text;
    assert!(
        unpaired.contains("reported 3 starts") && unpaired.contains("and 2 ends"),
        "{unpaired}"
    );
}

/// The loops' own account does not change by what stands between their records, and without OpenACC nothing is said of it.
#[test]
fn loops_are_as_without() {
    let directory = tempfile::tempdir().unwrap();
    let of = |name: &str, with: bool| {
        let directory = directory.path().join(name);
        std::fs::create_dir(&directory).unwrap();
        let mut meta = meta(None);
        meta.runtime = "a runtime".into();
        let mut maker = Maker::new(&directory, "pid-7", &meta);
        maker.threads(1, &[definition(0, 5, "f")]);
        maker.task(0, 10, 1, 1);
        maker.begin(0, 10, 0, 4);
        maker.chunk(0, 20, 0, 2, 1);
        if with {
            maker
                .put(0, 22, &begin(16, NOBODY))
                .put(0, 28, &end(16, true));
        }
        maker.chunk(0, 30, 2, 2, 1);
        maker.put(0, 40, &Event::LoopEnd { the_loop: 0 });
        report(&maker.finish(100))
    };
    let (plain, both) = (of("plain", false), of("both", true));
    assert_eq!(
        serde_json::to_value(&plain.loops).unwrap(),
        serde_json::to_value(&both.loops).unwrap()
    );
    assert_eq!(plain.run, both.run);
    assert_eq!((plain.openacc.len(), both.openacc.len()), (0, 1));
    assert!(
        both.notes
            .iter()
            .all(|note| !note.code.starts_with("openacc"))
    );
    let json = serde_json::to_string(&plain).unwrap();
    assert!(!json.contains("openacc"), "{json}");
}
