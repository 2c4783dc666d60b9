//! Where the recorder records executions alone, does a chunk take a single instruction more than while nobody listens? `ompchunk tune`
//! compares loops by such recordings: what a chunk takes there is taken for what its schedule takes.
//!
//! By callgrind, in one thread, loops of chunks of one iteration of two lengths: the difference is that of the chunks alone. (Debian's libomp
//! gives a team of one all of the static loop at once; `instructions.rs` holds against it in a team of two.)

use std::path::Path;

use anyhow::{Context, Result, ensure};
use ompchunk_testsuite::runtime::Runtime;
use ompchunk_testsuite::suite::Suite;
use ompchunk_testsuite::toolchain::Llvm;
use ompchunk_testsuite::{callgrind, dist};

const FEW: u64 = 1000;
/// So many that what the recorder does at its end and between, which differs from run to run, is small against them.
const MORE: u64 = 2_000_000;
/// Part of an instruction, for each chunk.
const NOISE: f64 = 0.25;
/// What the plugin compiles is one of these, and so are the shim and the recorder.
const OURS: [&str; 3] = ["plugin", "libompchunk_rt.so", "libompchunk_trace.so"];

pub fn trials(suite: &mut Suite) {
    callgrind::suite(suite, test);
}

fn test(llvm: &Llvm, dir: &Path) -> Result<()> {
    let plugin = dist::plugin(llvm.major)?;
    let flags = ["-O2", "-falign-loops=1"];
    let program = callgrind::compile(llvm, "chunks.c", Some(&plugin), &flags, dir)?;
    let (shim, recorder) = (&*dist::shim()?, &*dist::recorder()?);
    for runtime in Runtime::complete() {
        let count = |libraries: &[&Path]| per_chunk(&runtime, &program, libraries, dir);
        let (off, on) = (count(&[])?, count(&[shim, recorder])?);
        println!("clang-{}, {}: {off:.2}, recorded {on:.2}", llvm.major, runtime.name);
        ensure!(
            on < off + NOISE,
            "{}: a chunk of two loops takes {off} instructions, and {on} where executions are recorded",
            runtime.name
        );
    }
    Ok(())
}

fn per_chunk(runtime: &Runtime, program: &Path, libraries: &[&Path], dir: &Path) -> Result<f64> {
    let of = |iterations: u64| {
        let mut command = callgrind::listened(runtime, program, 1, libraries, "");
        let trace = dir.join("trace");
        command.arg(iterations.to_string());
        command.env("OMPCHUNK_TRACE", &trace);
        command.env("OMPCHUNK_RECORD", "executions");
        let counts = callgrind::count_by_object(&command, dir)?;
        if trace.exists() {
            std::fs::remove_dir_all(&trace).context("the trace")?;
        }
        ensure!(counts.get(OURS[0]).is_some_and(|count| *count > 0), "{counts:?}");
        let ours = counts.iter().filter(|(object, _)| OURS.contains(&object.as_str()));
        anyhow::Ok(ours.map(|(_, count)| *count).sum::<u64>())
    };
    let (few, many) = (of(FEW)?, of(FEW + MORE)?);
    Ok((many as f64 - few as f64) / MORE as f64)
}
