//! The oracle must see every way of being wrong. Each test breaks one thing in a good log.

use super::*;
use crate::log::{Chunk, Datum, Dispatch, Entry, Iteration, Log};

const TRIP: u64 = 5;

fn parallel() -> Datum {
    Datum {
        value: 1,
        address: 0x100,
    }
}

fn task(thread: u64) -> Datum {
    Datum {
        value: 10 + thread,
        address: 0x1000 + 16 * thread,
    }
}

fn dispatch(thread: u64, lower: u64, upper: u64) -> Entry {
    Entry::Dispatch(Dispatch {
        kind: 3,
        parallel: parallel(),
        task: task(thread),
        start: lower,
        iterations: upper.wrapping_sub(lower).wrapping_add(1),
    })
}

fn chunk(thread: u64, lower: u64, upper: u64, is_last: bool) -> Entry {
    Entry::Chunk(Chunk {
        task: task(thread),
        lower,
        upper,
        is_last: is_last.into(),
        duration: 1.0,
    })
}

fn iteration(index: u64) -> Entry {
    Entry::Iteration(Iteration {
        the_loop: 0,
        index,
        trip: TRIP,
        value: None,
    })
}

fn run(thread: u64, lower: u64, upper: u64, is_last: bool) -> Vec<Entry> {
    let mut entries = vec![
        dispatch(thread, lower, upper),
        chunk(thread, lower, upper, is_last),
    ];
    entries.extend((lower..=upper).map(iteration));
    entries
}

fn on_thread(thread: u64, kind: u64, body: Vec<Entry>) -> Vec<Entry> {
    let mut entries = vec![
        Entry::TaskBegin {
            task: task(thread),
            parallel: parallel(),
            initial: false,
        },
        Entry::WorkBegin {
            kind,
            parallel: parallel().value,
            task: task(thread).value,
            trip: TRIP,
        },
    ];
    entries.extend(body);
    entries.push(Entry::WorkEnd { kind });
    entries.push(Entry::TaskEnd {
        task: task(thread).value,
    });
    entries
}

/// `schedule(static,2)`, five iterations, three threads of which the last has none... of four: the
/// chunks are 0-1, 2-3, 4, and nothing.
fn good() -> Log {
    let parts = [
        run(0, 0, 1, true),
        run(1, 2, 3, true),
        run(2, 4, 4, true),
        Vec::new(),
    ];
    log(parts)
}

/// The same loop on one thread, chunk by chunk.
fn good_serial() -> Log {
    log([[run(0, 0, 1, false), run(0, 2, 3, false), run(0, 4, 4, true)].concat()])
}

fn log<const N: usize>(parts: [Vec<Entry>; N]) -> Log {
    let threads = parts
        .into_iter()
        .zip(0..)
        .map(|(part, thread)| on_thread(thread, 10, part));
    Log {
        threads: threads.collect(),
        ..Log::default()
    }
}

fn violations(log: &Log) -> Vec<String> {
    violations_for(log, &Expected::default())
}

fn violations_for(log: &Log, expected: &Expected) -> Vec<String> {
    judge(log, expected)
        .violations
        .iter()
        .map(ToString::to_string)
        .collect()
}

/// Replaces the entry that `is` picks in a good serial log with `by`.
fn broken(is: impl Fn(&Entry) -> bool, by: Vec<Entry>) -> Vec<String> {
    let mut log = good_serial();
    let at = log.threads[0]
        .iter()
        .position(is)
        .expect("an entry to break");
    log.threads[0].splice(at..=at, by);
    violations(&log)
}

fn assert_finds(found: &[String], what: &str) {
    assert!(
        found.iter().any(|v| v.contains(what)),
        "no `{what}` in {found:#?}"
    );
}

fn is_chunk_at(lower: u64) -> impl Fn(&Entry) -> bool {
    move |entry| matches!(entry, Entry::Chunk(c) if c.lower == lower)
}

fn is_dispatch_at(lower: u64) -> impl Fn(&Entry) -> bool {
    move |entry| matches!(entry, Entry::Dispatch(d) if d.start == lower)
}

#[test]
fn good_logs_pass() {
    assert_eq!(violations(&good()), [""; 0]);
    assert_eq!(violations(&good_serial()), [""; 0]);
    assert_eq!(judge(&good(), &Expected::default()).chunks, 3);
    assert_eq!(
        judge(&good_serial(), &Expected::default()).iterations,
        [(0, TRIP)].into()
    );
}

