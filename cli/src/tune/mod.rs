//! `ompchunk tune`: record with a profile, predict, say so, then measure the predictions on the same binary.
//!
//! Runs of the program (`runs`) -> advice (`proposal`) -> loops in turns (`measure`) -> the whole program (`whole`) -> what is
//! printed (`table`) and kept (`file`). Runs under other schedules print what runs as compiled do, or are odd (`oddity`), and
//! then it is found out which schedule it is (`culprits`). With `--gate`, the schedules of a file (`listed`) are measured instead, and
//! the exit code answers (`gate`).

mod culprits;
mod error;
mod file;
mod gate;
mod listed;
mod measure;
mod oddity;
mod proposal;
mod runs;
mod table;
mod trial;
mod whole;

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::{Duration, Instant};

use anyhow::{Context, Result};
use indicatif::ProgressBar;
use ompchunk_trace_format::parts_in;
use ompchunk_trace_format::words::counted;

use self::culprits::culprits;
use self::error::Error;
use self::measure::{Limit, Measured, OF_LOOPS};
use self::proposal::Advised;
use self::runs::{Recorded, Runs};
use self::trial::Trial;
use crate::args::{Advise, Tune};
use crate::repeat::{progress, words};
use crate::{advise, output};

/// What to do about an error of this command.
pub fn next(cause: &(dyn std::error::Error + 'static)) -> Option<String> {
    cause.downcast_ref().map(Error::next)
}

/// Tunes, and prints what came of it.
pub fn run(tune: &Tune) -> Result<ExitCode> {
    if let Some(file) = &tune.gate {
        return gate::run(tune, file);
    }
    file::check(&tune.output)?;
    let directory = tempfile::tempdir().context("cannot make a directory for traces")?;
    let bar = progress();
    let mut runs = Runs::of(&tune.program, tune.check.as_deref())?;
    let (advised, plain) = advised(tune, &mut runs, directory.path(), &bar)?;
    if !tune.json {
        bar.suspend(|| output::print(&table::predictions(&advised, plain, &words(&tune.program))))?;
    }
    if advised.proposals.is_empty() {
        bar.finish_and_clear();
        if tune.json {
            output::print(&table::json(&advised, &[], None)?)?;
        }
        return Ok(ExitCode::SUCCESS);
    }
    let (measured, whole) = measured(tune, &mut runs, &advised, directory.path(), &bar)?;
    told(tune, &advised, &measured, whole.as_ref())?;
    Ok(ExitCode::SUCCESS)
}

/// What is advised from a recorded profile, and how long the program took as compiled.
fn advised(
    tune: &Tune,
    runs: &mut Runs<'_>,
    directory: &Path,
    bar: &ProgressBar,
) -> Result<(Advised, Duration)> {
    bar.set_message("recording a profile");
    let trace = directory.join("profile");
    let plain = runs.plain(Recorded::Profile(&trace))?;
    if parts_in(&trace).unwrap_or_default().is_empty() {
        return Err(runs.nothing().into());
    }
    let question = Advise {
        trace: trace.clone(),
        threads: None,
        all: false,
        loops: tune.loops.clone(),
        top: 0,
        ranks: Vec::new(),
        runtime: None,
        patch: false,
        json: false,
    };
    let advice = bar.suspend(|| advise::of(&question))?.advice;
    let advised = proposal::from(&advice)?;
    // Its traces may be large.
    let _ = std::fs::remove_dir_all(&trace);
    Ok((advised, plain))
}

/// The proposals in turns with what is compiled, then the whole program under those that were faster.
fn measured(
    tune: &Tune,
    runs: &mut Runs<'_>,
    advised: &Advised,
    directory: &Path,
    bar: &ProgressBar,
) -> Result<(Vec<Measured>, Option<Measured>)> {
    bar.set_message("once more as compiled");
    runs.plain(Recorded::Not)?;
    let varied = runs.varies().is_some();
    if let Some(found) = runs.varies() {
        bar.suspend(|| output::notice(&table::varies(found)));
    }

    let begin = Instant::now();
    let all = Duration::from_secs_f64(tune.seconds);
    let limit = Limit {
        all,
        of_loops: all.mul_f64(OF_LOOPS),
    };
    let proposals = advised.proposals.iter();
    let trials: Vec<Trial> = proposals.map(|proposal| proposal.trial.clone()).collect();
    let mut measured = measure::loops(runs, &trials, directory, limit, |round, all| {
        bar.set_message(table::so_far(round, all));
    })?;

    let rest = all.saturating_sub(begin.elapsed());
    let whole = kept(runs, &trials, &mut measured, rest, |pairs| {
        let pairs = counted(pairs as u64, "pair");
        bar.set_message(format!("the whole program, {pairs} of runs"));
    })?;
    bar.finish_and_clear();

    if let Some(found) = runs.varies().filter(|_| !varied) {
        output::notice(&table::varies(found));
    }
    Ok((measured, whole))
}

/// Prints what was measured, and keeps what is faster in a file.
fn told(
    tune: &Tune,
    advised: &Advised,
    measured: &[Measured],
    whole: Option<&Measured>,
) -> Result<()> {
    for alarm in measured.iter().filter_map(|trial| trial.alarm.as_ref()) {
        output::notice(&format_args!("warning: {alarm}"));
    }
    let entries = table::entries(&advised.proposals, measured);
    let path: Option<&PathBuf> = (!entries.is_empty()).then_some(&tune.output);
    if let Some(path) = path {
        file::write(path, &words(&tune.program), &entries)?;
    }
    let text = match tune.json {
        true => table::json(advised, measured, whole)?,
        false => table::results(&advised.proposals, measured, whole, path),
    };
    output::print(&text)?;
    Ok(())
}

/// The whole program under all that was faster, and measured against itself as compiled; what is odd then is taken out again. `None`:
/// nothing is left.
fn kept(
    runs: &mut Runs<'_>,
    trials: &[Trial],
    measured: &mut [Measured],
    limit: Duration,
    mut progress: impl FnMut(usize),
) -> Result<Option<Measured>> {
    let begin = Instant::now();
    loop {
        let left: Vec<(usize, &Trial)> = (trials.iter().enumerate())
            .filter(|(number, _)| measured[*number].is_faster())
            .collect();
        let entries: Vec<String> = left.iter().flat_map(|(_, trial)| trial.entries()).collect();
        if entries.is_empty() {
            return Ok(None);
        }
        let rest = limit.saturating_sub(begin.elapsed());
        match whole::run(runs, &entries.join(";"), rest, &mut progress)? {
            Ok(whole) => return Ok(Some(whole)),
            Err(oddity) => {
                for (number, alarm) in culprits(runs, &left, &oddity)? {
                    measured[number].alarm = Some(alarm);
                }
            }
        }
    }
}
