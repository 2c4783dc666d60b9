//! How many instructions does a section take? Exact numbers, by callgrind: the same as with stock clang while nobody
//! listens, and not more than today while somebody does. As `instructions.rs` has it for chunks.

use std::path::Path;

use anyhow::{Context, Result, ensure};
use ompchunk_testsuite::callgrind::{self, Cost};
use ompchunk_testsuite::dist;
use ompchunk_testsuite::runtime::{Runtime, compile_tool};
use ompchunk_testsuite::suite::Suite;
use ompchunk_testsuite::toolchain::Llvm;

/// Threads of `sections.c`.
const THREADS: u64 = 2;
/// Sections by which the two constructs of `sections.c` differ.
const MORE: u64 = 16;
/// What an execution may take more per thread while nobody listens: two loads and three tests with their branches, the answer set to
/// none, and three registers that the reporting copy needs saved and restored.
const MOST_PER_EXECUTION: u64 = 16;
/// Callback, and what its event may take per section. These are today's numbers.
const EVENTS: [(&str, u64); 3] = [("dispatch", 34), ("chunk", 64), ("clock", 100)];

pub fn trials(suite: &mut Suite) {
    callgrind::suite_of_levels(suite, &["-O2", "-O3"], test);
}

fn test(llvm: &Llvm, level: &str, dir: &Path) -> Result<()> {
    // Padding before a loop is an instruction, or none.
    let compile =
        |plugin: Option<&Path>| callgrind::compile(llvm, "sections.c", plugin, &[level, "-falign-loops=1"], dir);
    let (plain, plugin) = (compile(None)?, compile(Some(&dist::plugin(llvm.major)?))?);
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

/// A construct with few sections, with everything around them, and what more sections add.
struct Sections {
    few: Cost,
    more: Cost,
}

impl Sections {
    fn count(program: &Path, libraries: &[&Path], callback: &str, dir: &Path) -> Result<Sections> {
        let command = callgrind::listened(&Runtime::libomp(), program, THREADS as u32, libraries, callback);
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
