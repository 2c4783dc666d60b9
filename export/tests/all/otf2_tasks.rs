//! OTF2: explicit tasks that are told one by one are created, switched to and complete; a trace that ends in one leaves what is open in
//! the task that began it.

use ompchunk_export::Format;
use ompchunk_trace_format::{Event, Mode};

use crate::common::otf2::{Record, events, is_here};
use crate::common::{self, TASKWAIT, task_switch};

/// `ompt_task_complete` and `ompt_task_switch`
const COMPLETE: u32 = 1;
const SWITCH: u32 = 7;
fn create(task: u64, parent: u64, flags: u32) -> Event<'static> {
    common::task_create(task, parent, flags, 0)
}

/// Thread 1 runs task 2 and in its `taskwait` 3, all of which thread 0 created, but 3; 9 is a `taskwait` with dependences.
fn lanes() -> [Vec<(u64, Event<'static>)>; 2] {
    let first = vec![
        (0, common::thread_begin(0)),
        (0, common::task(0, 1, 1)),
        // Outside of all teams.
        (0, create(1, 0, 4)),
        (0, task_switch(0, SWITCH, 1)),
        (0, task_switch(1, COMPLETE, 0)),
        (1, common::parallel(1)),
        (2, common::task(1, 0, 2)),
        (10, create(2, 0, 4)),
        (11, create(9, 0, 0x10)),
        (90, common::task_end(1)),
        (90, Event::ParallelEnd { parallel: 1 }),
        (99, Event::ThreadEnd { thread: 0 }),
    ];
    let second = vec![
        (1, common::thread_begin(1)),
        (3, common::task(1, 1, 2)),
        (20, task_switch(0, SWITCH, 2)),
        (30, create(3, 2, 4)),
        (40, Event::SyncBegin(TASKWAIT)),
        (50, task_switch(2, SWITCH, 3)),
        (60, task_switch(3, COMPLETE, 2)),
        (70, Event::SyncEnd(TASKWAIT)),
        (80, task_switch(2, COMPLETE, 0)),
        (90, common::task_end(1)),
        (99, Event::ThreadEnd { thread: 1 }),
    ];
    [first, second]
}

/// What happens in the second thread, and in the first: the kind of event, its time, and the region.
fn archive(until: u64) -> [Vec<(String, u64, String)>; 2] {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("pid-1.trace");
    let mut meta = common::meta(1, None);
    meta.mode = Mode { sample: 1, tasks: true, ..Mode::default() };
    let mut part = common::part(&path, &meta);
    let [first, second] = lanes();
    // The lane that runs task 2 is read before the one that creates it.
    for (lane, all) in [(1, second), (0, first)] {
        let told = all.into_iter().filter(|(ticks, _)| *ticks < until);
        common::write(&mut part, lane, &told.collect::<Vec<_>>());
    }
    match until {
        u64::MAX => part.finish(1_100).unwrap(),
        _ => part.abandon().unwrap(),
    }
    let to = directory.path().join("archive");
    common::written(Format::Otf2, &path, &to);
    let all = events(&to);
    let of = |record: &Record| {
        let kind = record.kind.replace("THREAD_TASK_", "");
        (kind, record.time, record.what.clone())
    };
    [1 << 32, 0].map(|location: u64| all[&location].iter().map(of).collect())
}

fn kinds(of: &[(String, u64, String)]) -> Vec<(&str, u64)> {
    of.iter().map(|(kind, time, _)| (kind.as_str(), *time)).collect()
}

#[test]
fn a_task_is_created_switched_to_and_complete() {
    if !is_here() {
        return;
    }
    let [second, first] = archive(u64::MAX);
    let expected = [
        ("THREAD_TEAM_BEGIN", 15),
        ("ENTER", 15),
        ("SWITCH", 100),
        ("ENTER", 150),
        ("CREATE", 150),
        ("LEAVE", 150),
        ("ENTER", 200),
        ("SWITCH", 250),
        ("COMPLETE", 300),
        ("SWITCH", 300),
        ("LEAVE", 350),
        ("COMPLETE", 400),
        ("SWITCH", 400),
        ("LEAVE", 450),
        ("THREAD_TEAM_END", 450),
    ];
    assert_eq!(kinds(&second), expected);
    let created = first.iter().filter(|(kind, ..)| kind == "CREATE");
    assert_eq!(created.map(|(_, time, _)| *time).collect::<Vec<_>>(), [50]);
    assert!(!kinds(&first).iter().any(|(kind, _)| *kind == "SWITCH"));
}

/// Cut while task 3 runs in the `taskwait` of task 2: that is left in 2, and the parallel region in the implicit task.
#[test]
fn a_trace_that_ends_in_a_task() {
    if !is_here() {
        return;
    }
    let [second, _] = archive(60);
    let expected =
        [("SWITCH", 250), ("SWITCH", 250), ("LEAVE", 250), ("SWITCH", 250), ("LEAVE", 250), ("THREAD_TEAM_END", 250)];
    let found = kinds(&second);
    assert_eq!(found[found.len() - expected.len()..], expected);
    assert!(second[second.len() - 4].2.starts_with("!$omp taskwait"));
}
