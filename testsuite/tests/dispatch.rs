//! Does a tool that knows nothing of ompchunk see every chunk of the program that upstream's issue is
//! about (llvm-project 212784), and every section, by the address of its code?

use std::collections::BTreeSet;
use std::path::Path;

use anyhow::{Context, Result, bail, ensure};
use ompchunk_testsuite::runtime::{Attach, Runtime, compile_tool};
use ompchunk_testsuite::session::Session;
use ompchunk_testsuite::suite::Suite;
use ompchunk_testsuite::toolchain::Llvm;
use ompchunk_testsuite::{child, dist, program};

type Test = fn(&Llvm, &Runtime, &Path) -> Result<()>;

pub fn trials(suite: &mut Suite) {
    Llvm::each(suite, |suite, major, llvm| {
        let runtimes = [("libomp", Ok(Runtime::libomp())), ("libiomp5", Runtime::libiomp5())];
        let tests: [(&str, Test); 2] = [("hundred_events", hundred_events), ("sections", sections)];
        for (name, runtime) in runtimes {
            suite.needs(name, runtime, |suite, runtime| {
                for (test, run) in tests {
                    let (llvm, runtime) = (llvm.clone(), runtime.clone());
                    suite.scoped(format!("{test}/clang-{major}/{name}"), move |dir| run(&llvm, &runtime, dir));
                }
            });
        }
    });
}

fn hundred_events(llvm: &Llvm, runtime: &Runtime, dir: &Path) -> Result<()> {
    let tool = compile_tool(&dist::testsuite().join("oracle/dispatch_counter.c"), dir)?;
    let chunks = ["-O0", "-O1", "-O2", "-O3", "-Os"].map(|level| ("link/hundred_chunks.c", level, 100));
    for (source, level, once) in chunks.into_iter().chain([("link/hundred_alone.c", "-O1", 0)]) {
        let source = dist::testsuite().join(source);
        let program = dir.join(format!("program{level}"));
        let mut clang = program::compiler(llvm, &source, Some(&dist::plugin(llvm.major)?));
        child::succeed(clang.arg(level).arg(&source).arg("-o").arg(&program))?;
        for attach in [Attach::ToolLibraries, Attach::Preload] {
            let session = Session { attach, ..Session::new(runtime, 2, dir) };
            let output = session.run(&program, &[&dist::shim()?, &tool])?;
            let right = format!("100 dispatch events, 0 strange, {once} iterations exactly once\n");
            ensure!(output == right, "{level}, {attach:?}: {output}");
        }
    }
    Ok(())
}

/// Five sections that run fifty times: each run has one event, whose address is in the line of that section and no other's.
fn sections(llvm: &Llvm, runtime: &Runtime, dir: &Path) -> Result<()> {
    let tool = compile_tool(&dist::testsuite().join("oracle/section_counter.c"), dir)?;
    let source = dist::testsuite().join("link/sections.c");
    for level in ["-O0", "-O1", "-O2", "-O3", "-Os"] {
        let program = dir.join(format!("program{level}"));
        let mut clang = program::compiler(llvm, &source, Some(&dist::plugin(llvm.major)?));
        clang.args(["-g", level]).arg(&source);
        child::succeed(clang.arg("-o").arg(&program))?;
        for threads in [1, 2, 7] {
            let session = Session::new(runtime, threads, dir);
            let output = session.run(&program, &[&dist::shim()?, &tool])?;
            judge_sections(llvm, &program, &output).with_context(|| format!("{level}, {threads} threads: {output}"))?;
        }
    }
    Ok(())
}

fn judge_sections(llvm: &Llvm, program: &Path, output: &str) -> Result<()> {
    let mut lines = output.lines();
    ensure!(lines.next() == Some("250 events, 0 strange"), "its first line");
    let mut places = BTreeSet::new();
    for line in lines {
        let [_, source_line, place] = line.split(' ').collect::<Vec<_>>()[..] else {
            bail!("no three words");
        };
        // The address that a call returns to is behind it.
        let place = u64::from_str_radix(place.trim_start_matches("0x"), 16)? - 1;
        places.insert(place);
        let mut symbolizer = child::command(llvm.tool("llvm-symbolizer"));
        symbolizer.args(["--output-style=GNU", "--basenames", "-e"]).arg(program);
        let said = child::succeed(symbolizer.arg(format!("{place:#x}")))?.stdout;
        let is_there = said.contains(&format!("sections.c:{source_line}\n"));
        ensure!(is_there, "{place:#x} is at {said}, not in line {source_line}");
    }
    ensure!(places.len() == 5, "sections share addresses");
    Ok(())
}
