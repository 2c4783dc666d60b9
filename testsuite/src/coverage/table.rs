//! `docs/data/coverage.csv`: written from what the tests saw, and compared with it. The page that shows it is made of it
//! alone ([`super::page`]).
//!
//! A machine may lack a compiler or a runtime. What it cannot see stays as the table has it.

use std::collections::BTreeMap;
use std::path::PathBuf;

use anyhow::{Context, Result, ensure};

use crate::dist;
use crate::runtime::NAMES;

/// The columns that are no runtime's.
const COLUMNS: [&str; 7] = ["shape", "case", "flags", "compiler", "entry", "kind", "ompchunk"];

/// The column of a runtime that only exists as a proposal ([`super::emulated`]).
pub const EMULATED: &str = "LLVM 24, as proposed";

fn runtimes() -> impl Iterator<Item = &'static str> {
    NAMES.into_iter().chain([EMULATED])
}

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Row {
    pub shape: String,
    pub case: String,
    pub variant: String,
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

/// What tells rows apart: case, flags, compiler.
pub type Key = (String, String, String);

impl Row {
    pub fn key(&self) -> Key {
        let Row { case, variant, compiler, .. } = self;
        (case.clone(), variant.clone(), compiler.clone())
    }

    fn cells(&self) -> Vec<&str> {
        let mut cells: Vec<&str> =
            vec![&self.shape, &self.case, &self.variant, &self.compiler, &self.entries, &self.kinds, &self.outcome];
        cells.extend(runtimes().map(|name| self.events.get(name).map_or("", |event| event.as_str())));
        cells
    }

    fn of_cells(cells: &csv::StringRecord) -> Row {
        let cell = |at: usize| cells.get(at).unwrap_or_default().to_owned();
        let events = runtimes().zip(COLUMNS.len()..).map(|(name, at)| (name, cell(at)));
        Row {
            shape: cell(0),
            case: cell(1),
            variant: cell(2),
            compiler: cell(3),
            entries: cell(4),
            kinds: cell(5),
            outcome: cell(6),
            events: events.filter(|(_, said)| !said.is_empty()).collect(),
        }
    }
}

pub fn path() -> PathBuf {
    dist::repository().join("docs/data/coverage.csv")
}

/// The rows of the table in the tree; none if there is no table yet.
pub fn committed() -> Result<Vec<Row>> {
    match path().exists() {
        true => parse(&std::fs::read_to_string(path())?),
        false => Ok(Vec::new()),
    }
}

fn parse(text: &str) -> Result<Vec<Row>> {
    let mut reader = csv::Reader::from_reader(text.as_bytes());
    let right: Vec<&str> = COLUMNS.into_iter().chain(runtimes()).collect();
    ensure!(reader.headers()? == right, "the columns of {} are not {right:?}", path().display());
    let rows = reader.records().map(|cells| Ok(Row::of_cells(&cells?)));
    rows.collect()
}

pub fn text(rows: &[Row]) -> Result<String> {
    let mut writer = csv::Writer::from_writer(Vec::new());
    writer.write_record(COLUMNS.into_iter().chain(runtimes()))?;
    for row in rows {
        writer.write_record(row.cells())?;
    }
    Ok(String::from_utf8(writer.into_inner()?)?)
}

/// The row must stand in the table; of runtimes that it has not seen it says nothing.
pub fn compare(row: &Row, table: &[Row]) -> Result<()> {
    let bless = "run make bless if that is right";
    let committed = table
        .iter()
        .find(|known| known.key() == row.key())
        .with_context(|| format!("docs/data/coverage.csv has no such row; {bless}:\n{row:#?}"))?;
    let seen = completed(row, committed);
    ensure!(seen == *committed, "docs/data/coverage.csv says\n{committed:#?}\nbut seen was\n{seen:#?}\n{bless}");
    Ok(())
}

fn completed(row: &Row, committed: &Row) -> Row {
    let mut row = row.clone();
    for (name, said) in &committed.events {
        row.events.entry(name).or_insert_with(|| said.clone());
    }
    row
}

/// Exactly the rows called for by `keys`, in that order: as seen, or else as they were.
pub fn rows(keys: &[Key], seen: &[Row], before: &[Row]) -> Vec<Row> {
    let find = |rows: &[Row], key: &Key| rows.iter().find(|row| row.key() == *key).cloned();
    keys.iter()
        .filter_map(|key| match (find(seen, key), find(before, key)) {
            (Some(row), Some(old)) => Some(completed(&row, &old)),
            (Some(row), None) => Some(row),
            (None, old) => old,
        })
        .collect()
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    /// A row of a loop whose events are exact on the first runtime.
    pub(in super::super) fn row() -> Row {
        Row {
            shape: "`for`, \"quoted\"".into(),
            case: "a.c".into(),
            variant: "-g -O0".into(),
            compiler: "clang 22".into(),
            entries: "for_static_init_4, for_static_init_8".into(),
            kinds: "33".into(),
            outcome: "instrumented, twice".into(),
            events: [(NAMES[0], "exact".to_owned())].into(),
        }
    }

    #[test]
    fn rows_are_read_back() {
        assert_eq!(parse(&text(&[row(), row()]).unwrap()).unwrap(), [row(), row()]);
        assert!(parse("shape,case\n`for`,a.c\n").is_err());
    }

    #[test]
    fn what_was_not_seen_stays() {
        let mut before = row();
        before.events.insert(NAMES[1], "none".to_owned());
        let before = [before];
        compare(&row(), &before).unwrap();
        assert_eq!(rows(&[row().key()], &[row()], &before), before);
        assert!(compare(&row(), &[]).is_err());
        let mut other = row();
        other.outcome = "left alone".into();
        assert!(compare(&other, &before).is_err());
    }
}
