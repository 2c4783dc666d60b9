//! The processes of a run in a loop, side by side, and the machines that they are on.

use ompchunk_analysis::Report;
use ompchunk_analysis::model::{HostReport, LoopReport, RankReport};

use super::units::{count, efficiency, extreme_rows, percent, share_bar, time};
use super::verdict::matters;
use crate::table::Field;

/// A loop's ranks, and the machines that they are on.
pub fn text(report: &Report, loop_report: &LoopReport, width: Option<usize>, to: &mut String) {
    if loop_report.ranks.is_empty() {
        return;
    }
    let most = loop_report.ranks.iter().map(|rank| rank.busy_seconds).fold(0.0, f64::max);
    let matters = matters(report, loop_report);
    // Without a time of its own, a rank's work has to do.
    let timed = loop_report.ranks.iter().any(|rank| rank.metrics.seconds > 0.0);
    let value = |rank: &RankReport| match timed {
        true => rank.metrics.seconds,
        false => rank.busy_seconds,
    };
    let row = |rank: &RankReport| {
        vec![
            Field::text("rank", 0, report.parts[rank.part].name.as_str()),
            Field::number("runs", 3, count(rank.executions)),
            Field::number(
                "time",
                0,
                match rank.executions {
                    0 => "-".to_owned(),
                    _ => time(rank.metrics.seconds),
                },
            ),
            Field::number("efficiency", 0, efficiency(rank.metrics.parallel_efficiency, false, matters)),
            Field::number("balance", 1, efficiency(rank.metrics.load_balance, false, matters)),
            Field::number("work", 0, time(rank.busy_seconds)),
            Field::text("", 2, share_bar(rank.busy_seconds, most)),
        ]
    };
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
    extreme_rows(&loop_report.ranks, value, row, width, to);
    hosts(loop_report, width, to);
}

fn hosts(loop_report: &LoopReport, width: Option<usize>, to: &mut String) {
    let Some(between) = loop_report.between.as_ref().filter(|between| !between.hosts.is_empty()) else {
        return;
    };
    let most = between.hosts.iter().map(|host| host.seconds);
    let most = most.fold(0.0, f64::max);
    let row = |host_report: &HostReport| {
        vec![
            Field::text("host", 0, host_report.host.as_str()),
            Field::number("ranks", 2, count(host_report.processes as u64)),
            Field::number("time, mean", 0, time(host_report.seconds)),
            Field::number("slowest", 1, time(host_report.slowest_seconds)),
            Field::number("work", 3, time(host_report.busy_seconds)),
            Field::text("", 4, share_bar(host_report.seconds, most)),
        ]
    };
    to.push('\n');
    extreme_rows(&between.hosts, |host| host.seconds, row, width, to);
}
