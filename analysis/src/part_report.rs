//! What a report says of a part: whose it is, how long it was, what it only added up, and what is missing.

use ompchunk_trace_format::{Ending, Part};

use crate::context::Context;
use crate::model::{AddedUp, PartReport};
use crate::part::PartSums;

/// A rank that forked has several parts, and so has a process that became another program: `rank 3` and `rank 3.1`, as
/// the files are called.
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

pub(crate) fn part(context: &Context<'_>, at: usize) -> PartReport {
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

/// Of the clock: one for each event that is told, two for each that every recording only adds up.
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
