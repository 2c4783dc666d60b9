//! The program with all team sizes, round by round, and what each trace tells.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use ompchunk_analysis::model::LoopReport;
use ompchunk_analysis::{Identity, Report, analyse};
use ompchunk_trace_format::{Part, Trace, parts_in};
use tempfile::TempDir;

use super::runs::{Failure, Ran, THREADS, Teams};
use super::sample::{Sample, Unfit};
use crate::output::Unwritable;
use crate::repeat::{Error, Turn, take_turns};
use crate::report;

#[derive(Debug, Default)]
pub struct Gathered {
    pub runs: Vec<Run>,
    /// Team sizes that are left out.
    pub left_out: Vec<LeftOut>,
}

#[derive(Debug)]
pub struct Run {
    pub asked: u32,
    pub round: usize,
    pub ran: Ran,
    /// In loops; `None`: not known.
    pub loop_seconds: Option<f64>,
    pub loops: Vec<LoopRun>,
}

#[derive(Debug)]
pub struct LoopRun {
    pub name: String,
    /// The same in another run of the same program: here nothing is compiled between two runs, so that lines need no guesses.
    pub identity: Identity,
    /// Its smallest and its largest team; `None`: not known.
    pub team: Option<[u32; 2]>,
    /// Its time as a share of the run; `None`: not known.
    pub share: Option<f64>,
    /// What of its executions is in no other loop's chunks.
    pub outermost: f64,
    pub sample: Result<Sample, Unfit>,
}

/// A team size with which nothing can be measured.
#[derive(Debug, Clone)]
pub struct LeftOut {
    pub asked: u32,
    pub why: Why,
}

#[derive(Debug, Clone)]
pub enum Why {
    Failed(Failure),
    /// No part of a trace.
    Nothing,
}

/// Runs the program so often with each team size. `progress` is told which run it is, before it begins.
pub fn gather(
    runs: &mut Teams<'_>,
    place: &TraceFolder,
    sizes: &[u32],
    rounds: usize,
    progress: impl Fn(usize, u32),
) -> Result<Gathered> {
    report::for_many_parts();
    let mut gathered = Gathered::default();
    let turn = |round, asked| {
        progress(round, asked);
        let trace = place.trace_of(asked, round);
        let why = match runs.record(asked, &trace)? {
            Ok(ran) => match read(&trace)? {
                Some(report) => {
                    gathered.runs.push(run(asked, round, ran, &report));
                    None
                }
                // The program is no other with another team.
                None if gathered.runs.is_empty() => return Err(runs.nothing().into()),
                None => Some(Why::Nothing),
            },
            Err(failure) => Some(Why::Failed(failure)),
        };
        place.is_read(&trace)?;
        match why {
            None => Ok(Turn::Stays),
            Some(why) => {
                let left = sizes.len() - gathered.left_out.len() - 1;
                gathered.leave_out(LeftOut { asked, why }, left)?;
                Ok(Turn::LeavesOut)
            }
        }
    };
    take_turns(sizes, turn, |ran| ran == rounds)?;
    Ok(gathered)
}

impl Gathered {
    /// What ran well with it before counts no more: it may have done something else, too.
    fn leave_out(&mut self, left_out: LeftOut, left: usize) -> Result<(), Error> {
        if let (0 | 1, Why::Failed(failure)) = (left, &left_out.why) {
            let with = format!(" with {THREADS}={}, and fewer than two team sizes are left", left_out.asked);
            return Err(Error::Failed { status: failure.status, with, said: failure.said.clone() });
        }
        self.runs.retain(|run| run.asked != left_out.asked);
        self.left_out.push(left_out);
        Ok(())
    }

    /// The team sizes with which it ran, the smallest first.
    pub fn asked(&self) -> Vec<u32> {
        let mut all: Vec<u32> = self.runs.iter().map(|run| run.asked).collect();
        all.sort_unstable();
        all.dedup();
        all
    }
}

/// `None`: there is nothing. A part that cannot be read is an error: without it the others say little.
fn read(trace: &Path) -> Result<Option<Report>> {
    if parts_in(trace).unwrap_or_default().is_empty() {
        return Ok(None);
    }
    let opened = Trace::open(trace)?;
    let parts: Vec<&Part> = opened.parts.iter().collect();
    let mut analysis = analyse(&parts, &|_| {})?;
    match analysis.skipped.pop() {
        Some((_, error)) => Err(error.into()),
        None => Ok(Some(analysis.report)),
    }
}

fn run(asked: u32, round: usize, ran: Ran, report: &Report) -> Run {
    let processes = report.run.processes.max(1);
    Run {
        asked,
        round,
        ran,
        loop_seconds: report.run.loop_seconds,
        loops: report.loops.iter().map(|the_loop| of_loop(the_loop, processes)).collect(),
    }
}

fn of_loop(loop_report: &LoopReport, processes: usize) -> LoopRun {
    let outermost = match loop_report.executions {
        0 => 0.0,
        all => 1.0 - loop_report.nested_executions as f64 / all as f64,
    };
    LoopRun {
        name: loop_report.name.clone(),
        identity: loop_report.identity.clone(),
        team: loop_report.team_size,
        share: loop_report.run_share,
        outermost,
        sample: Sample::from_loop(loop_report, processes),
    }
}

/// For the traces of all runs.
pub enum TraceFolder {
    Temporary(TempDir),
    Kept(PathBuf),
}

impl TraceFolder {
    /// It is an error if there is something already.
    pub fn prepare(kept: Option<&Path>) -> Result<TraceFolder> {
        let Some(path) = kept else {
            let directory = tempfile::tempdir().context("cannot make a directory for traces")?;
            return Ok(TraceFolder::Temporary(directory));
        };
        let unwritable = |cause| Unwritable::new(path, cause);
        std::fs::create_dir_all(path).map_err(unwritable)?;
        if std::fs::read_dir(path).map_err(unwritable)?.next().is_some() {
            return Err(Error::Taken(path.to_owned()).into());
        }
        // The program may change its directory before it begins to record.
        let path = std::path::absolute(path).context("cannot find the working directory")?;
        Ok(TraceFolder::Kept(path))
    }

    /// A run's trace, under a name by which its owner finds it again.
    pub fn trace_of(&self, threads: u32, round: usize) -> PathBuf {
        let directory = match self {
            TraceFolder::Temporary(directory) => directory.path(),
            TraceFolder::Kept(path) => path,
        };
        directory.join(format!("threads-{threads}.run-{}", round + 1))
    }

    /// A trace was read, or is of a run that failed.
    pub fn is_read(&self, trace: &Path) -> Result<()> {
        match self {
            TraceFolder::Temporary(_) if trace.exists() => {
                std::fs::remove_dir_all(trace).with_context(|| format!("cannot remove {}", trace.display()))
            }
            _ => Ok(()),
        }
    }
}
