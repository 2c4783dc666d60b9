//! `make fuzz`: random programs until one proves ompchunk wrong.
//!
//! Environment: `N` programs (1000) from number `SEED` on (the time), which names them for ever. `WHAT=schedules`: only whether
//! they do the same under other schedules; `WHAT=promises`: likewise, and all of them rely on which thread runs which iteration.
//! `WHAT=modules`: broken modules (5000) until one breaks the plugin. On `JOBS` cores (all).

use std::process::ExitCode;
use std::time::{SystemTime, UNIX_EPOCH};

use anyhow::Result;
use ompchunk_testsuite::fuzz::config::Machine;
use ompchunk_testsuite::fuzz::run::{self, Range};
use ompchunk_testsuite::fuzz::subject::Depth;
use ompchunk_testsuite::{child, mutate, workdir};

fn main() -> ExitCode {
    // Some stock programs never end.
    child::set_deadline(20);
    let outcome = match std::env::var("WHAT").as_deref() {
        Ok("modules") => mutate(),
        _ => fuzz(),
    };
    workdir::remove_shared();
    match outcome {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("fuzz: {error:#}");
            ExitCode::FAILURE
        }
    }
}

fn range(count: u64) -> Result<Range> {
    let now = SystemTime::now().duration_since(UNIX_EPOCH)?.as_secs();
    Range::from_environment("N", "SEED", Range { seed: now * 1_000_000, count })
}

fn mutate() -> Result<bool> {
    let range = range(5000)?;
    eprintln!("{} mutants from {} on", range.count, range.seed);
    let keep = run::scratch()?;
    let summary = mutate::run::run(range, keep.path(), &|text| eprintln!("{text}"))?;
    print!("{summary}");
    if summary.failures > 0 {
        println!("files are kept in {}", keep.keep().display());
    }
    Ok(summary.failures == 0)
}

fn fuzz() -> Result<bool> {
    let range = range(1000)?;
    let depth = match std::env::var("WHAT").as_deref() {
        Ok("schedules") => Depth::Schedules,
        Ok("promises") => Depth::Promises,
        _ => Depth::Whole,
    };
    let machine = Machine::survey()?;
    let names: Vec<&str> = machine.hosts.iter().map(|host| host.name).collect();
    eprintln!("{} programs from {} on, on {}", range.count, range.seed, names.join(", "));
    let keep = run::scratch()?;
    let summary = run::run(range, depth, &machine, keep.path(), &|text| eprintln!("{text}"))?;
    print!("{summary}");
    if summary.failures > 0 || !summary.stock.is_empty() {
        println!("files are kept in {}", keep.keep().display());
    }
    Ok(summary.failures == 0)
}
