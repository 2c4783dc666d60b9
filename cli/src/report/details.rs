//! One loop, looked at closely.

use ompchunk_analysis::Report;
use ompchunk_analysis::model::{Distribution, Hint, HostReport, LoopReport, RankReport, ThreadReport, WorstChunk};

use super::costs;
use super::dealing::hides_work;
use super::units::{
    BOLD, YELLOW, count, counted, efficiency, extreme_rows, percent, percent_at_most, place, share_bar, time,
};
use super::verdict::{Verdict, matters};
use crate::prose::wrapped;
use crate::table::{Field, printable, render, shortened};

const WORST: usize = 5;
const HEIGHTS: [char; 8] = ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];

pub fn text(report: &Report, verdict: &Verdict, loop_report: &LoopReport, width: Option<usize>) -> String {
    let title = format!("loop {}  {}", loop_report.number, printable(&place(loop_report)));
    // In one line, as far as a terminal has room.
    let title = shortened(&title, width.unwrap_or(usize::MAX));
    let mut text = format!("\n{BOLD}{title}{BOLD:#}\n");
    let head = format!("  {}\n{}", printable(&what(loop_report)), efficiencies(loop_report, report.run.processes));
    let said = |hint: &&Hint| verdict.mentions(report, loop_report, &hint.text);
    let remarks = remarks(loop_report, loop_report.hints.iter().filter(|hint| !said(hint)));
    let distribution = loop_report.chunk_seconds.as_ref().filter(|_| loop_report.chunks_complete);
    let chunks = distribution.map(|all| chunks(all, costs::clock_step(report), width));
    // First what differs between processes, then what differs within; parts of one process differ within.
    if report.run.processes > 1 {
        text += &wrapped(&(head + &remarks), width);
        ranks(report, loop_report, width, &mut text);
        text += &chunks.map_or_else(String::new, |chunks| format!("\n{chunks}"));
    } else {
        text += &wrapped(&head, width);
        text += &chunks.unwrap_or_default();
        text += &wrapped(&remarks, width);
        ranks(report, loop_report, width, &mut text);
    }
    threads(report, loop_report, width, &mut text);
    if loop_report.chunks_complete {
        worst(report, loop_report, width, &mut text);
    }
    text
}

fn chunks(all: &Distribution, step: Option<f64>, width: Option<usize>) -> String {
    let known = [all.min, all.median, all.p95, all.p99, all.max].map(|seconds| costs::known(seconds, step));
    let [min, median, p95, p99, max] = known;
    let (count, error) = (counted(all.count, "chunk"), (all.quantile_error * 100.0).ceil());
    let quantiles = format!(
        "  {count}: shortest {min}, median {median}, 95 % {p95}, 99 % {p99}, longest {max} (quantiles ± {error:.0} %)\n"
    );
    wrapped(&quantiles, width) + &bars(all, step)
}

fn remarks<'h>(loop_report: &LoopReport, hints: impl Iterator<Item = &'h Hint>) -> String {
    let mut text = String::new();
    if let Some(lost) = &loop_report.lost {
        let (chunks, iterations) = (counted(lost.chunks, "chunk"), counted(lost.iterations, "iteration"));
        let records = counted(lost.events, "other record");
        text += &format!("  {YELLOW}lost:{YELLOW:#} {chunks} with {iterations}, {records}");
        if let Some([from, until]) = lost.between_seconds {
            text += &format!(", {from:.3} s to {until:.3} s");
        }
        text += &match lost.share {
            Some(share) => format!("; {} of its chunks\n", percent(share)),
            None => "; others may belong to it, too\n".to_owned(),
        };
    }
    text.extend(hints.map(|hint| format!("  {YELLOW}→{YELLOW:#} {}\n", printable(&hint.text))));
    text
}

fn range(low: String, high: String) -> String {
    if low == high { low } else { format!("{low} to {high}") }
}

