//! Is the loop that runs while nobody listens the one that the compiler wrote?
//!
//! Compares, before any optimisation, each block of the loop over chunks in the stock compile with the block of the same name in the instrumented
//! one. What the optimiser makes of equal loops is its own affair; the plugin adds nothing to them.

use std::collections::BTreeMap;
use std::path::Path;

use anyhow::{Context, Result, ensure};
use ompchunk_testsuite::dist;
use ompchunk_testsuite::ir::pipeline::{self, Plugin};
use ompchunk_testsuite::suite::Suite;
use ompchunk_testsuite::toolchain::Llvm;
use regex::{Captures, Regex};

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
    let stock = loop_blocks(&run(Plugin::Absent)?.stdout)?;
    let instrumented = loop_blocks(&run(Plugin::Loaded)?.stdout)?;
    ensure!(stock.len() > 5, "only {} blocks make up the loop", stock.len());
    for (name, block) in &stock {
        let plain = instrumented.get(name).with_context(|| format!("block {name} is gone"))?;
        ensure!(plain == block, "block {name} was\n{block}and became\n{plain}");
        let copied = instrumented.contains_key(&format!("{name}.ompchunk"));
        ensure!(copied, "block {name} has no copy, so this test compares with the wrong loop");
    }
    Ok(())
}

/// The blocks from the loop's header to its last, by name, with unnamed values numbered from 0 in each.
fn loop_blocks(ir: &str) -> Result<BTreeMap<String, String>> {
    let label = Regex::new(r"^([\w.]+):( +; preds = .*)?$")?;
    let mut blocks: BTreeMap<String, String> = BTreeMap::new();
    let mut current = None;
    let function = ir
        .split("\ndefine ")
        .find(|f| f.contains("call void @__kmpc_for_static_init_") || f.contains("call void @__kmpc_dispatch_init_"))
        .context("no loop")?;
    for line in function.lines().take_while(|line| *line != "}") {
        if let Some(found) = label.captures(line) {
            current = Some(found[1].to_owned());
        } else if let Some(name) = &current {
            *blocks.entry(name.clone()).or_default() += &format!("{line}\n");
        }
    }
    // Everything that the header dominates up to the exit: the names are the frontend's.
    let of_chunks = ["omp.dispatch.cond", "omp.dispatch.end"];
    let of_sections = ["omp.inner.for.cond", "omp.inner.for.end"];
    let is_chunked = blocks.contains_key(of_chunks[0]);
    let [header, end] = if is_chunked { of_chunks } else { of_sections };
    ensure!(blocks.contains_key(header), "no {header}");
    let inside = reachable(&blocks, header, end)?;
    blocks.retain(|name, _| inside.contains(name) || name.ends_with(".ompchunk"));
    for text in blocks.values_mut() {
        *text = renumber(text)?;
    }
    Ok(blocks)
}

/// The blocks on paths from `header` that do not pass `end` or leave to a cleanup of the loop.
fn reachable(blocks: &BTreeMap<String, String>, header: &str, end: &str) -> Result<Vec<String>> {
    let target = Regex::new(r"label %([\w.]+)")?;
    let mut found = vec![header.to_owned()];
    let mut next = 0;
    while next < found.len() {
        let text = blocks.get(&found[next]).with_context(|| format!("no block {}", found[next]))?;
        for name in target.captures_iter(text).map(|name| name[1].to_owned()) {
            let leaves = name == end || name.starts_with("omp.dispatch.cleanup") || name.starts_with("terminate");
            if !leaves && !found.contains(&name) {
                found.push(name);
            }
        }
        next += 1;
    }
    Ok(found)
}

/// Gives unnamed values, metadata and attribute groups, whose numbers the plugin's own code shifts, numbers in the order of their appearance.
fn renumber(text: &str) -> Result<String> {
    let number = Regex::new(r"([%!#])(\d+)\b")?;
    let mut seen: Vec<String> = Vec::new();
    let renumbered = number.replace_all(text, |found: &Captures| {
        let name = found[0].to_owned();
        let at = seen.iter().position(|s| *s == name).unwrap_or_else(|| {
            seen.push(name);
            seen.len() - 1
        });
        format!("{}{at}", &found[1])
    });
    Ok(renumbered.into_owned())
}
