//! Whether what `ompchunk advise` says is true, measured on the corpus. For those who work on ompchunk; not installed.
//!
//! `advice measure`: into a file. `advice figures FILE`: its page, on standard output. `advice keep FILE...`: into the data of
//! this tree, and the page anew.

use std::path::PathBuf;

use anyhow::Result;
use clap::Parser;
use ompchunk_bench::advice::{self, AdviceOptions};
use ompchunk_bench::summary;

#[derive(Parser)]
#[command(about = "Whether what ompchunk advise says is true, measured on the corpus")]
enum Words {
    /// Measure advice
    Measure(AdviceOptions),
    /// Print the figures of measurements
    Figures {
        /// What `advice measure` wrote
        #[arg(required = true)]
        files: Vec<PathBuf>,
    },
    /// Put measurements into the data of this tree
    Keep {
        /// What `advice measure` wrote
        #[arg(required = true)]
        files: Vec<PathBuf>,
    },
    /// Use a processor
    #[command(name = advice::BUSY, hide = true)]
    Busy,
}

fn main() -> Result<()> {
    match Words::parse() {
        Words::Measure(options) => advice::measure(&options).map(drop).map_err(with_next_step),
        Words::Figures { files } => {
            print!("{}", summary::advised::of_files(&files)?);
            Ok(())
        }
        Words::Keep { files } => keep(&files),
        Words::Busy => {
            advice::stay_busy();
            Ok(())
        }
    }
}

fn keep(files: &[PathBuf]) -> Result<()> {
    for file in files {
        summary::advised::keep(summary::tree(), file)?;
    }
    summary::write_all(summary::tree())
}

fn with_next_step(error: anyhow::Error) -> anyhow::Error {
    let next = error.downcast_ref::<ompchunk_bench::Error>().map(ompchunk_bench::Error::next);
    match next {
        Some(next) => error.context(format!("next: {next}")),
        None => error,
    }
}
