//! Tasks that take less than the team needs to create, find and leave them.

use super::facts::{Facts, IS_ALL, MANY, WIDE};
use crate::hints::terms::time;
use crate::tasks::model::TaskHint;

/// Tasks that are deeper create tasks themselves.
const NESTED: u64 = 3;
/// To create a task and to record that takes the task that creates it so much of what the team needs for each, and so many seconds, at
/// least. It is none of the program's work.
const CREATION: f64 = 0.4;
const LEAST_CREATION: f64 = 0.5e-6;
/// Tasks for each thread that are enough.
const ENOUGH: f64 = 16.0;

/// Tasks that create tasks, down to such as take less than the team needs to create, find and leave one. With so many that could run at
/// any time, what threads do not work they spend on that.
pub(super) fn cutoff(facts: &Facts<'_>) -> Option<TaskHint> {
    let (mean, each) = (facts.mean(), facts.idle() / facts.created as f64);
    let creation = LEAST_CREATION.min(CREATION * each);
    let is_cause = facts.deepest > NESTED
        && mean - creation <= each + creation
        && each <= facts.most_for_one()
        && facts.region.parallelism? >= WIDE * facts.team
        && facts.had_cores();
    let (depth, enough) = enough(facts)?;
    let deeper = facts.report.constructs.iter().flat_map(|of| &of.depths);
    let deeper = deeper.filter(|more| more.depth > depth);
    let deeper: u64 = deeper.map(|more| more.tasks).sum();
    (is_cause && deeper as f64 >= IS_ALL * facts.created as f64).then(|| TaskHint {
        code: "cutoff",
        text: format!(
            "{} tasks ({} and the like) take {} each, and the team needs {} more for each to create, find and leave it, recording included in both: create none \
             deeper than {depth}, where there are {enough} already, and call the function instead; {deeper} tasks are deeper",
            facts.created,
            facts.first.site.name,
            time(mean),
            time(each),
        ),
        least_seconds: facts.saved_without(each * deeper as f64, deeper),
        lost_seconds: (each * deeper as f64 + facts.creation_in(facts.work, deeper)) / facts.team,
    })
}

/// The first depth at which there are enough tasks for each thread, and how many.
fn enough(facts: &Facts<'_>) -> Option<(u64, u64)> {
    let wanted = ENOUGH * facts.team * facts.executions();
    let tasks = |depth: u64| {
        let all = facts.report.constructs.iter().flat_map(|of| &of.depths);
        let same = all.filter(|of| of.depth == depth);
        same.map(|of| of.tasks).sum::<u64>()
    };
    let depths = (1..=facts.deepest).map(|depth| (depth, tasks(depth)));
    depths.into_iter().find(|(_, tasks)| *tasks as f64 >= wanted)
}

/// Tasks that take less than the team needs for each, though there were always some to take.
pub(super) fn small(facts: &Facts<'_>) -> Option<TaskHint> {
    // Who does nothing but create tasks does it for them.
    let creation = if facts.only_creates() { facts.apart() } else { 0.0 };
    let overhead = facts.idle() + creation;
    let (mean, each) = (facts.mean(), overhead / facts.created as f64);
    let is_cause = facts.deepest <= NESTED
        && facts.loses(overhead)
        && mean <= each
        && each <= facts.most_for_one()
        && facts.created as f64 >= MANY * facts.team * facts.executions()
        && facts.are_ready()
        && !wait_for_each_other(facts)?
        && others_find_them(facts)
        && facts.had_cores();
    is_cause.then(|| TaskHint {
        code: "small-tasks",
        text: format!(
            "{} tasks ({} and the like) take {} each, and the team needs {} more for each to {}find and leave it, recording included, with {:.0} ready at a time on \
             average: make them larger, as by taskloop with a grainsize",
            facts.created,
            facts.first.site.name,
            time(mean),
            time(each),
            if creation > 0.0 { "create, " } else { "" },
            facts.queued() / facts.region.seconds
        ),
        least_seconds: facts.saved_without(overhead, facts.created),
        // What they do themselves may be what the recorder takes.
        lost_seconds: (overhead + facts.work.min(facts.recording(facts.created))) / facts.team,
    })
}

impl Facts<'_> {
    /// Elapsed time that is saved at least if so many tasks are not created, without which the team loses so many seconds less: the recorder takes
    /// some of these, and all threads end within one of the pieces that are left.
    fn saved_without(&self, overhead: f64, tasks: u64) -> f64 {
        ((overhead - self.recording(tasks)) / self.team - self.work_of_each() / ENOUGH).max(0.0)
    }
}

/// The longest chain is made of tasks, so that those that are queued need not be ready; `None`: not known.
fn wait_for_each_other(facts: &Facts<'_>) -> Option<bool> {
    let beside = facts.work / (WIDE * facts.team) + facts.longest_of_all();
    Some(facts.region.span_seconds? > facts.apart() + beside)
}

/// Of tasks that one thread creates and does little else, the others run so many that what they do not work may be what these cost. Else
/// they wait for that thread, had no core, or slept.
fn others_find_them(facts: &Facts<'_>) -> bool {
    !facts.has_one_creator() || facts.only_creates() && facts.idle() <= facts.most_for_one() * facts.moved()
}
