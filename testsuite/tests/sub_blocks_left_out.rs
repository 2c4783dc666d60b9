//! Which loops run in sub-blocks, and which do not, whatever a tool wants?
//!
//! There are none in loops whose last bits might differ, with records that do not say so, and where loops can be cancelled; and
//! the user hears why, if he asks.

use std::mem::offset_of;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, ensure};
use object::{Object, ObjectSection};
use ompchunk_abi::{CONSTRUCT_TEXT, LOOP_DIVISIBLE, LOOP_REASSOCIATED, LOOPS_SECTION, LoopRecord};
use ompchunk_testsuite::runtime::{Attach, Runtime, compile_tool};
use ompchunk_testsuite::suite::Suite;
use ompchunk_testsuite::toolchain::Llvm;
use ompchunk_testsuite::{child, dist, program};
use regex::Regex;

pub fn trials(suite: &mut Suite) {
    suite.needs("second runtime", Runtime::second(), |_, _| {});
    Llvm::each(suite, |suite, major, llvm| {
        let llvm = llvm.clone();
        suite.scoped(format!("clang-{major}"), move |dir| test(&llvm, dir));
    });
}

struct Subject<'a> {
    runtime: Runtime,
    tool: &'a Path,
    program: &'a Path,
}

impl Subject<'_> {
    /// How many sub-blocks there were, and what was said beside.
    fn run(&self, environment: &[(&str, &str)]) -> Result<(u64, String)> {
        let mut command = self.runtime.command(self.program, 2);
        command.envs(environment.iter().copied());
        Attach::ToolLibraries.apply(&mut command, &[&*dist::shim()?, self.tool]);
        let finished = child::succeed(&mut command)?;
        ensure!(finished.stdout == "1\n", "{finished:?}");
        let told = Regex::new(r"(?m)^told (\d+), wrong 0\n").expect("a regex");
        let found = told.captures(&finished.stderr).context("no word of the tool")?;
        Ok((found[1].parse()?, told.replace(&finished.stderr, "").into_owned()))
    }
}

const SMALL: (&str, &str) = ("OMPCHUNK_PROFILE", "iterations=100");
const ALL: (&str, &str) = ("OMPCHUNK_PROFILE", "reassociated, iterations=100");
const VERBOSE: (&str, &str) = ("OMPCHUNK_VERBOSE", "1");
const CANCELS: (&str, &str) = ("OMP_CANCELLATION", "true");

fn test(llvm: &Llvm, dir: &Path) -> Result<()> {
    let compile = |name: &str, flags: &[&str]| -> Result<PathBuf> {
        let source = dist::testsuite().join("sub_blocks/one.c");
        let to = dir.join(name);
        let mut command = program::compiler(llvm, &source, Some(&dist::plugin(llvm.major)?));
        command.args(["-O2", "-g"]).args(flags).arg(&source);
        child::succeed(command.arg("-o").arg(&to))?;
        Ok(to)
    };
    let exact = compile("exact", &[])?;
    let fast = compile("fast", &["-ffast-math"])?;
    let older = older(&exact, &dir.join("older"))?;
    let tool = compile_tool(&dist::testsuite().join("sub_blocks/tool.c"), dir)?;
    for runtime in Runtime::complete() {
        let of = |program| Subject { runtime: runtime.clone(), tool: &tool, program };
        let (exact, fast, older) = (of(&exact), of(&fast), of(&older));
        divided(&exact)?;
        left_out(&exact, &fast, &older)?;
        nonsense(&exact)?;
        under_other_schedules(&exact, &fast)?;
    }
    Ok(())
}

fn divided(exact: &Subject) -> Result<()> {
    // Three rounds of two threads, each with 2500 iterations: 24 or 25 cuts.
    let (told, said) = exact.run(&[SMALL])?;
    ensure!((6 * 12..=6 * 25).contains(&told), "{told} sub-blocks");
    ensure!(said.is_empty(), "{said}");
    let (told, _) = exact.run(&[])?;
    ensure!((6..100).contains(&told), "{told} sub-blocks");
    Ok(())
}

/// Loops that may differ, records that do not say, and a program whose loops can be cancelled.
fn left_out(exact: &Subject, fast: &Subject, older: &Subject) -> Result<()> {
    ensure!(fast.run(&[SMALL])?.0 == 0, "of a loop that may differ");
    ensure!(fast.run(&[ALL])?.0 >= 6 * 12, "none, as the user wants");
    let (told, said) = fast.run(&[SMALL, VERBOSE])?;
    let names = said.matches("the loop one.c:").count();
    ensure!(told == 0 && names == 1 && said.contains("last bits"), "{said}");

    ensure!(older.run(&[ALL])?.0 == 0, "of a record that does not say");
    let (_, said) = older.run(&[ALL, VERBOSE])?;
    ensure!(said.contains("a plugin that did not look"), "{said}");

    ensure!(exact.run(&[ALL, CANCELS])?.0 == 0, "where loops can be cancelled");
    let (_, said) = exact.run(&[ALL, CANCELS, VERBOSE])?;
    ensure!(said.contains("OMP_CANCELLATION is on"), "{said}");
    Ok(())
}

fn nonsense(exact: &Subject) -> Result<()> {
    for nonsense in ["iterations=0", "iterations=-1", "iterations", "all\u{1b}[2J", "7"] {
        let (told, said) = exact.run(&[("OMPCHUNK_PROFILE", nonsense)])?;
        ensure!(told > 0 && said.contains("is ignored"), "{nonsense}: {said}");
        ensure!(!said.contains('\u{1b}') && said.lines().count() == 1, "{said}");
    }
    Ok(())
}

/// Under another static schedule, sub-blocks of that; none where the runtime deals.
fn under_other_schedules(exact: &Subject, fast: &Subject) -> Result<()> {
    let order = |schedule| ("OMPCHUNK_SCHEDULE", schedule);
    let (told, _) = exact.run(&[SMALL, order("*=static,1000")])?;
    ensure!(told >= 3 * 5 * 5, "{told} sub-blocks under static,1000");
    ensure!(exact.run(&[SMALL, order("*=dynamic,1000")])?.0 == 0, "of what is dealt");
    ensure!(fast.run(&[SMALL, order("*=static,1000")])?.0 == 0, "of a changed loop that may differ");
    Ok(())
}

/// The program with records that say neither that results stay the same nor that they may not, as those of older plugins.
fn older(program: &Path, to: &Path) -> Result<PathBuf> {
    let mut bytes = std::fs::read(program)?;
    let file = object::File::parse(&*bytes)?;
    let section = file.section_by_name(LOOPS_SECTION).context("no records")?;
    let (start, size) = section.file_range().context("not in the file")?;
    ensure!(size > 0, "no record");
    let word = |bytes: &[u8], at: usize| {
        let word: [u8; 4] = bytes[at..at + 4].try_into().expect("four bytes");
        u32::from_le_bytes(word)
    };
    let (mut at, end) = (start as usize, (start + size) as usize);
    while at < end {
        if bytes[at + offset_of!(LoopRecord, construct)] != CONSTRUCT_TEXT {
            let flags_at = at + offset_of!(LoopRecord, flags);
            let flags = word(&bytes, flags_at) & !(LOOP_DIVISIBLE | LOOP_REASSOCIATED);
            bytes[flags_at..flags_at + 4].copy_from_slice(&flags.to_le_bytes());
        }
        at += word(&bytes, at) as usize;
    }
    std::fs::copy(program, to)?;
    std::fs::write(to, bytes)?;
    Ok(to.to_owned())
}
