//! Does ompchunk do on another processor what it does here?
//!
//! That processor's programs run in an emulator (`testsuite/src/target.rs`). Without `OMPCHUNK_TARGET` these tests take
//! `target/aarch64`, which `scripts/cross.sh build` fills. The rest of the suite runs there with `scripts/cross.sh test`.
//!
//! The emulator's processors see memory in the order of this machine's, so nothing here is about memory order:
//! `docs/memory-order.md`.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

use anyhow::{Context, Result, ensure};
use ompchunk_testsuite::runtime::{Attach, compile_tool};
use ompchunk_testsuite::suite::{Missing, Suite};
use ompchunk_testsuite::target::{self, Target};
use ompchunk_testsuite::toolchain::Llvm;
use ompchunk_testsuite::{child, dist, program, workdir};

const VARIABLE: &str = "OMPCHUNK_TARGET";

/// Iterations and chunks of `program.c`, over all its executions.
const ITERATIONS: u64 = 4000;
const CHUNKS: u64 = 400;

fn main() -> ExitCode {
    if target::current().is_none() {
        return again();
    }
    Suite::run(&[("target", trials)])
}

fn trials(suite: &mut Suite) {
    suite.needs("clang-22", Llvm::find(22), |suite, llvm| {
        for pages in ["4096", "16384", "65536"] {
            let llvm = llvm.clone();
            suite.scoped(&format!("recorded there, pages of {pages}"), move |dir| recorded_there(&llvm, pages, dir));
        }
        let other = llvm.clone();
        suite.scoped("recorded here", move |dir| recorded_here(&other, dir));
        for (at, (threads, listener, _, _)) in MOST.into_iter().enumerate() {
            let llvm = llvm.clone();
            let name = format!("instructions, {threads} threads, {listener:?}");
            suite.scoped(&name, move |dir| instructions(&llvm, at, dir));
        }
    });
}

/// Where `scripts/cross.sh` puts what it builds.
fn built() -> PathBuf {
    dist::repository().join("target/aarch64")
}

/// The same program with the variable set.
fn again() -> ExitCode {
    let directory = built();
    if !directory.join("dist/lib/libompchunk_trace.so").is_file() {
        return Suite::run(&[("target", |suite| {
            let missing = Missing::Here(format!("{} is not there: scripts/cross.sh build", built().display()));
            suite.needs("another processor", Err::<(), _>(missing), |_, ()| {});
        })]);
    }
    let own = std::env::current_exe().expect("a test has a path");
    let mut command = Command::new(own);
    command.args(std::env::args_os().skip(1)).env(VARIABLE, directory);
    match command.status().expect("it starts").success() {
        true => ExitCode::SUCCESS,
        false => ExitCode::FAILURE,
    }
}

fn target() -> Result<&'static Target> {
    target::current().context("no OMPCHUNK_TARGET")
}

fn compile(llvm: &Llvm, source: &Path, plugin: bool, to: &Path) -> Result<()> {
    let plugin = plugin.then(|| dist::plugin(llvm.major)).transpose()?;
    let mut clang = program::compiler(llvm, source, plugin.as_deref());
    clang.args(["-O2", "-g", "-Wl,-z,now"]).arg(source);
    child::succeed(clang.arg("-o").arg(to))?;
    Ok(())
}

fn source() -> PathBuf {
    dist::testsuite().join("target/program.c")
}

/// `report --json` by this machine's command, or the other's.
fn report(command: &mut Command, trace: &Path) -> Result<serde_json::Value> {
    let said = child::succeed(command.args(["report", "--json"]).arg(trace))?;
    serde_json::from_str(&said.stdout).context("the report's JSON")
}

fn here() -> Command {
    child::command(dist::own().join("bin/ompchunk"))
}

fn there() -> Result<Command> {
    Ok(child::command(target()?.dist().join("bin/ompchunk")))
}

/// Both commands say the same of it, and every chunk is there.
fn check(trace: &Path) -> Result<serde_json::Value> {
    let (ours, theirs) = (report(&mut here(), trace)?, report(&mut there()?, trace)?);
    ensure!(ours == theirs, "here\n{ours:#}\nthere\n{theirs:#}");
    let the_loop = &ours["loops"][0];
    let seen = (the_loop["chunks"].as_u64(), the_loop["iterations"].as_u64());
    ensure!(seen == (Some(CHUNKS), Some(ITERATIONS)), "chunks and iterations {seen:?} in\n{ours:#}");
    Ok(ours)
}

fn recorded_there(llvm: &Llvm, pages: &str, dir: &Path) -> Result<()> {
    let program = dir.join("program");
    compile(llvm, &source(), true, &program)?;
    let trace = dir.join("trace.ompchunk");
    // Their command records, and starts the emulator once more for the program.
    let mut command = there()?;
    command.args(["record", "-o"]).arg(&trace);
    let emulated = target()?.emulate(&program, Some(pages));
    command.arg("--").arg(emulated.get_program());
    command.args(emulated.get_args()).env("OMP_NUM_THREADS", "4");
    let said = child::succeed(&mut command)?.stderr;
    ensure!(said.contains("0 chunks lost"), "{said}");
    let report = check(&trace)?;
    let step = &report["parts"][0]["clock_step_seconds"];
    ensure!(step.is_number(), "the emulator's clock has steps: {step}");
    let said = child::succeed(here().arg("report").arg(&trace))?.stdout;
    ensure!(said.contains("the clock has steps of "), "{said}");
    ensure!(!said.contains("shortest 0 s"), "{said}");
    Ok(())
}

