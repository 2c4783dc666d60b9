//! `ompchunk tune`: record with a profile, predict, say so, then measure the predictions on the same binary.
//!
//! Runs of the program (`runs`) -> advice (`proposal`) -> loops in turns (`measure`) -> the whole program (`whole`) -> what is
//! printed (`table`) and kept (`file`).

mod error;
mod file;
mod measure;
mod proposal;
mod runs;
mod table;
mod whole;

use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

use anyhow::{Context, Result};
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use self::error::Error;
use self::runs::{Recorded, Runs};
use crate::args::{Advise, Tune};
use crate::{advise, output};

/// Of the time there is, what the loops have; the whole program has the rest.
const OF_LOOPS: f64 = 0.6;

/// What to do about an error of this command.
pub fn next(cause: &(dyn std::error::Error + 'static)) -> Option<String> {
    cause.downcast_ref().map(Error::next)
}

/// Tunes, and prints what came of it.
pub fn run(tune: &Tune) -> Result<ExitCode> {
    file::check(&tune.output)?;
    let directory = tempfile::tempdir().context("cannot make a directory for traces")?;
    let bar = progress();
    let mut runs = Runs::of(&tune.program)?;

    bar.set_message("recording a profile");
    let trace = directory.path().join("profile");
    let plain = runs.run(Recorded::Profile(&trace), None)?;
    let question = Advise {
        trace: trace.clone(),
        threads: None,
        all: false,
        loops: tune.loops.clone(),
        top: 0,
        ranks: Vec::new(),
        runtime: None,
        json: false,
    };
    let (advice, _) = bar.suspend(|| advise::of(&question))?;
    let advised = proposal::from(&advice)?;
    // Its traces may be large.
    let _ = std::fs::remove_dir_all(&trace);
    let proposals = &advised.proposals;
    if !tune.json {
        bar.suspend(|| output::print(&table::predictions(&advised, plain)))?;
    }
    if proposals.is_empty() {
        bar.finish_and_clear();
        if tune.json {
            output::print(&table::json(&advised, &[], None)?)?;
        }
        return Ok(ExitCode::SUCCESS);
    }

    let limit = Duration::from_secs_f64(tune.seconds);
    let trials: Vec<_> = proposals.iter().map(|it| it.trial.clone()).collect();
    let of_loops = limit.mul_f64(OF_LOOPS);
    let measured = measure::loops(
        &mut runs,
        &trials,
        directory.path(),
        of_loops,
        |round, all| {
            bar.set_message(table::so_far(round, all));
        },
    )?;

    let entries: Vec<(String, String)> = table::faster(proposals, &measured)
        .map(|(it, measured)| (it.entry(), table::remark(measured)))
        .collect();
    let whole = match entries.is_empty() {
        true => None,
        false => {
            let all: Vec<&str> = entries.iter().map(|it| it.0.as_str()).collect();
            let rest = limit - of_loops;
            Some(whole::run(&mut runs, &all.join(";"), rest, |pairs| {
                bar.set_message(format!("the whole program, {pairs} pairs of runs"));
            })?)
        }
    };
    bar.finish_and_clear();

    let path: Option<&PathBuf> = (!entries.is_empty()).then_some(&tune.output);
    if let Some(path) = path {
        file::write(path, &words(tune), &entries)?;
    }
    if tune.json {
        output::print(&table::json(&advised, &measured, whole.as_ref())?)?;
    } else {
        output::print(&table::results(proposals, &measured, whole.as_ref(), path))?;
        if !runs.prints_the_same {
            output::notice(
                &"not all runs printed the same: as where a program prints times, or where sums are added up in another order",
            );
        }
    }
    Ok(ExitCode::SUCCESS)
}

fn words(tune: &Tune) -> String {
    let words: Vec<_> = tune.program.iter().map(|it| it.to_string_lossy()).collect();
    words.join(" ")
}

/// A line on standard error, if that is a terminal.
fn progress() -> ProgressBar {
    let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::stderr());
    if let Ok(style) = ProgressStyle::with_template("{spinner} {elapsed} {msg}") {
        bar.set_style(style);
    }
    bar.enable_steady_tick(Duration::from_millis(200));
    bar
}
