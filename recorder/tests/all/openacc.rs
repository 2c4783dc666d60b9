//! OpenACC in a recording, driven by a stand-in for a runtime with a device (`programs/openacc.c`): what it tells is there, and what it
//! does wrong costs nobody anything.

use std::process::Command;
use std::sync::OnceLock;

use ompchunk_trace_format::openacc::is_start;
use ompchunk_trace_format::{AccDetail, AccOperation, Event, SumOf, Trace};

use crate::common::devices::{Seen, ended_well, finished, parent_and_child};
use crate::common::{self, Program, clean, devices, majors, product, runtimes, text};

fn program() -> &'static Program {
    static PROGRAM: OnceLock<Program> = OnceLock::new();
    PROGRAM.get_or_init(|| Program::compile("openacc", majors()[0]))
}

/// The stand-in with the recorder as its profiling library, and no other way to attach it.
fn alone(what: &str, directory: &tempfile::TempDir) -> Command {
    let mut command = clean(&program().path);
    command
        .arg(what)
        .env("ACC_PROFLIB", product("lib/libompchunk_trace.so"))
        .env("OMPCHUNK_TRACE", directory.path().join("trace"));
    command
}

fn run(what: &str) -> Seen {
    devices::run(|directory| alone(what, directory))
}

#[test]
fn all_that_a_device_tells() {
    let seen = run("whole");
    let (x, kernel) = (|| "x".to_owned(), || "kernel_20".to_owned());
    let none = String::new;
    let mut begun = vec![(1, 10, none()), (10, 12, none()), (20, 12, x())];
    for _ in 0..3 {
        begun.extend([(16, 20, none()), (18, 20, kernel())]);
    }
    begun.extend([(24, 30, none()), (14, 31, none()), (22, 31, x())]);
    begun.extend([(12, 40, none()), (3, 50, none())]);
    assert_eq!(seen.begun_named, begun);
    assert_eq!(seen.told(), begun.len());
    let points = [(8, 12), (6, 12), (7, 40), (9, 40)];
    let mut points: Vec<_> = points.map(|(event, line)| (event, line, x())).into();
    points.push((5, 50, none()));
    assert_eq!(seen.points_named, points);
    let upload = seen.begun[2];
    let bytes = AccDetail::Data { bytes: Some(4096), host: Some(8), device: Some(9) };
    assert_eq!(upload.detail, bytes);
    let launch = seen.begun[4];
    let dimensions = AccDetail::Launch { gangs: Some(7), workers: Some(8), vector: Some(9) };
    assert_eq!(launch.detail, dimensions);
    assert_eq!((launch.asynchronous, launch.queue), (Some(2), Some(12)));
    assert_eq!((launch.construct, launch.implicit), (Some(1), Some(false)));
    assert_eq!((launch.device_type, launch.device), (Some(5), Some(1)));
    assert_eq!(seen.threads, [0]);
}

/// The memory behind each structure cannot be read.
#[test]
fn structures_of_every_length() {
    let seen = run("sizes");
    assert_eq!(seen.begun.len(), 89);
    assert_eq!(seen.told(), 89);
    let known = seen.begun.iter().filter(|operation| operation.queue.is_some());
    assert_eq!(known.count(), 80 - 40 + 1);
}

#[test]
fn null_pointers() {
    let seen = run("null");
    assert_eq!(seen.begun.len(), 10);
    assert_eq!(seen.told(), 10);
    assert_eq!(seen.points.len(), 5);
    for operation in &seen.begun {
        assert_eq!(*operation, AccOperation::bare(operation.event));
    }
}

#[test]
fn starts_without_ends_and_ends_without_starts() {
    let seen = run("starts");
    // Some nest, what would be deeper has no length.
    assert_eq!(seen.begun.len() + seen.points.len(), 200);
    assert_eq!(seen.ended.len(), seen.begun.len());
    assert_eq!(seen.told(), 0);
    let seen = run("ends");
    assert_eq!((seen.begun.len(), seen.points.len()), (0, 200));
    assert!(seen.points.iter().all(|point| point.event == 17));
    let seen = run("crossed");
    let ended = [(20, false), (16, true), (24, true)];
    assert_eq!(seen.ended, ended);
    assert!(seen.points.is_empty(), "{:?}", seen.points);
}

#[test]
fn threads_that_no_openmp_runtime_knows() {
    let seen = run("threads");
    assert_eq!(seen.threads.len(), 16);
    assert_eq!(seen.told(), 1600);
    // One is still in a construct when the process ends.
    let seen = run("waiting");
    assert_eq!(seen.begun.len(), 102);
    assert_eq!(seen.told(), 101);
}

/// What is named anew each time shall not fill the memory; what happened is told all the same.
#[test]
fn more_names_than_anybody_has() {
    let seen = run("names");
    assert_eq!(seen.told(), 70_000);
    let unnamed = seen.begun_named.iter().filter(|begun| begun.2.is_empty()).count();
    assert_eq!(unnamed, 70_000 - (1 << 16));
}

/// Two runtimes with one library, one of which passes nothing: no part, no directory, no word.
#[test]
fn nothing_where_nothing_happens() {
    for what in ["without", "idle"] {
        let directory = tempfile::tempdir().unwrap();
        finished(&alone(what, &directory).output().unwrap());
        assert!(!directory.path().join("trace").exists(), "{what}");
    }
}

