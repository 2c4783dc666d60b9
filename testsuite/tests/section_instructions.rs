//! How many instructions does a section take? Exact numbers, by callgrind: the same as with stock clang while nobody
//! listens, and not more than today while somebody does. As `instructions.rs` has it for chunks.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result, ensure};
use ompchunk_testsuite::callgrind::{self, Cost};
use ompchunk_testsuite::runtime::{Attach, Runtime, compile_tool};
use ompchunk_testsuite::suite::Suite;
use ompchunk_testsuite::toolchain::Llvm;
use ompchunk_testsuite::{child, dist, program};

/// Of `sections.c`.
const THREADS: u64 = 2;
/// Of `sections.c`: sections by which the two constructs differ.
const MORE: u64 = 16;
/// What an execution may take more per thread while nobody listens: two loads, two tests with their branches, the answer set to
/// none, and three registers that the reporting copy needs saved and restored.
const MOST_PER_EXECUTION: u64 = 13;
/// Callback, and what its event may take per section. These are today's numbers.
const EVENTS: [(&str, u64); 3] = [("dispatch", 28), ("chunk", 55), ("clock", 87)];

pub fn trials(suite: &mut Suite) {
    suite.needs("instruction counts", callgrind::find(), |suite, ()| {
        Llvm::each_counted(suite, |suite, major, llvm| {
            for level in ["-O2", "-O3"] {
                let llvm = llvm.clone();
                suite.scoped(format!("clang-{major}{level}"), move |dir| test(&llvm, level, dir));
            }
        });
    });
}

fn test(llvm: &Llvm, level: &str, dir: &Path) -> Result<()> {
    let plain = compile(llvm, level, None, dir)?;
    let plugin = compile(llvm, level, Some(&dist::plugin(llvm.major)?), dir)?;
    let tool = compile_tool(&dist::testsuite().join("callgrind/tool.c"), dir)?;
    let shim = dist::shim()?;
    let stock = Sections::count(&plain, &[], "", dir)?;
    for (how, libraries, callback) in [
        ("no shim", vec![], ""),
        ("shim, no tool", vec![&*shim], ""),
        ("tool without callbacks", vec![&*shim, &*tool], "none"),
    ] {
        let off = Sections::count(&plugin, &libraries, callback, dir)?;
        ensure!(
            off.more == stock.more,
            "{how}: {MORE} sections take {:?}, with stock clang {:?}",
            off.more,
            stock.more
        );
        let beside = off.few.minus(stock.few).instructions / THREADS;
        ensure!(
            beside <= MOST_PER_EXECUTION,
            "{how}: an execution takes {beside} instructions per thread more than with stock clang, at most \
             {MOST_PER_EXECUTION} are wanted"
        );
        println!("{}{level}, {how}: {beside} per execution and thread", llvm.major);
    }
    for (callback, most) in EVENTS {
        let on = Sections::count(&plugin, &[&shim, &tool], callback, dir)?;
        let each = (on.more.instructions as f64 - stock.more.instructions as f64) / MORE as f64;
        println!("{}{level}, {callback}: {each} per section", llvm.major);
        ensure!(each <= most as f64, "callback {callback}: {each} instructions per section, at most {most} are wanted");
    }
    Ok(())
}

fn compile(llvm: &Llvm, level: &str, plugin: Option<&Path>, dir: &Path) -> Result<PathBuf> {
    let source = dist::testsuite().join("callgrind/sections.c");
    let to = dir.join(if plugin.is_some() { "plugin" } else { "plain" });
    let mut clang = program::compiler(llvm, &source, plugin);
    // Symbols shall be bound before anything is counted, and padding before a loop is an instruction, or none.
    clang.args([level, "-Wl,-z,now", "-falign-loops=1"]).arg(&source);
    child::succeed(clang.arg("-o").arg(&to))?;
    Ok(to)
}

/// A construct with few sections, with everything around them, and what more sections add.
struct Sections {
    few: Cost,
    more: Cost,
}

impl Sections {
    fn count(program: &Path, libraries: &[&Path], callback: &str, dir: &Path) -> Result<Sections> {
        let mut command = Runtime::libomp().command(program, THREADS as u32);
        if !libraries.is_empty() {
            Attach::ToolLibraries.apply(&mut command, libraries);
        }
        if !callback.is_empty() {
            command.env("CALLBACK", callback);
        }
        let counts = callgrind::count(&command, dir)?;
        let of = |name: &str| {
            let cost = counts.get(name).copied();
            cost.with_context(|| format!("callgrind saw no {name}"))
        };
        let (few, many) = (of("few")?, of("many")?);
        ensure!(many.instructions > few.instructions, "{few:?} for few sections, {many:?} for many");
        Ok(Sections { few, more: many.minus(few) })
    }
}
