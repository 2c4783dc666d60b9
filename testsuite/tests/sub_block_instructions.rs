//! How many instructions does a sub-block take? By callgrind, one thread, libiomp5: the program with many sub-blocks and with few,
//! each of one iteration; the difference is theirs, whatever library they are spent in.

use std::path::Path;

use anyhow::{Result, ensure};
use ompchunk_testsuite::runtime::{Runtime, compile_tool};
use ompchunk_testsuite::suite::Suite;
use ompchunk_testsuite::toolchain::Llvm;
use ompchunk_testsuite::{callgrind, dist};

const FEW: u64 = 1000;
const MORE: u64 = 20_000;
/// On a busy machine the runtime begins and ends in more instructions now and then: the least of so many runs counts.
const RUNS: usize = 3;
/// A reading of the clock among them, and the program's own, beside an empty callback.
const MOST: f64 = 233.0;

pub fn trials(suite: &mut Suite) {
    callgrind::suite_on_libiomp5(suite, test);
}

fn test(llvm: &Llvm, runtime: &Runtime, dir: &Path) -> Result<()> {
    let plugin = dist::plugin(llvm.major)?;
    let program = callgrind::compile(llvm, "sub_blocks.c", Some(&plugin), &["-O2"], dir)?;
    let tool = compile_tool(&dist::testsuite().join("callgrind/tool.c"), dir)?;
    let shim = dist::shim()?;
    let count = |iterations: u64, callback: &str| -> Result<f64> {
        let mut command = callgrind::listened(runtime, &program, 1, &[&shim, &tool], callback);
        command.arg(iterations.to_string()).env("OMPCHUNK_PROFILE", "iterations=1");
        let mut least = u64::MAX;
        for _ in 0..RUNS {
            let counts = callgrind::count_by_object(&command, dir)?;
            least = least.min(counts.values().sum());
        }
        Ok(least as f64)
    };
    let each =
        |callback: &str| -> Result<f64> { Ok((count(FEW + MORE, callback)? - count(FEW, callback)?) / MORE as f64) };
    let (plain, divided) = (each("none")?, each("sub-block")?);
    println!("clang-{}: {divided:.1} instructions per sub-block, {plain:.1} per iteration without", llvm.major);
    ensure!(divided > 50.0, "{divided} instructions: there are no sub-blocks");
    ensure!(divided - plain <= MOST, "{divided} instructions per sub-block, at most {MOST} are wanted");
    Ok(())
}
