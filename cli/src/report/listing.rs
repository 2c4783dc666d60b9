//! The list of loops, with what to do and what was recorded above it. Names come last: those of C++ may be long.

use std::collections::BTreeSet;

use ompchunk_analysis::Report;
use ompchunk_analysis::model::{Distribution, LoopReport, PartReport};

use super::between::{self, Between};
use super::dealing::hides_work;
use super::units::{BOLD, YELLOW, count, counted, efficiency, first_rows, loss, percent, schedule, time};
use super::verdict::{Loss, Verdict, matters};
use super::{account, advice, costs};
use crate::prose::wrapped;
use crate::signature::short;
use crate::table::{Field, printable, shortened};

pub fn text(report: &Report, verdict: &Verdict, top: usize, width: Option<usize>) -> String {
    let mut text = wrapped(&head(report, width), width);
    if let Some(between) = Between::from_report(report) {
        between::text(report, &between, width, &mut text);
    }
    advice::text(report, verdict, width, &mut text);
    text += &wrapped(&below(report), width);
    if !report.loops.is_empty() {
        first_rows(&report.loops, top, |loops| row(report, loops), width, &mut text);
    }
    text
}

fn head(report: &Report, width: Option<usize>) -> String {
    let mut text = String::new();
    if let Some(first) = report.parts.first() {
        let command = shortened(&printable(&first.command.join(" ")), width.unwrap_or(usize::MAX));
        let threads = counted(report.run.threads, "thread");
        let place = match report.parts.as_slice() {
            [_] if first.host.is_empty() => threads,
            [_] => format!("{threads} on {}", printable(&first.host)),
            all => {
                let hosts: BTreeSet<&str> = all.iter().map(|part| part.host.as_str()).collect();
                format!("{} on {}, {threads}", processes(all), counted(hosts.len() as u64, "host"))
            }
        };
        // The same time as that of the run below; of several processes the longest.
        let before = report.run.before_seconds.filter(|_| report.run.processes == 1);
        let seconds = time(report.run.longest_seconds + before.unwrap_or(0.0));
        let loops = counted(report.loops.len() as u64, "loop");
        let chunks = counted(report.loops.iter().map(|the_loop| the_loop.chunks).sum(), "chunk");
        text += &format!("{BOLD}{command}{BOLD:#}\n{place}, {seconds}, {loops}, {chunks}");
        if !first.runtime.is_empty() {
            text += &format!("; {}", printable(&first.runtime));
        }
        text.push('\n');
    }
    if let Some(warning) = costs::warning(report) {
        text += &format!("{YELLOW}note:{YELLOW:#} {warning}\n");
    }
    text
}

fn below(report: &Report) -> String {
    let costs = costs::of_run(report).into_iter().chain(costs::of_clock(report));
    let notes = report.notes.iter().map(|note| format!("{YELLOW}note:{YELLOW:#} {}", printable(&note.text)));
    let lines = account::run(report).into_iter().chain(account::sentence(report)).chain(costs).chain(notes);
    lines.map(|line| line + "\n").collect::<String>() + "\n"
}

/// Ranks may have forked, and processes become other programs.
fn processes(parts: &[PartReport]) -> String {
    let alone: BTreeSet<usize> = parts.iter().map(|part| part.process).collect();
    let all = alone.len() as u64;
    if alone.len() < parts.len() {
        let plural = if all == 1 { "" } else { "es" };
        return format!("{} process{plural}, {} parts", count(all), count(parts.len() as u64));
    }
    let ranks: Option<BTreeSet<u64>> = parts.iter().map(|part| part.rank).collect();
    match ranks.map_or(0, |ranks| ranks.len() as u64) {
        0 => counted(all, "part"),
        ranks if ranks == all => counted(ranks, "rank"),
        ranks => format!("{} in {} processes", counted(ranks, "rank"), count(all)),
    }
}

