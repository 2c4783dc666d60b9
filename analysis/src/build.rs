//! From the sums of the parts to the report: ticks become seconds, and loops of several parts one.

use std::collections::HashMap;
use std::ops::Add;

use ompchunk_trace_format::Part;

use crate::account;
use crate::between;
use crate::context::{Context, InPart};
use crate::cost::{self, total_balance, total_imbalance};
use crate::definition::Identity;
use crate::extremes::widest;
use crate::faults;
use crate::hints::{self, Facts};
use crate::join::Executions;
use crate::losses;
use crate::metrics::{Totals, balance, ratio};
use crate::model::{
    Distribution, LoopReport, Metrics, Note, PartReport, RankReport, Report, RunReport,
    ThreadReport, VERSION, WorstChunk,
};
use crate::notes;
use crate::openacc;
use crate::pace;
use crate::part::{LoopSums, PartSums};
use crate::part_report;
use crate::process::{Processes, by_thread};
use crate::run;
use crate::share::Sums;
use crate::tasks;
use crate::worst::{KEPT, Long};

/// Hints that hold where threads wait for cores.
const BESIDE_CORES: [&str; 5] = ["contended", "locks", "lost", "crowded", "shared-cores"];

/// A report of parts and their sums, which stand in the same order.
pub(crate) fn report(parts: &[&Part], sums: &[PartSums]) -> Report {
    let processes = Processes::of(parts);
    let context = Context {
        parts,
        sums,
        processes: &processes,
    };
    let mut loops = loops(&context);
    let parts: Vec<PartReport> = (0..parts.len())
        .map(|part| part_report::part(&context, part))
        .collect();
    let run = run::run(&parts, &context, &loops);
    set_beside_run(&mut loops, &run);
    let operations: Vec<_> = sums
        .iter()
        .map(|part_sums| (&part_sums.openacc, part_sums.clock.hertz))
        .collect();
    let openacc = openacc::report(&operations);
    let mut notes: Vec<Note> = notes::runs(&context).into_iter().collect();
    notes.extend(run::notes(&run, sums));
    notes.extend(notes::truncated(&parts, context.parts));
    notes.extend(notes::of(&parts, sums, &loops));
    let stray = openacc::stray(&operations);
    notes.extend(notes::openacc(&parts, &openacc, stray));
    let tasks = tasks::report(&context, &run);
    Report {
        schema: "ompchunk-report",
        version: VERSION,
        notes,
        regions: match run.account {
            Some(_) => account::regions(&context),
            None => Vec::new(),
        },
        tasks,
        run,
        parts,
        openacc_seconds: (!openacc.is_empty()).then(|| openacc::thread_seconds(&operations)),
        openacc,
        loops,
    }
}

/// Those that lose most first.
fn loops(context: &Context<'_>) -> Vec<LoopReport> {
    let mut by_identity: HashMap<&Identity, Vec<InPart<'_>>> = HashMap::new();
    for (part, part_sums) in context.sums.iter().enumerate() {
        for sums in part_sums.loops.iter().filter(|sums| !sums.is_left_out()) {
            let in_parts = by_identity.entry(&sums.identity).or_default();
            in_parts.push(InPart { part, sums });
        }
    }
    let mut loops: Vec<LoopReport> = by_identity
        .iter()
        .map(|(identity, in_parts)| context.loop_report(identity, in_parts))
        .collect();
    loops.sort_by(|a, b| {
        (b.loses().total_cmp(&a.loses()))
            .then_with(|| b.cost().total_cmp(&a.cost()))
            .then_with(|| a.identity.cmp(&b.identity))
    });
    for (number, loop_report) in (1..).zip(&mut loops) {
        loop_report.number = number;
        loop_report.hints = hints_of(context, &by_identity[&loop_report.identity], loop_report);
    }
    loops
}

