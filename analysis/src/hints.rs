//! What the numbers of a loop suggest: few hints, each with the numbers that it follows from. Where they allow two causes a hint names
//! both, or there is none: a slow core looks like long work, and so does a thread that lost its core where that was not recorded.
//! Where it was, no hint rests on that time.

pub(crate) mod facts;
mod schedule;

use facts::{ACCEPTABLE, WORTHWHILE, new_note};

use ompchunk_figures::{count, counted, percent};

use crate::aggregates::plausible;
use crate::hot::{self, Hot};
use crate::metrics::ratio;
use crate::model::{Hint, LoopReport, Note};
use crate::process::by_thread;
use crate::run_model::LossParts;

pub(crate) use facts::{Crowd, Facts, time};

/// Bookkeeping that is worth a larger chunk.
const MUCH: f64 = 0.05;
/// So much of it is nearly all.
const EVEN_OFF: f64 = 0.9;
/// All cores but one are busy all the time, by what clocks are off.
const FULL: f64 = 1.05;
/// Less of a loop's time in the kernel is usual.
const MUCH_IN_KERNEL: f64 = 0.1;
/// So many times as long is far longer.
const FAR: f64 = 2.0;

pub(crate) fn suggest(loop_report: &LoopReport, facts: &Facts) -> Vec<Hint> {
    if loop_report.identity.is_sections() {
        // What a schedule would do is nothing to them; where threads wait for each other, the run's causes say so.
        let crowd = facts.crowd.as_ref();
        return crowd.map(|crowd| crowded(loop_report, crowd, facts).into()).into_iter().collect();
    }
    if loop_report.team_size == Some([1, 1]) && loop_report.nested_executions > 1 {
        return vec![alone(loop_report).into()];
    }
    let parts = loop_report.loss;
    let explains = |part: fn(&LossParts) -> f64| parts.as_ref().map(part);
    let outside = explains(|parts| parts.outside_chunks_seconds);
    let imbalance = explains(|parts| parts.imbalance_seconds);
    let mut hints: Vec<Hint> = Vec::new();
    let mut add = |note: Option<Note>, explains_seconds: Option<f64>| {
        hints.extend(note.map(|note| Hint { explains_seconds, ..note.into() }));
    };
    let loses = |share: Option<f64>| share.is_some_and(|share| share < ACCEPTABLE);
    let inefficient = loses(loop_report.metrics.parallel_efficiency) || loses(loop_report.total_load_balance);
    let starting = starting(loop_report, facts);
    match facts.crowd.as_ref().filter(|_| inefficient) {
        // What a chunk takes then says nothing of its iterations.
        Some(crowd) => add(Some(crowded(loop_report, crowd, facts)), loop_report.lost_seconds),
        None => {
            let disturbed = facts.is_disturbed();
            add(Some(off_core(loop_report, facts)).filter(|_| disturbed), explains(|parts| parts.off_core_seconds));
            let first_run = first_run(loop_report, facts).filter(|_| !disturbed);
            // One run of many cannot lose more than it takes.
            let extra = facts.first.filter(|_| first_run.is_some()).map_or(0.0, |(first, others)| first - others);
            let schedule_explains = imbalance.map(|seconds| (seconds - extra).max(0.0));
            add(first_run, imbalance.map(|seconds| seconds.min(extra)));
            // What others have run for who comes late is no imbalance.
            let least = if disturbed { 0.0 } else { WORTHWHILE * loop_report.metrics.seconds };
            let is_left = imbalance.is_none_or(|seconds| seconds >= least);
            add(schedule::hint(loop_report, facts).filter(|_| is_left), schedule_explains);
            // What a region takes to begin is the time that its threads come late.
            add(late(loop_report, facts).filter(|_| starting.is_none()), outside);
        }
    }
    add(small_chunks(loop_report), explains(|parts| parts.locks_and_bookkeeping_seconds));
    add(starting, outside);
    // Time in the kernel is within chunks, and so no loss.
    add(kernel(loop_report, None), None);
    sort(&mut hints);
    hints
}

/// Fewer samples name no function.
const ENOUGH: u64 = 20;
/// So much of the samples names one.
const NAMES: f64 = 0.2;

