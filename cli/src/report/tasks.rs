//! Explicit tasks, below the loops: the constructs that create them, and the regions in which they are. Nothing where there was none.

use ompchunk_analysis::Report;
use ompchunk_analysis::model::{ConstructReport, NOT_ONE_BY_ONE, TaskRegionReport, TasksReport};

use super::critical_path;
use super::units::{BOLD, count, counted, first_rows, percent, shown, time};
use crate::prose::wrapped;
use crate::signature::short;
use crate::table::{Field, printable};

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
    let path = tasks.critical_path.as_ref().map(critical_path::text);
    let one_by_one: Vec<String> = path.into_iter().chain(regions.iter().filter_map(over_time)).collect();
    if !one_by_one.is_empty() {
        to.push('\n');
    }
    for sentence in one_by_one {
        *to += &wrapped(&sentence, width);
    }
}

/// How many threads ran tasks at a time; nothing of a recording that is not made to tell.
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
    Some(format!(
        "threads in tasks over time, {name}, longest run ({}, {}): at most one in {} of the time{half}, all in {} (means of {} slices)",
        time(found.seconds),
        counted(found.threads.into(), "thread"),
        percent(found.at_most_one_share),
        percent(found.all_share),
        found.slices.len(),
    ))
}

fn head(tasks: &TasksReport) -> String {
    let created: u64 = tasks.constructs.iter().map(|of| of.created).sum();
    let ended: u64 = tasks.constructs.iter().map(|of| of.ended).sum();
    let all = match created == ended {
        true => counted(created, "explicit task"),
        false => format!("{} created, {} ended", counted(created, "explicit task"), count(ended)),
    };
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
