//! How many instructions does an explicit task take that is recorded, with everything that the recorder and the shim do for it? By
//! callgrind, against stock clang with nobody listening: creation, begin and end where it runs at once, creation alone where it waits
//! in a queue. Half a microsecond is an ordinary task, so this decides whether recording tells of the program or of itself.

use std::path::Path;

use anyhow::{Result, bail, ensure};
use ompchunk_testsuite::callgrind;
use ompchunk_testsuite::dist;
use ompchunk_testsuite::runtime::Runtime;
use ompchunk_testsuite::suite::Suite;
use ompchunk_testsuite::toolchain::Llvm;

/// Counts of one kind, at most: a block is written now and then, by time, and more often on a machine that does much beside.
const ATTEMPTS: usize = 12;
/// So near, in instructions, are two counts that no block was written in.
const NEAR: f64 = 10.0;
/// When tasks run, and what one may take more than with nobody listening, two readings of the clock for its creation included and one
/// for each event: today's numbers, as sums and one by one.
const MOST: [(&str, [u64; 2]); 2] = [("at_once", [2400, 3400]), ("deferred", [900, 1500])];

pub fn trials(suite: &mut Suite) {
    callgrind::suite(suite, test);
}

/// The first count that comes twice: a block that is written within one makes it too large by thousands, and too small or none at all
/// if that is in what is subtracted.
fn usual(count: impl Fn() -> Result<f64>) -> Result<f64> {
    let mut counts: Vec<f64> = Vec::new();
    let mut errors = Vec::new();
    for _ in 0..ATTEMPTS {
        match count() {
            Ok(new) if counts.iter().any(|old| (old - new).abs() <= NEAR) => return Ok(new),
            Ok(new) => counts.push(new),
            Err(error) => errors.push(error),
        }
    }
    bail!("of {ATTEMPTS} counts no two are alike: {counts:?}, {errors:?}")
}

fn test(llvm: &Llvm, dir: &Path) -> Result<()> {
    let [plain, plugin] = callgrind::compile_tasks(llvm, dir)?;
    let (shim, recorder) = (&*dist::shim()?, &*dist::recorder()?);
    let mut failures = Vec::new();
    for runtime in Runtime::complete() {
        for (when, most) in MOST {
            let count = |program: &Path, libraries: &[&Path], each: bool| {
                let mut command = callgrind::listened(&runtime, program, 2, libraries, "");
                if each {
                    command.env("OMPCHUNK_RECORD", "tasks");
                }
                callgrind::count_tasks(&command, when, dir)
            };
            let without = count(&plain, &[], false)?;
            for (each, most) in [false, true].into_iter().zip(most) {
                let recorded = usual(|| count(&plugin, &[shim, recorder], each))?;
                let how = if each { "one by one" } else { "as sums" };
                let said = format!(
                    "clang-{}, {}, tasks run {when}: {without:.0} instructions, recorded {how} {recorded:.0}",
                    llvm.major, runtime.name
                );
                println!("{said}");
                if recorded - without > most as f64 {
                    failures.push(format!("{said}: at most {most} more are wanted"));
                }
            }
        }
    }
    ensure!(failures.is_empty(), "{}", failures.join("\n"));
    Ok(())
}
