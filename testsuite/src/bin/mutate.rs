//! `make fuzz WHAT=modules`: broken modules until one breaks the plugin.
//!
//! Environment: `N` mutants (5000) from number `SEED` on (the time), which names them for ever, on
//! `JOBS` cores (all).

use std::process::ExitCode;
use std::time::{SystemTime, UNIX_EPOCH};

use anyhow::Result;
use ompchunk_testsuite::child;
use ompchunk_testsuite::fuzz::run::Range;
use ompchunk_testsuite::mutate::run::{self, scratch};

fn main() -> ExitCode {
    // A pass over a module of one loop takes milliseconds.
    child::set_deadline(30);
    match mutate() {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("mutate: {error:#}");
            ExitCode::FAILURE
        }
    }
}

fn mutate() -> Result<bool> {
    let now = SystemTime::now().duration_since(UNIX_EPOCH)?.as_secs();
    let otherwise = Range { seed: now * 1_000_000, count: 5000 };
    let range = Range::from_environment("N", "SEED", otherwise)?;
    eprintln!("{} mutants from {} on", range.count, range.seed);
    let keep = scratch()?;
    let summary = run::run(range, keep.path(), &|text| eprintln!("{text}"))?;
    print!("{summary}");
    if summary.failures > 0 {
        println!("files are kept in {}", keep.keep().display());
    }
    Ok(summary.failures == 0)
}
