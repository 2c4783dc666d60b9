//! Explicit tasks one by one, with `--tasks`: every task of the program's is created, begins and ends in the records too, on each
//! runtime, and what has no room is counted.

use std::collections::HashMap;

use ompchunk_trace_format::tasks::OF_CREATOR;
use ompchunk_trace_format::{Event, Trace};

use crate::common::{self, Program, Runtime, TASKS, majors, oldest, runtimes};

const COMPLETE: u32 = 1;
const DETACH: u32 = 4;
const TASKWAIT: u32 = 0x10;

#[derive(Debug, Default, Clone)]
struct Task {
    parent: u64,
    created: u32,
    timed: u32,
    begins: u32,
    ends: u32,
    dependences: u32,
    creator: bool,
    taskwait: bool,
    since: u64,
    begun: u64,
    ended: u64,
}

#[derive(Debug, Default)]
struct Found {
    tasks: HashMap<u64, Task>,
    /// By sums: created, begun, ended, creators.
    sums: [u64; 4],
    lost: u64,
    /// What of it is in records of what was lost.
    told_lost: u64,
}

impl Found {
    fn in_trace(trace: &Trace) -> Found {
        let mut found = Found::default();
        for part in &trace.parts {
            found.lost += part.head().lost_events;
            part.merged(|at, event| found.see(at.ticks, event)).unwrap();
        }
        found
    }

    fn see(&mut self, ticks: u64, event: &Event<'_>) {
        match event {
            Event::TaskCreate { task, parent, flags, code, .. } => {
                assert!(*code != 0 && *task != 0 && task != parent);
                let created = self.tasks.entry(*task).or_default();
                created.created += 1;
                created.parent = *parent;
                created.taskwait = flags & TASKWAIT != 0;
                created.since = ticks;
                if flags & OF_CREATOR != 0 {
                    self.tasks.entry(*parent).or_default().creator = true;
                }
            }
            Event::TaskCreation { task, duration } => {
                let timed = self.tasks.entry(*task).or_default();
                timed.timed += 1;
                assert!(*duration < 1 << 32);
            }
            Event::TaskSchedule { prior, status, next } => {
                if matches!(*status, COMPLETE | DETACH) && *prior != 0 {
                    let ended = self.tasks.entry(*prior).or_default();
                    (ended.ends, ended.ended) = (ended.ends + 1, ticks);
                }
                if *next != 0 {
                    let begun = self.tasks.entry(*next).or_default();
                    if begun.begins == 0 {
                        begun.begun = ticks;
                    }
                    begun.begins += 1;
                }
            }
            Event::TaskDependence { task, .. } => {
                self.tasks.entry(*task).or_default().dependences += 1;
            }
            Event::Tasks(tasks) => {
                let told = [tasks.created, tasks.begun, tasks.ended, tasks.creators];
                self.sums.iter_mut().zip(told).for_each(|(sum, count)| *sum += count);
            }
            Event::Lost(lost) => self.told_lost += lost.events,
            _ => {}
        }
    }

    fn own(&self) -> impl Iterator<Item = &Task> {
        self.tasks.values().filter(|task| !task.creator && !task.taskwait)
    }
}

fn found(program: &Program, runtime: &Runtime, options: &[&str], kind: &[&str]) -> (Found, u64) {
    let (trace, output) = program.recorded(runtime, options, kind);
    (Found::in_trace(&trace), output.trim().parse().unwrap())
}

#[test]
fn each_task_is_told_once() {
    let all = majors();
    for major in &all {
        let program = Program::compile("tasks", *major);
        let oldest = oldest().filter(|_| Some(major) == all.iter().min());
        for runtime in runtimes().iter().chain(&oldest) {
            for kind in TASKS {
                let (found, expected) = found(&program, runtime, &["--tasks"], &kind);
                let case = format!("clang-{major}, {}, {kind:?}", runtime.name);
                is_whole(&found, expected, &case);
            }
        }
    }
}

