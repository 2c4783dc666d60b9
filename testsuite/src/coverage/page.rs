//! `docs/coverage.md`: the table of coverage at a glance. Made of the table alone, so it states nothing that no test saw.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::path::PathBuf;
use std::sync::LazyLock;

use regex::Regex;

use super::table::{EMULATED, Row};
use crate::dist;
use crate::runtime::NAMES;

pub fn path() -> PathBuf {
    dist::repository().join("docs/coverage.md")
}

/// What became of a row, the best first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Verdict {
    /// Instrumented, and exact wherever it ran.
    Exact,
    /// The same, but a runtime lacks what the compiler calls.
    Lacking,
    /// The compiler makes no worksharing loop of it.
    NoLoop,
    Alone,
    /// The compiler fails, or its program is wrong by itself.
    Theirs,
}

impl Verdict {
    fn from_row(row: &Row) -> Verdict {
        let outcome = &row.outcome;
        if outcome.starts_with("the compiler cannot") || outcome.contains("without ompchunk too") {
            Verdict::Theirs
        } else if outcome.contains("left alone") {
            Verdict::Alone
        } else if !outcome.starts_with("instrumented") {
            Verdict::NoLoop
        } else if row.events.values().any(|said| said.starts_with(LACKS)) {
            Verdict::Lacking
        } else {
            Verdict::Exact
        }
    }
}

/// How a cell begins that says that a runtime lacks an entry.
const LACKS: &str = "the runtime lacks";

fn compilers(rows: &[Row]) -> Vec<&str> {
    let mut found = Vec::new();
    for row in rows {
        if !found.contains(&&*row.compiler) {
            found.push(&*row.compiler);
        }
    }
    found
}

pub fn text(rows: &[Row]) -> String {
    let (emulated, rows): (Vec<Row>, Vec<Row>) =
        rows.iter().cloned().partition(|row| row.events.contains_key(EMULATED));
    let mut text = HEAD.to_owned();
    by_compiler(&mut text, &rows);
    by_runtime(&mut text, &rows);
    forms(&mut text, &rows);
    exceptions(&mut text, &rows);
    text += TO_COME;
    for row in &emulated {
        let _ = writeln!(
            text,
            "| {} | {} | {} |",
            row.compiler,
            row.shape,
            row.events.get(EMULATED).map_or("", |outcome| outcome.as_str())
        );
    }
    text
}

/// A bar of twenty characters for a share.
fn bar(part: usize, of: usize) -> String {
    let full = (part * 20).checked_div(of).unwrap_or(0);
    format!("`{}{}`", "█".repeat(full), "░".repeat(20 - full))
}

fn by_compiler(text: &mut String, rows: &[Row]) {
    *text += "\n## Compilers\n\n| compiler | builds | ● or ◐ | | – | ○ | × |\n|---|---|---|---|---|---|---|\n";
    for compiler in compilers(rows) {
        let verdicts: Vec<Verdict> =
            rows.iter().filter(|row| row.compiler == compiler).map(Verdict::from_row).collect();
        let count = |of: &[Verdict]| verdicts.iter().filter(|verdict| of.contains(verdict)).count();
        let exact = count(&[Verdict::Exact, Verdict::Lacking]);
        let _ = writeln!(
            text,
            "| {compiler} | {} | {exact} | {} | {} | {} | {} |",
            verdicts.len(),
            bar(exact, verdicts.len()),
            count(&[Verdict::NoLoop]),
            count(&[Verdict::Alone]),
            count(&[Verdict::Theirs]),
        );
    }
}

fn by_runtime(text: &mut String, rows: &[Row]) {
    *text += RUNTIMES;
    for name in NAMES {
        let said: Vec<&str> = rows.iter().filter_map(|row| row.events.get(name)).map(String::as_str).collect();
        let count = |how: &dyn Fn(&str) -> bool| said.iter().filter(|outcome| how(outcome)).count();
        let exact = count(&|outcome| outcome == "exact");
        let _ = writeln!(
            text,
            "| {name} | {} | {exact} | {} | {} | {} | {} |",
            said.len(),
            bar(exact, said.len()),
            count(&|outcome| outcome.starts_with(LACKS)),
            count(&|outcome| outcome == "the runtime's"),
            count(&|outcome| outcome.starts_with("none")),
        );
    }
}

static FORM: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"one chunk per thread|with a copy of the loop that reports each chunk|with a test per chunk in the loop itself \([^)]*\)")
        .expect("a regex")
});

static FIXED: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r"its schedule is fixed: ([^,;]*?)(?: \(\d+\))?(?:[,;]|$)").expect("a regex"));

/// How often each of what a pattern finds is in the outcome of a row, most first.
fn counted(rows: &[Row], found: impl Fn(&str) -> BTreeSet<String>) -> Vec<(String, usize)> {
    let mut counts = BTreeMap::<String, usize>::new();
    for name in rows.iter().flat_map(|row| found(&row.outcome)) {
        *counts.entry(name).or_default() += 1;
    }
    let mut counts: Vec<_> = counts.into_iter().collect();
    counts.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
    counts
}

fn forms(text: &mut String, rows: &[Row]) {
    *text += "\n## How loops are instrumented\n\nOf a build with several loops each form counts once.\n\n| form | builds |\n|---|---|\n";
    let of = |outcome: &str| FORM.find_iter(outcome).map(|form| form.as_str().to_owned()).collect();
    for (form, count) in counted(rows, of) {
        let _ = writeln!(text, "| {form} | {count} |");
    }
    *text += "\n| [schedule at run time](schedules.md) | builds |\n|---|---|\n";
    let can = "its schedule can be changed at run time";
    let _ = writeln!(text, "| can be changed | {} |", rows.iter().filter(|row| row.outcome.contains(can)).count());
    let of = |outcome: &str| FIXED.captures_iter(outcome).map(|captured| captured[1].to_owned()).collect();
    for (why, count) in counted(rows, of) {
        let _ = writeln!(text, "| fixed: {why} | {count} |");
    }
}

