//! From the sums of the parts to the report: ticks become seconds, and loops of several parts one.

use std::collections::HashMap;

use ompchunk_trace_format::Part;

use crate::account;
use crate::between;
use crate::context::Context;
use crate::cost::{self, total_balance, total_imbalance};
use crate::definition::Identity;
use crate::faults;
use crate::hints::{self, Facts};
use crate::losses;
use crate::metrics::{Totals, balance, ratio};
use crate::model::{
    Distribution, LoopReport, Metrics, Note, PartReport, RankReport, Report, ThreadReport, VERSION,
    WorstChunk,
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
use crate::worst::KEPT;

/// Hints that hold where threads wait for cores.
const BESIDE_CORES: [&str; 5] = ["contended", "locks", "lost", "crowded", "shared-cores"];

/// A report of parts and their sums, which stand in the same order.
pub(crate) fn report(parts: &[&Part], sums: &[PartSums]) -> Report {
    let mut order: Vec<&Identity> = Vec::new();
    let mut found: HashMap<&Identity, Vec<(usize, &LoopSums)>> = HashMap::new();
    for (part, sums) in sums.iter().enumerate() {
        for the_loop in sums.loops.iter().filter(|the_loop| !the_loop.is_left_out()) {
            let all = found.entry(&the_loop.identity).or_insert_with(|| {
                order.push(&the_loop.identity);
                Vec::new()
            });
            all.push((part, the_loop));
        }
    }
    let processes = Processes::of(parts);
    let context = Context {
        parts,
        sums,
        processes: &processes,
    };
    let mut loops: Vec<LoopReport> = order
        .iter()
        .map(|identity| context.the_loop(identity, &found[identity]))
        .collect();
    loops.sort_by(|one, other| {
        other
            .loses()
            .total_cmp(&one.loses())
            .then_with(|| other.cost().total_cmp(&one.cost()))
            .then_with(|| one.identity.cmp(&other.identity))
    });
    for (number, the_loop) in (1..).zip(&mut loops) {
        the_loop.number = number;
        let facts = Facts::of(&found[&the_loop.identity], &context);
        the_loop.hints = match losses::hint(the_loop) {
            Some(lost) => vec![lost],
            None => hints_of(&context, &found[&the_loop.identity], the_loop, &facts),
        };
    }
    let runs = notes::runs(&context);
    let all = 0..parts.len();
    let parts: Vec<PartReport> = all.map(|at| part_report::part(&context, at)).collect();
    let run = run::run(&parts, &context, &loops);
    for the_loop in loops
        .iter_mut()
        .filter(|the_loop| the_loop.lost_seconds.is_some())
    {
        let length = run.seconds + run.before_seconds.unwrap_or(0.0);
        // Executions that overlap are no share of it.
        the_loop.run_share = ratio(the_loop.metrics.seconds, length).filter(|share| *share <= 1.01);
    }
    if run.crowd.is_some() {
        // Then threads wait for a core of their own program's, and what loops take says nothing of their schedules.
        for the_loop in &mut loops {
            the_loop
                .hints
                .retain(|hint| BESIDE_CORES.contains(&hint.code));
        }
    }
    let operations: Vec<_> = sums
        .iter()
        .map(|sum| (&sum.openacc, sum.clock.hertz))
        .collect();
    let openacc = openacc::report(&operations);
    let asked = run::notes(&run, sums);
    let mut notes = notes::truncated(&parts, context.parts);
    notes.extend(notes::of(&parts, sums, &loops));
    notes.extend(notes::openacc(
        &parts,
        &openacc,
        openacc::stray(&operations),
    ));
    let regions = match run.account {
        Some(_) => account::regions(&context),
        None => Vec::new(),
    };
    let tasks = tasks::report(&context, &run);
    Report {
        schema: "ompchunk-report",
        version: VERSION,
        notes: runs.into_iter().chain(asked).chain(notes).collect(),
        run,
        regions,
        tasks,
        parts,
        openacc_seconds: (!openacc.is_empty()).then(|| openacc::thread_seconds(&operations)),
        openacc,
        loops,
    }
}

/// From this share of their time on, what threads wait for each other decides how long chunks take.
const DECIDES: f64 = 0.2;

/// Where threads mostly wait for each other in the body, nothing else is said: who waits often leaves its core, and no schedule changes it.
/// Where something else loses more, that comes first.
fn hints_of(
    context: &Context<'_>,
    all: &[(usize, &LoopSums)],
    the_loop: &LoopReport,
    facts: &Facts,
) -> Vec<Note> {
    let hints = hints::of(the_loop, facts);
    let Some(contended) = account::contended(context, all, the_loop) else {
        return hints;
    };
    let waiting = the_loop.mutex_seconds.unwrap_or(0.0);
    let threads = by_thread(&the_loop.threads, |thread| thread.busy_seconds).len();
    let each = waiting / threads.max(1) as f64;
    let decides = waiting >= DECIDES * the_loop.busy_seconds;
    match decides && each >= the_loop.metrics.imbalance_seconds {
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
    fn the_loop(&self, identity: &Identity, all: &[(usize, &LoopSums)]) -> LoopReport {
        let threads: Vec<ThreadReport> = all
            .iter()
            .flat_map(|(part, the_loop)| {
                the_loop.threads.iter().map(|(thread, sums)| {
                    let wait = wait(the_loop, *thread, sums);
                    self.thread(*part, *thread, sums, wait)
                })
            })
            .collect();
        let executions = || all.iter().map(|(_, it)| &it.executions);
        let busy_seconds: f64 = threads.iter().map(|thread| thread.busy_seconds).sum();
        let waits: Option<Vec<f64>> = threads
            .iter()
            .map(|thread| thread.barrier_seconds)
            .collect();
        let waits = waits.filter(|wait| !wait.is_empty());
        let barrier_seconds = waits.map(|wait| wait.into_iter().sum::<f64>());
        let inside = all.iter().flat_map(|(part, it)| {
            let each = it.counted.inside.values();
            each.map(move |inside| self.seconds(*part, inside.ticks as f64))
        });
        let lost = losses::of(self.parts, self.sums, all);
        let team = range(executions().filter_map(|execution| execution.team));
        let everywhere = match team {
            Some([_, team]) => f64::from(team) * self.processes.count as f64,
            None => by_thread(&threads, |_| 0.0).len().max(1) as f64,
        };
        let bookkeeping = threads
            .iter()
            .filter_map(|thread| thread.bookkeeping_seconds);
        let bookkeeping = (bookkeeping.clone().count() > 0).then(|| bookkeeping.sum::<f64>());
        let counted = all.iter().flat_map(|(part, it)| {
            let threads = it.threads.iter();
            threads.map(|(thread, sums)| (*part, *thread, sums.counted_executions))
        });
        let locked = all
            .iter()
            .map(|(part, it)| account::of_loop(self, *part, it));
        let locked: Vec<Option<f64>> = locked.collect();
        let totals = all.iter().zip(&locked).map(|((part, it), locked)| {
            let useless = self.useless(*part, it, locked.unwrap_or(0.0));
            self.totals(*part, it, useless)
        });
        let totals: Vec<Totals> = totals.collect();
        let several = self.parts.len() > 1;
        let ranks: Vec<RankReport> = all
            .iter()
            .zip(&totals)
            .filter(|_| several)
            .map(|((part, it), totals)| self.rank(*part, it, totals))
            .collect();
        let side_by_side = self.processes.count > 1;
        let by_process = |of: fn(&RankReport) -> f64| {
            let each = ranks.iter().map(|rank| (rank.part, of(rank)));
            self.processes.sums(each)
        };
        let complete = all.iter().all(|(_, it)| it.untold == 0);
        let counts =
            |of: fn(&ThreadReport) -> u64| threads.iter().map(of).fold(0, u64::saturating_add);
        let cost = cost::of(self, all, &threads, busy_seconds);
        let between = between::of(self.parts, self.processes, &ranks, &threads, complete);
        let promises = all.iter().map(|(_, it)| it.promise.clone());
        let promise = promises.reduce(|one, other| one.or_stricter(&other));
        LoopReport {
            number: 0,
            name: identity.to_string(),
            identity: identity.clone(),
            promise: promise.unwrap_or_default(),
            executions: executions().map(|execution| execution.count).sum(),
            incomplete_executions: executions().map(|execution| execution.incomplete).sum(),
            counted_executions: self.processes.most(counted),
            chunks_complete: complete,
            trip_count: range(executions().filter_map(|execution| execution.trips)),
            team_size: team,
            lost_seconds: self.lost_time(all, &totals),
            run_share: None,
            metrics: self.metrics(&totals),
            slowest_rank_seconds: side_by_side
                .then(|| {
                    let each = by_process(|it| it.metrics.seconds);
                    each.into_iter().fold(0.0, f64::max)
                })
                .filter(|it| *it > 0.0),
            pace: pace::of(self, all),
            nested_executions: executions().map(|execution| execution.nested).sum(),
            total_load_balance: total_balance(identity, &threads).filter(|_| lost.is_none()),
            total_imbalance_seconds: total_imbalance(identity, &threads).filter(|_| lost.is_none()),
            chunks: counts(|it| it.chunks),
            iterations: counts(|it| it.iterations),
            busy_seconds,
            barrier_seconds,
            mean_barrier_seconds: barrier_seconds
                .map(|barrier_seconds| barrier_seconds / everywhere),
            counted_seconds: (inside.clone().count() > 0).then(|| inside.sum()),
            mutex_seconds: locked.into_iter().flatten().reduce(|sum, more| sum + more),
            page_faults: faults::report(all.iter().map(|(part, it)| {
                let hertz = self.sums[*part].clock.hertz;
                (hertz, &it.counted.faults)
            })),
            bookkeeping_seconds: bookkeeping,
            bookkeeping_share: bookkeeping.and_then(|bookkeeping| ratio(bookkeeping, busy_seconds)),
            off_core: cost.off_core,
            recorder_seconds: cost.recorder,
            reading_seconds: cost.reading,
            recorder_share: cost.share,
            chunk_seconds: self.distribution(all),
            worst_chunks: self.worst(all),
            rank_load_balance: (side_by_side && lost.is_none())
                .then(|| balance(by_process(|it| it.busy_seconds).into_iter()))
                .flatten(),
            between: between.filter(|_| lost.is_none()),
            threads,
            ranks,
            lost,
            hints: Vec::new(),
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

    fn totals(&self, part: usize, loop_sums: &LoopSums, useless: f64) -> Totals {
        let totals = Totals::of(&loop_sums.executions, |ticks| self.seconds(part, ticks));
        let threads = loop_sums.threads.len().max(1) as f64;
        totals.without(useless / threads)
    }

    /// Thread time in chunks that is no work: waiting for locks, and bookkeeping. Who waits may be off its core meanwhile, and that time
    /// is no work already.
    fn useless(&self, part: usize, loop_sums: &LoopSums, waiting: f64) -> f64 {
        let taken = self.seconds(part, loop_sums.executions.taken as f64);
        let threads = loop_sums.threads.iter();
        let bookkeeping = threads
            .map(|(thread, sums)| self.thread(part, *thread, sums, None).bookkeeping_seconds);
        (waiting - taken).max(0.0) + bookkeeping.flatten().sum::<f64>()
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
    fn lost_time(&self, all: &[(usize, &LoopSums)], totals: &[Totals]) -> Option<f64> {
        let told = all.iter().any(|(_, it)| it.executions.count > 0);
        let sampled = self.parts.iter().any(|part| part.meta().mode.sample > 1);
        let lost = totals
            .iter()
            .map(|of_part| (of_part.time - of_part.average).max(0.0));
        (told && !sampled).then(|| lost.sum::<f64>() / self.processes.count as f64)
    }

    fn rank(&self, part: usize, loop_sums: &LoopSums, totals: &Totals) -> RankReport {
        let busy: u64 = loop_sums.threads.iter().map(|(_, sums)| sums.busy).sum();
        RankReport {
            part,
            executions: loop_sums.executions.count,
            metrics: totals.metrics(),
            busy_seconds: self.seconds(part, busy as f64),
        }
    }

    fn distribution(&self, all: &[(usize, &LoopSums)]) -> Option<Distribution> {
        let (part, first) = all.first()?;
        let hertz = self.sums[*part].clock.hertz;
        let mut durations = first.durations.clone();
        let mut extremes = first
            .extremes
            .map(|extremes| self.extremes(*part, extremes));
        for (part, it) in &all[1..] {
            durations.merge(&it.durations, self.sums[*part].clock.hertz / hertz);
            let other = it.extremes.map(|extremes| self.extremes(*part, extremes));
            extremes = match (extremes, other) {
                (Some((a, b)), Some((c, d))) => Some((f64::max(a, c), f64::min(b, d))),
                (one, other) => one.or(other),
            };
        }
        let (max, min) = extremes?;
        let counted = durations.total();
        let quantile = |q| durations.quantile(q).unwrap_or(0.0).max(0.0) / hertz;
        let quantile = |q| quantile(q).clamp(min, max);
        let busy: f64 = all
            .iter()
            .flat_map(|(part, it)| it.threads.iter().map(move |(_, sums)| (*part, sums.busy)))
            .map(|(part, busy)| self.seconds(part, busy as f64))
            .sum();
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

    fn extremes(&self, part: usize, (longest, shortest): (u64, u64)) -> (f64, f64) {
        let seconds = |ticks: u64| self.seconds(part, ticks as f64);
        (seconds(longest), seconds(shortest))
    }

    fn worst(&self, all: &[(usize, &LoopSums)]) -> Vec<WorstChunk> {
        let mut worst: Vec<WorstChunk> = Vec::new();
        for (part, the_loop) in all {
            let clock = self.sums[*part].clock;
            worst.extend(the_loop.worst.kept().iter().map(|kept| {
                let last = kept.lower.wrapping_add(kept.iterations.saturating_sub(1));
                let values = the_loop.variable.values(kept.start, kept.step);
                WorstChunk {
                    seconds: self.seconds(*part, kept.duration as f64),
                    off_core: self
                        .off_core(*part, &kept.off)
                        .filter(|off_core| off_core.seconds > 0.0),
                    core: kept.off.core(),
                    at_seconds: clock.since_start(kept.begin) / 1e9,
                    part: *part,
                    thread: kept.thread,
                    logical: [kept.lower, last],
                    user: values.map(|values| values.range(kept.lower, kept.iterations).into()),
                }
            }));
        }
        worst.sort_by(|one, other| {
            let key = |worst_chunk: &WorstChunk| {
                (worst_chunk.part, worst_chunk.thread, worst_chunk.logical)
            };
            other
                .seconds
                .total_cmp(&one.seconds)
                .then_with(|| key(one).cmp(&key(other)))
        });
        worst.truncate(KEPT);
        worst
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

fn range<T: Ord + Copy>(all: impl Iterator<Item = (T, T)>) -> Option<[T; 2]> {
    all.reduce(|(a, b), (c, d)| (a.min(c), b.max(d)))
        .map(|(low, high)| [low, high])
}
