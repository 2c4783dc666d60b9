//! OpenMP's `target` in a recording: on the device that LLVM 19's libomptarget has on every host (`programs/target.c`), and as a stand-in for a
//! runtime tells it, with all that such a one may do wrong (`programs/device.c`).

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

use ompchunk_trace_format::openacc::event_name;
use ompchunk_trace_format::target::{self, SUBMIT, is_of_target};
use ompchunk_trace_format::{AccDetail, AccOperation, Event, Part, SumOf};

use crate::common::devices::{Seen, finished, parent_and_child, part_of};
use crate::common::{Program, clean, devices, majors, product, programs, runtimes, text};

const TARGET: u32 = target::construct(1);

/// What is seen of `target` alone, which has no sites.
fn seen_in(part: &Part) -> Seen {
    of_target(Seen::in_part(part))
}

fn of_target(seen: Seen) -> Seen {
    assert!(seen.sites == 0 && seen.begun.iter().all(|begin| is_of_target(begin.event)));
    seen
}

fn names(operations: &[AccOperation]) -> Vec<&'static str> {
    operations.iter().map(|operation| event_name(operation.event)).collect()
}

/// The stand-in, with the recorder behind it.
fn stand_in() -> &'static Program {
    static PROGRAM: OnceLock<Program> = OnceLock::new();
    PROGRAM.get_or_init(|| Program::compile("device", majors()[0]))
}

fn alone(what: &str, directory: &tempfile::TempDir) -> Command {
    let mut command = clean(&stand_in().path);
    command
        .arg(what)
        .env("OMP_TOOL_LIBRARIES", product("lib/libompchunk_trace.so"))
        .env("OMPCHUNK_TRACE", directory.path().join("trace"))
        .env("KMP_BLOCKTIME", "0")
        .env("OMP_DYNAMIC", "false");
    command
}

fn run(what: &str) -> Seen {
    of_target(devices::run(|directory| alone(what, directory)))
}

/// All that the specification has, and what it may have later.
const WHOLE: [&str; 18] = [
    "target", "alloc", "transfer to device", "submit", "transfer from device", "delete", "target enter data",
    "target exit data", "target update", "target nowait", "target enter data nowait", "target exit data nowait",
    "target update nowait", "transfer to device async", "target construct", "target construct", "data operation",
    "data operation",
];

#[test]
fn all_that_a_runtime_tells() {
    let seen = run("whole");
    assert_eq!(names(&seen.begun), WHOLE);
    assert_eq!(seen.told(), WHOLE.len());
    assert!(seen.points.is_empty());
    assert_eq!(seen.depths[..7], [0, 1, 1, 1, 1, 1, 0]);
    let details = |index: usize| match seen.begun[index].detail {
        AccDetail::Target { bytes, teams, code } => (bytes, teams, code),
        other => panic!("{other:?}"),
    };
    let code = details(0).2;
    assert!(code.is_some());
    // The kernel has the construct's, since no runtime tells it one; what was freed is not told.
    let wanted =
        [(None, None), (Some(4096), None), (Some(4096), None), (None, Some(8)), (Some(4096), None), (None, None)];
    for (index, (bytes, teams)) in wanted.into_iter().enumerate() {
        assert_eq!(details(index), (bytes, teams, code), "{index}");
    }
    assert_eq!(seen.codes[&code.unwrap()], "ompt_start_tool");
    let devices: Vec<_> = seen.begun[..6].iter().map(|begin| begin.device).collect();
    assert_eq!(devices, [Some(0), Some(0), Some(0), None, Some(0), Some(0)]);
    let waits: Vec<bool> = seen.begun.iter().map(|begin| !begin.is_asynchronous()).collect();
    assert_eq!(waits[9..14], [false; 5]);
    assert!(waits[..9].iter().chain(&waits[14..]).all(|waits| *waits));
}

/// A runtime without the callbacks that tell begin and end: constructs have both, data and kernels happen.
#[test]
fn callbacks_without_emi() {
    let directory = tempfile::tempdir().unwrap();
    let mut command = alone("whole", &directory);
    finished(&command.env("PLAIN", "1").output().unwrap());
    let part = part_of(&directory.path().join("trace"));
    let seen = seen_in(&part);
    let is_construct = |name: &&str| name.starts_with("target");
    let (constructs, others): (Vec<&str>, Vec<&str>) = WHOLE.into_iter().partition(is_construct);
    assert_eq!(names(&seen.begun), constructs);
    assert_eq!(seen.told(), constructs.len());
    assert_eq!(names(&seen.points), others);
    let kernel = &seen.points[2];
    let AccDetail::Target { teams, code, .. } = kernel.detail else { panic!("{kernel:?}") };
    assert_eq!((teams, code), (Some(8), Some(seen.begun[0].detail.code())));
    // What was asked for, and the answers.
    let events = &part.meta().events;
    for name in ["target", "target_data_op", "target_submit"] {
        assert_eq!((events[&format!("{name}_emi")], events[name]), (1, 5));
    }
}

