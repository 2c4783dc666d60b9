//! Do programs in which an iteration leaves something for the next one of its chunk compute what they compute as compiled, unless the user
//! names a loop and a schedule that cuts its chunks?
//!
//! `promises_kept/chunks.c` has a function for each way to do so, under chunk sizes that are constant, that only the running program
//! knows, and that `OMP_SCHEDULE` says.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result, ensure};
use ompchunk_testsuite::child::{self, Finished};
use ompchunk_testsuite::runtime::{Attach, Runtime};
use ompchunk_testsuite::schedules::VARIABLE;
use ompchunk_testsuite::suite::Suite;
use ompchunk_testsuite::toolchain::Llvm;
use ompchunk_testsuite::{dist, program};

/// Chunk sizes that fit no chunk of the source, and kinds that have none. What is found out in the run cuts by no name either.
const KEPT: [&str; 11] = [
    "*=static,7",
    "*=dynamic,7",
    "*=dynamic",
    "*=static",
    "*=guided,100",
    "*=auto",
    "*=dynamic,7|source|static,130",
    "*=balanced",
    "*=adaptive",
    "chunks.c=balanced",
    "!chunks.c=adaptive",
];

/// By name chunks are cut, and a line says how long they are.
const CUT: [(&str, &str, &str); 4] = [
    ("constant", "constant=static,7", "cuts chunks of 100 iterations of the source"),
    ("dealt", "!dealt=static,7", "cuts chunks of 100 iterations of the source"),
    ("given", "chunks.c=static,7", "may cut chunks of the source"),
    ("tasks", "tasks=dynamic", "cuts chunks of 100 iterations"),
];

const TEAMS: [u32; 3] = [2, 3, 7];

pub fn trials(suite: &mut Suite) {
    suite.needs("second runtime", Runtime::second(), |_, _| {});
    for (major, level) in [(22, "-O2"), (22, "-O0"), (19, "-O2"), (16, "-O0")] {
        let llvm = Llvm::find(major);
        suite.needs(&format!("clang-{major}"), llvm, |suite, llvm| {
            suite.scoped(format!("clang {major}/{level}"), move |dir| {
                let program = compiled(&llvm, level, dir)?;
                kept(&program)?;
                cut(&program)
            });
        });
    }
}

fn compiled(llvm: &Llvm, level: &str, dir: &Path) -> Result<PathBuf> {
    let source = dist::testsuite().join("promises_kept/chunks.c");
    let program = dir.join("chunks");
    let mut command = program::compiler(llvm, &source, Some(&dist::plugin(llvm.major)?));
    command.args(["-g", level]).arg(&source);
    child::succeed(command.arg("-o").arg(&program))?;
    Ok(program)
}

/// `how`: the value of `OMPCHUNK_BALANCE`.
fn run(
    (runtime, threads): (&Runtime, u32),
    program: &Path,
    (order, how): (&str, &str),
    arguments: &[&str],
) -> Result<Finished> {
    let mut command = runtime.command(program, threads);
    command.args(arguments).env(VARIABLE, order);
    command.env("OMPCHUNK_BALANCE", how);
    command.env("OMP_SCHEDULE", "dynamic,100");
    Attach::Preload.apply(&mut command, &[&*dist::shim()?]);
    child::succeed(&mut command).with_context(|| format!("{}, {threads} threads, {order}", runtime.name))
}

fn is_right(finished: &Finished) -> Result<()> {
    let is_wrong = |line: &&str| !line.ends_with(": 0 wrong");
    let wrong: Vec<&str> = finished.stdout.lines().filter(is_wrong).collect();
    ensure!(wrong.is_empty() && !finished.stdout.is_empty(), "{wrong:?}\n{}", finished.stderr);
    Ok(())
}

fn kept(program: &Path) -> Result<()> {
    for runtime in Runtime::complete() {
        for threads in TEAMS {
            for order in KEPT {
                let learns = order.ends_with("balanced") || order.ends_with("adaptive");
                let ways: &[&str] = if learns { &["restless", ""] } else { &[""] };
                for how in ways {
                    let place = (&runtime, threads);
                    let finished = run(place, program, (order, how), &["14"])?;
                    is_right(&finished)
                        .with_context(|| format!("{}, {threads} threads, {order} {how}", runtime.name))?;
                }
            }
        }
        // Those whose chunks can be kept are changed all the same.
        let place = (&runtime, 2);
        for (name, order, is_left) in [
            ("constant", "*=static,7", false),
            ("dealt", "*=dynamic,7", false),
            ("constant", "*=adaptive", false),
            ("constant", "*=static", true),
            ("dealt", "*=guided,100", true),
            ("given", "*=static,7", true),
            ("by_environment", "*=adaptive", true),
        ] {
            let finished = run(place, program, (order, ""), &["1", name])?;
            let says = finished.stderr.contains("would cut chunks of the source");
            ensure!(says == is_left, "{name}, {order}: {}", finished.stderr);
        }
    }
    Ok(())
}

/// Without what becomes wrong here, the others would show nothing.
fn cut(program: &Path) -> Result<()> {
    for runtime in Runtime::complete() {
        for (name, order, says) in CUT {
            let finished = run((&runtime, 3), program, (order, ""), &["14", name])?;
            let lines = finished.stderr.lines();
            let said = lines.filter(|line| line.contains(says)).count();
            ensure!(said == 1, "{order}: {}", finished.stderr);
            ensure!(is_right(&finished).is_err(), "{order} cuts nothing");
        }
        for order in ["chunks.c=balanced", "!given=adaptive"] {
            let finished = run((&runtime, 3), program, (order, ""), &["2", "given"])?;
            let says = "known to the running program alone";
            ensure!(finished.stderr.contains(says), "{}", finished.stderr);
        }
    }
    Ok(())
}
