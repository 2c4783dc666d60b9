//! Many programs, on all cores, counted.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;
use std::time::Instant;

use anyhow::{Context, Result};

use super::ast::{Language, Program};
use super::build;
use super::config::{Case, Config, Machine};
use super::generate::Generator;
use super::judge::libraries;
use super::rng::Rng;
use super::subject::{Counts, Depth, Failure, Kind, Subject};
use super::{reliance, shrink};
use crate::dist;
use crate::schedules::VARIABLE;

/// After that many failures of ompchunk, more would say the same again.
const ENOUGH: u64 = 20;

/// Programs `seed`, `seed + 1`, and so on.
#[derive(Debug, Clone, Copy)]
pub struct Range {
    /// The number of the first program.
    pub seed: u64,
    pub count: u64,
}

impl Range {
    /// From two environment variables, else as given.
    pub fn from_environment(count: &str, seed: &str, otherwise: Range) -> Result<Range> {
        let read = |name: &str, otherwise: u64| match std::env::var(name) {
            Ok(text) if !text.is_empty() => text.parse().with_context(|| format!("{name}={text}")),
            _ => Ok(otherwise),
        };
        Ok(Range { seed: read(seed, otherwise.seed)?, count: read(count, otherwise.count)? })
    }
}

/// The program and configuration of a number, judged and reported. Of those that run under other schedules only, every second one relies
/// on which thread runs which iteration.
fn one(
    number: (u64, Depth, bool),
    machine: &Machine,
    place: (&Path, &Path),
    summary: &Mutex<Summary>,
    say: &(dyn Fn(&str) + Sync),
) {
    let (seed, depth, _) = number;
    let mut rng = Rng::new(seed);
    let language = Config::language(&mut rng, machine);
    let failed = match depth {
        Depth::Promises => promising(rng, language, machine).map(|case| judge(number, case, place, summary, say)),
        Depth::Schedules if seed % 2 == 1 => {
            promising(rng, language, machine).map(|case| judge(number, case, place, summary, say))
        }
        _ => case(rng, language, machine).map(|case| judge(number, case, place, summary, say)),
    };
    if let Err(error) = failed {
        say(&format!("{error:#}"));
        summary.lock().expect("no worker panicked").failures += 1;
    }
}

fn promising(mut rng: Rng, language: Language, machine: &Machine) -> Result<Case<reliance::ast::Program>> {
    let program = reliance::generate::Generator::program(rng.clone(), language);
    let mut rng = Rng::new(!rng.number());
    let config = reliance::orders::configuration(&mut rng, machine, &program)?;
    Ok(Case { program, config })
}

fn case(mut rng: Rng, language: Language, machine: &Machine) -> Result<Case<Program>> {
    let program = Generator::program(rng.clone(), language);
    // Another sequence: the configuration must not repeat the program's choices.
    let mut rng = Rng::new(!rng.number());
    let config = Config::random(&mut rng, machine, &program)?;
    Ok(Case { program, config })
}

#[derive(Debug, Default)]
pub struct Summary {
    pub programs: u64,
    pub fortran: u64,
    pub counts: Counts,
    pub failures: u64,
    /// Programs that fail without ompchunk, by how.
    pub stock: BTreeMap<Kind, u64>,
    /// Programs per compiler, and per runtime.
    pub configurations: BTreeMap<String, u64>,
    pub seconds: f64,
}

/// Runs all programs; reports go to `say`, and files of failures stay in `keep`.
pub fn run(range: Range, depth: Depth, machine: &Machine, keep: &Path, say: &(dyn Fn(&str) + Sync)) -> Result<Summary> {
    let start = Instant::now();
    let summary = Mutex::new(Summary::default());
    // Both are made on first use, which must not happen on two threads.
    libraries()?;
    on_all_cores(range.count, keep, |number, dir| {
        let seed = range.seed.wrapping_add(number);
        let alone = range.count == 1;
        one((seed, depth, alone), machine, (keep, dir), &summary, say);
        let summary = summary.lock().expect("no worker panicked");
        if (number + 1).is_multiple_of(100) {
            say(&format!(
                "{} programs, {} runs under other schedules, {} failures, {} s",
                summary.programs,
                summary.counts.changed,
                summary.failures,
                start.elapsed().as_secs()
            ));
        }
        summary.failures < ENOUGH
    });
    let mut summary = summary.into_inner().expect("no worker panicked");
    summary.seconds = start.elapsed().as_secs_f64();
    Ok(summary)
}

/// Calls for each number below `count`, on all cores or on so many as `JOBS` says, each with a directory of its own below `keep`, as long
/// as the call says to go on.
pub fn on_all_cores(count: u64, keep: &Path, call: impl Fn(u64, &Path) -> bool + Sync) {
    let next = AtomicU64::new(0);
    let jobs = std::env::var("JOBS").ok().and_then(|jobs| jobs.parse().ok());
    let workers = jobs.unwrap_or_else(|| thread::available_parallelism().map_or(2, usize::from));
    thread::scope(|scope| {
        for worker in 0..workers {
            let (next, call) = (&next, &call);
            scope.spawn(move || {
                let dir = keep.join(format!("worker-{worker}"));
                let _ = std::fs::create_dir_all(&dir);
                let numbers = std::iter::repeat_with(|| next.fetch_add(1, Ordering::Relaxed));
                numbers.take_while(|number| *number < count).all(|number| call(number, &dir))
            });
        }
    });
}

