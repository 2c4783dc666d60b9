//! `docs/coverage.md`: written from what the tests saw, and compared with it.
//!
//! A machine may lack a compiler or a runtime. What it cannot see stays as the document has it.

use std::collections::BTreeMap;
use std::path::PathBuf;

use anyhow::{Context, Result, ensure};

use crate::dist;
use crate::runtime::NAMES;

/// One line of the table.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Row {
    /// The source shape.
    pub shape: String,
    /// File name of the case.
    pub case: String,
    /// The row's flags.
    pub variant: String,
    /// The compiler's name.
    pub compiler: String,
    /// The runtime's entries, without `__kmpc_`.
    pub entries: String,
    /// The schedule kinds, in the same order.
    pub kinds: String,
    /// Instrumented, or left alone with the reason.
    pub outcome: String,
    /// Per runtime, what the tool saw.
    pub events: BTreeMap<&'static str, String>,
}

/// What tells rows apart.
pub type Key = (String, String);

impl Row {
    /// Case with flags, and compiler.
    pub fn key(&self) -> Key {
        (case_cell(&self.case, &self.variant), self.compiler.clone())
    }

    fn line(&self) -> String {
        let events = NAMES.map(|name| self.events.get(name).map_or("", |said| said.as_str()));
        let (case, compiler) = self.key();
        let cells = [
            &*self.shape,
            &case,
            &compiler,
            &self.entries,
            &self.kinds,
            &self.outcome,
        ];
        format!(
            "| {} |",
            cells
                .into_iter()
                .chain(events)
                .collect::<Vec<_>>()
                .join(" | ")
        )
    }

    fn parse(line: &str) -> Option<Row> {
        let cells: Vec<&str> = line
            .strip_prefix('|')?
            .strip_suffix('|')?
            .split('|')
            .collect();
        let cell = |at: usize| cells[at].trim().to_owned();
        if cells.len() != 6 + NAMES.len() || !cells[1].contains('.') {
            return None;
        }
        let (case, variant) = match cell(1).split_once(' ') {
            Some((case, variant)) => (case.to_owned(), variant.trim_matches('`').to_owned()),
            None => (cell(1), String::new()),
        };
        let events = NAMES
            .into_iter()
            .zip(6..)
            .map(|(name, at)| (name, cell(at)));
        Some(Row {
            shape: cell(0),
            case,
            variant,
            compiler: cell(2),
            entries: cell(3),
            kinds: cell(4),
            outcome: cell(5),
            events: events.filter(|(_, said)| !said.is_empty()).collect(),
        })
    }
}

/// The case's cell for a file and its flags.
pub fn case_cell(file: &str, variant: &str) -> String {
    match variant {
        "" => file.to_owned(),
        _ => format!("{file} `{variant}`"),
    }
}

/// Where the document is.
pub fn path() -> PathBuf {
    dist::repository().join("docs/coverage.md")
}

/// The rows of the document; none if there is no document yet.
pub fn committed() -> Vec<Row> {
    let text = std::fs::read_to_string(path()).unwrap_or_default();
    text.lines().filter_map(Row::parse).collect()
}

/// The rows of runtimes to come in the document.
pub fn committed_to_come() -> Vec<String> {
    let text = std::fs::read_to_string(path()).unwrap_or_default();
    let rows = text.split_once(TO_COME).map_or("", |(_, rows)| rows);
    rows.lines().map(str::to_owned).collect()
}

/// The row of a runtime to come must stand in the document.
pub fn compare_to_come(row: &str, document: &[String]) -> Result<()> {
    ensure!(
        document.iter().any(|line| line == row),
        "docs/coverage.md has no such row among the runtimes to come; run make bless if it is right:\n{row}"
    );
    Ok(())
}

/// The row must stand in the document; of runtimes that it has not seen it says nothing.
pub fn compare(row: &Row, document: &[Row]) -> Result<()> {
    let bless = "run make bless if that is right";
    let committed = document
        .iter()
        .find(|other| other.key() == row.key())
        .with_context(|| format!("docs/coverage.md has no such row; {bless}:\n{}", row.line()))?;
    let (seen, committed) = (completed(row, committed), committed.line());
    ensure!(
        seen.line() == committed,
        "docs/coverage.md says\n{committed}\nbut seen was\n{}\n{bless}",
        seen.line()
    );
    Ok(())
}

