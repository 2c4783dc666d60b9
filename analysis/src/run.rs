//! The run as a whole: how much of it is serial, in parallel regions and in loops, and what its loops lose. All of it is
//! elapsed time, of several processes the mean, so that it can be set against each other and adds up to no more than
//! the run. What is not told for all processes is not told.

use ompchunk_trace_format::words::{counted, were};

use crate::account::{self, Place};
use crate::context::Context;
use crate::metrics::imbalance;
use crate::model::{LoopReport, Note, PartReport, RunReport};
use crate::part::PartSums;
use crate::process::by_thread;

/// The code of a note: executions were left out.
pub const LEFT_OUT: &str = "left-out";

/// Clocks are not read at one moment.
const ROUNDING: f64 = 1.01;

pub(crate) fn run(parts: &[PartReport], context: &Context<'_>, loops: &[LoopReport]) -> RunReport {
    let (sums, processes) = (context.sums, context.processes.count);
    // Of the sum of those of a process.
    let count = processes.max(1) as f64;
    let mean = |of: &dyn Fn(usize) -> f64| (0..parts.len()).map(of).sum::<f64>() / count;
    let hertz = |at: usize| sums[at].clock.hertz;
    let paused = |at: usize| sums[at].times.paused as f64 / hertz(at);
    let seconds = mean(&|at| (parts[at].seconds - paused(at)).max(0.0));
    let parallel: Option<Vec<f64>> = (0..parts.len())
        .map(|at| Some(sums[at].times.parallel? as f64 / hertz(at)))
        .collect();
    let parallel = parallel.map(|all| mean(&|at| all[at]).min(seconds));
    let told = |part_report: &PartReport| {
        part_report.sample == 1 && part_report.lost_chunks + part_report.lost_events == 0
    };
    let outermost = |part_sums: &PartSums| {
        total(
            part_sums
                .loops
                .iter()
                .map(|the_loop| the_loop.executions.outermost),
        )
    };
    let in_loops = mean(&|at| outermost(&sums[at]) / hertz(at));
    // Threads that the program itself starts run loops at the same time.
    // Nothing is known of the loops of a runtime that tells nothing.
    let silent = |at: usize| parts[at].runtime.is_empty() && !sums[at].openacc.is_empty();
    let known =
        parts.iter().all(told) && in_loops <= seconds * ROUNDING && !(0..parts.len()).any(silent);
    let of_loops = |of: &dyn Fn(&LoopReport) -> f64| {
        let outermost = |loop_report: &LoopReport| match (
            loop_report.executions,
            loop_report.nested_executions,
        ) {
            (0, _) => 0.0,
            // Those within chunks of another loop are in that one's time.
            (all, nested) => 1.0 - nested as f64 / all as f64,
        };
        total(
            loops
                .iter()
                .map(|the_loop| of(the_loop) * outermost(the_loop)),
        )
    };
    let mut threads = vec![0; processes];
    for part in parts {
        threads[part.process] = part.threads.max(threads[part.process]);
    }
    let lengths = parts
        .iter()
        .enumerate()
        .map(|(at, part)| (at, part.seconds));
    let lengths = context.processes.sums(lengths);
    let account = account::account(context, bookkeeping(loops));
    let crowd = parallel.filter(|_| account.is_some());
    RunReport {
        processes,
        threads: threads.into_iter().sum(),
        longest_seconds: lengths.into_iter().fold(0.0, f64::max),
        seconds,
        paused_seconds: mean(&paused),
        serial_seconds: parallel.map(|parallel| seconds - parallel),
        parallel_seconds: parallel,
        loop_seconds: known.then_some(in_loops.min(seconds)),
        lost_seconds: known.then(|| of_loops(&|the_loop| the_loop.lost_seconds.unwrap_or(0.0))),
        imbalance_seconds: known.then(|| of_loops(&|the_loop| the_loop.metrics.imbalance_seconds)),
        before_seconds: before(context),
        crowd: crowd.and_then(|parallel| crowd_of(parts, context, parallel)),
        account,
        locks: account::locks(context),
        serial_functions: None,
    }
}

/// So many threads more than processors, and they wait for a core.
const CROWDED: f64 = 1.05;

/// How many threads are in regions at the same time, on the average, where these are more than the processors of the one process.
fn crowd_of(parts: &[PartReport], context: &Context<'_>, parallel: f64) -> Option<(f64, u32)> {
    let [part] = parts else { return None };
    if part.processors == 0 || parallel <= 0.0 {
        return None;
    }
    let sums = &context.sums[0].account;
    let is_inside = |place: &Place| !matches!(place, Place::Paused | Place::Idle | Place::Serial);
    let inside = Place::ALL.into_iter().filter(is_inside);
    let inside: u64 = inside.map(|place| sums.of(place).ticks).sum();
    let together = context.seconds(0, inside as f64) / parallel;
    let is_crowded = together > f64::from(part.processors) * CROWDED;
    is_crowded.then_some((together, part.processors))
}

/// From the start of processes until they were recorded, the mean. Of parts of one process the first has it.
fn before(context: &Context<'_>) -> Option<f64> {
    let known = (0..context.parts.len()).filter_map(|at| context.before(at));
    let all = known.reduce(|sum, one| sum + one)?;
    Some(all / context.processes.count.max(1) as f64)
}

/// Thread time in the bookkeeping of loops, as far as it was measured. Those within others are in these.
fn bookkeeping(loops: &[LoopReport]) -> f64 {
    let outermost = loops
        .iter()
        .filter(|the_loop| the_loop.nested_executions == 0);
    total(outermost.filter_map(|the_loop| the_loop.bookkeeping_seconds))
}

/// A sum, of nothing 0 and not -0.
fn total(all: impl Iterator<Item = f64>) -> f64 {
    all.fold(0.0, |sum, more| sum + more)
}

impl LoopReport {
    /// What the loop loses, or where that is not known what its busiest thread works more than the average one.
    #[must_use]
    pub fn loses(&self) -> f64 {
        if let Some(lost) = self.lost_seconds {
            return lost;
        }
        let busy = by_thread(&self.threads, |thread| thread.busy_seconds);
        imbalance(busy.into_iter()).unwrap_or(0.0)
    }
}

/// What is missing because it was asked for.
pub(crate) fn notes(run: &RunReport, sums: &[PartSums]) -> Vec<Note> {
    let mut notes = Vec::new();
    if run.paused_seconds > 0.0 {
        let mean = match run.processes {
            1 => "",
            _ => " (mean of the processes)",
        };
        let text = format!(
            "{:.3} s were not recorded{mean}: the program paused the recording, or --for was over",
            run.paused_seconds
        );
        notes.push(Note {
            code: "paused",
            text,
        });
    }
    let whys = [
        "record --loop does not name their loops, and they count only in the time of regions",
        "record --skip leaves out each thread's first ones",
    ];
    for (why, text) in whys.into_iter().enumerate() {
        let all = sums.iter().flat_map(|sum| &sum.loops);
        let left_out: Vec<u64> = all
            .map(|the_loop| the_loop.left_out[why])
            .filter(|left_out| *left_out > 0)
            .collect();
        let loops = left_out.len();
        if loops > 0 {
            let executions: u64 = left_out.iter().sum();
            let text = format!(
                "{} of {} {} left out: {text}",
                counted(executions, "execution"),
                counted(loops as u64, "loop"),
                were(executions)
            );
            notes.push(Note {
                code: LEFT_OUT,
                text,
            });
        }
    }
    notes
}
