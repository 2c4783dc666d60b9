//! `ompchunk tune`: runs of the program (`runs`) -> advice (`proposal`) -> loops and the whole program in turns
//! (`measure`) -> what is printed (`table`), kept. With `--gate`, a file's schedules (`listed`) are measured (`gate`).

mod gate;
mod listed;
mod measure;
mod proposal;
mod runs;
mod table;

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::{Duration, Instant};

use anyhow::{Context, Result};
use indicatif::ProgressBar;
use ompchunk_figures::counted;
use ompchunk_toolchain::Failure;
use ompchunk_trace_format::parts_in;

use self::measure::{Limit, Measured, OF_LOOPS};
use self::proposal::Advised;
use self::runs::{Checked, Recorded, Trial, culprits};
use crate::args::{Advise, Tune};
use crate::repeat::{progress, words};
use crate::{advise, output};

pub fn run(tune: &Tune) -> Result<ExitCode> {
    if let Some(file) = &tune.gate {
        return gate::run(tune, file);
    }
    check(&tune.output)?;
    let directory = tempfile::tempdir().context("cannot make a directory for traces")?;
    let bar = progress();
    let mut runs = Checked::new(&tune.program, tune.check.as_deref())?;
    let (mut advised, plain) = advised(tune, &mut runs, directory.path(), &bar)?;
    if !tune.json {
        bar.suspend(|| output::print(&table::predictions(&advised, plain, &words(&tune.program))))?;
    }
    let found = if advised.proposals.is_empty() && !balances(tune, &advised) {
        Found::default()
    } else {
        once_more(&mut runs, &mut advised, &bar)?;
        measured(tune, &mut runs, &advised, directory.path(), &bar)?
    };
    bar.finish_and_clear();
    told(tune, &advised, &found)?;
    Ok(ExitCode::SUCCESS)
}

#[derive(Debug, Default)]
struct Found {
    loops: Vec<Measured>,
    /// The program under those that were faster. `None`: none was.
    whole: Option<Measured>,
    /// The program while it balances itself, where that was asked for.
    balance: Option<Measured>,
}

/// Is it measured how the program balances itself? Without a loop there is nothing to balance.
fn balances(tune: &Tune, advised: &Advised) -> bool {
    tune.balance && !(advised.proposals.is_empty() && advised.left.is_empty())
}

/// What is advised from a recorded profile, and how long the program took as compiled.
fn advised(tune: &Tune, runs: &mut Checked<'_>, directory: &Path, bar: &ProgressBar) -> Result<(Advised, Duration)> {
    bar.set_message("recording a profile");
    let trace = directory.join("profile");
    let plain = runs.plain(Recorded::Profile(&trace))?;
    if parts_in(&trace).unwrap_or_default().is_empty() {
        return Err(runs.runs.nothing().into());
    }
    let question = Advise { trace: trace.clone(), loops: tune.loops.clone(), ..Advise::default() };
    let advice = bar.suspend(|| advise::advised(&question))?.advice;
    let advised = proposal::from(&advice)?;
    // Its traces may be large.
    let _ = std::fs::remove_dir_all(&trace);
    Ok((advised, plain))
}

/// Another run as compiled: what it prints otherwise tells nothing of schedules, and then none is tried that cuts chunks.
fn once_more(runs: &mut Checked<'_>, advised: &mut Advised, bar: &ProgressBar) -> Result<()> {
    bar.set_message("once more as compiled");
    runs.plain(Recorded::Not)?;
    if let Some(found) = runs.varies() {
        bar.suspend(|| output::notice(&table::varies(found)));
    }
    if !runs.is_checkable()? {
        let cut = advised.without_cuts();
        if !cut.is_empty() {
            bar.suspend(|| output::notice(&table::uncut(&cut)));
        }
    }
    Ok(())
}

