//! One loop, looked at closely.

use std::fmt::{self, Write as _};

use ompchunk_analysis::Report;
use ompchunk_analysis::model::{Distribution, Hint, LoopReport, ThreadReport, WorstChunk};

use super::dealing::hides_work;
use super::units::{BOLD, YELLOW, count, counted, extreme_rows, percent, percent_at_most, place, share_bar, time};
use super::verdict::Verdict;
use super::{costs, ranks};
use crate::prose::wrapped;
use crate::table::{Cell, Field, printable, render, shortened};

const WORST: usize = 5;
/// Heights of a bar in a line of text.
const HEIGHTS: [char; 8] = ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];

pub fn text(report: &Report, verdict: &Verdict, loop_report: &LoopReport, width: Option<usize>) -> String {
    let mut text = String::new();
    // Writing to a string does not fail.
    let hints: Vec<&Hint> =
        loop_report.hints.iter().filter(|hint| !verdict.says(report, loop_report, &hint.text)).collect();
    let _ = write(report, loop_report, &hints, width, &mut text);
    text
}

fn write(
    report: &Report,
    loop_report: &LoopReport,
    hints: &[&Hint],
    width: Option<usize>,
    to: &mut String,
) -> fmt::Result {
    let mut prose = String::new();
    title(loop_report, width, to)?;
    head(loop_report, report.run.processes, &mut prose)?;
    let distribution = loop_report.chunk_seconds.as_ref().filter(|_| loop_report.chunks_complete);
    // First what differs between processes, then what differs within; parts of one process differ within.
    if report.run.processes > 1 {
        remarks(loop_report, hints, &mut prose)?;
        *to += &wrapped(&prose, width);
        ranks::text(report, loop_report, width, to);
        if let Some(all) = distribution {
            writeln!(to)?;
            chunks(all, costs::clock_step(report), width, to)?;
        }
    } else {
        *to += &wrapped(&prose, width);
        if let Some(all) = distribution {
            chunks(all, costs::clock_step(report), width, to)?;
        }
        prose.clear();
        remarks(loop_report, hints, &mut prose)?;
        *to += &wrapped(&prose, width);
        ranks::text(report, loop_report, width, to);
    }
    threads(report, loop_report, width, to)?;
    if loop_report.chunks_complete {
        worst(report, loop_report, width, to);
    }
    Ok(())
}

fn chunks(all: &Distribution, step: Option<f64>, width: Option<usize>, to: &mut String) -> fmt::Result {
    let mut prose = String::new();
    quantiles(all, step, &mut prose)?;
    *to += &wrapped(&prose, width);
    bars(all, step, to)
}

/// Where it is: in one line, as far as a terminal has room.
fn title(loop_report: &LoopReport, width: Option<usize>, to: &mut String) -> fmt::Result {
    let title = format!("loop {}  {}", loop_report.number, printable(&place(loop_report)));
    let title = shortened(&title, width.unwrap_or(usize::MAX));
    writeln!(to, "\n{BOLD}{title}{BOLD:#}")
}

fn head(loop_report: &LoopReport, ranks: usize, to: &mut String) -> fmt::Result {
    writeln!(to, "  {}", printable(&what(loop_report)))?;
    efficiencies(loop_report, ranks, to)
}

fn remarks(loop_report: &LoopReport, hints: &[&Hint], to: &mut String) -> fmt::Result {
    if let Some(lost) = &loop_report.lost {
        write!(
            to,
            "  {YELLOW}lost:{YELLOW:#} {} with {}, {}",
            counted(lost.chunks, "chunk"),
            counted(lost.iterations, "iteration"),
            counted(lost.events, "other record")
        )?;
        if let Some([from, until]) = lost.between_seconds {
            write!(to, ", {from:.3} s to {until:.3} s")?;
        }
        match lost.share {
            Some(share) => writeln!(to, "; {} of its chunks", percent(share))?,
            None => writeln!(to, "; others may belong to it, too")?,
        }
    }
    for hint in hints {
        writeln!(to, "  {YELLOW}→{YELLOW:#} {}", printable(&hint.text))?;
    }
    Ok(())
}

