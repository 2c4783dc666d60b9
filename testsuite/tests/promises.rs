//! Does the plugin know what may rely on which thread runs which iteration of a loop?
//!
//! `testsuite/promises/` has small functions. Behind each directive of a loop stands what the loop's record must say: that it is `free`,
//! `mapped` in a group of so many loops, or `bound` for that reason. Each case has a near miss in the same file. Behind other passes
//! ([`FORMS`]) the plugin may know less, and no loop that is not free may be so.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, ensure};
use ompchunk_abi::{CONSTRUCT_SECTIONS, LOOP_FREE, LOOP_MAPPED, bound};
use ompchunk_testsuite::passes::{FORMS, pipeline};
use ompchunk_testsuite::records::Record;
use ompchunk_testsuite::suite::Suite;
use ompchunk_testsuite::toolchain::Llvm;
use ompchunk_testsuite::{child, dist, records};

const IN_C: [&str; 15] = [
    "pairs.c", "behind.c", "calls.c", "own.c", "hidden.c", "carried.c", "called.c", "numbers.c", "asked.c",
    "decided.c", "carried.cpp", "filled.c", "filled_in_order.c", "filled_memory.c", "filled.cpp",
];
const IN_FORTRAN: [&str; 3] = ["pairs.f90", "carried.f90", "filled.f90"];
const LEVELS: [&str; 2] = ["-O0", "-O2"];

pub fn trials(suite: &mut Suite) {
    Llvm::each(suite, |suite, _, llvm| {
        add(suite, &llvm, "clang", &IN_C);
    });
    let newest = Llvm::installed().into_iter().next();
    // LLVM 22's own unify-loop-exits crashes on calls that may throw.
    let in_c = IN_C.iter().filter(|file| file.ends_with(".c"));
    for (file, llvm) in in_c.zip(std::iter::repeat(newest)) {
        let Some(llvm) = llvm else { continue };
        suite.scoped(format!("{file}/behind passes"), move |dir| behind_passes(&llvm, file, dir));
    }
    suite.needs("flang-22", Llvm::find_flang(22), |suite, llvm| {
        add(suite, &llvm, "flang", &IN_FORTRAN);
    });
}

fn add(suite: &mut Suite, llvm: &Llvm, driver: &'static str, files: &[&'static str]) {
    for &file in files {
        for level in LEVELS {
            let llvm = llvm.clone();
            suite.scoped(format!("{file}/{driver}-{}/{level}", llvm.major), move |dir| {
                test(&llvm, driver, file, level, dir)
            });
        }
    }
}

fn test(llvm: &Llvm, driver: &str, file: &str, level: &str, dir: &Path) -> Result<()> {
    let source = dist::testsuite().join("promises").join(file);
    let right = expected(&source)?;
    let library = dir.join("program.so");
    let plugin = dist::plugin(llvm.major)?;
    let mut command = child::command(llvm.tool(driver));
    command
        .args(["-fopenmp", "-g", "-shared", "-fPIC", level])
        .arg(format!("-fpass-plugin={}", plugin.display()))
        .arg(&source)
        .arg("-o")
        .arg(&library);
    child::succeed(&mut command)?;
    let said: BTreeMap<u32, String> = (records::of_file(&library)?.iter())
        // Whoever comes first may run a section.
        .filter(|record| record.construct != CONSTRUCT_SECTIONS)
        .map(|record| (record.line, promise_of(record)))
        .collect();
    ensure!(said == right, "of these lines of {file} the records say otherwise: {}", differences(&said, &right));
    Ok(())
}

