//! What a report says of OpenACC, from traces made by hand: one tick is one microsecond.

use ompchunk_analysis::Report;
use ompchunk_trace_format::target::{SUBMIT, construct, data_op};
use ompchunk_trace_format::{AccDetail, AccEnd, AccOperation, AccSite, Code, Event, NOBODY, Sum, SumOf};

use crate::common::{Maker, definition, meta, near, report};

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
    AccOperation { site, ..AccOperation::bare(event) }
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
        detail: AccDetail::from_numbers(20, [Some(100), None, None]),
        ..operation(20, 1)
    });
    maker.put(0, 10, &site(0, 5, "")).put(0, 10, &site(1, 6, "x"));
    maker.put(0, 10, &begin(16, 0)).put(0, 20, &upload).put(0, 30, &end(20, true));
    maker.put(0, 110, &end(16, true));
    maker.put(0, 200, &begin(16, 0)).put(0, 210, &upload).put(0, 300, &end(16, true));
    maker.put(0, 400, &begin(16, 0)).put(0, 450, &end(16, false));
    maker.put(0, 500, &begin(24, NOBODY));
    maker.put(1, 10, &begin(16, 0)).put(1, 60, &end(16, true));
    let point = |event| Event::AccPoint(operation(event, 1));
    maker.put(1, 70, &point(8)).put(1, 80, &point(17)).put(1, 90, &end(22, true));
    report(&maker.finish(1000))
}

/// Two threads, one of which gives the same place another number.
#[test]
fn times_bytes_and_what_is_missing() {
    let report = operations();
    let rows: Vec<_> = report
        .openacc
        .iter()
        .map(|openacc| (openacc.operation, openacc.line, openacc.count, openacc.untimed))
        .collect();
    let wanted = [
        ("compute construct", Some(5), 4, 1),
        ("upload", Some(6), 2, 1),
        ("alloc", Some(6), 1, 1),
        ("wait", None, 1, 1),
    ];
    assert_eq!(rows, wanted);
    let [construct, upload, alloc, wait] = &report.openacc[..] else { panic!() };
    near(construct.seconds.unwrap(), 250e-6);
    near(construct.shortest_seconds.unwrap(), 50e-6);
    near(construct.longest_seconds.unwrap(), 100e-6);
    assert_eq!((construct.threads.len(), construct.bytes), (2, None));
    assert_eq!((upload.bytes, upload.asynchronous), (Some(200), 2));
    assert_eq!(upload.name.as_deref(), Some("x"));
    near(upload.seconds.unwrap(), 10e-6);
    // Not measured is not 0.
    assert_eq!((alloc.seconds, wait.seconds, &wait.file), (None, None, &None));
    // What is in another one counts once.
    near(report.openacc_seconds.unwrap(), 250e-6);
    let note = |code: &str| report.notes.iter().find(|note| note.code == code);
    assert!(note("openacc-alone").is_some());
    let unpaired = &note("openacc-unpaired").unwrap().text;
    assert!(unpaired.contains("reported 3 starts") && unpaired.contains("and 2 ends"), "{unpaired}");
}

fn of_target(event: u32, bytes: Option<u64>, teams: Option<u64>) -> Event<'static> {
    Event::AccBegin(AccOperation {
        device: (event != SUBMIT).then_some(1),
        detail: AccDetail::from_numbers(event, [bytes, teams, Some(0x5000)]),
        ..AccOperation::bare(event)
    })
}

