//! Runs of the program with one team size or another: recorded, each with the same input, and what they print compared.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fs::File;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus};
use std::time::{Duration, Instant};

use anyhow::{Context, Result};
use ompchunk_toolchain::attach;
use ompchunk_toolchain::installation::Installation;
use ompchunk_toolchain::schedule::Schedules;
use ompchunk_trace_format::environment;

use super::counters::{Counted, Counting};
use super::error::Error;
use crate::child;
use crate::record::why_nothing;
use crate::repeat::{Difference, aside, difference, end_of, input, ours};

/// What OpenMP takes the size of teams from.
pub const THREADS: &str = "OMP_NUM_THREADS";

/// How the program is run.
pub struct Runs<'a> {
    program: &'a [OsString],
    schedules: &'a Schedules,
    shim: PathBuf,
    recorder: PathBuf,
    /// What the first run with each team size printed.
    printed: BTreeMap<u32, File>,
    /// Where two runs with the same team size print something else: then outputs say nothing.
    varies: Option<Difference>,
    /// What the last run wrote to standard error.
    errors: Option<File>,
    /// Why the processor's counters could not be read.
    no_counters: Option<String>,
}

/// A run that ended well.
#[derive(Debug, Clone, Copy)]
pub struct Ran {
    /// From its start to its end.
    pub took: Duration,
    /// `None`: the processor's counters cannot be read.
    pub counted: Option<Counted>,
}

/// How a run ended that failed; with the end of what it wrote to standard error.
#[derive(Debug, Clone)]
pub struct Failure {
    pub status: ExitStatus,
    pub said: String,
}

/// What outputs say of the team sizes.
#[derive(Debug, Clone)]
pub enum Outputs {
    /// All print the same.
    Same,
    /// Runs with one and the same team size do not.
    Vary(Difference),
    /// With these team sizes it prints something else than with the smallest.
    Differ(Vec<(u32, Difference)>),
}

impl<'a> Runs<'a> {
    pub fn of(program: &'a [OsString], schedules: &'a Schedules) -> Result<Self> {
        let installation = Installation::find()?;
        Ok(Runs {
            program,
            schedules,
            shim: installation.shim()?,
            recorder: installation.recorder()?,
            printed: BTreeMap::new(),
            varies: None,
            errors: None,
            no_counters: None,
        })
    }

    /// Records a run into a directory.
    pub fn record(&mut self, threads: u32, directory: &Path) -> Result<Result<Ran, Failure>> {
        let mut command = Command::new(&self.program[0]);
        command.args(&self.program[1..]).env(THREADS, threads.to_string());
        self.attach(&mut command, directory)?;
        let (output, errors) = (aside()?, aside()?);
        command
            .stdin(input())
            .stdout(output.try_clone().context("cannot keep what it prints")?)
            .stderr(errors.try_clone().context("cannot keep what it prints")?);
        let counting = Counting::begin();
        let begin = Instant::now();
        let status = child::run(&mut command)?.status;
        let took = begin.elapsed();
        let counted = counting.and_then(Counting::end);
        if !status.success() {
            let said = end_of(errors);
            return Ok(Err(Failure { status, said }));
        }
        self.errors = Some(errors);
        self.compare(threads, output).context("cannot read what it printed")?;
        if let Err(error) = &counted {
            self.no_counters.get_or_insert_with(|| error.to_string());
        }
        let counted = counted.ok();
        Ok(Ok(Ran { took, counted }))
    }

    /// Why the processor's counters could not be read in some run, if that was so.
    pub fn no_counters(&self) -> Option<&str> {
        self.no_counters.as_deref()
    }

    fn compare(&mut self, threads: u32, mut output: File) -> std::io::Result<()> {
        match self.printed.get_mut(&threads) {
            None => drop(self.printed.insert(threads, output)),
            Some(first) if self.varies.is_none() => self.varies = difference(first, &mut output)?,
            Some(_) => {}
        }
        Ok(())
    }

    /// What the outputs of all runs so far say.
    pub fn outputs(&mut self) -> Result<Outputs> {
        if let Some(found) = &self.varies {
            return Ok(Outputs::Vary(found.clone()));
        }
        let mut all = self.printed.iter_mut();
        let mut differ = Vec::new();
        if let Some((_, smallest)) = all.next() {
            for (threads, file) in all {
                let found = difference(smallest, file).context("cannot read what it printed")?;
                differ.extend(found.map(|difference| (*threads, difference)));
            }
        }
        Ok(match differ.is_empty() {
            true => Outputs::Same,
            false => Outputs::Differ(differ),
        })
    }

    /// Why the last run left no trace: what the recorder said then, and what the program is.
    pub fn nothing(&mut self) -> Error {
        let said = self.errors.take().map(end_of).unwrap_or_default();
        let reason = why_nothing(self.program);
        Error::Nothing { why: reason.why, next: reason.next, said: ours(&said) }
    }

    fn attach(&self, command: &mut Command, directory: &Path) -> Result<()> {
        self.schedules.set(command)?;
        // What would leave out chunks, or add to them.
        for name in [environment::AGGREGATE, environment::EXECUTIONS, environment::PROFILE, environment::SAMPLE] {
            command.env_remove(name);
        }
        command.env(environment::DIRECTORY, directory);
        let list = std::env::var_os(attach::LIST);
        let recorder = std::slice::from_ref(&self.recorder);
        attach::attach(command, &self.shim, recorder, list.as_deref())?;
        Ok(())
    }
}
