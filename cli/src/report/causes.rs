//! What a run loses beside what its loops lose, by the account of its threads' time, so only where that is closed.
//! Each loss is thread time over the number of threads: the elapsed time that the run would save if it were gone.

use ompchunk_analysis::Report;
use ompchunk_analysis::hot::{KERNEL, LIBRARY_LOCK};
use ompchunk_analysis::model::{Account, LoopReport, OtherThreads, RegionReport, TaskHint};
use serde::Serialize;

use super::command;
use super::serial::{functions, spinning};
use super::units::{counted, percent, time};
use crate::signature::short;

/// A smaller share of the run is no cause to name.
pub const MATTERS: f64 = 0.02;
/// So little more is the same.
const WITHIN: f64 = 0.1;
/// So many times as much is nearly all.
const FAR: f64 = 10.0;

/// A loss that no schedule of a loop changes.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Cause {
    /// What kind, for programs: the account's entry with most of it, or `crowded`.
    pub code: &'static str,
    pub name: String,
    /// Elapsed time, and its share of the run; `None`: what it costs is not known.
    pub seconds: Option<f64>,
    pub share: Option<f64>,
    pub text: String,
}

/// The length of the run, from the start of the process.
pub fn length(report: &Report) -> f64 {
    report.run.seconds + report.run.before_seconds.unwrap_or(0.0)
}

pub fn causes(report: &Report) -> Vec<Cause> {
    let Some(account) = report.run.account.as_ref() else { return Vec::new() };
    let length = length(report);
    let share = |seconds: f64| (length > 0.0).then(|| seconds / length);
    // Then they wait for tasks in barriers, too, and that has a name.
    let is_tasks = named(report).is_some();
    let found = [
        serial(report, account),
        constructs(report, account, "wait-after-single", "single", "single constructs").filter(|_| !is_tasks),
        constructs(report, account, "wait-after-sections", "sections", "sections"),
        in_regions(report, account).filter(|_| !is_tasks),
        after_loops(report, account),
        off_core(report, account),
        tasks(report, account),
        locks(report, account),
        without_region(report, account),
        page_faults(report, account),
        kernel(report, account),
    ];
    let mut causes: Vec<Cause> = found.into_iter().flatten().collect();
    for cause in &mut causes {
        cause.share = cause.seconds.and_then(share);
    }
    let seconds = |cause: &Cause| cause.seconds.unwrap_or(0.0);
    causes.sort_by(|one, another| seconds(another).total_cmp(&seconds(one)));
    let is_large = |cause: &Cause| cause.share.is_some_and(|share| share >= MATTERS);
    let (mut causes, small): (Vec<Cause>, Vec<Cause>) = causes.into_iter().partition(is_large);
    causes.extend(together(small, share));
    causes
}

/// Less of the run is not worth a word.
const NOISE: f64 = 0.001;

/// Small causes, where all of them together matter. Time in the kernel is lost by nobody.
fn together(mut small: Vec<Cause>, share: impl Fn(f64) -> Option<f64>) -> Option<Cause> {
    small.retain(|cause| !["page-faults", KERNEL, LIBRARY_LOCK].contains(&cause.code) && cause.share >= Some(NOISE));
    let seconds = small.iter().filter_map(|cause| cause.seconds).sum();
    let share = share(seconds).filter(|share| *share >= MATTERS)?;
    let each: Vec<String> = small.iter().map(|cause| format!("{} ({})", cause.name, percent(cause.share))).collect();
    let name = format!("others, each less than {:.0} %", MATTERS * 100.0);
    Some(Cause { code: "small", name, seconds: Some(seconds), share: Some(share), text: each.join(", ") })
}

fn cause(code: &'static str, name: &str, seconds: f64, text: String) -> Option<Cause> {
    Some(Cause { code, name: name.to_owned(), seconds: Some(seconds), share: None, text })
}

