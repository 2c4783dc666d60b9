//! Do programs that rely on which thread runs which iteration, as OpenMP 5.2 promises in 11.5.3, compute what they compute as
//! compiled, whatever `OMPCHUNK_SCHEDULE` orders?
//!
//! `promises_kept/` has a function for each way to rely on it. Under `*` none may find a wrong value, on any compiler, runtime or team.
//! By name a group changes as one or not at all, and where a promise may go, a line says which.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result, ensure};
use ompchunk_testsuite::child::{self, Finished};
use ompchunk_testsuite::runtime::{Attach, Runtime};
use ompchunk_testsuite::schedules::VARIABLE;
use ompchunk_testsuite::suite::Suite;
use ompchunk_testsuite::toolchain::Llvm;
use ompchunk_testsuite::{dist, program, workdir};

/// Each kind, chunk sizes that fit nothing, both modifiers, and schedules in turn. Blocks of equal cost have any size.
const ALL: [&str; 11] = [
    "*=dynamic,3",
    "*=static,7",
    "*=static",
    "*=guided",
    "*=nonmonotonic:dynamic",
    "*=monotonic:dynamic,2|source|static,3",
    "*=static,2|static,5",
    "*=auto",
    "*=balanced",
    "*=adaptive",
    "*=balanced|static,3",
];

/// By name: what is right, and part of a line that must be said; none if nothing must.
const NAMED: [(&str, &str, &str); 15] = [
    ("pair", "pair=static,7", ""),
    ("triple", "program.c:225=static,7", ""),
    ("sometimes", "sometimes=static,2|static,5", ""),
    ("itself", "itself=static,3", ""),
    ("pair", "program.c=static,7", ""),
    ("pair", "pair=balanced", ""),
    ("triple", "program.c:225=adaptive", ""),
    ("sometimes", "sometimes=balanced|static,5", ""),
    ("pair", "pair=dynamic,3", "static schedules alone keep"),
    ("chain", "chain=static,7", "cannot be changed"),
    ("pair", "pair=static,2; program.c:38=source", "different schedules"),
    ("itself", "itself=guided", "static schedules alone keep"),
    ("monotonic", "monotonic=nonmonotonic:dynamic,3", "its source says monotonic"),
    ("ordinary", "ordinary=dynamic,3", ""),
    ("ordinary", "program.c=guided", ""),
];

/// By name, where a promise goes: wrong values are the user's decision, and a line says why.
const BROKEN: [(&str, &str, &str); 7] = [
    ("pair", "!pair=dynamic,3", "another loop, without a barrier in between"),
    ("chunks", "chunks=static,7", "asks for the thread's number"),
    ("threadprivate", "threadprivate=dynamic,3", "threadprivate or thread-local"),
    ("variables", "variables=dynamic,3", "memory of each thread's own"),
    ("memory", "memory=dynamic,3", "memory of each thread's own"),
    ("primary", "primary=static,7", "asks for the thread's number"),
    ("orphans", "reads=dynamic,3", "its function's callers"),
];

type Test = fn(&Path) -> Result<()>;

pub fn trials(suite: &mut Suite) {
    suite.needs("second runtime", Runtime::second(), |_, _| {});
    for major in [22, 19, 16] {
        suite.needs(&format!("clang-{major}"), Llvm::find(major), |suite, llvm| {
            for level in ["-O2", "-O0"] {
                let llvm = llvm.clone();
                suite.scoped(format!("all/clang {}/{level}", llvm.major), move |dir| {
                    all(&c_program(&llvm, level, dir)?, dir)
                });
            }
        });
    }
    suite.needs("clang-22", Llvm::find(22), |suite, llvm| {
        let subjects: [(&str, Test); 2] = [("named", named), ("broken", broken)];
        for (name, test) in subjects {
            let llvm = llvm.clone();
            suite.test(name, move || workdir::scoped(name, |dir| test(&c_program(&llvm, "-O2", dir)?)));
        }
        suite.test("inline_in_two_objects", move || workdir::scoped("inline", |dir| inline_in_two_objects(&llvm, dir)));
    });
    suite.needs("flang-22", Llvm::find_flang(22), |suite, llvm| {
        suite.test("all/flang", move || workdir::scoped("flang", |dir| fortran_program(&llvm, dir)));
    });
}

fn source(file: &str) -> PathBuf {
    dist::testsuite().join("promises_kept").join(file)
}

fn c_program(llvm: &Llvm, level: &str, dir: &Path) -> Result<PathBuf> {
    let source = source("program.c");
    let mut command = program::compiler(llvm, &source, Some(&dist::plugin(llvm.major)?));
    let program = dir.join("program");
    child::succeed(command.args(["-g", level]).arg(&source).arg("-o").arg(&program))?;
    Ok(program)
}

fn run(runtime: &Runtime, program: &Path, threads: u32, order: &str, arguments: &[&str]) -> Result<Finished> {
    let mut command = runtime.command(program, threads);
    command.args(arguments).env(VARIABLE, order);
    command.env("OMPCHUNK_BALANCE", "restless");
    Attach::Preload.apply(&mut command, &[&*dist::shim()?]);
    child::succeed(&mut command).with_context(|| format!("{}, {threads} threads, {order}", runtime.name))
}