#[test]
fn missing_events() {
    assert_finds(
        &broken(is_chunk_at(2), vec![]),
        "from 2 on ran without a chunk event",
    );
    assert_finds(
        &broken(is_dispatch_at(2), vec![]),
        "from 2 on ran without a dispatch event",
    );
    let none = log([(0..TRIP).map(iteration).collect()]);
    assert_finds(&violations(&none), "from 0 on ran without a chunk event");
}

#[test]
fn a_missing_pair_shows_as_a_longer_chunk() {
    let mut log = good_serial();
    log.threads[0].retain(|e| !is_chunk_at(2)(e) && !is_dispatch_at(2)(e));
    assert_finds(&violations(&log), "announced 0 to 1, but [0, 1, 2, 3] ran");
}

#[test]
fn duplicate_events() {
    let twice = vec![chunk(0, 2, 3, false), chunk(0, 2, 3, false)];
    assert_finds(&broken(is_chunk_at(2), twice), "2 chunk events");
    let twice = vec![dispatch(0, 2, 3), dispatch(0, 2, 3)];
    assert_finds(&broken(is_dispatch_at(2), twice), "2 dispatch events");
}

#[test]
fn unclamped_last_chunk() {
    assert_finds(
        &broken(is_chunk_at(4), vec![chunk(0, 4, 5, true)]),
        "announced 4 to 5, but [4] ran",
    );
    assert_finds(
        &broken(is_dispatch_at(4), vec![dispatch(0, 4, 5)]),
        "announced 4 to 5, but [4] ran",
    );
}

#[test]
fn events_that_contradict_each_other() {
    assert_finds(
        &broken(is_dispatch_at(4), vec![dispatch(0, 3, 4)]),
        "contradicts",
    );
}

#[test]
fn wrong_thread() {
    // Thread 1's events fire on thread 0, in whose log its task is not the current one.
    let events = [chunk(1, 2, 3, true), dispatch(1, 2, 3)];
    let parts = [
        [run(0, 0, 1, true), events.to_vec()].concat(),
        vec![iteration(2), iteration(3)],
        run(2, 4, 4, true),
    ];
    let found = violations(&log(parts));
    assert_finds(&found, "thread 0, loop 0: no iteration followed");
    assert_finds(
        &found,
        "thread 1, loop 0: iterations from 2 on ran without a chunk event",
    );
    assert_finds(&found, "task data are");
}

#[test]
fn wrong_order() {
    let late = log([[
        vec![
            dispatch(0, 0, 1),
            iteration(0),
            chunk(0, 0, 1, false),
            iteration(1),
        ],
        run(0, 2, 4, true),
    ]
    .concat()]);
    assert_finds(&violations(&late), "announced 0 to 1, but [0] ran");
    let shuffled = log([[run(0, 2, 4, false), run(0, 0, 1, true)].concat()]);
    assert_finds(&violations(&shuffled), "chunk from 0 on came after 4");
    let backwards = log([vec![
        dispatch(0, 0, 1),
        chunk(0, 0, 1, true),
        iteration(1),
        iteration(0),
    ]]);
    assert_finds(&violations(&backwards), "announced 0 to 1, but [1, 0] ran");
}

#[test]
fn last_flags() {
    assert_finds(
        &broken(is_chunk_at(0), vec![chunk(0, 0, 1, true)]),
        "should be 0",
    );
    assert_finds(
        &broken(is_chunk_at(4), vec![chunk(0, 4, 4, false)]),
        "should be 1",
    );
}

#[test]
fn events_without_iterations() {
    let empty = log([run(0, 0, 4, true), vec![dispatch(1, 5, 4)]]);
    assert_finds(&violations(&empty), "thread 1: no iteration followed");
    let empty = log([run(0, 0, 4, true), vec![chunk(1, 0, u64::MAX, true)]]);
    assert_finds(&violations(&empty), "thread 1: no iteration followed");
}

#[test]
fn wrong_data() {
    let other = Chunk {
        task: task(7),
        lower: 2,
        upper: 3,
        is_last: 0,
        duration: 1.0,
    };
    assert_finds(
        &broken(is_chunk_at(2), vec![Entry::Chunk(other)]),
        "chunk event: task data",
    );
    let null = Chunk {
        task: Datum {
            value: 0,
            address: 0,
        },
        ..other
    };
    assert_finds(
        &broken(is_chunk_at(2), vec![Entry::Chunk(null)]),
        "chunk event: task data",
    );
    let Entry::Dispatch(mut other) = dispatch(0, 2, 3) else {
        unreachable!()
    };
    other.parallel.value = 2;
    assert_finds(
        &broken(is_dispatch_at(2), vec![Entry::Dispatch(other)]),
        "dispatch event: parallel",
    );
}