#[test]
fn begins_without_ends_and_ends_without_begins() {
    let seen = run("starts");
    // Some nest, what would be deeper has no length.
    assert_eq!(seen.begun.len() + seen.points.len(), 200);
    assert!(seen.points.len() > 100);
    assert_eq!((seen.ended.len(), seen.told()), (seen.begun.len(), 0));
    let seen = run("ends");
    assert_eq!((seen.begun.len(), seen.points.len()), (0, 600));
    let ends = [TARGET, target::data_op(2), SUBMIT].map(|event| event + 1);
    for (index, point) in seen.points.iter().enumerate() {
        assert_eq!(point.event, ends[index % 3]);
    }
    // Begun by one thread and ended by another.
    let seen = run("migrates");
    let nowait = target::construct(9);
    assert_eq!(names(&seen.begun), ["target nowait", "target"]);
    assert_eq!(names(&seen.points), ["target nowait"]);
    assert_eq!(seen.points[0].event, nowait + 1);
    let mut ended = seen.ended;
    ended.sort_unstable();
    assert_eq!(ended, [(TARGET, true), (nowait, false)]);
}

/// What a device did not do has no time, and the construct around it has its own.
#[test]
fn a_device_that_fails() {
    let seen = run("failed");
    assert_eq!(seen.begun.len(), 30);
    let turn = [(SUBMIT, false), (target::data_op(1), false), (TARGET, true)];
    for turns in seen.ended.chunks(3) {
        assert_eq!(turns, turn);
    }
    assert!(seen.points.is_empty());
    // The loops that the host ran instead, and the first.
    assert_eq!(seen.chunks, 11 * 100);
}

#[test]
fn threads_that_the_runtime_does_not_know() {
    let seen = run("threads");
    // The first thread, a worker, and all that came.
    assert_eq!(seen.threads.len(), 2 + 16);
    assert_eq!(seen.told(), 1600);
}

/// Inside chunks; and no chunk is lost where an operation never ends.
#[test]
fn in_the_chunks_of_a_loop() {
    let seen = run("loop");
    assert_eq!((seen.chunks, seen.told()), (200, 200));
    let seen = run("torn");
    assert_eq!((seen.chunks, seen.told()), (200, 200));
    let torn = seen.ended.iter().filter(|(_, told)| !told).count();
    assert_eq!(torn, 20);
    assert!(seen.points.is_empty(), "{:?}", seen.points);
}

#[test]
fn a_process_that_ends_inside() {
    let directory = tempfile::tempdir().unwrap();
    let output = alone("exit", &directory).output().unwrap();
    assert_eq!(output.status.code(), Some(3), "{}", text(&output));
    let seen = seen_in(&part_of(&directory.path().join("trace")));
    assert_eq!(seen.ended, [(SUBMIT, false), (TARGET, false)]);
    // Under the command nothing of a killed program is missing.
    let program = stand_in();
    let output = program.record(&runtimes()[0], &[], &["killed"]).output().unwrap();
    assert!(!output.status.success());
    let seen = seen_in(&part_of(&program.trace()));
    let begun = ["target enter data", "target", "submit"];
    assert_eq!(names(&seen.begun), begun, "{}", text(&output));
    assert_eq!(seen.ended, [(target::construct(2), true)]);
}

#[test]
fn a_fork_inside_a_construct() {
    let directory = tempfile::tempdir().unwrap();
    let [parent, child] = parent_and_child(alone("fork", &directory), &directory);
    assert_eq!(parent.ended, [(TARGET, true)]);
    // There libomp begins anew, and so does its thread: the construct has an end without a begin.
    assert_eq!(child.ended, [(SUBMIT, true)]);
    let [end] = &child.points[..] else { panic!("{:?}", child.points) };
    assert_eq!(end.event, TARGET + 1);
    // The address is what it was, and has its name in the child's own part.
    assert_eq!(child.codes[&end.detail.code()], "ompt_start_tool");
}

#[test]
fn nothing_while_it_is_paused() {
    let seen = run("paused");
    let begun = ["target enter data", "target", "target update"];
    assert_eq!(names(&seen.begun), begun);
    let ended = [(target::construct(2), true), (TARGET, false), (target::construct(4), true)];
    assert_eq!(seen.ended, ended);
    assert!(seen.points.is_empty(), "{:?}", seen.points);
}