#[test]
fn a_process_that_ends_inside() {
    let directory = tempfile::tempdir().unwrap();
    let output = alone("exit", &directory).output().unwrap();
    assert_eq!(output.status.code(), Some(3), "{}", text(&output));
    let seen = ended_well(&directory);
    assert_eq!(seen.ended, [(16, false)]);
    // Under the command nothing of a killed program is missing.
    let program = program();
    let runtime = &runtimes()[0];
    let output = program.record(runtime, &[], &["killed"]).output().unwrap();
    assert!(!output.status.success());
    let trace = Trace::open(&program.trace()).unwrap();
    let seen = Seen::in_part(&trace.parts[0]);
    assert_eq!(seen.begun.len(), 2, "{}", text(&output));
    assert_eq!(seen.ended, [(16, true)]);
}

#[test]
fn a_fork_inside_a_construct() {
    let directory = tempfile::tempdir().unwrap();
    let [parent, child] = parent_and_child(alone("fork", &directory), &directory);
    assert_eq!(parent.ended, [(16, true)]);
    assert_eq!(child.begun_named.iter().map(|begun| begun.0).collect::<Vec<_>>(), [16, 20]);
    assert_eq!(child.ended, [(20, true), (16, true)]);
}

/// Where there is OpenMP too, both are in one part, whichever came first, and the runtime is in its metadata.
#[test]
fn beside_openmp() {
    let clean_run = |runtime: &common::Runtime, what: &str| {
        let directory = tempfile::tempdir().unwrap();
        let mut command = alone(what, &directory);
        let tools = ["lib/libompchunk_rt.so", "lib/libompchunk_trace.so"].map(product);
        let tools = tools.map(|tool| tool.into_os_string().into_string().unwrap());
        command.env("OMP_TOOL_LIBRARIES", tools.join(":"));
        runtime.serve(&mut command);
        finished(&command.output().unwrap());
        let seen = ended_well(&directory);
        let trace = Trace::open(&directory.path().join("trace")).unwrap();
        let meta = trace.parts[0].meta();
        assert!(meta.shim && !meta.runtime.is_empty(), "{meta:?}");
        assert!(meta.events.len() > 5, "{meta:?}");
        seen
    };
    for runtime in &runtimes() {
        let seen = clean_run(runtime, "both");
        // Two that the loop's own threads begin, ...
        assert_eq!(seen.told(), 1 + 1 + 100 + 1 + 200, "{}", runtime.name);
        assert_eq!((seen.chunks, seen.loops), (200, 4));
        // ... the first thread, a worker, and two of the program's own; none twice.
        assert_eq!(seen.threads.len(), 4, "{}: {:?}", runtime.name, seen.threads);
        let seen = clean_run(runtime, "openmp");
        assert_eq!((seen.told(), seen.chunks, seen.loops), (101, 200, 4));
        assert_eq!(seen.threads.len(), 2);
        // What never ends ends with its chunk, and no chunk is lost for it.
        let seen = clean_run(runtime, "torn");
        assert_eq!((seen.told(), seen.chunks, seen.loops), (101, 100, 2));
        let torn = seen.ended.iter().filter(|ended| **ended == (20, false));
        assert_eq!(torn.count(), 10);
        assert!(seen.points.is_empty(), "{:?}", seen.points);
        let seen = clean_run(runtime, "paused");
        let told: Vec<u32> = seen.begun_named.iter().map(|begun| begun.1).collect();
        assert_eq!(told, [60, 61, 65], "{}", runtime.name);
        assert_eq!(seen.ended, [(16, true), (16, false), (24, true)]);
        assert!(seen.points.is_empty(), "{:?}", seen.points);
    }
}

/// With sums alone a recording does not grow with what happens, and the sums are right.
#[test]
fn added_up() {
    let directory = tempfile::tempdir().unwrap();
    let mut command = alone("many", &directory);
    finished(&command.env("OMPCHUNK_RECORD", "aggregate").output().unwrap());
    let trace = Trace::open(&directory.path().join("trace")).unwrap();
    let part = &trace.parts[0];
    let (mut sums, mut others) = (Vec::new(), 0);
    part.for_each(|_, event| match event {
        Event::Sum(sum) if sum.what == SumOf::OpenAcc => {
            sums.push((sum.of, sum.count, sum.sum > 0));
        }
        _ => others += 1,
    })
    .unwrap();
    assert_eq!(sums, [(16, 20_000, true), (8, 20_000, false)]);
    assert!(others < 20, "{others}");
    assert!(part.size() < 1 << 20);
}

/// Whatever the disk does, the program's own result is the same.
#[test]
fn no_room() {
    let directory = tempfile::tempdir().unwrap();
    let blocked = directory.path().join("file");
    std::fs::write(&blocked, "").unwrap();
    let mut command = alone("many", &directory);
    let output = command.env("OMPCHUNK_TRACE", blocked.join("trace"));
    let output = output.output().unwrap();
    assert!(output.status.success());
    let said = String::from_utf8_lossy(&output.stderr);
    assert_eq!(said.lines().count(), 1, "{said}");
    assert!(said.starts_with("ompchunk: cannot record into"), "{said}");
    // A size that is too small: counted, and said.
    let mut command = alone("many", &directory);
    let output = command.env("OMPCHUNK_RECORD", "max-size=200000").output().unwrap();
    assert!(output.status.success());
    let trace = Trace::open(&directory.path().join("trace")).unwrap();
    let (mut starts, mut others) = (0, 0);
    trace.parts[0]
        .for_each(|_, event| match event {
            Event::AccBegin(acc_begin) => starts += u64::from(is_start(acc_begin.event)),
            Event::AccEnd(_) | Event::AccPoint(_) => others += 1,
            _ => {}
        })
        .unwrap();
    let lost = trace.parts[0].head().lost_events;
    assert!(starts > 100 && lost > 0);
    // Three per turn, the end of the thread, and its CPU time.
    assert!((starts + others + lost).abs_diff(60_000) <= 3, "{starts} {others} {lost}");
}
