//! What to do about explicit tasks, where the numbers allow one cause.

mod facts;

use facts::{MANY, PIECES, WIDE};

use self::facts::{Facts, IS_ALL};
use super::model::{TaskHint, TaskRegionReport, TasksReport};
use crate::hints::facts::time;
use crate::model::RunReport;

/// Regions with less of the run are left alone.
const MATTERS: f64 = 0.05;

/// So little of the most is nothing.
const WORTH: f64 = 0.05;

type Rule = fn(&Facts<'_>) -> Option<TaskHint>;

/// Causes of threads that do not work.
const IDLE: [Rule; 6] = [cutoff, one_creator, too_few, serial_part, long_task, chain];

pub(super) fn find(report: &TasksReport, run: &RunReport) -> Option<TaskHint> {
    let region = the_region(report, run)?;
    let facts = Facts::from_report(report, region, run)?;
    // Where tasks are not handed over, what they do is the work of the threads that create them, and says nothing of tasks.
    let idle: &[Rule] = if facts.runs_at_once() { &[undeferred] } else { &IDLE };
    let idle = idle.iter().filter(|_| facts.loses(facts.idle()));
    let found: Vec<TaskHint> = idle.chain([&(small as Rule)]).filter_map(|rule| rule(&facts)).collect();
    let [mut hint] = <[TaskHint; 1]>::try_from(found).ok()?;
    hint.text += &estimate(&hint, region);
    Some(hint)
}

fn estimate(hint: &TaskHint, region: &TaskRegionReport) -> String {
    let most = time(hint.lost_seconds);
    let saved = if hint.least_seconds >= WORTH * hint.lost_seconds {
        format!("{} to {most}", time(hint.least_seconds))
    } else {
        format!("at most {most}")
    };
    format!(". Estimate: saves {saved} of {}", time(region.seconds))
}

/// The one region that all tasks are in, as far as they matter, if it matters to the run.
fn the_region<'r>(report: &'r TasksReport, run: &RunReport) -> Option<&'r TaskRegionReport> {
    let work: f64 = report.regions.iter().map(|region| region.work_seconds).sum();
    let region = report.regions.first()?;
    let is_meant = region.team_size > 1
        // Or it is not known whose tasks they are.
        && region.work_seconds >= IS_ALL * work
        && region.seconds >= MATTERS * run.seconds
        && region.executions > 0
        && run.crowd.is_none();
    is_meant.then_some(region)
}

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
/// Tasks that come in bursts wait longer than this for the tasks before them, in seconds. A thread that yields beside other programs, as one
/// without a task does, has a core again by then.
const LATE: f64 = 0.02;

/// One thread creates all tasks, and the others run them faster than they come: even if they did so at once, they would wait.
fn one_creator(facts: &Facts<'_>) -> Option<TaskHint> {
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
fn serial_part(facts: &Facts<'_>) -> Option<TaskHint> {
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

/// A share of the region's work, of a task's, or of what threads lose, from which on it matters.
const HALF: f64 = 0.5;
/// What the creator works beside so many threads that have one task each.
const AND_ERROR: f64 = 1.1;

fn too_few(facts: &Facts<'_>) -> Option<TaskHint> {
    let each = facts.created as f64 / facts.executions();
    // What the thread that creates them does itself may be as good as a task.
    let threads = if facts.apart() >= HALF * facts.mean() * facts.executions() { each + 1.0 } else { each };
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
fn undeferred(facts: &Facts<'_>) -> Option<TaskHint> {
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

/// Fewer threads can be busy than so much of the team.
const NARROW: f64 = 0.75;
/// The longest chain is so much of the region's time.
const IS_CHAIN: f64 = 0.75;
/// One task is so much of it, and then may have been off its core, or in another task's way.
const IS_ONE: f64 = 0.25;
/// Code outside of tasks is so much of it.
const MOST_OF_CHAIN: f64 = 0.5;
const IS_LONG: f64 = 0.5;
/// So many times the others: not even a task that lost its core to other programs again and again. Nor is one kept from it for so many
/// seconds at a time; of tasks that run where a thread waits, time off a core is not recorded.
const OUTLIER: f64 = 8.0;
const LEAST: f64 = 0.1;
/// What else threads may lose, beside what one task that they wait for explains.
const ALL_BESIDE_ONE: f64 = 1.1;

/// One task takes most of the region's time, and the others are done long before.
fn long_task(facts: &Facts<'_>) -> Option<TaskHint> {
    if too_few(facts).is_some() {
        return None;
    }
    let constructs = facts.report.constructs.iter();
    let construct = constructs.max_by(|one, two| Facts::longest(one).total_cmp(&Facts::longest(two)))?;
    let (takes, region) = (Facts::longest(construct), facts.region);
    let others = (facts.work - takes) / (facts.created as f64 - 1.0);
    // What other threads may be idle for while it runs.
    let explains = ALL_BESIDE_ONE * (facts.team - 1.0) * takes;
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
fn chain(facts: &Facts<'_>) -> Option<TaskHint> {
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

/// Tasks that are deeper create tasks themselves.
const NESTED: u64 = 3;
/// The creator spends at least this share of what the team needs per task on creating and recording it, and at least so many seconds:
/// that is overhead, and must not count as the program's work.
const CREATION: f64 = 0.4;
const LEAST_CREATION: f64 = 0.5e-6;
/// Tasks for each thread that are enough.
const ENOUGH: f64 = 16.0;

/// Tasks that create tasks, down to such as take less than the team needs to create, find and leave one. With so many that could run at
/// any time, what threads do not work they spend on that.
fn cutoff(facts: &Facts<'_>) -> Option<TaskHint> {
    let (mean, each) = (facts.mean(), facts.idle() / facts.created as f64);
    let creation = LEAST_CREATION.min(CREATION * each);
    let is_cause = facts.deepest > NESTED
        && mean - creation <= each + creation
        && each <= facts.most_for_one()
        && facts.region.parallelism? >= WIDE * facts.team
        && facts.had_cores();
    let (depth, enough) = enough(facts)?;
    let deeper = facts.report.constructs.iter().flat_map(|of| &of.depths).filter(|more| more.depth > depth);
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
        let same = facts.report.constructs.iter().flat_map(|of| &of.depths).filter(|of| of.depth == depth);
        same.map(|of| of.tasks).sum::<u64>()
    };
    let depths = (1..=facts.deepest).map(|depth| (depth, tasks(depth)));
    depths.into_iter().find(|(_, tasks)| *tasks as f64 >= wanted)
}

/// Tasks that take less than the team needs for each, though there were always some to take.
fn small(facts: &Facts<'_>) -> Option<TaskHint> {
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

/// Where one thread does little else than create tasks, the others run so many of them that their time without work may be what these
/// cost. Else they wait for that thread, had no core, or slept.
fn others_find_them(facts: &Facts<'_>) -> bool {
    !facts.has_one_creator() || facts.only_creates() && facts.idle() <= facts.most_for_one() * facts.moved()
}
