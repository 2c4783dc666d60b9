//! Does ompchunk do on another processor what it does here?
//!
//! That processor's programs run in an emulator (`testsuite/src/target.rs`). Without `OMPCHUNK_TARGET` these tests take
//! `target/aarch64`, which `scripts/cross.sh build` fills. The rest of the suite runs there with `scripts/cross.sh test`.
//!
//! The emulator's processors see memory in the order of this machine's, so nothing here is about memory order:
//! `docs/memory-order.md`.

use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Stdio};

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
    let mut suite = Suite::default();
    suite.needs("clang-22", Llvm::find(22), |suite, llvm| {
        for pages in ["4096", "16384", "65536"] {
            let llvm = llvm.clone();
            add(
                suite,
                &format!("recorded there, pages of {pages}"),
                move |dir| recorded_there(&llvm, pages, dir),
            );
        }
        let other = llvm.clone();
        add(suite, "recorded here", move |dir| {
            recorded_here(&other, dir)
        });
        let other = llvm.clone();
        add(suite, "instructions of a chunk", move |dir| {
            chunk(&other, dir)
        });
        let other = llvm.clone();
        add(suite, "instructions of an execution", move |dir| {
            execution(&other, dir)
        });
    });
    suite.run()
}

fn add(suite: &mut Suite, name: &str, body: impl FnOnce(&Path) -> Result<()> + Send + 'static) {
    let test = name.to_owned();
    suite.test(name, move || workdir::scoped(&test, body));
}

/// The same program with the variable set.
fn again() -> ExitCode {
    let directory = dist::repository().join("target/aarch64");
    if !directory.join("dist/lib/libompchunk_trace.so").is_file() {
        let mut suite = Suite::default();
        let missing = Missing(format!(
            "{} is not there: scripts/cross.sh build",
            directory.display()
        ));
        suite.needs("another processor", Err::<(), _>(missing), |_, ()| {});
        return suite.run();
    }
    let own = std::env::current_exe().expect("a test has a path");
    let mut command = Command::new(own);
    command
        .args(std::env::args_os().skip(1))
        .env(VARIABLE, directory);
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
    ensure!(
        seen == (Some(CHUNKS), Some(ITERATIONS)),
        "chunks and iterations {seen:?} in\n{ours:#}"
    );
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
    command
        .args(emulated.get_args())
        .env("OMP_NUM_THREADS", "4");
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
    clang.arg(format!(
        "-fpass-plugin={}",
        dist::plugin(llvm.major)?.display()
    ));
    child::succeed(clang.arg(source()).arg("-o").arg(&program))?;
    let trace = dir.join("trace.ompchunk");
    let mut command = here();
    command
        .args(["record", "-o"])
        .arg(&trace)
        .arg("--")
        .arg(&program);
    child::succeed(command.env("OMP_NUM_THREADS", "4"))?;
    check(&trace)?;
    Ok(())
}

/// Instructions of a program of that processor: the emulator says each of them.
fn instructions(program: &Path, number: u64, libraries: &[&Path], callback: &str) -> Result<u64> {
    let mut command = target()?.count(program);
    command
        .arg(number.to_string())
        .env("OMP_NUM_THREADS", "1")
        .env("CALLBACK", callback)
        .stdout(Stdio::null())
        .stderr(Stdio::piped());
    if !libraries.is_empty() {
        Attach::ToolLibraries.apply(&mut command, libraries);
    }
    let mut child = command.spawn()?;
    let said = BufReader::new(child.stderr.take().context("it is piped")?);
    let mut count = 0;
    for line in said.split(b'\n') {
        count += u64::from(line?.starts_with(b"Trace "));
    }
    ensure!(child.wait()?.success(), "{command:?} failed");
    ensure!(count > 0, "{command:?} counted nothing");
    Ok(count)
}

/// By how many instructions one more of what the program's argument counts is dearer.
fn each(program: &Path, libraries: &[&Path], callback: &str) -> Result<f64> {
    let (few, more) = (20, 120);
    // When it begins, libomp turns round until the clock has gone on by 0.1 ms: now and then that takes thousands of instructions
    // more or less.
    let count = |number| -> Result<u64> {
        let mut counts = (0..5)
            .map(|_| instructions(program, number, libraries, callback))
            .collect::<Result<Vec<u64>>>()?;
        counts.sort_unstable();
        Ok(counts[2])
    };
    Ok((count(more)? as f64 - count(few)? as f64) / (more - few) as f64)
}

fn both(llvm: &Llvm, source: &str, dir: &Path) -> Result<[PathBuf; 2]> {
    let paths = ["plain", "plugin"].map(|name| dir.join(name));
    for (path, plugin) in paths.iter().zip([false, true]) {
        compile(llvm, &dist::testsuite().join(source), plugin, path)?;
    }
    Ok(paths)
}

/// A chunk with nobody listening costs nothing.
fn chunk(llvm: &Llvm, dir: &Path) -> Result<()> {
    let [plain, plugin] = both(llvm, "target/chunks.c", dir)?;
    let (with, without) = (each(&plugin, &[], "none")?, each(&plain, &[], "none")?);
    println!("a chunk, nobody listens: {with}, without ompchunk {without}");
    ensure!(
        (with - without).abs() < 0.5,
        "{with} instructions per chunk, without ompchunk {without}"
    );
    Ok(())
}

/// Of an execution with one chunk, at most, beyond what the runtime takes for the same tool; it is in docs/aarch64.md. In a team of
/// one libomp tells of no chunk, so the shim asks it whose the loop is, which takes the larger part of the second.
const EXECUTION: [(&str, f64); 2] = [("none", 8.0), ("dispatch", 430.0)];

fn execution(llvm: &Llvm, dir: &Path) -> Result<()> {
    let [plain, plugin] = both(llvm, "callgrind/executions.c", dir)?;
    let tool = compile_tool(&dist::testsuite().join("callgrind/tool.c"), dir)?;
    let shim = dist::shim()?;
    for (callback, most) in EXECUTION {
        let (with, without): (&[&Path], &[&Path]) = match callback {
            "none" => (&[], &[]),
            _ => (&[&shim, &tool], &[&tool]),
        };
        let (with, without) = (
            each(&plugin, with, callback)?,
            each(&plain, without, callback)?,
        );
        println!("an execution, {callback}: {with}, without ompchunk {without}");
        ensure!(
            with - without <= most,
            "{callback}: {with} instructions per execution, without ompchunk {without}; at most {most} more"
        );
    }
    Ok(())
}
