//! Is every creation of a task reported, once, on its thread, with its arguments and a duration?
//!
//! One test per program of `tasks/`, compiler and flags. Each is built without and with the plugin and runs on each runtime: its output never
//! changes, and the oracle judges the events ([`ompchunk_testsuite::oracle::tasks`]).

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, ensure};
use ompchunk_testsuite::log::{Entry, Log};
use ompchunk_testsuite::oracle::tasks;
use ompchunk_testsuite::runtime::{Runtime, oracle_tool};
use ompchunk_testsuite::session::Session;
use ompchunk_testsuite::suite::Suite;
use ompchunk_testsuite::toolchain::Llvm;
use ompchunk_testsuite::{child, dist, program};

const FLAGS: [&[&str]; 4] = [&["-O0"], &["-O0", "-g"], &["-O1"], &["-O2", "-g"]];

pub fn trials(suite: &mut Suite) {
    suite.needs("second runtime", Runtime::second(), |_, _| {});
    Llvm::each(suite, |suite, _, llvm| {
        for file in ["forms.c", "objects.cpp"] {
            add(suite, file, "clang", &llvm);
        }
    });
    suite.needs("flang-22", Llvm::find_flang(22), |suite, llvm| {
        add(suite, "forms.f90", "flang", &llvm);
    });
}

fn add(suite: &mut Suite, file: &'static str, compiler: &str, llvm: &Llvm) {
    for flags in FLAGS {
        let llvm = llvm.clone();
        suite.scoped(format!("{file}/{compiler}-{}/{}", llvm.major, flags.concat()), move |dir| {
            test(&llvm, file, flags, dir)
        });
    }
}

fn build(llvm: &Llvm, file: &str, flags: &[&str], plugin: bool, dir: &Path) -> Result<PathBuf> {
    let source = dist::testsuite().join("tasks").join(file);
    let plugin = match plugin {
        true => Some(dist::plugin(llvm.major)?),
        false => None,
    };
    let to = dir.join(if plugin.is_some() { "instrumented" } else { "stock" });
    let mut compiler: Command = if file.ends_with(".f90") {
        let mut flang = child::command(llvm.tool("flang"));
        flang.arg("-fopenmp");
        flang.args(plugin.map(|plugin| format!("-fpass-plugin={}", plugin.display())));
        flang
    } else {
        program::compiler(llvm, &source, plugin.as_deref())
    };
    child::succeed(compiler.args(flags).arg(&source).arg("-o").arg(&to))?;
    Ok(to)
}

fn test(llvm: &Llvm, file: &str, flags: &[&str], dir: &Path) -> Result<()> {
    let stock = build(llvm, file, flags, false, dir)?;
    let instrumented = build(llvm, file, flags, true, dir)?;
    for runtime in Runtime::installed() {
        for threads in [1, 2, 3] {
            let session = Session::new(&runtime, threads, dir);
            let context = || format!("on {}, {threads} threads", runtime.name);
            let output = session.run(&stock, &[]);
            let Ok(output) = output else {
                // The oldest runtime lacks entries that newer compilers call.
                ensure!(runtime.name.contains("16"), "{output:?}");
                continue;
            };
            run(&session, &instrumented, &output).with_context(context)?;
        }
    }
    Ok(())
}

fn run(session: &Session, program: &Path, output: &str) -> Result<()> {
    let same = |found: String| {
        ensure!(found == output, "the output is\n{found}instead of\n{output}");
        Ok(())
    };
    let (shim, oracle) = (&*dist::shim()?, oracle_tool()?);
    same(session.run(program, &[])?)?;
    let mut all = 0;
    for (events, clock) in [
        ("task,clock", true),
        ("task", false),
        ("task,clock,chunk,dispatch,loop", true),
        // No callback of the tool's for the runtime's own events: the shim's short way.
        ("creation,clock", true),
        ("creation", false),
    ] {
        let _ = std::fs::remove_file(&session.log);
        let mut command = session.command(program, &[shim, oracle]);
        command.env("ORACLE_LOG", &session.log).env("ORACLE_EVENTS", events);
        let finished = child::succeed(&mut command)?;
        ensure!(finished.stderr.is_empty(), "{}", finished.stderr);
        same(finished.stdout)?;
        let log = Log::parse(&std::fs::read_to_string(&session.log)?)?;
        ensure!(log.registered.get(&84) == Some(&3), "{:?}", log.registered);
        let (wrong, created) = match events.contains("creation") {
            true => tasks::judge_durations(&log, clock),
            false => tasks::judge(&log, clock),
        };
        ensure!(created > 0, "no task was created");
        ensure!(all == 0 || created == all, "registered {events}: {created} of {all} tasks");
        all = created;
        ensure!(
            wrong.is_empty(),
            "registered {events}: {} of {created} wrong, the first of them:\n{}\n{command:?}",
            wrong.len(),
            wrong[..wrong.len().min(5)].join("\n")
        );
        let loops = events.contains("loop");
        let of_loops = log
            .threads
            .iter()
            .flatten()
            .any(|entry| matches!(entry, Entry::Loop(_) | Entry::Chunk(_) | Entry::Dispatch(_)));
        ensure!(loops || !of_loops, "registered {events}: events of loops");
    }
    Ok(())
}
