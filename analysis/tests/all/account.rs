//! The account of thread time, of traces made by hand: one tick is one microsecond.

use ompchunk_analysis::model::Account;
use ompchunk_trace_format::sum::{MUTEX_IN_TASK, TASK_IN_WAIT, TASK_WAITS};
use ompchunk_trace_format::{Event, Meta, NOBODY, OffCore, Paused, SumOf};

use crate::common::{Maker, added_up, definition, meta, near, recorder, report, taken};

const TASKWAIT: u32 = 5;
const REGION_END: u32 = 8;
const EXPLICIT: u32 = 3;
/// `ompt_work_t`
const SINGLE: u32 = 3;
const SINGLE_OTHER: u32 = 4;
/// `ompt_mutex_t`
const CRITICAL: u32 = 5;

/// As of a recorder that asks for locks.
fn knows_locks() -> Meta {
    let mut meta = meta(None);
    meta.events.insert("mutex_acquired".into(), 5);
    meta.clock.cpu_read = Some(1.0);
    meta.clock.own_least = Some(1.0);
    meta
}

/// The program's thread in lane 0 from 0 on, one of the runtime's in lane 1 from 100 on.
fn begun(directory: &tempfile::TempDir, meta: &Meta) -> Maker {
    let mut maker = Maker::new(directory.path(), "pid-7", meta);
    for (lane, ticks, kind) in [(0, 0, 1), (1, 100, 2)] {
        maker.thread(lane, ticks, kind);
        maker.put(lane, ticks, &Event::Loop(definition(0, 12, "sweep")));
    }
    maker
}

fn work(maker: &mut Maker, lane: u32, work: u32, (from, to): (u64, u64)) {
    let begin = Event::WorkBegin { work, count: 1, code: 5 };
    maker.put(lane, from, &begin);
    maker.put(lane, to, &Event::WorkEnd { work });
}

fn account(maker: Maker, end: u64) -> Account {
    let account = report(&maker.finish(end)).run.account.expect("all is told");
    let known: f64 = account.entries.iter().map(|entry| entry.seconds).sum();
    near(known + account.unknown_seconds, account.thread_seconds);
    account
}

fn has(account: &Account, expected: &[(&str, f64)]) {
    for (code, ticks) in expected {
        near(account.seconds(&[code]), ticks * 1e-6);
    }
    let known: Vec<&str> = expected.iter().map(|(code, _)| *code).collect();
    let more: Vec<_> = account.entries.iter().filter(|entry| !known.contains(&entry.code)).collect();
    assert!(more.is_empty(), "{more:?}");
}

#[test]
fn each_moment_is_in_one_place() {
    let directory = tempfile::tempdir().unwrap();
    let mut maker = begun(&directory, &knows_locks());
    // A region from 200 to 600: a single by thread 0, for which thread 1 waits; a loop; the end.
    for lane in 0..2 {
        maker.task(lane, 200, 1, 2);
    }
    work(&mut maker, 0, SINGLE, (210, 300));
    work(&mut maker, 1, SINGLE_OTHER, (210, 210));
    maker.wait(0, EXPLICIT, (300, 302));
    maker.wait(1, EXPLICIT, (210, 302));
    for (lane, chunk, end) in [(0, 312, 500), (1, 302, 400)] {
        maker.begin(lane, 302, 0, 4);
        maker.chunk(lane, chunk, 0, 2, 0);
        maker.put(lane, end, &Event::LoopEnd { the_loop: 0 });
        maker.wait(lane, REGION_END, (end, 500));
        maker.put(lane, 600, &Event::ImplicitTaskEnd { parallel: 1 });
    }
    let account = account(maker, 1000);
    near(account.thread_seconds, 2000e-6);
    has(
        &account,
        &[
            ("serial", 200.0 + 400.0),
            // Thread 1 is not there for 100.
            ("idle", 100.0 + 100.0 + 400.0),
            ("region", 10.0 + 10.0 + 100.0 + 100.0),
            ("single", 90.0),
            ("wait-after-single", 2.0 + 92.0),
            ("bookkeeping", 10.0),
            ("loops", 188.0 + 98.0),
            ("wait-after-loop", 100.0),
        ],
    );
}

/// The loop before a barrier may have no iteration for anybody, and then it is not told.
#[test]
fn tasks_are_taken_out_of_the_wait_that_they_were_run_in() {
    let directory = tempfile::tempdir().unwrap();
    let mut maker = begun(&directory, &knows_locks());
    for (lane, end) in [(0, 300), (1, 400)] {
        maker.task(lane, 200, 1, 2);
        maker.run(lane, 0, (200, end));
        maker.wait(lane, EXPLICIT, (end, 500));
        maker.wait(lane, EXPLICIT, (500, 510));
        maker.put(lane, 600, &Event::ImplicitTaskEnd { parallel: 1 });
    }
    let tasks = added_up(SumOf::Task, TASK_IN_WAIT, NOBODY, (5, 120));
    maker.put(0, 700, &tasks);
    let account = account(maker, 1000);
    near(account.seconds(&["tasks"]), 120e-6);
    near(account.seconds(&["wait-after-loop"]), (300.0 - 120.0) * 1e-6);
    near(account.seconds(&["wait-in-region"]), 20e-6);
    assert_eq!(account.waits_in_region, 2);
    // Nor do loops lose what their threads run tasks meanwhile.
    near(report(&directory.path().join("pid-7.trace")).loops[0].lost_seconds.unwrap(), 0.0);
}