/// What the run would save at most if all threads shared its serial part.
fn serial(report: &Report, account: &Account) -> Option<Cause> {
    let threads = account.threads as f64 / report.run.processes.max(1) as f64;
    let before = report.run.before_seconds.unwrap_or(0.0);
    let serial = report.run.serial_seconds? + before;
    let lost = serial * (threads - 1.0) / threads;
    let length = length(report);
    // No stack is sampled there.
    let is_first = 2.0 * before >= serial && report.run.serial_functions.is_none();
    let first = is_first.then(|| "it is what main and its libraries do first".to_owned());
    let of_that =
        (before >= MATTERS * length).then(|| format!(", {} of it before the OpenMP runtime began", time(before)));
    let [outside, all] = [serial, length].map(time);
    let (share, of_that) = (percent(serial / length), of_that.unwrap_or_default());
    let spinning = spinning(report, account).unwrap_or_default();
    let functions = first.unwrap_or_else(|| functions(report, length));
    let text = format!(
        "{outside} of {all} ({share}) are outside of parallel regions{of_that}: OpenMP's other threads have nothing to do there; \
         {spinning}{functions}"
    );
    cause("serial", "serial code", lost, text)
}

/// A construct that one thread runs while others wait for it, or run the tasks that it creates. Time off a core within it is its doing.
fn constructs(report: &Report, account: &Account, wait: &'static str, work: &'static str, name: &str) -> Option<Cause> {
    let (waits, within) = (account.seconds(&[wait]), account.seconds(&[work]));
    let off_core = account.off_core_seconds(&[work]);
    let tasks = account.seconds(&["tasks"]);
    let off = format!(" on a core, and {} off one (files, sleep, or other programs had it)", time(off_core));
    let off = if off_core >= within { &off } else { "" };
    let why = match uneven_sections(report, waits - off_core).filter(|_| work == "sections") {
        _ if tasks > within + off_core => {
            let tasks = time(tasks);
            format!(
                "and run tasks for {tasks} elsewhere or meanwhile: there are too few of them, or one thread creates them all"
            )
        }
        Some(uneven) => uneven,
        None => "few threads run them, and the others wait".to_owned(),
    };
    let [all, took] = [waits, within].map(time);
    let text = format!("threads wait {all} in all at the barriers after {name}, which take {took}{off}; {why}");
    cause(wait, name, (waits + off_core) / account.threads.max(1) as f64, text)
}

/// Each thread has one, and one of them takes longer: most of what is waited after them.
fn uneven_sections(report: &Report, waits: f64) -> Option<String> {
    let all = report.loops.iter().filter(|the_loop| the_loop.identity.is_sections());
    let most =
        all.max_by(|one, another| one.metrics.imbalance_seconds.total_cmp(&another.metrics.imbalance_seconds))?;
    let team = f64::from(most.team_size?[1]);
    let chunks = most.chunk_seconds.as_ref()?;
    let is_cause =
        2.0 * most.metrics.imbalance_seconds * team >= waits && most.chunks as f64 >= team * most.executions as f64;
    is_cause.then(|| {
        let [shortest, longest] = [chunks.min, chunks.max].map(time);
        let name = &most.name;
        let times = 1.0 / most.metrics.load_balance.unwrap_or(1.0);
        format!(
            "in {name} the busiest thread works {times:.2} times as long as the average: sections take {shortest} to {longest}, so divide \
             the longest ones"
        )
    })
}

/// A barrier that all threads reach at once takes microseconds.
const BARRIER: f64 = 100e-6;