fn what(loop_report: &LoopReport) -> String {
    let schedule = loop_report.identity.schedule.as_ref().map(|schedule| format!("{schedule}, "));
    let mut text = schedule.unwrap_or_default() + &counted(loop_report.executions, "run");
    if loop_report.counted_executions > 0 {
        text += &format!(" told, {} counted", count(loop_report.counted_executions));
    }
    if let Some([low, high]) = loop_report.trip_count {
        let plural = if high == 1 { "" } else { "s" };
        let unit = if loop_report.identity.is_sections() { "section" } else { "iteration" };
        text += &format!(" of {} {unit}{plural}", range(count(low), count(high)));
    }
    if let Some([low, high]) = loop_report.team_size {
        let plural = if high == 1 { "" } else { "s" };
        text += &format!(" on {} thread{plural}", range(low.to_string(), high.to_string()));
    }
    if loop_report.incomplete_executions > 0 {
        text += &format!("; {} more are not complete and not added up", count(loop_report.incomplete_executions));
    }
    text
}

fn efficiencies(loop_report: &LoopReport, ranks: usize) -> String {
    let metrics = &loop_report.metrics;
    let mut text = String::new();
    if loop_report.executions > 0 {
        let parallel = percent_at_most(metrics.parallel_efficiency, hides_work(loop_report));
        let [balance, communication] = [metrics.load_balance, metrics.communication_efficiency].map(percent);
        let [gain, all] = [metrics.imbalance_seconds, metrics.seconds].map(time);
        text += &format!(
            "  parallel efficiency {parallel} = load balance {balance} x communication efficiency {communication}\n"
        );
        text += &format!("  perfect balance would save {gain} of {all}");
        if loop_report.lost.is_some() {
            text += ", in the complete runs";
        }
        if let Some(slowest) = loop_report.slowest_rank_seconds {
            text += &format!(", the mean of {ranks} ranks; the slowest takes {}", time(slowest));
        }
        text.push('\n');
        if loop_report.nested_executions > 0 {
            let (nested, all) = (count(loop_report.nested_executions), counted(loop_report.executions, "run"));
            text += &format!("  {nested} of {all} within chunks of another loop, whose time includes them\n");
        }
    }
    if loop_report.total_load_balance.is_some() && (metrics.load_balance.is_none() || loop_report.executions > 1) {
        text += &format!("  load balance over all runs together {}\n", percent(loop_report.total_load_balance));
    }
    let busy = time(loop_report.busy_seconds);
    let barrier = loop_report.barrier_seconds.map_or("an unknown time".to_owned(), time);
    text += &format!("  threads are in chunks for {busy}, wait {barrier} at the barrier for the slowest");
    text += &match loop_report.bookkeeping_seconds {
        Some(seconds) => {
            format!("; bookkeeping between chunks {}, {}\n", time(seconds), percent(loop_report.bookkeeping_share))
        }
        None => "; bookkeeping was not timed\n".to_owned(),
    };
    text + &costs::of_loop(loop_report)
}

fn bars(all: &Distribution, step: Option<f64>) -> String {
    let (Some(first), Some(last)) = (all.histogram.first(), all.histogram.last()) else { return String::new() };
    // Four bars for a power of two, as far as there is room.
    let (low, high) = (first.0.max(1e-9).log2(), last.1.max(2e-9).log2());
    let bars = (((high - low) * 4.0).ceil() as usize).clamp(1, 48);
    let mut counts = vec![0u64; bars];
    for (from, until, count) in &all.histogram {
        let middle = ((from + until) / 2.0).max(1e-9).log2();
        let at = (middle - low) / (high - low).max(1e-9) * bars as f64;
        counts[(at as usize).min(bars - 1)] += count;
    }
    let most = counts.iter().copied().max().unwrap_or(1).max(1);
    let bar = |count: &u64| match count {
        0 => ' ',
        count => HEIGHTS[((count * 8).div_ceil(most) as usize).clamp(1, 8) - 1],
    };
    let bars: String = counts.iter().map(bar).collect();
    format!("  {} {bars} {}\n", costs::known(first.0, step), time(last.1))
}

