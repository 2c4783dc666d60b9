//! Which functions serial code is in, of traces made by hand: one tick is one microsecond. The time is the trace's, samples of
//! other threads and of regions are none of it, and what has no name has none.

use std::path::{Path, PathBuf};

use ompchunk_analysis::analyse;
use ompchunk_analysis::model::{SerialFunction, SerialFunctions};
use ompchunk_trace_format::stacks::{Module, Segment};
use ompchunk_trace_format::{Event, Meta, Part};

use crate::common::{self, Maker, meta, near, off_core};

/// The first thread, another one of the program's, one of the runtime's.
const FIRST: u32 = 0;
const OTHER: u32 = 1;
const WORKER: u32 = 2;

fn of_rank(rank: u64) -> Meta {
    let mut meta = meta(Some(rank));
    meta.clock.cpu_read = Some(1.0);
    meta
}

/// The first thread is 1000 long, and in a region from 200 to 600. In its serial time it is off a core for 100.
fn trace(directory: &Path, name: &str, meta: &Meta) -> PathBuf {
    let mut maker = Maker::new(directory, name, meta);
    for (thread, kind) in [(FIRST, 1), (OTHER, 3), (WORKER, 2)] {
        maker.thread(thread, 0, kind);
    }
    maker.initial_task(FIRST, 0);
    maker.region(FIRST, 200, 5, 0x77);
    for lane in [FIRST, WORKER] {
        maker.task(lane, 200, 5, 2);
        maker.put(lane, 600, &Event::ImplicitTaskEnd { parallel: 5 });
    }
    maker.put(FIRST, 600, &Event::ParallelEnd { parallel: 5 });
    maker.put(FIRST, 1000, &off_core(100, 400, (1, 0)));
    for thread in [FIRST, OTHER, WORKER] {
        maker.put(thread, 1000, &Event::ThreadEnd { thread });
    }
    maker.finish(1000)
}

/// Thread, time, CPU time, frames.
type Given<'g> = (u32, u64, u64, &'g [u64]);

/// `a.so` is at 0x1000, `b.so` at 0x2000; neither is there any more.
fn stacks(trace: &Path, samples: &[Given<'_>]) {
    let segment = |address| Segment { address, size: 0x1000, offset: 0 };
    let module = |(path, address): (&str, u64)| Module {
        path: path.into(),
        segments: vec![segment(address)],
        ..Module::default()
    };
    let modules = [("/nowhere/a.so", 0x1000), ("/nowhere/b.so", 0x2000)].map(module);
    let samples = samples.iter();
    let samples = samples.map(|(thread, time, cpu_ns, frames)| (*thread, *time, *cpu_ns, 0, *frames));
    let writer = common::stacks(trace, &modules, samples);
    writer.finish().unwrap();
}

fn serial(paths: &[PathBuf]) -> Option<SerialFunctions> {
    let parts: Vec<Part> = paths.iter().map(|path| Part::open(path).unwrap()).collect();
    let parts: Vec<&Part> = parts.iter().collect();
    let analysis = analyse(&parts, &|_| {}).unwrap();
    analysis.hot_lines(&[]).unwrap().serial
}

fn of<'f>(functions: &'f [SerialFunction], object: &str) -> &'f SerialFunction {
    let is_it = |function: &&SerialFunction| function.object.as_deref() == Some(object);
    functions.iter().find(is_it).unwrap()
}

/// Two samples in `a.so`, called from `b.so`, and one in `b.so` itself; others are of no serial time of the first thread.
const SAMPLES: [Given<'static>; 6] = [
    (FIRST, 100, 30_000, &[0x1500, 0x2500]),
    (FIRST, 700, 30_000, &[0x1600, 0x2500]),
    (FIRST, 800, 20_000, &[0x2700]),
    (FIRST, 300, 90_000, &[0x2600]),
    (OTHER, 750, 90_000, &[0x2600]),
    (WORKER, 750, 90_000, &[0x2600]),
];

#[test]
fn the_first_threads_samples_share_its_time_on_a_core() {
    let directory = tempfile::tempdir().unwrap();
    let path = trace(directory.path(), "rank-0", &of_rank(0));
    stacks(&path, &SAMPLES);
    let serial = serial(&[path]).unwrap();
    assert_eq!(serial.samples, 3);
    // 600 outside of the region, 100 of them off a core.
    near(serial.seconds.unwrap(), 500e-6);
    near(serial.off_core_seconds.unwrap(), 100e-6);
    near(serial.unsampled_seconds.unwrap(), 0.0);
    let inner = of(&serial.functions, "/nowhere/a.so");
    near(inner.share, 0.75);
    near(inner.seconds.unwrap(), 375e-6);
    assert_eq!(inner.samples, 2);
    assert!(inner.between[0] < 0.75 && inner.between[1] > 0.75);
    near(of(&serial.functions, "/nowhere/b.so").share, 0.25);
    // All of it is called from there.
    near(of(&serial.outermost, "/nowhere/b.so").share, 1.0);
    assert_eq!(serial.outermost.len(), 1);
    // Files that are not there have no names.
    let mut all = serial.functions.iter().chain(&serial.outermost);
    assert!(all.all(|function| function.function.is_none() && function.file.is_none()));
}

#[test]
fn of_several_processes_it_is_the_mean() {
    let directory = tempfile::tempdir().unwrap();
    let paths = [0, 1].map(|rank| {
        let meta = of_rank(rank);
        trace(directory.path(), &format!("rank-{rank}"), &meta)
    });
    stacks(&paths[0], &SAMPLES);
    let serial = serial(&paths).unwrap();
    near(serial.seconds.unwrap(), 500e-6);
    near(serial.unsampled_seconds.unwrap(), 250e-6);
    let inner = of(&serial.functions, "/nowhere/a.so");
    // A share of the samples' time; it is half of the mean process's.
    near(inner.share, 0.75);
    near(inner.seconds.unwrap(), 375e-6 / 2.0);
}

#[test]
fn what_is_not_known_is_not_said() {
    let directory = tempfile::tempdir().unwrap();
    // Nobody knows when threads were on a core: shares, but no times.
    let path = trace(directory.path(), "pid-1", &meta(None));
    stacks(&path, &SAMPLES);
    let blind = serial(&[path]).unwrap();
    assert_eq!(blind.samples, 3);
    assert_eq!((blind.seconds, blind.off_core_seconds, blind.unsampled_seconds), (None, None, None));
    assert!(blind.functions.iter().all(|function| function.seconds.is_none()));
    near(of(&blind.functions, "/nowhere/a.so").share, 0.75);
    // Regions are not told one by one: what was serial is not known.
    let mut aggregate = of_rank(2);
    aggregate.mode.aggregate = true;
    let path = trace(directory.path(), "pid-2", &aggregate);
    stacks(&path, &SAMPLES);
    assert_eq!(serial(&[path]), None);
    // No sample was taken.
    let path = trace(directory.path(), "pid-3", &of_rank(3));
    stacks(&path, &[]);
    let none = serial(&[path]).unwrap();
    assert_eq!((none.samples, none.functions.len()), (0, 0));
    near(none.unsampled_seconds.unwrap(), 500e-6);
}
