//! The processes of a run in a loop, side by side, and the machines that they are on.

use ompchunk_analysis::Report;
use ompchunk_analysis::model::{HostReport, LoopReport};

use super::extremes::{bar, extremes, left_out_line};
use super::units::{count, efficiency, percent, time};
use super::verdict::matters;
use crate::table::{Cell, Column, render};

const RANKS: [Column; 7] = [
    Column::text("rank", 0),
    Column::number("runs", 3),
    Column::number("time", 0),
    Column::number("efficiency", 0),
    Column::number("balance", 1),
    Column::number("work", 0),
    Column::text("", 2),
];

/// A loop's ranks, and the machines that they are on.
pub fn text(report: &Report, loop_report: &LoopReport, width: Option<usize>, to: &mut String) {
    if loop_report.ranks.is_empty() {
        return;
    }
    let most = loop_report.ranks.iter().map(|rank| rank.busy_seconds).fold(0.0, f64::max);
    let matters = matters(report, loop_report);
    let mut all: Vec<_> = loop_report.ranks.iter().collect();
    // Without a time of its own, a rank's work has to do.
    let timed = loop_report.ranks.iter().any(|rank| rank.metrics.seconds > 0.0);
    let left_out = extremes(&mut all, |rank| match timed {
        true => rank.metrics.seconds,
        false => rank.busy_seconds,
    });
    let rows: Vec<Vec<Cell>> = all
        .iter()
        .map(|rank| {
            vec![
                report.parts[rank.part].name.as_str().into(),
                count(rank.executions).into(),
                match rank.executions {
                    0 => "-".to_owned(),
                    _ => time(rank.metrics.seconds),
                }
                .into(),
                efficiency(rank.metrics.parallel_efficiency, false, matters),
                efficiency(rank.metrics.load_balance, false, matters),
                time(rank.busy_seconds).into(),
                bar(rank.busy_seconds, most).into(),
            ]
        })
        .collect();
    let one_after_the_other = match report.run.processes < report.parts.len() {
        true => " (parts of one process, as pid 7 and pid 7.1, follow each other)",
        false => "",
    };
    *to += &match report.run.processes {
        1 => "\n  parts of one process, which follow each other\n".to_owned(),
        _ => format!(
            "\n  ranks: load balance {} between them{one_after_the_other}\n",
            percent(loop_report.rank_load_balance)
        ),
    };
    *to += &render(&RANKS, &rows, 2, width);
    *to += &left_out_line(left_out);
    hosts(loop_report, width, to);
}

const HOSTS: [Column; 6] = [
    Column::text("host", 0),
    Column::number("ranks", 2),
    Column::number("time, mean", 0),
    Column::number("slowest", 1),
    Column::number("work", 3),
    Column::text("", 4),
];

fn hosts(loop_report: &LoopReport, width: Option<usize>, to: &mut String) {
    let Some(between) = loop_report.between.as_ref().filter(|between| !between.hosts.is_empty()) else {
        return;
    };
    let most = between.hosts.iter().map(|host| host.seconds);
    let most = most.fold(0.0, f64::max);
    let mut all: Vec<&HostReport> = between.hosts.iter().collect();
    let left_out = extremes(&mut all, |host| host.seconds);
    let row = |host_report: &&HostReport| {
        vec![
            host_report.host.as_str().into(),
            count(host_report.processes as u64).into(),
            time(host_report.seconds).into(),
            time(host_report.slowest_seconds).into(),
            time(host_report.busy_seconds).into(),
            bar(host_report.seconds, most).into(),
        ]
    };
    let rows: Vec<Vec<Cell>> = all.iter().map(row).collect();
    to.push('\n');
    *to += &render(&HOSTS, &rows, 2, width);
    *to += &left_out_line(left_out);
}
