//! Runs with one team size or another: recorded, with the processor's counters.

use std::ffi::OsString;
use std::path::Path;
use std::process::ExitStatus;
use std::time::Duration;

use anyhow::Result;
use ompchunk_toolchain::schedule::Schedules;
use ompchunk_trace_format::{Settings, settings};

use super::counters::{Counted, Counting};
use crate::repeat::{Attached, Difference, Error, Runs, end_of};

/// What OpenMP takes the size of teams from.
pub const THREADS: &str = "OMP_NUM_THREADS";

/// The program, with teams of any size.
pub struct Teams<'a> {
    runs: Runs<'a>,
    schedules: &'a Schedules,
    no_counters: Option<String>,
}

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
    /// Runs with one and the same team size do not print the same.
    Vary(Difference),
    /// With these team sizes it prints something else than with the smallest; none: all print the same.
    Differ(Vec<(u32, Difference)>),
}

impl<'a> Teams<'a> {
    pub fn new(program: &'a [OsString], schedules: &'a Schedules) -> Result<Self> {
        Ok(Teams { runs: Runs::new(program, true)?, schedules, no_counters: None })
    }

    pub fn record(&mut self, threads: u32, directory: &Path) -> Result<Result<Ran, Failure>> {
        let counting = Counting::begin();
        let ran = self.runs.run(Attached::Recorder(directory), |command| {
            command.env(THREADS, threads.to_string());
            self.schedules.set(command)?;
            // What would leave out chunks, or add to them.
            let asked = Settings::read().map_err(anyhow::Error::msg)?;
            let whole = Settings { aggregate: false, executions: false, profile: false, sample: 1, ..asked };
            command.env(settings::VARIABLE, whole.value());
            Ok(())
        })?;
        let counted = counting.and_then(Counting::end);
        if !ran.status.success() {
            return Ok(Err(Failure { status: ran.status, said: end_of(ran.errors) }));
        }
        if let Err(error) = &counted {
            self.no_counters.get_or_insert_with(|| error.to_string());
        }
        Ok(Ok(Ran { took: self.runs.keep(threads, ran)?, counted: counted.ok() }))
    }

    /// Why the processor's counters could not be read in some run, if that was so.
    pub fn no_counters(&self) -> Option<&str> {
        self.no_counters.as_deref()
    }

    pub fn outputs(&mut self) -> Result<Outputs> {
        match self.runs.varies() {
            Some(found) => Ok(Outputs::Vary(found.clone())),
            None => self.runs.differences().map(Outputs::Differ),
        }
    }

    /// Why the last run left no trace.
    pub fn nothing(&mut self) -> Error {
        self.runs.nothing()
    }
}