/// Named after the region with most of it. Where its own code takes less than these waits, and each is short, that cannot be their cause.
fn in_regions(report: &Report, account: &Account) -> Option<Cause> {
    const WAIT: [&str; 1] = ["wait-in-region"];
    let waits = account.seconds(&WAIT);
    let waited = |region: &RegionReport| region.entry_seconds(&WAIT);
    let region = report.regions.iter().max_by(|one, another| waited(one).total_cmp(&waited(another)))?;
    let site = &region.site;
    let place = site.function.as_ref().map(|function| format!("{} ({})", short(function), site.name));
    let name = format!("waiting at barriers in {}", place.as_ref().unwrap_or(&site.name));
    // What storing events takes lies there, too.
    let stored: f64 = report.parts.iter().filter_map(|part| part.storing_seconds).sum();
    let own = (account.seconds(&["region", "reduction", "worksharing"]) - stored).max(0.0);
    let each = waits / account.waits_in_region.max(1) as f64;
    // What storing takes is an estimate, and may be all of it.
    let little = if own > 0.0 { format!("only {}", time(own)) } else { "no more than recording".to_owned() };
    // While one thread is in it, or off its core, all others may wait.
    let others = f64::from(region.team_size[1].max(2) - 1);
    let uneven = (region.busiest_seconds - region.mean_seconds) * f64::from(region.team_size[1].max(1));
    let has_more = region.entry_seconds(&["loops", "sections", "single", "tasks", "nested"]) > 0.0;
    let gcc = " (GCC's static loops are part of it: the clause schedule(dynamic) or a smaller chunk shares uneven iterations)";
    let gcc = if report.notes.iter().any(|note| note.code == "gcc") { gcc } else { "" };
    let stalled = stalled(report, account);
    let each_wait = format!("{} for each of {}", time(each), counted(account.waits_in_region, "wait"));
    let may_be_code = own * others >= waits;
    let why = match each > BARRIER || may_be_code {
        true if stalled > 0.0 => format!(
            "code outside loops takes {} on a core, and {} off one (files, sleep, or other programs had it) while others wait for it",
            time(own),
            time(stalled)
        ),
        true if !has_more && 2.0 * uneven >= waited(region) => format!(
            "in {} the busiest thread works {:.2} times as long as the average, which is {} of it{gcc}",
            site.name,
            region.busiest_seconds / region.mean_seconds,
            time(uneven.min(waited(region)))
        ),
        true if may_be_code => "code outside loops takes some threads longer than others, or they come late".to_owned(),
        true => format!(
            "code outside loops takes {little} in all, so threads come late to these barriers, or leave the one before late ({each_wait}): \
             they wake up late, or other programs have their cores"
        ),
        false => format!(
            "code outside loops takes {little} in all, so it is the barriers themselves, or threads that come late ({each_wait}); \
             fewer regions and barriers save that"
        ),
    };
    let text = format!("threads wait {} in all at barriers that do not directly follow a loop: {why}", time(waits));
    cause("wait-in-region", &name, (waits + stalled) / account.threads.max(1) as f64, text)
}

/// Time off a core in regions' own code, where that is most of it and others wait for it; else it is a loss of its own.
fn stalled(report: &Report, account: &Account) -> f64 {
    let off_core = account.off_core_seconds(&["region"]);
    let waits = account.seconds(&["wait-in-region"]);
    let is_most = 2.0 * off_core * account.threads.saturating_sub(1) as f64 >= waits;
    let is_it = off_core >= account.seconds(&["region"]) && waits >= off_core && is_most && named(report).is_none();
    if is_it { off_core } else { 0.0 }
}

/// Loops whose threads work in them; sections have a cause of their own.
fn loops(report: &Report) -> impl Iterator<Item = &LoopReport> {
    report.loops.iter().filter(|the_loop| !the_loop.identity.is_sections())
}

