//! Advice is put to the test: each program of the corpus is recorded with its profile and asked about (`told`), and every
//! candidate is then measured against the schedule as it is, in turns within one process (`turns`). `shop` compiles and runs,
//! `busy` is the load that may be wanted.

mod busy;
mod shop;
mod told;
mod turns;

use std::path::Path;

use anyhow::Result;

use self::busy::Busy;
use self::shop::Shop;
use super::conditions;
use crate::plan::advice::{self, AdviceOptions};
use crate::plan::corpus::{self, Program};
use crate::results::advice::Case;
use crate::results::advised::Advised;

pub use self::busy::{WORD as BUSY, stay_busy};

/// Measures, and keeps what there is after each case.
pub fn measure(options: &AdviceOptions) -> Result<Advised> {
    let programs = corpus::chosen(&options.only)?;
    let is_doubt_fine = options.allow_noisy || options.loaded > 0;
    let doubts = conditions::of_machine(options.threads);
    let mut results = Advised::new(options.quick, options.loaded, options.threads);
    results.warnings = conditions::judge(&doubts, is_doubt_fine)?;
    if options.output.exists() {
        results.go_on_from(Advised::read(&options.output)?);
    }
    results.warnings.sort();
    results.warnings.dedup();
    let shop = Shop::new(options)?;
    facts(&mut results, &shop, options);
    let _busy = Busy::start(options.loaded)?;
    for program in programs {
        let compiled = shop.compile(program)?;
        for runtime in shop.runtimes() {
            let case = case_of(&shop, program, &compiled, runtime, options)?;
            eprintln!("{}", said(&case));
            results.put(case);
            let load = std::fs::read_to_string("/proc/loadavg").unwrap_or_default();
            let load: Vec<&str> = load.split(' ').take(3).collect();
            set(&mut results, "load of the machine when it was over, 1, 5 and 15 minutes", load.join(" "));
            results.write(&options.output)?;
        }
    }
    Ok(results)
}

/// A program on a runtime. That it cannot be advised on is a result; that it computes something else under another schedule
/// ends everything.
fn case_of(shop: &Shop, program: &Program, compiled: &Path, runtime: usize, options: &AdviceOptions) -> Result<Case> {
    let mut case = Case {
        program: program.name().to_owned(),
        runtime: shop.name(runtime).to_owned(),
        cause: program.cause.map(str::to_owned),
        ..Case::default()
    };
    let asked = match options.candidates.is_empty() {
        true => told::ask(shop, program, compiled, runtime).map(|told| match options.blocks {
            true => told.in_blocks(),
            false => told,
        }),
        false => Ok(told::Loop::of(&options.candidates)),
    };
    let told = match asked {
        Ok(told) => told,
        Err(error) => {
            case.failed = Some(format!("{error:#}"));
            return Ok(case);
        }
    };
    case.executions = told.executions;
    case.seconds_now = told.seconds_now;
    case.advice = told.advice.clone();
    case.reason = told.reason;
    let advised = told.advice.as_deref();
    let mut names: Vec<&str> = told.candidates.iter().map(|candidate| &*candidate.schedule).collect();
    names.extend(advised.filter(|name| !names.contains(name)));
    let expected = shop.prints(program, compiled, runtime)?;
    for schedule in advice::measured(&names, advised, options.quick) {
        let found = told.candidates.iter().find(|candidate| candidate.schedule == schedule);
        let predicted = found.and_then(|candidate| candidate.predicted_ratio);
        let turns = turns::Turns { shop, program, compiled, runtime, rounds: options.rounds(), expected: &expected };
        case.candidates.push(turns.measure(schedule, predicted)?);
    }
    Ok(case)
}

fn facts(results: &mut Advised, shop: &Shop, options: &AdviceOptions) {
    let setup = conditions::setup();
    results.started = setup.started;
    set(results, "processor", setup.processor());
    set(results, "system", setup.system);
    for (name, version) in shop.versions() {
        set(results, name, version);
    }
    set(results, "processes of each of the two measurements of a candidate", options.rounds().to_string());
    if options.quick {
        let measured = "one of six, and the advised one".to_owned();
        set(results, "candidates that were measured", measured);
    }
    let threads = results.threads.to_string();
    set(results, "threads", threads);
    if results.loaded > 0 {
        let loaded = results.loaded.to_string();
        set(results, "busy processes beside it", loaded);
    }
}

fn set(results: &mut Advised, name: &str, value: String) {
    match results.facts.iter_mut().find(|fact| fact.0 == name) {
        Some(there) => there.1 = value,
        None => results.facts.push((name.to_owned(), value)),
    }
}

/// A case in a line.
fn said(case: &Case) -> String {
    let (program, runtime) = (&case.program, &case.runtime);
    if let Some(why) = &case.failed {
        return format!("{program} on {runtime}: {why}");
    }
    let (best, ratio) = case.best();
    let advised = match (&case.advice, case.advised()) {
        (None, _) => "leave it".to_owned(),
        (Some(name), None) => format!("{name}, not measured"),
        (Some(name), Some(candidate)) => {
            let (measured, verdict) = (candidate.both.middle, candidate.verdict());
            let predicted = candidate.predicted.map(|of| format!(", predicted {:.3}", of.middle));
            let predicted = predicted.unwrap_or_default();
            format!("{name}{predicted}, measured {measured:.3} ({verdict:?})")
        }
    };
    let candidates = case.candidates.len();
    format!("{program} on {runtime}: {advised}; best of {candidates}: {best} {ratio:.3}")
}