#[test]
fn what_is_added_up_is_taken_out_of_where_it_lies() {
    let directory = tempfile::tempdir().unwrap();
    let mut maker = begun(&directory, &knows_locks());
    for lane in 0..2 {
        maker.task(lane, 200, 1, 2);
        maker.run(lane, 0, (200, 400));
        maker.wait(lane, REGION_END, (400, 600));
        maker.put(lane, 600, &Event::ImplicitTaskEnd { parallel: 1 });
    }
    // 30 in the critical section, of which reading the clock ten times is 10; in the wait tasks of 120 and 40 of waits inside of
    // them, and of the tasks 16 for a lock, likewise.
    maker.add(700, SumOf::Mutex, CRITICAL, 0, (10, 30));
    maker.add(700, SumOf::Task, TASK_IN_WAIT, NOBODY, (5, 120));
    maker.add(700, SumOf::Task, TASK_WAITS, NOBODY, (5, 40));
    maker.add(700, SumOf::Mutex, CRITICAL | MUTEX_IN_TASK, NOBODY, (2, 16));
    let path = {
        let account = account(maker, 1000);
        near(account.seconds(&["wait-after-loop"]), 240e-6);
        has(
            &account,
            &[
                ("serial", 200.0 + 400.0),
                ("idle", 100.0 + 100.0 + 400.0),
                ("wait-after-loop", 240.0),
                ("wait-in-tasks", 40.0),
                // Readings of the clock in it are no waiting: 10 for the one in the loop, 2 for the one in tasks.
                ("loops", 400.0 - 20.0),
                ("tasks", 120.0 - 14.0),
                ("critical", 20.0 + 14.0),
            ],
        );
        directory.path().join("pid-7.trace")
    };
    let found = report(&path);
    // Without the readings, and only what lies in the loop.
    near(found.loops[0].mutex_seconds.unwrap(), 20e-6);
    let [lock] = found.run.locks.as_slice() else {
        panic!("{:?}", found.run.locks);
    };
    assert_eq!((lock.kind, lock.count), ("critical section", 12));
    // 20 of two threads' 400 in the loop are 5 %, 2 for each of ten times.
    let hints: Vec<&str> = found.loops[0].hints.iter().map(|hint| hint.code).collect();
    assert_eq!(hints, ["contended"]);
    near(found.loops[0].metrics.parallel_efficiency.unwrap(), 190.0 / 200.0);
}

/// Each kind of lock has its own entry, wherever threads ask for it.
#[test]
fn a_lock_is_called_what_it_is_wherever_it_is_taken() {
    const LOCK: u32 = 1;
    const WITHIN_SINGLE: u32 = SINGLE << 16;
    let directory = tempfile::tempdir().unwrap();
    let mut maker = begun(&directory, &knows_locks());
    maker.task(0, 200, 1, 1);
    work(&mut maker, 0, SINGLE, (200, 300));
    maker.wait(0, EXPLICIT, (300, 400));
    maker.run(0, 0, (400, 500));
    maker.put(0, 600, &Event::ImplicitTaskEnd { parallel: 1 });
    // One reading of the clock is in each.
    let in_task = |kind| kind | MUTEX_IN_TASK;
    for (of, the_loop, ticks) in [
        (in_task(CRITICAL), NOBODY, 31),
        (in_task(LOCK), NOBODY, 6),
        (LOCK, 0, 41),
        (WITHIN_SINGLE | CRITICAL, NOBODY, 11),
        (LOCK, NOBODY, 4),
    ] {
        maker.add(700, SumOf::Mutex, of, the_loop, (1, ticks));
    }
    maker.add(700, SumOf::Task, TASK_IN_WAIT, NOBODY, (1, 80));
    let account = account(maker, 1000);
    has(
        &account,
        &[
            ("serial", 200.0 + 400.0),
            ("idle", 1000.0),
            ("single", 100.0 - 10.0),
            ("wait-after-single", 100.0 - 80.0),
            ("tasks", 80.0 - 30.0 - 5.0),
            ("loops", 100.0 - 40.0),
            ("region", 100.0 - 3.0),
            ("critical", 30.0 + 10.0),
            ("lock", 5.0 + 40.0 + 3.0),
        ],
    );
}

