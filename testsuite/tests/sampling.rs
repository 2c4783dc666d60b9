//! Do inquiry functions hold in a signal handler that strikes while chunks, loops and tasks are reported?
//!
//! `sampling/tool.c` interrupts every thread some 25,000 times a second and asks everything; what it hears of
//! loops must be whole. The program computes what it computed, and ends.

use std::collections::BTreeMap;
use std::path::Path;

use anyhow::{Context, Result, ensure};
use ompchunk_testsuite::runtime::{Attach, Runtime, compile_tool};
use ompchunk_testsuite::session::Session;
use ompchunk_testsuite::suite::Suite;
use ompchunk_testsuite::toolchain::Llvm;
use ompchunk_testsuite::{child, dist, program};

pub fn trials(suite: &mut Suite) {
    suite.needs("second runtime", Runtime::second(), |_, _| {});
    Llvm::each(suite, |suite, major, llvm| {
        for level in ["-O0", "-O2"] {
            let llvm = llvm.clone();
            suite.scoped(format!("clang-{major}/{level}"), move |dir| test(&llvm, level, dir));
        }
    });
}

fn test(llvm: &Llvm, level: &str, dir: &Path) -> Result<()> {
    let sources = dist::testsuite().join("sampling");
    let (source, to) = (sources.join("program.c"), dir.join("program"));
    let mut clang = program::compiler(llvm, &source, Some(&dist::plugin(llvm.major)?));
    child::succeed(clang.args([level, "-g"]).arg(&source).arg("-o").arg(&to))?;
    let tool = compile_tool(&sources.join("tool.c"), dir)?;
    for runtime in Runtime::complete() {
        for attach in [Attach::ToolLibraries, Attach::Preload] {
            let session = Session { attach, ..Session::new(&runtime, 3, dir) };
            let context = || format!("on {}, {attach:?}", runtime.name);
            let right = session.run(&to, &[])?;
            let mut command = session.command(&to, &[&dist::shim()?, &tool]);
            let finished = child::succeed(&mut command).with_context(context)?;
            ensure!(finished.stdout == right, "{}: {} instead of {right}", context(), finished.stdout);
            judge(&finished.stderr).with_context(context)?;
        }
    }
    Ok(())
}

fn judge(said: &str) -> Result<()> {
    let counts: BTreeMap<&str, u64> = said
        .split_whitespace()
        .filter_map(|word| word.split_once('='))
        .map(|(name, count)| Ok((name, count.parse()?)))
        .collect::<Result<_>>()
        .with_context(|| said.to_owned())?;
    let count = |name| counts.get(name).copied().with_context(|| said.to_owned());
    // Two loops of three threads, 800 times, and the inner ones.
    ensure!(count("bad")? == 0, "{said}");
    ensure!(count("samples")? > 100 && count("in_loop")? > 10, "{said}");
    ensure!(count("loops")? >= 2 * 2 * 3 * 800, "{said}");
    ensure!(count("creations")? == 20 * 800, "{said}");
    ensure!(count("chunks")? >= (7 + 10) * 800, "{said}");
    Ok(())
}
