//! What takes long whatever the runtime does: one task, or tasks that wait for each other.

use super::creator::{one_creator, serial_part};
use super::facts::{Facts, PIECES};
use super::few::too_few;
use crate::hints::terms::time;
use crate::tasks::model::TaskHint;

/// Fewer threads can be busy than so much of the team.
const NARROW: f64 = 0.75;
/// The longest chain is so much of the region's time.
const IS_CHAIN: f64 = 0.75;
/// One task is so much of it, and then may have been off its core, or in another task's way.
const IS_ONE: f64 = 0.25;
/// Code outside of tasks is so much of it.
const MOST_OF_CHAIN: f64 = 0.5;
/// One task is most of the region's time.
const IS_LONG: f64 = 0.5;
/// So many times the others: not even a task that lost its core to other programs again and again. Nor is one kept from it for so many
/// seconds at a time; of tasks that run where a thread waits, time off a core is not recorded.
const OUTLIER: f64 = 8.0;
const LEAST: f64 = 0.1;
/// Of what threads lose.
const HALF: f64 = 0.5;
/// What else threads may lose, beside what one task that they wait for explains.
const ALL_AND_ERROR: f64 = 1.1;

/// One task takes most of the region's time, and the others are done long before.
pub(super) fn long_task(facts: &Facts<'_>) -> Option<TaskHint> {
    if too_few(facts).is_some() {
        return None;
    }
    let constructs = facts.report.constructs.iter();
    let construct = constructs.max_by(|one, two| Facts::longest(one).total_cmp(&Facts::longest(two)))?;
    let (takes, region) = (Facts::longest(construct), facts.region);
    let others = (facts.work - takes) / (facts.created as f64 - 1.0);
    // What other threads may be idle for while it runs.
    let explains = ALL_AND_ERROR * (facts.team - 1.0) * takes;
    let is_cause = takes >= LEAST.max(IS_LONG * region.seconds)
        && takes >= OUTLIER * others
        && facts.idle() <= explains
        && facts.held_up()? < IS_ONE * takes
        && facts.had_cores();
    is_cause.then(|| TaskHint {
        code: "long-task",
        text: format!(
            "one task of {} takes {} of the {} that {} takes, and others {} on average: threads wait until it is done. Divide it{}",
            construct.site.name,
            time(takes),
            time(region.seconds),
            region.site.name,
            time(others),
            if region.seconds - takes >= HALF * facts.not_used() { ", or create it before the others" } else { "" },
        ),
        // If it is created before the others, the region still takes as long as it.
        least_seconds: (facts.saved_by(PIECES) - (takes - facts.work_of_each()).max(0.0)).max(0.0),
        lost_seconds: facts.not_used(),
    })
}

/// Tasks that wait for each other one after the other.
pub(super) fn chain(facts: &Facts<'_>) -> Option<TaskHint> {
    let others = [too_few(facts), one_creator(facts), serial_part(facts)];
    if others.iter().any(Option::is_some) {
        return None;
    }
    let region = facts.region;
    let (span, parallelism) = (region.span_seconds?, region.parallelism?);
    // Else it is the code of the thread that creates the tasks.
    let is_of_tasks = !facts.has_one_creator() || facts.apart() < MOST_OF_CHAIN * span;
    let is_cause = parallelism < NARROW * facts.team
        && is_of_tasks
        && span >= IS_CHAIN * region.seconds
        && facts.longest_of_all() < IS_ONE * span
        && facts.had_cores();
    is_cause.then(|| TaskHint {
        code: "chain",
        text: format!(
            "the longest chain of work in {} takes {} of its {}: there are too few tasks that can run at the same time, and of {} \
             threads {parallelism:.1} can be busy on \
             average, however they are scheduled. Divide what the chain is made of (a taskloop into more tasks, what runs before tasks are created), or let less wait for \
             each other (taskwait, taskgroup)",
            region.site.name,
            time(span),
            time(region.seconds),
            region.team_size
        ),
        least_seconds: facts.saved_by(PIECES),
        lost_seconds: facts.not_used(),
    })
}
