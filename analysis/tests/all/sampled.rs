//! Sampled stacks of traces made by hand: one tick is one microsecond. Times add up to the trace's, whatever samples say, and
//! workers' stacks go on where their region was forked.

use std::path::{Path, PathBuf};

use ompchunk_analysis::sampled::{self, Entry, Kind, Sampled, State};
use ompchunk_trace_format::stacks::StackFile;
use ompchunk_trace_format::{Event, Part};

use crate::common::{Maker, meta, stacks};

const FORK: u64 = 0x4000;

/// Two threads: serial until 100, a region until 400, in which thread 0 works until 200 and thread 1 until 400; the latter is idle from 400 to 500.
fn trace(directory: &Path) -> PathBuf {
    let mut maker = Maker::new(directory, "app", &meta(None));
    maker.threads(1, &[]);
    maker.thread(1, 101, 2);
    maker.region(0, 101, 5, FORK);
    maker.task(0, 101, 5, 2);
    maker.task(1, 101, 5, 2);
    for (lane, ends) in [(0, 201), (1, 401)] {
        maker.wait(lane, 9, (ends, 401));
        maker.put(lane, 401, &Event::ImplicitTaskEnd { parallel: 5 });
    }
    maker.put(0, 401, &Event::ParallelEnd { parallel: 5 });
    for lane in [0, 1] {
        maker.put(lane, 501, &Event::ThreadEnd { thread: lane });
    }
    maker.finish(501)
}

/// Thread, time, CPU time, state, frames.
type Given<'g> = (u32, u64, u64, u32, &'g [u64]);

fn read(samples: &[Given<'_>]) -> Sampled {
    let directory = tempfile::tempdir().unwrap();
    let path = trace(directory.path());
    let mut writer = stacks(&path, &[], samples.iter().copied());
    writer.fork(0, 400, 5, &[FORK, 0x1000]).unwrap();
    writer.finish().unwrap();
    let file = StackFile::beside(&path).unwrap().unwrap();
    sampled::sampled(&Part::open(&path).unwrap(), &file).unwrap()
}

fn sum(sampled: &Sampled, of: impl Fn(&Entry) -> bool) -> u64 {
    let entries = sampled.entries.iter().filter(|entry| of(entry));
    entries.map(|entry| entry.ticks).sum()
}

/// Without a single sample all times are known, too.
fn times(sampled: &Sampled) {
    assert_eq!(sum(sampled, |entry| entry.thread == 0), 500);
    assert_eq!(sum(sampled, |entry| entry.thread == 1), 400);
    let wait = |thread| sum(sampled, |entry| entry.thread == thread && entry.state.kind() == Kind::Wait);
    assert_eq!((wait(0), wait(1)), (200, 100));
    assert_eq!(sum(sampled, |entry| entry.state == State::Idle), 100);
    assert_eq!(sum(sampled, |entry| entry.state == State::ImplicitBarrier), 200);
    assert_eq!(sum(sampled, |entry| entry.state == State::Serial), 200);
    assert_eq!(sum(sampled, |entry| entry.state == State::Work), 400);
}

#[test]
fn times_are_the_traces() {
    let none = read(&[]);
    times(&none);
    assert!(none.entries.iter().all(|entry| !entry.sampled()));
    let some = read(&[
        (0, 50, 1000, 0, &[0x10, 0x1000]),
        (0, 150, 3000, 1, &[0x20, FORK, 0x1000]),
        (0, 160, 1000, 1, &[0x30, FORK, 0x1000]),
        (1, 350, 0, 1, &[0x20]),
        (0, 300, 7, 0x11, &[FORK, 0x1000]),
        (1, 450, 7, 0x100, &[0x99]),
    ]);
    times(&some);
    // By the CPU time that they stand for.
    let at = |time| sum(&some, |entry| entry.time == time && entry.thread == 0);
    assert_eq!((at(150), at(160)), (75, 25));
    assert_eq!(some.unused, 0);
}

/// What a thread waits for, where the trace does not say.
#[test]
fn states_of_samples() {
    let sampled = read(&[
        (1, 200, 1000, 0x42, &[0x20]),
        (1, 300, 1000, 1, &[0x20]),
        // A task, at the barrier.
        (0, 300, 1000, 1, &[0x20, FORK, 0x1000]),
    ]);
    assert_eq!(sum(&sampled, |entry| entry.state == State::Critical), 150);
    assert_eq!(sum(&sampled, |entry| entry.thread == 1 && entry.state == State::Work), 150);
    assert_eq!(sum(&sampled, |entry| entry.state == State::ImplicitBarrier), 0);
    assert_eq!(sum(&sampled, |_| true), 900);
}

/// Samples of a thread that the trace does not know stand for the CPU time that they tell.
#[test]
fn threads_without_events() {
    let sampled = read(&[(7, 300, 20_000, 0, &[0x20]), (7, 310, 30_000, 0, &[0x20])]);
    assert_eq!(sum(&sampled, |entry| entry.thread == 7), 50);
    assert_eq!(sum(&sampled, |entry| entry.thread < 2), 900);
}
