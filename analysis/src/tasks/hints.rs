//! What to do about explicit tasks, where the numbers allow one cause.

use super::model::{ConstructReport, TaskHint, TaskRegionReport, TasksReport};
use crate::hints::terms::time;
use crate::model::RunReport;

/// Regions with less of the run are left alone.
const MATTERS: f64 = 0.05;
/// So much of the team's time is no work, or there is nothing to gain.
const LOSES: f64 = 0.2;
/// Of all task regions' work, or it is not known whose tasks they are.
const IS_ALL: f64 = 0.9;
/// Creating tasks takes so much of the team's time.
const CREATION: f64 = 0.1;
/// ... and of the time of the one thread that creates them.
const BOUND: f64 = 0.7;
/// Fewer threads can be busy than so much of the team.
const NARROW: f64 = 0.75;
/// The longest chain is so much of the region's time.
const IS_CHAIN: f64 = 0.75;
/// One task is so much of it, and then may have been off its core.
const IS_ONE: f64 = 0.25;
/// More time off a core than that, and a chain may be one that waited for a core.
const OFF_CORE: f64 = 0.05;
/// Tasks for each thread that are enough.
const ENOUGH: f64 = 16.0;

pub(super) fn of(report: &TasksReport, run: &RunReport) -> Option<TaskHint> {
    let region = the_region(report, run)?;
    let construct = report.constructs.first()?;
    let found: Vec<TaskHint> = [
        cutoff(report, region),
        one_creator(report, region),
        too_few(report, region),
        chain(report, region, run),
    ]
    .into_iter()
    .flatten()
    .collect();
    match <[TaskHint; 1]>::try_from(found) {
        Ok([hint]) if construct.ended > 0 => Some(hint),
        _ => None,
    }
}

/// The one region that all tasks are in, as far as they matter, if it matters to the run and loses something.
fn the_region<'r>(report: &'r TasksReport, run: &RunReport) -> Option<&'r TaskRegionReport> {
    let work: f64 = report
        .regions
        .iter()
        .map(|region| region.work_seconds)
        .sum();
    let region = report.regions.first()?;
    let team = region.seconds * f64::from(region.team_size);
    let is_meant = region.team_size > 1
        && region.work_seconds >= IS_ALL * work
        && region.seconds >= MATTERS * run.seconds
        && region.executions > 0
        && run.crowd.is_none();
    let loses = team - region.work_seconds >= LOSES * team || creation(report) >= CREATION * team;
    (is_meant && loses).then_some(region)
}

/// Thread time that creating all tasks took, as far as that was timed of most of them.
fn creation(report: &TasksReport) -> f64 {
    let each = report.constructs.iter().map(|of| {
        let is_known = of.timed as f64 >= IS_ALL * of.created as f64;
        let mean = of.mean_creation().filter(|_| is_known);
        mean.map_or(0.0, |mean| mean * of.created as f64)
    });
    each.sum()
}

/// Tasks that create tasks, down to such as cost more to create than they take.
fn cutoff(report: &TasksReport, region: &TaskRegionReport) -> Option<TaskHint> {
    let of = report.constructs.iter().max_by_key(|of| of.created)?;
    let (sizes, each) = (of.task_seconds.as_ref()?, of.mean_creation()?);
    let team = region.seconds * f64::from(region.team_size);
    let is_cause = of.timed as f64 >= IS_ALL * of.created as f64
        && each * of.created as f64 >= CREATION * team
        && sizes.mean <= each
        && of.deepest > 3;
    let enough = ENOUGH * f64::from(region.team_size) * region.executions as f64;
    let depth = of
        .depths
        .iter()
        .find(|depth| depth.tasks as f64 >= enough)?;
    let deeper = of.depths.iter().filter(|more| more.depth > depth.depth);
    let saved: u64 = deeper.map(|more| more.tasks).sum();
    (is_cause && saved as f64 >= IS_ALL * of.created as f64).then(|| TaskHint {
        code: "cutoff",
        text: format!(
            "the {} tasks of {} take {} each, and creating one takes {}: create none deeper than {}, where there are {} already, and call the \
             function instead. The {} deeper ones cost {} of thread time to create",
            of.created,
            of.site.name,
            time(sizes.mean),
            time(each),
            depth.depth,
            depth.tasks,
            saved,
            time(each * saved as f64)
        ),
        lost_seconds: each * saved as f64 / f64::from(region.team_size),
    })
}