/// Time in the system's kernel that page faults do not explain, and what sampled stacks say of it.
pub(crate) fn kernel(loop_report: &LoopReport, hot: Option<&Hot>) -> Option<Note> {
    let seconds = loop_report.other_kernel_seconds()?;
    let faults = loop_report.page_faults.as_ref()?;
    let called = hot
        .filter(|hot| hot.samples >= ENOUGH)
        .and_then(|hot| Some((hot.samples, hot.called.as_ref().filter(|called| called.share >= NAMES)?)));
    let (all, busy) = (time(seconds), time(loop_report.busy_seconds));
    let faults = match faults.all() {
        0 => "without a page fault".to_owned(),
        some => format!("which {} do not explain", counted(some, "page fault")),
    };
    let said = format!("threads spend {all} of their {busy} in the system's kernel, {faults}");
    let Some((samples, called)) = called else {
        let shows = match hot {
            Some(hot) if hot.samples < ENOUGH => {
                "the stacks sampled there are too few to name a function: record longer"
            }
            Some(_) => "no function has a fifth of the stacks sampled there",
            None => "ompchunk record --sample-stacks shows the functions",
        };
        return new_note(
            hot::KERNEL,
            format!("{said}: system calls, or a lock inside a library's function (rand, malloc); {shows}"),
        );
    };
    let (name, share) = (&called.function, percent(called.share));
    let said = format!("{said}; of {samples} stacks sampled there {share} are in {name}");
    match called.lock.as_ref().filter(|_| called.lock_share >= NAMES) {
        Some(lock) => {
            let inside = if lock == name {
                String::new()
            } else {
                format!(", {} at a lock inside it ({lock})", percent(called.lock_share))
            };
            new_note(
                hot::LIBRARY_LOCK,
                format!(
                    "{said}{inside}: threads wait for each other there, and no schedule changes that. Call it less often, or let each \
                     thread have its own (a buffer for output, rand_r in place of rand)"
                ),
            )
        }
        None => new_note(hot::KERNEL, format!("{said}: system calls or a lock inside it")),
    }
}

impl LoopReport {
    /// Time in the kernel that neither faults nor the recorder explain, where it is much of what threads do in the loop.
    pub fn other_kernel_seconds(&self) -> Option<f64> {
        let faults = self.page_faults.as_ref().filter(|faults| faults.each().is_none())?;
        let seconds = faults.kernel_seconds - self.recorder_seconds.unwrap_or(0.0);
        (seconds >= MUCH_IN_KERNEL * self.busy_seconds && seconds > 0.0).then_some(seconds)
    }

    pub fn with_hot(&mut self, hot: &Hot) {
        let kernel = kernel(self, Some(hot));
        let hint = self.hints.iter_mut().find(|hint| hint.code == hot::KERNEL);
        if let (Some(hint), Some(note)) = (hint, kernel) {
            (hint.code, hint.text) = (note.code, note.text);
        }
    }
}

pub(crate) fn sort(hints: &mut [Hint]) {
    let explained = |hint: &Hint| hint.explains_seconds.unwrap_or(0.0);
    hints.sort_by(|one, another| explained(another).total_cmp(&explained(one)));
}

/// A region in another one, of a team that is no team.
fn alone(loop_report: &LoopReport) -> Note {
    let runs = loop_report.executions.max(1);
    let each = |lost: f64| format!(", which takes {} each time, recording included", time(lost / runs as f64));
    let each = loop_report.lost_seconds.map(each).unwrap_or_default();
    Note {
        code: "one-thread",
        text: format!(
            "one thread runs it alone, in each of {} runs within another loop's chunks: what it loses is beginning and ending it{each}, and \
             its region more. Take the inner parallel away, or the outer one and then let this one have a team",
            count(runs)
        ),
    }
}

