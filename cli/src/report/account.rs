//! Where the threads' time went, in two or three lines.

use std::fmt::{self, Write as _};

use ompchunk_analysis::Report;
use ompchunk_analysis::model::Account;

use super::units::{percent, time};

/// Entries below this share are said together.
const SMALL: f64 = 0.005;

/// The account of a run; nothing where it is not known.
pub fn write(report: &Report, to: &mut String) -> fmt::Result {
    let Some(account) = report
        .run
        .account
        .as_ref()
        .filter(|it| it.thread_seconds > 0.0)
    else {
        return Ok(());
    };
    let all = account.thread_seconds;
    let mut named: Vec<(&str, f64)> = account
        .entries
        .iter()
        .map(|entry| (words(entry.code), entry.seconds))
        .chain([("unknown", account.unknown_seconds)])
        .collect();
    named.sort_by(|(_, one), (_, another)| another.total_cmp(one));
    let (large, small): (Vec<_>, Vec<_>) = named
        .into_iter()
        .partition(|(_, seconds)| seconds / all >= SMALL);
    let mut parts: Vec<String> = large
        .iter()
        .map(|(name, seconds)| format!("{} {name}", percent(Some(seconds / all))))
        .collect();
    let rest: f64 = small.iter().map(|(_, seconds)| seconds).sum();
    if rest > 0.0 {
        parts.push(format!("{} other", percent(Some(rest / all))));
    }
    writeln!(
        to,
        "threads: {}, {} of thread time: {}",
        account.threads,
        time(all),
        parts.join(", ")
    )?;
    dealing(report, account, to)
}

/// Dealing is in the loops, where nobody has measured it.
fn dealing(report: &Report, account: &Account, to: &mut String) -> fmt::Result {
    let dealt = report.loops.iter().any(super::verdict::may_be_dealing);
    match dealt && account.seconds(&["bookkeeping"]) == 0.0 {
        true => writeln!(
            to,
            "(what dealing chunks takes is in loops: ompchunk record --bookkeeping measures it)"
        ),
        false => Ok(()),
    }
}

fn words(code: &str) -> &str {
    match code {
        "loops" => "in loops",
        "bookkeeping" => "bookkeeping between chunks",
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
