//! Fewer tasks than threads, or fewer that a thread can hand over.

use super::facts::{Facts, PIECES};
use crate::hints::terms::time;
use crate::tasks::model::TaskHint;

/// Of the region's work, or of a task's.
const HALF: f64 = 0.5;
/// What the creator works beside so many threads that have one task each.
const AND_ERROR: f64 = 1.1;

/// Less tasks than threads.
pub(super) fn too_few(facts: &Facts<'_>) -> Option<TaskHint> {
    let each = facts.created as f64 / facts.executions();
    // What the thread that creates them does itself may be as good as a task.
    let own = facts.apart();
    let threads = if own >= HALF * facts.mean() * facts.executions() { each + 1.0 } else { each };
    let is_cause = threads < facts.team && facts.work >= HALF * facts.region.work_seconds;
    is_cause.then(|| TaskHint {
        code: "few-tasks",
        text: format!(
            "{} {} for {} threads in an execution of {}: divide the work further, into several tasks for each thread",
            if each.fract() == 0.0 { format!("{each}") } else { format!("{each:.1}") },
            if each == 1.0 { "task" } else { "tasks" },
            facts.region.team_size,
            facts.region.site.name
        ),
        least_seconds: facts.saved_by(PIECES),
        lost_seconds: facts.not_used(),
    })
}

/// Tasks that run where they are created, so that those that other threads may run are fewer than the team, and no more threads work.
pub(super) fn undeferred(facts: &Facts<'_>) -> Option<TaskHint> {
    let (created, deferred) = (facts.created, facts.deferred());
    let busy = (deferred as f64 / facts.executions()).max(1.0);
    let is_cause = busy < facts.team
        && facts.region.work_seconds <= AND_ERROR * busy * facts.region.seconds
        && created as f64 >= facts.team * facts.executions()
        && facts.work >= HALF * facts.region.work_seconds;
    is_cause.then(|| TaskHint {
        code: "undeferred",
        text: format!(
            "{} of {created} tasks ({} and the like) run at once, in the thread that creates them, for {} in all: an if clause is false, or they are in a final task. \
             Let more of them be deferred, several for each thread",
            created - deferred,
            facts.first.site.name,
            time(facts.work),
        ),
        least_seconds: facts.saved_by(PIECES),
        lost_seconds: facts.not_used(),
    })
}
