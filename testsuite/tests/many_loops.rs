//! Does a function with many loops cost the compiler twice as much when it has twice as many?
//!
//! Counted, not timed: what the plugin adds to a function is the same for each loop, however many there are, and
//! all loops share one frame. Loops that `cancel` can end are the hard ones: clang's cleanup draws ways from each
//! to the ends of all that follow.

use std::fmt::Write as _;
use std::path::Path;
use std::process::ExitCode;

use anyhow::{Context, Result, ensure};
use ompchunk_testsuite::ir::pipeline::{self, Plugin};
use ompchunk_testsuite::suite::Suite;
use ompchunk_testsuite::toolchain::Llvm;
use ompchunk_testsuite::workdir;

const LOOPS: [usize; 4] = [25, 50, 100, 200];
/// Name, clause, and what may end the loop early.
const FORMS: [(&str, &str, &str); 5] = [
    ("chunked", "schedule(static, 10)", ""),
    ("cancelled", "schedule(static, 10)", "cancel for"),
    ("cancelled_range", "schedule(static)", "cancel for"),
    (
        "cancellation_point",
        "schedule(static, 1)",
        "cancellation point for",
    ),
    ("dealt", "schedule(dynamic, 4)", "cancel for"),
];
const LEVELS: [&str; 2] = ["-O0", "-O2"];

fn main() -> ExitCode {
    let mut suite = Suite::default();
    for (major, llvm) in Llvm::all() {
        suite.needs(&format!("clang-{major}"), llvm, |suite, llvm| {
            for (form, clause, early) in FORMS {
                for level in LEVELS {
                    let name = format!("{form}/clang-{major}{level}");
                    let llvm = llvm.clone();
                    suite.test(name.clone(), move || {
                        workdir::scoped(&name, |dir| test(&llvm, clause, early, level, dir))
                    });
                }
            }
        });
    }
    suite.run()
}

fn test(llvm: &Llvm, clause: &str, early: &str, level: &str, dir: &Path) -> Result<()> {
    let mut added = Vec::new();
    for loops in LOOPS {
        let source = dir.join(format!("{loops}.c"));
        std::fs::write(&source, program(loops, clause, early))?;
        let compile = format!(
            "%clang {level} -Xclang -disable-llvm-passes -Xclang -disable-O0-optnone -fopenmp -S -emit-llvm %s -o -"
        );
        let ir = |line: &str, plugin| {
            Ok::<_, anyhow::Error>(pipeline::run(line, &source, llvm, plugin, dir)?.stdout)
        };
        let before = instructions(&ir(&compile, Plugin::Absent)?);
        let text = ir(
            &format!("{compile} | %opt -load-pass-plugin=%plugin -passes=ompchunk,verify -S"),
            Plugin::Loaded,
        )?;
        let frames = text.matches(" = alloca [176 x i8]").count();
        ensure!(frames == 1, "{loops} loops have {frames} frames");
        added.push(
            instructions(&text)
                .checked_sub(before)
                .context("fewer instructions than before")?,
        );
    }
    let steps: Vec<f64> = (1..LOOPS.len())
        .map(|at| (added[at] - added[at - 1]) as f64 / (LOOPS[at] - LOOPS[at - 1]) as f64)
        .collect();
    ensure!(
        steps.iter().all(|step| *step == steps[0] && *step > 0.0),
        "for {LOOPS:?} loops the plugin adds {added:?} instructions, {steps:?} for each more"
    );
    Ok(())
}

/// Lines within functions that are no labels.
fn instructions(ir: &str) -> usize {
    let mut inside = false;
    let mut count = 0;
    for line in ir.lines() {
        inside = (inside || line.starts_with("define ")) && line != "}";
        count += usize::from(inside && line.starts_with("  ") && !line.starts_with("   "));
    }
    count
}

fn program(loops: usize, clause: &str, early: &str) -> String {
    let mut text =
        "void use(int, int);\nvoid f(int n, int *a) {\n#pragma omp parallel\n{\n".to_owned();
    for number in 0..loops {
        let early = match early {
            "" => String::new(),
            early => format!("if (a[i] == {number}) {{\n#pragma omp {early}\n}}\n"),
        };
        let _ = write!(
            text,
            "#pragma omp for {clause}\nfor (int i = 0; i < n; i++) {{\n{early}use(i, {number});\n}}\n"
        );
    }
    text + "}\n}\n"
}