#[test]
fn wrong_kind() {
    let Entry::Dispatch(mut other) = dispatch(0, 2, 3) else {
        unreachable!()
    };
    other.kind = 5;
    assert_finds(
        &broken(is_dispatch_at(2), vec![Entry::Dispatch(other)]),
        "dispatch event of kind 5",
    );
}

#[test]
fn durations() {
    let timed = |duration| Chunk {
        task: task(0),
        lower: 2,
        upper: 3,
        is_last: 0,
        duration,
    };
    for wrong in [-1.0, 0.0, 1001.0, f64::NAN] {
        let found = broken(is_chunk_at(2), vec![Entry::Chunk(timed(wrong))]);
        assert_finds(&found, "is not the duration of bookkeeping");
    }
    let no_clock = Expected {
        clock: false,
        ..Expected::default()
    };
    assert_finds(&violations_for(&good(), &no_clock), "1 is not the duration");
}

#[test]
fn iteration_spaces() {
    let twice = log([run(0, 0, 2, true), run(1, 2, 4, true)]);
    assert_finds(&violations(&twice), "iteration 2 ran more than once");
    let gap = log([run(0, 0, 1, true), run(1, 3, 4, true)]);
    assert_finds(&violations(&gap), "iteration 2 never ran");
    let beyond = log([run(0, 0, 5, true)]);
    assert_finds(&violations(&beyond), "iteration 5 is none of the loop's");
}

#[test]
fn shared_task_data() {
    let mut log = good();
    log.threads[1] = on_thread(0, 10, run(0, 2, 3, true));
    assert_finds(&violations(&log), "two threads carry task data 10");
}

#[test]
fn outside_of_loops() {
    let stray = Log {
        threads: vec![vec![chunk(0, 0, 1, true)]],
        ..Log::default()
    };
    assert_finds(&violations(&stray), "outside of any loop");
    let mut log = good();
    log.threads[0].pop();
    log.threads[0].push(Entry::TaskEnd { task: 99 });
    assert_finds(&violations(&log), "task 99 ended out of turn");
}

#[test]
fn left_alone_loops_have_the_runtimes_events_only() {
    let expected = Expected {
        left_alone: [0].into(),
        ..Expected::default()
    };
    assert_finds(&violations_for(&good(), &expected), "left alone");
    let mut log = good();
    for entries in &mut log.threads {
        entries.retain(|e| !matches!(e, Entry::Chunk(_)));
    }
    assert_eq!(violations_for(&log, &expected), [""; 0]);
}

#[test]
fn sections_are_no_loops() {
    let sections = on_thread(0, 2, vec![dispatch(0, 0, 1)]);
    let log = Log {
        threads: vec![sections],
        ..Log::default()
    };
    assert_finds(&violations(&log), "dispatch event of kind 3");
}

#[test]
fn cancelled_loops_may_stop_anywhere_in_their_last_chunk() {
    let expected = Expected {
        cancelled: [0].into(),
        ..Expected::default()
    };
    let mut stopped = good_serial();
    stopped.threads[0].retain(|e| !matches!(e, Entry::Iteration(i) if i.index == 3));
    assert_finds(
        &violations_for(&stopped, &expected),
        "announced 2 to 3, but [2] ran",
    );
    let stopped = log([[
        run(0, 0, 1, false),
        vec![dispatch(0, 2, 4), chunk(0, 2, 4, false), iteration(2)],
    ]
    .concat()]);
    assert_eq!(violations_for(&stopped, &expected), [""; 0]);
    assert_finds(&violations(&stopped), "announced 2 to 4, but [2] ran");
}

#[test]
fn a_nested_region_does_not_disturb_the_outer_loop() {
    let mut log = log([[run(0, 0, 1, false), run(0, 2, 4, true)].concat()]);
    let inner = Datum {
        value: 70,
        address: 0x7000,
    };
    let region = Datum {
        value: 71,
        address: 0x7100,
    };
    let nested = [
        Entry::TaskBegin {
            task: inner,
            parallel: region,
            initial: false,
        },
        Entry::WorkBegin {
            kind: 10,
            parallel: 71,
            task: 70,
            trip: TRIP,
        },
        Entry::WorkEnd { kind: 10 },
        Entry::TaskEnd { task: 70 },
    ];
    let at = log.threads[0]
        .iter()
        .position(|e| *e == iteration(1))
        .unwrap();
    log.threads[0].splice(at..at, nested);
    assert_eq!(violations(&log), [""; 0]);
}
