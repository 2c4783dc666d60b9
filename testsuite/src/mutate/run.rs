//! Many mutants, on all cores, counted.

use std::fmt;
use std::path::Path;
use std::sync::Mutex;
use std::time::Instant;

use anyhow::Result;

use super::judge::{self, Verdict};
use super::mutant::Mutant;
use super::seed::{Corpus, Seed};
use crate::fuzz::rng::{Rng, mix};
use crate::fuzz::run::{Range, on_all_cores};

/// Mutants of one seed: to make a seed takes longer than to judge a mutant.
const PER_SEED: u64 = 10;

/// After that many failures, more would say the same again.
const ENOUGH: u64 = 30;

/// Attempts at a mutant that LLVM accepts.
const ATTEMPTS: u64 = 30;

#[derive(Debug, Default, Clone, Copy)]
pub struct Summary {
    /// Mutants that LLVM accepts, and that were judged.
    pub mutants: u64,
    /// Mutants that it rejects, which were thrown away.
    pub invalid: u64,
    pub seeds: u64,
    pub instrumented: u64,
    /// Loops instrumented, in all mutants.
    pub loops: u64,
    /// Loops left alone, in all mutants.
    pub alone: u64,
    pub failures: u64,
    pub seconds: f64,
}

/// Judges all mutants; reports go to `say`, and files of failures stay in `keep`.
pub fn run(range: Range, keep: &Path, say: &(dyn Fn(&str) + Sync)) -> Result<Summary> {
    let begin = Instant::now();
    let corpus = Corpus::survey()?;
    let summary = Mutex::new(Summary::default());
    let error = Mutex::new(None);
    // Numbers of one seed go to one worker.
    let first = range.seed / PER_SEED;
    let groups = (range.seed + range.count).div_ceil(PER_SEED) - first;
    on_all_cores(groups, keep, |group, dir| {
        let group = first + group;
        let wanted = |n: &u64| *n >= range.seed && *n < range.seed + range.count;
        let numbers = (group * PER_SEED..(group + 1) * PER_SEED).filter(wanted).collect();
        if let Err(e) = one_seed(&corpus, group, numbers, (keep, dir), &summary, say) {
            *error.lock().expect("no worker panicked") = Some(e);
            return false;
        }
        let (judged, failures) = locked(&summary, |s| (s.mutants, s.failures));
        if judged % 1000 < PER_SEED {
            say(&format!("{judged} mutants, {} s", begin.elapsed().as_secs()));
        }
        failures < ENOUGH
    });
    if let Some(error) = error.into_inner().expect("no worker panicked") {
        return Err(error);
    }
    let mut summary = summary.into_inner().expect("no worker panicked");
    summary.seconds = begin.elapsed().as_secs_f64();
    Ok(summary)
}

fn locked<T>(summary: &Mutex<Summary>, with: impl FnOnce(&mut Summary) -> T) -> T {
    with(&mut summary.lock().expect("no worker panicked"))
}

fn one_seed(
    corpus: &Corpus,
    group: u64,
    numbers: Vec<u64>,
    (keep, dir): (&Path, &Path),
    summary: &Mutex<Summary>,
    say: &(dyn Fn(&str) + Sync),
) -> Result<()> {
    let (seed, _) = corpus.seed(&mut Rng::new(mix(group)), dir)?;
    locked(summary, |s| s.seeds += 1);
    for number in numbers {
        let mut rng = Rng::new(mix(!number));
        for _ in 0..ATTEMPTS {
            let tested = rng.chance(30);
            let mutant = Mutant::random(&seed.text, &mut rng);
            let verdict = judge::judge(&seed, &mutant.text, tested, dir);
            if let Err(failure) = &verdict {
                let report = report(number, &seed, mutant, tested, failure, (keep, dir));
                say(&report);
            }
            let accepted = locked(summary, |s| s.add(verdict.ok()));
            if accepted {
                break;
            }
        }
    }
    Ok(())
}

impl Summary {
    /// Counts one; whether it was one to judge.
    fn add(&mut self, verdict: Option<Verdict>) -> bool {
        self.mutants += 1;
        match verdict {
            Some(Verdict::Invalid) => {
                self.mutants -= 1;
                self.invalid += 1;
                return false;
            }
            Some(Verdict::LeftAlone(alone)) => self.alone += alone,
            Some(Verdict::Instrumented(loops, alone)) => {
                self.instrumented += 1;
                self.loops += loops;
                self.alone += alone;
            }
            None => self.failures += 1,
        }
        true
    }
}

/// Leaves out mutations as long as it fails, keeps the files, and describes it.
fn report(
    number: u64,
    seed: &Seed,
    mut mutant: Mutant,
    tested: bool,
    failure: &anyhow::Error,
    (keep, dir): (&Path, &Path),
) -> String {
    let mut message = format!("{failure:#}");
    let mut at = 0;
    while mutant.steps.len() > 1 && at < mutant.steps.len() {
        let mut steps = mutant.steps.clone();
        steps.remove(at);
        let smaller = Mutant::from_steps(&seed.text, steps);
        match judge::judge(seed, &smaller.text, tested, dir) {
            Err(failure) => {
                message = format!("{failure:#}");
                mutant = smaller;
            }
            Ok(_) => at += 1,
        }
    }
    let file = keep.join(format!("failure-{number}.ll"));
    let _ = std::fs::write(&file, &mutant.text);
    let long = message.char_indices().nth(4000).map(|(at, _)| at);
    format!(
        "mutant {number} of {}\n  again: make fuzz WHAT=modules N=1 SEED={number}\n  {}{}\n{}\n{}",
        seed.origin,
        file.display(),
        if tested { ", with OMPCHUNK_COPIES=0" } else { "" },
        mutant.done.iter().fold(String::new(), |text, done| text + "  - " + done + "\n"),
        &message[..long.unwrap_or(message.len())],
    )
}

impl fmt::Display for Summary {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(
            f,
            "{} mutants of {} modules judged ({} thrown away, which LLVM does not accept), {} of them \
             instrumented; {} loops instrumented, {} left alone; {} failures, {:.0} s",
            self.mutants,
            self.seeds,
            self.invalid,
            self.instrumented,
            self.loops,
            self.alone,
            self.failures,
            self.seconds
        )
    }
}
