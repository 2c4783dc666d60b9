//! Do sub-blocks stand what threads, tools and libraries do to them?
//!
//! A tool that changes its mind about them while loops run, a child after `fork`, libraries whose loops come to lie where others lay,
//! loops near the ends of each type, inside each other, with exceptions. The program counts for itself: each iteration must run
//! once, on the thread that runs it in a stock build, and all values are the same to the last bit.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result, ensure};
use ompchunk_testsuite::runtime::{Attach, Runtime, compile_tool};
use ompchunk_testsuite::suite::Suite;
use ompchunk_testsuite::toolchain::Llvm;
use ompchunk_testsuite::{child, dist, program};
use regex::Regex;

/// What the program does, and how many rounds.
const MODES: [(&str, &str); 3] = [("loops", "40"), ("fork", "16"), ("library", "60")];
const SIZES: [&str; 4] = ["iterations=1", "iterations=7", "iterations=64", ""];

pub fn trials(suite: &mut Suite) {
    suite.needs("second runtime", Runtime::second(), |_, _| {});
    Llvm::each(suite, |suite, major, llvm| {
        for level in ["-O0", "-O2", "-O3"] {
            let llvm = llvm.clone();
            suite.scoped(format!("clang-{major}{level}"), move |dir| test(&llvm, level, dir));
        }
    });
}

fn test(llvm: &Llvm, level: &str, dir: &Path) -> Result<()> {
    let plugin = dist::plugin(llvm.major)?;
    let compile = |plugin: Option<&Path>, name: &str, flags: &[&str]| -> Result<PathBuf> {
        let source = dist::testsuite().join("sub_blocks/attack.cpp");
        let to = dir.join(name);
        let mut command = program::compiler(llvm, &source, plugin);
        command.arg(level).args(flags).arg(&source);
        // Functions of the part that is left away.
        command.args(["-Wno-unused-function", "-ldl", "-o"]).arg(&to);
        child::succeed(&mut command)?;
        Ok(to)
    };
    let build = |plugin: Option<&Path>, name: &str| -> Result<[PathBuf; 3]> {
        let library = |salt: &str| {
            let salt = format!("-DSALT={salt}");
            let flags = ["-DLIBRARY", &salt, "-shared", "-fPIC"];
            compile(plugin, &format!("{name}{salt}.so"), &flags)
        };
        Ok([compile(plugin, name, &[])?, library("1")?, library("2")?])
    };
    let (stock, divided) = (build(None, "stock")?, build(Some(&plugin), "divided")?);
    let tool = compile_tool(&dist::testsuite().join("sub_blocks/tool.c"), dir)?;
    let shim = dist::shim()?;
    let mut number = 0;
    for runtime in Runtime::complete() {
        for (mode, rounds) in MODES {
            for flip in [false, true] {
                let command = |[program, one, other]: &[PathBuf; 3], threads| {
                    let mut command = runtime.command(program, threads);
                    command.arg(mode).arg(rounds).arg(one).arg(other);
                    command
                };
                number += 1;
                let (threads, size) = ([1, 3, 4][number % 3], SIZES[number % SIZES.len()]);
                let stock = child::succeed(&mut command(&stock, threads))?.stdout;
                let mut command = command(&divided, threads);
                command.env("OMPCHUNK_PROFILE", size);
                if flip {
                    command.env("FLIP", "1");
                }
                Attach::ToolLibraries.apply(&mut command, &[&shim, &tool]);
                let finished = child::succeed(&mut command)?;
                let context = format!("{}, {command:?}", runtime.name);
                ensure!(finished.stdout == stock, "{context}:\n{}instead of\n{stock}", finished.stdout);
                judge(&finished.stderr, flip).context(context)?;
            }
        }
    }
    Ok(())
}

/// The tool's own words, of the program and perhaps of its child. Of one that changes its mind, the machine may let no thread run while
/// it wants sub-blocks.
fn judge(said: &str, flips: bool) -> Result<()> {
    let line = Regex::new(r"^told (\d+), wrong (\d+)$").expect("a regex");
    for text in said.lines() {
        let found = line.captures(text).context(text.to_owned())?;
        ensure!(&found[2] == "0", "{text}");
        ensure!(flips || &found[1] != "0", "no sub-block was told");
    }
    ensure!(!said.is_empty(), "the tool says nothing");
    Ok(())
}