fn row(report: &Report, loop_report: &LoopReport) -> Vec<Field> {
    let metrics = &loop_report.metrics;
    // What is left where chunks are lost says nothing of the balance.
    let whole = loop_report.lost.is_none();
    let parallel = metrics.parallel_efficiency.filter(|_| whole);
    let balance = metrics.load_balance.or(loop_report.total_load_balance);
    let (sizes, step) = (loop_report.chunk_seconds.as_ref(), costs::clock_step(report));
    let sizes = sizes.filter(|_| loop_report.chunks_complete);
    let chunk = |of: fn(&Distribution) -> f64| sizes.map_or(time(None), |sizes| costs::known(of(sizes), step));
    let off_core = costs::off_core_seconds(loop_report.off_core, loop_report.busy_seconds);
    let chunks = if loop_report.chunks_complete { count(loop_report.chunks) } else { "-".to_owned() };
    let function = loop_report.identity.function.as_deref();
    let lost = Loss::from_loop(report, loop_report);
    let slowest_rank = loop_report.slowest_rank_seconds.map(time);
    let matters = matters(report, loop_report);
    vec![
        Field::number("#", 0, loop_report.number.to_string()),
        Field::number("lost", 0, loss(lost.map(|loss| loss.seconds), lost.is_some_and(|loss| loss.least))),
        Field::number("of run", 0, percent(lost.and_then(|loss| loss.share))),
        Field::number("time", 0, seconds(loop_report)),
        Field::number("share", 6, percent(loop_report.run_share)),
        Field::number("slowest rank", 5, slowest_rank.unwrap_or_default()),
        Field::number("efficiency", 1, efficiency(parallel, hides_work(loop_report), matters)),
        Field::number("balance", 4, efficiency(balance.filter(|_| whole), false, matters)),
        Field::number("imbalance", 8, imbalance(loop_report)),
        Field::number("barrier", 11, time(loop_report.mean_barrier_seconds)),
        Field::number("off core", 10, time(off_core)),
        Field::number("bookkeeping", 12, percent(loop_report.bookkeeping_share)),
        Field::number("runs", 11, runs(loop_report)),
        Field::number("threads", 15, team(loop_report)),
        Field::number("chunks", 7, chunks),
        Field::number("median", 13, chunk(|chunks| chunks.median)),
        Field::number("95 %", 14, chunk(|chunks| chunks.p95)),
        Field::number("longest", 9, chunk(|chunks| chunks.max)),
        Field::text("schedule", 3, schedule(loop_report)),
        Field::text("loop", 0, loop_report.name.as_str()),
        Field::text("function", 2, function.map_or_else(|| "-".to_owned(), short)),
    ]
}

/// In brackets where other loops have a part of it.
fn seconds(loop_report: &LoopReport) -> String {
    let seconds = time(loop_report.metrics.seconds);
    match (loop_report.executions, loop_report.nested_executions) {
        (0, _) => time(None),
        (_, 0) => seconds,
        _ => format!("({seconds})"),
    }
}

fn imbalance(loop_report: &LoopReport) -> String {
    match (loop_report.executions, loop_report.total_imbalance_seconds) {
        _ if loop_report.lost.is_some() => time(None),
        (0, least) => loss(least, least.is_some()),
        _ => time(loop_report.metrics.imbalance_seconds),
    }
}

fn team(loop_report: &LoopReport) -> String {
    match loop_report.team_size {
        Some([low, high]) if low == high => low.to_string(),
        Some([low, high]) => format!("{low}-{high}"),
        None => {
            let threads = loop_report.threads.iter();
            let distinct: BTreeSet<_> = threads.map(|thread| (thread.process, thread.thread)).collect();
            distinct.len().to_string()
        }
    }
}

fn runs(loop_report: &LoopReport) -> String {
    let mut text = count(loop_report.executions + loop_report.counted_executions);
    if loop_report.incomplete_executions > 0 {
        text += &format!("+{}?", count(loop_report.incomplete_executions));
    }
    text
}
