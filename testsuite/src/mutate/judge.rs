//! What must hold of every mutant that is valid IR.

use std::path::Path;
use std::sync::LazyLock;

use anyhow::{Context, Result, bail, ensure};
use regex::Regex;

use super::plain;
use super::seed::Seed;
use super::text::{Module, START};
use crate::child::{self, Finished};
use crate::dist;
use crate::ir::snapshot::without_names;
use crate::toolchain::Llvm;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verdict {
    /// LLVM itself does not take it.
    Invalid,
    /// Nothing was instrumented; with as many remarks that say why.
    LeftAlone(u64),
    /// So many loops were instrumented, and so many others not.
    Instrumented(u64, u64),
}

/// What says on standard error that something broke.
const BROKEN: [&str; 6] = ["Assertion", "PLEASE submit", "Stack dump", "internal error", "LLVM ERROR", "Broken module"];

static REMARK: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(
        r"remark: .*?(instrumented (?:static )?loop|instrumented sections|instrumented task creation|left alone: )",
    )
    .expect("a regex")
});

static PREDECESSORS: LazyLock<Regex> = LazyLock::new(|| Regex::new(r"(?m) +; preds = .*$").expect("a regex"));

/// Judges one; `tested` makes it a loop with a tested flag, not two copies.
pub fn judge(seed: &Seed, text: &str, tested: bool, dir: &Path) -> Result<Verdict> {
    let (mutant, before, after) = (dir.join("m.ll"), dir.join("before.ll"), dir.join("after.ll"));
    std::fs::write(&mutant, text)?;
    let mut stock = child::command(seed.llvm.tool("opt"));
    stock.args(["-passes=verify", "-S", "-o"]).arg(&before).arg(&mutant);
    // A crash, too: without the plugin it is LLVM's own.
    if !child::finish(&mut stock).is_ok_and(|finished| finished.status.success()) {
        return Ok(Verdict::Invalid);
    }
    let was = std::fs::read_to_string(&before)?;

    let finished = run(&seed.llvm, "ompchunk,verify", tested, &mutant, &after)?;
    let is = std::fs::read_to_string(&after)?;
    let count = |what: &str| {
        let remarks = REMARK.captures_iter(&finished.stderr);
        remarks.filter(|remark| remark[1].starts_with(what)).count() as u64
    };
    let (instrumented, alone) = (count("instrumented"), count("left alone"));
    account(&was, &is, instrumented + alone).with_context(|| finished.stderr.clone())?;
    if instrumented == 0 {
        ensure!(without_names(&was) == without_names(&is), "nothing is instrumented, but the module was changed");
        return Ok(Verdict::LeftAlone(alone));
    }
    ensure!(is.contains("@__ompchunk_module_v4"), "instrumented, but without a module record");
    plain::compare(&was, &is)?;

    // What it printed is read again, and once more instrumented.
    let again = dir.join("again.ll");
    let finished = run(&seed.llvm, "verify,ompchunk,verify", tested, &after, &again)?;
    let twice = std::fs::read_to_string(&again)?;
    ensure!(
        without_order(&is) == without_order(&twice) && !finished.stderr.contains("instrumented "),
        "a second run of the plugin changed the module"
    );
    Ok(Verdict::Instrumented(instrumented, alone))
}

/// Predecessors stand in the order of use lists, which is not what the text says of the module.
fn without_order(ir: &str) -> String {
    PREDECESSORS.replace_all(&without_names(ir), "").into_owned()
}

/// Each start of a loop has a remark. Functions that the plugin copied have theirs too.
fn account(was: &str, is: &str, remarks: u64) -> Result<()> {
    let was = Module::parse(was);
    let (starts, pairs) = (starts(&was), pairs(&was));
    let copied = is.contains(".ompchunk(");
    ensure!(
        (starts.saturating_sub(pairs)..=starts).contains(&remarks) || copied && remarks > starts,
        "{starts} loops start, but there are {remarks} remarks"
    );
    Ok(())
}

/// Calls that follow another with the same bounds: flang divides a loop for threads, and then for teams, which is one loop with one remark.
fn pairs(module: &Module) -> u64 {
    let bounds = |line: &str| {
        let after = &line[START.find(line)?.end()..];
        let words: Vec<&str> = after.split(", ").collect();
        // Behind the place, the thread and the schedule.
        words.get(3..7).map(|places| places.join(", "))
    };
    let blocks = module.functions.iter().flat_map(|function| &function.blocks);
    let pairs = blocks.flat_map(|block| block.lines.windows(2));
    let pairs = pairs.filter(|both| {
        let first = bounds(&both[0]);
        first.is_some() && first == bounds(&both[1])
    });
    pairs.count() as u64
}

/// Direct calls of functions that are the runtime's entries by their names, and that an earlier run has not marked.
fn starts(module: &Module) -> u64 {
    let is_function = |name: &str| {
        let pattern = format!("@{name}(");
        let declared = |line: &&String| line.starts_with("declare ") && line.contains(&pattern);
        module.head.iter().any(|line| declared(&line))
            || module.functions.iter().any(|function| function.name() == name)
    };
    let marked: Vec<&str> = module
        .head
        .iter()
        .filter(|line| line.starts_with("attributes #") && line.contains("\"ompchunk\""))
        .filter_map(|line| line.split_whitespace().nth(1))
        .collect();
    let lines = module.functions.iter().flat_map(|f| f.blocks.iter().flat_map(|b| &b.lines));
    let starts = lines.filter(|line| {
        let Some(found) = START.find(line) else {
            return false;
        };
        let name = found.as_str().rsplit('@').next().unwrap_or("").trim_end_matches('(');
        let done = line.split_whitespace().any(|word| marked.contains(&word.trim_end_matches(',')));
        is_function(name) && !done
    });
    starts.count() as u64
}

fn run(llvm: &Llvm, passes: &str, tested: bool, from: &Path, to: &Path) -> Result<Finished> {
    let mut opt = child::command(llvm.tool("opt"));
    opt.arg(format!("-load-pass-plugin={}", dist::plugin(llvm.major)?.display()));
    opt.arg(format!("-passes={passes}"));
    opt.args(["-pass-remarks=ompchunk", "-pass-remarks-missed=ompchunk", "-S", "-o"]);
    if tested {
        opt.env("OMPCHUNK_COPIES", "0");
    }
    let finished = child::finish(opt.arg(to).arg(from))?;
    if let Some(sign) = BROKEN.iter().find(|sign| finished.stderr.contains(**sign)) {
        bail!("{sign} in what {opt:?} said:\n{}", finished.stderr);
    }
    ensure!(finished.status.success(), "{opt:?}\nended with {}\n{}", finished.status, finished.stderr);
    Ok(finished)
}
