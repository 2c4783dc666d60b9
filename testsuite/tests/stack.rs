//! Does the plugin leave a program the stack that it has? By `-fstack-usage` and by the jumps that end functions, of all
//! programs of the suite; and by programs that need every byte.
//!
//! A function that creates tasks takes what it took, or a register more. One with loops takes a frame more, one for all loops that do
//! not overlap, and what the reporting copy keeps.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, ensure};
use ompchunk_testsuite::matrix;
use ompchunk_testsuite::runtime::{Attach, Runtime, oracle_tool};
use ompchunk_testsuite::suite::Suite;
use ompchunk_testsuite::toolchain::{Llvm, MAJORS};
use ompchunk_testsuite::{child, dist, facts, program};

/// A frame and the padding before it.
const FRAME: i64 = 176;
/// Registers that are kept while the shim is called: 7 of them, and padding.
const KEPT: i64 = 64;
/// A register that the copy of a task's creation keeps, where the code itself needs few.
const KEPT_BY_TASKS: i64 = 16;
const FOLDERS: [&str; 3] = ["run", "tasks", "stack"];
/// The first one with every compiler, all with the newest; [`matrix::is_full`] has all.
const LEVELS: [&str; 3] = ["-O2", "-O1", "-O3"];

/// What is known of a compiled function.
#[derive(Default)]
struct Function {
    bytes: i64,
    has_loops: bool,
    has_tasks: bool,
    jumps_to: BTreeSet<String>,
}

pub fn trials(suite: &mut Suite) {
    Llvm::each(suite, |suite, major, llvm| {
        let all = major == MAJORS[0] || matrix::is_full();
        for level in LEVELS.into_iter().take(if all { LEVELS.len() } else { 1 }) {
            let (name, one) = (format!("usage/clang-{major}{level}"), llvm.clone());
            suite.scoped(name, move |dir| usage(&one, level, dir));
            let (name, one) = (format!("list/clang-{major}{level}"), llvm.clone());
            suite.scoped(name, move |dir| list(&one, level, dir));
            let (name, one) = (format!("roots/clang-{major}{level}"), llvm.clone());
            suite.scoped(name, move |dir| roots(&one, level, dir));
        }
    });
}

fn usage(llvm: &Llvm, level: &str, dir: &Path) -> Result<()> {
    let plugin = dist::plugin(llvm.major)?;
    let (mut creating, mut with_loops) = (0, 0);
    for source in sources()? {
        let context = || source.display().to_string();
        // What the oldest compiler cannot read is left out, if it cannot without the plugin either.
        let Ok(before) = compile(llvm, level, &source, None, dir) else {
            ensure!(llvm.major < 19, "{}", context());
            continue;
        };
        let after = compile(llvm, level, &source, Some(&plugin), dir).with_context(context)?;
        for (name, was) in &before {
            let is = after.get(name).with_context(|| format!("{}: no {name}", context()))?;
            let more = is.bytes - was.bytes;
            let most = if was.has_loops {
                FRAME + KEPT
            } else if was.has_tasks {
                KEPT_BY_TASKS
            } else {
                0
            };
            ensure!(more <= most, "{}: {name} takes {more} bytes of stack more, at most {most} are wanted", context());
            let lost: Vec<_> = was.jumps_to.difference(&is.jumps_to).collect();
            ensure!(
                // The runtime calls what clang outlines, and nothing comes back to it. Clang 16 does not split the
                // end of a function for a jump that only one of two ways ends in.
                llvm.major < 19 || was.has_loops || name.contains(".omp_") || lost.is_empty(),
                "{}: {name} no longer ends in a jump to {lost:?}",
                context()
            );
            with_loops += usize::from(was.has_loops);
            creating += usize::from(name == "walk" || name == "create" || name == "dive");
        }
    }
    ensure!(creating >= 3 && with_loops > 40, "{creating} {with_loops}");
    Ok(())
}

fn sources() -> Result<Vec<PathBuf>> {
    let below = |folder: &&str| facts::sources(&dist::testsuite().join(folder), &["c", "cpp"]);
    Ok(FOLDERS.iter().map(below).collect::<Result<Vec<_>>>()?.concat())
}