fn what(loop_report: &LoopReport) -> String {
    let range = |low: String, high: String| {
        if low == high { low } else { format!("{low} to {high}") }
    };
    let mut text = match &loop_report.identity.schedule {
        Some(schedule) => format!("{schedule}, "),
        None => String::new(),
    };
    text += &counted(loop_report.executions, "run");
    if loop_report.counted_executions > 0 {
        text += &format!(" told, {} counted", count(loop_report.counted_executions));
    }
    if let Some([low, high]) = loop_report.trip_count {
        let plural = if high == 1 { "" } else { "s" };
        let unit = match loop_report.identity.is_sections() {
            true => "section",
            false => "iteration",
        };
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

fn nested(loop_report: &LoopReport, to: &mut String) -> fmt::Result {
    match loop_report.nested_executions {
        0 => Ok(()),
        some => writeln!(
            to,
            "  {} of {} within chunks of another loop, whose time includes them",
            count(some),
            counted(loop_report.executions, "run")
        ),
    }
}

fn efficiencies(loop_report: &LoopReport, ranks: usize, to: &mut String) -> fmt::Result {
    let metrics = &loop_report.metrics;
    if loop_report.executions > 0 {
        writeln!(
            to,
            "  parallel efficiency {} = load balance {} x communication efficiency {}",
            percent_at_most(metrics.parallel_efficiency, hides_work(loop_report)),
            percent(metrics.load_balance),
            percent(metrics.communication_efficiency)
        )?;
        write!(to, "  perfect balance would save {} of {}", time(metrics.imbalance_seconds), time(metrics.seconds))?;
        if loop_report.lost.is_some() {
            write!(to, ", in the complete runs")?;
        }
        match loop_report.slowest_rank_seconds {
            Some(slowest) => writeln!(to, ", the mean of {ranks} ranks; the slowest takes {}", time(slowest))?,
            None => writeln!(to)?,
        }
        nested(loop_report, to)?;
    }
    if loop_report.total_load_balance.is_some()
        && loop_report.metrics.load_balance.is_none_or(|_| loop_report.executions > 1)
    {
        writeln!(to, "  load balance over all runs together {}", percent(loop_report.total_load_balance))?;
    }
    write!(
        to,
        "  threads are in chunks for {}, wait {} at the barrier for the slowest",
        time(loop_report.busy_seconds),
        loop_report.barrier_seconds.map_or("an unknown time".to_owned(), time)
    )?;
    match loop_report.bookkeeping_seconds {
        Some(seconds) => {
            writeln!(to, "; bookkeeping between chunks {}, {}", time(seconds), percent(loop_report.bookkeeping_share))
        }
        None => writeln!(to, "; bookkeeping was not timed"),
    }?;
    costs::of_loop(loop_report, to)
}

fn quantiles(all: &Distribution, step: Option<f64>, to: &mut String) -> fmt::Result {
    let time = |seconds| costs::known(seconds, step);
    writeln!(
        to,
        "  {}: shortest {}, median {}, 95 % {}, 99 % {}, longest {} (quantiles ± {:.0} %)",
        counted(all.count, "chunk"),
        time(all.min),
        time(all.median),
        time(all.p95),
        time(all.p99),
        time(all.max),
        (all.quantile_error * 100.0).ceil()
    )
}

fn bars(all: &Distribution, step: Option<f64>, to: &mut String) -> fmt::Result {
    let (Some(first), Some(last)) = (all.histogram.first(), all.histogram.last()) else {
        return Ok(());
    };
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
    writeln!(to, "  {} {bars} {}", costs::known(first.0, step), time(last.1))
}

fn threads(report: &Report, loop_report: &LoopReport, width: Option<usize>, to: &mut String) -> fmt::Result {
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
    writeln!(to)?;
    extreme_rows(&loop_report.threads, |thread| thread.busy_seconds, row, width, to);
    Ok(())
}

fn worst(report: &Report, loop_report: &LoopReport, width: Option<usize>, to: &mut String) {
    let several = report.parts.len() > 1;
    let row = |chunk: &WorstChunk| {
        let user = match &chunk.user {
            Some([first, last]) if first == last => first.to_string(),
            Some([first, last]) => format!("{first} to {last}"),
            None => String::new(),
        };
        let [first, last] = chunk.logical;
        vec![
            Field::number("longest chunks", 0, time(chunk.seconds)),
            Field::text(
                "rank",
                4,
                if several { report.parts[chunk.part].name.as_str().into() } else { Cell::default() },
            ),
            Field::number("thread", 1, chunk.thread.to_string()),
            Field::number("at", 2, format!("{:.6} s", chunk.at_seconds)),
            Field::text("user's values", 0, user),
            Field::text(
                "iterations",
                3,
                if first == last { count(first) } else { format!("{} to {}", count(first), count(last)) },
            ),
            Field::text("not on a core", 1, costs::off_core(chunk.off_core, chunk.seconds).unwrap_or_default()),
        ]
    };
    let rows: Vec<Vec<Field>> = loop_report.worst_chunks.iter().take(WORST).map(row).collect();
    if !rows.is_empty() {
        to.push('\n');
        *to += &render(&rows, 2, width);
    }
}