/// What is said of loops only where the run is known.
fn set_beside_run(loops: &mut [LoopReport], run: &RunReport) {
    let length = run.seconds + run.before_seconds.unwrap_or(0.0);
    for loop_report in loops {
        if loop_report.lost_seconds.is_some() {
            // Executions that overlap are no share of it.
            let share = ratio(loop_report.metrics.seconds, length);
            loop_report.run_share = share.filter(|share| *share <= 1.01);
        }
        if run.crowd.is_some() {
            // Then threads wait for a core of their own program's, and what loops take says nothing of their schedules.
            let holds = |hint: &Note| BESIDE_CORES.contains(&hint.code);
            loop_report.hints.retain(holds);
        }
    }
}

/// From this share of their time on, what threads wait for each other decides how long chunks take.
const DECIDES: f64 = 0.2;

/// Where threads mostly wait for each other in the body, nothing else is said: who waits often leaves its core, and no schedule changes it.
/// Where something else loses more, that comes first.
fn hints_of(context: &Context<'_>, in_parts: &[InPart<'_>], loop_report: &LoopReport) -> Vec<Note> {
    if let Some(lost) = losses::hint(loop_report) {
        return vec![lost];
    }
    let hints = hints::of(loop_report, &Facts::of(in_parts, context));
    let Some(contended) = account::contended(context, in_parts, loop_report) else {
        return hints;
    };
    let waiting = loop_report.mutex_seconds.unwrap_or(0.0);
    let threads = by_thread(&loop_report.threads, |thread| thread.busy_seconds).len();
    let each = waiting / threads.max(1) as f64;
    let decides = waiting >= DECIDES * loop_report.busy_seconds;
    match decides && each >= loop_report.metrics.imbalance_seconds {
        true => vec![contended],
        false => hints.into_iter().chain([contended]).collect(),
    }
}

impl LoopReport {
    /// What the loop costs: its time, on the slowest rank, and where that is not known the work of its busiest thread.
    #[must_use]
    pub fn cost(&self) -> f64 {
        let time = self.slowest_rank_seconds.unwrap_or(self.metrics.seconds);
        if self.executions > 0 && self.counted_executions == 0 && self.incomplete_executions == 0 {
            return time;
        }
        let busiest = self.threads.iter().map(|thread| thread.busy_seconds);
        time.max(busiest.fold(0.0, f64::max))
    }
}

