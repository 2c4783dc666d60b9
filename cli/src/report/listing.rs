//! The list of loops, with what to do and what was recorded above it. Numbers come first and names last: a name of
//! C++ may be as long as it likes.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use ompchunk_analysis::Report;
use ompchunk_analysis::model::{LoopReport, PartReport};

use super::between::{self, Between};
use super::dealing::hides_work;
use super::units::{BOLD, YELLOW, count, counted, efficiency, first_rows, percent, schedule, time};
use super::verdict::{Loss, Verdict, matters};
use super::{account, advice, costs, run};
use crate::prose::wrapped;
use crate::signature::short;
use crate::table::{Field, printable, shortened};

pub fn text(report: &Report, verdict: &Verdict, top: usize, width: Option<usize>) -> String {
    let (mut text, mut prose) = (String::new(), String::new());
    // Writing to a string does not fail.
    let _ = head(report, width, &mut prose);
    text += &wrapped(&std::mem::take(&mut prose), width);
    if let Some(between) = Between::from_report(report) {
        between::text(report, &between, width, &mut text);
    }
    advice::text(report, verdict, width, &mut text);
    let _ = below(report, &mut prose);
    text += &wrapped(&prose, width);
    if report.loops.is_empty() {
        return text;
    }
    first_rows(&report.loops, top, |loops| row(report, loops), width, &mut text);
    text
}

fn head(report: &Report, width: Option<usize>, to: &mut String) -> std::fmt::Result {
    let threads = counted(report.run.threads, "thread");
    if let Some(first) = report.parts.first() {
        let command = printable(&first.command.join(" "));
        let command = shortened(&command, width.unwrap_or(usize::MAX));
        writeln!(to, "{BOLD}{command}{BOLD:#}")?;
        match report.parts.as_slice() {
            [_] if first.host.is_empty() => write!(to, "{threads}, ")?,
            [_] => write!(to, "{threads} on {}, ", printable(&first.host))?,
            all => {
                let mut hosts: Vec<&str> = all.iter().map(|part| part.host.as_str()).collect();
                hosts.sort_unstable();
                hosts.dedup();
                let hosts = counted(hosts.len() as u64, "host");
                write!(to, "{} on {hosts}, {threads}, ", processes(all))?;
            }
        }
        // The same time as that of the run below; of several processes the longest.
        let before = report.run.before_seconds.filter(|_| report.run.processes == 1);
        write!(to, "{}, ", time(report.run.longest_seconds + before.unwrap_or(0.0)))?;
        write!(to, "{}, ", counted(report.loops.len() as u64, "loop"))?;
        let chunks: u64 = report.loops.iter().map(|the_loop| the_loop.chunks).sum();
        write!(to, "{}", counted(chunks, "chunk"))?;
        if !first.runtime.is_empty() {
            write!(to, "; {}", printable(&first.runtime))?;
        }
        writeln!(to)?;
    }
    match costs::warning(report) {
        Some(warning) => writeln!(to, "{YELLOW}note:{YELLOW:#} {warning}"),
        None => Ok(()),
    }
}

/// The run, and what must be known of it.
fn below(report: &Report, to: &mut String) -> std::fmt::Result {
    run::write(report, to)?;
    account::write(report, to)?;
    costs::of_run(report, to)?;
    costs::of_clock(report, to)?;
    for note in &report.notes {
        writeln!(to, "{YELLOW}note:{YELLOW:#} {}", printable(&note.text))?;
    }
    writeln!(to)
}

/// Ranks may have forked, and processes become other programs.
fn processes(parts: &[PartReport]) -> String {
    let alone: BTreeSet<usize> = parts.iter().map(|part| part.process).collect();
    let all = alone.len() as u64;
    if alone.len() < parts.len() {
        let what = match all {
            1 => "1 process".to_owned(),
            all => format!("{} processes", count(all)),
        };
        return format!("{what}, {} parts", count(parts.len() as u64));
    }
    let mut ranks: Vec<u64> = parts.iter().filter_map(|part| part.rank).collect();
    if ranks.len() < parts.len() {
        return counted(all, "part");
    }
    ranks.sort_unstable();
    ranks.dedup();
    match ranks.len() as u64 {
        ranks if ranks == all => counted(ranks, "rank"),
        ranks => format!("{} in {} processes", counted(ranks, "rank"), count(all)),
    }
}

fn row(report: &Report, loop_report: &LoopReport) -> Vec<Field> {
    let metrics = &loop_report.metrics;
    // What is left where chunks are lost says nothing of the balance.
    let whole = loop_report.lost.is_none();
    let balance = metrics.load_balance.or(loop_report.total_load_balance);
    let chunk = |of| chunk_seconds(report, loop_report, of);
    let off_core = costs::off_core_seconds(loop_report.off_core, loop_report.busy_seconds);
    let chunks = if loop_report.chunks_complete { count(loop_report.chunks) } else { "-".to_owned() };
    let function = loop_report.identity.function.as_deref();
    let loss = Loss::from_loop(report, loop_report);
    let slowest_rank = loop_report.slowest_rank_seconds.map(time);
    let matters = matters(report, loop_report);
    vec![
        Field::number("#", 0, loop_report.number.to_string()),
        Field::number("lost", 0, loss.map_or("-".to_owned(), |loss| loss.text())),
        Field::number("of run", 0, percent(loss.and_then(|loss| loss.share))),
        Field::number("time", 0, seconds(loop_report)),
        Field::number("share", 6, percent(loop_report.run_share)),
        Field::number("slowest rank", 5, slowest_rank.unwrap_or_default()),
        Field::number(
            "efficiency",
            1,
            efficiency(metrics.parallel_efficiency.filter(|_| whole), hides_work(loop_report), matters),
        ),
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
    let is_measured = loop_report.executions > 0;
    match (is_measured, loop_report.total_imbalance_seconds) {
        _ if loop_report.lost.is_some() => time(None),
        (false, Some(least)) => format!("> {}", time(least)),
        (false, None) => time(None),
        (true, _) => time(loop_report.metrics.imbalance_seconds),
    }
}

fn chunk_seconds(
    report: &Report,
    loop_report: &LoopReport,
    of: fn(&ompchunk_analysis::model::Distribution) -> f64,
) -> String {
    match &loop_report.chunk_seconds {
        Some(chunks) if loop_report.chunks_complete => costs::known(of(chunks), costs::clock_step(report)),
        _ => time(None),
    }
}

/// How many threads; where that is not told, those that took part.
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

/// Executions, and what is missing.
fn runs(loop_report: &LoopReport) -> String {
    let mut text = count(loop_report.executions + loop_report.counted_executions);
    if loop_report.incomplete_executions > 0 {
        text += &format!("+{}?", count(loop_report.incomplete_executions));
    }
    text
}
