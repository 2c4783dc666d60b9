//! The check: it accepts what is in order and names each kind of disorder.

mod common;

use ompchunk_trace_format::{Event, PartWriter, Trace};

const BEGIN: Event<'static> = Event::ParallelBegin {
    parallel: 1,
    requested: 2,
    flags: 1,
    code: 0,
};
const END: Event<'static> = Event::ParallelEnd { parallel: 1 };
const TASK: Event<'static> = Event::ImplicitTaskBegin {
    parallel: 1,
    index: 0,
    team_size: 2,
    flags: 2,
};
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
    checked.violations.iter().map(|it| it.to_string()).collect()
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
    let every: Vec<_> = common::every_kind()
        .into_iter()
        .map(|(ticks, event)| (0, ticks, event))
        .collect();
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
    assert!(
        found[0].ends_with("Parallel(1) ends, but ImplicitTask(1) is open"),
        "{found:?}"
    );
    let found = check(&[(0, 1, Event::LoopEnd { the_loop: 4 })], true);
    assert_eq!(found, ["lane 0, tick 1: Loop(4) ends, but nothing is open"]);
    let found = check(&[(0, 1, common::chunk(0, 1))], true);
    assert_eq!(found, ["lane 0, tick 1: a chunk outside of a loop"]);
}

#[test]
fn something_lies_after_its_region() {
    let late = [
        (0, 10, BEGIN),
        (1, 11, TASK),
        (0, 30, END),
        (1, 31, TASK_END),
    ];
    let found = check(&late, true);
    assert_eq!(
        found,
        ["lane 1, tick 31: an implicit task ends after its parallel region 1"]
    );
    let found = check(&late[..3], true);
    assert_eq!(
        found,
        ["lane 1, tick 11: an implicit task of parallel region 1 never ends"]
    );
    let found = check(&[(1, 5, TASK), (0, 10, BEGIN)], true);
    assert_eq!(
        found,
        ["lane 1, tick 5: an implicit task begins before its parallel region 1"]
    );
}