impl Context<'_> {
    fn loop_report(&self, identity: &Identity, in_parts: &[InPart<'_>]) -> LoopReport {
        let threads = self.threads(in_parts);
        let locked: Vec<Option<f64>> = in_parts
            .iter()
            .map(|in_part| account::of_loop(self, in_part.part, in_part.sums))
            .collect();
        let totals: Vec<Totals> = std::iter::zip(in_parts, &locked)
            .map(|(in_part, locked)| self.totals(in_part, locked.unwrap_or(0.0)))
            .collect();
        let busy = threads.iter().map(|thread| thread.busy_seconds).sum();
        let lost = losses::of(self.parts, self.sums, in_parts);
        let promises = in_parts.iter().map(|in_part| in_part.sums.promise.clone());
        let promise = promises.reduce(|strict, another| strict.or_stricter(&another));
        let mut report = LoopReport {
            name: identity.to_string(),
            identity: identity.clone(),
            promise: promise.unwrap_or_default(),
            chunks_complete: in_parts.iter().all(|in_part| in_part.sums.untold == 0),
            lost_seconds: self.lost_time(in_parts, &totals),
            metrics: self.metrics(&totals),
            pace: pace::of(self, in_parts),
            total_load_balance: total_balance(identity, &threads).filter(|_| lost.is_none()),
            total_imbalance_seconds: total_imbalance(identity, &threads).filter(|_| lost.is_none()),
            mutex_seconds: locked.into_iter().flatten().reduce(f64::add),
            chunk_seconds: self.distribution(in_parts, busy),
            worst_chunks: self.worst(in_parts),
            busy_seconds: busy,
            threads,
            lost,
            ..LoopReport::default()
        };
        self.add_counts(&mut report, in_parts);
        self.add_thread_times(&mut report, in_parts);
        self.add_ranks(&mut report, in_parts, &totals);
        report
    }

    fn threads(&self, in_parts: &[InPart<'_>]) -> Vec<ThreadReport> {
        let threads = in_parts.iter().flat_map(|in_part| {
            let threads = in_part.sums.threads.iter();
            threads.map(move |(thread, sums)| {
                let wait = wait(in_part.sums, *thread, sums);
                self.thread(in_part.part, *thread, sums, wait)
            })
        });
        threads.collect()
    }

    /// How often it ran, with how many iterations and threads.
    fn add_counts(&self, report: &mut LoopReport, in_parts: &[InPart<'_>]) {
        let executions = || in_parts.iter().map(|in_part| in_part.executions());
        let count = |of: fn(&Executions) -> u64| executions().map(of).sum();
        report.executions = count(|executions| executions.count);
        report.incomplete_executions = count(|executions| executions.incomplete);
        report.nested_executions = count(|executions| executions.nested);
        let counted = in_parts.iter().flat_map(|in_part| {
            let threads = in_part.sums.threads.iter();
            threads.map(|(thread, sums)| (in_part.part, *thread, sums.counted_executions))
        });
        report.counted_executions = self.processes.most(counted);
        report.trip_count = range(executions().filter_map(|executions| executions.trips));
        report.team_size = range(executions().filter_map(|executions| executions.team));
    }

    /// What each thread spent, and all of them.
    fn add_thread_times(&self, report: &mut LoopReport, in_parts: &[InPart<'_>]) {
        let (threads, busy) = (&report.threads, report.busy_seconds);
        let count =
            |of: fn(&ThreadReport) -> u64| threads.iter().map(of).fold(0, u64::saturating_add);
        report.chunks = count(|thread| thread.chunks);
        report.iterations = count(|thread| thread.iterations);
        let waits: Option<f64> = threads.iter().map(|thread| thread.barrier_seconds).sum();
        report.barrier_seconds = waits.filter(|_| !threads.is_empty());
        let everywhere = match report.team_size {
            Some([_, team]) => f64::from(team) * self.processes.count as f64,
            None => by_thread(threads, |_| 0.0).len().max(1) as f64,
        };
        report.mean_barrier_seconds = report.barrier_seconds.map(|all| all / everywhere);
        let inside = in_parts.iter().flat_map(|in_part| {
            let inside = in_part.sums.counted.inside.values();
            inside.map(|inside| self.seconds(in_part.part, inside.ticks as f64))
        });
        report.counted_seconds = inside.reduce(f64::add);
        report.page_faults = faults::report(in_parts.iter().map(|in_part| {
            let hertz = self.sums[in_part.part].clock.hertz;
            (hertz, &in_part.sums.counted.faults)
        }));
        let bookkeeping = threads
            .iter()
            .filter_map(|thread| thread.bookkeeping_seconds);
        report.bookkeeping_seconds = bookkeeping.reduce(f64::add);
        report.bookkeeping_share = report.bookkeeping_seconds.and_then(|all| ratio(all, busy));
        let cost = cost::of(self, in_parts, threads, busy);
        report.off_core = cost.off_core;
        report.recorder_seconds = cost.recorder;
        report.reading_seconds = cost.reading;
        report.recorder_share = cost.share;
    }

    /// How it differs between parts and processes.
    fn add_ranks(&self, report: &mut LoopReport, in_parts: &[InPart<'_>], totals: &[Totals]) {
        if self.parts.len() > 1 {
            let ranks = std::iter::zip(in_parts, totals);
            report.ranks = ranks
                .map(|(in_part, totals)| self.rank(in_part, totals))
                .collect();
        }
        let by_process = |of: fn(&RankReport) -> f64| {
            let each = report.ranks.iter().map(|rank| (rank.part, of(rank)));
            self.processes.sums(each)
        };
        if self.processes.count > 1 {
            let seconds = by_process(|rank| rank.metrics.seconds);
            let slowest = seconds.into_iter().fold(0.0, f64::max);
            report.slowest_rank_seconds = Some(slowest).filter(|slowest| *slowest > 0.0);
        }
        if report.lost.is_none() {
            if self.processes.count > 1 {
                let busy = by_process(|rank| rank.busy_seconds);
                report.rank_load_balance = balance(busy.into_iter());
            }
            report.between = between::of(self.parts, self.processes, report);
        }
    }

    fn thread(&self, part: usize, thread: u32, sums: &Sums, wait: Option<u64>) -> ThreadReport {
        // What was timed holds one reading of the clock per chunk. In sum, not per chunk: a difference that
        // is cut off at zero each time would be too large in the mean.
        let read = self.parts[part].meta().clock.read * sums.timed as f64;
        let bookkeeping = (sums.bookkeeping as f64 - read).max(0.0);
        ThreadReport {
            part,
            process: self.processes.of[part],
            thread,
            executions: sums.executions,
            chunks: sums.chunks,
            iterations: sums.iterations,
            busy_seconds: self.seconds(part, sums.busy as f64),
            barrier_seconds: wait.map(|wait| self.seconds(part, wait as f64)),
            bookkeeping_seconds: (sums.timed > 0).then(|| self.seconds(part, bookkeeping)),
            off_core: self.off_core(part, &sums.off),
            recorder_seconds: self.sums[part]
                .recorder
                .map(|_| self.seconds(part, sums.off.recorder as f64)),
        }
    }

    /// `waiting`: thread time until threads had a lock.
    fn totals(&self, in_part: &InPart<'_>, waiting: f64) -> Totals {
        let totals = Totals::of(in_part.executions(), |ticks| {
            self.seconds(in_part.part, ticks)
        });
        let threads = in_part.sums.threads.len().max(1) as f64;
        totals.without(self.useless(in_part, waiting) / threads)
    }

    /// Thread time in chunks that is no work: waiting for locks, and bookkeeping. Who waits may be off its core meanwhile, and that time
    /// is no work already.
    fn useless(&self, in_part: &InPart<'_>, waiting: f64) -> f64 {
        let taken = self.seconds(in_part.part, in_part.executions().taken as f64);
        let bookkeeping = in_part.sums.threads.iter().filter_map(|(thread, sums)| {
            let thread = self.thread(in_part.part, *thread, sums, None);
            thread.bookkeeping_seconds
        });
        (waiting - taken).max(0.0) + bookkeeping.sum::<f64>()
    }

    fn metrics(&self, totals: &[Totals]) -> Metrics {
        let mut sum = Totals::default();
        totals.iter().for_each(|of_part| sum.add(of_part));
        // Of each rank's time the mean: loops that different ranks run do not add up to more than the run.
        let ranks = self.processes.count as f64;
        let metrics = sum.metrics();
        Metrics {
            seconds: metrics.seconds / ranks,
            imbalance_seconds: metrics.imbalance_seconds / ranks,
            ..metrics
        }
    }

    /// Of the time what is no work of the average thread; the mean of the ranks, as the time.
    fn lost_time(&self, in_parts: &[InPart<'_>], totals: &[Totals]) -> Option<f64> {
        let told = in_parts
            .iter()
            .any(|in_part| in_part.executions().count > 0);
        let sampled = self.parts.iter().any(|part| part.meta().mode.sample > 1);
        let lost = totals
            .iter()
            .map(|of_part| (of_part.time - of_part.average).max(0.0));
        (told && !sampled).then(|| lost.sum::<f64>() / self.processes.count as f64)
    }

    fn rank(&self, in_part: &InPart<'_>, totals: &Totals) -> RankReport {
        let busy: u64 = in_part.sums.threads.iter().map(|(_, sums)| sums.busy).sum();
        RankReport {
            part: in_part.part,
            executions: in_part.executions().count,
            metrics: totals.metrics(),
            busy_seconds: self.seconds(in_part.part, busy as f64),
        }
    }

    fn distribution(&self, in_parts: &[InPart<'_>], busy: f64) -> Option<Distribution> {
        let (first, others) = in_parts.split_first()?;
        let hertz = self.sums[first.part].clock.hertz;
        let mut durations = first.sums.durations.clone();
        for in_part in others {
            let unit = self.sums[in_part.part].clock.hertz / hertz;
            durations.merge(&in_part.sums.durations, unit);
        }
        let extremes = in_parts.iter().map(|in_part| self.extremes(in_part));
        let (max, min) = extremes.reduce(widest)??;
        let counted = durations.total();
        let quantile = |q| {
            let ticks = durations.quantile(q).unwrap_or(0.0).max(0.0);
            (ticks / hertz).clamp(min, max)
        };
        Some(Distribution {
            count: counted,
            min,
            mean: ratio(busy, counted as f64).unwrap_or(0.0),
            median: quantile(0.5),
            p95: quantile(0.95),
            p99: quantile(0.99),
            max,
            quantile_error: durations.error(),
            histogram: durations
                .buckets()
                .map(|(from, to, count)| (from as f64 / hertz, to as f64 / hertz, count))
                .collect(),
        })
    }

    fn extremes(&self, in_part: &InPart<'_>) -> Option<(f64, f64)> {
        let (longest, shortest) = in_part.sums.extremes?;
        let seconds = |ticks: u64| self.seconds(in_part.part, ticks as f64);
        Some((seconds(longest), seconds(shortest)))
    }

    fn worst(&self, in_parts: &[InPart<'_>]) -> Vec<WorstChunk> {
        let long = in_parts.iter().flat_map(|in_part| {
            let kept = in_part.sums.worst.kept().iter();
            kept.map(|long| self.worst_chunk(*in_part, long))
        });
        let mut worst: Vec<WorstChunk> = long.collect();
        worst.sort_by(|a, b| {
            let place = |chunk: &WorstChunk| (chunk.part, chunk.thread, chunk.logical);
            (b.seconds.total_cmp(&a.seconds)).then_with(|| place(a).cmp(&place(b)))
        });
        worst.truncate(KEPT);
        worst
    }

    fn worst_chunk(&self, in_part: InPart<'_>, long: &Long) -> WorstChunk {
        let part = in_part.part;
        let last = long.lower.wrapping_add(long.iterations.saturating_sub(1));
        let values = in_part.sums.variable.values(long.start, long.step);
        WorstChunk {
            seconds: self.seconds(part, long.duration as f64),
            off_core: self
                .off_core(part, &long.off)
                .filter(|off_core| off_core.seconds > 0.0),
            core: long.off.core(),
            at_seconds: self.sums[part].clock.since_start(long.begin) / 1e9,
            part,
            thread: long.thread,
            logical: [long.lower, last],
            user: values.map(|values| values.range(long.lower, long.iterations).into()),
        }
    }
}

/// A thread's wait after a loop: after the executions that are told, or if none is, after all.
fn wait(the_loop: &LoopSums, thread: u32, sums: &Sums) -> Option<u64> {
    if sums.executions > sums.counted_executions || sums.counted_executions == 0 {
        let wait = the_loop.executions.waits.get(&thread);
        return Some(wait.copied().unwrap_or(0));
    }
    the_loop.counted.wait(thread, sums.counted_executions)
}

fn range<T: Ord + Copy>(ranges: impl Iterator<Item = (T, T)>) -> Option<[T; 2]> {
    ranges
        .reduce(|(a, b), (c, d)| (a.min(c), b.max(d)))
        .map(|(low, high)| [low, high])
}
