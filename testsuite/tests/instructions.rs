//! How many instructions does a chunk take? Exact numbers, by callgrind: the same as with stock clang while
//! nobody listens, also the same loads, stores and branches, and not more than today while somebody does.
//!
//! Counts are differences of two lengths of one loop, so that starting and entering cancel. Of what instructions cost, `ompchunk bench` tells.

use std::collections::BTreeMap;
use std::path::Path;

use anyhow::{Context, Result, ensure};
use ompchunk_testsuite::callgrind::{self, Cost};
use ompchunk_testsuite::dist;
use ompchunk_testsuite::runtime::{Runtime, compile_tool};
use ompchunk_testsuite::suite::Suite;
use ompchunk_testsuite::toolchain::Llvm;

const BODIES: [&str; 4] = ["empty", "flops", "delay", "call"];
const LEVELS: [&str; 2] = ["-O2", "-O3"];
/// Threads of `loops.c`.
const THREADS: u64 = 2;
/// Chunks per thread by which the two lengths of `loops.c` differ.
const CHUNKS: u64 = 20;
/// What an execution of a loop may take more per thread where nobody can come to listen: a store, a test where it begins and one where it
/// ends, and the registers that the reporting copy needs saved and restored.
const MOST_PER_LOOP: u64 = 10;
/// The same where a tool is there, which might: two loads, a test and a jump.
const MOST_BESIDE_TOOL: u64 = 16;

/// What an event may take: callback, instructions per chunk, instructions per loop and thread beside.
/// These are today's numbers; the latter has some room, since it holds the runtime's instructions too.
const EVENTS: [(&str, u64, u64); 3] = [("dispatch", 27, 350), ("chunk", 25, 660), ("clock", 80, 700)];
/// Bodies whose reporting copy runs the same instructions. Of others, such as those that are vectorised, it may be unrolled differently.
const SAME_IN_BOTH: [&str; 2] = ["empty", "call"];

pub fn trials(suite: &mut Suite) {
    callgrind::suite_of_levels(suite, &LEVELS, test);
}

fn test(llvm: &Llvm, level: &str, dir: &Path) -> Result<()> {
    // Padding before an aligned loop is an instruction too, or none, as the code before it happens to be long; so
    // the exact numbers are those without.
    let unpadded =
        |plugin: Option<&Path>| callgrind::compile(llvm, "loops.c", plugin, &[level, "-falign-loops=1"], dir);
    let plugin = dist::plugin(llvm.major)?;
    let (plain, plugin) = (unpadded(None)?, unpadded(Some(&plugin))?);
    let tool = compile_tool(&dist::testsuite().join("callgrind/tool.c"), dir)?;
    let shim = dist::shim()?;
    let stock = count(&plain, &[], "", dir)?;

    // Nobody listens: no shim, a shim without a tool, a tool without callbacks.
    for (how, libraries, callback, most) in [
        ("no shim", vec![], "", MOST_PER_LOOP),
        ("shim, no tool", vec![&*shim], "", MOST_PER_LOOP),
        ("tool without callbacks", vec![&*shim, &*tool], "none", MOST_BESIDE_TOOL),
    ] {
        let off = count(&plugin, &libraries, callback, dir)?;
        judge_off(how, &off, &stock, most)?;
    }
    // Somebody wants to know which loop begins, and nothing of chunks. (The recorder does, where it records executions alone:
    // `named_instructions.rs`.)
    let named = count(&plugin, &[&shim, &tool], "named", dir)?;
    judge_chunks("loops named", &named, &stock)?;
    for event in EVENTS {
        let on = count(&plugin, &[&shim, &tool], event.0, dir)?;
        judge_on(event, &on, &stock)?;
    }
    Ok(())
}

/// While nobody listens, chunks take what they take with stock clang, and entering takes little more.
fn judge_off(how: &str, off: &Loops, stock: &Loops, most: u64) -> Result<()> {
    judge_chunks(how, off, stock)?;
    for (loops, stock) in stock {
        let off = off[loops];
        ensure!(
            off.few.instructions <= stock.few.instructions + THREADS * most,
            "{how}, {loops}: an execution takes {} instructions per thread more than with stock clang, at \
             most {most} are wanted",
            off.few.minus(stock.few).instructions / THREADS
        );
    }
    Ok(())
}

fn judge_chunks(how: &str, with: &Loops, stock: &Loops) -> Result<()> {
    for (loops, stock) in stock {
        let chunks = with[loops].chunks;
        ensure!(
            chunks == stock.chunks,
            "{how}, {loops}: {} chunks take {chunks:?}, with stock clang {:?}",
            THREADS * CHUNKS,
            stock.chunks
        );
    }
    Ok(())
}

/// While somebody listens, events take no more than they do today.
fn judge_on((callback, most, most_beside): (&str, u64, u64), on: &Loops, stock: &Loops) -> Result<()> {
    let same = |of: &str| SAME_IN_BOTH.iter().any(|body| of.starts_with(body));
    for (loops, stock) in stock.iter().filter(|(loops, _)| same(loops)) {
        let more = |on: Cost, off: Cost| on.instructions as f64 - off.instructions as f64;
        let chunks = more(on[loops].chunks, stock.chunks);
        let each = chunks / (THREADS * CHUNKS) as f64;
        ensure!(
            each <= most as f64,
            "callback {callback}, {loops}: {each} instructions per chunk, at most {most} are wanted"
        );
        // What the few chunks, half of the difference, do not explain is entering, starting and leaving.
        let beside = (more(on[loops].few, stock.few) - chunks / 2.0) / THREADS as f64;
        ensure!(
            beside <= most_beside as f64,
            "callback {callback}, {loops}: {beside} instructions per loop, at most {most_beside} are wanted"
        );
    }
    Ok(())
}

/// A loop's few chunks with everything around them, and what more chunks add.
#[derive(Debug, Clone, Copy)]
struct Loop {
    few: Cost,
    chunks: Cost,
}

/// By body and chunk size.
type Loops = BTreeMap<String, Loop>;

fn count(program: &Path, libraries: &[&Path], callback: &str, dir: &Path) -> Result<Loops> {
    let runtime = Runtime::libomp();
    let command = callgrind::listened(&runtime, program, THREADS as u32, libraries, callback);
    let counts = callgrind::count(&command, dir)?;
    let mut loops = Loops::new();
    for body in BODIES {
        for chunk in 1..=64 {
            let name = format!("{body}_{chunk}");
            let of = |length: &str| {
                let function = format!("{length}_{name}");
                counts.get(&function).copied().with_context(|| format!("callgrind saw no {function}"))
            };
            let (few, many) = (of("few")?, of("many")?);
            ensure!(
                many.instructions > few.instructions && few.loads > 0 && few.branches > 0,
                "{name}: {few:?} for few chunks, {many:?} for many"
            );
            loops.insert(name, Loop { few, chunks: many.minus(few) });
        }
    }
    Ok(loops)
}
