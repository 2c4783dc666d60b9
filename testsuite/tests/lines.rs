//! Are source lines what they are without the plugin, for whoever counts or shows them?
//!
//! Programs of `coverage/` are compiled for gcov and for clang's own coverage, with the plugin and without, and run
//! with nobody listening and with a tool that listens to everything. What is printed of each source line, branch and
//! function must be the same. A debugger steps through the same lines.
//!
//! flang 22 counts no lines: it knows neither `--coverage` nor `-fprofile-instr-generate`.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, ensure};
use ompchunk_testsuite::runtime::{Runtime, compile_tool};
use ompchunk_testsuite::session::Session;
use ompchunk_testsuite::suite::{Missing, Suite};
use ompchunk_testsuite::toolchain::Llvm;
use ompchunk_testsuite::{child, coverage, dist};

/// With the number of threads for which what a line does is settled.
const SOURCES: [(&str, u32); 15] = [
    ("static.c", 3),
    ("static_10.c", 3),
    ("collapse_2.c", 3),
    ("three_loops.c", 3),
    ("lastprivate.c", 3),
    ("for_simd_if.c", 3),
    ("nested_serial.c", 3),
    ("distribute_chunked_parallel.c", 3),
    ("cancel.c", 1),
    ("dealt_ordered.c", 1),
    ("dealt_lastprivate.c", 1),
    ("explicit_task.c", 1),
    ("taskloop.c", 1),
    ("classes.cpp", 3),
    ("exceptions.cpp", 3),
];

const COUNTED_BY_CLANG: [&str; 4] = ["static.c", "static_10.c", "dealt_ordered.c", "classes.cpp"];

#[derive(Clone, Copy, PartialEq)]
enum Counting {
    Gcov,
    Clang,
}

pub fn trials(suite: &mut Suite) {
    Llvm::each(suite, |suite, major, llvm| {
        for (source, threads) in SOURCES {
            for (how, counting) in [("gcov", Counting::Gcov), ("clang", Counting::Clang)] {
                // clang counts in its own code, before the plugin runs: a few tell enough.
                if counting == Counting::Clang && !COUNTED_BY_CLANG.contains(&source) {
                    continue;
                }
                let llvm = llvm.clone();
                suite
                    .scoped(format!("{how}-{major}/{source}"), move |dir| count(&llvm, counting, source, threads, dir));
            }
        }
        suite.needs("stepping", debugger(), |suite, gdb| {
            suite.scoped(format!("stepping-{major}"), move |dir| step(&llvm, &gdb, dir));
        });
    });
}

/// One way to build and run a program.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Way {
    Plain,
    NobodyListens,
    Listening,
}

fn count(llvm: &Llvm, counting: Counting, source: &str, threads: u32, dir: &Path) -> Result<()> {
    let case = coverage::case::Case::read(&coverage::case::dir().join(source))?;
    for level in ["-O0", "-O2"] {
        let counts = |way: Way| {
            let dir = dir.join(format!("{way:?}{level}"));
            std::fs::create_dir(&dir)?;
            printed(llvm, counting, &case, level, threads, way, &dir).with_context(|| format!("{level}, {way:?}"))
        };
        let plain = counts(Way::Plain)?;
        let marks = match counting {
            Counting::Gcov => "#pragma omp",
            Counting::Clang => "DA:",
        };
        ensure!(plain.values().any(|text| text.contains(marks)), "no counts of {source}: {plain:?}");
        for way in [Way::NobodyListens, Way::Listening] {
            let counted = counts(way)?;
            for (file, text) in &plain {
                let other = counted.get(file).with_context(|| format!("no {file}"))?;
                let mut lines = text.lines().zip(other.lines());
                if let Some((before, after)) = lines.find(|(before, after)| before != after) {
                    anyhow::bail!("{level}, {way:?}: {file} has\n{after}\ninstead of\n{before}");
                }
                ensure!(text.lines().count() == other.lines().count(), "{file}");
            }
        }
    }
    Ok(())
}

/// What is said of each source file, after a build and a run.
fn printed(
    llvm: &Llvm,
    counting: Counting,
    case: &coverage::case::Case,
    level: &str,
    threads: u32,
    way: Way,
    dir: &Path,
) -> Result<BTreeMap<String, String>> {
    let plugin = match way {
        Way::Plain => None,
        _ => Some(dist::plugin(llvm.major)?),
    };
    let flags: &[&str] = match counting {
        Counting::Gcov => &["--coverage"],
        Counting::Clang => &["-fprofile-instr-generate", "-fcoverage-mapping"],
    };
    let object = dir.join("program.o");
    // Threads count the same lines at the same time.
    child::succeed(
        ompchunk_testsuite::program::compiler(llvm, &case.facts.source, plugin.as_deref())
            .current_dir(dir)
            .args(flags)
            .args(["-fprofile-update=atomic", "-w", level, "-I"])
            .arg(dist::testsuite().join("run"))
            .args(&case.facts.flags)
            .args(["-c", "-o"])
            .arg(&object)
            .arg(&case.facts.source),
    )?;
    let program = dir.join("program");
    child::succeed(
        child::command(llvm.driver(&case.facts.source))
            .args(["-fopenmp", "-rdynamic"])
            .args(flags)
            .arg(&object)
            .args(&case.facts.flags)
            .arg("-o")
            .arg(&program),
    )?;
    run(&program, threads, way, dir)?;
    match counting {
        Counting::Gcov => gcov(llvm, dir),
        Counting::Clang => clang(llvm, &program, dir),
    }
}

