//! What the numbers of a loop suggest: few, and each with the numbers that it follows from. Where they allow two
//! causes a hint names both, or there is none: a core that is slow looks like work that takes long, and so does a thread
//! that the operating system takes off its core where that was not recorded. Where it was, no hint rests on that time: the
//! one that names it stands in the place of all that it would have changed.

mod facts;
mod schedule;
pub(crate) mod terms;

pub(crate) use facts::{Crowd, Facts};
pub(crate) use terms::time;
use terms::{ACCEPTABLE, WORTHWHILE, note};

use crate::faults::plausible;
use crate::metrics::ratio;
use crate::model::{LoopReport, Note};

/// Bookkeeping that is worth a larger chunk.
const MUCH: f64 = 0.05;
/// So much of it is nearly all.
const EVEN_OFF: f64 = 0.9;
/// So many times as long is far longer.
const FAR: f64 = 2.0;

pub(crate) fn of(loop_report: &LoopReport, facts: &Facts) -> Vec<Note> {
    if loop_report.identity.is_sections() {
        // What a schedule would do is nothing to them; where threads wait for each other, the run's causes say so.
        let crowd = facts.crowd.as_ref();
        return crowd.map(crowded).into_iter().collect();
    }
    let mut hints = Vec::new();
    let starting = starting(facts);
    let loses = |share: Option<f64>| share.is_some_and(|share| share < ACCEPTABLE);
    let inefficient = loses(loop_report.metrics.parallel_efficiency) || loses(loop_report.total_load_balance);
    let disturbed = facts.is_disturbed();
    match facts.crowd.as_ref().filter(|_| inefficient) {
        // What a chunk takes then says nothing of its iterations.
        Some(crowd) => hints.push(crowded(crowd)),
        None if disturbed => {
            let schedule = schedule::hint(loop_report, facts);
            let comes_first = schedule.is_some() && is_uneven_without(loop_report, facts);
            hints.push(off_core(loop_report, facts));
            match comes_first {
                true => hints.splice(0..0, schedule),
                false => hints.splice(1..1, schedule),
            };
        }
        None => {
            hints.extend(first_run(loop_report, facts));
            hints.extend(schedule::hint(loop_report, facts));
            // What a region takes to begin is the time that its threads come late.
            hints.extend(late(loop_report, facts).filter(|_| starting.is_none()));
        }
    }
    hints.extend(small_chunks(loop_report));
    // Who has lost a core wakes up late.
    hints.extend(starting.filter(|_| !disturbed));
    hints
}

fn crowded(crowd: &Crowd) -> Note {
    let (code, text) = match crowd {
        Crowd::Team { threads, processors } => (
            "crowded",
            format!(
                "{threads} threads on {processors} processors: threads wait for a core within chunks, so the times of chunks say \
                 nothing about their iterations; first set OMP_NUM_THREADS={processors}"
            ),
        ),
        Crowd::Ranks { host, processes, threads, processors } => (
            "shared-cores",
            format!(
                "{processes} processes on {host} have {threads} threads at the same time, and each process may use \
                 {processors} processors: if these are the same processors, threads wait for a core within chunks, and the times of \
                 chunks say nothing about their iterations; first bind each rank to its own cores"
            ),
        ),
    };
    Note { code, text }
}

/// Most of what threads are behind the busiest is not the time that was taken from them.
fn is_uneven_without(loop_report: &LoopReport, facts: &Facts) -> bool {
    let without = loop_report.metrics.imbalance_seconds;
    without >= WORTHWHILE * loop_report.metrics.seconds && without >= facts.behind / facts.processes / 2.0
}

/// Threads were off their cores, and by how much the clock on the wall would mislead.
fn off_core(loop_report: &LoopReport, facts: &Facts) -> Note {
    let preempted = loop_report.off_core.map_or(0.0, |off_core| off_core.preempted_seconds);
    let why = match preempted >= EVEN_OFF * facts.taken {
        true => "preempted by other work on the machine",
        false => "preempted, or waiting while they were also preempted",
    };
    // Where their clock could not be read to the end, nobody knows what came after.
    let were = match loop_report.off_core {
        Some(_) => "were not on a core for",
        None => "lost their core for at least",
    };
    let mut text =
        format!("threads {were} {} of their {} in the loop: {why}", time(facts.taken), time(facts.thread_time));
    let (with, without) = (facts.behind / facts.processes, loop_report.metrics.imbalance_seconds);
    if with >= WORTHWHILE * loop_report.metrics.seconds {
        text += &format!(
            "; with that time the average thread is {} behind the busiest, without it {}: {}",
            time(with),
            match without < with / 1000.0 {
                true => "not at all".to_owned(),
                false => time(without),
            },
            dealt_on_demand(loop_report)
        );
    }
    Note { code: "off-core", text }
}

