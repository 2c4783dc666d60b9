//! Taking a thread's log apart into executions of worksharing constructs.
//!
//! Implicit tasks nest on a thread (a nested parallel region runs inside an iteration of the outer loop), so the log is read with a stack of tasks,
//! and what happens in an inner region leaves the outer loop's sequence untouched.
//!
//! `distribute` is different in two ways. Its iterations are dealt to the initial tasks of a league,
//! below which a runtime may or may not put a task of the team; so its parts belong together by the
//! league. And in a combined construct its chunk runs as a loop of a region inside.

use super::violation::{Violation, What};
use crate::log::{Datum, Entry, Iteration, LoopEvent};

/// `ompt_work_t`: the kinds that are loops. Which of them a runtime names is its own affair.
const LOOPS: [u64; 5] = [1, 10, 11, 12, 13];
const DISTRIBUTE: u64 = 6;
const SECTIONS: u64 = 2;

/// The number of a loop whose iterations told the oracle nothing.
pub const UNKNOWN_LOOP: u64 = u64::MAX;

/// One thread's part of one execution of a worksharing construct.
#[derive(Debug, Default)]
pub struct Execution {
    pub thread: usize,
    pub task: Datum,
    pub parallel: Datum,
    /// Value of the region whose tasks share the work: that one, or the league.
    pub shared_by: u64,
    /// Value of the league, or of the program's initial region.
    pub league: u64,
    /// Which of that region's worksharing constructs, in the order in which its tasks meet them.
    pub number: usize,
    /// The iterations of the whole construct, as the runtime says.
    pub trip: u64,
    /// It is `distribute`, so `task` and `parallel` are what the runtime itself said when the construct began, without addresses.
    pub distribute: bool,
    /// Its chunks ran as loops of regions inside.
    pub composite: bool,
    /// The chunk of `distribute` that it runs, both ends included, if it is such a loop.
    pub within: Option<(u64, u64)>,
    /// One call of the runtime deals the iterations to the league and to the threads of its teams, as
    /// flang asks for: it begins as `distribute` inside the team's region, and its chunks are a loop's.
    pub fused: bool,
    /// It is a loop, not `sections`, `single` or another construct.
    pub is_loop: bool,
    /// The `ompt_work_t` that it began as.
    pub kind: u64,
    /// Where in the program it begins.
    pub codeptr: u64,
    /// Loop events, each with how much of `entries` came before it.
    pub loop_events: Vec<(usize, LoopEvent)>,
    /// How many `entries` there were when it ended.
    pub happened: usize,
    /// Its task ended, but nobody said that it ended itself.
    pub unended: bool,
    /// Dispatch events, chunk events, iterations, in order.
    pub entries: Vec<Entry>,
}

impl Execution {
    pub fn iterations(&self) -> impl Iterator<Item = Iteration> {
        self.entries.iter().filter_map(|entry| match entry {
            Entry::Iteration(iteration) => Some(*iteration),
            _ => None,
        })
    }

    /// Makes dispatch events that count iterations from 1 count from 0.
    pub fn count_from_zero(&mut self) {
        for entry in &mut self.entries {
            if let Entry::Dispatch(dispatch) = entry {
                dispatch.start = dispatch.start.wrapping_sub(1);
            }
        }
    }

    pub fn dispatches(&self) -> u64 {
        self.entries.iter().filter(|entry| matches!(entry, Entry::Dispatch(_))).count() as u64
    }

    /// It is `sections`, and an event or the program says which of them ran. Of those that are left alone the runtime's events do not.
    pub fn is_told_sections(&self) -> bool {
        let tells = |entry: &Entry| match entry {
            Entry::Chunk(_) | Entry::Iteration(_) => true,
            Entry::Dispatch(dispatch) => dispatch.iterations > 0,
            _ => false,
        };
        self.kind == SECTIONS && self.entries.iter().any(tells)
    }

    /// The program's number of the loop, if an iteration of it ran here.
    pub fn the_loop(&self) -> Option<u64> {
        let first = self.iterations().next().map(|iteration| iteration.the_loop);
        first.filter(|the_loop| *the_loop != UNKNOWN_LOOP)
    }
}

/// What an event announced, both ends included.
fn announced(entry: &Entry) -> Option<(u64, u64)> {
    match entry {
        Entry::Chunk(chunk) => Some((chunk.lower, chunk.upper)),
        Entry::Dispatch(d) => Some((d.start, d.start.wrapping_add(d.iterations).wrapping_sub(1))),
        _ => None,
    }
}

struct Task {
    task: Datum,
    parallel: Datum,
    initial: bool,
    /// Worksharing constructs met so far, and among them those that the league shares.
    met: usize,
    distributes: usize,
    current: Option<Execution>,
}

impl Task {
    fn new(task: Datum, parallel: Datum, initial: bool) -> Task {
        Task { task, parallel, initial, met: 0, distributes: 0, current: None }
    }
}

