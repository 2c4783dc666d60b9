//! Explicit tasks of all parts together, in seconds, by their place in the program.

use std::collections::BTreeMap;

use super::hints;
use super::model::{ConstructReport, TaskDepth, TaskRegionReport, TaskSizes, TasksReport};
use super::sums::{ConstructSums, RegionSums};
use crate::histogram::Durations;
use crate::merge::Merge;
use crate::model::{RunReport, Site};
use crate::process::Context;
use crate::symbols::Lines;

/// `ompt_task_untied`
const UNTIED: u32 = 0x1000_0000;

/// `None`: no explicit task was created.
pub(crate) fn report(context: &Context<'_>, run: &RunReport) -> Option<TasksReport> {
    let mut lines = Lines::default();
    let mut constructs: BTreeMap<Site, (ConstructSums, f64)> = BTreeMap::new();
    let mut regions: BTreeMap<Site, TaskRegionReport> = BTreeMap::new();
    for (at, part) in context.sums.iter().enumerate() {
        for (code, sums) in &part.tasks.constructs {
            let entry = constructs.entry(context.site(at, *code, &mut lines));
            let (all, hertz) = entry.or_insert_with(|| (ConstructSums::default(), part.clock.hertz));
            all.take_in(&sums.by_clock(part.clock.hertz / *hertz));
        }
        for (code, sums) in &part.tasks.regions {
            let region = regions.entry(context.site(at, *code, &mut lines)).or_default();
            add_region(region, sums, part.clock.hertz);
        }
    }
    // Seconds of a reading of the clock.
    let read = context.parts.first().map_or(0.0, |part| part.meta().clock.read / part.clock().hertz);
    let mut report = TasksReport {
        constructs: constructs.into_iter().map(|(site, (sums, hertz))| construct(site, &sums, hertz, read)).collect(),
        regions: regions.into_iter().map(|(site, region)| TaskRegionReport { site, ..region }).collect(),
        critical_path: None,
        hint: None,
    };
    let work = |of: &ConstructReport| of.work_seconds;
    report.constructs.sort_by(|one, two| work(two).total_cmp(&work(one)));
    let time = |of: &TaskRegionReport| of.seconds * f64::from(of.team_size);
    report.regions.sort_by(|one, two| time(two).total_cmp(&time(one)));
    report.hint = hints::find(&report, run);
    (!report.constructs.is_empty()).then_some(report)
}

pub(crate) fn sites(context: &Context<'_>, part: usize, codes: &[u64]) -> Vec<Site> {
    let mut lines = Lines::default();
    codes.iter().map(|code| context.site(part, *code, &mut lines)).collect()
}

fn construct(site: Site, sums: &ConstructSums, hertz: f64, read: f64) -> ConstructReport {
    let seconds = |ticks: u64| ticks as f64 / hertz;
    let creation = seconds(sums.creation) - sums.timed as f64 * read;
    let depths = sums.depths.iter().zip(1..);
    let all: u64 = sums.creators.values().sum();
    let most = sums.creators.values().max().copied().unwrap_or(0);
    ConstructReport {
        site,
        created: sums.created,
        begun: sums.begun,
        ended: sums.ended,
        undeferred: sums.undeferred,
        untied: sums.flags & UNTIED != 0,
        work_seconds: seconds(sums.work),
        timed: sums.timed,
        creation_seconds: (sums.timed > 0).then_some(creation.max(0.0)),
        queued_seconds: seconds(sums.queued),
        moved: sums.moved,
        moved_seconds: seconds(sums.moved_work),
        waiting_seconds: seconds(sums.waited),
        task_seconds: sizes(sums, hertz),
        deepest: sums.deepest,
        depths: depths
            .filter(|([tasks, _], _)| *tasks > 0)
            .map(|([tasks, work], depth)| TaskDepth { depth, tasks: *tasks, work_seconds: seconds(*work) })
            .collect(),
        creators: sums.creators.values().filter(|created| **created > 0).count() as u64,
        largest_creator_share: most as f64 / all.max(1) as f64,
    }
}

fn sizes(sums: &ConstructSums, hertz: f64) -> Option<TaskSizes> {
    let [min, max] = sums.extremes?.map(|ticks| ticks as f64 / hertz);
    let mut durations = Durations::default();
    for (exponent, count) in sums.sizes.iter().enumerate() {
        durations.add_octave(exponent, *count);
    }
    let quantile = |share| (durations.quantile(share).unwrap_or(0.0) / hertz).clamp(min, max);
    let buckets = sums.sizes.iter().enumerate();
    Some(TaskSizes {
        min,
        mean: sums.work as f64 / hertz / sums.ended.max(1) as f64,
        median: quantile(0.5),
        p95: quantile(0.95),
        max,
        quantile_error: durations.error(),
        histogram: buckets
            .filter(|(_, count)| **count > 0)
            .map(|(exponent, count)| {
                let from = if exponent == 0 { 0.0 } else { 2f64.powi(exponent as i32) };
                let to = 2f64.powi(exponent as i32 + 1) - 1.0;
                (from / hertz, to / hertz, *count)
            })
            .collect(),
    })
}

fn add_region(region: &mut TaskRegionReport, sums: &RegionSums, hertz: f64) {
    let seconds = |ticks: u64| ticks as f64 / hertz;
    let is_first = region.executions == 0 && region.work_seconds == 0.0;
    region.executions += sums.executions;
    region.team_size = region.team_size.max(sums.team_size);
    region.seconds += seconds(sums.elapsed);
    region.work_seconds += seconds(sums.work);
    region.waiting_seconds += seconds(sums.waited);
    let before = if is_first { Some(0.0) } else { region.span_seconds };
    let is_known = sums.unknown == 0 && sums.executions > 0;
    region.span_seconds = before.filter(|_| is_known).map(|span| span + seconds(sums.span));
    let span = region.span_seconds.filter(|span| *span > 0.0);
    region.parallelism = span.map(|span| region.work_seconds / span);
}