fn judge(
    (seed, depth, alone): (u64, Depth, bool),
    case: impl Subject,
    (keep, dir): (&Path, &Path),
    summary: &Mutex<Summary>,
    say: &(dyn Fn(&str) + Sync),
) {
    let verdict = case.judge_as(depth, dir);
    let config = case.config();
    {
        let mut summary = summary.lock().expect("no worker panicked");
        summary.programs += 1;
        let fortran = case.language() == Language::Fortran;
        summary.fortran += u64::from(fortran);
        let compiler = if fortran { "flang" } else { "clang" };
        for name in [format!("{compiler} {}", config.llvm.major), config.host.name.to_owned()] {
            *summary.configurations.entry(name).or_default() += 1;
        }
        match &verdict {
            Ok(counts) => {
                summary.counts.loops += counts.loops;
                summary.counts.chunks += counts.chunks;
                summary.counts.iterations += counts.iterations;
                summary.counts.changed += counts.changed;
                summary.counts.changed_loops += counts.changed_loops;
            }
            Err(failure) if failure.kind.is_stock() => {
                let seen = summary.stock.entry(failure.kind).or_default();
                *seen += 1;
                // A few are worth looking at; the rest are the same compiler bugs again.
                if *seen > 3 {
                    return;
                }
            }
            Err(_) => summary.failures += 1,
        }
    }
    if let Err(failure) = verdict {
        // What is not ompchunk's is made small on request only: it takes minutes where programs hang.
        let smaller = !failure.kind.is_stock() || alone;
        say(&report(seed, case, failure, keep, smaller));
    }
}

/// Makes a failing case small if asked to, keeps its files, and describes it.
fn report(seed: u64, case: impl Subject, failure: Failure, keep: &Path, smaller: bool) -> String {
    let first = failure.message.clone();
    let dir = keep.join(format!("failure-{seed}"));
    let _ = std::fs::create_dir_all(&dir);
    let (case, failure, again) = match smaller {
        true => {
            let (case, failure) = shrink::shrink(case, failure, &dir);
            // The last attempt was another program.
            let again = case.judge_as(Depth::Whole, &dir).is_err();
            (case, failure, again)
        }
        false => (case, failure, true),
    };
    let source = case.write(&dir).unwrap_or_else(|_| PathBuf::from("?"));
    let text = std::fs::read_to_string(&source).unwrap_or_default();
    let report = format!(
        "program {seed} {}\n  again: make fuzz N=1 SEED={seed}\n{}\nfirst seen as:\n{}\n{} program, {}:\n{text}\nits failure:\n{}\n{}",
        failure.kind,
        commands(&case, &source),
        shortened(&first),
        if smaller { "smallest" } else { "whole" },
        source.display(),
        shortened(&failure.message),
        if again { "" } else { "(it does not fail every time)\n" },
    );
    let _ = std::fs::write(dir.join("report.txt"), &report);
    report
}

/// What to type to see it.
fn commands(case: &impl Subject, source: &Path) -> String {
    let dir = source.parent().unwrap_or(Path::new("."));
    let object = dir.join("instrumented.o");
    let executable = dir.join("instrumented");
    let plugin = dist::plugin(case.config().llvm.major).unwrap_or_default();
    let compile = build::compiler(case.config(), source, Some(&plugin), &object);
    let mut text = format!("  {compile:?}\n");
    if let Ok(link) = build::linker(&object, &executable) {
        text += &format!("  {link:?}\n");
    }
    if let Ok(libraries) = libraries() {
        let libraries: Vec<&Path> = libraries.iter().map(|path| &**path).collect();
        let mut run = case.session(dir).command(&executable, &libraries);
        run.env("ORACLE_LOG", dir.join("oracle.log"));
        text += &format!("  {run:?}");
        for (order, _) in &case.config().orders {
            text += &format!("\n  with REPORT_VALUES=1 {VARIABLE}='{order}'");
        }
    }
    text
}

/// Messages hold whole outputs of programs.
fn shortened(text: &str) -> String {
    match text.char_indices().nth(3000) {
        Some((at, _)) => format!("{} …", &text[..at]),
        None => text.to_owned(),
    }
}

impl std::fmt::Display for Summary {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Counts { loops, chunks, iterations, changed, changed_loops } = self.counts;
        write!(f, "{} programs ({} in Fortran), ", self.programs, self.fortran)?;
        if chunks > 0 {
            write!(f, "{loops} static loops, {chunks} chunks and {iterations} iterations checked, ")?;
        }
        writeln!(
            f,
            "{changed} runs under other schedules, which changed {changed_loops} loops, {} failures, {:.0} s",
            self.failures, self.seconds
        )?;
        let configurations: Vec<String> = self.configurations.iter().map(|(name, n)| format!("{name} {n}")).collect();
        writeln!(f, "with {}", configurations.join(", "))?;
        for (kind, count) in &self.stock {
            writeln!(f, "not ompchunk's: {count} programs of which one {kind}")?;
        }
        Ok(())
    }
}

/// A directory in memory if there is one.
pub fn scratch() -> Result<tempfile::TempDir> {
    let memory = Path::new("/dev/shm");
    let mut builder = tempfile::Builder::new();
    builder.prefix("ompchunk-fuzz-");
    match memory.is_dir() {
        true => builder.tempdir_in(memory),
        false => builder.tempdir(),
    }
    .context("cannot create a temporary directory")
}