fn run(program: &Path, threads: u32, way: Way, dir: &Path) -> Result<()> {
    let session = Session::new(&Runtime::libomp(), threads, dir);
    let mut command = match way {
        Way::Listening => {
            let tool = compile_tool(&dist::testsuite().join("lines/tool.c"), dir)?;
            session.command(program, &[&dist::shim()?, &tool])
        }
        _ => session.command(program, &[]),
    };
    let finished = child::succeed(command.current_dir(dir))?;
    let said = finished.stderr;
    match way {
        // A tool that heard of nothing would prove nothing.
        Way::Listening => ensure!(said.contains("=") && !said.contains("chunks=0 tasks=0"), "the tool says {said:?}"),
        _ => ensure!(said.is_empty(), "{said}"),
    }
    Ok(())
}

/// Lines, branches, calls and functions.
fn gcov(llvm: &Llvm, dir: &Path) -> Result<BTreeMap<String, String>> {
    child::succeed(child::command(llvm.tool("llvm-cov")).args(["gcov", "-b", "-c", "program.gcno"]).current_dir(dir))?;
    let mut printed = BTreeMap::new();
    for entry in std::fs::read_dir(dir)? {
        let path = entry?.path();
        if path.extension().is_some_and(|extension| extension == "gcov") {
            let name = path.file_name().context("a file")?.to_string_lossy();
            printed.insert(name.into_owned(), std::fs::read_to_string(&path)?);
        }
    }
    Ok(printed)
}

fn clang(llvm: &Llvm, program: &Path, dir: &Path) -> Result<BTreeMap<String, String>> {
    let profile = dir.join("program.profdata");
    child::succeed(
        child::command(llvm.tool("llvm-profdata"))
            .args(["merge", "default.profraw", "-o"])
            .arg(&profile)
            .current_dir(dir),
    )?;
    let mut command = child::command(llvm.tool("llvm-cov"));
    command.args(["export", "-format=lcov"]).arg(program);
    command.arg(format!("-instr-profile={}", profile.display()));
    let exported = child::succeed(&mut command)?.stdout;
    Ok([("all files".to_owned(), exported)].into())
}

fn debugger() -> Result<PathBuf, Missing> {
    let gdb = PathBuf::from("/usr/bin/gdb");
    match gdb.is_file() {
        true => Ok(gdb),
        false => Err(Missing::Here("gdb is not installed: apt-get install gdb".into())),
    }
}

/// Every line that `step` stops at in the function, from its breakpoint on.
fn step(llvm: &Llvm, gdb: &Path, dir: &Path) -> Result<()> {
    let source = dist::testsuite().join("lines/stepped.c");
    let trace = |plugin: Option<PathBuf>| {
        let program = dir.join(if plugin.is_some() { "plugin" } else { "plain" });
        let mut compiler = ompchunk_testsuite::program::compiler(llvm, &source, plugin.as_deref());
        child::succeed(compiler.args(["-O0", "-g"]).arg(&source).arg("-o").arg(&program))?;
        let mut command: Command = child::command(gdb);
        command.args(["-q", "-nx", "-batch", "-ex", "set confirm off"]);
        command.args(["-ex", "break orphan", "-ex", "run"]);
        for _ in 0..300 {
            command.args(["-ex", "step"]);
        }
        let said = child::finish(command.arg(&program))?.stdout;
        let begin = said.find("Breakpoint 1, orphan").with_context(|| said.clone())?;
        let end = said.find("\nmain ()").with_context(|| said.clone())?;
        // In the same line twice is there once: where a line's code begins anew is the compiler's affair.
        let mut lines: Vec<&str> = said[begin..end].lines().collect();
        lines.dedup();
        Ok::<_, anyhow::Error>(lines.join("\n"))
    };
    let plain = trace(None)?;
    ensure!(plain.contains("a[i] += k"), "the debugger shows\n{plain}");
    let with_plugin = trace(Some(dist::plugin(llvm.major)?))?;
    ensure!(plain == with_plugin, "the debugger steps otherwise:\n{with_plugin}\ninstead of\n{plain}");
    Ok(())
}