/// Time at barriers after loops that is none of a loop's chunks' doing.
fn after_loops(report: &Report, account: &Account) -> Option<Cause> {
    // Each loop's own wait is in what it loses.
    let in_loops = loops(report).map(|the_loop| Some(the_loop.barrier_seconds? - the_loop.release_seconds?));
    let rest = account.seconds(&["wait-after-loop"]) - in_loops.sum::<Option<f64>>()?;
    // Who leaves a barrier late comes late to the next loop, and that is in what this one loses.
    let late = late_to_loops(report) - beside_regions(report, account)? - account.seconds(&["region"]);
    let rest = (rest - late.max(0.0)).max(0.0);
    let executions: u64 = loops(report).map(|the_loop| the_loop.executions).sum();
    let team = loops(report).filter_map(|the_loop| the_loop.team_size).map(|[_, most]| most).max()?;
    let each = rest / executions.max(1) as f64 / f64::from(team.max(1));
    let sleep = "they wake up late: other programs or too many threads have their cores (rerun on an idle machine)";
    let itself = "that is what a barrier takes until it lets threads go on, or they wake up late; fewer barriers (nowait, one region around \
                  several loops) save it";
    let why = if each > BARRIER { sleep } else { itself };
    let (all, each) = (time(rest), time(each));
    let text = format!(
        "threads wait {all} in all after the last of them has arrived, {each} for each thread and execution: {why}"
    );
    cause("wait-after-loop", "barriers after loops, by no loop's fault", rest / account.threads.max(1) as f64, text)
}

/// Time off a core that no loop loses: outside of loops, or given up within; `None`: not known of some loop.
fn off_core(report: &Report, account: &Account) -> Option<Cause> {
    // The time of single constructs and sections is in what is said of them, unless tasks are the cause.
    let given_up = |the_loop: &LoopReport| Some((the_loop.off_core?.waiting_seconds, the_loop.name.clone()));
    let each = loops(report).map(given_up).collect::<Option<Vec<_>>>()?;
    let in_loops = account.off_core_seconds(&["loops"]).min(each.iter().map(|(seconds, _)| seconds).sum());
    let said = ["loops", "sections", "single"];
    let said = if named(report).is_some() { &said[..2] } else { &said[..] };
    let outside = account.seconds(&["off-core"]) - account.off_core_seconds(said) - stalled(report, account);
    let rest = outside + in_loops;
    let most = each.into_iter().max_by(|(one, _), (another, _)| one.total_cmp(another));
    let (name, place) = match most.filter(|_| in_loops > outside) {
        Some((_, name)) => ("threads off a core", format!("while they wait in loops, mostly {name}, or are in none")),
        None => ("threads off a core outside of loops", "while they are in no loop".to_owned()),
    };
    let why = "other programs have it, or they wait for something else than OpenMP (files, sleep)";
    let text = format!("threads are not on a core for {} in all {place}: {why}", time(rest));
    cause("off-core", name, rest / account.threads.max(1) as f64, text)
}

/// What loops lose because threads come late: these are in no region yet, or at its begin.
fn late_to_loops(report: &Report) -> f64 {
    let late = |the_loop: &LoopReport| Some(the_loop.loss?.late_seconds * the_loop.threads.len() as f64);
    loops(report).filter_map(late).sum()
}

fn named(report: &Report) -> Option<&TaskHint> {
    report.tasks.as_ref()?.hint.as_ref()
}

fn tasks(report: &Report, account: &Account) -> Option<Cause> {
    const WAITS: [&str; 4] = ["taskwait", "wait-in-tasks", "wait-after-single", "wait-in-region"];
    if let Some(hint) = named(report) {
        let waits = account.elapsed(&WAITS);
        // What it takes to create tasks is in those that create them.
        let more = hint.lost_seconds - waits;
        let is_waits = 4.0 * waits >= hint.lost_seconds;
        let mut text = hint.text.clone();
        if is_waits && more >= WITHIN * waits {
            text += &format!(", {} of it work that may be their creation", time(more));
        }
        return cause(hint.code, "explicit tasks", if is_waits { waits } else { hint.lost_seconds }, text);
    }
    let [work, waits] = [&["tasks"][..], &WAITS[..2]].map(|codes| time(account.seconds(codes)));
    let text = format!(
        "threads run tasks for {work} in all, and wait {waits} more in taskwait and the like: there are too few tasks to run meanwhile, or \
         creating and finding them takes that long"
    );
    cause("wait-in-tasks", "explicit tasks", account.elapsed(&WAITS[..2]), text)
}

