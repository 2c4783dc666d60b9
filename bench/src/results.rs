//! What a run found out, and its file: JSON, as `docs/benchmarking.md` describes it.

use std::io::Write as _;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;

use ompchunk_figures::{Interval, median_between};
use serde::Serialize;

use crate::plan::Variant;

#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Results {
    pub format: &'static str,
    pub version: u32,
    pub ompchunk: &'static str,
    /// What was measured: `chunk` or `program`.
    pub suite: &'static str,
    pub setup: Setup,
    pub warnings: Vec<String>,
    pub variants: Vec<Variant>,
    pub cells: Vec<Cell>,
}

#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct Setup {
    /// Seconds since 1970, at the start.
    pub started: u64,
    pub seconds: f64,
    pub cpu: String,
    pub cores: usize,
    pub system: String,
    /// The first line of the compiler's version.
    pub compiler: String,
    pub flags: String,
    pub runtime: String,
    /// The CPUs that threads were pinned to, in the order of their numbers.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub pinned: Vec<u32>,
    #[serde(skip_serializing_if = "String::is_empty")]
    pub program: String,
}

/// What a cell's nanoseconds are of.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Unit {
    Chunk,
    /// An execution of a loop of one chunk per thread, by one thread.
    Loop,
    Run,
}

#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Cell {
    /// The loop's body, or the program.
    pub body: String,
    pub chunk: u32,
    pub threads: u32,
    pub unit: Unit,
    /// Chunks that a thread runs per execution of the loop.
    pub chunks: u32,
    /// Executions of the loop per batch.
    pub executions: u32,
    /// Whether every interval became as narrow as wanted.
    pub resolved: bool,
    pub series: Vec<Series>,
}

#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Series {
    pub variant: &'static str,
    /// Nanoseconds per unit.
    pub ns: Interval<95>,
    /// Ratio to the base; the base has none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ratio: Option<Interval<95>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub above_ns: Option<Interval<95>>,
    pub blocks: Blocks,
}

#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct Blocks {
    /// Nanoseconds per unit.
    pub ns: Vec<f64>,
    /// Natural logarithm of the ratio to the base, from pairs.
    pub log_ratio: Vec<f64>,
}

impl Blocks {
    /// Adds a block's values; rounded, since a file of all digits would be mostly noise.
    pub fn push(&mut self, ns: f64, log_ratio: f64) {
        let round = |value: f64, digits: f64| (value * digits).round() / digits;
        self.ns.push(round(ns, 1e4));
        self.log_ratio.push(round(log_ratio, 1e7));
    }
}

impl Cell {
    pub fn new(body: &str, chunk: u32, threads: u32, unit: Unit) -> Cell {
        let body = body.to_owned();
        Cell { body, chunk, threads, unit, chunks: 1, executions: 1, resolved: false, series: Vec::new() }
    }

    /// Fills in the figures of the blocks that were measured, by variant; the first is the base.
    pub fn conclude(&mut self, variants: &[Variant], measured: Vec<Blocks>) {
        let base = measured.first().map_or(Vec::new(), |blocks| blocks.ns.clone());
        let of_variant = |(at, (variant, blocks)): (usize, (&Variant, Blocks))| {
            let above: Vec<f64> = blocks.ns.iter().zip(&base).map(|(this, base)| this - base).collect();
            // Further digits would be noise.
            let rounded = |value: f64| (value * 1e6).round() / 1e6;
            let figure = |values: &[f64], scale: fn(f64) -> f64| {
                median_between(values.iter().copied()).unwrap_or_default().map(scale).map(rounded)
            };
            let same = |value| value;
            Series {
                variant: variant.name,
                ns: figure(&blocks.ns, same),
                ratio: (at > 0).then(|| figure(&blocks.log_ratio, f64::exp)),
                above_ns: (at > 0).then(|| figure(&above, same)),
                blocks,
            }
        };
        self.series = variants.iter().zip(measured).enumerate().map(of_variant).collect();
    }
}

impl Results {
    pub fn new(suite: &'static str, setup: Setup, variants: Vec<Variant>) -> Results {
        Results {
            format: "ompchunk-bench",
            version: 4,
            ompchunk: env!("CARGO_PKG_VERSION"),
            suite,
            setup,
            warnings: Vec::new(),
            variants,
            cells: Vec::new(),
        }
    }

    /// Writes a file, which a reader never sees half-written.
    pub fn write(&self, file: &Path) -> std::io::Result<()> {
        let directory = match file.parent() {
            Some(parent) if !parent.as_os_str().is_empty() => parent,
            _ => Path::new("."),
        };
        let mut new = tempfile::Builder::new().prefix(".bench-").tempfile_in(directory)?;
        serde_json::to_writer(&mut new, self)?;
        new.write_all(b"\n")?;
        // Temporary files are for their owner alone; results are for everybody.
        std::fs::set_permissions(new.path(), std::fs::Permissions::from_mode(0o644))?;
        new.persist(file)?;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plan;

    #[test]
    fn figures_come_from_blocks() {
        let variants = plan::of_program(false);
        let blocks = |ns: f64| {
            let mut blocks = Blocks::default();
            (0..4).for_each(|_| blocks.push(ns, (ns / 2.0).ln()));
            blocks
        };
        let mut cell = Cell::new("empty", 1, 2, Unit::Chunk);
        cell.conclude(&variants, vec![blocks(2.0), blocks(2.0), blocks(5.5)]);
        let (base, plugin) = (&cell.series[0], &cell.series[2]);
        assert_eq!((base.ns.middle, base.ratio, base.above_ns), (2.0, None, None));
        assert_eq!((plugin.ns.middle, plugin.above_ns.unwrap().low), (5.5, 3.5));
        assert_eq!(plugin.ratio.unwrap().high, 2.75);
    }
}
