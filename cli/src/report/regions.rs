//! Where the threads' time goes in each parallel region, below the loops: where there are several and that differs.

use ompchunk_analysis::Report;
use ompchunk_analysis::model::RegionReport;

use super::causes::length;
use super::units::{BOLD, count, percent, shown, time};
use crate::prose::wrapped;
use crate::signature::short;
use crate::table::{Field, printable, render};

const MATTERS: f64 = 0.02;
/// So much of two regions' time goes elsewhere, or there is nothing to tell.
const DIFFERS: f64 = 0.1;

const WORK: [&str; 7] = ["loops", "sections", "single", "worksharing", "reduction", "region", "tasks"];
const WAITING: [&str; 7] = [
    "start", "wait-after-loop", "wait-after-single", "wait-after-sections", "wait-in-region", "taskwait",
    "wait-in-tasks",
];
const LOCKS: [&str; 4] = ["lock", "critical", "atomic", "ordered"];

/// Shares of a region's thread time: work, waiting, locks, what is none of these, and what is not known.
fn shares(region: &RegionReport) -> [f64; 5] {
    let share = |seconds: f64| seconds / region.thread_seconds;
    let named = [&WORK[..], &WAITING, &LOCKS].map(|codes| share(region.entry_seconds(codes)));
    let unknown = share(region.unknown_seconds);
    let rest = 1.0 - named.iter().sum::<f64>() - unknown;
    let [work, waiting, locks] = named;
    [work, waiting, locks, rest.max(0.0), unknown]
}

pub fn text(report: &Report, top: usize, width: Option<usize>, to: &mut String) {
    let length = length(report);
    let is_large = |region: &&RegionReport| region.seconds >= MATTERS * length && region.thread_seconds > 0.0;
    let large: Vec<&RegionReport> = report.regions.iter().filter(is_large).collect();
    if !differ(&large) {
        return;
    }
    let line = format!(
        "\n{BOLD}regions{BOLD:#}: team × time of each, and where it goes; waiting is at barriers, for tasks, and until threads begin\n"
    );
    *to += &wrapped(&line, width);
    let shown = &large[..shown(top, large.len())];
    let rows: Vec<Vec<Field>> = shown.iter().map(|region| row(region, length)).collect();
    *to += &render(&rows, 0, width);
}

fn differ(regions: &[&RegionReport]) -> bool {
    let all: Vec<[f64; 5]> = regions.iter().map(|region| shares(region)).collect();
    let spread = |at: usize| {
        let values = all.iter().map(|shares| shares[at]);
        let most = values.clone().fold(0.0, f64::max);
        most - values.fold(1.0, f64::min)
    };
    all.len() > 1 && (0..5).any(|at| spread(at) >= DIFFERS)
}

fn row(region: &RegionReport, length: f64) -> Vec<Field> {
    let [work, waiting, locks, rest, unknown] = shares(region).map(percent);
    vec![
        Field::number("time", 0, time(region.seconds)),
        Field::number("of run", 0, percent(region.seconds / length)),
        Field::number("runs", 5, count(region.executions)),
        Field::number("work", 0, work),
        Field::number("balance", 2, region.load_balance().map_or("-".to_owned(), percent)),
        Field::number("waiting", 1, waiting),
        Field::number("locks", 2, locks),
        Field::number("other", 4, rest),
        Field::number("unknown", 3, unknown),
        Field::text("region", 0, printable(&region.site.name)),
        Field::text("function", 6, printable(&short(region.site.function.as_deref().unwrap_or("-")))),
    ]
}
