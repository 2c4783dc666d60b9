//! `make measure WHAT=mutants`: changes the product's source in many places, in one build in which a variable says which change is on, and finds out
//! which tests notice each. (`mutate` changes modules of LLVM IR.) `scripts/mutants.sh` copies the tree and builds it.
//!
//! - `mutants plant TREE NOTES MAJOR SEED COUNT` writes mutants that compile, with that LLVM, into a copy of the tree;
//! - `mutants judge TREE NOTES TABLE` runs tests with them. What is known already is in NOTES, and is not run again.

mod cases;
mod judge;
mod mutant;
mod plant;
mod rooms;
mod run;
mod sites;
mod table;

use std::collections::BTreeMap;
use std::path::Path;
use std::process::ExitCode;
use std::sync::Mutex;
use std::time::Duration;

use anyhow::{Context, Result, bail};

use cases::{Case, Known, Learnt};
use judge::{Effort, Judged};
use mutant::Mutant;
use ompchunk_testsuite::check_list::CheckList;
use regex::Regex;
use run::{End, Run};

fn main() -> ExitCode {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let done = match words[..] {
        ["plant", tree, notes, major, seed, count] => plant(tree.as_ref(), notes.as_ref(), major, seed, count),
        ["judge", tree, notes, table] => judge(tree.as_ref(), notes.as_ref(), table.as_ref()),
        _ => Err(anyhow::anyhow!("usage: mutants plant TREE NOTES MAJOR SEED COUNT | mutants judge TREE NOTES TABLE")),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("mutants: {error:#}");
            ExitCode::FAILURE
        }
    }
}

fn plant(tree: &Path, notes: &Path, major: &str, seed: &str, count: &str) -> Result<()> {
    let planted = plant::plant(tree, major, seed.parse().context("SEED")?, count.parse().context("N")?)?;
    let path = notes.join("mutants");
    for mutant in &planted {
        run::append(&path, &mutant.noted())?;
    }
    println!("{} mutants", planted.len());
    Ok(())
}

fn judge(tree: &Path, notes: &Path, path: &Path) -> Result<()> {
    let mutants: Vec<Mutant> =
        run::read(&notes.join("mutants"))?.iter().map(Mutant::from_noted).collect::<Result<_>>()?;
    let effort = Effort {
        enough: number("ENOUGH", 3.0)? as usize,
        most: number("MOST", f64::MAX)?,
        jobs: number("JOBS", 2.0)? as usize,
    };
    let runs = Run::new(tree, notes, Duration::from_secs_f64(number("LIMIT", 300.0)?))?;
    let listed = CheckList::read(tree)?;
    let known = learn(&runs, mutants.len(), effort.jobs)?;
    // One of each room, and so on: whenever it is stopped, all have as many.
    let order = by_turns(&mutants);
    let judged = Mutex::new(judge::read(&notes.join("runs"))?);
    each(effort.jobs, order, |_, at| {
        let number = at + 1;
        let before = judged.lock().expect("nobody panics").get(&number).cloned().unwrap_or_default();
        let now = judge::judge(number, &known.learnt, before, &runs, &listed, &effort)?;
        let judged = &mut *judged.lock().expect("nobody panics");
        let row = table::row(number, &mutants[at], &now, &known, &listed, &effort);
        let units: Vec<&str> = now.units().into_iter().collect();
        println!("{number} {}: {} {}", row.result, mutants[at].file.display(), units.join(" "));
        judged.insert(number, now);
        write(path, &mutants, judged, &known, &listed, &effort)
    })
}

/// Works on all of them, one after the other, `jobs` at once; which of these it is, is told.
fn each<T: Send>(jobs: usize, all: Vec<T>, work: impl Fn(usize, T) -> Result<()> + Sync) -> Result<()> {
    let left = Mutex::new(all.into_iter());
    let next = || left.lock().expect("nobody panics").next();
    let worker = |job: usize| std::iter::from_fn(next).try_for_each(|one| work(job, one));
    std::thread::scope(|scope| {
        let worker = &worker;
        let workers: Vec<_> = (0..jobs).map(|job| scope.spawn(move || worker(job))).collect();
        workers.into_iter().try_for_each(|worker| worker.join().expect("it returns"))
    })
}

fn number(name: &str, otherwise: f64) -> Result<f64> {
    match std::env::var(name) {
        Ok(text) if !text.is_empty() => text.parse().with_context(|| format!("{name}={text}")),
        _ => Ok(otherwise),
    }
}

/// Tests without mutants, as far as that is not known: all, or only those whose names `ONLY` fits. Those that fail are named, and are no candidates.
fn learn(runs: &Run, count: usize, jobs: usize) -> Result<Known> {
    let path = runs.notes.join("cases");
    let noted = run::read(&path)?;
    let mut known: BTreeMap<&str, &serde_json::Value> = BTreeMap::new();
    known.extend(noted.iter().filter_map(|line| Some((line["case"].as_str()?, line))));
    let only = Regex::new(&std::env::var("ONLY").unwrap_or_default()).context("ONLY")?;
    let (mut learnt, mut left, mut is_all) = (Vec::new(), Vec::new(), true);
    for case in cases::all(&runs.tree, &runs.notes.join("files"))? {
        match known.get(&*case.key()) {
            Some(line) => learnt.push(Learnt::from_noted(line, case)?),
            None if only.is_match(&case.key()) => left.push(case),
            None => is_all = false,
        }
    }
    let learnt = Mutex::new(learnt);
    each(jobs, left, |job, case: Case| {
        let one = case.learn(runs, count, job)?;
        if one.end != End::Passes {
            println!("without mutants {}: {}", one.end.name(), case.key());
        }
        let mut learnt = learnt.lock().expect("nobody panics");
        run::append(&path, &one.noted())?;
        learnt.push(one);
        Ok(())
    })?;
    let learnt = learnt.into_inner().expect("nobody panics");
    if !learnt.iter().any(|one| one.end == End::Passes) {
        bail!("no test passes");
    }
    Ok(Known { learnt, is_all })
}

fn by_turns(mutants: &[Mutant]) -> Vec<usize> {
    let mut seen: BTreeMap<&str, usize> = BTreeMap::new();
    let mut order: Vec<(usize, usize)> = Vec::new();
    for (at, mutant) in mutants.iter().enumerate() {
        let turn = seen.entry(&mutant.room).or_default();
        order.push((*turn, at));
        *turn += 1;
    }
    order.sort();
    order.into_iter().map(|(_, at)| at).collect()
}

fn write(
    path: &Path,
    mutants: &[Mutant],
    judged: &BTreeMap<usize, Judged>,
    tests: &Known,
    listed: &CheckList,
    effort: &Effort,
) -> Result<()> {
    let known = judged.iter().map(|(&number, judged)| (number, &mutants[number - 1], judged));
    let rows: Vec<table::Row> =
        known.map(|(number, mutant, judged)| table::row(number, mutant, judged, tests, listed, effort)).collect();
    table::write(path, &rows)
}
