//! Explicit tasks, below the loops: the constructs that create them, and the regions in which they are. Nothing where there was none.

use ompchunk_analysis::Report;
use ompchunk_analysis::model::{ConstructReport, NOT_ONE_BY_ONE, TaskRegionReport, TasksReport};

use super::critical_path;
use super::top::{rest, shown};
use super::units::{BOLD, count, percent, several, time};
use crate::prose::wrapped;
use crate::table::{Cell, Column, printable, render};

const CONSTRUCTS: [Column; 12] = [
    Column::number("tasks", 0),
    Column::number("work", 0),
    Column::number("of work", 6),
    Column::number("each", 0),
    Column::number("median", 7),
    Column::number("longest", 3),
    Column::number("creation", 2),
    Column::number("queued", 4),
    Column::number("by others", 5),
    Column::number("depth", 1),
    Column::text("created at", 0),
    Column::text("function", 8),
];

const REGIONS: [Column; 8] = [
    Column::number("time", 0),
    Column::number("runs", 4),
    Column::number("threads", 0),
    Column::number("work", 0),
    Column::number("span", 0),
    Column::number("parallelism", 0),
    Column::text("region with tasks", 0),
    Column::text("function", 5),
];

/// The section, `top` rows of each table (0: all).
pub fn text(report: &Report, top: usize, width: Option<usize>, to: &mut String) {
    let Some(tasks) = &report.tasks else { return };
    *to += &wrapped(&head(tasks), width);
    let constructs = &tasks.constructs[..shown(top, tasks.constructs.len())];
    let work: f64 = tasks.constructs.iter().map(|of| of.work_seconds).sum();
    let rows: Vec<Vec<Cell>> = constructs.iter().map(|of| construct(of, work)).collect();
    *to += &render(&CONSTRUCTS, &rows, 0, width);
    rest(tasks.constructs.len() - constructs.len(), to);
    if tasks.regions.is_empty() {
        return;
    }
    let regions = &tasks.regions[..shown(top, tasks.regions.len())];
    let rows: Vec<Vec<Cell>> = regions.iter().map(region).collect();
    to.push('\n');
    *to += &render(&REGIONS, &rows, 0, width);
    rest(tasks.regions.len() - regions.len(), to);
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
    let share = |share: f64| percent(Some(share));
    let half = match found.threads {
        // Half of these is one, and of fewer it is less.
        0..=3 => String::new(),
        _ => format!(", at most half of them in {}", share(found.at_most_half_share)),
    };
    Some(format!(
        "threads in tasks over time, {name}, longest run ({}, {}): at most one in {} of the time{half}, all in {} (means of {} slices)",
        time(found.seconds),
        several(found.threads.into(), "thread"),
        share(found.at_most_one_share),
        share(found.all_share),
        found.slices.len(),
    ))
}

fn head(tasks: &TasksReport) -> String {
    let created: u64 = tasks.constructs.iter().map(|of| of.created).sum();
    let ended: u64 = tasks.constructs.iter().map(|of| of.ended).sum();
    let all = match created == ended {
        true => several(created, "explicit task"),
        false => format!("{} created, {} ended", several(created, "explicit task"), count(ended)),
    };
    format!(
        "\n{}tasks{}: {all}; work is a task's own time; creation and queued are means per task; by others: run by a different \
         thread from the one that created it\n",
        BOLD.render(),
        BOLD.render_reset()
    )
}

fn construct(of: &ConstructReport, work: f64) -> Vec<Cell> {
    let sizes = of.task_seconds.as_ref();
    let or_none = |value: Option<f64>| value.map_or_else(|| "-".to_owned(), time);
    let each = |seconds: f64, number: u64| (number > 0).then(|| seconds / number as f64);
    let share = |number: u64, all: u64| (all > 0).then(|| number as f64 / all as f64);
    vec![
        count(of.created).into(),
        time(of.work_seconds).into(),
        percent((work > 0.0).then(|| of.work_seconds / work)).into(),
        or_none(sizes.map(|sizes| sizes.mean)).into(),
        or_none(sizes.map(|sizes| sizes.median)).into(),
        or_none(sizes.map(|sizes| sizes.max)).into(),
        or_none(of.mean_creation()).into(),
        or_none(each(of.queued_seconds, of.begun)).into(),
        percent(share(of.moved, of.ended)).into(),
        count(of.deepest).into(),
        printable(&of.site.name).into(),
        printable(of.site.function.as_deref().unwrap_or("-")).into(),
    ]
}

fn region(region: &TaskRegionReport) -> Vec<Cell> {
    let or_unknown = |text: Option<String>| text.unwrap_or_else(|| "not known".to_owned());
    vec![
        time(region.seconds).into(),
        count(region.executions).into(),
        region.team_size.to_string().into(),
        time(region.work_seconds).into(),
        or_unknown(region.span_seconds.map(time)).into(),
        or_unknown(region.parallelism.map(|parallelism| format!("{parallelism:.1}"))).into(),
        printable(&region.site.name).into(),
        printable(region.site.function.as_deref().unwrap_or("-")).into(),
    ]
}
