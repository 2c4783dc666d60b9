//! What to do about explicit tasks, where the numbers allow one cause.

mod creator;
mod facts;
mod few;
mod span;
mod tiny;

use self::facts::{Facts, IS_ALL};
use crate::hints::terms::time;

use super::model::{TaskHint, TaskRegionReport, TasksReport};
use crate::model::RunReport;

/// Regions with less of the run are left alone.
const MATTERS: f64 = 0.05;

/// So little of the most is nothing.
const WORTH: f64 = 0.05;

/// Says what to do, where it is the cause.
type Rule = fn(&Facts<'_>) -> Option<TaskHint>;

/// Causes of threads that do not work.
const IDLE: [Rule; 6] =
    [tiny::cutoff, creator::one_creator, few::too_few, creator::serial_part, span::long_task, span::chain];

pub(super) fn of(report: &TasksReport, run: &RunReport) -> Option<TaskHint> {
    let region = the_region(report, run)?;
    let facts = Facts::of(report, region, run)?;
    // Where tasks are not handed over, what they do is the work of the threads that create them, and says nothing of tasks.
    let idle: &[Rule] = match facts.runs_at_once() {
        true => &[few::undeferred],
        false => &IDLE,
    };
    let idle = idle.iter().filter(|_| facts.loses(facts.idle()));
    let rules = idle.chain([&(tiny::small as Rule)]);
    let found: Vec<TaskHint> = rules.filter_map(|rule| rule(&facts)).collect();
    let [mut hint] = <[TaskHint; 1]>::try_from(found).ok()?;
    hint.text += &estimate(&hint, region);
    Some(hint)
}

/// What the change saves of the region.
fn estimate(hint: &TaskHint, region: &TaskRegionReport) -> String {
    let most = time(hint.lost_seconds);
    let saved = match hint.least_seconds >= WORTH * hint.lost_seconds {
        true => format!("{} to {most}", time(hint.least_seconds)),
        false => format!("at most {most}"),
    };
    format!(". Estimate: {saved} less than {}", time(region.seconds))
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
