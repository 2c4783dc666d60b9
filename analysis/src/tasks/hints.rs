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
/// Creating tasks takes so much of the region's time, and there are so many for each thread.
const BOUND: f64 = 0.7;
const MANY: f64 = 100.0;
/// Fewer threads can be busy than so much of the team.
const NARROW: f64 = 0.75;
/// The longest chain is so much of the region's time.
const IS_CHAIN: f64 = 0.75;
/// One task is so much of it, and then may have been off its core.
const IS_ONE: f64 = 0.25;
/// More time off a core than that, and a chain may be one that waited for a core.
const OFF_CORE: f64 = 0.05;
/// Tasks that are deeper create tasks themselves.
const NESTED: u64 = 3;
/// So many times the team could be busy: then no thread is without a task.
const WIDE: f64 = 4.0;
/// No runtime takes longer to create, find and leave a task, in seconds: 65,000 cycles are the most that the thesis measured for an
/// empty one (table 3.1, GCC with 20 threads). What is beyond has another cause, such as threads that had no core while they waited.
const MOST_FOR_ONE: f64 = 25e-6;
/// Tasks for each thread that are enough.
const ENOUGH: f64 = 16.0;

pub(super) fn of(report: &TasksReport, run: &RunReport) -> Option<TaskHint> {
    let region = the_region(report, run)?;
    let construct = report.constructs.first()?;
    let found: Vec<TaskHint> = [
        cutoff(report, region, run),
        one_creator(report, region),
        small(report, region, run),
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
    let loses = team - region.work_seconds >= LOSES * team;
    (is_meant && loses).then_some(region)
}

/// Tasks that create tasks, down to such as take less than the team needs to create, find and leave one. With so many that could run at
/// any time, what threads do not work they spend on that.
fn cutoff(report: &TasksReport, region: &TaskRegionReport, run: &RunReport) -> Option<TaskHint> {
    let created: u64 = report.constructs.iter().map(|of| of.created).sum();
    let work: f64 = report.constructs.iter().map(|of| of.work_seconds).sum();
    let deepest = report.constructs.iter().map(|of| of.deepest).max()?;
    let team = f64::from(region.team_size);
    let rest = region.seconds * team - region.work_seconds;
    let (mean, each) = (work / created as f64, rest / created as f64);
    let is_cause = deepest > NESTED
        && mean <= each
        && each <= MOST_FOR_ONE
        && region.parallelism? >= WIDE * team
        && off_core(run)? < OFF_CORE;
    let (depth, enough) = enough(report, region)?;
    let deeper = report.constructs.iter().flat_map(|of| &of.depths);
    let deeper = deeper.filter(|more| more.depth > depth);
    let deeper: u64 = deeper.map(|more| more.tasks).sum();
    let first = report.constructs.iter().max_by_key(|of| of.created)?;
    (is_cause && deeper as f64 >= IS_ALL * created as f64).then(|| TaskHint {
        code: "cutoff",
        text: format!(
            "{created} tasks ({} and the like) take {} each, and the team needs {} more for each to create, find and leave it, recording included: create none \
             deeper than {depth}, where there are {enough} already, and call the function instead; {deeper} tasks are deeper",
            first.site.name,
            time(mean),
            time(each),
        ),
        lost_seconds: each * deeper as f64 / team,
    })
}

/// The first depth at which there are enough tasks for each thread, and how many.
fn enough(report: &TasksReport, region: &TaskRegionReport) -> Option<(u64, u64)> {
    let wanted = ENOUGH * f64::from(region.team_size) * region.executions as f64;
    let tasks = |depth: u64| {
        let all = report.constructs.iter().flat_map(|of| &of.depths);
        let same = all.filter(|of| of.depth == depth);
        same.map(|of| of.tasks).sum::<u64>()
    };
    let deepest = report.constructs.iter().map(|of| of.deepest).max()?;
    let depths = (1..=deepest).map(|depth| (depth, tasks(depth)));
    depths
        .into_iter()
        .find(|(_, tasks)| *tasks as f64 >= wanted)
}

/// The share of thread time that is off a core; `None`: not known.
fn off_core(run: &RunReport) -> Option<f64> {
    let account = run.account.as_ref()?;
    Some(account.seconds(&["off-core"]) / account.thread_seconds)
}

/// One thread creates all tasks, and the others run them faster than they come.
fn one_creator(report: &TasksReport, region: &TaskRegionReport) -> Option<TaskHint> {
    let created: u64 = report.constructs.iter().map(|of| of.created).sum();
    let work: f64 = report.constructs.iter().map(|of| of.work_seconds).sum();
    let first = report.constructs.iter().max_by_key(|of| of.created)?;
    // What the region works outside of tasks is that thread's, as the others have nothing there.
    let takes = region.work_seconds - work;
    let (mean, apart) = (work / created as f64, takes / created as f64);
    let is_flat = |of: &ConstructReport| of.deepest <= 1 && of.largest_creator_share >= IS_ALL;
    let is_cause = report.constructs.iter().all(is_flat)
        && created as f64 >= MANY * f64::from(region.team_size) * region.executions as f64
        && takes >= BOUND * region.seconds
        && queued(report) <= f64::from(region.team_size) * region.seconds
        && mean <= apart * f64::from(region.team_size - 1);
    is_cause.then(|| TaskHint {
        code: "one-creator",
        text: format!(
            "one thread creates the {created} tasks of {} and comes to the next after {} each time (recording included), for {} of the region's {}; a task takes \
             {}, so that the other threads wait for them. Let all threads create some (in a worksharing loop, or by tasks that create tasks), or make them larger \
             (taskloop with a grainsize)",
            first.site.name,
            time(apart),
            time(takes),
            time(region.seconds),
            time(mean)
        ),
        lost_seconds: not_used(region),
    })
}

/// The time that tasks were queued, all together: over the region's time, how many were at once, on average.
fn queued(report: &TasksReport) -> f64 {
    report.constructs.iter().map(|of| of.queued_seconds).sum()
}

/// Tasks that take less than the team needs to find and leave one, though there were always some to take.
fn small(report: &TasksReport, region: &TaskRegionReport, run: &RunReport) -> Option<TaskHint> {
    let created: u64 = report.constructs.iter().map(|of| of.created).sum();
    let work: f64 = report.constructs.iter().map(|of| of.work_seconds).sum();
    let deepest = report.constructs.iter().map(|of| of.deepest).max()?;
    let first = report.constructs.iter().max_by_key(|of| of.created)?;
    let team = f64::from(region.team_size);
    let rest = region.seconds * team - region.work_seconds;
    let (mean, each) = (work / created as f64, rest / created as f64);
    let is_cause = deepest <= NESTED
        && mean <= each
        && each <= MOST_FOR_ONE
        && created as f64 >= MANY * team * region.executions as f64
        && queued(report) >= WIDE * team * region.seconds
        && off_core(run)? < OFF_CORE;
    is_cause.then(|| TaskHint {
        code: "small-tasks",
        text: format!(
            "{created} tasks ({} and the like) take {} each, and the team needs {} more for each to find and leave it, recording included, with {:.0} ready at a time on \
             average: make them larger, as by taskloop with a grainsize",
            first.site.name,
            time(mean),
            time(each),
            queued(report) / region.seconds
        ),
        lost_seconds: rest / team,
    })
}

/// Less tasks than threads.
fn too_few(report: &TasksReport, region: &TaskRegionReport) -> Option<TaskHint> {
    let created: u64 = report.constructs.iter().map(|of| of.created).sum();
    let each = created as f64 / region.executions as f64;
    let work: f64 = report.constructs.iter().map(|of| of.work_seconds).sum();
    // What the thread that creates them does itself may be as good as a task.
    let own = region.work_seconds - work;
    let mean = work / created as f64;
    let threads = if own >= 0.5 * mean * region.executions as f64 {
        each + 1.0
    } else {
        each
    };
    let is_cause = threads < f64::from(region.team_size) && work >= 0.5 * region.work_seconds;
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
    let is_cause = parallelism < NARROW * f64::from(region.team_size)
        && span >= IS_CHAIN * region.seconds
        && longest < IS_ONE * span
        && off_core(run)? < OFF_CORE;
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
        lost_seconds: not_used(region),
    })
}

/// Elapsed time that would be saved if all threads worked all the time.
fn not_used(region: &TaskRegionReport) -> f64 {
    let each = region.work_seconds / f64::from(region.team_size);
    (region.seconds - each).max(0.0)
}
