//! Is the loop that runs while nobody listens the one that the compiler wrote?
//!
//! Compares functions before any optimisation. What the optimiser makes of equal loops is its own affair; the plugin adds nothing to them.

use std::path::Path;

use anyhow::{Result, ensure};
use ompchunk_testsuite::dist;
use ompchunk_testsuite::ir::pipeline::{self, Plugin};
use ompchunk_testsuite::mutate::plain;
use ompchunk_testsuite::suite::Suite;
use ompchunk_testsuite::toolchain::Llvm;

const SOURCES: [&str; 7] =
    ["chunked.c", "long.c", "data_sharing.c", "simd.c", "exceptions.cpp", "dealt_long.c", "sections.c"];

const RUN: &str = "%clang -O1 -Xclang -disable-llvm-passes -fno-discard-value-names -fopenmp -S -emit-llvm %s -o - \
    | %opt -load-pass-plugin=%plugin -passes=ompchunk -S";

pub fn trials(suite: &mut Suite) {
    for (major, llvm) in Llvm::all() {
        suite.needs(&format!("IR of LLVM {major}"), llvm, |suite, llvm| {
            for source in SOURCES {
                let llvm = llvm.clone();
                suite.scoped(format!("{source}/{major}"), move |dir| test(&llvm, source, dir));
            }
        });
    }
}

fn test(llvm: &Llvm, source: &str, dir: &Path) -> Result<()> {
    let source = dist::testsuite().join("ir").join(source);
    let run = |plugin| pipeline::run(RUN, &source, llvm, plugin, dir);
    let (before, after) = (run(Plugin::Absent)?.stdout, run(Plugin::Loaded)?.stdout);
    ensure!(after.contains(".ompchunk:"), "no loop has a copy");
    plain::compare(&before, &after)
}
