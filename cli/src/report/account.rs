//! The run as a whole, and where its threads' time went, in a few sentences. Elapsed times are the mean of several processes.

use ompchunk_analysis::Report;
use ompchunk_analysis::model::Account;
use ompchunk_analysis::run::LEFT_OUT;

use super::causes::length;
use super::dealing::may_be_dealing;
use super::units::{percent, time};

/// Entries below this share are said together.
const SMALL: f64 = 0.005;
/// What came before the recording is said where it is so much of the run.
const LONG: f64 = 0.02;

pub fn is_part(report: &Report) -> bool {
    report.notes.iter().any(|note| note.code == LEFT_OUT)
}

pub fn run(report: &Report) -> Vec<String> {
    let run = &report.run;
    if run.seconds <= 0.0 {
        return Vec::new();
    }
    let length = length(report);
    let share = |seconds: f64| format!("{} ({})", time(seconds), percent(seconds / length));
    let base = match run.processes {
        1 => time(length),
        all => format!("{} elapsed, the mean of {all} processes", time(length)),
    };
    let before = run.before_seconds.unwrap_or(0.0);
    let until = (before >= LONG * length).then(|| format!(", {} of it before the recording began", time(before)));
    let until = until.unwrap_or_default();
    let regions = run.serial_seconds.zip(run.parallel_seconds).map(|(serial, parallel)| {
        format!("{} serial{until}, {} in parallel regions", share(serial + before), share(parallel))
    });
    let has_sections = report.loops.iter().any(|the_loop| the_loop.identity.is_sections());
    let which = match (is_part(report), has_sections) {
        (true, _) => "in the loops that were recorded",
        (false, true) => "in loops and sections",
        (false, false) => "in loops",
    };
    let loops = run.loop_seconds.map(|loop_seconds| format!("{} {which}", share(loop_seconds)));
    let shares: Vec<String> = regions.into_iter().chain(loops).collect();
    let shares = if shares.is_empty() { "its shares were not measured".to_owned() } else { shares.join("; ") };
    let lost = run.lost_seconds.zip(run.imbalance_seconds).filter(|_| !report.loops.is_empty());
    let lost = lost.map(|(lost, gain)| {
        format!("loops lose {} of the run; perfect balance of all would save {}", share(lost), share(gain))
    });
    std::iter::once(format!("run: {base}; {shares}")).chain(lost).collect()
}

pub fn sentence(report: &Report) -> Option<String> {
    let account = report.run.account.as_ref().filter(|account| account.thread_seconds > 0.0)?;
    let (threads, all, shares) = (account.threads, time(account.thread_seconds), shares(account).join(", "));
    let said = format!("threads: {threads}, {all} of thread time: {shares}");
    let dealing = " (the time for dealing chunks counts as loops: ompchunk record --bookkeeping measures it)";
    Some(said + if report.loops.iter().any(may_be_dealing) { dealing } else { "" })
}

fn shares(account: &Account) -> Vec<String> {
    let all = account.thread_seconds;
    let entries = account.entries.iter().map(|entry| (words(entry.code), entry.seconds));
    let mut named: Vec<(&str, f64)> = entries.chain([("unknown", account.unknown_seconds)]).collect();
    named.sort_by(|(_, one), (_, another)| another.total_cmp(one));
    let (large, small): (Vec<_>, Vec<_>) = named.into_iter().partition(|(_, seconds)| seconds / all >= SMALL);
    let share = |(name, seconds): (&str, f64)| format!("{} {name}", percent(Some(seconds / all)));
    let rest: f64 = small.iter().map(|(_, seconds)| seconds).sum();
    let other = (rest > 0.0).then_some(("other", rest));
    large.into_iter().chain(other).map(share).collect()
}

fn words(code: &str) -> &str {
    match code {
        "loops" => "in loops",
        "bookkeeping" => "bookkeeping of loops",
        "sections" => "in sections",
        "single" => "in single",
        "worksharing" => "in other worksharing",
        "reduction" => "reductions",
        "region" => "in regions outside of loops",
        "tasks" => "in tasks",
        "serial" => "serial",
        "idle" => "without a region",
        "wait-after-loop" => "waiting after loops",
        "wait-after-single" => "waiting after single",
        "wait-after-sections" => "waiting after sections",
        "wait-in-region" => "waiting at other barriers",
        "taskwait" => "waiting for tasks",
        "wait-in-tasks" => "waiting for tasks within tasks",
        "lock" => "for locks",
        "critical" => "for critical sections",
        "atomic" => "for atomics",
        "ordered" => "for ordered sections",
        "off-core" => "off a core",
        "recorder" => "the recorder",
        other => other,
    }
}
