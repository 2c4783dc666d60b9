//! Explicit tasks, below the loops: the constructs that create them, and the regions in which they are. Nothing where there was none.

use anyhow::Result;
use ompchunk_analysis::model::{ConstructReport, CriticalPath, NOT_ONE_BY_ONE, OnPath, TaskRegionReport, TasksReport};
use ompchunk_analysis::{Analysis, Report};
use ompchunk_export as export;
use ompchunk_trace_format::Part;

use super::units::{BOLD, count, counted, first_rows, percent, shown, time};
use crate::prose::wrapped;
use crate::signature::short;
use crate::table::{Field, printable};

const NAMED: usize = 3;

pub fn text(report: &Report, top: usize, width: Option<usize>, to: &mut String) {
    let Some(tasks) = &report.tasks else { return };
    *to += &wrapped(&head(tasks), width);
    let work: f64 = tasks.constructs.iter().map(|of| of.work_seconds).sum();
    first_rows(&tasks.constructs, top, |of| construct(of, work), width, to);
    if tasks.regions.is_empty() {
        return;
    }
    to.push('\n');
    first_rows(&tasks.regions, top, region, width, to);
    let regions = &tasks.regions[..shown(top, tasks.regions.len())];
    let path = tasks.critical_path.as_ref().map(critical_path);
    let one_by_one: Vec<String> = path.into_iter().chain(regions.iter().filter_map(over_time)).collect();
    if !one_by_one.is_empty() {
        to.push('\n');
    }
    for sentence in one_by_one {
        *to += &wrapped(&sentence, width);
    }
}

fn over_time(region: &TaskRegionReport) -> Option<String> {
    let name = printable(&region.site.name);
    let Some(found) = &region.activity else {
        let why = region.activity_missing.filter(|why| *why != NOT_ONE_BY_ONE);
        return why.map(|why| format!("threads in tasks over time, {name}: not known, as {why}"));
    };
    let half = match found.threads {
        // Half of these is one, and of fewer it is less.
        0..=3 => String::new(),
        _ => format!(", at most half of them in {}", percent(found.at_most_half_share)),
    };
    let [one, all] = [found.at_most_one_share, found.all_share].map(percent);
    let run = format!("longest run ({}, {})", time(found.seconds), counted(found.threads.into(), "thread"));
    let slices = found.slices.len();
    Some(format!(
        "threads in tasks over time, {name}, {run}: at most one in {one} of the time{half}, all in {all} (means of {slices} slices)"
    ))
}

fn head(tasks: &TasksReport) -> String {
    let created: u64 = tasks.constructs.iter().map(|of| of.created).sum();
    let ended: u64 = tasks.constructs.iter().map(|of| of.ended).sum();
    let all = counted(created, "explicit task");
    let all = if created == ended { all } else { format!("{all} created, {} ended", count(ended)) };
    format!(
        "\n{BOLD}tasks{BOLD:#}: {all}; work is a task's own time; creation and queued are means per task; by others: run by a different \
         thread from the one that created it\n"
    )
}

fn construct(of: &ConstructReport, work: f64) -> Vec<Field> {
    let sizes = of.task_seconds.as_ref();
    let each = |seconds: f64, number: u64| (number > 0).then(|| seconds / number as f64);
    let share = |number: u64, all: u64| (all > 0).then(|| number as f64 / all as f64);
    vec![
        Field::number("tasks", 0, count(of.created)),
        Field::number("work", 0, time(of.work_seconds)),
        Field::number("of work", 6, percent((work > 0.0).then(|| of.work_seconds / work))),
        Field::number("each", 0, time(sizes.map(|sizes| sizes.mean))),
        Field::number("median", 7, time(sizes.map(|sizes| sizes.median))),
        Field::number("longest", 3, time(sizes.map(|sizes| sizes.max))),
        Field::number("creation", 2, time(of.mean_creation())),
        Field::number("queued", 4, time(each(of.queued_seconds, of.begun))),
        Field::number("by others", 5, percent(share(of.moved, of.ended))),
        Field::number("depth", 1, count(of.deepest)),
        Field::text("created at", 0, printable(&of.site.name)),
        Field::text("function", 8, printable(&short(of.site.function.as_deref().unwrap_or("-")))),
    ]
}

fn region(region: &TaskRegionReport) -> Vec<Field> {
    let or_unknown = |text: Option<String>| text.unwrap_or_else(|| "not known".to_owned());
    vec![
        Field::number("time", 0, time(region.seconds)),
        Field::number("runs", 4, count(region.executions)),
        Field::number("threads", 0, region.team_size.to_string()),
        Field::number("work", 0, time(region.work_seconds)),
        Field::number("span", 0, or_unknown(region.span_seconds.map(time))),
        Field::number("parallelism", 0, or_unknown(region.parallelism.map(|parallelism| format!("{parallelism:.1}")))),
        Field::text("region with tasks", 0, printable(&region.site.name)),
        Field::text("function", 5, printable(&short(region.site.function.as_deref().unwrap_or("-")))),
    ]
}

/// Only where tasks were recorded one by one and all that orders them is known. Parts are read once more, in the order of time.
pub fn add_critical_path(analysis: &Analysis, report: &mut Report, parts: &[&Part]) -> Result<()> {
    let Some(tasks) = &mut report.tasks else { return Ok(()) };
    let is_known = |of: &TaskRegionReport| of.span_seconds.is_some();
    if tasks.regions.is_empty() || !tasks.regions.iter().all(is_known) {
        return Ok(());
    }
    let mut longest: Option<(&Part, export::CriticalPath)> = None;
    for part in parts {
        // A longer one may be in what is not told.
        let Some(path) = export::critical_path(part)? else { return Ok(()) };
        let is_longer = |(_, known): &(_, export::CriticalPath)| path.seconds > known.seconds;
        if longest.as_ref().is_none_or(is_longer) {
            longest = Some((part, path));
        }
    }
    tasks.critical_path = longest.map(|(part, path)| named(analysis, part, path));
    Ok(())
}

fn named(analysis: &Analysis, part: &Part, path: export::CriticalPath) -> CriticalPath {
    let code = |whose| if let export::OnPath::Construct(code) = whose { Some(code) } else { None };
    let codes: Vec<u64> = path.parts.iter().filter_map(|(whose, _)| code(*whose)).collect();
    let mut sites = analysis.sites(part, &codes).into_iter();
    let part_of = |(whose, seconds)| OnPath {
        site: code(whose).and_then(|_| sites.next()),
        in_tasks: whose != export::OnPath::Outside,
        seconds,
    };
    let mut parts: Vec<OnPath> = path.parts.into_iter().map(part_of).collect();
    parts.sort_by(|one, two| two.seconds.total_cmp(&one.seconds));
    CriticalPath { seconds: path.seconds, work_seconds: path.work_seconds, parts }
}

fn critical_path(path: &CriticalPath) -> String {
    let share = |seconds: f64| percent(seconds / path.seconds);
    let part = |part: &OnPath| {
        let whose = match (&part.site, part.in_tasks) {
            (Some(site), _) => printable(&site.name),
            (None, true) => "other tasks".to_owned(),
            (None, false) => "outside of explicit tasks".to_owned(),
        };
        format!("{whose} {}", share(part.seconds))
    };
    let mut parts: Vec<String> = path.parts.iter().take(NAMED).map(part).collect();
    let rest: f64 = path.parts.iter().skip(NAMED).map(|part| part.seconds).sum();
    if rest > 0.0 {
        parts.push(format!("the rest {}", share(rest)));
    }
    format!("critical path, {} of {} of work: {}", time(path.seconds), time(path.work_seconds), parts.join(", "))
}