/// Locks outside of loops; those of loops are said of the loops.
fn locks(report: &Report, account: &Account) -> Option<Cause> {
    const KINDS: [&str; 4] = ["lock", "critical", "atomic", "ordered"];
    let in_loops: f64 = report.loops.iter().filter_map(|the_loop| the_loop.mutex_seconds).sum();
    let rest = (account.seconds(&KINDS) - in_loops).max(0.0);
    let first = report.run.locks.first()?;
    let (waits, kind, place) = (time(rest), first.kind, &first.place);
    let text = format!(
        "threads wait {waits} in all for locks and the like, mostly for the {kind} at {place}: one thread at a time runs what it protects"
    );
    cause("lock", "locks outside of loops", rest / account.threads.max(1) as f64, text)
}

/// Threads have nothing to do so long while others are in a region.
fn beside_regions(report: &Report, account: &Account) -> Option<f64> {
    let before = report.run.before_seconds.unwrap_or(0.0);
    let serial = report.run.serial_seconds? + before;
    // Nobody else is in a region beside a process's only thread.
    let others = account.threads.saturating_sub(report.run.processes.max(1) as u64);
    Some((account.seconds(&["idle"]) - serial * others as f64).max(0.0))
}

fn without_region(report: &Report, account: &Account) -> Option<Cause> {
    let threads = account.threads as f64;
    if threads <= report.run.processes.max(1) as f64 {
        return None;
    }
    // What a loop loses, those outside of its team lose with it.
    let outside =
        |the_loop: &LoopReport| Some(the_loop.lost_seconds? * (threads - f64::from(the_loop.team_size?[1])).max(0.0));
    let outermost = loops(report).filter(|the_loop| the_loop.nested_executions == 0);
    let with_loops: f64 = outermost.filter_map(outside).sum();
    let idle = (beside_regions(report, account)? - late_to_loops(report) - with_loops).max(0.0);
    let is_smaller = report.regions.iter().any(|region| u64::from(region.team_size[0]) < account.threads);
    let smaller = is_smaller.then(|| format!("teams are smaller than {} threads, or ", account.threads));
    let (all, smaller) = (time(idle), smaller.unwrap_or_default());
    let text = format!(
        "threads have nothing to do for {all} in all while others are in a parallel region: {smaller}threads come late to it"
    );
    cause("idle", "threads without a region", idle / threads.max(1.0), text)
}

/// Only where page faults alone explain the time that threads of loops are in the system's kernel.
fn page_faults(report: &Report, account: &Account) -> Option<Cause> {
    let faulting = report.loops.iter().filter_map(|the_loop| {
        let faults = the_loop.page_faults.as_ref()?;
        Some((the_loop, faults, faults.each()?))
    });
    let all: f64 = faulting.clone().map(|(_, faults, _)| faults.kernel_seconds).sum();
    let (the_loop, faults, each) =
        faulting.max_by(|one, another| one.1.kernel_seconds.total_cmp(&another.1.kernel_seconds))?;
    let once = faults.first_and_others().filter(|(first, others)| *first as f64 > FAR * others);
    let once = once.map(|_| format!(", nearly all of them in the first of {} executions", faults.executions));
    let text = format!(
        "threads spend {} in the kernel for them, {} of it in {}, with {}{} ({} each): memory that is touched for the first time since it \
         was allocated. Reused memory has none, huge pages have fewer, and no schedule saves any",
        time(all),
        time(faults.kernel_seconds),
        the_loop.name,
        counted(faults.all(), "page fault"),
        once.unwrap_or_default(),
        time(each)
    );
    cause("page-faults", "page faults in loops", all / account.threads.max(1) as f64, text)
}

