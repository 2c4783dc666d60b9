//! What a run found out.

use serde::{Deserialize, Serialize};

use super::stats::{self, Interval, RESAMPLES};
use crate::plan::case::{Case, Unit};
use crate::plan::variant::{Role, Variant};

/// What the files call themselves.
pub const FORMAT: &str = "ompchunk-bench";
/// Of the format. A reader of this version reads this one and older ones.
pub const VERSION: u32 = 3;

/// Everything of one run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Results {
    /// `ompchunk-bench`.
    pub format: String,
    /// Of the format.
    pub version: u32,
    /// The version of ompchunk.
    pub ompchunk: String,
    /// Which benchmark.
    pub suite: String,
    /// Where and how.
    pub setup: Setup,
    /// What makes the results doubtful.
    pub warnings: Vec<String>,
    /// What some things cost here, in nanoseconds.
    pub references: Vec<Reference>,
    /// What the variants execute, where it was counted.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub instructions: Vec<Instructions>,
    /// The variants; the first is the base.
    pub variants: Vec<VariantInfo>,
    /// The measurements.
    pub cells: Vec<Cell>,
}

/// Where and how something was measured.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Setup {
    /// Seconds since 1970, at the start.
    pub started: u64,
    /// Seconds that the measurement took.
    pub seconds: f64,
    /// The processor's name.
    pub cpu: String,
    /// Cores that could be used.
    pub cores: usize,
    /// The operating system.
    pub system: String,
    /// The first line of the compiler's version.
    pub compiler: String,
    /// The flags.
    pub flags: String,
    /// The runtime's file.
    pub runtime: String,
    /// The CPUs that threads were pinned to, in the order of their numbers.
    pub pinned: Vec<u32>,
    /// Where the random order started.
    pub seed: u64,
    /// What was run, if it was a program.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub program: String,
    /// Under which schedules, if those of the source were changed.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub schedules: String,
}

impl Setup {
    /// The processor in words.
    pub fn processor(&self) -> String {
        format!("{}, {} cores", self.cpu, self.cores)
    }
}

/// What something costs.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Reference {
    /// For programs.
    pub name: String,
    /// For people.
    pub title: String,
    /// Nanoseconds.
    pub ns: f64,
}

/// What a variant executes on one thread, the runtime's and the tool's instructions included.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Instructions {
    /// The variant's name.
    pub variant: String,
    /// Of an execution of a loop with one chunk, by callgrind.
    pub execution: f64,
    /// Of a chunk more; none where the runtime gives a team of one the loop as one chunk.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub chunk: Option<f64>,
}

/// A variant, as far as a report needs to know it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct VariantInfo {
    /// Its name.
    pub name: String,
    /// For people.
    pub title: String,
    /// What it is for.
    pub role: Role,
}

impl From<&Variant> for VariantInfo {
    fn from(variant: &Variant) -> VariantInfo {
        VariantInfo { name: variant.name.to_owned(), title: variant.title.to_owned(), role: variant.role }
    }
}

/// A case and what it took.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Cell {
    /// The loop's body.
    pub body: String,
    /// The chunk size; of tasks, how many.
    pub chunk: u32,
    /// Threads.
    pub threads: u32,
    /// What the nanoseconds are of.
    pub unit: Unit,
    /// Chunks that a thread runs per execution of the loop.
    pub chunks: u32,
    /// Executions of the loop per batch.
    pub executions: u32,
    /// Batches per process of each variant. 0 in files of version 1, which do not tell.
    #[serde(default)]
    pub rounds: usize,
    /// Whether every interval became as narrow as wanted.
    pub resolved: bool,
    /// The measurements; the first is of the base.
    pub series: Vec<Series>,
}

/// A variant's measurements in a cell, a value per block.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Series {
    /// The variant's name.
    pub variant: String,
    /// Nanoseconds per unit.
    pub ns: Vec<f64>,
    /// Natural logarithm of the ratio to the base, from pairs.
    pub log_ratio: Vec<f64>,
}

impl Series {
    /// An empty one.
    pub fn new(variant: &str) -> Series {
        Series { variant: variant.to_owned(), ns: Vec::new(), log_ratio: Vec::new() }
    }

    /// A block's values; rounded, since a file of all digits would be mostly noise.
    pub fn push(&mut self, ns: f64, log_ratio: f64) {
        let round = |value: f64, digits: f64| (value * digits).round() / digits;
        self.ns.push(round(ns, 1e4));
        self.log_ratio.push(round(log_ratio, 1e7));
    }
}

