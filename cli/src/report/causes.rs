//! What a run loses beside what its loops lose: serial code, constructs that one thread runs, waits that no loop causes. By the
//! account of its threads' time, so only where that is closed. Each loss is thread time over the number of threads, which is the
//! elapsed time that the run would save if it were gone.

use ompchunk_analysis::Report;
use ompchunk_analysis::hot::{KERNEL, LIBRARY_LOCK};
use ompchunk_analysis::model::{Account, LoopReport, TaskHint};
use serde::Serialize;

use super::command;
use super::serial::functions;
use super::units::{counted, percent, time};
use crate::signature::short;

/// A smaller share of the run is no cause to name.
const MATTERS: f64 = 0.02;
/// So many times as much is nearly all.
const FAR: f64 = 10.0;

/// A loss that no schedule of a loop changes.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Cause {
    /// What kind, for programs: the account's entry with most of it, or `crowded`.
    pub code: &'static str,
    /// In place of a loop's name.
    pub name: String,
    /// Elapsed time; `None`: what it costs is not known.
    pub seconds: Option<f64>,
    /// The same as a share of the run.
    pub share: Option<f64>,
    pub text: String,
}

/// The length of the run, from the start of the process.
pub fn length(report: &Report) -> f64 {
    report.run.seconds + report.run.before_seconds.unwrap_or(0.0)
}

/// More threads than processors run, which is to be said before anything else: then what loops take says little of them.
pub fn crowded(report: &Report) -> Option<Cause> {
    let (together, processors) = report.run.crowd?;
    Some(Cause {
        code: "crowded",
        name: "more threads than processors".to_owned(),
        seconds: None,
        share: None,
        text: format!(
            "{together:.1} threads are in parallel regions at the same time, on {processors} processors: they wait for a core \
             wherever they are, so the times of loops say little about their iterations; first run fewer threads: \
             OMP_THREAD_LIMIT={processors} holds whatever the program itself asks for"
        ),
    })
}