fn threads(report: &Report, loop_report: &LoopReport, width: Option<usize>, to: &mut String) {
    let most = loop_report.threads.iter().map(|thread| thread.busy_seconds).fold(0.0, f64::max);
    let several = report.parts.len() > 1;
    let told = |number| {
        if loop_report.chunks_complete { count(number) } else { "-".to_owned() }
    };
    let row = |thread: &ThreadReport| {
        let rank = if several { report.parts[thread.part].name.as_str() } else { "" };
        vec![
            Field::text("rank", 4, rank),
            Field::number("thread", 0, thread.thread.to_string()),
            Field::number("runs", 5, count(thread.executions)),
            Field::number("chunks", 2, told(thread.chunks)),
            Field::number("iterations", 3, told(thread.iterations)),
            Field::number("in chunks", 0, time(thread.busy_seconds)),
            Field::number("barrier", 1, time(thread.barrier_seconds)),
            Field::number("off core", 2, time(costs::off_core_seconds(thread.off_core, thread.busy_seconds))),
            Field::number("recorder", 5, time(thread.recorder_seconds)),
            Field::number("bookkeeping", 6, time(thread.bookkeeping_seconds)),
            Field::text("", 7, share_bar(thread.busy_seconds, most)),
        ]
    };
    to.push('\n');
    extreme_rows(&loop_report.threads, |thread| thread.busy_seconds, row, width, to);
}

fn worst(report: &Report, loop_report: &LoopReport, width: Option<usize>, to: &mut String) {
    let several = report.parts.len() > 1;
    let row = |chunk: &WorstChunk| {
        let user = chunk.user.as_ref().map(|[first, last]| range(first.to_string(), last.to_string()));
        let [first, last] = chunk.logical;
        vec![
            Field::number("longest chunks", 0, time(chunk.seconds)),
            Field::text("rank", 4, if several { report.parts[chunk.part].name.as_str() } else { "" }),
            Field::number("thread", 1, chunk.thread.to_string()),
            Field::number("at", 2, format!("{:.6} s", chunk.at_seconds)),
            Field::text("user's values", 0, user.unwrap_or_default()),
            Field::text("iterations", 3, range(count(first), count(last))),
            Field::text("not on a core", 1, costs::off_core(chunk.off_core, chunk.seconds).unwrap_or_default()),
        ]
    };
    let rows: Vec<Vec<Field>> = loop_report.worst_chunks.iter().take(WORST).map(row).collect();
    if !rows.is_empty() {
        to.push('\n');
        *to += &render(&rows, 2, width);
    }
}

fn ranks(report: &Report, loop_report: &LoopReport, width: Option<usize>, to: &mut String) {
    if loop_report.ranks.is_empty() {
        return;
    }
    let most = loop_report.ranks.iter().map(|rank| rank.busy_seconds).fold(0.0, f64::max);
    let matters = matters(report, loop_report);
    // Without a time of its own, a rank's work has to do.
    let timed = loop_report.ranks.iter().any(|rank| rank.metrics.seconds > 0.0);
    let value = |rank: &RankReport| if timed { rank.metrics.seconds } else { rank.busy_seconds };
    let row = |rank: &RankReport| {
        vec![
            Field::text("rank", 0, report.parts[rank.part].name.as_str()),
            Field::number("runs", 3, count(rank.executions)),
            Field::number("time", 0, time((rank.executions > 0).then_some(rank.metrics.seconds))),
            Field::number("efficiency", 0, efficiency(rank.metrics.parallel_efficiency, false, matters)),
            Field::number("balance", 1, efficiency(rank.metrics.load_balance, false, matters)),
            Field::number("work", 0, time(rank.busy_seconds)),
            Field::text("", 2, share_bar(rank.busy_seconds, most)),
        ]
    };
    let follow = " (parts of one process, as pid 7 and pid 7.1, follow each other)";
    let follow = if report.run.processes < report.parts.len() { follow } else { "" };
    let balance = percent(loop_report.rank_load_balance);
    *to += &match report.run.processes {
        1 => "\n  parts of one process, which follow each other\n".to_owned(),
        _ => format!("\n  ranks: load balance {balance} between them{follow}\n"),
    };
    extreme_rows(&loop_report.ranks, value, row, width, to);
    hosts(loop_report, width, to);
}

fn hosts(loop_report: &LoopReport, width: Option<usize>, to: &mut String) {
    let Some(between) = loop_report.between.as_ref().filter(|between| !between.hosts.is_empty()) else { return };
    let most = between.hosts.iter().map(|host| host.seconds).fold(0.0, f64::max);
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
