//! The list of loops, with what to do and what was recorded above it. Numbers come first and names last: a name of
//! C++ may be as long as it likes.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use ompchunk_analysis::Report;
use ompchunk_analysis::model::{LoopReport, PartReport};

use super::account;
use super::advice;
use super::between::{self, Between};
use super::costs;
use super::names::schedule;
use super::run;
use super::units::{BOLD, YELLOW, count, efficiency, percent, several, time};
use super::verdict::{Loss, Verdict, matters};
use crate::prose::wrapped;
use crate::signature::without_parameters;
use crate::table::{Cell, Column, printable, render, shortened};

const COLUMNS: [Column; 21] = [
    Column::number("#", 0),
    Column::number("lost", 0),
    Column::number("of run", 0),
    Column::number("time", 0),
    Column::number("share", 6),
    Column::number("slowest rank", 5),
    Column::number("efficiency", 1),
    Column::number("balance", 4),
    Column::number("imbalance", 8),
    Column::number("barrier", 11),
    Column::number("off core", 10),
    Column::number("bookkeeping", 12),
    Column::number("runs", 11),
    Column::number("threads", 15),
    Column::number("chunks", 7),
    Column::number("median", 13),
    Column::number("95 %", 14),
    Column::number("longest", 9),
    Column::text("schedule", 3),
    Column::text("loop", 0),
    Column::text("function", 2),
];

/// The list, `top` loops of it (0: all).
pub fn text(report: &Report, verdict: &Verdict, top: usize, width: Option<usize>) -> String {
    let (mut text, mut prose) = (String::new(), String::new());
    // Writing to a string does not fail.
    let _ = head(report, width, &mut prose);
    text += &wrapped(&std::mem::take(&mut prose), width);
    if let Some(it) = Between::of(report) {
        between::text(report, &it, width, &mut text);
    }
    advice::text(report, verdict, width, &mut text);
    let _ = below(report, &mut prose);
    text += &wrapped(&prose, width);
    if report.loops.is_empty() {
        return text;
    }
    let shown = shown(report, top);
    let loops = report.loops[..shown].iter();
    let rows: Vec<Vec<Cell>> = loops.map(|loops| row(report, loops)).collect();
    text += &render(&COLUMNS, &rows, 0, width);
    if shown < report.loops.len() {
        let _ = writeln!(
            text,
            "{} more: --top 0 lists all",
            count((report.loops.len() - shown) as u64)
        );
    }
    text
}

/// How many loops of a report are shown.
pub fn shown(report: &Report, top: usize) -> usize {
    match top {
        0 => report.loops.len(),
        top => top.min(report.loops.len()),
    }
}

fn head(report: &Report, width: Option<usize>, to: &mut String) -> std::fmt::Result {
    let threads = several(report.run.threads, "thread");
    if let Some(first) = report.parts.first() {
        let bold = BOLD.render();
        let command = printable(&first.command.join(" "));
        let command = shortened(&command, width.unwrap_or(usize::MAX));
        writeln!(to, "{bold}{command}{}", BOLD.render_reset())?;
        match report.parts.as_slice() {
            [_] if first.host.is_empty() => write!(to, "{threads}, ")?,
            [_] => write!(to, "{threads} on {}, ", printable(&first.host))?,
            all => {
                let mut hosts: Vec<&str> = all.iter().map(|it| it.host.as_str()).collect();
                hosts.sort_unstable();
                hosts.dedup();
                let hosts = several(hosts.len() as u64, "host");
                write!(to, "{} on {hosts}, {threads}, ", processes(all))?;
            }
        }
        write!(to, "{}, ", time(report.run.longest_seconds))?;
        write!(to, "{}, ", several(report.loops.len() as u64, "loop"))?;
        let chunks: u64 = report.loops.iter().map(|the_loop| the_loop.chunks).sum();
        write!(to, "{}", several(chunks, "chunk"))?;
        if !first.runtime.is_empty() {
            write!(to, "; {}", printable(&first.runtime))?;
        }
        writeln!(to)?;
    }
    Ok(())
}

