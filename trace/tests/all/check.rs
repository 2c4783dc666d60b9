//! The check: it accepts what is in order and names each kind of disorder.

use ompchunk_trace_format::{Event, LoopBegin, PartWriter, SubBlock, Trace};

use crate::common;

const BEGIN: Event<'static> = Event::ParallelBegin { parallel: 1, requested: 2, flags: 1, code: 0 };
const END: Event<'static> = Event::ParallelEnd { parallel: 1 };
const TASK: Event<'static> = Event::ImplicitTaskBegin { parallel: 1, index: 0, team_size: 2, flags: 2 };
const TASK_END: Event<'static> = Event::ImplicitTaskEnd { parallel: 1 };

/// What the check says of events, each with its lane and time.
fn check(events: &[(u32, u64, Event<'_>)], finished: bool) -> Vec<String> {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("0.trace");
    let mut part = PartWriter::create(&path, &common::meta(), 0).unwrap();
    for (lane, ticks, event) in events {
        part.event(*lane, *ticks, event).unwrap();
    }
    if finished {
        part.finish(1000).unwrap();
    } else {
        part.abandon().unwrap();
    }
    let checked = Trace::open(&path).unwrap().parts[0].check().unwrap();
    assert_eq!(checked.events, events.len() as u64);
    assert_eq!(checked.count, checked.violations.len() as u64);
    checked.violations.iter().map(ToString::to_string).collect()
}

#[test]
fn order_is_accepted() {
    let team = [
        (0, 10, BEGIN),
        (1, 10, TASK),
        (0, 11, TASK),
        (0, 20, TASK_END),
        (0, 30, END),
        // The runtime delivers it late; it stands at the region's end.
        (1, 30, TASK_END),
    ];
    assert_eq!(check(&team, true), [""; 0]);
    assert_eq!(check(&team[..5], false), [""; 0], "a cut takes ends away");
    let every: Vec<_> = common::every_kind().into_iter().map(|(ticks, event)| (0, ticks, event)).collect();
    assert_eq!(check(&every, true), [""; 0]);
}

#[test]
fn time_goes_back() {
    let found = check(&[(3, 50, BEGIN), (3, 40, END)], true);
    assert_eq!(found, ["lane 3, tick 40: the time goes back by 10 ticks"]);
}

#[test]
fn ends_do_not_match() {
    let found = check(&[(0, 1, BEGIN), (0, 2, TASK), (0, 3, END)], true);
    assert!(found[0].ends_with("Parallel(1) ends, but ImplicitTask(1) is open"), "{found:?}");
    let found = check(&[(0, 1, Event::LoopEnd { the_loop: 4 })], true);
    assert_eq!(found, ["lane 0, tick 1: Loop(4) ends, but nothing is open"]);
    let found = check(&[(0, 1, common::chunk(0, 1))], true);
    assert_eq!(found, ["lane 0, tick 1: a chunk outside of a loop"]);
}

#[test]
fn something_lies_after_its_region() {
    let late = [(0, 10, BEGIN), (1, 11, TASK), (0, 30, END), (1, 31, TASK_END)];
    let found = check(&late, true);
    assert_eq!(found, ["lane 1, tick 31: an implicit task ends after its parallel region 1"]);
    let found = check(&late[..3], true);
    assert_eq!(found, ["lane 1, tick 11: an implicit task of parallel region 1 never ends"]);
    let found = check(&[(1, 5, TASK), (0, 10, BEGIN)], true);
    assert_eq!(found, ["lane 1, tick 5: an implicit task begins before its parallel region 1"]);
}

const INITIAL: Event<'static> = Event::ImplicitTaskBegin { parallel: 0, index: 0, team_size: 1, flags: 1 };
const INITIAL_END: Event<'static> = Event::ImplicitTaskEnd { parallel: 0 };
const THREAD: Event<'static> = Event::ThreadBegin { thread: 0, os_thread: 1, kind: 1 };
const THREAD_END: Event<'static> = Event::ThreadEnd { thread: 0 };

const LOOP: Event<'static> = Event::LoopBegin(LoopBegin { the_loop: 0, work: 1, count: 1, start: None, step: None });

/// Thread 0 calls `exit` in a region of two. The recorder ends the region; the other thread is still in it.
fn exit_inside() -> Vec<(u32, u64, Event<'static>)> {
    vec![
        (0, 1, THREAD),
        (0, 1, INITIAL),
        (0, 10, BEGIN),
        (0, 11, TASK),
        (1, 11, TASK),
        (0, 20, TASK_END),
        (0, 21, END),
        (0, 21, INITIAL_END),
        (0, 21, THREAD_END),
    ]
}

#[test]
fn what_is_open_when_the_process_ends_is_no_disorder() {
    assert_eq!(check(&exit_inside(), true), [""; 0]);
    // The other thread goes on until the process is gone, or begins only now.
    for late in [TASK_END, THREAD] {
        let mut events = exit_inside();
        events.push((1, 22, late));
        assert_eq!(check(&events, true), [""; 0]);
    }
    let mut events = exit_inside();
    events.push((2, 23, TASK));
    assert_eq!(check(&events, true), [""; 0]);
    events.retain(|(lane, ..)| *lane != 1);
    assert_eq!(check(&events, true), [""; 0], "nobody was in it before");
    // In a region inside a region, whose end has a time of its own.
    let inner = |event| match event {
        Event::ParallelBegin { requested, flags, code, .. } => {
            Event::ParallelBegin { parallel: 2, requested, flags, code }
        }
        Event::ImplicitTaskBegin { index, flags, .. } => {
            Event::ImplicitTaskBegin { parallel: 2, index, team_size: 2, flags }
        }
        Event::ImplicitTaskEnd { .. } => Event::ImplicitTaskEnd { parallel: 2 },
        _ => Event::ParallelEnd { parallel: 2 },
    };
    let mut events = exit_inside();
    events.splice(
        5..5,
        [
            (0, 12, inner(BEGIN)),
            (0, 13, inner(TASK)),
            (2, 13, inner(TASK)),
            (0, 19, inner(TASK_END)),
            (0, 20, inner(END)),
        ],
    );
    assert_eq!(check(&events, true), [""; 0]);
}

/// The same events are wrong where the program has gone on after the region.
#[test]
fn a_region_that_ended_before_the_end_has_ended() {
    let never = "lane 1, tick 11: an implicit task of parallel region 1 never ends";
    // Its thread ended later, did something, or did not end.
    let mut events = exit_inside();
    events[7].1 = 25;
    events[8].1 = 25;
    assert_eq!(check(&events, true), [never]);
    let mut events = exit_inside();
    events.insert(7, (0, 21, LOOP));
    events.insert(8, (0, 21, Event::LoopEnd { the_loop: 0 }));
    assert_eq!(check(&events, true), [never]);
    assert_eq!(check(&exit_inside()[..7], true), [never]);
    // What came late is told when that is known.
    let mut events = exit_inside();
    events.insert(7, (1, 21, TASK_END));
    events[7].1 = 22;
    events[8].1 = 23;
    events[9].1 = 23;
    let late = "lane 1, tick 22: an implicit task ends after its parallel region 1";
    assert_eq!(check(&events, true), [late]);
    // Or at once, where it is known already.
    events.insert(7, (0, 21, LOOP));
    events.insert(8, (0, 21, Event::LoopEnd { the_loop: 0 }));
    assert_eq!(check(&events, true), [late]);
}

fn sub_block(lower: u64, iterations: u64, flags: u32) -> Event<'static> {
    Event::SubBlock(SubBlock { lower, iterations, first: flags & 1 != 0, last: flags & 2 != 0 })
}

fn pieces(chunk: Event<'static>, pieces: &[(u64, u64, u32)]) -> Vec<(u32, u64, Event<'static>)> {
    let mut events = vec![(0, 1, LOOP), (0, 2, chunk)];
    for (lower, iterations, flags) in pieces {
        events.push((0, 3, sub_block(*lower, *iterations, *flags)));
    }
    events.push((0, 9, Event::LoopEnd { the_loop: 0 }));
    events
}

#[test]
fn sub_blocks_divide_their_chunk() {
    let ten = || common::chunk(100, 10);
    let of = |divided: &[(u64, u64, u32)]| check(&pieces(ten(), divided), true);
    assert_eq!(of(&[(100, 10, 3)]), [""; 0]);
    assert_eq!(of(&[(100, 4, 1), (104, 1, 0), (105, 5, 2)]), [""; 0]);
    assert_eq!(of(&[(100, 4, 1)]), [""; 0], "the program left the loop");
    for (wrong, what) in [
        (&[(101, 9, 2)][..], "a sub-block of 9 iterations at 101 leaves out 1"),
        (&[(99, 2, 1)], "a sub-block of 2 iterations at 99 reaches beyond its chunk"),
        (&[(100, 11, 3)], "a sub-block of 11 iterations at 100 reaches beyond its chunk"),
        (&[(100, u64::MAX, 3)], "a sub-block of 18446744073709551615 iterations at 100 reaches beyond its chunk"),
        (&[(100, 4, 1), (106, 4, 2)], "a sub-block of 4 iterations at 106 leaves out 2"),
        (&[(100, 4, 1), (103, 7, 2)], "a sub-block of 7 iterations at 103 repeats iterations"),
        (&[(100, 4, 0)], "a sub-block of 4 iterations at 100 is wrong about being the first"),
        (&[(100, 4, 1), (104, 2, 1)], "a sub-block of 2 iterations at 104 is wrong about being the first"),
        (&[(100, 10, 1)], "a sub-block of 10 iterations at 100 is wrong about being the last"),
        (&[(100, 4, 3)], "a sub-block of 4 iterations at 100 is wrong about being the last"),
        (&[(100, 0, 1)], "a sub-block of no iterations"),
        (&[(100, 10, 3), (100, 10, 3)], "a sub-block of 10 iterations at 100 comes after its chunk's last"),
    ] {
        assert_eq!(of(wrong), [format!("lane 0, tick 3: {what}")]);
    }
    // Iterations go round like the loop's variable.
    let around = common::chunk(u64::MAX - 1, 4);
    let divided = [(u64::MAX - 1, 1, 1), (u64::MAX, 2, 0), (1, 1, 2)];
    assert_eq!(check(&pieces(around, &divided), true), [""; 0]);
}

#[test]
fn sub_blocks_are_their_own_chunks() {
    let outside = check(&[(0, 1, sub_block(0, 1, 3))], true);
    assert_eq!(outside, ["lane 0, tick 1: a sub-block outside of a loop"]);
    let mut early = pieces(common::chunk(0, 1), &[(0, 1, 3)]);
    early.swap(1, 2);
    early[1].1 = 2;
    early[2].1 = 3;
    let found = check(&early, true);
    assert_eq!(found, ["lane 0, tick 2: a sub-block before its loop's first chunk"]);
    // The next chunk has pieces of its own; a loop inside a piece leaves the outer one where it was.
    let inner = pieces(common::chunk(0, 2), &[(0, 1, 1), (1, 1, 2)]);
    let mut events = pieces(common::chunk(0, 2), &[(0, 1, 1), (1, 1, 2)]);
    events.splice(3..3, inner.into_iter().map(|(lane, _, event)| (lane, 3, event)));
    let at = events.len() - 1;
    events.splice(at..at, [(0, 4, common::chunk(2, 1)), (0, 4, sub_block(2, 1, 3))]);
    assert_eq!(check(&events, true), [""; 0]);
}
