//! How to measure, as the command line says it.

use std::ffi::OsString;
use std::path::PathBuf;

use clap::Args;
use ompchunk_toolchain::schedule::Schedules;

use super::names::known;
use crate::error::Error;

/// How to measure.
#[derive(Debug, Args)]
pub struct Options {
    /// Which benchmark: chunk, thesis or schedules
    #[arg(long, value_name = "SUITE", default_value = "chunk", conflicts_with = "schedules")]
    pub suite: String,
    /// Other schedules: measures the program that comes after `--`, which is compiled already, under them.
    #[command(flatten)]
    pub schedules: Schedules,
    /// The compiler; by default the one that `ompchunk cc` takes
    #[arg(long, value_name = "COMPILER", conflicts_with = "schedules")]
    pub cc: Option<OsString>,
    /// The optimization level
    #[arg(long, value_name = "LEVEL", default_value = "2", value_parser = ["1", "2", "3", "s"])]
    pub opt: String,
    /// The OpenMP runtime to run on: a file such as libiomp5.so, of a release build
    #[arg(long, value_name = "LIBRARY")]
    pub runtime: Option<PathBuf>,
    /// Seconds to measure for at most; less when everything is known to 1 % before
    #[arg(long, value_name = "SECONDS", default_value_t = 300.0)]
    pub time: f64,
    /// A few cells for a short time: shows that everything works, tells little
    #[arg(long)]
    pub quick: bool,
    /// Only these bodies
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    pub bodies: Vec<String>,
    /// Only these chunk sizes
    #[arg(long, value_name = "SIZES", value_delimiter = ',', value_parser = clap::value_parser!(u32).range(1..=1 << 20))]
    pub chunks: Vec<u32>,
    /// Only these numbers of threads; by default 1, 2 and one per core
    #[arg(long, value_name = "COUNTS", value_delimiter = ',', value_parser = clap::value_parser!(u32).range(1..=256))]
    pub threads: Vec<u32>,
    /// Only these variants, besides plain
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    pub variants: Vec<String>,
    /// With a program: link each build so many times, its code moved by 16 bytes each time
    #[arg(long, value_name = "COUNT", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..=8),
        conflicts_with = "schedules")]
    pub layouts: u32,
    /// With a program: run it under ompchunk record, too
    #[arg(long, requires = "program", conflicts_with = "schedules")]
    pub record: bool,
    /// Where the random order starts
    #[arg(long, value_name = "NUMBER", default_value_t = 1)]
    pub seed: u64,
    /// The file for the results
    #[arg(short, long, value_name = "FILE", default_value = "ompchunk-bench.json")]
    pub output: PathBuf,
    /// Measure although the machine, the runtime or the threads make the results doubtful
    #[arg(long)]
    pub allow_noisy: bool,
    /// A program instead: how to compile it, `--`, how to run it; with --schedule only how to run it
    #[arg(last = true, value_name = "COMPILE -- RUN")]
    pub program: Vec<OsString>,
}

impl Options {
    /// How long to measure at most.
    pub fn seconds(&self) -> f64 {
        if self.quick { 2.0 } else { self.time }
    }

    /// The bodies that are named, in the order of a suite that has these; all if none is named.
    pub fn bodies_of(&self, all: &[&'static str]) -> Result<Vec<&'static str>, Error> {
        known("body", &self.bodies, all)?;
        let is_named = |body: &&str| self.bodies.iter().any(|name| name == body);
        let chosen = all.iter().copied();
        Ok(chosen.filter(|body| self.bodies.is_empty() || is_named(body)).collect())
    }
}

#[cfg(test)]
pub mod tests {
    use clap::Parser;

    use super::*;

    #[derive(Parser)]
    struct Line {
        #[command(flatten)]
        options: Options,
    }

    /// What a line of the command says.
    pub fn of(line: &str) -> Options {
        let words = line.split_whitespace();
        Line::parse_from(std::iter::once("bench").chain(words)).options
    }

    #[test]
    fn schedules_are_for_compiled_programs() {
        let conflict = Line::try_parse_from(["bench", "--schedule", "a=static", "--cc", "clang"]);
        assert!(conflict.is_err());
        assert_eq!(of("--chunks 1,64").chunks, [1, 64]);
    }
}
