//! The run as a whole: how much of it is serial, in parallel regions and in loops, and what its loops lose. All of it is
//! elapsed time, of several processes the mean, so that it can be set against each other and adds up to no more than
//! the run. What is not told for all processes is not told.

use ompchunk_figures::{count, counted, time, were};

use crate::account;
use crate::metrics::imbalance;
use crate::model::{Account, LoopReport, Note, PartReport, RunReport};
use crate::part::PartSums;
use crate::process::{Context, by_thread};
use crate::run_model::OtherThreads;

pub const LEFT_OUT: &str = "left-out";

/// Clocks are not read at one moment.
const ROUNDING: f64 = 1.01;

pub(crate) fn run(parts: &[PartReport], context: &Context<'_>, loops: &[LoopReport]) -> RunReport {
    let times = Times { parts, context };
    let seconds = times.mean(|part| (parts[part].seconds - times.paused(part)).max(0.0));
    let parallel = times.parallel().map(|parallel| parallel.min(seconds));
    let in_loops = times.mean(|part| times.in_loops(part));
    // Threads that the program itself starts run loops at the same time.
    let is_known = in_loops <= seconds * ROUNDING && (0..parts.len()).all(|part| times.knows_all_loops(part));
    let of_loops = |of: fn(&LoopReport) -> f64| {
        let loops = loops.iter();
        // What threads lose at sections is said of these.
        let loops = loops.filter(|the_loop| !the_loop.identity.is_sections());
        is_known.then_some(total(loops.map(|the_loop| of(the_loop) * outermost(the_loop))))
    };
    let account = account::account(context);
    let crowd = parallel.filter(|_| account.is_some());
    RunReport {
        processes: context.processes.count,
        threads: threads(parts, context.processes.count),
        longest_seconds: longest(parts, context),
        seconds,
        paused_seconds: times.mean(|part| times.paused(part)),
        serial_seconds: parallel.map(|parallel| seconds - parallel),
        parallel_seconds: parallel,
        loop_seconds: is_known.then_some(in_loops.min(seconds)),
        lost_seconds: of_loops(|the_loop| the_loop.lost_seconds.unwrap_or(0.0)),
        imbalance_seconds: of_loops(|the_loop| the_loop.metrics.imbalance_seconds),
        before_seconds: before(context),
        other_threads: other_threads(parts, context, account.as_ref(), parallel),
        crowd: crowd.and_then(|parallel| crowd_of(parts, context, parallel)),
        account,
        locks: account::locks(context),
        serial_functions: None,
    }
}

/// What other threads of the process took. `None`: not measured, or there are several parts.
fn other_threads(
    parts: &[PartReport],
    context: &Context<'_>,
    account: Option<&Account>,
    parallel: Option<f64>,
) -> Option<OtherThreads> {
    let ([part], [sums]) = (parts, &context.sums[..]) else { return None };
    let [(own, own_ticks), (threads, ticks)] = [sums.counted.cpu[0]?, sums.counted.cpu[1]?];
    let (account, seconds) = (account?, |ticks: u64| context.seconds(0, ticks as f64));
    let waits = |code: &str| code.contains("wait") || code == "idle" || code == "off-core";
    let works = account.entries.iter().filter(|entry| !waits(entry.code)).map(|entry| entry.seconds);
    Some(OtherThreads {
        threads,
        cpu_seconds: seconds(ticks),
        // Nobody knows how many threads have ended.
        outside_seconds: (seconds(ticks) - parallel? * threads as f64).max(0.0) * f64::from(u8::from(threads > 0)),
        spinning_seconds: (seconds(own_ticks) - works.sum::<f64>() - account.unknown_seconds).max(0.0),
        processors: Some(part.processors).filter(|processors| u64::from(*processors) < own + threads),
    })
}

struct Times<'a> {
    parts: &'a [PartReport],
    context: &'a Context<'a>,
}

impl Times<'_> {
    /// The mean of processes: the sum of a process's parts is its time.
    fn mean(&self, of: impl Fn(usize) -> f64) -> f64 {
        let processes = self.context.processes.count.max(1) as f64;
        (0..self.parts.len()).map(of).sum::<f64>() / processes
    }

    fn paused(&self, part: usize) -> f64 {
        self.context.seconds(part, self.context.sums[part].times.paused as f64)
    }

    /// In regions, if all parts tell it.
    fn parallel(&self) -> Option<f64> {
        let ticks: Vec<u64> = self.context.sums.iter().map(|sums| sums.times.parallel).collect::<Option<_>>()?;
        Some(self.mean(|part| self.context.seconds(part, ticks[part] as f64)))
    }

    /// Seconds in loops; those within chunks of others are in these.
    fn in_loops(&self, part: usize) -> f64 {
        let loops = self.context.sums[part].loops.iter();
        self.context.seconds(part, total(loops.map(|the_loop| the_loop.executions.outermost)))
    }

    /// All loops of a part are told. Nothing is known of those of a runtime that tells nothing.
    fn knows_all_loops(&self, part: usize) -> bool {
        let report = &self.parts[part];
        let is_silent = report.runtime.is_empty() && !self.context.sums[part].openacc.is_empty();
        report.sample == 1 && report.lost_chunks + report.lost_events == 0 && !is_silent
    }
}