fn recorded_here(llvm: &Llvm, dir: &Path) -> Result<()> {
    let program = dir.join("program");
    let mut clang = Command::new(llvm.tool("clang"));
    clang.args(["-O2", "-g", "-fopenmp"]);
    clang.arg(format!("-fpass-plugin={}", dist::plugin(llvm.major)?.display()));
    child::succeed(clang.arg(source()).arg("-o").arg(&program))?;
    let trace = dir.join("trace.ompchunk");
    let mut command = here();
    command.args(["record", "-o"]).arg(&trace).arg("--").arg(&program);
    child::succeed(command.env("OMP_NUM_THREADS", "4"))?;
    check(&trace)?;
    Ok(())
}

#[derive(Debug, Clone, Copy)]
enum Listener {
    Nobody,
    /// A tool whose dispatch callback does nothing.
    Dispatch,
    /// The same with the chunk callback.
    Chunk,
    Recorder,
}

impl Listener {
    /// What the tool listens to: with ompchunk, unless it is the recorder, and what without takes its place.
    fn callbacks(self) -> (Option<&'static str>, Option<&'static str>) {
        match self {
            Listener::Nobody => (None, None),
            Listener::Dispatch => (Some("dispatch"), Some("dispatch")),
            Listener::Chunk => (Some("chunk"), Some("none")),
            Listener::Recorder => (None, Some("loops")),
        }
    }
}

/// Threads, who listens, and how many instructions more than without ompchunk a chunk and an execution with one chunk may take: today's
/// numbers, which are in docs/aarch64.md. A team of one gets a loop as one chunk of libomp, so there none is counted; the shim asks
/// it whose the loop is, which takes most of the last.
const MOST: [(u32, Listener, Option<f64>, f64); 5] = [
    (2, Listener::Nobody, Some(0.0), 11.0),
    (2, Listener::Dispatch, Some(27.0), 128.0),
    (2, Listener::Chunk, Some(25.0), 507.0),
    (2, Listener::Recorder, Some(70.0), 393.0),
    (1, Listener::Dispatch, None, 417.0),
];

/// Chunks and executions. So many that the recorder has found out, well before half of them, that the loop is executed often.
const COUNTED: usize = 5000;

fn instructions(llvm: &Llvm, at: usize, dir: &Path) -> Result<()> {
    let (threads, listener, chunk, execution) = MOST[at];
    let tool = compile_tool(&dist::testsuite().join("callgrind/tool.c"), dir)?;
    let (shim, recorder) = (dist::shim()?, dist::recorder()?);
    let (with, without) = listener.callbacks();
    let libraries: &[&Path] = match listener {
        Listener::Nobody => &[],
        Listener::Recorder => &[&shim, &recorder],
        _ => &[&shim, &tool],
    };
    let with = count(llvm, true, threads, libraries, with, dir)?;
    let libraries: &[&Path] = if without.is_some() { &[&tool] } else { &[] };
    let without = count(llvm, false, threads, libraries, without, dir)?;
    for (what, most) in [("chunk", chunk), ("execution", Some(execution))] {
        let Some(most) = most else { continue };
        let (with, without) = (usual(&with, what)?, usual(&without, what)?);
        let said = format!("{threads} threads, {listener:?}, {what}: {with} instructions, without ompchunk {without}");
        println!("{said}");
        ensure!(with - without <= most, "{said}; at most {most} more");
    }
    Ok(())
}

/// What a quarter of the later half does not exceed: some take more, the first ones, or where the machine had other work. Two at a
/// time, since the recorder takes turns in what it does.
fn usual(counts: &BTreeMap<String, Vec<u64>>, what: &str) -> Result<f64> {
    let counts = counts.get(what).map_or(&[][..], Vec::as_slice);
    ensure!(counts.len() == COUNTED - 1, "{what}: counted {}", counts.len());
    let later = counts[COUNTED / 2..].chunks_exact(2);
    let mut sorted: Vec<u64> = later.map(|two| two[0] + two[1]).collect();
    sorted.sort_unstable();
    Ok(sorted[sorted.len() / 4] as f64 / 2.0)
}

/// What the first thread executes from one mark to the next, by the mark's name: `counter.c` in the emulator counts.
fn count(
    llvm: &Llvm,
    plugin: bool,
    threads: u32,
    libraries: &[&Path],
    callback: Option<&str>,
    dir: &Path,
) -> Result<BTreeMap<String, Vec<u64>>> {
    let sources = dist::testsuite().join("target");
    let program = dir.join(if plugin { "plugin" } else { "plain" });
    compile(llvm, &sources.join("marked.c"), plugin, &program)?;
    // The emulator is this machine's.
    let counter = dir.join("counter.so");
    let mut clang = Command::new(llvm.tool("clang"));
    clang.args(["-O2", "-Wall", "-Wextra", "-Werror", "-fPIC", "-shared"]);
    clang.arg(sources.join("counter.c")).arg("-o").arg(&counter);
    child::succeed(&mut clang)?;
    let number = COUNTED.to_string();
    let mut command = target()?.plugged(&program, &counter);
    // Who waits sleeps.
    command
        .args([threads.to_string().as_str(), &number, &number])
        .env("KMP_BLOCKTIME", "0")
        .env("OMPCHUNK_TRACE", dir.join("trace"));
    if let Some(callback) = callback {
        command.env("CALLBACK", callback);
    }
    if !libraries.is_empty() {
        Attach::ToolLibraries.apply(&mut command, libraries);
    }
    let said = child::succeed(&mut command)?.stderr;
    let mut counts = BTreeMap::new();
    for line in said.lines() {
        let Some(line) = line.strip_prefix("mark_") else {
            continue;
        };
        let mut words = line.split(' ');
        let name = words.next().unwrap_or_default();
        let numbers: Result<Vec<u64>, _> = words.map(str::parse).collect();
        counts.insert(name.to_owned(), numbers.with_context(|| line.to_owned())?);
    }
    Ok(counts)
}
