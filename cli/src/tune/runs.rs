//! Runs as compiled and under other schedules, recorded or by itself: what they print is compared, or checked.

use std::ffi::OsString;
use std::fs::File;
use std::io::{Seek, SeekFrom};
use std::path::Path;
use std::process::{Command, ExitStatus};
use std::time::Duration;

use anyhow::{Context, Result};
use ompchunk_abi::LEARNED_ENV;
use ompchunk_schedules::VARIABLE;
use ompchunk_trace_format::{Settings, settings};

use super::oddity::Oddity;
use crate::child;
use crate::repeat::{Attached, Difference, Error, Ran, Runs, aside, end_of};

/// All runs have as many threads: they are of one kind.
const KIND: u32 = 0;

/// The program, and how a run is judged.
pub struct Checked<'a> {
    runs: Runs<'a>,
    /// The user's command that verifies a run, for a shell.
    check: Option<&'a str>,
}

#[derive(Debug, Clone, Copy)]
pub enum Recorded<'a> {
    /// The cost of iterations, into this directory.
    Profile(&'a Path),
    /// When executions began and ended.
    Executions(&'a Path),
    Not,
}

impl<'a> Checked<'a> {
    pub fn new(program: &'a [OsString], check: Option<&'a str>) -> Result<Self> {
        Ok(Checked { runs: Runs::new(program, false)?, check })
    }

    /// Runs it once, as compiled, which must go well. Gives how long it took.
    pub fn plain(&mut self, recorded: Recorded<'_>) -> Result<Duration> {
        let ran = self.run(recorded, None)?;
        if !ran.status.success() {
            let (status, with, said) = (ran.status, String::new(), end_of(ran.errors));
            return Err(Error::Failed { status, with, said }.into());
        }
        if let Some((status, said)) = self.refused(&ran.output)? {
            let check = self.check.unwrap_or_default().to_owned();
            return Err(Error::Refused { check, status, said }.into());
        }
        self.runs.keep(KIND, ran)
    }

    /// Runs it once, under these schedules. Gives how long it took, or what it did that it does not do as compiled.
    pub fn under(&mut self, recorded: Recorded<'_>, schedules: &str) -> Result<Result<Duration, Oddity>> {
        let mut ran = self.run(recorded, Some(schedules))?;
        if !ran.status.success() {
            return Ok(Err(Oddity::Ended(ran.status, end_of(ran.errors))));
        }
        if let Some((status, said)) = self.refused(&ran.output)? {
            return Ok(Err(Oddity::Refused(status, said)));
        }
        // The user knows better what a right run is.
        if self.check.is_none()
            && let Some(found) = self.runs.difference(KIND, &mut ran.output)?
        {
            // Once more as compiled: it may be that this, too, prints something else now and then.
            self.plain(Recorded::Not)?;
            if self.runs.varies().is_none() {
                return Ok(Err(Oddity::Printed(found)));
            }
        }
        Ok(Ok(ran.took))
    }

    /// What the user's check says against a run that printed this.
    fn refused(&self, output: &File) -> Result<Option<(ExitStatus, String)>> {
        let Some(check) = self.check else {
            return Ok(None);
        };
        let mut printed = output.try_clone().context("cannot read what it printed")?;
        printed.seek(SeekFrom::Start(0)).context("cannot read what it printed")?;
        let said = aside()?;
        let keep = || said.try_clone().context("cannot keep what the check prints");
        let mut command = Command::new("sh");
        command.arg("-c").arg(check);
        command.stdin(printed).stdout(keep()?).stderr(keep()?);
        let status = child::run_once(&mut command)?;
        Ok((!status.success()).then(|| (status, end_of(said))))
    }

    /// Why outputs say nothing of schedules, where nothing else does.
    pub fn varies(&self) -> Option<&Difference> {
        self.runs.varies().filter(|_| self.check.is_none())
    }

    /// Does anything tell whether the program is right under another schedule: the user's check, or what it prints?
    pub fn tells(&self) -> Result<bool> {
        Ok(self.check.is_some() || self.runs.varies().is_none() && self.runs.prints(KIND)?)
    }

    /// Why the last run left no trace.
    pub fn nothing(&mut self) -> Error {
        self.runs.nothing()
    }

    fn run(&self, recorded: Recorded<'_>, schedules: Option<&str>) -> Result<Ran> {
        let asked = Settings::read().map_err(anyhow::Error::msg)?;
        let (attached, asked) = match recorded {
            Recorded::Profile(directory) => (Attached::Recorder(directory), Some(Settings { profile: true, ..asked })),
            Recorded::Executions(directory) => {
                (Attached::Recorder(directory), Some(Settings { executions: true, ..asked }))
            }
            Recorded::Not if schedules.is_some() => (Attached::Shim, None),
            // By itself the program is as its user has it, without the shim.
            Recorded::Not => (Attached::Nothing, None),
        };
        self.runs.run(attached, |command| {
            match schedules {
                Some(text) => command.env(VARIABLE, text),
                None => command.env_remove(VARIABLE),
            };
            // Each run learns anew, and a file of the user's stays as it is.
            command.env_remove(LEARNED_ENV);
            command.envs(asked.map(|asked| (settings::VARIABLE, asked.value())));
            Ok(())
        })
    }
}