/// A task that runs at once, where it was created, is taken out of that.
#[test]
fn tasks_of_a_single_construct_are_taken_out_of_it() {
    let directory = tempfile::tempdir().unwrap();
    let mut maker = begun(&directory, &knows_locks());
    maker.task(0, 200, 1, 1);
    work(&mut maker, 0, SINGLE, (200, 300));
    maker.put(0, 600, &Event::ImplicitTaskEnd { parallel: 1 });
    maker.add(700, SumOf::Task, SINGLE << 16, NOBODY, (1, 30));
    maker.add(700, SumOf::Task, 0, NOBODY, (1, 50));
    let places = [("serial", 600.0), ("idle", 1000.0), ("single", 70.0), ("region", 250.0), ("tasks", 80.0)];
    has(&account(maker, 1000), &places);
}

#[test]
fn a_loop_waits_for_all_of_its_locks() {
    const LOCK: u32 = 1;
    let directory = tempfile::tempdir().unwrap();
    let mut maker = begun(&directory, &knows_locks());
    maker.task(0, 200, 1, 1);
    maker.run(0, 0, (200, 400));
    maker.put(0, 600, &Event::ImplicitTaskEnd { parallel: 1 });
    for (of, ticks) in [(CRITICAL, 31), (LOCK, 11)] {
        maker.add(700, SumOf::Mutex, of, 0, (1, ticks));
    }
    near(report(&maker.finish(1000)).loops[0].mutex_seconds.unwrap(), 40e-6);
}

/// More is never taken out of a place than there is: sums and times off a core may overlap.
#[test]
fn nothing_is_taken_twice() {
    // 60 of the 90 were the wait for the critical section, ...
    let preempted = taken(90, 100);
    // ... but who waits there does not give up its core.
    let asleep = Event::OffCore(OffCore { ticks: 90, since: 100, voluntary: 1, involuntary: 0, core: None });
    for (off, off_core) in [(preempted, 30.0), (asleep, 35.0)] {
        let directory = tempfile::tempdir().unwrap();
        let mut maker = begun(&directory, &knows_locks());
        maker.task(0, 200, 1, 1);
        maker.wait(0, TASKWAIT, (200, 300));
        maker.begin(0, 300, 0, 4);
        maker.chunk(0, 300, 0, 2, 0);
        maker.put(0, 390, &off);
        maker.put(0, 395, &recorder(5, 0));
        maker.put(0, 400, &Event::LoopEnd { the_loop: 0 });
        maker.put(0, 500, &Event::ImplicitTaskEnd { parallel: 1 });
        maker.add(700, SumOf::Mutex, CRITICAL, 0, (1, 61));
        maker.add(700, SumOf::Task, TASK_IN_WAIT, NOBODY, (5, 5000));
        let account = account(maker, 1000);
        has(
            &account,
            &[
                ("serial", 200.0 + 500.0),
                ("idle", 1000.0),
                ("region", 100.0),
                ("tasks", 100.0),
                ("critical", 60.0),
                ("loops", 35.0 - off_core),
                ("recorder", 5.0),
                ("off-core", off_core),
            ],
        );
    }
}

#[test]
fn what_was_not_recorded_is_unknown() {
    let directory = tempfile::tempdir().unwrap();
    let mut maker = begun(&directory, &knows_locks());
    maker.put(0, 400, &Event::Pause(Paused::ByProgram));
    maker.put(0, 700, &Event::Resume);
    let account = account(maker, 1000);
    near(account.unknown_seconds, 300e-6);
    has(&account, &[("serial", 700.0), ("idle", 1000.0)]);
}

/// A recorder that did not ask for locks took them for work, and sums say nothing of single moments.
#[test]
fn no_account_of_what_does_not_tell_all() {
    let told = |meta: &Meta| {
        let directory = tempfile::tempdir().unwrap();
        let maker = begun(&directory, meta);
        report(&maker.finish(1000)).run.account.is_some()
    };
    assert!(told(&knows_locks()));
    assert!(!told(&meta(None)));
    let mut refused = knows_locks();
    refused.events.insert("mutex_acquired".into(), 1);
    assert!(!told(&refused));
    let mut sums = knows_locks();
    sums.mode.aggregate = true;
    assert!(!told(&sums));
    let mut some = knows_locks();
    some.mode.loops = vec!["sweep".into()];
    assert!(!told(&some));
}

/// A process is as long as it is, and what it did before it was recorded one thread did.
#[test]
fn the_run_begins_with_the_process() {
    let directory = tempfile::tempdir().unwrap();
    let mut known = knows_locks();
    known.before = Some(0.25);
    let maker = begun(&directory, &known);
    let found = report(&maker.finish(1000));
    near(found.run.before_seconds.unwrap(), 0.25);
    let account = found.run.account.unwrap();
    near(account.thread_seconds, 2.0 * (0.25 + 1000e-6));
    has(&account, &[("serial", 251_000.0), ("idle", 251_000.0)]);
}
