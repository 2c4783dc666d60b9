//! What is reported of one loop, from its sums in the parts.

use std::ops::Add;

use ompchunk_trace_format::Part;

use crate::aggregates::{self, PageFaults};
use crate::definition::Identity;
use crate::join::Executions;
use crate::merge::{Merge, widest};
use crate::metrics::{Totals, balance, imbalance, ratio};
use crate::model::{
    Distribution, LoopReport, LostReport, Metrics, OffCoreReport, RankReport, ThreadReport, WorstChunk,
};
use crate::off_core::Off;
use crate::open_loop::{KEPT, Long};
use crate::part::{LoopSums, PartSums};
use crate::process::{Context, InPart, by_thread};
use crate::promise::Promise;
use crate::share::Sums;
use crate::{account, pace};

impl Context<'_> {
    /// All but what follows from these, the other loops and the run: number, share of the run, processes compared, parts of the loss, and hints.
    pub(crate) fn loop_report(&self, identity: &Identity, in_parts: &[InPart<'_>]) -> LoopReport {
        // Until threads had a lock, by part; `None`: not told.
        let locked = in_parts.iter().map(|in_part| account::of_loop(self, in_part.part, in_part.sums));
        let locked: Vec<Option<f64>> = locked.collect();
        let totals: Vec<Totals> = std::iter::zip(in_parts, &locked)
            .map(|(in_part, locked)| self.totals(in_part, locked.unwrap_or(0.0)))
            .collect();
        let threads = self.threads(in_parts);
        let busy = threads.iter().map(|thread| thread.busy_seconds).sum();
        let cost = cost(self, in_parts, &threads, busy);
        let lost = lost(self, in_parts);
        let ranks = self.ranks(in_parts, &totals);
        let busy_ranks = self.by_process(&ranks, |rank| rank.busy_seconds);
        let executions = || in_parts.iter().map(|in_part| in_part.executions());
        let executed = |of: fn(&Executions) -> u64| executions().map(of).sum();
        let of_threads = |of: fn(&ThreadReport) -> Option<f64>| threads.iter().filter_map(of);
        let bookkeeping = of_threads(|thread| thread.bookkeeping_seconds).reduce(f64::add);
        let team_size = executions().map(|executions| executions.team).fold(None, widest);
        let barrier = barrier(&threads);
        let work = evenest(identity, &threads);
        let work = work.iter().copied();
        LoopReport {
            name: identity.to_string(),
            identity: identity.clone(),
            promise: promise(in_parts),
            executions: executed(|executions| executions.count),
            incomplete_executions: executed(|executions| executions.incomplete),
            counted_executions: self.most(in_parts, |sums| sums.counted_executions),
            unprofiled_executions: self.most(in_parts, |sums| sums.costly_executions),
            unprofiled_chunk_seconds: self.untold_chunk(in_parts),
            chunks_complete: in_parts
                .iter()
                .all(|in_part| in_part.sums.partial_aggregates + in_part.executions().without_chunks == 0),
            trip_count: executions().map(|executions| executions.trips).fold(None, widest),
            team_size,
            metrics: self.metrics(&totals),
            lost_seconds: self.lost_time(in_parts, &totals),
            slowest_rank_seconds: self.slowest(&ranks),
            pace: pace::report(self, in_parts),
            nested_executions: executed(|executions| executions.nested),
            total_load_balance: balance(work.clone()).filter(|_| lost.is_none()),
            total_imbalance_seconds: imbalance(work).filter(|_| lost.is_none()),
            chunks: sum(&threads, |thread| thread.chunks),
            iterations: sum(&threads, |thread| thread.iterations),
            busy_seconds: busy,
            barrier_seconds: barrier,
            mean_barrier_seconds: barrier.map(|sum| sum / self.everywhere(&threads, team_size)),
            counted_seconds: self.counted_seconds(in_parts),
            mutex_seconds: locked.into_iter().flatten().reduce(f64::add),
            page_faults: self.page_faults(in_parts),
            bookkeeping_seconds: bookkeeping,
            bookkeeping_share: bookkeeping.and_then(|sum| ratio(sum, busy)),
            off_core: cost.off_core,
            recorder_seconds: cost.recorder,
            reading_seconds: cost.reading,
            recorder_share: cost.share,
            chunk_seconds: self.distribution(in_parts, busy),
            worst_chunks: self.worst(in_parts),
            threads,
            rank_load_balance: busy_ranks.and_then(|busy| balance(busy.into_iter())).filter(|_| lost.is_none()),
            ranks,
            lost,
            ..LoopReport::default()
        }
    }

    fn page_faults(&self, in_parts: &[InPart<'_>]) -> Option<PageFaults> {
        aggregates::report(
            in_parts.iter().map(|in_part| (self.sums[in_part.part].clock.hertz, &in_part.sums.counted.faults)),
        )
    }

    fn threads(&self, in_parts: &[InPart<'_>]) -> Vec<ThreadReport> {
        let threads = in_parts.iter().flat_map(|in_part| {
            let threads = in_part.sums.threads.iter();
            threads
                .map(move |(thread, sums)| self.thread(in_part.part, *thread, sums, wait(in_part.sums, *thread, sums)))
        });
        threads.collect()
    }

    /// What a chunk takes that is not told, by how many a thread has in an execution that is.
    fn untold_chunk(&self, in_parts: &[InPart<'_>]) -> Option<f64> {
        let mut all = Sums::default();
        let mut seconds = 0.0;
        for in_part in in_parts {
            let mut of_part = Sums::default();
            in_part.sums.threads.iter().for_each(|(_, sums)| of_part.take_in(sums));
            seconds += self.seconds(in_part.part, of_part.costly_busy as f64);
            all.take_in(&of_part);
        }
        let told = all.executions.checked_sub(all.costly_executions)?;
        let chunks = ratio(all.chunks as f64, told as f64)? * all.costly_executions as f64;
        ratio(seconds, chunks)
    }

    fn most(&self, in_parts: &[InPart<'_>], of: fn(&Sums) -> u64) -> u64 {
        let counted = in_parts
            .iter()
            .flat_map(|in_part| in_part.sums.threads.iter().map(|(thread, sums)| (in_part.part, *thread, of(sums))));
        self.processes.most(counted)
    }

    fn counted_seconds(&self, in_parts: &[InPart<'_>]) -> Option<f64> {
        let inside = in_parts.iter().flat_map(|in_part| {
            let inside = in_part.sums.counted.inside.values();
            inside.map(|inside| self.seconds(in_part.part, inside.ticks as f64))
        });
        inside.reduce(f64::add)
    }

    /// How many threads there are in all processes together.
    fn everywhere(&self, threads: &[ThreadReport], team_size: Option<[u32; 2]>) -> f64 {
        match team_size {
            Some([_, team]) => f64::from(team) * self.processes.count as f64,
            None => by_thread(threads, |_| 0.0).len().max(1) as f64,
        }
    }

    fn ranks(&self, in_parts: &[InPart<'_>], totals: &[Totals]) -> Vec<RankReport> {
        if self.parts.len() < 2 {
            return Vec::new();
        }
        std::iter::zip(in_parts, totals).map(|(in_part, totals)| self.rank(in_part, totals)).collect()
    }

    /// A value by process. `None`: there is one process.
    fn by_process(&self, ranks: &[RankReport], of: fn(&RankReport) -> f64) -> Option<Vec<f64>> {
        (self.processes.count > 1).then(|| self.processes.sums(ranks.iter().map(|rank| (rank.part, of(rank)))))
    }

    fn slowest(&self, ranks: &[RankReport]) -> Option<f64> {
        let slowest = self.by_process(ranks, |rank| rank.metrics.seconds)?.into_iter().fold(0.0, f64::max);
        Some(slowest).filter(|slowest| *slowest > 0.0)
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
            recorder_seconds: self.sums[part].recorder.map(|_| self.seconds(part, sums.off.recorder as f64)),
        }
    }

    /// `waiting`: thread time until threads had a lock.
    fn totals(&self, in_part: &InPart<'_>, waiting: f64) -> Totals {
        let totals = Totals::from_executions(in_part.executions(), |ticks| self.seconds(in_part.part, ticks));
        let threads = in_part.sums.threads.len().max(1) as f64;
        totals.without(self.useless(in_part, waiting) / threads)
    }

    /// Thread time in chunks that is no work: waiting for locks, and bookkeeping. Who waits may be off its core meanwhile, and that time
    /// is no work already.
    fn useless(&self, in_part: &InPart<'_>, waiting: f64) -> f64 {
        let taken = self.seconds(in_part.part, in_part.executions().taken as f64);
        let bookkeeping = in_part
            .sums
            .threads
            .iter()
            .filter_map(|(thread, sums)| self.thread(in_part.part, *thread, sums, None).bookkeeping_seconds);
        (waiting - taken).max(0.0) + bookkeeping.sum::<f64>()
    }

    fn metrics(&self, totals: &[Totals]) -> Metrics {
        let mut sum = Totals::default();
        totals.iter().for_each(|of_part| sum.take_in(of_part));
        // The mean of the ranks' times: loops that different ranks run do not add up to more than the run.
        let ranks = self.processes.count as f64;
        let metrics = sum.metrics();
        Metrics { seconds: metrics.seconds / ranks, imbalance_seconds: metrics.imbalance_seconds / ranks, ..metrics }
    }

    /// Time that is no work of the average thread; like the loop's time, the mean of the ranks.
    fn lost_time(&self, in_parts: &[InPart<'_>], totals: &[Totals]) -> Option<f64> {
        let told = in_parts.iter().any(|in_part| in_part.executions().count > 0);
        let sampled = self.parts.iter().any(|part| part.meta().mode.sample > 1);
        let lost = totals.iter().zip(in_parts).map(|(of_part, in_part)| {
            // Who waits for the others at the loop's barrier may run tasks there, which is no loss.
            let tasks = self.sums[in_part.part].account.tasks_after(&in_part.sums.numbers);
            let tasks = self.seconds(in_part.part, tasks as f64) / in_part.sums.threads.len().max(1) as f64;
            let imbalance = (of_part.busiest - of_part.average).max(0.0);
            (of_part.time - of_part.average - tasks.min(imbalance)).max(0.0)
        });
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
            durations.merge(&in_part.sums.durations, self.sums[in_part.part].clock.hertz / hertz);
        }
        let unprofiled = in_parts.iter().map(|in_part| {
            let threads = in_part.sums.threads.iter();
            self.seconds(in_part.part, threads.map(|(_, sums)| sums.costly_busy).sum::<u64>() as f64)
        });
        let busy = (busy - unprofiled.sum::<f64>()).max(0.0);
        let extremes = in_parts.iter().map(|in_part| {
            let seconds = |ticks: u64| self.seconds(in_part.part, ticks as f64);
            in_part.sums.extremes.map(|extremes| extremes.map(seconds))
        });
        let [min, max] = extremes.reduce(widest)??;
        let counted = durations.total();
        let quantile = |q| (durations.quantile(q).unwrap_or(0.0).max(0.0) / hertz).clamp(min, max);
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
                .map(|(values, count)| (values.start as f64 / hertz, values.end as f64 / hertz, count))
                .collect(),
        })
    }

    fn worst(&self, in_parts: &[InPart<'_>]) -> Vec<WorstChunk> {
        let long = in_parts
            .iter()
            .flat_map(|in_part| in_part.sums.worst.kept().iter().map(|long| self.worst_chunk(*in_part, long)));
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
        let sums = in_part.sums;
        let from = sums.lowest.filter(|_| !sums.identity.instrumented).unwrap_or(0);
        let first = long.lower.wrapping_sub(from as u64);
        let last = first.wrapping_add(long.iterations.saturating_sub(1));
        let values = sums.variable.values(long.start, long.step);
        WorstChunk {
            seconds: self.seconds(part, long.duration as f64),
            off_core: self.off_core(part, &long.off).filter(|off_core| off_core.seconds > 0.0),
            core: long.off.core(),
            at_seconds: self.sums[part].clock.since_start(long.begin) / 1e9,
            part,
            thread: long.thread,
            logical: [first, last],
            user: values.map(|values| values.range(long.lower, long.iterations).into()),
        }
    }

    /// `None`: the part does not know.
    pub(crate) fn off_core(&self, part: usize, off: &Off) -> Option<OffCoreReport> {
        self.sums[part].knows_cores.then(|| OffCoreReport {
            seconds: self.seconds(part, off.core_time() as f64),
            preempted_seconds: self.seconds(part, (off.preempted + off.beside) as f64),
            beside_seconds: self.seconds(part, off.beside as f64),
            waiting_seconds: self.seconds(part, off.waiting as f64),
            either_seconds: self.seconds(part, off.either as f64),
        })
    }
}

fn promise(in_parts: &[InPart<'_>]) -> Promise {
    let promises = in_parts.iter().map(|in_part| in_part.sums.promise.clone());
    promises.reduce(|strict, another| strict.or_stricter(&another)).unwrap_or_default()
}

fn sum(threads: &[ThreadReport], of: fn(&ThreadReport) -> u64) -> u64 {
    threads.iter().map(of).fold(0, u64::saturating_add)
}

/// `None`: of some thread it is not known.
fn barrier(threads: &[ThreadReport]) -> Option<f64> {
    let waits: Option<f64> = threads.iter().map(|thread| thread.barrier_seconds).sum();
    waits.filter(|_| !threads.is_empty())
}

/// A thread's wait after a loop: after the executions that are told, or if none is, after all.
fn wait(the_loop: &LoopSums, thread: u32, sums: &Sums) -> Option<u64> {
    if sums.executions > sums.counted_executions || sums.counted_executions == 0 {
        return Some(the_loop.executions.waits.get(&thread).copied().unwrap_or(0));
    }
    the_loop.counted.wait(thread, sums.counted_executions)
}

/// What a loop's time contains besides work, in seconds.
pub(crate) struct Cost {
    pub(crate) off_core: Option<OffCoreReport>,
    pub(crate) recorder: Option<f64>,
    pub(crate) reading: Option<f64>,
    pub(crate) share: Option<f64>,
}

pub(crate) fn cost(context: &Context<'_>, in_parts: &[InPart<'_>], threads: &[ThreadReport], busy: f64) -> Cost {
    // Known of several ranks where all of them know it.
    let off_core = threads.iter().map(|thread| thread.off_core).sum::<Option<_>>();
    let recorder: Option<f64> = threads.iter().map(|thread| thread.recorder_seconds).sum();
    let recorder = recorder.filter(|_| !threads.is_empty());
    let readings = in_parts.iter().map(|in_part| {
        let read = context.parts[in_part.part].meta().clock.read;
        context.seconds(in_part.part, in_part.sums.chunks() as f64 * read)
    });
    let reading: f64 = readings.sum();
    let reading = recorder.and(Some(reading).filter(|reading| *reading > 0.0));
    Cost {
        off_core: off_core.filter(|_| !threads.is_empty()),
        recorder,
        reading,
        share: recorder.and_then(|recorder| ratio(recorder + reading.unwrap_or(0.0), busy + recorder)),
    }
}

merge!(OffCoreReport: seconds, preempted_seconds, beside_seconds, waiting_seconds, either_seconds);

impl std::iter::Sum for OffCoreReport {
    fn sum<I: Iterator<Item = OffCoreReport>>(reports: I) -> OffCoreReport {
        let mut sum = OffCoreReport::default();
        reports.for_each(|more| sum.take_in(&more));
        sum
    }
}

/// The threads' work. Where chunks are dealt out, a thread that loses its core leaves its own to the others, so that one
/// of the two kinds of time is even if the work is: that one then.
fn evenest(identity: &Identity, threads: &[ThreadReport]) -> Vec<f64> {
    let work = by_thread(threads, ThreadReport::work_seconds);
    let is_static = identity.schedule.as_deref().is_some_and(|schedule| schedule.contains("static"));
    if is_static {
        return work;
    }
    let busy = by_thread(threads, |thread| thread.busy_seconds);
    let of = |times: &Vec<f64>| balance(times.iter().copied());
    if of(&busy) > of(&work) { busy } else { work }
}

/// What is missing of a loop; `None`: nothing.
fn lost(context: &Context<'_>, in_parts: &[InPart<'_>]) -> Option<LostReport> {
    let mut lost = LostReport { chunks: 0, iterations: 0, events: 0, share: None, between_seconds: None };
    let (mut there, mut is_known) = (0, true);
    for in_part in in_parts {
        let (part_sums, loop_sums) = (&context.sums[in_part.part], in_part.sums);
        let loss = &loop_sums.lost;
        merge_fields!(lost, loss: chunks, iterations, events);
        there += loop_sums.chunks();
        is_known &= !loses_unknown(context.parts[in_part.part], part_sums);
        let seconds = |ticks| part_sums.clock.since_start(ticks) / 1e9;
        lost.between_seconds.take_in(&loss.span.map(|span| span.map(seconds)));
    }
    let chunks = (lost.chunks + there) as f64;
    lost.share = (is_known && chunks > 0.0).then(|| lost.chunks as f64 / chunks);
    (lost.chunks + lost.events > 0 || !is_known).then_some(lost)
}

/// Chunks are lost of which it is not told which loop they are of.
fn loses_unknown(part: &Part, sums: &PartSums) -> bool {
    let known: u64 = sums.loops.iter().map(|the_loop| the_loop.lost.chunks).sum();
    part.head().lost_chunks > known || sums.lost_elsewhere.chunks > 0
}