/// Without the number of loops behind a sentence.
static NUMBER: LazyLock<Regex> = LazyLock::new(|| Regex::new(r" \(\d+\)$").expect("a regex"));

fn exceptions(text: &mut String, rows: &[Row]) {
    *text += EXCEPTIONS;
    let mut found: Vec<(String, &str, Vec<&str>)> = Vec::new();
    for row in rows {
        if Verdict::from_row(row) <= Verdict::Lacking {
            continue;
        }
        // What is wrong without ompchunk says more than the form.
        let sentence = match row.outcome.split_once("without ompchunk too: ") {
            Some((_, wrong)) => format!("wrong without ompchunk, too: {wrong}"),
            None => NUMBER.replace(&row.outcome, "").into_owned(),
        };
        let same = found.iter_mut().find(|(why, shape, _)| *why == sentence && *shape == row.shape);
        match same {
            Some((_, _, compilers)) => compilers.push(&row.compiler),
            None => found.push((sentence, &row.shape, vec![&row.compiler])),
        }
    }
    found.sort();
    for (why, shape, compilers) in found {
        let _ = writeln!(text, "| {shape} | {} | {why} |", compilers.join(", "));
    }
}

const HEAD: &str = "\
# Coverage

Which shapes of worksharing loops are tested, with which compilers, on which runtimes, and what becomes of each. `make bless`
writes this page and its data from what `testsuite/tests/coverage.rs` saw, and `make test-full` compares them; nobody edits them by
hand. The full table, a row per build and its shape, is [data/coverage.csv](data/coverage.csv).

A build is a program of `testsuite/coverage/`, compiled by one compiler with one set of flags. It runs on each runtime with a
tool that checks every event against the iterations that really ran. clang 23, 21, 20, 18 and 17 and flang 23 are tested by
[`make test-elsewhere`](install.md#another-debian) in a Debian or Ubuntu that has them, each program once, on that system's runtime; `make test-full` leaves their rows as they are.

| mark | meaning |
|---|---|
| ● | all loops are instrumented, and all events are exact on every runtime |
| ◐ | the same, but one runtime lacks a function that the compiler calls, so the program does not run there |
| – | the compiler makes no worksharing loop of it |
| ○ | the plugin leaves it as it was, rightly |
| × | the compiler cannot compile it, or its program is wrong without ompchunk, too |

*Exact* means: for every chunk that a thread ran, one dispatch event (the runtime's own where it deals the chunks) and one
chunk event, right in bounds, order, last-chunk flag, data and time of arrival; two loop events per thread; nothing else.
";

const RUNTIMES: &str = "
## Runtimes

*libomp* is the system's: LLVM 19's on Debian 12 and 13 and Ubuntu 24.04, and LLVM 23's for the programs of clang 23 and 21 and flang 23.

| runtime | builds | exact | | lacks a function | the runtime's own events | no event |
|---|---|---|---|---|---|---|
";

const EXCEPTIONS: &str = "
## What is not instrumented

\"LLVM 24, as proposed\" is today's IR with other names or numbers, which runs with what `testsuite/proposed/programs.c` adds to
today's runtimes. A compiler that stands twice was built with several sets of flags.

| shape | compiler | reason |
|---|---|---|
";

const TO_COME: &str = "
## Runtimes to come

What is proposed for a runtime is tried on an emulation of it with one thread, `emulated.c` of `runtime-shim/tests/c/`. *exact*: of
instrumented loops, one dispatch event and one chunk event per chunk, whatever the runtime sends; of another loop, what the
runtime sends. The runtime answers `ompt_set_sometimes` for dispatch events; tools get the answer `ompt_set_sometimes_paired`.

| compiler | LLVM 24, as proposed | events |
|---|---|---|
";

#[cfg(test)]
mod tests {
    use super::super::table::tests::row;
    use super::*;

    #[test]
    fn each_verdict_is_shown() {
        let with = |outcome: &str, event: &str| {
            let mut row = row();
            row.outcome = outcome.into();
            row.events = [(NAMES[0], event.to_owned())].into();
            row
        };
        let cases = [
            (with("instrumented, one chunk per thread", "exact"), Verdict::Exact),
            (with("instrumented", "the runtime lacks `f`"), Verdict::Lacking),
            (with("no worksharing loop", "none"), Verdict::NoLoop),
            (with("left alone: it is", "the runtime's"), Verdict::Alone),
            (with("left alone: it is; without ompchunk too: so", "none"), Verdict::Theirs),
            (with("the compiler cannot: no", "none"), Verdict::Theirs),
        ];
        for (row, right) in &cases {
            assert_eq!(Verdict::from_row(row), *right, "{row:?}");
            let page = text(std::slice::from_ref(row));
            let is_listed = page.contains(&format!("| {} | clang 22 | ", row.shape));
            assert_eq!(is_listed, *right > Verdict::Lacking, "{page}");
        }
        let rows = cases.map(|(row, _)| row);
        assert!(text(&rows).contains("| clang 22 | 6 | 2 | `██████░░░░░░░░░░░░░░` | 1 | 1 | 2 |"));
    }

    #[test]
    fn reasons_lose_their_numbers() {
        let mut row = row();
        row.outcome = "instrumented, one chunk per thread; its schedule is fixed: it waits (ordered) (2)".into();
        let page = text(&[row]);
        assert!(page.contains("| fixed: it waits (ordered) | 1 |"), "{page}");
    }
}
