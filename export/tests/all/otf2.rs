//! OTF2: archives say what the other exports say, whatever a trace holds, and nothing of the user's is touched.

use std::path::Path;

use ompchunk_export::{Error, Format, Notice, Options, export};
use ompchunk_trace_format::{Event, Recorder, SubBlock, Trace};

use crate::common;
use crate::common::otf2::{definitions, entered, events, is_here};

fn write(trace: &Path, to: &Path) -> Result<Vec<Notice>, Error> {
    let trace = Trace::open(trace).expect("a trace");
    export(&trace, Format::Otf2, to, &Options::default())
}

/// A trace of one part with the events of one lane.
fn one_lane(directory: &Path, all: &[(u64, Event<'_>)]) -> std::path::PathBuf {
    let (trace, mut part) = common::one_process(directory);
    let begin = [
        (0, common::thread_begin(0)),
        (0, Event::Loop(common::definition(1, 32, "src/a.f90"))),
        (0, Event::Loop(common::definition(2, 64, "src/b.c"))),
    ];
    common::write(&mut part, 0, &begin);
    common::write(&mut part, 0, all);
    part.finish(2_000_000).unwrap();
    trace
}

fn recorder(ticks: u64) -> Event<'static> {
    Event::Recorder(Recorder { ticks, preempted: 0, before: 0 })
}

/// The events of the first thread: kind, time and name.
fn events_of_two_threads() -> Vec<(&'static str, u64, &'static str)> {
    let (team, inner) = ("app: team of 2", "app: team of 1");
    // `otf2-print` does not escape quotes.
    let (name, barrier) = ("!$omp for @a ", "!$omp implicit barrier @a ");
    let chunk = "!$omp chunk @a ";
    let (parallel, other, part) = ("!$omp parallel", "!$omp for @d.c:17:3", "!$omp chunk @d.c:17:3");
    vec![
        ("THREAD_FORK", 500, "OpenMP"),
        ("THREAD_TEAM_BEGIN", 550, team),
        ("ENTER", 550, parallel),
        ("ENTER", 600, name),
        ("PARAMETER_STRING", 600, "schedule"),
        ("ENTER", 650, chunk),
        ("LEAVE", 1150, chunk),
        ("ENTER", 1150, chunk),
        ("LEAVE", 1450, chunk),
        ("ENTER", 1450, chunk),
        ("LEAVE", 1650, chunk),
        ("LEAVE", 1650, name),
        ("ENTER", 1650, barrier),
        ("LEAVE", 2000, barrier),
        ("ENTER", 2050, other),
        ("PARAMETER_STRING", 2050, "schedule"),
        ("ENTER", 2100, part),
        ("THREAD_FORK", 2150, "OpenMP"),
        ("THREAD_TEAM_BEGIN", 2200, inner),
        ("ENTER", 2200, parallel),
        ("ENTER", 2250, name),
        ("PARAMETER_STRING", 2250, "schedule"),
        ("ENTER", 2300, chunk),
        ("LEAVE", 2400, chunk),
        ("LEAVE", 2400, name),
        ("LEAVE", 2450, parallel),
        ("THREAD_TEAM_END", 2450, inner),
        ("THREAD_JOIN", 2500, "OpenMP"),
        ("LEAVE", 2600, part),
        ("LEAVE", 2600, other),
        ("LEAVE", 3000, parallel),
        ("THREAD_TEAM_END", 3000, team),
        ("THREAD_JOIN", 3000, "OpenMP"),
    ]
}

#[test]
fn two_threads_and_a_region_in_a_chunk() {
    if !is_here() {
        return;
    }
    let directory = tempfile::tempdir().unwrap();
    let trace = common::two_threads(directory.path());
    let to = directory.path().join("archive");
    assert_eq!(write(&trace, &to).unwrap(), []);
    let all = events(&to);
    assert_eq!(all.keys().copied().collect::<Vec<_>>(), [0, 1 << 32]);
    let kinds: Vec<(&str, u64, &str)> =
        all[&0].iter().map(|record| (record.kind.as_str(), record.time, record.what.as_str())).collect();
    assert_eq!(kinds, events_of_two_threads());
    let chunks = entered(&all[&0], "!$omp chunk @a");
    let of = |at: usize, name| chunks[at].0.number(name);
    assert_eq!((of(0, "lower"), of(0, "iterations")), (Some(0), Some(4)));
    assert_eq!((of(0, "first"), of(0, "last")), (Some(-8), Some(-2)));
    assert_eq!(chunks[2].0.attributes["create_duration_ns"], "15");
    // A value that a signed number of 64 bits does not hold.
    let wide = entered(&all[&(1 << 32)], "!$omp chunk @d.c");
    assert_eq!(wide[0].0.number("lower"), Some(i128::from(u64::MAX - 7)));
    assert_eq!(wide[0].0.number("last"), Some(-1 - -1));
    let text = definitions(&to).join("\n");
    for line in [
        "Ticks per Seconds: 10000000000, Global Offset: 0, Length: 3000",
        "Name: \"!$omp for @d.c:17:3\"",
        "Role: LOOP, Paradigm: \"OpenMP\" <3>, Flags: NONE, File: \"src/d.c\"",
        "Name: \"!$omp parallel\"",
        "Role: PARALLEL",
        "Role: IMPLICIT_BARRIER",
        "Name: \"Master thread\"",
        "Type: CPU_THREAD, # Events: 33",
        "Class: THREAD_FORK_JOIN",
        "Type: COMM_LOCATIONS, Paradigm: \"OpenMP\" <3>, Flags: NONE, 2 Members",
        "Date: 2023-11-14",
    ] {
        assert!(text.contains(line), "{line}\n{text}");
    }
}

/// `Leave` is the begin plus what tables say that a chunk took; its parts lie within.
#[test]
fn the_recorders_time_is_left_out() {
    if !is_here() {
        return;
    }
    let directory = tempfile::tempdir().unwrap();
    let piece = |lower, first| Event::SubBlock(SubBlock { lower, iterations: 2, first, last: !first });
    let all = [
        (100, common::begin(2, 0, 1)),
        (110, common::chunk(0, 4, 0)),
        (110, piece(0, true)),
        (150, recorder(30)),
        (160, piece(2, false)),
        (180, common::chunk(4, 4, 0)),
        // Regions are other threads' too: they stay where they were.
        (190, recorder(8)),
        (200, common::parallel(3)),
        (202, common::task(3, 0, 1)),
        (204, common::task_end(3)),
        (206, Event::ParallelEnd { parallel: 3 }),
        (208, common::chunk(8, 1, 0)),
        (218, common::end(2)),
        (300, Event::ThreadEnd { thread: 0 }),
    ];
    let trace = one_lane(directory.path(), &all);
    let to = directory.path().join("archive");
    write(&trace, &to).unwrap();
    let all = events(&to);
    let found = |name| -> Vec<(u64, u64, Option<String>)> {
        let all = entered(&all[&0], name).into_iter();
        all.map(|(enter, leave)| (enter.time, leave.time, leave.attributes.get("duration_ns").cloned())).collect()
    };
    // Two ticks are a nanosecond, ten tenths.
    assert_eq!(found("!$omp chunk"), [(550, 750, None), (900, 1030, Some("10".into())), (1040, 1090, None)]);
    assert_eq!(found("!$omp sub-block"), [(550, 650, None), (650, 750, None)]);
}

#[test]
fn a_cut_trace_ends_with_what_is_known() {
    if !is_here() {
        return;
    }
    let directory = tempfile::tempdir().unwrap();
    let all = [
        (1, common::parallel(1)),
        (2, common::task(1, 0, 1)),
        (3, common::begin(1, 0, 1)),
        (4, common::chunk(0, 1, 0)),
        (9, common::chunk(1, 1, 0)),
        (20, recorder(2)),
    ];
    let trace = one_lane(directory.path(), &all);
    let to = directory.path().join("archive");
    write(&trace, &to).unwrap();
    let all = events(&to);
    let chunks = entered(&all[&0], "!$omp chunk");
    let of = |at: usize| (chunks[at].1.time, chunks[at].1.number("cut"));
    assert_eq!((of(0), of(1)), ((45, None), (90, Some(1))));
    assert_eq!(all[&0].last().map(|record| (record.kind.as_str(), record.time)), Some(("THREAD_JOIN", 100)));
}

/// A loop, two tasks, and each kind of barrier and of work.
fn barriers_work_and_tasks() -> Vec<(u64, Event<'static>)> {
    let sync = |kind| ompchunk_trace_format::Sync { kind, code: 0 };
    let work = |work| Event::WorkBegin { work, count: 1, code: 0 };
    let task = |task, create_duration| Event::TaskCreate { task, parent: 0, flags: 4, create_duration, code: 0 };
    let mut all = vec![
        (1, common::parallel(1)),
        (2, common::task(1, 0, 1)),
        (3, common::begin(1, 0, 1)),
        (4, common::chunk(0, 1, 0)),
        (6, common::end(1)),
        (6, Event::SyncBegin(common::BARRIER)),
        (8, Event::SyncEnd(common::BARRIER)),
        (20, task(7, 10)),
        (30, task(8, 0)),
    ];
    let mut at = 40;
    for kind in 0..12 {
        all.push((at, Event::SyncBegin(sync(kind))));
        all.push((at + 1, Event::SyncEnd(sync(kind))));
        all.push((at + 2, work(kind)));
        all.push((at + 3, Event::WorkEnd { work: kind }));
        at += 10;
    }
    all.push((at, common::task_end(1)));
    all.push((at, Event::ParallelEnd { parallel: 1 }));
    all
}

#[test]
fn fortran_barriers_work_and_tasks() {
    if !is_here() {
        return;
    }
    let directory = tempfile::tempdir().unwrap();
    let all = barriers_work_and_tasks();
    let trace = one_lane(directory.path(), &all);
    let to = directory.path().join("archive");
    write(&trace, &to).unwrap();
    let all = events(&to);
    assert_eq!(entered(&all[&0], "!$omp do @a.f90:17:3").len(), 1);
    assert_eq!(entered(&all[&0], "!$omp implicit barrier @a.f90:17:3").len(), 1);
    let tasks = entered(&all[&0], "!$omp create task");
    assert_eq!((tasks[0].0.time, tasks[0].1.time, tasks[1].0.time), (50, 100, 150));
    let created: Vec<u64> =
        all[&0].iter().filter(|record| record.kind == "THREAD_TASK_CREATE").map(|record| record.time).collect();
    assert_eq!(created, [100, 150]);
    let text = definitions(&to).join("\n");
    for (name, role) in [
        ("barrier", "BARRIER"),
        ("taskwait", "TASK_WAIT"),
        ("taskgroup", "TASK_WAIT"),
        ("sections", "SECTIONS"),
        ("single", "SINGLE"),
        ("single sblock", "SINGLE_SBLOCK"),
        ("workshare", "WORKSHARE"),
        ("create task", "TASK_CREATE"),
    ] {
        let named = format!("Name: \"!$omp {name}\"");
        let line = text.lines().find(|line| line.starts_with("REGION") && line.contains(&named));
        assert!(line.is_some_and(|line| line.contains(&format!("Role: {role},"))), "{name}\n{text}");
    }
}

#[test]
fn nothing_that_is_there_is_touched() {
    if !is_here() {
        return;
    }
    let directory = tempfile::tempdir().unwrap();
    let trace = common::two_threads(directory.path());
    let mine = directory.path().join("mine");
    std::fs::create_dir(&mine).unwrap();
    write(&trace, &mine).unwrap();
    for to in [&mine, &trace] {
        let error = write(&trace, to).unwrap_err();
        assert!(matches!(error, Error::NotEmpty { .. }), "{error}");
    }
    assert!(!events(&mine).is_empty());
    let error = write(&trace, "-".as_ref()).unwrap_err().to_string();
    assert!(error.starts_with("cannot write -: "), "{error}");
    let error = write(&trace, "/proc/nothing/here".as_ref()).unwrap_err().to_string();
    assert!(error.starts_with("cannot write /proc/nothing"), "{error}");
}

/// Each rank is a process; a loop is the same region in all; and the numbers are the same each time.
#[test]
fn ranks_share_regions_and_numbers_are_no_chance() {
    if !is_here() {
        return;
    }
    let directory = tempfile::tempdir().unwrap();
    let trace = directory.path().join("app.ompchunk");
    std::fs::create_dir(&trace).unwrap();
    for rank in 0..40 {
        let path = trace.join(format!("rank-{rank}.trace"));
        let mut meta = common::meta(rank + 1, Some(u64::from(rank)));
        meta.host = format!("node{}", rank / 8);
        let mut part = common::part(&path, &meta);
        // Numbers are each part's own.
        let number = 1 + rank % 3;
        let events = [
            (0, common::thread_begin(0)),
            (0, Event::Loop(common::definition(number, 32, "a.c"))),
            (10, common::begin(number, 0, 1)),
            (20, common::chunk(0, u64::from(rank) + 1, 0)),
            (30, common::end(number)),
        ];
        common::write(&mut part, 0, &events);
        part.finish(1_100).unwrap();
    }
    let archives = ["one", "two"].map(|name| directory.path().join(name));
    archives.iter().for_each(|to| drop(write(&trace, to).unwrap()));
    let of = |to: &Path, name: &str| std::fs::read(to.join(name)).unwrap();
    for name in ["traces.def", "traces/7.evt", "traces/7.def"] {
        assert_eq!(of(&archives[0], name), of(&archives[1], name), "{name}");
    }
    let all = events(&archives[0]);
    for (rank, (location, records)) in (0..40).zip(&all) {
        assert_eq!(*location, rank);
        let chunks = entered(records, "!$omp chunk @a.c:17:3");
        assert_eq!(chunks[0].0.number("iterations"), Some(i128::from(rank) + 1));
    }
    let text = definitions(&archives[0]);
    let count = |kind: &str| text.iter().filter(|line| line.starts_with(kind)).count();
    assert_eq!((count("REGION"), count("LOCATION "), count("LOCATION_GROUP")), (2, 40, 40));
    assert_eq!(count("SYSTEM_TREE_NODE "), 6);
}

/// A part that cannot be read: nothing of the others passes for the whole.
#[test]
fn what_is_not_whole_does_not_stay() {
    if !is_here() {
        return;
    }
    let directory = tempfile::tempdir().unwrap();
    let trace = common::two_threads(directory.path());
    let path = trace.join("pid-42.trace");
    let mut bytes = std::fs::read(&path).unwrap();
    let late = bytes.len() * 2 / 3;
    for byte in &mut bytes[late..] {
        *byte ^= 0x5a;
    }
    std::fs::write(&path, bytes).unwrap();
    for (to, stays) in [("new", false), ("mine", true)] {
        let to = directory.path().join(to);
        if stays {
            std::fs::create_dir(&to).unwrap();
        }
        assert!(matches!(write(&trace, &to), Err(Error::Trace(_))));
        assert_eq!(to.exists(), stays);
        assert!(!stays || std::fs::read_dir(&to).unwrap().next().is_none());
    }
}