impl Cell {
    /// Without measurements.
    pub fn new(case: Case) -> Cell {
        Cell {
            body: case.body,
            chunk: case.chunk,
            threads: case.threads,
            unit: case.unit,
            chunks: 1,
            executions: 1,
            rounds: 0,
            resolved: false,
            series: Vec::new(),
        }
    }

    /// The measurements of a variant, if it could run the cell.
    pub fn of(&self, variant: &str) -> Option<&Series> {
        self.series.iter().find(|series| series.variant == variant)
    }

    /// Nanoseconds per unit.
    pub fn ns(&self, variant: &str) -> Option<Interval> {
        Some(stats::bootstrap(&self.of(variant)?.ns, RESAMPLES))
    }

    /// Ratio to the base.
    pub fn ratio(&self, variant: &str) -> Option<Interval> {
        Some(stats::bootstrap(&self.of(variant)?.log_ratio, RESAMPLES).map(f64::exp))
    }

    /// Nanoseconds per unit above another variant, from pairs of blocks.
    pub fn above(&self, variant: &str, base: &str) -> Option<Interval> {
        let (this, base) = (self.of(variant)?, self.of(base)?);
        let differences: Vec<f64> = this.ns.iter().zip(&base.ns).map(|(a, b)| a - b).collect();
        Some(stats::bootstrap(&differences, RESAMPLES))
    }
}

impl Results {
    /// Without measurements yet.
    pub fn new(suite: &str) -> Results {
        Results {
            format: FORMAT.to_owned(),
            version: VERSION,
            ompchunk: env!("CARGO_PKG_VERSION").to_owned(),
            suite: suite.to_owned(),
            setup: Setup::default(),
            warnings: Vec::new(),
            references: Vec::new(),
            instructions: Vec::new(),
            variants: Vec::new(),
            cells: Vec::new(),
        }
    }

    /// The names of the variants of a role.
    pub fn with_role(&self, role: Role) -> impl Iterator<Item = &VariantInfo> {
        self.variants.iter().filter(move |variant| variant.role == role)
    }

    /// The base's name.
    pub fn base(&self) -> &str {
        self.variants.first().map_or("plain", |base| &base.name)
    }

    /// The name of the variant that is the base once more.
    pub fn noise(&self) -> Option<&str> {
        Some(&self.with_role(Role::Noise).next()?.name)
    }

    /// What a reference costs.
    pub fn reference(&self, name: &str) -> Option<f64> {
        let found = self.references.iter().find(|of| of.name == name)?;
        Some(found.ns)
    }
}

#[cfg(test)]
pub mod tests {
    use super::*;
    use crate::plan::variant::ALL;

    /// A small result with known numbers.
    pub fn sample() -> Results {
        let mut results = Results::new("chunk");
        results.setup.cpu = "A <fast> CPU".into();
        results.references = vec![
            Reference { name: "rdtsc".into(), title: "rdtsc".into(), ns: 9.0 },
            Reference { name: "call".into(), title: "empty indirect call".into(), ns: 1.5 },
        ];
        results.variants = ALL.iter().map(VariantInfo::from).collect();
        let series = |variant: &str, ns: f64| Series {
            variant: variant.into(),
            ns: vec![ns, ns, ns, ns],
            log_ratio: vec![(ns / 2.0).ln(); 4],
        };
        let mut chunk = Cell::new(Case::new("empty", 1, 2, Unit::Chunk));
        chunk.resolved = true;
        chunk.chunks = 4096;
        chunk.series = vec![
            series("plain", 2.0),
            series("plain-again", 2.0),
            series("plugin", 2.01),
            series("dispatch", 5.0),
            series("chunk", 5.5),
            series("clock", 24.0),
            series("runtime", 32.0),
        ];
        let mut each = Cell::new(Case::new("empty", 1, 2, Unit::Loop));
        each.series =
            vec![series("plain", 60.0), series("plain-again", 60.0), series("plugin", 61.0), series("chunk", 90.0)];
        results.cells = vec![chunk, each];
        results
    }

    #[test]
    fn figures() {
        let cell = &sample().cells[0];
        assert_eq!(cell.ns("chunk").unwrap().middle, 5.5);
        assert!((cell.ratio("runtime").unwrap().high - 16.0).abs() < 1e-9);
        assert_eq!(cell.above("dispatch", "plain").unwrap().low, 3.0);
        assert!(cell.ratio("one-loop").is_none());
    }
}