fn is_whole(found: &Found, expected: u64, case: &str) {
    assert_eq!(found.own().count() as u64, expected, "{case}");
    for (number, task) in &found.tasks {
        let case = format!("{case}: {number}: {task:?}");
        assert_eq!(task.created, 1, "{case}");
        assert!(task.parent == 0 || found.tasks[&task.parent].created == 1);
        if task.taskwait {
            continue;
        }
        assert!(task.begins >= 1 && task.ends == 1, "{case}");
        assert!(task.since <= task.begun && task.begun <= task.ended);
        assert!(task.timed <= 1, "{case}");
    }
    let [created, begun, ended, creators] = found.sums;
    assert_eq!([created, begun, ended].map(|count| count - creators), [expected; 3], "{case}");
    assert_eq!((found.lost, found.told_lost), (0, 0), "{case}");
}

#[test]
fn what_is_told_of_a_task() {
    let program = Program::compile("tasks", majors()[0]);
    for runtime in runtimes() {
        let of = |kind: &[&str]| found(&program, &runtime, &["--tasks"], kind).0;
        let fib = of(&["fib", "12"]);
        assert!(fib.own().all(|task| task.timed == 1), "{}", runtime.name);
        // Two at the root, two in each task that creates any.
        let mut children: HashMap<u64, u32> = HashMap::new();
        fib.own().for_each(|task| *children.entry(task.parent).or_default() += 1);
        assert!(children[&0] == 2 && children.values().all(|count| *count == 2));
        let wavefront = of(&["wavefront", "12"]);
        assert!(wavefront.own().all(|task| task.dependences == 3));
        let none = found(&program, &runtime, &[], &["fib", "12"]).0;
        assert!(none.tasks.is_empty() && none.sums == fib.sums);
    }
}

/// Sums are those of the program, and so is what was told and what was lost; each lane has blocks left for what is not a task.
#[test]
fn what_has_no_room_is_counted() {
    let program = Program::compile("tasks", majors()[0]);
    for runtime in runtimes() {
        let options = ["--tasks", "--max-size", "400K"];
        let (found, expected) = found(&program, &runtime, &options, &["tree", "14"]);
        let case = format!("{}: {:?}", runtime.name, found.sums);
        assert_eq!(found.sums, [expected, expected, expected, 0], "{case}");
        let told = found.tasks.len() as u64;
        assert!(told > 1000 && told < expected, "{case}: {told} told");
        let is_once = |task: &Task| task.created == 1 && task.timed <= 1;
        assert!(found.tasks.values().all(is_once), "{case}");
        // A task that is not told loses three events, its creation, its begin and its end, or fewer: a switch from one that is told, or to
        // it, has a record.
        let untold = expected - told;
        let lost = found.lost;
        assert!(lost >= untold && lost <= 3 * untold, "{case}: {untold} untold, {lost} lost");
        assert_eq!(found.told_lost, lost, "{case}");
        let told = found.tasks.values();
        let ended: u32 = told.map(|task| task.ends).sum();
        assert_eq!(ended as usize, found.tasks.len(), "{case}");
    }
}

#[test]
fn options_that_leave_out_what_is_around_tasks_are_refused() {
    let program = Program::compile("tasks", majors()[0]);
    let runtime = &runtimes()[0];
    for options in [&["--aggregate"][..], &["--sample", "2"]] {
        let options = [&["--tasks"], options].concat();
        let output = program.record(runtime, &options, &["fib", "3"]).output();
        assert_eq!(output.unwrap().status.code(), Some(2), "{options:?}");
    }
    for setting in ["tasks", "cpus"] {
        let mut by_hand = common::by_hand(&program, runtime, &["fib", "3"]);
        by_hand.env("OMPCHUNK_RECORD", format!("{setting},executions"));
        let output = by_hand.output().unwrap();
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{said}");
        let wanted = format!("OMPCHUNK_RECORD: {setting} and executions exclude each other");
        assert!(said.contains(&wanted), "{said}");
        assert!(!program.trace().exists());
    }
}
