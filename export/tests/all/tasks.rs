//! The table of explicit tasks: who created, began and ended each, how long it ran, and what is not known of it.

use std::path::{Path, PathBuf};

use ompchunk_export::{Format, Notice, OnPath, Options, critical_path, export};
use ompchunk_trace_format::{Code, Event, Mode, PartWriter, Paused, Recorder, Trace};

use crate::common::parquet::{Field, Row, number, rows, unsigned};
use crate::common::{self, TASKWAIT, task_switch};

const CALL: u64 = 0x40_3000;
/// `ompt_task_explicit`, and `ompt_task_untied`
const EXPLICIT: u32 = 4;
const UNTIED: u32 = 1 << 28;
/// `ompt_task_complete` and `ompt_task_switch`
const COMPLETE: u32 = 1;
const SWITCH: u32 = 7;
fn create(task: u64, parent: u64, flags: u32) -> Event<'static> {
    common::task_create(task, parent, flags, CALL)
}

/// Task 1 creates 2 and 3, runs 2 in its `taskwait`, and waits for 3, which the other thread runs; the recorder works in 2 for a while.
/// Task 9 is a `taskwait` with dependences.
fn lanes() -> [Vec<(u64, Event<'static>)>; 2] {
    let code = Code { address: CALL, offset: 0x3000, function: b"fib", object: b"/bin/app" };
    let first = vec![
        (0, common::thread_begin(0)),
        (0, Event::Code(code)),
        (1, common::parallel(1)),
        (2, common::task(1, 0, 2)),
        (10, create(1, 0, EXPLICIT | UNTIED)),
        (12, Event::TaskCreation { task: 1, duration: 4 }),
        (20, task_switch(0, SWITCH, 1)),
        (30, create(2, 1, EXPLICIT)),
        (40, create(3, 1, EXPLICIT)),
        (40, Event::TaskDependence { task: 3, kind: 3, variable: 7 }),
        (50, Event::SyncBegin(TASKWAIT)),
        (50, Event::WaitBegin(TASKWAIT)),
        (60, task_switch(1, SWITCH, 2)),
        (80, Event::Recorder(Recorder { ticks: 10, preempted: 0, before: 0 })),
        (90, task_switch(2, COMPLETE, 1)),
        (110, Event::WaitEnd(TASKWAIT)),
        (110, Event::SyncEnd(TASKWAIT)),
        (130, task_switch(1, COMPLETE, 0)),
        (140, create(9, 0, 0x10)),
        (190, common::task_end(1)),
        (190, Event::ParallelEnd { parallel: 1 }),
        (200, Event::ThreadEnd { thread: 0 }),
    ];
    let second = vec![
        (1, common::thread_begin(1)),
        (3, common::task(1, 1, 2)),
        (3, Event::OnCpu { cpu: 7 }),
        (50, task_switch(0, SWITCH, 3)),
        (100, task_switch(3, COMPLETE, 0)),
        (190, common::task_end(1)),
        (200, Event::ThreadEnd { thread: 1 }),
    ];
    [first, second]
}

fn part(directory: &Path, is_each: bool) -> (PathBuf, PartWriter) {
    let to = directory.join("app.ompchunk");
    std::fs::create_dir_all(&to).unwrap();
    let mut meta = common::meta(42, Some(3));
    meta.mode = Mode { sample: 1, tasks: is_each, ..Mode::default() };
    let part = common::part(&to.join("rank-3.trace"), &meta);
    (to, part)
}

fn tables(trace: &Path, directory: &Path) -> (PathBuf, Vec<Notice>) {
    let to = directory.join("tables");
    let notices = common::written(Format::Parquet, trace, &to);
    (to, notices)
}

fn numbers(row: &Row, names: &[&str]) -> Vec<Option<f64>> {
    names.iter().map(|name| number(&row[*name])).collect()
}

const COLUMNS: [&str; 8] =
    ["parent", "created_by", "created_ns", "begun_by", "begin_ns", "ended_by", "end_ns", "running_ticks"];

#[test]
fn a_row_for_each_task() {
    let directory = tempfile::tempdir().unwrap();
    let (trace, mut part) = part(directory.path(), true);
    // The lane that runs task 3 is read before the one that creates it.
    let [first, second] = lanes();
    common::write(&mut part, 1, &second);
    common::write(&mut part, 0, &first);
    part.finish(1_300).unwrap();
    let (to, notices) = tables(&trace, directory.path());
    assert_eq!(notices, []);
    let found = rows(&to, "tasks");
    let tasks: Vec<u64> = found.iter().map(|row| unsigned(&row["task"])).collect();
    assert_eq!(tasks, [1, 2, 3]);
    // Two ticks are a nanosecond. Task 1 ran from 20 to 50 and from 110 to 130; of 2 ten ticks were the recorder's.
    let expected = [
        [0.0, 0.0, 5.0, 0.0, 10.0, 0.0, 65.0, 50.0],
        [1.0, 0.0, 15.0, 0.0, 30.0, 0.0, 45.0, 20.0],
        [1.0, 0.0, 20.0, 1.0, 25.0, 1.0, 50.0, 50.0],
    ];
    for (row, expected) in found.iter().zip(expected) {
        assert_eq!(numbers(row, &COLUMNS), expected.map(Some), "{row:?}");
        assert_eq!(row["at"], Field::Str("fib in app+0x3000".into()));
        assert_eq!(row["function"], Field::Str("fib".into()));
        assert_eq!(row["status"], Field::Str("complete".into()));
        assert_eq!(row["part"], Field::Str("rank-3".into()));
        assert_eq!(row["undeferred"], Field::Bool(false));
    }
    let of = |name: &str| -> Vec<Field> { found.iter().map(|row| row[name].clone()).collect() };
    assert_eq!(of("untied"), [true, false, false].map(Field::Bool));
    assert_eq!(of("fragments"), [2, 1, 1].map(Field::UInt));
    assert_eq!(of("dependences"), [0, 0, 1].map(Field::UInt));
    let created = [Field::Long(2), Field::Null, Field::Null];
    assert_eq!(of("create_duration_ns"), created);
    assert_eq!(of("creator"), [false; 3].map(Field::Bool));
    // It was not recorded for the first thread.
    assert_eq!(of("cpu"), [Field::Null, Field::Null, Field::UInt(7)]);
}

/// In the table of the prototype: who created each, where it meets that one, and what it took and cost.
#[test]
fn the_prototypes_table_has_tasks() {
    let directory = tempfile::tempdir().unwrap();
    let (trace, mut part) = part(directory.path(), true);
    let [first, second] = lanes();
    common::write(&mut part, 0, &first);
    common::write(&mut part, 1, &second);
    part.finish(1_300).unwrap();
    let to = directory.path().join("stats.csv");
    common::written(Format::TaskStats, &trace, &to);
    let mut rows = csv::Reader::from_path(&to).unwrap();
    let names = rows.headers().unwrap().clone();
    let wanted = [
        "task", "parent", "joins_at", "cpu_id", "child_number", "num_children", "exec_cycles", "creation_cycles",
        "overhead_cycles", "tag", "leaf", "parallel_benefit",
    ];
    let found: Vec<Vec<String>> = rows
        .records()
        .map(|row| {
            let row = row.unwrap();
            let place = |name: &str| names.iter().position(|known| known == name).unwrap();
            wanted.iter().map(|name| row[place(name)].to_owned()).collect()
        })
        .collect();
    let expected = [
        "1 4 0 0 0 2 50 4 0 task FALSE 12.5", "2 1 0 0 0 0 20 NA 15 task TRUE NA", "3 1 0 1 1 0 50 NA 15 task TRUE NA",
        "4 0 0 NA 0 1 0 NA 0 idle_task FALSE NA",
    ];
    let expected: Vec<Vec<String>> = expected.iter().map(|row| row.split(' ').map(str::to_owned).collect()).collect();
    assert_eq!(found, expected);
}

/// The same program on one thread: there task 1 runs for 25 ticks, 2 for 10 and 3 for 50.
fn alone() -> Vec<(u64, Event<'static>)> {
    vec![
        (0, common::thread_begin(0)),
        (1, common::parallel(1)),
        (2, common::task(1, 0, 1)),
        (10, create(1, 0, EXPLICIT)),
        (20, task_switch(0, SWITCH, 1)),
        (25, create(2, 1, EXPLICIT)),
        (30, create(3, 1, EXPLICIT)),
        (40, Event::SyncBegin(TASKWAIT)),
        (40, Event::WaitBegin(TASKWAIT)),
        (50, task_switch(1, SWITCH, 3)),
        (100, task_switch(3, COMPLETE, 1)),
        (110, task_switch(1, SWITCH, 2)),
        (120, task_switch(2, COMPLETE, 1)),
        (120, Event::WaitEnd(TASKWAIT)),
        (120, Event::SyncEnd(TASKWAIT)),
        (125, task_switch(1, COMPLETE, 0)),
        (190, common::task_end(1)),
        (190, Event::ParallelEnd { parallel: 1 }),
        (200, Event::ThreadEnd { thread: 0 }),
    ]
}

/// Tasks of two runs are the same by who creates them where; what two threads create at the same time is compared to nothing.
#[test]
fn tasks_are_compared_to_a_run_with_one_thread() {
    let directory = tempfile::tempdir().unwrap();
    let place = |name: &str, lanes: &[Vec<(u64, Event<'static>)>]| {
        let (trace, mut part) = part(&directory.path().join(name), true);
        for (lane, events) in (0..).zip(lanes) {
            common::write(&mut part, lane, events);
        }
        part.finish(1_300).unwrap();
        trace
    };
    let reference = place("one", &[alone()]);
    let deviations = |name: &str, lanes: &[Vec<(u64, Event<'static>)>]| {
        let trace = place(name, lanes);
        let to = trace.with_file_name("stats.csv");
        let options = Options { reference: Some(reference.clone()), ..Options::default() };
        let trace = Trace::open(&trace).unwrap();
        let notices = export(&trace, Format::TaskStats, &to, &options).unwrap();
        let mut rows = csv::Reader::from_path(&to).unwrap();
        let names = rows.headers().unwrap().clone();
        let column = names.iter().position(|name| name == "work_deviation");
        let found: Vec<String> = rows.records().map(|row| row.unwrap()[column.unwrap()].to_owned()).collect();
        (found, notices)
    };
    let (found, notices) = deviations("one-creator", &lanes());
    assert_eq!(found, ["2.0", "2.0", "1.0", "NA"]);
    assert!(notices.is_empty(), "{notices:?}");
    // The other thread creates one, too.
    let [first, mut second] = lanes();
    second.insert(2, (20, create(7, 0, EXPLICIT)));
    second.insert(3, (21, task_switch(0, SWITCH, 7)));
    second.insert(4, (22, task_switch(7, COMPLETE, 0)));
    let (found, notices) = deviations("two-creators", &[first, second]);
    assert_eq!(found, ["NA", "NA", "NA", "NA", "NA"]);
    let untold = |notice: &Notice| matches!(notice, Notice::TasksNotInReference { tasks: 4, of: 4 });
    assert!(notices.iter().any(untold), "{notices:?}");
}

/// From its creation task 3 is what all wait for: 8 ticks of the region, 20 of task 1, 50 of task 3, 20 of task 1.
#[test]
fn the_critical_path_says_whose_work_is_on_it() {
    let path = |is_each: bool, ends: bool, extra: Option<(u64, Event<'static>)>| {
        let directory = tempfile::tempdir().unwrap();
        let (trace, mut part) = part(directory.path(), is_each);
        let [mut first, second] = lanes();
        first.extend(extra);
        common::write(&mut part, 0, &first);
        common::write(&mut part, 1, &second);
        match ends {
            true => part.finish(1_300).unwrap(),
            false => part.abandon().unwrap(),
        }
        critical_path(&Trace::open(&trace).unwrap().parts[0]).unwrap()
    };
    let found = path(true, true, None).unwrap();
    let ticks = |seconds: f64| (seconds * 2e9).round();
    assert_eq!(ticks(found.seconds), 98.0, "{found:?}");
    let parts: Vec<(OnPath, f64)> = found.parts.iter().map(|(whose, seconds)| (*whose, ticks(*seconds))).collect();
    let expected = [(OnPath::Outside, 8.0), (OnPath::Construct(CALL), 90.0)];
    assert_eq!(parts, expected);
    assert_eq!(ticks(found.work_seconds), 198.0, "{found:?}");
    assert!(path(false, true, None).is_none());
    assert!(path(true, false, None).is_none());
    assert!(path(true, true, Some((210, Event::Pause(Paused::ByProgram)))).is_none());
}

/// What a trace without its end does not say is null: here, how 1 and 3 end, and of 3 who created it.
#[test]
fn what_is_not_known_is_null() {
    let directory = tempfile::tempdir().unwrap();
    let (trace, mut part) = part(directory.path(), true);
    let [first, second] = lanes();
    let before = |all: Vec<(u64, Event<'static>)>, end: u64| -> Vec<(u64, Event<'static>)> {
        let all = all.into_iter().filter(|(ticks, _)| *ticks < end);
        all.collect()
    };
    let creates_3 = |event: &Event<'_>| matches!(event, Event::TaskCreate { task: 3, .. });
    let first: Vec<_> = before(first, 120).into_iter().filter(|(_, event)| !creates_3(event)).collect();
    common::write(&mut part, 0, &first);
    common::write(&mut part, 1, &before(second, 99));
    part.abandon().unwrap();
    let (to, notices) = tables(&trace, directory.path());
    assert!(matches!(notices[0], Notice::Cut { .. }), "{notices:?}");
    let found = rows(&to, "tasks");
    let known = [
        [Some(0.0), Some(0.0), Some(5.0), Some(0.0), Some(10.0), None, None, None],
        [1.0, 0.0, 15.0, 0.0, 30.0, 0.0, 45.0, 20.0].map(Some),
        [None, None, None, Some(1.0), Some(25.0), None, None, None],
    ];
    assert_eq!(found.len(), known.len());
    for (row, known) in found.iter().zip(known) {
        assert_eq!(numbers(row, &COLUMNS), known, "{row:?}");
    }
    for name in ["at", "untied", "status", "running_ns"] {
        assert_eq!(found[2][name], Field::Null, "{name}");
    }
}

/// Where a switch is missing, or the recording pauses in it, how long a task ran is not known.
#[test]
fn time_that_is_not_told() {
    let directory = tempfile::tempdir().unwrap();
    let (trace, mut part) = part(directory.path(), true);
    let events = [
        (0, common::thread_begin(0)),
        (1, create(1, 0, EXPLICIT)),
        (1, create(2, 0, EXPLICIT)),
        (1, create(3, 0, EXPLICIT)),
        (10, task_switch(0, SWITCH, 1)),
        // From 2, of which no begin was told.
        (20, task_switch(2, COMPLETE, 0)),
        (30, task_switch(0, SWITCH, 3)),
        (31, task_switch(3, COMPLETE, 0)),
    ];
    common::write(&mut part, 0, &events);
    part.finish(1_300).unwrap();
    let (to, _) = tables(&trace, directory.path());
    let found = rows(&to, "tasks");
    let ran: Vec<_> = found.iter().map(|row| number(&row["running_ticks"])).collect();
    assert_eq!(ran, [None, None, Some(1.0)]);
    assert_eq!(number(&found[1]["end_ns"]), Some(10.0));
    assert_eq!(found[1]["begin_ns"], Field::Null);
}

#[test]
fn no_table_where_tasks_are_only_added_up() {
    let directory = tempfile::tempdir().unwrap();
    let (trace, mut part) = part(directory.path(), false);
    let [first, second] = lanes();
    common::write(&mut part, 0, &first[..4]);
    common::write(&mut part, 1, &second[..2]);
    let a_loop = Event::Loop(common::definition(1, 32, "a.c"));
    common::write(&mut part, 0, &[(150, a_loop)]);
    part.finish(1_300).unwrap();
    let (to, _) = tables(&trace, directory.path());
    assert!(to.join("regions").exists() && !to.join("tasks").exists());
}
