//! Does the plugin survive modules that no compiler writes, and leave alone what it must?
//!
//! A bounded number of them, always the same; `make fuzz WHAT=modules` judges others.
//! `OMPCHUNK_MUTATE_N` and `OMPCHUNK_MUTATE_SEED` ask for more or for different ones.

use anyhow::{Result, ensure};
use ompchunk_testsuite::fuzz::run::{Range, scratch};
use ompchunk_testsuite::mutate::run;
use ompchunk_testsuite::suite::Suite;

pub fn trials(suite: &mut Suite) {
    suite.test("broken_modules", broken_modules);
}

const OTHERWISE: Range = Range { seed: 1_000, count: 300 };

fn broken_modules() -> Result<()> {
    let range = Range::from_environment("OMPCHUNK_MUTATE_N", "OMPCHUNK_MUTATE_SEED", OTHERWISE)?;
    eprintln!("{} mutants from {} on", range.count, range.seed);
    let keep = scratch()?;
    let summary = run::run(range, keep.path(), &|text| eprintln!("{text}"))?;
    eprint!("{summary}");
    if summary.failures > 0 {
        eprintln!("files are kept in {}", keep.keep().display());
    }
    ensure!(summary.failures == 0, "{} failures; see above", summary.failures);
    // Mutants that nothing is left of would pass any judgement.
    ensure!(
        summary.mutants == range.count && summary.instrumented * 10 > summary.mutants,
        "only {} mutants of {} still have a loop that is instrumented",
        summary.instrumented,
        summary.mutants
    );
    Ok(())
}
