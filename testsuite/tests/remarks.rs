//! Does the user learn what was done with each loop, where, and why not?

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, ensure};
use ompchunk_testsuite::suite::Suite;
use ompchunk_testsuite::toolchain::Llvm;
use ompchunk_testsuite::{child, dist, program};
use regex::Regex;

/// Programs whose constructs each stand in a line of their own.
const PROGRAMS: [&str; 7] =
    ["mixed.c", "steps.c", "entries.c", "sections.c", "runtime_schedule.c", "not_clonable.c", "classes.cpp"];

/// None of which this project runs its tests on: clang and the plugin are the same for all.
const PROCESSORS: [&str; 2] = ["powerpc64le-linux-gnu", "riscv64-linux-gnu"];

pub fn trials(suite: &mut Suite) {
    Llvm::each(suite, |suite, major, llvm| {
        for triple in PROCESSORS {
            let llvm = llvm.clone();
            suite.scoped(format!("{triple}/clang-{major}"), move |dir| for_processor(&llvm, triple, dir));
        }
        for file in PROGRAMS {
            let llvm = llvm.clone();
            suite.scoped(format!("{file}/clang-{major}"), move |dir| test(&llvm, file, dir));
        }
    });
}

/// Per line, what is said of the construct there.
type Said = BTreeMap<u32, Vec<&'static str>>;

const INSTRUMENTED: &str = "instrumented static loop";
const DEALT: &str = "instrumented loop";
const SECTIONS: &str = "instrumented sections";
const LEFT_ALONE: &str = "left alone";

fn test(llvm: &Llvm, file: &str, dir: &Path) -> Result<()> {
    let source = dist::testsuite().join("run").join(file);
    let right = constructs(&std::fs::read_to_string(&source)?);
    for flags in [&["-O2"][..], &["-O2", "-g"], &["-O0"]] {
        let object = dir.join("program.o");
        let mut clang = program::compiler(llvm, &source, Some(&dist::plugin(llvm.major)?));
        clang.args(flags).args(["-c", "-fsave-optimization-record", "-Rpass=ompchunk", "-Rpass-missed=ompchunk"]);
        let finished = child::succeed(clang.arg(&source).arg("-o").arg(&object))?;
        let said = diagnostics(&finished.stderr, file)?;
        ensure!(said == right, "{flags:?}: it said {said:?} instead of {right:?}:\n{}", finished.stderr);
        let record = yaml(&PathBuf::from(format!("{}.opt.yaml", object.with_extension("").display())))?;
        ensure!(record == right, "{flags:?}: the optimization record says {record:?} instead of {right:?}");
    }
    Ok(())
}

fn for_processor(llvm: &Llvm, triple: &str, dir: &Path) -> Result<()> {
    let source = dist::testsuite().join("target/loops.c");
    let right = constructs(&std::fs::read_to_string(&source)?);
    let plugin = dist::plugin(llvm.major)?;
    let object = dir.join("loops.o");
    let mut clang = child::command(llvm.tool("clang"));
    clang
        .arg(format!("--target={triple}"))
        .args(["-O2", "-g", "-fopenmp", "-c", "-Rpass=ompchunk"])
        .args(["-Rpass-missed=ompchunk"])
        .arg(format!("-fpass-plugin={}", plugin.display()));
    let said = child::succeed(clang.arg(&source).arg("-o").arg(&object))?.stderr;
    let seen = diagnostics(&said, "loops.c")?;
    ensure!(seen == right, "it said {seen:?} instead of {right:?}:\n{said}");
    // Its records can be read here.
    let mut command = child::command(dist::own().join("bin/ompchunk"));
    let listed = child::succeed(command.arg("loops").arg(&object))?.stdout;
    for loops in ["schedule(static,4)", "schedule(dynamic,4)"] {
        ensure!(listed.contains(loops), "no {loops} in\n{listed}");
    }
    Ok(())
}

/// Where the source has loops and sections. A loop without a schedule is static.
fn constructs(source: &str) -> Said {
    let pragma = Regex::new(r"#pragma omp (parallel )?(for|sections|loop)\b(.*)").expect("a regex");
    let mut constructs = Said::new();
    for (line, number) in source.lines().zip(1..) {
        let Some(found) = pragma.captures(line) else {
            continue;
        };
        let what = match &found[2] {
            "sections" => SECTIONS,
            _ if found[3].contains("schedule(") && !found[3].contains("static") => DEALT,
            _ => INSTRUMENTED,
        };
        constructs.insert(number, vec![what]);
    }
    constructs
}

/// The remarks on standard error, `file:line:column: remark: text`.
fn diagnostics(stderr: &str, file: &str) -> Result<Said> {
    let remark = Regex::new(r"(?m)^(.*?):(\d+):(\d+): remark: (.*) \[-Rpass(-missed)?=ompchunk\]$")?;
    let mut said = Said::new();
    for found in remark.captures_iter(stderr) {
        ensure!(found[1].ends_with(file) && &found[3] != "0", "a remark without position: {}", &found[0]);
        let what = kind(&found[4])?;
        ensure!((what == LEFT_ALONE) == found.get(5).is_some(), "a remark of the wrong kind: {}", &found[0]);
        said.entry(found[2].parse()?).or_default().push(what);
    }
    Ok(said)
}

/// The same from the optimization record.
fn yaml(path: &Path) -> Result<Said> {
    let text = std::fs::read_to_string(path).with_context(|| path.display().to_string())?;
    let line = Regex::new(r"Line: (\d+)")?;
    let string = Regex::new(r"String: +'(.*)'")?;
    let mut said = Said::new();
    for entry in text.split("--- !").filter(|entry| entry.contains("Pass:            ompchunk\n")) {
        let at = line.captures(entry).with_context(|| format!("no line in {entry}"))?[1].parse()?;
        let message = string.captures(entry).with_context(|| format!("no string in {entry}"))?;
        said.entry(at).or_default().push(kind(&message[1])?);
    }
    Ok(said)
}

fn kind(message: &str) -> Result<&'static str> {
    let kinds = [INSTRUMENTED, DEALT, SECTIONS, LEFT_ALONE];
    kinds.into_iter().find(|kind| message.starts_with(kind)).with_context(|| format!("unknown: {message}"))
}