fn completed(row: &Row, committed: &Row) -> Row {
    let mut row = row.clone();
    for (name, said) in &committed.events {
        row.events.entry(name).or_insert_with(|| said.clone());
    }
    row
}

/// The document of exactly the rows called for by `keys`, in that order: as seen, or else as it was; and of the rows of
/// runtimes to come.
pub fn document(keys: &[Key], seen: &[Row], before: &[Row], to_come: &[String]) -> String {
    let find = |rows: &[Row], key: &Key| rows.iter().find(|row| row.key() == *key).cloned();
    let rows = keys
        .iter()
        .filter_map(|key| match (find(seen, key), find(before, key)) {
            (Some(row), Some(old)) => Some(completed(&row, &old)),
            (Some(row), None) => Some(row),
            (None, old) => old,
        });
    let lines: Vec<String> = rows.map(|row| row.line()).collect();
    let columns = ["shape", "case", "compiler", "entry", "kind", "ompchunk"];
    let columns: Vec<&str> = columns.into_iter().chain(NAMES).collect();
    format!(
        "{HEAD}\n| {} |\n|{}\n{}\n{TO_COME}{}\n",
        columns.join(" | "),
        "---|".repeat(columns.len()),
        lines.join("\n"),
        to_come.join("\n")
    )
}

/// What stands before the rows of runtimes to come.
const TO_COME: &str = "
## Runtimes to come

What is proposed for a runtime is tried on an emulation of it, `runtime-shim/tests/c/emulated.c`, which has one thread; the
case stands in `testsuite/proposed/`. *exact*: of the instrumented loops, one dispatch event and one chunk event for every chunk,
whatever the runtime itself tells; of another loop, what the runtime tells. The runtime answers `ompt_set_sometimes` for
dispatch events; tools get the answer `ompt_set_sometimes_paired`.

| the runtime | case | compiler | ompchunk | events |
|---|---|---|---|---|
";

const HEAD: &str = "\
# Coverage

What becomes of every shape of a worksharing loop that we know. Written by `make bless` from what
`testsuite/tests/coverage.rs` saw, and compared by `make test`; not edited by hand.

- **case**: a file of `testsuite/coverage/`, a program that tells the test's oracle of each iteration
  that it runs; with the flags that it was built with beside -O2 and its own.
  What compilers to come are proposed to write is made of today's IR by replacing names or numbers, and runs with what
  `testsuite/proposed/runtime.c` adds to today's runtimes.
- **entry**: what the compiler calls at the start of the construct, without `__kmpc_`; **kind**: the
  schedule kind that it passes, in the same order.
- **ompchunk**: what the plugin says.
- the last columns: the events that a tool got on that runtime; *libomp* is the system's, on Debian 12
  LLVM 19's. *exact*: for every chunk that a thread
  ran one dispatch event (the runtime's own, where it deals the chunks) and one chunk event, right in
  bounds, order, flag of the last chunk, data and time of arrival; two loop events per thread; no other. *the runtime's*: the dispatch events of the runtime itself, passed on.
  *none*: none, and no chunk event either.
";

#[cfg(test)]
mod tests {
    use super::*;

    fn row() -> Row {
        Row {
            shape: "`for`".into(),
            case: "a.c".into(),
            variant: "-g -O0".into(),
            compiler: "clang 22".into(),
            entries: "for_static_init_4".into(),
            kinds: "33".into(),
            outcome: "instrumented".into(),
            events: [(NAMES[0], "exact".to_owned())].into(),
        }
    }

    #[test]
    fn lines_are_read_back() {
        assert_eq!(Row::parse(&row().line()), Some(row()));
        let text = document(&[row().key()], &[row()], &[], &["| a | b |".to_owned()]);
        let read: Vec<Row> = text.lines().filter_map(Row::parse).collect();
        assert_eq!(read, [row()]);
    }

    #[test]
    fn what_was_not_seen_stays() {
        let mut before = row();
        before.events.insert(NAMES[1], "none".to_owned());
        compare(&row(), &[before.clone()]).unwrap();
        let text = document(&[row().key()], &[row()], &[before.clone()], &[]);
        assert_eq!(text.lines().find_map(Row::parse), Some(before));
        assert!(compare(&row(), &[]).is_err());
    }
}