/// OpenMP's `target`, apart from OpenACC's: with the device, and the place of the call. A kernel is on its construct's device.
#[test]
fn target_has_its_own_list() {
    let directory = tempfile::tempdir().unwrap();
    let mut meta = meta(None);
    meta.runtime = "a runtime".into();
    let mut maker = Maker::new(directory.path(), "pid-7", &meta);
    maker.threads(1, &[]);
    let code = Event::Code(Code { address: 0x5000, offset: 0x10, object: b"/no/app", function: b"main" });
    let (whole, moved) = (construct(1), data_op(2));
    maker
        .put(0, 10, &code)
        .put(0, 10, &of_target(whole, None, None))
        .put(0, 20, &of_target(moved, Some(100), None))
        .put(0, 30, &end(moved, true))
        .put(0, 40, &of_target(SUBMIT, None, Some(8)))
        .put(0, 90, &end(SUBMIT, true))
        .put(0, 110, &end(whole, true));
    // The end of the kernel was not told, nor was the begin of what ends last.
    maker.put(0, 200, &of_target(SUBMIT, None, Some(9))).put(0, 210, &end(SUBMIT, false)).put(
        0,
        220,
        &Event::AccPoint(AccOperation::bare(moved + 1)),
    );
    let sum = Sum {
        thread: 0,
        what: SumOf::Target,
        of: construct(9),
        code: 0x5000,
        the_loop: NOBODY,
        count: 3,
        sum: 30,
        min: 5,
        max: 15,
        from: 230,
        to: 290,
    };
    maker.put(0, 300, &Event::Sum(sum));
    let report = report(&maker.finish(1000));
    assert!(report.openacc.is_empty() && report.openacc_seconds.is_none());
    let rows: Vec<_> =
        report.target.iter().map(|row| (row.operation, row.device, row.count, row.untimed, row.teams)).collect();
    let wanted = [
        ("target", Some(1), 1, 0, None),
        ("submit", Some(1), 1, 0, Some(8)),
        ("target nowait", None, 3, 0, None),
        ("transfer to device", Some(1), 1, 0, None),
        ("submit", None, 1, 1, Some(9)),
    ];
    assert_eq!(rows, wanted);
    for row in &report.target {
        assert_eq!(row.object.as_deref(), Some("/no/app"));
        assert_eq!((row.offset, row.function.as_deref()), (Some(0x10), Some("main")));
        assert_eq!((&row.file, row.line), (&None, None));
    }
    assert_eq!(report.target[3].bytes, Some(100));
    near(report.target[0].seconds.unwrap(), 100e-6);
    near(report.target[1].seconds.unwrap(), 50e-6);
    near(report.target[2].longest_seconds.unwrap(), 15e-6);
    // What is in another one counts once.
    near(report.target_seconds.unwrap(), 100e-6);
    let note = |code: &str| report.notes.iter().find(|note| note.code == code);
    let unpaired = &note("target-unpaired").unwrap().text;
    assert!(unpaired.contains("1 operations without an end, and 1 ends without a begin"), "{unpaired}");
    assert!(note("openacc-alone").is_none() && note("openacc-unpaired").is_none());
}

/// What a chunk waits for is work of its loop, and that is said.
#[test]
fn target_in_a_chunk() {
    let of = |within: bool| {
        let directory = tempfile::tempdir().unwrap();
        let mut meta = meta(None);
        meta.runtime = "a runtime".into();
        let mut maker = Maker::new(directory.path(), "pid-7", &meta);
        maker.threads(1, &[definition(0, 5, "f")]);
        maker.task(0, 10, 1, 1);
        maker.begin(0, 10, 0, 4);
        maker.chunk(0, 20, 0, 4, 1);
        if within {
            maker
                .put(0, 22, &of_target(construct(1), None, None))
                .put(0, 23, &of_target(SUBMIT, None, Some(1)))
                .put(0, 26, &end(SUBMIT, true))
                .put(0, 28, &end(construct(1), true));
        }
        maker.put(0, 40, &Event::LoopEnd { the_loop: 0 });
        if !within {
            maker.put(0, 52, &of_target(construct(1), None, None)).put(0, 58, &end(construct(1), true));
        }
        report(&maker.finish(100))
    };
    let (within, beside) = (of(true), of(false));
    near(within.target_seconds.unwrap(), 6e-6);
    near(beside.target_seconds.unwrap(), 6e-6);
    assert_eq!(serde_json::to_value(&within.loops).unwrap(), serde_json::to_value(&beside.loops).unwrap());
    let note = |report: &Report| {
        let mut notes = report.notes.iter();
        let note = notes.find(|note| note.code == "target-in-chunks");
        note.map(|note| note.text.clone())
    };
    assert!(note(&within).unwrap().starts_with("6.00 µs of thread time"));
    assert_eq!(note(&beside), None);
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
            maker.put(0, 22, &begin(16, NOBODY)).put(0, 28, &end(16, true));
        }
        maker.chunk(0, 30, 2, 2, 1);
        maker.put(0, 40, &Event::LoopEnd { the_loop: 0 });
        report(&maker.finish(100))
    };
    let (plain, both) = (of("plain", false), of("both", true));
    assert_eq!(serde_json::to_value(&plain.loops).unwrap(), serde_json::to_value(&both.loops).unwrap());
    assert_eq!(plain.run, both.run);
    assert_eq!((plain.openacc.len(), both.openacc.len()), (0, 1));
    assert!(both.notes.iter().all(|note| !note.code.starts_with("openacc")));
    let json = serde_json::to_string(&plain).unwrap();
    assert!(!json.contains("openacc"), "{json}");
}
