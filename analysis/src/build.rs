//! From the sums of the parts to the report: ticks become seconds, and loops of several parts one.

use std::collections::HashMap;

use ompchunk_figures::percent;
use ompchunk_trace_format::{Ending, Part};

use crate::definition::Identity;
use crate::hints::{self, Facts, loss_parts};
use crate::hot::{KERNEL, LIBRARY_LOCK};
use crate::metrics::ratio;
use crate::model::{AddedUp, Hint, LoopReport, Note, OpenAccReport, PartReport, Report, RunReport, VERSION};
use crate::part::PartSums;
use crate::process::{Context, InPart, by_thread};
use crate::{account, between, notes, openacc_report, run, tasks};

/// Hints that hold where threads wait for cores.
const BESIDE_CORES: [&str; 7] = ["contended", "locks", "lost", "crowded", "shared-cores", KERNEL, LIBRARY_LOCK];

pub(crate) fn report(context: &Context<'_>) -> Report {
    let sums = &context.sums;
    let mut loops = loops(context);
    let parts: Vec<PartReport> = (0..sums.len()).map(|part| part_report(context, part)).collect();
    let run = run::run(&parts, context, &loops);
    set_beside_run(&mut loops, &run);
    let operations = openacc_report::report(context).into_iter();
    let (target, openacc): (Vec<_>, Vec<_>) = operations.partition(OpenAccReport::is_of_target);
    let [openacc_seconds, target_seconds] = openacc_report::thread_seconds(sums);
    let mut notes: Vec<Note> = notes::runs(context).into_iter().collect();
    notes.extend(run::notes(&run, sums));
    notes.extend(notes::failed(&context.parts));
    notes.extend(notes::truncated(&parts, &context.parts));
    notes.extend(notes::missing(&parts, sums, &loops));
    let [stray, stray_of_target] = openacc_report::stray(sums);
    notes.extend(notes::openacc(&parts, &openacc, stray));
    notes.extend(notes::target(&target, stray_of_target));
    notes.extend(notes::target_in_chunks(openacc_report::in_chunks(sums)));
    let tasks = tasks::report(context, &run);
    Report {
        schema: "ompchunk-report",
        version: VERSION,
        notes,
        regions: run.account.as_ref().map_or_else(Vec::new, |_| account::regions(context)),
        tasks,
        run,
        parts,
        openacc_seconds: (!openacc.is_empty()).then_some(openacc_seconds),
        openacc,
        target_seconds: (!target.is_empty()).then_some(target_seconds),
        target,
        loops,
    }
}

fn loops(context: &Context<'_>) -> Vec<LoopReport> {
    let mut by_identity: HashMap<&Identity, Vec<InPart<'_>>> = HashMap::new();
    for (part, part_sums) in context.sums.iter().enumerate() {
        for sums in part_sums.loops.iter().filter(|sums| !sums.is_left_out()) {
            by_identity.entry(&sums.identity).or_default().push(InPart { part, sums });
        }
    }
    let mut loops: Vec<LoopReport> =
        by_identity.iter().map(|(identity, in_parts)| context.loop_report(identity, in_parts)).collect();
    loops.sort_by(|a, b| {
        (b.loses().total_cmp(&a.loses()))
            .then_with(|| b.cost().total_cmp(&a.cost()))
            .then_with(|| a.identity.cmp(&b.identity))
    });
    for (number, loop_report) in (1..).zip(&mut loops) {
        loop_report.number = number;
        if loop_report.lost.is_none() {
            loop_report.between = between::report(&context.parts, &context.processes, loop_report);
        }
        let in_parts = &by_identity[&loop_report.identity];
        let facts = Facts::from_parts(in_parts, context);
        loop_report.loss = loss_parts(loop_report, &facts);
        let within = facts.waited_within;
        loop_report.release_seconds = loop_report.barrier_seconds.map(|barrier| (barrier - within).max(0.0));
        loop_report.hints = hints_of(context, in_parts, loop_report, &facts);
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
            let holds = |hint: &Hint| BESIDE_CORES.contains(&hint.code);
            loop_report.hints.retain(holds);
        }
    }
}

/// From this share of their time on, what threads wait for each other decides how long chunks take.
const DECIDES: f64 = 0.2;

/// Where threads mostly wait for each other in the body, nothing else is said: who waits often leaves its core, and no schedule changes it.
/// Where something else loses more, that comes first.
fn hints_of(context: &Context<'_>, in_parts: &[InPart<'_>], loop_report: &LoopReport, facts: &Facts) -> Vec<Hint> {
    if let Some(lost) = lost(loop_report) {
        return vec![lost.into()];
    }
    let mut hints = hints::suggest(loop_report, facts);
    let Some(contended) = account::contended(context, in_parts, loop_report) else { return hints };
    let waiting = loop_report.mutex_seconds.unwrap_or(0.0);
    let threads = by_thread(&loop_report.threads, |thread| thread.busy_seconds).len();
    let each = waiting / threads.max(1) as f64;
    let decides = waiting >= DECIDES * loop_report.busy_seconds;
    let schedule = loop_report.identity.schedule.as_deref();
    // Who waits for a turn looks busier than the others, which wait as long at the end.
    let is_ordered = decides && schedule.is_some_and(|schedule| schedule.starts_with("ordered"));
    let explains_seconds = loop_report.lost_seconds.map(|lost| if is_ordered { lost } else { each });
    let contended = Hint { explains_seconds, ..contended.into() };
    if is_ordered || decides && each >= loop_report.metrics.imbalance_seconds {
        return vec![contended];
    }
    hints.push(contended);
    hints::sort(&mut hints);
    hints
}

