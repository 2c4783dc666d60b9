//! A trace of a program that used OpenACC and OpenMP's `target`, made by hand, and what the page says of it.

use std::path::{Path, PathBuf};

use ompchunk_trace_format::target::{SUBMIT, construct};
use ompchunk_trace_format::{AccDetail, AccEnd, AccOperation, AccSite, Code, Event, NOBODY};
use serde_json::{Value, json};

use ompchunk_testkit::traces::{Maker, definition, meta};

/// A kernel whose name is longer than any screen.
pub fn kernel() -> String {
    format!("assemble_{}_gpu", "navier_stokes_".repeat(20))
}

fn operation(event: u32, site: u32) -> AccOperation {
    AccOperation { site, ..AccOperation::bare(event) }
}

fn end(event: u32) -> Event<'static> {
    Event::AccEnd(AccEnd { event, told: true })
}

/// A construct of `target`, and a kernel in it.
fn target() -> [(u64, Event<'static>); 5] {
    let begin = |event, device, teams| {
        Event::AccBegin(AccOperation {
            device,
            detail: AccDetail::from_numbers(event, [None, teams, Some(0x5000)]),
            ..AccOperation::bare(event)
        })
    };
    let code = Event::Code(Code { address: 0x5000, offset: 0x1234, object: b"/no/app", function: b"main" });
    [
        (2551, code),
        (2560, begin(construct(1), Some(3), None)),
        (2570, begin(SUBMIT, None, Some(64))),
        (2580, end(SUBMIT)),
        (2590, end(construct(1))),
    ]
}

/// Beside a loop of OpenMP: a construct with a launch in it, an upload, an allocation, which has no length, and a wait without an end.
pub fn trace(parent: &Path) -> (PathBuf, Value) {
    let path = parent.join("app");
    std::fs::create_dir(&path).unwrap();
    let mut maker = Maker::new(&path, "pid-7", &meta(None));
    maker.threads(2, &[definition(0, 12, "main")]);
    let at = maker.execute(10, 1, 0, &[&[(300, 0)][..], &[(200, 0)]]);
    let kernel = kernel();
    let file = format!("src/{}.c", "discretization".repeat(9));
    for (site, line, name) in [(0, 17, ""), (1, 18, kernel.as_str()), (2, 5, "x")] {
        let site = AccSite {
            site,
            lines: [line, line],
            function_lines: [0, 0],
            file: file.as_bytes(),
            function: b"solve",
            name: name.as_bytes(),
        };
        maker.put(0, at, &Event::AccSite(site));
    }
    let construct = AccOperation { construct: Some(1), ..operation(16, 0) };
    let launch = AccOperation { detail: AccDetail::from_numbers(18, [Some(8), None, Some(128)]), ..operation(18, 1) };
    let upload = AccOperation { detail: AccDetail::from_numbers(20, [Some(4096), None, None]), ..operation(20, 2) };
    let events = vec![
        (100, Event::AccBegin(construct)),
        (200, Event::AccBegin(launch)),
        (1700, end(18)),
        (2100, end(16)),
        (2200, Event::AccPoint(operation(8, 2))),
        (2300, Event::AccBegin(upload)),
        (2550, end(20)),
    ];
    let last = [(2600, Event::AccBegin(operation(24, NOBODY)))];
    for (time, event) in events.into_iter().chain(target()).chain(last) {
        maker.put(0, at + time, &event);
    }
    maker.finish(at + 3000);
    let of = |line: u32| format!("{}.c:{line} in solve", "discretization".repeat(9));
    let rows = json!([
        {"time": "2.00 ms", "times": "1", "operation": "compute construct", "construct": "kernels", "name": "", "place": of(17)},
        {"time": "1.50 ms", "bytes": "-", "operation": "launch", "dimensions": "8, ?, 128", "name": kernel, "place": of(18)},
        {"time": "250 µs", "bytes": "4,096", "operation": "upload", "name": "x", "place": of(5)},
        {"time": "-", "of run": "-", "times": "1", "operation": "alloc", "name": "x"},
        {"time": "-", "times": "1", "no end": "1", "operation": "wait", "place": ""},
        {"time": "30.0 µs", "times": "1", "operation": "target", "device": "3", "teams": "", "place": "app+0x1234 in main"},
        {"time": "10.0 µs", "times": "1", "operation": "submit", "device": "3", "teams": "64", "place": "app+0x1234 in main"},
    ]);
    (path, rows)
}