/// The executions of one thread, in the order in which they ended.
pub fn take_apart(thread: usize, entries: &[Entry], violations: &mut Vec<Violation>) -> Vec<Execution> {
    let mut done = Vec::new();
    let mut tasks: Vec<Task> = Vec::new();
    let mut wrong = |what| violations.push(Violation { thread, the_loop: None, what });
    for entry in entries {
        match *entry {
            Entry::TaskBegin { task, parallel, initial } => tasks.push(Task::new(task, parallel, initial)),
            Entry::TaskEnd { task } => match tasks.pop() {
                Some(ended) if ended.task.value == task => {
                    done.extend(ended.current.map(|execution| execution.over(true)));
                }
                _ => wrong(What::Unbalanced(format!("task {task} ended out of turn"))),
            },
            Entry::WorkBegin { kind, parallel, task, trip, codeptr } => {
                let begun = begin(thread, &mut tasks, kind, (task, parallel), (trip, codeptr));
                begun.unwrap_or_else(&mut wrong);
            }
            Entry::WorkEnd { .. } => match tasks.last_mut().and_then(|task| task.current.take()) {
                Some(execution) => done.push(execution.over(false)),
                None => wrong(What::Unbalanced("a construct ends that never began".into())),
            },
            // Judged on their own.
            Entry::Create(_) | Entry::Creation(..) | Entry::Schedule { .. } | Entry::SubBlock(_) => {}
            Entry::Loop(_) | Entry::Dispatch(_) | Entry::Chunk(_) | Entry::Variable(_) | Entry::Iteration(_) => {
                match tasks.last_mut().and_then(|task| task.current.as_mut()) {
                    Some(execution) => execution.happens(*entry),
                    None => wrong(What::OutsideLoop(format!("{entry:?}"))),
                }
            }
        }
    }
    done
}

impl Execution {
    /// An execution of a construct that begins in the innermost task and is no `distribute`.
    fn new(thread: usize, innermost: &Task, outer: &[Task], kind: u64, (trip, codeptr): (u64, u64)) -> Execution {
        Execution {
            thread,
            task: innermost.task,
            parallel: innermost.parallel,
            shared_by: innermost.parallel.value,
            league: std::iter::once(innermost)
                .chain(outer.iter().rev())
                .find(|task| task.initial)
                .map_or(0, |task| task.parallel.value),
            number: innermost.met,
            trip,
            is_loop: LOOPS.contains(&kind),
            kind,
            codeptr,
            ..Execution::default()
        }
    }

    fn happens(&mut self, entry: Entry) {
        match entry {
            Entry::Loop(event) => self.loop_events.push((self.entries.len(), event)),
            _ => self.entries.push(entry),
        }
    }

    /// It ends, or its task does.
    fn over(mut self, unended: bool) -> Execution {
        self.happened = self.entries.len();
        self.unended = unended;
        self
    }
}

/// A construct begins in the innermost task.
fn begin(
    thread: usize,
    tasks: &mut [Task],
    kind: u64,
    (task, parallel): (u64, u64),
    (trip, codeptr): (u64, u64),
) -> Result<(), What> {
    let Some((innermost, outer)) = tasks.split_last_mut() else {
        return Err(What::OutsideLoop("a construct begins outside of any task,".into()));
    };
    if let Some(current) = &mut innermost.current
        && current.distribute
        && current.entries.is_empty()
        && LOOPS.contains(&kind)
    {
        // libiomp5 begins it under both names and ends it once.
        current.fused = true;
        return Ok(());
    }
    if innermost.current.is_some() {
        return Err(What::Unbalanced("a construct begins inside another".into()));
    }
    let mut execution = Execution::new(thread, innermost, outer, kind, (trip, codeptr));
    // libiomp5 says nothing of the team's task and takes flang's distribute for a loop of that task, so that it names a task which never began.
    let unnamed = LOOPS.contains(&kind) && innermost.initial && (task, parallel) == (0, 0);
    if kind == DISTRIBUTE || unnamed {
        share_in_league(&mut execution, innermost, outer, (task, parallel))?;
    } else {
        if (innermost.task.value, innermost.parallel.value) != (task, parallel) {
            return Err(What::Data(format!("work begins in task {task}, region {parallel}")));
        }
        innermost.met += 1;
        let around = outer.last_mut().and_then(|task| task.current.as_mut());
        if let Some(distribute) = around.filter(|around| around.distribute && execution.is_loop) {
            distribute.composite = true;
            execution.within = distribute.entries.iter().rev().find_map(announced);
        }
    }
    innermost.current = Some(execution);
    Ok(())
}

/// Makes it a `distribute`, of which the league's teams have parts.
fn share_in_league(
    execution: &mut Execution,
    innermost: &mut Task,
    outer: &mut [Task],
    (task, parallel): (u64, u64),
) -> Result<(), What> {
    let named = |value| Datum { value, address: 0 };
    execution.is_loop = true;
    execution.distribute = true;
    execution.task = named(task);
    execution.parallel = named(parallel);
    // Below the league stands at most a task of the team, then the region's.
    let below = outer.iter().rev().take_while(|task| !task.initial).count();
    let regions = if innermost.initial { 0 } else { below + 1 };
    let league = match innermost.initial {
        true => innermost,
        false => outer
            .iter_mut()
            .rev()
            .find(|task| task.initial)
            .ok_or_else(|| What::OutsideLoop("distribute begins outside of any league,".into()))?,
    };
    execution.shared_by = league.parallel.value;
    execution.fused = regions > 1;
    execution.number = league.distributes;
    league.distributes += 1;
    Ok(())
}
