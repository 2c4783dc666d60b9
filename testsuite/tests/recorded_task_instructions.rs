//! How many instructions does an explicit task take that is recorded, with everything that the recorder and the shim do for it? By
//! callgrind, against stock clang with nobody listening: creation, begin and end where it runs at once, creation alone where it waits
//! in a queue. Half a microsecond is an ordinary task, so this decides whether recording tells of the program or of itself.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Context, Result, ensure};
use ompchunk_testsuite::callgrind;
use ompchunk_testsuite::runtime::{Attach, Runtime};
use ompchunk_testsuite::suite::Suite;
use ompchunk_testsuite::toolchain::Llvm;
use ompchunk_testsuite::{child, dist, program, workdir};

/// Of `tasks.c`: tasks by which the two lengths differ.
const TASKS: u64 = 40;
/// Counts of one kind: a block is written now and then, by time.
const ATTEMPTS: usize = 3;
/// When tasks run, and what one may take more than with nobody listening, two readings of the clock for its creation included and one
/// for each event: today's numbers, as sums and one by one.
const MOST: [(&str, [u64; 2]); 2] = [("at_once", [2300, 3300]), ("deferred", [900, 1500])];

fn main() -> ExitCode {
    let mut suite = Suite::default();
    suite.needs("second runtime", Runtime::second(), |_, _| {});
    suite.needs("instruction counts", callgrind::find(), |suite, ()| {
        for (major, llvm) in Llvm::all() {
            suite.needs(&format!("clang-{major}"), llvm, |suite, llvm| {
                let name = format!("clang-{major}");
                suite.test(name.clone(), move || {
                    workdir::scoped(&name, |dir| test(&llvm, dir))
                });
            });
        }
    });
    suite.run()
}

fn test(llvm: &Llvm, dir: &Path) -> Result<()> {
    let plain = compile(llvm, None, dir)?;
    let plugin = compile(llvm, Some(&dist::plugin(llvm.major)?), dir)?;
    let (shim, recorder) = (&*dist::shim()?, &*dist::recorder()?);
    let mut failures = Vec::new();
    for runtime in Runtime::complete() {
        for (when, most) in MOST {
            let without = count(&runtime, &plain, &[], when, false, dir)?;
            for (each, most) in [false, true].into_iter().zip(most) {
                let mut recorded = f64::INFINITY;
                for _ in 0..ATTEMPTS {
                    let next = count(&runtime, &plugin, &[shim, recorder], when, each, dir)?;
                    recorded = recorded.min(next);
                }
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

fn compile(llvm: &Llvm, plugin: Option<&Path>, dir: &Path) -> Result<PathBuf> {
    let source = dist::testsuite().join("callgrind/tasks.c");
    let to = dir.join(if plugin.is_some() { "plugin" } else { "plain" });
    let mut clang = program::compiler(llvm, &source, plugin);
    // See `instructions.rs`.
    clang
        .args(["-O2", "-falign-loops=1", "-Wl,-z,now"])
        .arg(&source);
    child::succeed(clang.arg("-o").arg(&to))?;
    Ok(to)
}

/// Instructions per task, with the runtime's.
fn count(
    runtime: &Runtime,
    program: &Path,
    libraries: &[&Path],
    when: &str,
    each: bool,
    dir: &Path,
) -> Result<f64> {
    let mut command = runtime.command(program, 2);
    if each {
        command.env("OMPCHUNK_TRACE_TASKS", "1");
    }
    if !libraries.is_empty() {
        Attach::ToolLibraries.apply(&mut command, libraries);
    }
    let counts = callgrind::count(&command, dir)?;
    let of = |length: &str| {
        let function = format!("{length}_{when}");
        let cost = counts.get(&function);
        cost.with_context(|| format!("callgrind saw no {function}"))
    };
    let (few, many) = (of("few")?, of("many")?);
    ensure!(
        many.instructions > few.instructions,
        "{when}: {few:?} for few tasks, {many:?} for many"
    );
    Ok(many.minus(*few).instructions as f64 / TASKS as f64)
}
