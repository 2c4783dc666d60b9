//! The verdict on a log: does every event say exactly what the threads then ran?
//!
//! [`execution`] takes a thread's log apart into executions of loops, [`chunks`] judges one thread's part of one execution, [`team`] puts the parts
//! of a team together. Pure: a log in, violations out. For an instrumented loop:
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
//! - a thread without iterations has no event;
//! - each of `sections` is a chunk, and its dispatch event is one of a section;
//! - where a chunk is run in sub-blocks, these are all of it, and each runs before the next ([`sub_blocks`]).

pub mod chunks;
pub mod execution;
pub mod expected;
pub mod loop_events;
pub mod sub_blocks;
pub mod tasks;
pub mod team;
#[cfg(test)]
mod tests;
pub mod unobserved;
pub mod variable;
pub mod violation;

pub use expected::Expected;
pub use violation::Verdict;
pub use violation::{Violation, What};

use crate::log::{Entry, Log};

/// Without the first of two events that begin the same construct, one right after the other.
fn begun_once(entries: &[Entry]) -> Vec<Entry> {
    let begins = |entry: &Entry| match *entry {
        Entry::WorkBegin { parallel, task, .. } => Some((parallel, task)),
        _ => None,
    };
    let follows = |at: usize| entries.get(at + 1).and_then(begins);
    let kept = |&(at, entry): &(usize, &Entry)| begins(entry).is_none_or(|wanted| follows(at) != Some(wanted));
    let kept = entries.iter().enumerate().filter(kept);
    kept.map(|(_, entry)| *entry).collect()
}

pub fn judge(log: &Log, expected: &Expected) -> Verdict {
    let mut verdict = Verdict::default();
    let mut executions = Vec::new();
    for (thread, entries) in log.threads.iter().enumerate() {
        let whole = sub_blocks::take_away(thread, entries, expected, &mut verdict);
        let once: Vec<Entry>;
        let entries = &whole[..];
        let entries = match expected.begun_twice {
            true => {
                once = begun_once(entries);
                &once
            }
            false => entries,
        };
        executions.extend(execution::take_apart(thread, entries, &mut verdict.violations));
    }
    for execution in &mut executions {
        for iteration in execution.iterations() {
            *verdict.iterations.entry(iteration.the_loop).or_default() += 1;
        }
        if execution.the_loop().is_some_and(|l| expected.distribute.contains(&l)) {
            execution.distribute = true;
            execution.fused |= expected.begun_twice;
            execution.shared_by = execution.league;
        }
        if execution.the_loop().is_some_and(|l| expected.from_one.contains(&l)) {
            execution.count_from_zero();
        }
        let is_silent = execution.is_told_sections() && execution.iterations().next().is_none();
        if expected.unobserved || execution.composite || is_silent {
            unobserved::believe(execution, expected);
        }
    }
    for execution in &executions {
        if execution.the_loop().is_some_and(|l| expected.unjudged.contains(&l)) {
            continue;
        }
        chunks::judge(execution, expected, &mut verdict);
    }
    team::judge(&executions, expected, &mut verdict.violations);
    verdict
}