fn compile(
    llvm: &Llvm,
    level: &str,
    source: &Path,
    plugin: Option<&Path>,
    dir: &Path,
) -> Result<BTreeMap<String, Function>> {
    let (assembly, usage) = (dir.join("it.s"), dir.join("it.su"));
    let mut clang: Command = program::compiler(llvm, source, plugin);
    clang.args([level, "-w", "-S", "-fstack-usage"]).arg(source);
    child::succeed(clang.arg("-o").arg(&assembly))?;
    let mut functions: BTreeMap<String, Function> = BTreeMap::new();
    let (mut current, mut named) = (String::new(), String::new());
    for line in std::fs::read_to_string(&assembly)?.lines() {
        // Labels of inline assembly have no type.
        if let Some((name, "@function")) =
            line.trim().strip_prefix(".type").and_then(|rest| rest.trim().split_once(','))
        {
            named = name.to_owned();
        }
        if let Some(label) = line.split(':').next().filter(|_| line.contains(':'))
            && !line.starts_with([' ', '\t', '.', '#'])
            && label == named
        {
            current = label.to_owned();
        }
        let function = functions.entry(current.clone()).or_default();
        function.has_loops |= line.contains("__kmpc_for_static_init")
            || line.contains("__kmpc_dist_for_static_init")
            || line.contains("__kmpc_dispatch_init");
        function.has_tasks |= line.contains("__kmpc_omp_task_alloc");
        let target = line.trim().strip_prefix("jmp").map(str::trim_start);
        let is_function = |to: &&str| !to.starts_with(['.', '*', '_']) || to.starts_with("__kmpc");
        function.jumps_to.extend(target.filter(is_function).map(str::to_owned));
    }
    for line in std::fs::read_to_string(&usage)?.lines() {
        let mut fields = line.split('\t');
        let (place, bytes) = (fields.next(), fields.next());
        let name = place.and_then(|place| place.rsplit(':').next());
        if let (Some(name), Some(bytes)) = (name, bytes)
            && let Some(function) = functions.get_mut(name)
        {
            function.bytes = bytes.parse().context("a number of bytes")?;
        }
    }
    Ok(functions)
}

/// A million nodes on a small stack, with and without a tool; and tasks in tasks, 100,000 deep.
fn list(llvm: &Llvm, level: &str, dir: &Path) -> Result<()> {
    let source = dist::testsuite().join("stack/list.c");
    let to = dir.join("list");
    let mut clang = program::compiler(llvm, &source, Some(&dist::plugin(llvm.major)?));
    child::succeed(clang.arg(level).arg(&source).arg("-o").arg(&to))?;
    let libraries = [&*dist::shim()?, oracle_tool()?];
    for runtime in Runtime::complete() {
        for (stack, arguments, expected) in [("256", "1000000 1", "499500000 1\n"), ("unlimited", "1 100000", "0 1\n")]
        {
            for listening in [false, true] {
                // A shell sets the limit, which is the program's then.
                let mut command = runtime.command(Path::new("/bin/sh"), 2);
                command.args(["-c", "ulimit -s $0 && exec $1 $2 $3", stack]);
                command.arg(&to).args(arguments.split(' '));
                if listening {
                    Attach::ToolLibraries.apply(&mut command, &libraries);
                    command.env("ORACLE_LOG", "/dev/null").env("ORACLE_EVENTS", "creation,clock");
                }
                let finished = child::succeed(&mut command)?;
                ensure!(finished.stdout == expected, "on {}: {}", runtime.name, finished.stdout);
            }
        }
    }
    Ok(())
}

/// Who begins a region learns at its end what its loops cost, on the stack that there is.
fn roots(llvm: &Llvm, level: &str, dir: &Path) -> Result<()> {
    let to = dir.join("roots");
    let source = dist::testsuite().join("stack/roots.c");
    let mut clang = program::compiler(llvm, &source, Some(&dist::plugin(llvm.major)?));
    child::succeed(clang.arg(level).arg(&source).arg("-o").arg(&to))?;
    for runtime in Runtime::complete() {
        for schedule in ["*=balanced", "*=adaptive"] {
            let mut command = runtime.command(&to, 3);
            Attach::Preload.apply(&mut command, &[&*dist::shim()?]);
            let finished = child::succeed(command.arg("24576").env("OMPCHUNK_SCHEDULE", schedule))?;
            ensure!(finished.stdout == "1\n", "{schedule} on {}: {}", runtime.name, finished.stdout);
        }
    }
    Ok(())
}
