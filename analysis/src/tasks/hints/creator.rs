//! One thread works outside of tasks, and the others have none meanwhile.

use super::facts::{Facts, MANY, PIECES};
use crate::hints::terms::time;
use crate::tasks::model::TaskHint;

/// Creating tasks takes so much of the region's time.
const BOUND: f64 = 0.7;
/// So much of what threads lose is explained by that code.
const MOST: f64 = 0.75;
/// No thread is idle for longer than others work.
const ALL_AND_ERROR: f64 = 1.15;
/// So much of its share of the tasks' work the creator may have run itself, where it is busy with creating them.
const HARDLY: f64 = 0.5;
/// So little of that share ran while the creator worked outside of tasks, where it comes before or after them.
const NOTHING: f64 = 0.1;
/// The share is so much of the region's time, or it is not known when tasks ran.
const IS_SEEN: f64 = 0.05;
/// Those that come in bursts wait longer for the tasks before them, in seconds. A thread that yields beside other programs, as one without a
/// task does, has a core again by then.
const LATE: f64 = 0.02;

/// One thread creates all tasks, and the others run them faster than they come: even if they did so at once, they would wait.
pub(super) fn one_creator(facts: &Facts<'_>) -> Option<TaskHint> {
    // What the region works outside of tasks is that thread's, as the others have nothing there.
    let (mean, takes) = (facts.mean(), facts.apart());
    let apart = takes / facts.created as f64;
    let is_cause = facts.has_one_creator()
        && facts.created as f64 >= MANY * facts.team * facts.executions()
        && takes >= BOUND * facts.region.seconds
        && facts.loses(takes * (facts.team - 1.0) - facts.work)
        && while_it_works(facts) >= HARDLY * share(facts)
        // Else it is the tasks that are too small.
        && !(facts.only_creates() && facts.are_ready())
        && facts.had_cores();
    is_cause.then(|| TaskHint {
        code: "one-creator",
        text: format!(
            "one thread creates the {} tasks of {} and comes to the next after {} each time (recording included), for {} of the region's {}; a task takes \
             {}, so that the other threads wait for them. Let all threads create some (in a worksharing loop, or by tasks that create tasks){}",
            facts.created,
            facts.first.site.name,
            time(apart),
            time(takes),
            time(facts.region.seconds),
            time(mean),
            // What else it does before each remains, however large they are.
            if facts.only_creates() { ", or make them larger (taskloop with a grainsize)" } else { "" },
        ),
        least_seconds: facts.saved_by(PIECES),
        // Threads that create tasks for themselves are in nobody's way.
        lost_seconds: facts.not_used() + facts.creation_in(takes, facts.created) / facts.team,
    })
}

/// One thread works for long before, after or between tasks. These are created in bursts: they wait for each other, not for a thread, so that the
/// code is not what leads from one to the next.
pub(super) fn serial_part(facts: &Facts<'_>) -> Option<TaskHint> {
    let takes = facts.apart() - facts.creation()?;
    let explained = takes * (facts.team - 1.0);
    let is_cause = (MOST * facts.idle()..=ALL_AND_ERROR * facts.idle()).contains(&explained)
        && facts.region.span_seconds? >= takes
        && while_it_works(facts) <= NOTHING * share(facts)
        && share(facts) >= IS_SEEN * facts.region.seconds
        && queue(facts) >= LATE.max(facts.mean())
        && facts.take_part()
        && facts.had_cores();
    let most = facts.not_used().min(explained / facts.team);
    is_cause.then(|| TaskHint {
        code: "serial-part",
        text: format!(
            "{} of the {} that {} takes are code outside of its tasks, which one thread runs before, after or between them, and the others have none to run meanwhile: \
             divide that code into tasks, too, or create the first tasks before it is over",
            time(takes),
            time(facts.region.seconds),
            facts.region.site.name,
        ),
        least_seconds: facts.saved_by(PIECES).min(most),
        lost_seconds: most,
    })
}

/// A thread's, of the work of all tasks.
fn share(facts: &Facts<'_>) -> f64 {
    facts.work / facts.team
}

/// How much of that share ran while the creator worked outside of tasks: the region is shorter by so much than one after the other.
fn while_it_works(facts: &Facts<'_>) -> f64 {
    facts.apart() + share(facts) - facts.region.seconds
}

/// From a task's creation to its begin, on average.
fn queue(facts: &Facts<'_>) -> f64 {
    facts.queued() / facts.created as f64
}
