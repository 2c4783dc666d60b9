//! Does a function with many loops cost the compiler twice as much when it has twice as many?
//!
//! Counted, not timed: what the plugin adds to a function is the same for each loop, however many there are, and all loops share one frame. Loops
//! that `cancel` can end are the hard ones: clang's cleanup draws ways from each to the ends of all that follow. And of a function with 200 loops,
//! what is left after optimizing, and the machine code, is at most so much more than plain clang's: LLVM's time goes with it.

use std::fmt::Write as _;
use std::path::Path;

use anyhow::{Context, Result, ensure};
use object::{Object, ObjectSection};
use ompchunk_abi::FRAME_SIZE;
use ompchunk_testsuite::ir::pipeline::{self, Plugin};
use ompchunk_testsuite::suite::Suite;
use ompchunk_testsuite::toolchain::Llvm;

/// So many that the last of each number have no copy.
const LOOPS: [usize; 3] = [100, 150, 200];
/// Instructions after optimizing and bytes of machine code of 200 loops, as multiples of plain clang's: at most. (The most is that of
/// dispatched loops, each of which says how far its iterations reach.)
const MOST: (f64, f64) = (2.11, 2.2);
/// Name, clause, and what may end the loop early.
const FORMS: [(&str, &str, &str); 5] = [
    ("chunked", "schedule(static, 10)", ""),
    ("cancelled", "schedule(static, 10)", "cancel for"),
    ("cancelled_range", "schedule(static)", "cancel for"),
    ("cancellation_point", "schedule(static, 1)", "cancellation point for"),
    ("dealt", "schedule(dynamic, 4)", "cancel for"),
];
const LEVELS: [&str; 2] = ["-O0", "-O2"];

pub fn trials(suite: &mut Suite) {
    Llvm::each_counted(suite, |suite, major, llvm| {
        for (form, clause, early) in FORMS {
            for level in LEVELS {
                let llvm = llvm.clone();
                suite.scoped(format!("{form}/clang-{major}{level}"), move |dir| test(&llvm, clause, early, level, dir));
            }
            let name = format!("size/{form}/clang-{major}");
            let llvm = llvm.clone();
            suite.scoped(name, move |dir| size(&llvm, clause, early, dir));
        }
    });
}

/// What becomes of 200 loops, optimized, is as large as that at most.
fn size(llvm: &Llvm, clause: &str, early: &str, dir: &Path) -> Result<()> {
    let source = dir.join("200.c");
    std::fs::write(&source, program(200, clause, early))?;
    let measure = |plugin| {
        let clang = "%clang -O2 -fopenmp -fpass-plugin=%plugin %s";
        let ir = pipeline::run(&format!("{clang} -S -emit-llvm -o -"), &source, llvm, plugin, dir)?;
        let object = dir.join("200.o");
        let compile = format!("{clang} -c -o {}", object.display());
        pipeline::run(&compile, &source, llvm, plugin, dir)?;
        Ok::<_, anyhow::Error>((instructions(&ir.stdout) as f64, code(&object)? as f64))
    };
    let (before, after) = (measure(Plugin::Absent)?, measure(Plugin::Loaded)?);
    ensure!(before.0 > 0.0 && before.1 > 0.0, "nothing was compiled");
    ensure!(after.1 > before.1, "the plugin did nothing");
    ensure!(
        after.0 <= MOST.0 * before.0 && after.1 <= MOST.1 * before.1,
        "instructions and bytes of code of 200 loops: {after:?}, with plain clang {before:?}; at most {MOST:?} times"
    );
    Ok(())
}

/// Bytes of machine code in an object file.
fn code(object: &Path) -> Result<u64> {
    let bytes = std::fs::read(object)?;
    let file = object::File::parse(&*bytes)?;
    let is_code = |section: &object::Section| section.kind() == object::SectionKind::Text;
    Ok(file.sections().filter(is_code).map(|section| section.size()).sum())
}

fn test(llvm: &Llvm, clause: &str, early: &str, level: &str, dir: &Path) -> Result<()> {
    let mut added = Vec::new();
    for loops in LOOPS {
        let source = dir.join(format!("{loops}.c"));
        std::fs::write(&source, program(loops, clause, early))?;
        let compile = format!(
            "%clang {level} -Xclang -disable-llvm-passes -Xclang -disable-O0-optnone -fopenmp -S -emit-llvm %s -o -"
        );
        let ir = |line: &str, plugin| Ok::<_, anyhow::Error>(pipeline::run(line, &source, llvm, plugin, dir)?.stdout);
        let before = instructions(&ir(&compile, Plugin::Absent)?);
        let text =
            ir(&format!("{compile} | %opt -load-pass-plugin=%plugin -passes=ompchunk,verify -S"), Plugin::Loaded)?;
        let frames = text.matches(&format!(" = alloca [{FRAME_SIZE} x i8]")).count();
        ensure!(frames == 1, "{loops} loops have {frames} frames");
        added.push(instructions(&text).checked_sub(before).context("fewer instructions than before")?);
    }
    let steps: Vec<f64> =
        (1..LOOPS.len()).map(|at| (added[at] - added[at - 1]) as f64 / (LOOPS[at] - LOOPS[at - 1]) as f64).collect();
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
    let mut text = "void use(int, int);\nvoid f(int n, int *a) {\n#pragma omp parallel\n{\n".to_owned();
    for number in 0..loops {
        let early = match early {
            "" => String::new(),
            early => format!("if (a[i] == {number}) {{\n#pragma omp {early}\n}}\n"),
        };
        let _ =
            write!(text, "#pragma omp for {clause}\nfor (int i = 0; i < n; i++) {{\n{early}use(i, {number});\n}}\n");
    }
    text + "}\n}\n"
}