/// All that matter, the largest first.
pub fn causes(report: &Report) -> Vec<Cause> {
    let Some(account) = report.run.account.as_ref() else {
        return Vec::new();
    };
    let length = length(report);
    let share = |seconds: f64| (length > 0.0).then(|| seconds / length);
    // Then they wait for tasks in barriers, too, and that has a name.
    let is_tasks = named(report).is_some();
    let found = [
        serial(report, account),
        constructs(account, "wait-after-single", "single", "single constructs").filter(|_| !is_tasks),
        constructs(account, "wait-after-sections", "sections", "sections"),
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
    causes.retain(|cause| cause.share.is_some_and(|share| share >= MATTERS));
    causes.sort_by(|one, another| {
        let seconds = |cause: &Cause| cause.seconds.unwrap_or(0.0);
        seconds(another).total_cmp(&seconds(one))
    });
    causes
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
    let of_that = match before >= MATTERS * length {
        true => format!(", {} of it before the OpenMP runtime began", time(before)),
        false => String::new(),
    };
    cause(
        "serial",
        "serial code",
        lost,
        format!(
            "{} of {} ({}) are outside of parallel regions{of_that}: OpenMP's other threads have nothing to do there; {}{}",
            time(serial),
            time(length),
            percent(Some(serial / length)),
            spinning(report, account).unwrap_or_default(),
            functions(report, length)
        ),
    )
}

/// Where OpenMP's threads spin for so much of the time that serial code has a core, and the process's others work for as much.
const SPINS: f64 = 0.1;

/// Threads that have nothing to do and take cores from others of the process.
fn spinning(report: &Report, account: &Account) -> Option<String> {
    let others = report.run.other_threads?;
    let both = others.outside_seconds.min(others.spinning_seconds);
    let processors = others.processors.filter(|_| both >= SPINS * account.seconds(&["serial"]))?;
    Some(format!(
        "the process's other threads ({}) had a core for {}, at least {} of it there, and OpenMP's that waited or had nothing to do spun \
         for at least {}, on {}: KMP_BLOCKTIME=0 or OMP_WAIT_POLICY=passive lets them sleep; ",
        others.threads,
        time(others.cpu_seconds),
        time(others.outside_seconds),
        time(others.spinning_seconds),
        counted(processors.into(), "processor")
    ))
}

/// A construct that one thread runs while others wait for it, or run the tasks that it creates.
fn constructs(account: &Account, wait: &'static str, work: &str, name: &str) -> Option<Cause> {
    let (waits, within) = (account.seconds(&[wait]), account.seconds(&[work]));
    let tasks = account.seconds(&["tasks"]);
    let why = match tasks > within {
        true => format!(
            "and run tasks for {} elsewhere or meanwhile: there are too few of them, or one thread creates them all",
            time(tasks)
        ),
        false => "few threads run them, and the others wait".to_owned(),
    };
    cause(
        wait,
        name,
        account.elapsed(&[wait]),
        format!("threads wait {} in all at the barriers after {name}, which take {}; {why}", time(waits), time(within)),
    )
}

/// A barrier that all threads reach at once takes microseconds.
const BARRIER: f64 = 100e-6;

/// Named after the region with most of it. Where its own code takes less than these waits, and each is short, that cannot be their cause.
fn in_regions(report: &Report, account: &Account) -> Option<Cause> {
    const WAIT: [&str; 1] = ["wait-in-region"];
    let waits = account.seconds(&WAIT);
    let region = report
        .regions
        .iter()
        .max_by(|one, another| one.entry_seconds(&WAIT).total_cmp(&another.entry_seconds(&WAIT)))?;
    let name = match &region.site.function {
        Some(function) => format!("waiting at barriers in {} ({})", short(function), region.site.name),
        None => format!("waiting at barriers in {}", region.site.name),
    };
    let own = account.seconds(&["region", "reduction", "worksharing"]);
    let each = region.entry_seconds(&WAIT) / region.executions.max(1) as f64 / f64::from(region.team_size[1].max(1));
    // While one thread is in it, or off its core, all others may wait.
    let others = f64::from(region.team_size[1].max(2) - 1);
    let uneven = (region.busiest_seconds - region.mean_seconds) * f64::from(region.team_size[1].max(1));
    let has_more = region.entry_seconds(&["loops", "sections", "single", "tasks", "nested"]) > 0.0;
    let gcc = match report.notes.iter().any(|note| note.code == "gcc") {
        true => {
            " (GCC's static loops are part of it: the clause schedule(dynamic) or a smaller chunk shares uneven iterations)"
        }
        false => "",
    };
    let why = match each > BARRIER || (own + account.seconds(&["off-core"])) * others >= waits {
        // Most of what is waited there.
        true if !has_more && 2.0 * uneven >= region.entry_seconds(&WAIT) => format!(
            "in {} the busiest thread works {:.2} times as long as the average, which is {} of it{gcc}",
            region.site.name,
            region.busiest_seconds / region.mean_seconds,
            time(uneven.min(region.entry_seconds(&WAIT)))
        ),
        true => "code outside loops takes some threads longer than others, or they come late".to_owned(),
        false => format!(
            "code outside loops takes only {} in all, so it is the barriers themselves, or threads that come late ({} for each \
             thread and run of the region); fewer regions and barriers save that",
            time(own),
            time(each)
        ),
    };
    let text = format!("threads wait {} in all at barriers that do not directly follow a loop: {why}", time(waits));
    cause("wait-in-region", &name, account.elapsed(&WAIT), text)
}

/// Loops whose threads work in them; sections have a cause of their own.
fn loops(report: &Report) -> impl Iterator<Item = &LoopReport> {
    report.loops.iter().filter(|the_loop| !the_loop.identity.is_sections())
}

/// Time at barriers after loops that is none of a loop's chunks' doing.
fn after_loops(report: &Report, account: &Account) -> Option<Cause> {
    const WAIT: [&str; 1] = ["wait-after-loop"];
    // Each loop's own wait is in what it loses.
    let in_loops = loops(report).map(|the_loop| Some(the_loop.barrier_seconds? - the_loop.release_seconds?));
    let rest = (account.seconds(&WAIT) - in_loops.sum::<Option<f64>>()?).max(0.0);
    let executions: u64 = loops(report).map(|the_loop| the_loop.executions).sum();
    let team = loops(report).filter_map(|the_loop| the_loop.team_size).map(|[_, most]| most).max()?;
    let each = rest / executions.max(1) as f64 / f64::from(team.max(1));
    cause(
        "wait-after-loop",
        "barriers after loops, by no loop's fault",
        rest / account.threads.max(1) as f64,
        format!(
            "threads wait {} in all after the last of them has arrived, {} for each thread and execution: that is what a barrier \
             takes until it lets threads go on, or they wake up late; fewer barriers (nowait, one region around several loops) save it",
            time(rest),
            time(each)
        ),
    )
}

/// Time off a core that no loop has; `None`: of some loop it is not known.
fn off_core(report: &Report, account: &Account) -> Option<Cause> {
    let in_loops = loops(report).map(|the_loop| the_loop.off_core.map(|off_core| off_core.seconds));
    let rest = (account.seconds(&["off-core"]) - in_loops.sum::<Option<f64>>()?).max(0.0);
    cause(
        "off-core",
        "threads off a core outside of loops",
        rest / account.threads.max(1) as f64,
        format!(
            "threads are not on a core for {} in all while they are in no loop: other programs have it, or they wait for \
             something else than OpenMP (files, sleep)",
            time(rest)
        ),
    )
}

/// What loops lose because threads come late: these are in no region yet, or at its begin.
fn late_to_loops(report: &Report) -> f64 {
    let late = loops(report).filter_map(|the_loop| {
        let threads = the_loop.threads.len() as f64;
        the_loop.loss.map(|loss| loss.late_seconds * threads)
    });
    late.sum()
}

/// A cause that the numbers of explicit tasks name.
fn named(report: &Report) -> Option<&TaskHint> {
    report.tasks.as_ref()?.hint.as_ref()
}

/// What the numbers of tasks name, or else what threads wait for them.
fn tasks(report: &Report, account: &Account) -> Option<Cause> {
    if let Some(hint) = named(report) {
        return cause(hint.code, "explicit tasks", hint.lost_seconds, hint.text.clone());
    }

    const WAITS: [&str; 2] = ["taskwait", "wait-in-tasks"];
    let waits = account.seconds(&WAITS);
    cause(
        "wait-in-tasks",
        "explicit tasks",
        account.elapsed(&WAITS),
        format!(
            "threads run tasks for {} in all, and wait {} more in taskwait and the like: there are too few tasks to run meanwhile, \
             or creating and finding them takes that long",
            time(account.seconds(&["tasks"])),
            time(waits)
        ),
    )
}

/// Those of loops are said of the loops.
fn locks(report: &Report, account: &Account) -> Option<Cause> {
    const KINDS: [&str; 4] = ["lock", "critical", "atomic", "ordered"];
    let in_loops: f64 = report.loops.iter().filter_map(|the_loop| the_loop.mutex_seconds).sum();
    let rest = account.seconds(&KINDS) - in_loops;
    let first = report.run.locks.first()?;
    cause(
        "lock",
        "locks outside of loops",
        rest.max(0.0) / account.threads.max(1) as f64,
        format!(
            "threads wait {} in all for locks and the like, mostly for the {} at {}: one thread at a time runs what \
             it protects",
            time(rest.max(0.0)),
            first.kind,
            first.place
        ),
    )
}

/// Idle threads while others are in a region.
fn without_region(report: &Report, account: &Account) -> Option<Cause> {
    let before = report.run.before_seconds.unwrap_or(0.0);
    let serial = report.run.serial_seconds? + before;
    let threads = account.threads as f64;
    let processes = report.run.processes.max(1) as f64;
    // Of a process' only thread, no other is in a region meanwhile.
    if threads <= processes {
        return None;
    }
    let beside_serial = serial * (threads - processes);
    let idle = (account.seconds(&["idle"]) - beside_serial - late_to_loops(report)).max(0.0);
    cause(
        "idle",
        "threads without a region",
        idle / threads.max(1.0),
        format!(
            "threads have nothing to do for {} in all while others are in a parallel region: teams are smaller than {} threads, or \
             threads come late to them",
            time(idle),
            account.threads
        ),
    )
}

/// Memory that is touched for the first time in a loop, or again and again anew. Only where page faults alone explain the time that its
/// threads are in the system's kernel.
fn page_faults(report: &Report, account: &Account) -> Option<Cause> {
    let faulting = report.loops.iter().filter_map(|the_loop| {
        let faults = the_loop.page_faults.as_ref()?;
        Some((the_loop, faults, faults.each()?))
    });
    let all: f64 = faulting.clone().map(|(_, faults, _)| faults.kernel_seconds).sum();
    let (the_loop, faults, each) =
        faulting.max_by(|one, another| one.1.kernel_seconds.total_cmp(&another.1.kernel_seconds))?;
    let once = match faults.first_and_others() {
        Some((first, others)) if first as f64 > FAR * others => {
            format!(", nearly all of them in the first of {} executions", faults.executions)
        }
        _ => String::new(),
    };
    cause(
        "page-faults",
        "page faults in loops",
        all / account.threads.max(1) as f64,
        format!(
            "threads spend in the kernel {} of their {} in {}, in which they have {}{once} ({} each): memory that is touched there \
             for the first time since it was allocated. Reused memory has none, huge pages have fewer, and no schedule saves any",
            time(faults.kernel_seconds),
            time(the_loop.busy_seconds),
            the_loop.name,
            counted(faults.all(), "page fault"),
            time(each)
        ),
    )
}

/// Time in the system's kernel that page faults do not explain.
fn kernel(report: &Report, account: &Account) -> Option<Cause> {
    let much = loops(report).filter_map(|the_loop| {
        let hint = the_loop.hints.iter().find(|hint| [KERNEL, LIBRARY_LOCK].contains(&hint.code))?;
        let seconds = the_loop.page_faults.as_ref()?.kernel_seconds;
        Some((the_loop, hint, seconds))
    });
    let (the_loop, hint, seconds) = much.max_by(|one, another| one.2.total_cmp(&another.2))?;
    let name = match hint.code {
        LIBRARY_LOCK => "a lock inside a library's function",
        _ => "loops in the system's kernel",
    };
    cause(hint.code, name, seconds / account.threads.max(1) as f64, format!("{}: {}", the_loop.name, hint.text))
}

/// Most of what threads do is in loops.
pub fn is_mostly_loops(report: &Report) -> bool {
    let account = report.run.account.as_ref();
    account.is_some_and(|account| 2.0 * account.seconds(&["loops"]) >= account.thread_seconds)
}

/// What looks like work in one recording.
pub fn unseen(report: &Report) -> Option<String> {
    let several = report.run.account.as_ref().is_some_and(|account| account.threads > 1);
    let program = command::line(&report.parts.first()?.command);
    let all = several && report.run.processes == 1 && !report.loops.is_empty();
    all.then(|| {
        format!(
            "one recording cannot tell whether iterations take longer with more threads (memory bandwidth, shared cache lines): \
             ompchunk scale {program}"
        )
    })
}