/// The proposals in turns with what is compiled, then the whole program under those that were faster, and while it balances itself.
fn measured(
    tune: &Tune,
    runs: &mut Checked<'_>,
    advised: &Advised,
    directory: &Path,
    bar: &ProgressBar,
) -> Result<Found> {
    let varied = runs.varies().is_some();
    let begin = Instant::now();
    let all = Duration::from_secs_f64(tune.seconds);
    let of_loops = all.mul_f64(OF_LOOPS);
    let balances = balances(tune, advised);
    // With --balance the rest is needed in any case.
    let limit = Limit { all: if balances { of_loops } else { all }, of_loops };
    let trials: Vec<Trial> = advised.proposals.iter().map(|proposal| proposal.trial.clone()).collect();
    let predicted = advised.proposals.iter().filter(|proposal| proposal.predicted.is_some()).count();
    let mut loops = measure::loops(runs, &trials[..predicted], directory, limit, |round, all| {
        bar.set_message(table::so_far(round, all));
    })?;
    let pairs_of = |what: &str, pairs: usize| {
        bar.set_message(format!("{what}, {} of runs", counted(pairs as u64, "pair")));
    };
    for (number, trial) in trials.iter().enumerate().skip(predicted) {
        let until = if loops.iter().any(Measured::is_faster) { of_loops } else { limit.all };
        let rest = until.saturating_sub(begin.elapsed()) / (trials.len() - number) as u32;
        let entries = trial.entries().join(";");
        loops.push(measure::alone(runs, &entries, &entries, rest, |pairs| pairs_of(&entries, pairs))?);
    }
    let rest = all.saturating_sub(begin.elapsed());
    let of_whole = if balances { rest / 2 } else { rest };
    let whole = kept(runs, &trials, &mut loops, of_whole, |pairs| pairs_of("the whole program", pairs))?;
    let rest = all.saturating_sub(begin.elapsed());
    // As `ompchunk run --balance` has it; each run learns anew.
    let adaptive = "*=adaptive";
    let balance =
        balances.then(|| measure::alone(runs, adaptive, adaptive, rest, |pairs| pairs_of("balancing itself", pairs)));
    let balance = balance.transpose()?;

    if let Some(found) = runs.varies().filter(|_| !varied) {
        bar.suspend(|| output::notice(&table::varies(found)));
    }
    Ok(Found { loops, whole, balance })
}

fn told(tune: &Tune, advised: &Advised, found: &Found) -> Result<()> {
    let measured = found.loops.iter().chain(&found.balance);
    for alarm in measured.filter_map(|measured| measured.alarm.as_ref()) {
        output::notice(&format_args!("warning: {alarm}"));
    }
    let entries = table::entries(&advised.proposals, &found.loops);
    let path: Option<&PathBuf> = (!entries.is_empty()).then_some(&tune.output);
    if let Some(path) = path {
        write(path, &words(&tune.program), &entries)?;
    }
    let (whole, balance) = (found.whole.as_ref(), found.balance.as_ref());
    if tune.json {
        return Ok(output::print(&table::json(advised, &found.loops, whole, balance)?)?);
    }
    let mut text = String::new();
    if !advised.proposals.is_empty() {
        text += &table::results(&advised.proposals, &found.loops, whole, path);
    }
    if let Some(measured) = balance {
        text += &table::balanced(measured, &words(&tune.program));
    }
    Ok(output::print(&text)?)
}

/// The whole program under all that was faster, but for what is odd then. `None`: nothing is left.
fn kept(
    runs: &mut Checked<'_>,
    trials: &[Trial],
    measured: &mut [Measured],
    limit: Duration,
    mut progress: impl FnMut(usize),
) -> Result<Option<Measured>> {
    let begin = Instant::now();
    loop {
        let left: Vec<(usize, &Trial)> =
            (trials.iter().enumerate()).filter(|(number, _)| measured[*number].is_faster()).collect();
        let entries: Vec<String> = left.iter().flat_map(|(_, trial)| trial.entries()).collect();
        if entries.is_empty() {
            return Ok(None);
        }
        let rest = limit.saturating_sub(begin.elapsed());
        match measure::whole_program(runs, &entries.join(";"), rest, &mut progress)? {
            Ok(whole) => return Ok(Some(whole)),
            Err(oddity) => {
                for (number, alarm) in culprits(runs, &left, &oddity)? {
                    measured[number].alarm = Some(alarm);
                }
            }
        }
    }
}

/// The first line, by which an earlier file is known.
const FIRST: &str = "# ompchunk tune";

/// Is the place free, or what is there ours? And can it be written: after minutes of measuring it would be too late to learn that.
pub fn check(path: &Path) -> Result<()> {
    match std::fs::read_to_string(path) {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => {}
        Ok(text) if text.is_empty() || text.starts_with(FIRST) => {}
        _ => {
            let what = format!("{} was not written by `ompchunk tune`, so it stays as it is", path.display());
            return Err(Failure::new(what, "choose another file with -o").into());
        }
    }
    Ok(output::check(path)?)
}

pub fn write(path: &Path, command: &str, entries: &[(String, String)]) -> Result<()> {
    let mut text = format!("{FIRST} -- {}\n", command.replace('\n', " "));
    for (entry, remark) in entries {
        text += &format!("{entry}  # {remark}\n");
    }
    Ok(output::write(path, &text)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_others_wrote_stays() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("schedules.txt");
        check(&path).unwrap();
        write(&path, "./a\nb", &[("a.c:3=dynamic,4".into(), "0.7".into())]).unwrap();
        let text = std::fs::read_to_string(&path).unwrap();
        assert!(ompchunk_abi::overrides::Table::parse(&text).is_ok(), "{text}");
        check(&path).unwrap();
        std::fs::write(&path, "mine\n").unwrap();
        assert!(check(&path).is_err());
        assert!(check(directory.path()).is_err());
        let nowhere = check(&directory.path().join("none/schedules.txt")).unwrap_err();
        assert!(nowhere.to_string().starts_with("cannot write "), "{nowhere}");
    }
}