/// Time in the system's kernel that page faults do not explain.
fn kernel(report: &Report, account: &Account) -> Option<Cause> {
    let much = loops(report).filter_map(|the_loop| {
        let hint = the_loop.hints.iter().find(|hint| [KERNEL, LIBRARY_LOCK].contains(&hint.code))?;
        Some((the_loop, hint, the_loop.other_kernel_seconds()?))
    });
    let (the_loop, hint, seconds) = much.max_by(|one, another| one.2.total_cmp(&another.2))?;
    let is_lock = hint.code == LIBRARY_LOCK;
    let name = if is_lock { "a lock inside a library's function" } else { "loops in the system's kernel" };
    cause(hint.code, name, seconds / account.threads.max(1) as f64, format!("{}: {}", the_loop.name, hint.text))
}

pub fn unseen(report: &Report) -> Option<String> {
    let several = report.run.account.as_ref().is_some_and(|account| account.threads > 1);
    let program = command::line(&report.parts.first()?.command);
    (several && report.run.processes == 1 && !report.loops.is_empty()).then(|| {
        format!(
            "one recording cannot tell whether iterations take longer with more threads (memory bandwidth, shared cache lines): \
             ompchunk scale {program}"
        )
    })
}

/// More threads than processors run, which is to be said before anything else: then what loops take says little of them.
pub fn crowded(report: &Report) -> Option<Cause> {
    let text = teams(report).or_else(|| pools(report))?;
    let name = "more threads than processors".to_owned();
    Some(Cause { code: "crowded", name, seconds: None, share: None, text })
}

fn teams(report: &Report) -> Option<String> {
    let (together, processors) = report.run.crowd?;
    Some(format!(
        "{together:.1} threads are in parallel regions at the same time, on {processors} processors: they wait for a core \
         wherever they are, so the times of loops say little about their iterations; first run fewer threads: \
         OMP_THREAD_LIMIT={processors} holds whatever the program itself asks for"
    ))
}

/// Other threads of the process, as a BLAS has, where these take most of what OpenMP's threads lack.
fn pools(report: &Report) -> Option<String> {
    let (others, account) = (report.run.other_threads?, report.run.account.as_ref()?);
    let (processors, length) = (others.processors?, length(report));
    let outside = report.run.serial_seconds? + report.run.before_seconds.unwrap_or(0.0);
    let lack = account.seconds(&["off-core"]);
    let inside = takers(&others, length, outside, lack)?;
    (lack >= MATTERS * length * account.threads as f64).then(|| {
        let (threads, processors) = (others.threads, counted(processors.into(), "processor"));
        let [inside, lack] = [inside, lack].map(time);
        format!(
            "beside OpenMP's threads run others of the process ({threads}), on {processors}: these have a core for at least {inside} within \
             parallel regions, and OpenMP's lack one for {lack}; first run fewer: OPENBLAS_NUM_THREADS=1 or MKL_NUM_THREADS=1 if they are that \
             library's, OMP_NUM_THREADS if they are another OpenMP runtime's"
        )
    })
}

/// The least time for which other threads have cores within regions. `None` where it is less than half of what OpenMP's `lack`, as
/// others explain that then; or more than as many threads can have, as then there were more, maybe outside of regions.
fn takers(others: &OtherThreads, length: f64, outside: f64, lack: f64) -> Option<f64> {
    let threads = others.threads as f64;
    let inside = others.cpu_seconds - outside * threads;
    (others.cpu_seconds <= length * threads && 2.0 * inside >= lack).then_some(inside)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn other_threads_that_take_cores() {
        let of = |cpu_seconds, outside, lack| {
            let others = OtherThreads { threads: 2, cpu_seconds, ..OtherThreads::default() };
            takers(&others, 10.0, outside, lack)
        };
        assert_eq!(of(8.0, 1.0, 12.0), Some(6.0));
        // Other programs took some, it may all have been outside of regions, and there were more threads.
        assert_eq!((of(8.0, 1.0, 12.1), of(8.0, 5.0, 0.1), of(20.1, 1.0, 6.0)), (None, None, None));
    }
}