/// The share of a loop's executions that are not within chunks of another loop, in whose time they are.
fn outermost(the_loop: &LoopReport) -> f64 {
    match (the_loop.executions, the_loop.nested_executions) {
        (0, _) => 0.0,
        (executions, nested) => 1.0 - nested as f64 / executions as f64,
    }
}

/// Threads of all processes: of each those of the part that has most.
fn threads(parts: &[PartReport], processes: usize) -> u64 {
    let mut threads = vec![0; processes];
    for part in parts {
        threads[part.process] = part.threads.max(threads[part.process]);
    }
    threads.into_iter().sum()
}

fn longest(parts: &[PartReport], context: &Context<'_>) -> f64 {
    let of_processes = context.processes.sums(parts.iter().map(|part| part.seconds).enumerate());
    of_processes.into_iter().fold(0.0, f64::max)
}

/// So many threads more than processors, and they wait for a core.
const CROWDED: f64 = 1.05;

/// How many threads are in regions at the same time, on the average, where these are more than the processors of the one process.
fn crowd_of(parts: &[PartReport], context: &Context<'_>, parallel: f64) -> Option<(f64, u32)> {
    let [part] = parts else { return None };
    if part.processors == 0 || parallel <= 0.0 {
        return None;
    }
    let together = context.seconds(0, context.sums[0].account.in_regions as f64) / parallel;
    let is_crowded = together > f64::from(part.processors) * CROWDED;
    is_crowded.then_some((together, part.processors))
}

/// From the start of processes until they were recorded, the mean. Of parts of one process the first has it.
fn before(context: &Context<'_>) -> Option<f64> {
    let all = (0..context.parts.len()).filter_map(|at| context.before(at)).reduce(|sum, one| sum + one)?;
    Some(all / context.processes.count.max(1) as f64)
}

/// A sum, of nothing 0 and not -0.
fn total(all: impl Iterator<Item = f64>) -> f64 {
    all.fold(0.0, |sum, more| sum + more)
}

impl LoopReport {
    /// All chunks of all executions are told or counted.
    pub fn tells_all(&self) -> bool {
        self.chunks_complete && self.unprofiled_executions == 0
    }

    /// How many executions were profiled, where not all were, and why.
    pub fn profiled(&self) -> Option<String> {
        let chunks = match self.unprofiled_chunk_seconds {
            Some(seconds) => format!("chunks of {}", time(seconds)),
            None => "chunks".to_owned(),
        };
        (self.unprofiled_executions > 0).then(|| {
            format!(
                "profiled {} of {}: {chunks} cost more to record than to run",
                count(self.executions.saturating_sub(self.unprofiled_executions)),
                counted(self.executions, "execution")
            )
        })
    }

    /// What the loop loses, or where that is not known what its busiest thread works more than the average one.
    pub fn loses(&self) -> f64 {
        if let Some(lost) = self.lost_seconds {
            return lost;
        }
        imbalance(by_thread(&self.threads, |thread| thread.busy_seconds).into_iter()).unwrap_or(0.0)
    }
}

pub(crate) fn notes(run: &RunReport, sums: &[PartSums]) -> Vec<Note> {
    let mut notes = Vec::new();
    if run.paused_seconds > 0.0 {
        let mean = if run.processes == 1 { "" } else { " (mean of the processes)" };
        let text = format!(
            "{} were not recorded{mean}: the program paused the recording, or --for was over",
            time(run.paused_seconds)
        );
        notes.push(Note { code: "paused", text });
    }
    if sums.iter().any(|sum| sum.times.of_gcc) {
        let text = "GCC computes static loops' bounds in the program itself, so no event tells of them: they count as code of \
                    regions, and what threads lose by them is waiting there";
        notes.push(Note { code: "gcc", text: text.to_owned() });
    }
    let all = || sums.iter().flat_map(|sum| &sum.loops).map(|the_loop| the_loop.left_out);
    notes.extend(left_out_note(
        all().map(|left_out| left_out.unnamed),
        "record --loop does not name their loops, and they count only in the time of regions",
    ));
    notes.extend(left_out_note(
        all().map(|left_out| left_out.skipped),
        "record --skip leaves out each thread's first ones",
    ));
    notes
}

/// A note on the executions of each loop that were left out, and why; `None`: there are none.
fn left_out_note(of_loops: impl Iterator<Item = u64>, why: &str) -> Option<Note> {
    let of_loops: Vec<u64> = of_loops.filter(|executions| *executions > 0).collect();
    let executions: u64 = of_loops.iter().sum();
    (executions > 0).then(|| Note {
        code: LEFT_OUT,
        text: format!(
            "{} of {} {} left out: {why}",
            counted(executions, "execution"),
            counted(of_loops.len() as u64, "loop"),
            were(executions)
        ),
    })
}
