//! Rows of a runtime to come: a real program, compiled with the plugin, on an emulation of what is proposed.
//!
//! The emulated runtime has one thread and three entries, so the program is its own, `proposed/serialized.c`, and not one of the cases.

use std::path::Path;

use anyhow::{Context, Result, ensure};

use super::compiler::Compiler;
use super::remarks::{Remarks, counted};
use super::table::{self, Row};
use crate::log::{Entry, Log};
use crate::runtime::{Attach, compile_tool, oracle_tool};
use crate::{child, dist};

/// What the runtime to come does, as the table shows it.
const PROPOSED: &str = "the runtime itself sends dispatch events of serialized loops: none, one and three of each";

/// The program of the rows.
pub const CASE: &str = "serialized.c";

/// Is there a row of the compiler of that name?
pub fn by(name: &str) -> bool {
    ["clang 22", "clang 19", "clang 16"].contains(&name)
}

/// First iteration and number of iterations of each chunk of the instrumented loops.
const CHUNKS: [(u64, u64); 4] = [(0, 10), (10, 10), (20, 5), (0, 20)];

/// The chunk of the loop that is compiled without the plugin, of which the runtime alone tells.
const OTHERS: (u64, u64) = (0, 7);

/// Builds and runs the program; the row that says what was seen. Anything but exact events is an error.
pub fn row(compiler: &Compiler, name: &str, dir: &Path) -> Result<Row> {
    let llvm = &compiler.llvm;
    let source = dist::testsuite().join("proposed").join(CASE);
    let object = |to: &str| {
        let mut clang = child::command(llvm.tool("clang"));
        clang.args(["-O2", "-fopenmp", "-c"]).arg(&source);
        clang.arg("-o").arg(dir.join(to));
        clang
    };
    let plugin = format!("-fpass-plugin={}", dist::plugin(llvm.major)?.display());
    let said = child::succeed(object("program.o").args([&plugin, "-Rpass=ompchunk", "-Rpass-missed=ompchunk"]))?;
    child::succeed(object("other.o").arg("-DOTHER"))?;
    let remarks = Remarks::read(&said.stderr);
    ensure!(remarks.instrumented.len() == 2 && remarks.alone.is_empty(), "not two instrumented loops: {remarks:?}");

    let emulated = ompchunk_testkit::parted("runtime-shim/tests/c").join("emulated.c");
    let runtime = compile_tool(&emulated, dir)?;
    let program = dir.join("program");
    let mut link = child::command(llvm.tool("clang"));
    link.args([dir.join("program.o"), dir.join("other.o"), runtime]);
    link.arg(format!("-Wl,-rpath,{}", dir.display()));
    child::succeed(link.arg("-o").arg(&program))?;

    for events in [0, 1, 3] {
        let log = dir.join("log");
        let mut command = child::command(&program);
        command.env("EVENTS", events.to_string()).env("ORACLE_LOG", &log).env("ORACLE_EVENTS", "dispatch,chunk,clock");
        Attach::Preload.apply(&mut command, &[&dist::shim()?, oracle_tool()?]);
        let finished = child::succeed(&mut command)?;
        ensure!(finished.stderr.is_empty(), "it says {}", finished.stderr);
        let log = Log::parse(&std::fs::read_to_string(&log)?)?;
        judge(&log, events).with_context(|| format!("{events} events of the runtime's"))?;
    }
    Ok(Row {
        shape: PROPOSED.to_owned(),
        case: CASE.to_owned(),
        compiler: name.to_owned(),
        outcome: format!("instrumented, {}", counted(&remarks.instrumented)),
        events: [(table::EMULATED, "exact".to_owned())].into(),
        ..Row::default()
    })
}

/// Each chunk of the instrumented loops is told once, in both kinds of events; the other loop's as often as the runtime tells it.
fn judge(log: &Log, events: usize) -> Result<()> {
    let (mut dispatched, mut chunks) = (Vec::new(), Vec::new());
    for entry in log.threads.iter().flatten() {
        match entry {
            Entry::Dispatch(dispatch) => dispatched.push((dispatch.start, dispatch.iterations)),
            Entry::Chunk(chunk) => chunks.push((chunk.lower, chunk.upper - chunk.lower + 1)),
            _ => {}
        }
    }
    let mut right = CHUNKS.to_vec();
    ensure!(chunks == right, "chunk events {chunks:?}, not {right:?}");
    right.extend(std::iter::repeat_n(OTHERS, events));
    ensure!(dispatched == right, "dispatch events {dispatched:?}, not {right:?}");
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn log(dispatched: &[(u64, u64)]) -> Log {
        let mut text = String::from("T 0\n");
        for (start, count) in dispatched {
            text += &format!("D 3 0 8 0 16 {start} {count}\n");
        }
        for (start, count) in CHUNKS {
            text += &format!("C 0 16 {start} {} 0 0\n", start + count - 1);
        }
        Log::parse(&(text + "end\n")).unwrap()
    }

    #[test]
    fn what_is_told_twice_or_never_is_found() {
        let right = [&CHUNKS[..], &[OTHERS]].concat();
        assert!(judge(&log(&right), 1).is_ok());
        assert!(judge(&log(&right), 0).is_err());
        assert!(judge(&log(&CHUNKS[1..]), 0).is_err());
        assert!(judge(&log(&[&CHUNKS[..1], &right[..]].concat()), 1).is_err());
    }
}
