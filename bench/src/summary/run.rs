//! A run as it stays in the tree, in two files of one name: where and how it was measured and how it met the bars (`.json`), and
//! its figures (`.csv`).

use std::path::Path;

use anyhow::Result;
use serde::{Deserialize, Serialize};

use super::rows::{self, Row};
use crate::report::bar::Bar;
use crate::report::page;
use crate::report::table::Table;
use crate::report::thesis;
use crate::results::json;
use crate::results::{Instructions, Reference, Results, Role, Unit, VariantInfo};

/// What the files call themselves.
const FORMAT: &str = "ompchunk-measured";
/// Of the format.
const VERSION: u32 = 1;

/// A run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Run {
    /// `ompchunk-measured`.
    pub format: String,
    /// Of the format.
    pub version: u32,
    /// The version of ompchunk, if it is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ompchunk: Option<String>,
    /// Seconds since 1970, at the start, if they are known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub started: Option<u64>,
    /// Which benchmark, with its flags.
    pub title: String,
    /// Where and how: names, and what they are.
    pub facts: Vec<(String, String)>,
    /// What some things cost there, in nanoseconds.
    pub references: Vec<Reference>,
    /// What makes it doubtful.
    pub warnings: Vec<String>,
    /// The variants; the first is the base.
    pub variants: Vec<VariantInfo>,
    /// What the variants execute, where it was counted.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub instructions: Vec<Instructions>,
    /// How it met the bars.
    pub bars: Vec<Bar>,
    /// Beside figures that others published.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub published: Option<Table>,
    /// The figures, which are in the other file.
    #[serde(skip)]
    pub rows: Vec<Row>,
}

impl json::Named for Run {
    const READ: (&'static str, u32) = (FORMAT, VERSION);
    fn says(&self) -> (&str, u32) {
        (&self.format, self.version)
    }
}

impl Run {
    /// What stays of results.
    pub fn of(results: &Results) -> Run {
        let page = page::page(results);
        Run {
            format: FORMAT.to_owned(),
            version: VERSION,
            ompchunk: Some(results.ompchunk.clone()),
            started: Some(results.setup.started),
            title: page.title,
            facts: page::facts(results),
            references: results.references.clone(),
            warnings: page.warnings,
            variants: results.variants.clone(),
            instructions: results.instructions.clone(),
            bars: page.bars,
            published: thesis::table(results),
            rows: rows::of(results),
        }
    }

    /// Into a directory, under a name.
    pub fn write(&self, directory: &Path, name: &str) -> Result<()> {
        json::write(self, &directory.join(format!("{name}.json")))?;
        rows::write(&self.rows, &directory.join(format!("{name}.csv")))
    }

    /// From a directory.
    pub fn read(directory: &Path, name: &str) -> Result<Run> {
        let mut run: Run = json::read(&directory.join(format!("{name}.json")))?;
        run.rows = rows::read(&directory.join(format!("{name}.csv")))?;
        Ok(run)
    }

    /// A fact by its name; nothing if it is not known.
    pub fn fact(&self, name: &str) -> &str {
        let found = self.facts.iter().find(|(known, _)| known == name);
        found.map_or("", |(_, value)| value)
    }

    /// The rows of a unit.
    pub fn of_unit(&self, unit: Unit) -> impl Iterator<Item = &Row> {
        self.rows.iter().filter(move |row| row.unit == unit)
    }

    /// The variants of a role.
    pub fn with_role(&self, role: Role) -> impl Iterator<Item = &VariantInfo> {
        let variants = self.variants.iter();
        variants.filter(move |variant| variant.role == role)
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use crate::results::run::tests::sample;

    /// What stays of the small result.
    pub fn small() -> Run {
        Run::of(&sample())
    }

    #[test]
    fn what_is_written_is_read() {
        let directory = tempfile::tempdir().unwrap();
        small().write(directory.path(), "small").unwrap();
        assert_eq!(Run::read(directory.path(), "small").unwrap(), small());
        let json = directory.path().join("small.json");
        let text = std::fs::read_to_string(&json).unwrap();
        std::fs::write(&json, text.replace("measured\"", "other\"")).unwrap();
        let error = Run::read(directory.path(), "small").unwrap_err();
        assert!(error.to_string().contains("small.json"), "{error}");
    }
}
