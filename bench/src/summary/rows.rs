//! The figures of a run: a line per case and variant, as a table of comma-separated values.

use std::path::Path;

use anyhow::{Context, Result};
use serde::{Deserialize, Serialize};

use crate::results::stats::Interval;
use crate::results::{Cell, Results, Unit};

/// What a variant took in a case. What is not known, or does not apply, is empty.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Row {
    /// What the nanoseconds are of.
    pub unit: Unit,
    /// The loop's body.
    pub body: String,
    /// The chunk size; of tasks, how many.
    pub chunk: u32,
    /// Threads.
    pub threads: u32,
    /// The variant's name.
    pub variant: String,
    /// Values of which the figures are medians.
    pub blocks: Option<usize>,
    /// Nanoseconds.
    pub ns: Option<f64>,
    /// Ratio to the base.
    pub ratio: Option<f64>,
    /// Its 95 % interval.
    pub ratio_low: Option<f64>,
    /// Its 95 % interval.
    pub ratio_high: Option<f64>,
    /// Nanoseconds above the base.
    pub above: Option<f64>,
    /// Their 95 % interval.
    pub above_low: Option<f64>,
    /// Their 95 % interval.
    pub above_high: Option<f64>,
}

impl Row {
    /// Ratio to the base.
    pub fn ratio(&self) -> Option<Interval> {
        interval(self.ratio, self.ratio_low, self.ratio_high)
    }

    /// Nanoseconds above the base.
    pub fn above(&self) -> Option<Interval> {
        interval(self.above, self.above_low, self.above_high)
    }

    /// Whether they are of the same case.
    pub fn is_beside(&self, row: &Row) -> bool {
        let size = |row: &Row| (row.unit, row.chunk, row.threads);
        size(self) == size(row) && self.body == row.body
    }

    fn of(cell: &Cell, variant: &str, base: &str) -> Row {
        let blocks = cell.of(variant).map(|series| series.ns.len());
        let against = |of: Option<Interval>| of.filter(|_| variant != base);
        let ratio = bounds(against(cell.ratio(variant)), 6);
        let above = bounds(against(cell.above(variant, base)), 4);
        Row {
            unit: cell.unit,
            body: cell.body.clone(),
            chunk: cell.chunk,
            threads: cell.threads,
            variant: variant.to_owned(),
            blocks,
            ns: cell.ns(variant).map(|ns| rounded(ns.middle, 4)),
            ratio: ratio[0],
            ratio_low: ratio[1],
            ratio_high: ratio[2],
            above: above[0],
            above_low: above[1],
            above_high: above[2],
        }
    }
}

/// All of a run.
pub fn of(results: &Results) -> Vec<Row> {
    let of_cell = |cell| {
        let variants = results.variants.iter();
        variants.filter_map(move |variant| {
            Cell::of(cell, &variant.name)?;
            Some(Row::of(cell, &variant.name, results.base()))
        })
    };
    results.cells.iter().flat_map(of_cell).collect()
}

/// To a file.
pub fn write(rows: &[Row], file: &Path) -> Result<()> {
    let mut writer = csv::Writer::from_path(file)?;
    for row in rows {
        writer.serialize(row)?;
    }
    Ok(writer.flush()?)
}

/// From a file.
pub fn read(file: &Path) -> Result<Vec<Row>> {
    let name = || file.display().to_string();
    let mut reader = csv::Reader::from_path(file).with_context(name)?;
    let rows: Result<Vec<Row>, _> = reader.deserialize().collect();
    rows.with_context(name)
}

fn interval(middle: Option<f64>, low: Option<f64>, high: Option<f64>) -> Option<Interval> {
    Some(Interval { low: low?, middle: middle?, high: high? })
}

/// Of one value, nobody knows how far it may be off.
fn bounds(of: Option<Interval>, digits: usize) -> [Option<f64>; 3] {
    let known = |value: f64| value.is_finite().then(|| rounded(value, digits));
    [of.and_then(|of| known(of.middle)), of.and_then(|of| known(of.low)), of.and_then(|of| known(of.high))]
}

/// To so many digits behind the point of a number below ten, and so many fewer of larger ones.
fn rounded(value: f64, digits: usize) -> f64 {
    let before = value.abs().max(1.0).log10().floor() as i32;
    let scale = 10_f64.powi((digits as i32 - before).max(0));
    (value * scale).round() / scale
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::results::run::tests::sample;

    #[test]
    fn what_is_written_is_read() {
        let rows = of(&sample());
        assert_eq!(rows.len(), 7 + 4);
        assert_eq!((rows[0].ns, rows[0].ratio()), (Some(2.0), None), "the base's");
        assert_eq!(rows[4].above().unwrap().middle, 3.5);
        let directory = tempfile::tempdir().unwrap();
        let file = directory.path().join("rows.csv");
        write(&rows, &file).unwrap();
        assert_eq!(read(&file).unwrap(), rows);
        std::fs::write(&file, "unit,body\nchunk,empty\n").unwrap();
        let error = format!("{:#}", read(&file).unwrap_err());
        assert!(error.contains("rows.csv"), "{error}");
    }

    #[test]
    fn digits() {
        assert_eq!(rounded(1.234_567, 5), 1.23457);
        assert_eq!(rounded(12345.678, 4), 12346.0);
        assert_eq!(rounded(-0.000_123_4, 4), -0.0001);
    }
}