fn crowded(loop_report: &LoopReport, crowd: &Crowd, facts: &Facts) -> Note {
    let (code, text) = match crowd {
        Crowd::Team { threads, processors } => (
            "crowded",
            format!(
                "{threads} threads on {processors} processors{}: {}; first run fewer: OMP_THREAD_LIMIT={processors} holds whatever the program itself asks for",
                match loop_report.trip_count {
                    Some([_, most]) if most < (*threads).into() =>
                        format!(", and at most {} for them", counted(most, "iteration")),
                    _ => String::new(),
                },
                match facts.is_disturbed() {
                    true =>
                        "threads wait for a core within chunks, so the times of chunks say nothing about their iterations",
                    false => "threads wait for a core, before chunks rather than within them",
                }
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

/// Threads were off their cores, and by how much the clock on the wall would mislead.
fn off_core(loop_report: &LoopReport, facts: &Facts) -> Note {
    let preempted = loop_report.off_core.map_or(0.0, |off_core| off_core.preempted_seconds);
    let why = if preempted >= EVEN_OFF * facts.taken {
        "preempted by other work on the machine"
    } else {
        "preempted, or waiting while they were also preempted"
    };
    let threads = by_thread(&loop_report.threads, |thread| thread.busy_seconds).len() as f64 / facts.processes;
    let cores = (facts.thread_time - facts.taken) / facts.time;
    let each_other = match ratio(cores, threads - 1.0) {
        Some(ratio) if (2.0 - FULL..=FULL).contains(&ratio) => format!(
            ", or by each other ({threads:.0} threads together were on cores for {cores:.1} times the loop's time: OMP_PROC_BIND=true gives \
             each its own)"
        ),
        _ => String::new(),
    };
    // Where their clock could not be read to the end, nobody knows what came after.
    let were = if loop_report.off_core.is_some() { "were not on a core for" } else { "lost their core for at least" };
    let mut text = format!(
        "threads {were} {} of their {} in the loop: {why}{each_other}",
        time(facts.taken),
        time(facts.thread_time)
    );
    let (with, without) = (facts.behind / facts.processes, loop_report.metrics.imbalance_seconds);
    if with >= WORTHWHILE * loop_report.metrics.seconds {
        text += &format!(
            "; with that time the average thread is {} behind the busiest, without it {}",
            time(with),
            if without < with / 1000.0 { "not at all".to_owned() } else { time(without) }
        );
    }
    // A busy machine is no reason for another schedule.
    text += if kernel(loop_report, None).is_some() && preempted < EVEN_OFF * facts.taken {
        "; they may wait for the lock that their time in the kernel points to"
    } else {
        "; rerun on an idle machine before you change the schedule"
    };
    Note { code: "off-core", text }
}

/// What takes less may be a wake-up, or an event that is recorded, and not the program's code.
const CODE: f64 = 1e-6;

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
    new_note(
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
    let threads = loop_report.threads.len().max(1) as f64 / facts.processes;
    // Time off a core in chunks is not between them.
    let efficiency = ratio(facts.longest, facts.time)?;
    if efficiency >= ACCEPTABLE && facts.late_in_all < (1.0 - ACCEPTABLE) * threads * facts.time {
        return None;
    }
    let share = match efficiency {
        ..0.01 => "even the busiest thread works less than 1 % of the time, ".to_owned(),
        ACCEPTABLE.. => String::new(),
        _ => format!("even the busiest thread works only {:.0} % of the time, ", efficiency * 100.0),
    };
    let lost = facts.time * (1.0 - efficiency);
    let runs = loop_report.executions.max(1) as f64;
    if facts.late >= lost / 2.0 {
        let why = match facts.is_disturbed() {
            is_disturbed if facts.code_before >= (facts.late / 2.0).max(CODE * runs) => &format!(
                "code of the region before the loop keeps it {} longer{}; share that code out, or move it out of the region",
                time(facts.code_before / runs),
                if is_disturbed { ", of which other programs on the machine may take a part" } else { "" }
            ),
            // Who has lost a core wakes up late.
            true => "other programs on the machine may keep them, or the loop is too short for its team",
            false => "they come late to the loop, or it is too short for its team",
        };
        return new_note(
            "late-threads",
            format!(
                "late or missing threads: {share}the last thread begins {} after the \
                 first, and a run takes {}: {why}",
                time(facts.late / runs),
                time(facts.time / runs)
            ),
        );
    }
    new_note(
        "between-chunks",
        format!(
            "{share}and the last thread begins only {} after the first, while a \
             run takes {}: the rest passes between chunks or before the first one, where chunks are handed out or threads wait within the loop",
            time(facts.late / runs),
            time(facts.time / runs)
        ),
    )
}

fn small_chunks(loop_report: &LoopReport) -> Option<Note> {
    let share = loop_report.bookkeeping_share.filter(|share| *share > MUCH)?;
    let mean = loop_report.chunk_seconds.as_ref().map_or(0.0, |chunk_seconds| chunk_seconds.mean);
    new_note(
        "small-chunks",
        format!(
            "{:.0} % of the work is bookkeeping between chunks, which take {} on average: {}",
            share * 100.0,
            time(mean),
            loop_report.promise.cure(loop_report.identity.line, "a larger chunk saves it")
        ),
    )
}

/// Threads that wait for the next region begin it sooner.
const SLEEPS: f64 = 100e-6;

fn starting(loop_report: &LoopReport, facts: &Facts) -> Option<Note> {
    let (regions, start, longest) = facts.starts;
    let work = facts.busiest;
    // Where nothing comes before it in a region, nothing but the start makes threads late. Where chunks are handed out, others run those
    // of who comes late.
    let is_static = loop_report.identity.schedule.as_deref().is_some_and(|schedule| schedule.contains("static"));
    let is_first = regions == loop_report.executions && facts.late <= start && FAR * longest <= start;
    let is_late = || late(loop_report, facts).is_some_and(|note| note.code == "late-threads");
    let least = if is_static && is_first && is_late() { 0.0 } else { FAR * work };
    // Who has lost a core wakes up late.
    if regions == 0 || start < least || work <= 0.0 || facts.is_disturbed() {
        return None;
    }
    let one_alone = start - longest < least;
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
        let count = regions as f64;
        let cure = match start >= SLEEPS * count {
            true => "that long, threads sleep between regions (KMP_BLOCKTIME, OMP_WAIT_POLICY), or other programs have their cores: rerun on \
                     an idle machine before you change the source"
                .to_owned(),
            false => format!(
                "put several loops, or the one around it, into one parallel region, or add an if clause{}",
                pays_from(loop_report, start / count)
            ),
        };
        format!(
            "starting the team takes {} in each of {regions} regions, {} the busiest thread then works for {}: {cure}",
            time(start / count),
            if start >= FAR * work { "but" } else { "and" },
            time(work / count),
        )
    };
    new_note("tiny-regions", text)
}

/// From how many iterations on a team saves more than starting it takes, by what an iteration costs here.
fn pays_from(loop_report: &LoopReport, start: f64) -> String {
    let team = loop_report.team_size.map_or(1, |[_, most]| most);
    let each = loop_report.busy_seconds / loop_report.iterations as f64;
    let saved = each * (1.0 - 1.0 / f64::from(team));
    // What is taken out of tiny chunks can leave nothing of them.
    match saved > 0.0 && loop_report.iterations > 0 && loop_report.tells_all() {
        true => {
            // More than two digits would be chance.
            let least = (start / saved).ceil();
            let digit = 10_f64.powi((least.log10().floor() as i32 - 1).max(0));
            let least = count((least / digit).ceil() as u64 * digit as u64);
            format!(
                " (by these numbers the team pays from about {least} iterations on: parallel if(iterations > {}))",
                least.replace(',', "")
            )
        }
        false => String::new(),
    }
}

/// `None`: what the loop loses is not known.
pub(crate) fn loss_parts(loop_report: &LoopReport, facts: &Facts) -> Option<LossParts> {
    let lost = loop_report.lost_seconds.filter(|_| loop_report.lost.is_none())?;
    let processes = facts.processes;
    let threads = loop_report.threads.len().max(1) as f64 / processes;
    let waiting = (loop_report.mutex_seconds.unwrap_or(0.0) - facts.taken).max(0.0);
    let useless = (waiting + loop_report.bookkeeping_seconds.unwrap_or(0.0)) / processes / threads;
    // In this order, so that no part is more than what others leave.
    let mut left = lost;
    let mut take = |seconds: f64| {
        let taken = seconds.clamp(0.0, left.max(0.0));
        left -= taken;
        taken
    };
    let late_seconds = facts.late_in_all / processes / threads;
    let outside = take((facts.time - facts.longest) / processes);
    // Others may have run the chunks of who comes late: that looks like imbalance.
    let outside_chunks_seconds = outside + take(late_seconds - outside);
    Some(LossParts {
        outside_chunks_seconds,
        late_seconds: late_seconds.min(outside_chunks_seconds),
        locks_and_bookkeeping_seconds: take(useless),
        imbalance_seconds: take(loop_report.metrics.imbalance_seconds),
        off_core_seconds: take(facts.taken / processes),
    })
}
