//! Where the threads' time went, in two or three lines.

use std::fmt::{self, Write as _};

use ompchunk_analysis::Report;
use ompchunk_analysis::model::Account;

use super::dealing::may_be_dealing;
use super::units::{percent, time};

/// Entries below this share are said together.
const SMALL: f64 = 0.005;

/// The account of a run; nothing where it is not known.
pub fn write(report: &Report, to: &mut String) -> fmt::Result {
    match sentence(report) {
        Some(sentence) => writeln!(to, "{sentence}"),
        None => Ok(()),
    }
}

/// The same as a sentence; `None`: it is not known.
pub fn sentence(report: &Report) -> Option<String> {
    let account = report.run.account.as_ref()?;
    let all = account.thread_seconds;
    if all <= 0.0 {
        return None;
    }
    let said = format!("threads: {}, {} of thread time: {}", account.threads, time(all), shares(account).join(", "));
    Some(match report.loops.iter().any(may_be_dealing) {
        true => said + " (the time for dealing chunks counts as loops: ompchunk record --bookkeeping measures it)",
        false => said,
    })
}

/// The large entries, each with its share, and the small ones together.
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