/// No function of the program found a wrong value.
fn is_right(finished: &Finished) -> Result<()> {
    let wrong: Vec<&str> = finished.stdout.lines().filter(|line| !line.ends_with(": 0 wrong")).collect();
    ensure!(wrong.is_empty() && !finished.stdout.is_empty(), "{wrong:?}\n{}", finished.stderr);
    Ok(())
}

/// Every way to rely on it, under every kind of schedule.
fn all(program: &Path, _: &Path) -> Result<()> {
    for runtime in Runtime::complete() {
        for (threads, rounds) in [(2, "6"), (5, "4"), (300, "1")] {
            for order in ALL {
                let finished = run(&runtime, program, threads, order, &[rounds])?;
                is_right(&finished).with_context(|| format!("{}, {threads} threads, {order}", runtime.name))?;
            }
        }
    }
    Ok(())
}

/// A group changes as one or not at all.
fn named(program: &Path) -> Result<()> {
    for runtime in Runtime::complete() {
        for (function, order, says) in NAMED {
            let finished = run(&runtime, program, 5, order, &["8", function])?;
            let context = || format!("{}, {order}: {}", runtime.name, finished.stderr);
            if !order.contains("nonmonotonic") {
                is_right(&finished).with_context(context)?;
            }
            let complaints = finished.stderr.lines().filter(|line| !line.contains("no loop that ran"));
            match says {
                "" => {
                    let others = |line: &&str| !line.contains(", too: ") && !line.contains("may break");
                    let unasked: Vec<&str> = complaints.filter(others).collect();
                    ensure!(unasked.is_empty(), "{}", context());
                }
                says => ensure!(finished.stderr.contains(says), "{}", context()),
            }
        }
    }
    let follows = run(&Runtime::libomp(), program, 2, "program.c:38=static,3", &["2", "pair"])?;
    ensure!(follows.stderr.contains("the two give a thread the same iterations"), "{follows:?}");
    Ok(())
}

/// Whoever insists is told what may break; and without the line the test could not fail, so a value must be wrong now and then.
fn broken(program: &Path) -> Result<()> {
    let mut wrong = 0;
    for runtime in Runtime::complete() {
        for (function, order, says) in BROKEN {
            let finished = run(&runtime, program, 5, order, &["20", function])?;
            ensure!(
                finished.stderr.contains(says) && finished.stderr.contains("may break a promise"),
                "{}, {order}: {finished:?}",
                runtime.name
            );
            wrong += usize::from(is_right(&finished).is_err());
        }
    }
    ensure!(wrong > 0, "nothing relies on anything");
    Ok(())
}

/// One object has the plugin's code of an inline function, the other has none, or one that cannot be changed.
fn inline_in_two_objects(llvm: &Llvm, dir: &Path) -> Result<()> {
    let plugin = dist::plugin(llvm.major)?;
    let object = |file: &str, to: &str, plugin: Option<&Path>, copies: Option<&str>| {
        let (source, object) = (source(file), dir.join(to));
        let mut command = program::compiler(llvm, &source, plugin);
        if let Some(copies) = copies {
            command.env("OMPCHUNK_COPIES", copies);
        }
        command.args(["-g", "-O2", "-c"]).arg(&source).arg("-o").arg(&object);
        child::succeed(&mut command).map(|_| object)
    };
    let with = object("there.cpp", "there.o", Some(&plugin), None)?;
    let others = [
        object("here.cpp", "plain.o", None, None)?,
        object("here.cpp", "report.o", Some(&plugin), Some("report"))?,
        object("here.cpp", "same.o", Some(&plugin), None)?,
    ];
    for here in &others {
        let program = dir.join("inline");
        let mut link = program::compiler(llvm, &source("there.cpp"), None);
        child::succeed(link.arg(&with).arg(here).arg("-o").arg(&program))?;
        for runtime in Runtime::complete() {
            for order in ["*=dynamic,3", "inline.h=static,7", "loop=dynamic,3"] {
                let finished = run(&runtime, &program, 4, order, &[])?;
                is_right(&finished).with_context(|| format!("{order}, {}", here.display()))?;
            }
        }
    }
    Ok(())
}

fn fortran_program(llvm: &Llvm, dir: &Path) -> Result<()> {
    let (source, program) = (source("program.f90"), dir.join("program"));
    let plugin = dist::plugin(llvm.major)?;
    let mut command = child::command(llvm.tool("flang"));
    command.args(["-fopenmp", "-g", "-O2"]).arg(format!("-fpass-plugin={}", plugin.display()));
    // Its modules go where it is run.
    command.arg(&source).arg("-o").arg(&program).current_dir(dir);
    child::succeed(&mut command)?;
    for runtime in Runtime::complete() {
        for threads in [2, 5] {
            for order in ALL.into_iter().chain(["program.f90=static,7", "pair=adaptive", "pair=dynamic,3"]) {
                let finished = run(&runtime, &program, threads, order, &["10"])?;
                is_right(&finished).with_context(|| format!("{}, {threads} threads, {order}", runtime.name))?;
            }
        }
    }
    Ok(())
}