/// With sums alone a recording does not grow with what happens, and the sums are right.
#[test]
fn added_up() {
    for setting in ["aggregate", "sample=1000"] {
        let directory = tempfile::tempdir().unwrap();
        let mut command = alone("many", &directory);
        finished(&command.env("OMPCHUNK_RECORD", setting).output().unwrap());
        let part = part_of(&directory.path().join("trace"));
        let (mut sums, mut one_by_one) = (BTreeMap::new(), 0);
        part.for_each(|_, event| match event {
            Event::Sum(sum) if sum.what == SumOf::Target => {
                assert!(sum.code != 0 && sum.sum > 0 && sum.min <= sum.max);
                *sums.entry(sum.of).or_insert(0) += sum.count;
            }
            Event::AccBegin(_) | Event::AccPoint(_) => one_by_one += 1,
            _ => {}
        })
        .unwrap();
        // A little that follows a sampled loop is told.
        let told: u64 = sums.values().sum::<u64>() + one_by_one;
        assert_eq!(told, 40_000, "{setting}: {sums:?}");
        assert!(one_by_one < 40, "{setting}: {one_by_one}");
        assert!(part.size() < 1 << 20);
    }
}

/// A size that is too small: counted, and said.
#[test]
fn no_room() {
    let directory = tempfile::tempdir().unwrap();
    let mut command = alone("many", &directory);
    let output = command.env("OMPCHUNK_RECORD", "max-size=400000").output();
    assert!(output.unwrap().status.success());
    let part = part_of(&directory.path().join("trace"));
    let mut events = 0;
    part.for_each(|_, event| {
        events += u64::from(matches!(event, Event::AccBegin(_) | Event::AccEnd(_)));
    })
    .unwrap();
    let lost = part.head().lost_events;
    assert!(events > 100 && lost > 0, "{events} {lost}");
    // Four per turn, and a few of the end.
    assert!((events + lost).abs_diff(80_000) <= 8, "{events} {lost}");
}

/// LLVM 19's runtime for devices; Debian has it beside its libomp.
const LIBOMPTARGET: &str = "/usr/lib/llvm-19/lib/libomptarget.so.19.1";

/// The program for it and its device's code; `None`: it is not there.
fn for_a_device() -> Option<(Program, PathBuf)> {
    if !Path::new(LIBOMPTARGET).exists() {
        eprintln!("skipped: {LIBOMPTARGET} is not there (package libomp5-19)");
        assert!(std::env::var_os("CI").is_none() || cfg!(not(target_arch = "x86_64")));
        return None;
    }
    let with = [LIBOMPTARGET, "-Wl,-rpath,/usr/lib/llvm-19/lib"];
    let program = Program::compile_with("target", majors()[0], &with);
    let code = program.directory.path().join("device.so");
    let source = programs().join("target_device.c");
    let mut command = clean(format!("clang-{}", majors()[0]));
    command.args(["-O1", "-shared", "-fPIC"]).arg(source);
    let output = command.arg("-o").arg(&code).output().unwrap();
    assert!(output.status.success(), "{}", text(&output));
    Some((program, code))
}

#[test]
fn on_a_device_of_the_host() {
    let Some((program, code)) = for_a_device() else {
        return;
    };
    let code = code.to_str().unwrap();
    let (trace, output) = program.recorded(&runtimes()[0], &[], &[code]);
    assert_eq!(output, "0 15984\n");
    let seen = seen_in(&trace.parts[0]);
    let moved = ["alloc", "transfer to device"];
    let back = ["transfer from device", "delete"];
    let kernel = ["target", "submit"];
    let mut begun = vec!["target"];
    begun.extend(moved.into_iter().chain(["submit"]).chain(back));
    begun.extend(["target enter data"].into_iter().chain(moved));
    begun.extend([kernel; 3].concat());
    begun.extend(["target update", "transfer from device"]);
    begun.extend(["target exit data"].into_iter().chain(back));
    // Calls of the library, in no construct.
    begun.extend(["alloc", "transfer to device", "delete"]);
    assert_eq!(names(&seen.begun), begun);
    assert_eq!((seen.told(), seen.points.len()), (begun.len(), 0));
    let known = |begin: &AccOperation| seen.codes.contains_key(&begin.detail.code());
    assert!(seen.begun.iter().all(known));
    it_lacks_the_kernel(&program, code);
}

/// Its code is not what was expected: libomptarget ends the process inside the kernel.
fn it_lacks_the_kernel(program: &Program, code: &str) {
    let arguments = [code, "missing"];
    let output = program.record(&runtimes()[0], &[], &arguments).output().unwrap();
    assert!(!output.status.success(), "{}", text(&output));
    let seen = seen_in(&part_of(&program.trace()));
    let begun = ["target", "alloc", "transfer to device", "submit"];
    assert_eq!(names(&seen.begun), begun, "{}", text(&output));
    assert_eq!(seen.told(), 2);
}