fn behind_passes(llvm: &Llvm, file: &str, dir: &Path) -> Result<()> {
    let source = dist::testsuite().join("promises").join(file);
    let right = expected(&source)?;
    let plugin = dist::plugin(llvm.major)?;
    let [plain, changed, object] = ["plain.bc", "changed.bc", "program.o"].map(|name| dir.join(name));
    let mut frontend = child::command(llvm.tool("clang"));
    frontend.args(["-fopenmp", "-g", "-O1", "-Xclang", "-disable-llvm-passes"]);
    frontend.args(["-emit-llvm", "-c", "-o"]).arg(&plain);
    child::succeed(frontend.arg(&source))?;
    // Where a function is inlined, its loop is another one, of which more is known.
    for passes in FORMS.iter().filter(|passes| !passes.contains("inline")) {
        let mut opt = child::command(llvm.tool("opt"));
        opt.arg(format!("-load-pass-plugin={}", plugin.display()));
        opt.arg(format!("-passes={},ompchunk", pipeline(passes, llvm.major)));
        child::succeed(opt.arg("-o").arg(&changed).arg(&plain))?;
        let mut backend = child::command(llvm.tool("clang"));
        backend.args(["-c", "-o"]).arg(&object).arg(&changed);
        child::succeed(&mut backend)?;
        for record in records::of_file(&object)? {
            let promise = right.get(&record.line).map_or("", |promise| promise);
            ensure!(
                record.flags & LOOP_FREE == 0 || promise == "free",
                "behind {passes}, the loop of line {} is free instead of {promise}",
                record.line
            );
        }
    }
    Ok(())
}

/// By line, what stands behind the directives.
fn expected(source: &PathBuf) -> Result<BTreeMap<u32, String>> {
    let text = std::fs::read_to_string(source).with_context(|| source.display().to_string())?;
    let mut promises = BTreeMap::new();
    for (line, text) in (1..).zip(text.lines()) {
        let comment = text.split_once("/* ").or_else(|| text.split_once(" ! "));
        let Some((_, comment)) = comment.filter(|_| text.contains("omp ")) else {
            continue;
        };
        let promise = comment.trim_end_matches("*/").trim();
        promises.insert(line, promise.to_owned());
    }
    ensure!(!promises.is_empty(), "{} expects nothing", source.display());
    Ok(promises)
}

fn promise_of(record: &Record) -> String {
    match record.flags & (LOOP_FREE | LOOP_MAPPED) {
        LOOP_FREE if record.bound == 0 && record.group.is_empty() => "free".to_owned(),
        LOOP_MAPPED if record.bound == bound::PAIR => format!("mapped {}", record.group.len()),
        0 if record.group.is_empty() => format!("bound {}", name_of(record.bound)),
        flags => format!(
            "contradictory: flags {flags:#x}, bound {}, {} loops in its group",
            record.bound,
            record.group.len()
        ),
    }
}

fn name_of(number: u8) -> String {
    let names = [
        (bound::ORPHANED, "orphaned"),
        (bound::THREADPRIVATE, "threadprivate"),
        (bound::ORDER, "order"),
        (bound::NOWAIT, "nowait"),
        (bound::PAIR, "pair"),
        (bound::THREAD_NUMBER, "thread_number"),
        (bound::OWN_MEMORY, "own_memory"),
        (bound::CALL, "call"),
        (bound::INLINE, "inline"),
        (bound::WAITING, "waiting"),
    ];
    let name = names.iter().find(|(bound, _)| *bound == number);
    name.map_or_else(|| number.to_string(), |(_, name)| (*name).to_owned())
}

fn differences(said: &BTreeMap<u32, String>, right: &BTreeMap<u32, String>) -> String {
    let mut differing = Vec::new();
    for (line, promise) in right {
        match said.get(line) {
            Some(said) if said == promise => {}
            Some(said) => differing.push(format!("line {line}: {said} instead of {promise}")),
            None => differing.push(format!("line {line}: no record instead of {promise}")),
        }
    }
    let unexpected = said.iter().filter(|(line, _)| !right.contains_key(line));
    differing.extend(unexpected.map(|(line, said)| format!("line {line}: {said}, which no comment expects")));
    differing.join("; ")
}
