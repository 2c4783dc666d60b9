//! The verdict on a log: does every event say exactly what the threads then ran?
//!
//! [`execution`] takes a thread's log apart into executions of loops, [`chunks`] judges one thread's
//! part of one execution, [`team`] puts the parts of a team together. Pure: a log in, violations
//! out. For an instrumented loop:
//!
//! - each chunk has exactly one chunk event and one dispatch event; they agree; then exactly its
//!   iterations run, in order, on that thread, before the next event;
//! - a thread's chunks ascend, unless the runtime deals them and the schedule is not monotonic;
//! - `is_last_chunk` stands on the last chunk of each thread that has any, and on no other; where the
//!   runtime deals the chunks, on the one that holds the loop's last iteration;
//! - where the program says so, the user's start and step give the values that its variable had;
//! - task and parallel data are those of the thread's implicit task;
//! - the duration is bookkeeping alone, and exactly 0 without a clock;
//! - on each thread of the team, also one without a chunk, a loop event comes before all that and one
//!   after, within the runtime's work events, in the same place of the program;
//! - the parts of the team's threads are disjoint and together the whole iteration space;
//! - a thread without iterations has no event.

pub mod chunks;
pub mod execution;
pub mod loop_events;
pub mod tasks;
pub mod team;
#[cfg(test)]
mod tests;
pub mod unobserved;
pub mod variable;
pub mod violation;

use std::collections::{BTreeMap, BTreeSet};

pub use violation::{Violation, What};

use crate::log::{Entry, Log};

/// What the log is judged against.
#[derive(Debug, Clone)]
pub struct Expected {
    /// The program's numbers of loops whose chunks the runtime deals: the dispatch events are its own,
    /// and a thread's chunks may come in any order, ...
    pub dealt: BTreeSet<u64>,
    /// The runtime deals the chunks of all loops, whatever the source says.
    pub all_dealt: bool,
    /// ... but not of those of them with `ordered` or the modifier `monotonic` (OpenMP 5.2, 11.5.3).
    pub monotonic: BTreeSet<u64>,
    /// Those of them that the compiler counts from 1: the runtime's dispatch events say so, chunk events
    /// never do.
    pub from_one: BTreeSet<u64>,
    /// Loops that may be cancelled: a thread may stop anywhere.
    pub cancelled: BTreeSet<u64>,
    /// Loops whose iterations say the user's variable, of which start and step must be known.
    pub user_known: BTreeSet<u64>,
    /// Loops without a single variable that counts: nothing may be said of it.
    pub user_unknown: BTreeSet<u64>,
    /// Loops of code that was compiled without the plugin: what the runtime says of them is its affair.
    pub unjudged: BTreeSet<u64>,
    /// Loops that are `distribute`, although the runtime begins them as worksharing loops. (flang does
    /// not tell it.)
    pub distribute: BTreeSet<u64>,
    /// The runtime is asked twice to begin each loop, and to end it once, and says so. (flang deals a loop to
    /// threads and to teams by two calls.)
    pub begun_twice: bool,
    /// The program says nothing of its iterations, so events cannot be compared with them.
    pub unobserved: bool,
    /// Dispatch events were asked for.
    pub dispatch: bool,
    /// Chunk events were asked for.
    pub chunk: bool,
    /// A clock was given.
    pub clock: bool,
    /// Loop events were asked for.
    pub loops: bool,
}

impl Default for Expected {
    fn default() -> Self {
        Expected {
            dealt: BTreeSet::new(),
            all_dealt: false,
            monotonic: BTreeSet::new(),
            from_one: BTreeSet::new(),
            cancelled: BTreeSet::new(),
            user_known: BTreeSet::new(),
            user_unknown: BTreeSet::new(),
            unjudged: BTreeSet::new(),
            distribute: BTreeSet::new(),
            begun_twice: false,
            unobserved: false,
            dispatch: true,
            chunk: true,
            clock: true,
            loops: true,
        }
    }
}

impl Expected {
    /// Does the runtime deal the chunks of that loop?
    pub fn is_dealt(&self, the_loop: Option<u64>) -> bool {
        self.all_dealt || the_loop.is_some_and(|it| self.dealt.contains(&it))
    }

    /// What the oracle registers so that this is what it sees.
    pub fn events(&self) -> String {
        let events = [
            ("dispatch", self.dispatch),
            ("chunk", self.chunk),
            ("clock", self.clock),
            ("loop", self.loops),
        ];
        let asked: Vec<&str> = events
            .into_iter()
            .filter_map(|(name, on)| on.then_some(name))
            .collect();
        asked.join(",")
    }
}

/// What was found.
#[derive(Debug, Default)]
pub struct Verdict {
    /// Everything wrong with the log.
    pub violations: Vec<Violation>,
    /// Iterations run per loop.
    pub iterations: BTreeMap<u64, u64>,
    /// Chunks run in instrumented loops.
    pub chunks: u64,
    /// Dispatch events of loops whose chunks the runtime deals, and of everything else.
    pub runtimes_own: u64,
}

/// Without the first of two events that begin the same construct, one right after the other.
fn begun_once(entries: &[Entry]) -> Vec<Entry> {
    let begins = |entry: &Entry| match *entry {
        Entry::WorkBegin { parallel, task, .. } => Some((parallel, task)),
        _ => None,
    };
    let follows = |at: usize| entries.get(at + 1).and_then(begins);
    let kept =
        |&(at, entry): &(usize, &Entry)| begins(entry).is_none_or(|it| follows(at) != Some(it));
    let kept = entries.iter().enumerate().filter(kept);
    kept.map(|(_, entry)| *entry).collect()
}

/// Judges a log.
pub fn judge(log: &Log, expected: &Expected) -> Verdict {
    let mut verdict = Verdict::default();
    let mut executions = Vec::new();
    for (thread, entries) in log.threads.iter().enumerate() {
        let once: Vec<Entry>;
        let entries = match expected.begun_twice {
            true => {
                once = begun_once(entries);
                &once
            }
            false => entries,
        };
        executions.extend(execution::take_apart(
            thread,
            entries,
            &mut verdict.violations,
        ));
    }
    for execution in &mut executions {
        for iteration in execution.iterations() {
            *verdict.iterations.entry(iteration.the_loop).or_default() += 1;
        }
        if execution
            .the_loop()
            .is_some_and(|l| expected.distribute.contains(&l))
        {
            execution.distribute = true;
            execution.fused |= expected.begun_twice;
            execution.shared_by = execution.league;
        }
        if execution
            .the_loop()
            .is_some_and(|l| expected.from_one.contains(&l))
        {
            execution.count_from_zero();
        }
        if expected.unobserved || execution.composite {
            unobserved::believe(execution, expected);
        }
    }
    for execution in &executions {
        if execution
            .the_loop()
            .is_some_and(|l| expected.unjudged.contains(&l))
        {
            continue;
        }
        chunks::judge(execution, expected, &mut verdict);
    }
    team::judge(&executions, expected, &mut verdict.violations);
    verdict
}
