//! The parts of a team's threads put together: disjoint, and the whole iteration space.

use std::collections::{BTreeMap, BTreeSet};

use super::execution::{Execution, UNKNOWN_LOOP};
use super::expected::Expected;
use super::violation::{Violation, What};

/// Judges all executions of a log, team by team.
pub fn judge(executions: &[Execution], expected: &Expected, violations: &mut Vec<Violation>) {
    // All tasks of a region meet its worksharing constructs in the same order (OpenMP 5.2, 11), so the n-th of one is the n-th of all.
    let mut teams: BTreeMap<(bool, u64, usize), Vec<&Execution>> = BTreeMap::new();
    for execution in executions {
        teams.entry((execution.distribute, execution.shared_by, execution.number)).or_default().push(execution);
    }
    for parts in teams.values() {
        judge_team(parts, expected, violations);
    }
}

fn judge_team(parts: &[&Execution], expected: &Expected, violations: &mut Vec<Violation>) {
    let Some(first) = parts.iter().flat_map(|part| part.iterations()).next() else {
        return;
    };
    let the_loop = Some(first.the_loop).filter(|the_loop| *the_loop != UNKNOWN_LOOP);
    let mut wrong = |thread, what| violations.push(Violation { thread, the_loop, what });

    let mut tasks = BTreeSet::new();
    let mut ran = BTreeSet::new();
    let mut loops = BTreeSet::new();
    for part in parts {
        if !tasks.insert(part.task.value) && !part.distribute {
            wrong(part.thread, What::SharedTask(part.task.value));
        }
        for iteration in part.iterations() {
            loops.insert(iteration.the_loop);
            if !ran.insert(iteration.index) {
                wrong(part.thread, What::Repeated(iteration.index));
            }
        }
    }
    // A thread without iterations has them too.
    let silent = parts.iter().find(|part| part.loop_events.is_empty());
    if let Some(silent) = silent
        && parts.iter().any(|part| !part.loop_events.is_empty())
    {
        wrong(silent.thread, What::LoopEvent("no loop event on this thread".into()));
    }
    if loops.len() > 1 {
        wrong(parts[0].thread, What::DifferentLoops(loops.into_iter().collect()));
    }
    if expected.cancelled.contains(&first.the_loop) {
        return;
    }
    for part in parts.iter().filter(|part| !part.is_loop) {
        // If one of the sections is told, all are.
        if part.dispatches() > 0 && part.iterations().next().is_none() {
            wrong(part.thread, What::NothingRan("the event of a section".into()));
        }
    }
    // A loop combined with distribute runs one chunk of the whole.
    let within = parts.iter().find_map(|part| part.within);
    let (lower, upper) = within.unwrap_or((0, first.trip - 1));
    if let Some(missing) = (lower..=upper).find(|index| !ran.contains(index)) {
        wrong(parts[0].thread, What::NeverRan(missing));
    }
    let beyond = ran.iter().find(|index| !(lower..=upper).contains(index));
    if let Some(beyond) = beyond {
        wrong(parts[0].thread, What::OutOfSpace(*beyond));
    }
}
