//! Do random programs find what nobody thought of?
//!
//! A bounded number of them, always the same; `make fuzz` runs others. `OMPCHUNK_FUZZ_N` and
//! `OMPCHUNK_FUZZ_SEED` ask for more or for different ones.

use anyhow::{Result, ensure};
use ompchunk_testsuite::fuzz::config::Machine;
use ompchunk_testsuite::fuzz::run::{self, Range};
use ompchunk_testsuite::fuzz::subject::Depth;
use ompchunk_testsuite::suite::Suite;

pub fn trials(suite: &mut Suite) {
    suite.test("random_programs", random_programs);
}

const OTHERWISE: Range = Range { seed: 5_000, count: 100 };

fn random_programs() -> Result<()> {
    let range = Range::from_environment("OMPCHUNK_FUZZ_N", "OMPCHUNK_FUZZ_SEED", OTHERWISE)?;
    eprintln!("{} programs from {} on", range.count, range.seed);
    let keep = run::scratch()?;
    let machine = Machine::survey()?;
    let summary = run::run(range, Depth::Whole, &machine, keep.path(), &|text| eprintln!("{text}"))?;
    eprint!("{summary}");
    if summary.failures > 0 {
        eprintln!("files are kept in {}", keep.keep().display());
    }
    ensure!(summary.failures == 0, "{} failures; see above", summary.failures);
    Ok(())
}