/// The run, and what must be known of it.
fn below(report: &Report, to: &mut String) -> std::fmt::Result {
    run::write(report, to)?;
    account::write(report, to)?;
    costs::of_run(report, to)?;
    costs::of_clock(report, to)?;
    for note in &report.notes {
        let (note_style, reset) = (YELLOW.render(), YELLOW.render_reset());
        writeln!(to, "{note_style}note:{reset} {}", printable(&note.text))?;
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
        return several(all, "part");
    }
    ranks.sort_unstable();
    ranks.dedup();
    match ranks.len() as u64 {
        ranks if ranks == all => several(ranks, "rank"),
        ranks => format!("{} in {} processes", several(ranks, "rank"), count(all)),
    }
}

fn row(report: &Report, loop_report: &LoopReport) -> Vec<Cell> {
    let metrics = &loop_report.metrics;
    // What is left where chunks are lost says nothing of the balance.
    let whole = loop_report.lost.is_none();
    let balance = metrics.load_balance.or(loop_report.total_load_balance);
    let measured = loop_report.executions > 0;
    let or_none = |text: String| if measured { text } else { "-".to_owned() };
    let step = costs::clock_step(report);
    let chunk =
        |of: fn(&ompchunk_analysis::model::Distribution) -> f64| match &loop_report.chunk_seconds {
            Some(all) if loop_report.chunks_complete => costs::known(of(all), step),
            _ => "-".to_owned(),
        };
    let team = match loop_report.team_size {
        Some([low, high]) if low == high => low.to_string(),
        Some([low, high]) => format!("{low}-{high}"),
        None => {
            let all = loop_report
                .threads
                .iter()
                .map(|thread| (thread.process, thread.thread));
            all.collect::<BTreeSet<_>>().len().to_string()
        }
    };
    let function = loop_report.identity.function.as_deref();
    let loss = Loss::of(report, loop_report);
    let matters = matters(report, loop_report);
    vec![
        loop_report.number.to_string().into(),
        loss.map_or_else(|| "-".to_owned(), |loss| loss.text())
            .into(),
        percent(loss.and_then(|loss| loss.share)).into(),
        or_none(match loop_report.nested_executions {
            0 => time(metrics.seconds),
            _ => format!("({})", time(metrics.seconds)),
        })
        .into(),
        percent(loop_report.run_share).into(),
        loop_report
            .slowest_rank_seconds
            .map_or_else(String::new, time)
            .into(),
        efficiency(metrics.parallel_efficiency.filter(|_| whole), matters),
        efficiency(balance.filter(|_| whole), matters),
        match (measured, loop_report.total_imbalance_seconds) {
            _ if !whole => "-".to_owned(),
            (false, Some(least)) => format!("> {}", time(least)),
            _ => or_none(time(metrics.imbalance_seconds)),
        }
        .into(),
        loop_report
            .mean_barrier_seconds
            .map_or("-".to_owned(), time)
            .into(),
        costs::off_core(loop_report.off_core, loop_report.busy_seconds)
            .and(loop_report.off_core)
            .map_or_else(|| "-".to_owned(), |off| time(off.seconds))
            .into(),
        percent(loop_report.bookkeeping_share).into(),
        runs(loop_report).into(),
        team.into(),
        if loop_report.chunks_complete {
            count(loop_report.chunks)
        } else {
            "-".to_owned()
        }
        .into(),
        chunk(|it| it.median).into(),
        chunk(|it| it.p95).into(),
        chunk(|it| it.max).into(),
        schedule(loop_report).into(),
        loop_report.name.as_str().into(),
        function.map_or("-", without_parameters).into(),
    ]
}

/// Executions, and what is missing.
fn runs(loop_report: &LoopReport) -> String {
    let mut text = count(loop_report.executions + loop_report.counted_executions);
    if loop_report.incomplete_executions > 0 {
        text += &format!("+{}?", count(loop_report.incomplete_executions));
    }
    text
}
