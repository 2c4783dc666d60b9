//! What `ompchunk scale` is told.

use std::ffi::OsString;
use std::path::PathBuf;

use clap::Args;
use ompchunk_toolchain::schedule::Schedules;

/// What to run with how many threads.
#[derive(Debug, Args)]
pub struct Scale {
    /// Team sizes, such as 1,2,4 [default: powers of two up to the processors that the program may use, and all of them]
    #[arg(short, long, value_name = "N,...", value_delimiter = ',', value_parser = clap::value_parser!(u32).range(1..=4096))]
    pub threads: Vec<u32>,
    /// Runs with each team size; with fewer than 3 nothing is certain
    #[arg(long, value_name = "N", default_value_t = 5, value_parser = clap::value_parser!(u32).range(1..=1000))]
    pub runs: u32,
    /// Keep the traces, in a directory that is new or empty; otherwise each is removed when it was read
    #[arg(short, long, value_name = "DIR")]
    pub output: Option<PathBuf>,
    /// Other schedules.
    #[command(flatten)]
    pub schedules: Schedules,
    /// Most loops in the text; 0: all
    #[arg(short = 'n', long, value_name = "N", default_value_t = 20)]
    pub top: usize,
    /// JSON instead of text (schema ompchunk-scale)
    #[arg(long)]
    pub json: bool,
    /// Write a page with charts, a single file that opens in any browser without a network; `-` is standard output
    #[arg(long, value_name = "FILE", conflicts_with = "json")]
    pub html: Option<PathBuf>,
    /// The program and its arguments
    #[arg(value_name = "PROG", required = true, trailing_var_arg = true)]
    pub program: Vec<OsString>,
}
