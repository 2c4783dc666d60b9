//! What `ompchunk tune` and `ompchunk scale` are told.

use std::ffi::OsString;
use std::path::PathBuf;

use clap::Args;
use ompchunk_toolchain::schedule_option::Schedules;

use crate::condition::Shortfall;
use crate::values::{loop_to_come, seconds};

#[derive(Debug, Args)]
pub struct Tune {
    /// Only these loops: FILE:LINE, or a part of a file's or function's name
    #[arg(short, long = "loop", value_name = "LOOP", value_parser = loop_to_come)]
    pub loops: Vec<String>,
    /// Begin no further run after so long; the run for the profile does not count
    #[arg(long = "time", value_name = "SECONDS", value_parser = seconds, default_value = "120")]
    pub seconds: f64,
    /// A shell command that verifies a run: it reads what the program printed, and fails if that is wrong
    #[arg(long, value_name = "CMD")]
    pub check: Option<String>,
    /// Where to write the schedules that are faster
    #[arg(short, long, value_name = "FILE", default_value = "schedules.txt")]
    pub output: PathBuf,
    /// Measure the whole program while it balances itself (run --balance), too
    #[arg(long)]
    pub balance: bool,
    /// Predict and write nothing: measure the schedules of this file. The exit code is 3 if they are slower, or the program does
    /// something else under them, and 4 if that cannot be told
    #[arg(long, value_name = "FILE", conflicts_with_all = ["output", "loops", "balance"])]
    pub gate: Option<PathBuf>,
    /// With --gate: the condition for the exit code 3 [default: slower]: 'slower', 'slower>5%' or 'not faster', of a loop or of the
    /// whole program
    #[arg(long, value_name = "CONDITION", requires = "gate")]
    pub fail_if: Vec<Shortfall>,
    /// JSON instead of text
    #[arg(long)]
    pub json: bool,
    /// The program and its arguments
    #[arg(value_name = "PROG", required = true, trailing_var_arg = true)]
    pub program: Vec<OsString>,
}

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