/// Nothing is suggested from what is left of a loop's chunks: they are those of the beginning, or of the threads that had room.
fn lost(loop_report: &LoopReport) -> Option<Note> {
    let lost = loop_report.lost.as_ref()?;
    let what = match lost.share {
        Some(0.0) => return None,
        Some(share) => format!("{} of its chunks are not in the trace", percent(share)),
        None => "an unknown share of its chunks is not in the trace".to_owned(),
    };
    Some(Note {
        code: "lost",
        text: format!(
            "{what}: the report has no balance and no hint for it, because what is left covers only the beginning or some threads \
             (raise --max-size, or record with --sample or --aggregate)"
        ),
    })
}

impl LoopReport {
    /// What the loop costs: its time, on the slowest rank, and where that is not known the work of its busiest thread.
    pub fn cost(&self) -> f64 {
        let time = self.slowest_rank_seconds.unwrap_or(self.metrics.seconds);
        if self.executions > 0 && self.counted_executions == 0 && self.incomplete_executions == 0 {
            return time;
        }
        time.max(self.threads.iter().map(|thread| thread.busy_seconds).fold(0.0, f64::max))
    }
}

/// A rank that forked or became another program has several parts: `rank 3` and `rank 3.1`, as the files are called.
fn name(part: &Part) -> String {
    let meta = part.meta();
    let (what, number) = match meta.rank {
        Some(rank) => ("rank", rank),
        None => ("pid", meta.pid.into()),
    };
    let file = part.path().file_stem().unwrap_or_default().to_string_lossy();
    match file.strip_prefix(&format!("{what}-{number}.")) {
        Some(one_of) => format!("{what} {number}.{one_of}"),
        None => format!("{what} {number}"),
    }
}

fn part_report(context: &Context<'_>, at: usize) -> PartReport {
    let (part, sums) = (context.parts[at], &context.sums[at]);
    let meta = part.meta();
    let head = part.head();
    let clock = sums.clock;
    PartReport {
        name: name(part),
        process: context.processes.of[at],
        went_on_in: context.processes.next[at],
        file: part.path().display().to_string(),
        rank: meta.rank,
        pid: meta.pid,
        host: meta.host.clone(),
        command: meta.command.clone(),
        runtime: meta.runtime.clone(),
        recorder: meta.recorder.clone(),
        seconds: clock.since_start(sums.last) / 1e9,
        threads: sums.threads,
        processors: meta.processors,
        chunks: sums.chunks,
        cut: part.ending() != Ending::Clean,
        growing: false,
        lost_chunks: head.lost_chunks,
        lost_events: head.lost_events,
        sample: if meta.mode.aggregate { 0 } else { meta.mode.sample.max(1) },
        profile: meta.mode.profile,
        recorder_seconds: sums.recorder.map(|ticks| ticks as f64 / clock.hertz),
        storing_seconds: sums.counted.storing.map(|ticks| ticks as f64 / clock.hertz),
        reading_seconds: (meta.clock.read > 0.0 && sums.recorder.is_some())
            .then(|| readings(sums) as f64 * meta.clock.read / clock.hertz),
        clock_step_seconds: meta.clock.step.map(|ticks| ticks / clock.hertz),
        knows_cores: sums.knows_cores,
        added_up: added_up(sums, meta.mode.aggregate),
    }
}

/// Readings of the clock: one for each event that is told, two for each that every recording only adds up.
fn readings(sums: &PartSums) -> u64 {
    let mutexes: u64 = sums.account.mutexes.values().map(|waited| waited.count).sum();
    let added_up = mutexes.saturating_add(sums.account.tasks.count);
    let told = sums.chunks + sums.events;
    told.saturating_add(added_up.saturating_mul(2))
}

fn added_up(sums: &PartSums, all: bool) -> Option<AddedUp> {
    let counted = &sums.counted;
    let seconds = |ticks: u64| ticks as f64 / sums.clock.hertz;
    let region_seconds = seconds(counted.regions.ticks);
    let rest = sums.clock.since_start(sums.last) / 1e9 - region_seconds;
    // More than the run: several threads began them at the same time.
    let serial = Some(rest).filter(|rest| all && *rest >= 0.0 && counted.beginners.len() == 1);
    (counted.last > 0).then_some(AddedUp {
        regions: counted.regions.count,
        region_seconds,
        serial_seconds: serial,
        waits: counted.waits.count,
        wait_seconds: seconds(counted.waits.ticks),
    })
}
