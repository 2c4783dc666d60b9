//! Taking a thread's log apart into executions of worksharing constructs.
//!
//! Implicit tasks nest on a thread (a nested parallel region runs inside an iteration of the outer
//! loop), so the log is read with a stack of tasks, and what happens in an inner region leaves the
//! outer loop's sequence untouched.

use super::violation::{Violation, What};
use crate::log::{Datum, Entry, Iteration};

/// `ompt_work_t`: the kinds that are loops. Which of them a runtime names is its own affair.
const LOOPS: [u64; 5] = [1, 10, 11, 12, 13];
const DISTRIBUTE: u64 = 6;

/// One thread's part of one execution of a worksharing construct.
#[derive(Debug)]
pub struct Execution {
    /// Thread of the log.
    pub thread: usize,
    /// The thread's implicit task.
    pub task: Datum,
    /// Its parallel region.
    pub parallel: Datum,
    /// Which of the region's worksharing constructs, in the order in which its tasks meet them.
    pub number: usize,
    /// The iterations of the whole construct, as the runtime says.
    pub trip: u64,
    /// It is a loop, not `sections`, `single` or another construct.
    pub is_loop: bool,
    /// Dispatch events, chunk events, iterations, in order.
    pub entries: Vec<Entry>,
}

impl Execution {
    /// The iterations that ran.
    pub fn iterations(&self) -> impl Iterator<Item = Iteration> {
        self.entries.iter().filter_map(|entry| match entry {
            Entry::Iteration(iteration) => Some(*iteration),
            _ => None,
        })
    }

    /// How many dispatch events it has.
    pub fn dispatches(&self) -> u64 {
        self.entries
            .iter()
            .filter(|entry| matches!(entry, Entry::Dispatch(_)))
            .count() as u64
    }

    /// The program's number of the loop, if an iteration of it ran here.
    pub fn the_loop(&self) -> Option<u64> {
        self.iterations().next().map(|iteration| iteration.the_loop)
    }
}

/// An implicit task in progress.
struct Task {
    task: Datum,
    parallel: Datum,
    met: usize,
    current: Option<Execution>,
}

/// The executions of one thread, in the order in which they ended.
pub fn take_apart(
    thread: usize,
    entries: &[Entry],
    violations: &mut Vec<Violation>,
) -> Vec<Execution> {
    let mut done = Vec::new();
    let mut tasks: Vec<Task> = Vec::new();
    let mut wrong = |what| {
        violations.push(Violation {
            thread,
            the_loop: None,
            what,
        })
    };
    for entry in entries {
        match *entry {
            Entry::TaskBegin { task, parallel } => {
                tasks.push(Task {
                    task,
                    parallel,
                    met: 0,
                    current: None,
                });
            }
            Entry::TaskEnd { task } => match tasks.pop() {
                Some(ended) if ended.task.value == task => {
                    if ended.current.is_some() {
                        wrong(What::Unbalanced(format!(
                            "task {task} ended inside a construct"
                        )));
                    }
                }
                _ => wrong(What::Unbalanced(format!("task {task} ended out of turn"))),
            },
            Entry::WorkBegin {
                kind,
                parallel,
                task,
                trip,
            } => match tasks.last_mut() {
                Some(current) => {
                    if (current.task.value, current.parallel.value) != (task, parallel) {
                        wrong(What::Data(format!(
                            "work begins in task {task}, region {parallel}"
                        )));
                    }
                    if current.current.is_some() {
                        wrong(What::Unbalanced("a construct begins inside another".into()));
                    }
                    current.current = Some(Execution {
                        thread,
                        task: current.task,
                        parallel: current.parallel,
                        number: current.met,
                        trip,
                        is_loop: LOOPS.contains(&kind) || kind == DISTRIBUTE,
                        entries: Vec::new(),
                    });
                    current.met += 1;
                }
                None => wrong(What::OutsideLoop(
                    "a construct begins outside of any task,".into(),
                )),
            },
            Entry::WorkEnd { .. } => match tasks.last_mut().and_then(|task| task.current.take()) {
                Some(execution) => done.push(execution),
                None => wrong(What::Unbalanced("a construct ends that never began".into())),
            },
            Entry::Dispatch(_) | Entry::Chunk(_) | Entry::Iteration(_) => {
                match tasks.last_mut().and_then(|task| task.current.as_mut()) {
                    Some(execution) => execution.entries.push(*entry),
                    None => wrong(What::OutsideLoop(format!("{entry:?}"))),
                }
            }
        }
    }
    done
}
