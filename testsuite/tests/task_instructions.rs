//! How many instructions does the creation of a task take? By callgrind, against stock clang: a few more while nobody listens, and against a tool
//! that has the runtime's own events of the same tasks not more than today while somebody does.
//!
//! That tool is what shim and plugin are to be held against: what a runtime does for any tool with these events is not theirs.

use std::path::Path;

use anyhow::{Result, ensure};
use ompchunk_testsuite::callgrind;
use ompchunk_testsuite::dist;
use ompchunk_testsuite::runtime::{Runtime, compile_tool};
use ompchunk_testsuite::suite::Suite;
use ompchunk_testsuite::toolchain::Llvm;

/// Two loads, a test, a branch; and with older compilers, which do not take two ways from there, another test after the task is handed over.
const MOST_OFF: u64 = 7;
/// When tasks run, and what an event may take per task, with two readings of a clock that takes 2 instructions:
/// today's numbers.
const EVENTS: [(&str, u64); 2] = [("at_once", 172), ("deferred", 116)];

pub fn trials(suite: &mut Suite) {
    callgrind::suite(suite, test);
}

fn test(llvm: &Llvm, dir: &Path) -> Result<()> {
    let [plain, plugin] = callgrind::compile_tasks(llvm, dir)?;
    let tool = &*compile_tool(&dist::testsuite().join("callgrind/tool.c"), dir)?;
    let shim = &*dist::shim()?;
    for runtime in Runtime::complete() {
        for (when, most) in EVENTS {
            let count = |program: &Path, libraries: &[&Path], callback: &str| {
                let command = callgrind::listened(&runtime, program, 2, libraries, callback);
                callgrind::count_tasks(&command, when, dir)
            };
            let context = || format!("on {}, tasks run {when}", runtime.name);
            let off = count(&plugin, &[], "")? - count(&plain, &[], "")?;
            ensure!(
                off <= MOST_OFF as f64,
                "{}: while nobody listens, {off} instructions more than with stock clang, at most {MOST_OFF} are wanted",
                context()
            );
            let on = count(&plugin, &[shim, tool], "creation")?;
            let stock = count(&plain, &[tool], "tasks")?;
            ensure!(
                on - stock <= most as f64,
                "{}: an event takes {} instructions more than the runtime's own, at most {most} are wanted",
                context(),
                on - stock
            );
        }
    }
    Ok(())
}