/// What a schedule can do about threads that lose their cores.
fn dealt_on_demand(loop_report: &LoopReport) -> String {
    let schedule = loop_report.identity.schedule.as_deref();
    match schedule.is_some_and(|schedule| schedule.contains("static")) {
        true => loop_report.promise.cure(
            loop_report.identity.line,
            "under schedule(dynamic), chunks go to threads that have a core, which recovers some of that time; how much depends on \
             the other work, and without it there is no gain",
        ),
        false => "chunks go to threads that have a core, and the rest depends on the other work".to_owned(),
    }
}

/// What only the first run does.
fn first_run(loop_report: &LoopReport, facts: &Facts) -> Option<Note> {
    let (first, others) = facts.first?;
    let extra = first - others;
    if first < FAR * others || extra < WORTHWHILE * facts.elapsed {
        return None;
    }
    let why = touched_first(loop_report, extra).unwrap_or_else(|| {
        "the cause is work that is done once (memory that is touched for the first time, caches, code that is loaded), or something \
         that disturbed that run"
            .to_owned()
    });
    note(
        "first-run",
        format!(
            "the first run takes {}, the others {} on average: {why}, rather than the schedule",
            time(first),
            time(others)
        ),
    )
}

/// The first run takes so much longer, and has so many page faults more that these take it: `None`: not known, or not so.
fn touched_first(loop_report: &LoopReport, extra: f64) -> Option<String> {
    let faults = loop_report.page_faults.as_ref()?;
    let (first, others) = faults.first_and_others()?;
    let threads = loop_report.threads.len().max(1) as f64;
    let each = plausible(extra * threads / (first as f64 - others))?;
    Some(format!(
        "{first} page faults were in it, {others:.0} in each of the others: memory that is touched for the first time ({} for each \
         fault, if they took all of the difference)",
        time(each)
    ))
}

fn late(loop_report: &LoopReport, facts: &Facts) -> Option<Note> {
    // Time off a core in chunks is not between them.
    let efficiency = ratio(facts.longest, facts.time).filter(|ratio| *ratio < ACCEPTABLE)?;
    let share = match efficiency {
        ..0.01 => "less than 1 %".to_owned(),
        _ => format!("only {:.0} %", efficiency * 100.0),
    };
    let lost = facts.time * (1.0 - efficiency);
    let runs = loop_report.executions.max(1) as f64;
    if facts.late >= lost / 2.0 {
        return note(
            "late-threads",
            format!(
                "even the busiest thread works {share} of the time: the last thread begins {} after the first, and a run takes \
                 {}: threads come late to the loop, or it is too short for its team",
                time(facts.late / runs),
                time(facts.time / runs)
            ),
        );
    }
    note(
        "between-chunks",
        format!(
            "even the busiest thread works {share} of the time, and the last thread begins only {} after the first, while a \
             run takes {}: the rest passes between chunks or before the first one, where chunks are dealt or threads wait within the loop",
            time(facts.late / runs),
            time(facts.time / runs)
        ),
    )
}

fn small_chunks(loop_report: &LoopReport) -> Option<Note> {
    let share = loop_report.bookkeeping_share.filter(|share| *share > MUCH)?;
    let mean = loop_report.chunk_seconds.as_ref().map_or(0.0, |chunk_seconds| chunk_seconds.mean);
    note(
        "small-chunks",
        format!(
            "{:.0} % of the work is bookkeeping between chunks, which take {} on average: {}",
            share * 100.0,
            time(mean),
            loop_report.promise.cure(loop_report.identity.line, "a larger chunk saves it")
        ),
    )
}

/// Regions that take longer to begin than what they are for.
fn starting(facts: &Facts) -> Option<Note> {
    let (regions, start, longest) = facts.starts;
    let work = facts.busiest;
    if regions == 0 || start < FAR * work || work <= 0.0 {
        return None;
    }
    let one_alone = start - longest < FAR * work;
    if one_alone && longest < FAR * work {
        return None;
    }
    let text = if one_alone {
        format!(
            "a region takes {} until its last thread begins, far longer than the busiest thread works in all runs of \
             the loop ({}): the first region of a program also creates its threads",
            time(longest),
            time(work)
        )
    } else {
        format!(
            "{regions} regions take {} each until the last thread begins, far longer than the busiest thread works in \
             one ({}): one region around several loops, or fewer threads (an if clause), saves that",
            time(start / regions as f64),
            time(work / regions as f64)
        )
    };
    note("tiny-regions", text)
}