/// One thread creates all tasks, and the others run them faster than they come.
fn one_creator(report: &TasksReport, region: &TaskRegionReport) -> Option<TaskHint> {
    let of = report.constructs.iter().max_by_key(|of| of.created)?;
    let (sizes, each) = (of.task_seconds.as_ref()?, of.mean_creation()?);
    let takes = each * of.timed as f64;
    let others = f64::from(region.team_size - 1);
    let is_cause = of.deepest == 1
        && of.largest_creator_share >= IS_ALL
        && of.timed as f64 >= IS_ALL * of.created as f64
        && takes >= BOUND * region.seconds
        && sizes.mean <= each * others;
    is_cause.then(|| TaskHint {
        code: "one-creator",
        text: format!(
            "one thread creates the {} tasks of {}, which takes {} of the region's {}; they take {} each, so that the others wait for them: let all threads \
             create some (tasks in a worksharing loop, or taskloop with a grainsize), or make them larger",
            of.created,
            of.site.name,
            time(takes),
            time(region.seconds),
            time(sizes.mean)
        ),
        lost_seconds: not_used(region),
    })
}

/// Less tasks than threads.
fn too_few(report: &TasksReport, region: &TaskRegionReport) -> Option<TaskHint> {
    let created: u64 = report.constructs.iter().map(|of| of.created).sum();
    let each = created as f64 / region.executions as f64;
    let work: f64 = report.constructs.iter().map(|of| of.work_seconds).sum();
    // What the thread that creates them does itself is as good as a task.
    let is_cause = each + 1.0 < f64::from(region.team_size) && work >= 0.5 * region.work_seconds;
    is_cause.then(|| TaskHint {
        code: "few-tasks",
        text: format!(
            "{} {} for {} threads in an execution of {}: divide the work further, into several tasks for each thread",
            if each.fract() == 0.0 { format!("{each}") } else { format!("{each:.1}") },
            if each == 1.0 { "task" } else { "tasks" },
            region.team_size,
            region.site.name
        ),
        lost_seconds: not_used(region),
    })
}

/// Tasks that wait for each other one after the other.
fn chain(report: &TasksReport, region: &TaskRegionReport, run: &RunReport) -> Option<TaskHint> {
    if too_few(report, region).is_some() || one_creator(report, region).is_some() {
        return None;
    }
    let (span, parallelism) = (region.span_seconds?, region.parallelism?);
    let longest = |of: &ConstructReport| of.task_seconds.as_ref().map_or(0.0, |sizes| sizes.max);
    let longest = report.constructs.iter().map(longest).fold(0.0, f64::max);
    let off_core = run.account.as_ref().map_or(0.0, |account| {
        account.seconds(&["off-core"]) / account.thread_seconds
    });
    let is_cause = parallelism < NARROW * f64::from(region.team_size)
        && span >= IS_CHAIN * region.seconds
        && longest < IS_ONE * span
        && off_core < OFF_CORE;
    is_cause.then(|| TaskHint {
        code: "chain",
        text: format!(
            "the longest chain of work in {} takes {} of its {}: of {} threads {parallelism:.1} can be busy on average, however tasks are scheduled. Shorten it: what \
             runs before tasks are created, and tasks that wait for each other (taskwait, nested taskgroups)",
            region.site.name,
            time(span),
            time(region.seconds),
            region.team_size
        ),
        lost_seconds: not_used(region),
    })
}

/// Elapsed time that would be saved if all threads worked all the time.
fn not_used(region: &TaskRegionReport) -> f64 {
    let each = region.work_seconds / f64::from(region.team_size);
    (region.seconds - each).max(0.0)
}
