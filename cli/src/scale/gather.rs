//! The program with all team sizes, round by round, recorded, with the processor's counters; and what each trace tells.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::ExitStatus;
use std::time::Duration;

use anyhow::{Context, Result};
use ompchunk_analysis::model::LoopReport;
use ompchunk_analysis::{Identity, Report, analyse};
use ompchunk_toolchain::Failure;
use ompchunk_toolchain::schedule_option::Schedules;
use ompchunk_trace_format::{Mode, Part, Settings, Trace, parts_in, settings, shown};
use tempfile::TempDir;

use super::counters::{Counted, Counting};
use super::sample::{Sample, Unfit};
use crate::output::unwritable;
use crate::repeat::{Attached, Runs, Turn, end_of, failed, take_turns};
use crate::report;

#[derive(Default)]
pub struct Gathered {
    pub runs: Vec<Run>,
    /// Team sizes that are left out, each in a sentence that says why.
    pub left_out: Vec<String>,
}

pub struct Run {
    pub asked: u32,
    pub round: usize,
    pub ran: Ran,
    /// In loops; `None`: not known.
    pub loop_seconds: Option<f64>,
    pub loops: Vec<LoopRun>,
}

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
                    let processes = report.run.processes.max(1);
                    let loops = report.loops.iter().map(|the_loop| of_loop(the_loop, processes)).collect();
                    gathered.runs.push(Run { asked, round, ran, loop_seconds: report.run.loop_seconds, loops });
                    None
                }
                // The program is no other with another team.
                None if gathered.runs.is_empty() => return Err(runs.runs.nothing().into()),
                None => Some("nothing was recorded with it".to_owned()),
            },
            Err((status, said)) if sizes.len() - gathered.left_out.len() <= 2 => {
                let with = format!(" with {THREADS}={asked}, and fewer than two team sizes are left");
                return Err(failed(status, &with, &said).into());
            }
            Err((status, said)) => {
                let last = said.lines().last().map_or_else(String::new, |line| format!(" ({line})"));
                Some(format!("the program ended with {status}{last}"))
            }
        };
        place.is_read(&trace)?;
        let Some(why) = why else { return Ok(Turn::Stays) };
        // What ran well with it before counts no more: it may have done something else, too.
        gathered.runs.retain(|run| run.asked != asked);
        gathered.left_out.push(format!("{THREADS}={asked} is left out: {why}"));
        Ok(Turn::LeavesOut)
    };
    take_turns(sizes, turn, |ran| ran == rounds)?;
    Ok(gathered)
}

impl Gathered {
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

pub struct TraceFolder {
    path: PathBuf,
    /// Where they are not kept.
    temporary: Option<TempDir>,
}

impl TraceFolder {
    /// It is an error if there is something already.
    pub fn prepare(kept: Option<&Path>) -> Result<TraceFolder> {
        let Some(path) = kept else {
            let directory = tempfile::tempdir().context("cannot make a directory for traces")?;
            return Ok(TraceFolder { path: directory.path().to_owned(), temporary: Some(directory) });
        };
        let unwritable = |cause| unwritable(path, cause);
        std::fs::create_dir_all(path).map_err(unwritable)?;
        if std::fs::read_dir(path).map_err(unwritable)?.next().is_some() {
            let what = format!("{} is there and not empty, so it stays as it is", shown(path));
            return Err(Failure::new(what, "choose another directory with -o, or empty this one").into());
        }
        // The program may change its directory before it begins to record.
        let path = std::path::absolute(path).context("cannot find the working directory")?;
        Ok(TraceFolder { path, temporary: None })
    }

    pub fn trace_of(&self, threads: u32, round: usize) -> PathBuf {
        self.path.join(format!("threads-{threads}.run-{}", round + 1))
    }

    /// A trace was read, or is of a run that failed.
    pub fn is_read(&self, trace: &Path) -> Result<()> {
        if self.temporary.is_some() && trace.exists() {
            std::fs::remove_dir_all(trace).with_context(|| format!("cannot remove {}", trace.display()))?;
        }
        Ok(())
    }
}

const THREADS: &str = "OMP_NUM_THREADS";

pub struct Teams<'a> {
    pub runs: Runs<'a>,
    schedules: &'a Schedules,
    /// Why the processor's counters could not be read in some run, if that was so.
    pub no_counters: Option<String>,
}

#[derive(Debug, Clone, Copy)]
pub struct Ran {
    pub took: Duration,
    /// `None`: the processor's counters cannot be read.
    pub counted: Option<Counted>,
}

impl<'a> Teams<'a> {
    pub fn new(program: &'a [OsString], schedules: &'a Schedules) -> Result<Self> {
        Ok(Teams { runs: Runs::new(program, true)?, schedules, no_counters: None })
    }

    /// Of a run that failed: how it ended, and the end of what it wrote to standard error.
    fn record(&mut self, threads: u32, directory: &Path) -> Result<Result<Ran, (ExitStatus, String)>> {
        let counting = Counting::begin();
        let ran = self.runs.run(Attached::Recorder(directory), |command| {
            command.env(THREADS, threads.to_string());
            self.schedules.set(command)?;
            // What would leave out chunks, or add to them.
            let mut whole = Settings::read().map_err(anyhow::Error::msg)?;
            whole.mode = Mode { aggregate: false, executions: false, profile: false, sample: 1, ..whole.mode };
            command.env(settings::VARIABLE, whole.value());
            Ok(())
        })?;
        let counted = counting.and_then(Counting::end);
        if !ran.status.success() {
            return Ok(Err((ran.status, end_of(ran.errors))));
        }
        if let Err(error) = &counted {
            self.no_counters.get_or_insert_with(|| error.to_string());
        }
        Ok(Ok(Ran { took: self.runs.keep(threads, ran)?, counted: counted.ok() }))
    }

    /// What outputs say of the team sizes; nothing if all print the same.
    pub fn outputs(&mut self) -> Result<Vec<String>> {
        if let Some(found) = self.runs.varies() {
            return Ok(vec![format!(
                "the program's output does not show whether it does the same with each team size: two runs with the same size differ \
                 ({found}), as they do if it prints times"
            )]);
        }
        let words = self.runs.differences()?.into_iter().map(|(asked, found)| {
            format!(
                "with {THREADS}={asked} the program prints something else: {found}; unless that is a number of threads, or the last \
                 digits of a sum, it may do other work, and its numbers mean little"
            )
        });
        Ok(words.collect())
    }
}
