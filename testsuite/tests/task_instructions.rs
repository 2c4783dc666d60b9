//! How many instructions does the creation of a task take? By callgrind, against stock clang: a few more while
//! nobody listens, and against a tool that has the runtime's own events of the same tasks not more than today while
//! somebody does.
//!
//! That tool is what shim and plugin are to be held against: what a runtime does for any tool with these events is
//! not theirs.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Context, Result, ensure};
use ompchunk_testsuite::callgrind;
use ompchunk_testsuite::runtime::{Attach, Runtime, compile_tool};
use ompchunk_testsuite::suite::Suite;
use ompchunk_testsuite::toolchain::Llvm;
use ompchunk_testsuite::{child, dist, program, workdir};

/// Of `tasks.c`: tasks by which the two lengths differ.
const TASKS: u64 = 40;
/// Two loads, a test, a branch; and with older compilers, which do not take two ways from there, another test
/// after the task is handed over.
const MOST_OFF: u64 = 7;
/// When tasks run, and what an event may take per task, with two readings of a clock that takes 2 instructions:
/// today's numbers.
const EVENTS: [(&str, u64); 2] = [("at_once", 166), ("deferred", 116)];

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
    let tool = &*compile_tool(&dist::testsuite().join("callgrind/tool.c"), dir)?;
    let shim = &*dist::shim()?;
    for runtime in Runtime::complete() {
        for (when, most) in EVENTS {
            let count = |program: &Path, libraries: &[&Path], callback: &str| {
                count(&runtime, program, libraries, callback, when, dir)
            };
            let context = || format!("on {}, tasks run {when}", runtime.name);
            let off = count(&plugin, &[], "")? - count(&plain, &[], "")?;
            ensure!(
                off <= MOST_OFF as f64,
                "{}: while nobody listens, {off} instructions more than with stock clang, at most {MOST_OFF} are wanted",
                context()
            );
            let on = count(&plugin, &[shim, tool], "creation")?;
            let stock = count(&plain, &[tool], "tasks")?;
            ensure!(
                on - stock <= most as f64,
                "{}: an event takes {} instructions more than the runtime's own, at most {most} are wanted",
                context(),
                on - stock
            );
        }
    }
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
    callback: &str,
    when: &str,
    dir: &Path,
) -> Result<f64> {
    let mut command = runtime.command(program, 2);
    if !libraries.is_empty() {
        Attach::ToolLibraries.apply(&mut command, libraries);
    }
    if !callback.is_empty() {
        command.env("CALLBACK", callback);
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
