//! Runs of the program: recorded or by itself, each with the same input, what it prints kept aside, and compared or checked.

use std::fs::File;
use std::io::{Seek, SeekFrom};
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus};
use std::time::{Duration, Instant};

use anyhow::{Context, Result};
use ompchunk_abi::LEARNED_ENV;
use ompchunk_schedules::VARIABLE;
use ompchunk_toolchain::attach;
use ompchunk_toolchain::installation::Installation;
use ompchunk_trace_format::environment;

use super::error::Error;
use super::oddity::Oddity;
use crate::child;
use crate::record::why_nothing;
use crate::repeat::{Difference, aside, difference, end_of, input, ours};

/// How the program is run.
pub struct Runs<'a> {
    program: &'a [std::ffi::OsString],
    shim: PathBuf,
    recorder: PathBuf,
    /// The user's command that verifies a run, for a shell.
    check: Option<&'a str>,
    /// What the first run printed.
    printed: Option<File>,
    /// Where two runs as compiled print something else: then outputs say nothing.
    varies: Option<Difference>,
    /// What the last run as compiled wrote to standard error.
    errors: Option<File>,
}

/// What a run is for.
#[derive(Debug, Clone, Copy)]
pub enum Recorded<'a> {
    /// The cost of iterations, into this directory.
    Profile(&'a Path),
    /// When executions began and ended.
    Executions(&'a Path),
    /// Nothing.
    Not,
}

/// What became of a run.
struct Ran {
    status: ExitStatus,
    took: Duration,
    output: File,
    errors: File,
}

impl<'a> Runs<'a> {
    pub fn of(program: &'a [std::ffi::OsString], check: Option<&'a str>) -> Result<Self> {
        let installation = Installation::find()?;
        Ok(Runs {
            program,
            check,
            shim: installation.shim()?,
            recorder: installation.recorder()?,
            printed: None,
            varies: None,
            errors: None,
        })
    }

    /// Runs it once, as compiled, which must go well. Gives how long it took.
    pub fn plain(&mut self, recorded: Recorded<'_>) -> Result<Duration> {
        let ran = self.run(recorded, None)?;
        if !ran.status.success() {
            let (status, said) = (ran.status, end_of(ran.errors));
            return Err(Error::Failed { status, said }.into());
        }
        if let Some((status, said)) = self.refused(&ran.output)? {
            let check = self.check.unwrap_or_default().to_owned();
            return Err(Error::Refused { check, status, said }.into());
        }
        self.errors = Some(ran.errors);
        match &mut self.printed {
            None => self.printed = Some(ran.output),
            Some(first) => {
                let found = difference(first, &mut { ran.output });
                let found = found.context("cannot read what it printed")?;
                self.varies = self.varies.take().or(found);
            }
        }
        Ok(ran.took)
    }

    /// Runs it once, under these schedules. Gives how long it took, or what it did that it does not do as compiled.
    pub fn under(&mut self, recorded: Recorded<'_>, schedules: &str) -> Result<Result<Duration, Oddity>> {
        let ran = self.run(recorded, Some(schedules))?;
        if !ran.status.success() {
            return Ok(Err(Oddity::Ended(ran.status, end_of(ran.errors))));
        }
        if let Some((status, said)) = self.refused(&ran.output)? {
            return Ok(Err(Oddity::Refused(status, said)));
        }
        if let Some(found) = self.unlike_as_compiled(ran.output)? {
            // Once more as compiled: it may be that this, too, prints something else now and then.
            self.plain(Recorded::Not)?;
            if self.varies.is_none() {
                return Ok(Err(Oddity::Printed(found)));
            }
        }
        Ok(Ok(ran.took))
    }

    /// Where it prints something else; nothing where that says nothing, or the user knows better what a right run is.
    fn unlike_as_compiled(&mut self, mut output: File) -> Result<Option<Difference>> {
        match &mut self.printed {
            Some(first) if self.check.is_none() && self.varies.is_none() => {
                difference(first, &mut output).context("cannot read what it printed")
            }
            _ => Ok(None),
        }
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
        let status = child::run(&mut command)?.status;
        Ok((!status.success()).then(|| (status, end_of(said))))
    }

    /// Why outputs say nothing of schedules, where nothing else does.
    pub fn varies(&self) -> Option<&Difference> {
        self.varies.as_ref().filter(|_| self.check.is_none())
    }

    /// Does anything tell whether the program is right under another schedule: the user's check, or what it prints?
    pub fn tells(&self) -> Result<bool> {
        let printed = match &self.printed {
            Some(printed) => printed.metadata().context("cannot read what it printed")?.len(),
            None => 0,
        };
        Ok(self.check.is_some() || self.varies.is_none() && printed > 0)
    }

    fn run(&self, recorded: Recorded<'_>, schedules: Option<&str>) -> Result<Ran> {
        let mut command = Command::new(&self.program[0]);
        command.args(&self.program[1..]);
        self.attach(&mut command, recorded, schedules)?;
        let (output, errors) = (aside()?, aside()?);
        command
            .stdin(input())
            .stdout(output.try_clone().context("cannot keep what it prints")?)
            .stderr(errors.try_clone().context("cannot keep what it prints")?);
        let begin = Instant::now();
        let status = child::run(&mut command)?.status;
        Ok(Ran { status, took: begin.elapsed(), output, errors })
    }

    /// Why the last run left no trace: what the recorder said then, and what the program is.
    pub fn nothing(&mut self) -> Error {
        let said = self.errors.take().map(end_of).unwrap_or_default();
        let reason = why_nothing(self.program);
        Error::Nothing { why: reason.why, next: reason.next, said: ours(&said) }
    }

    fn attach(&self, command: &mut Command, recorded: Recorded<'_>, schedules: Option<&str>) -> Result<()> {
        match schedules {
            Some(text) => command.env(VARIABLE, text),
            None => command.env_remove(VARIABLE),
        };
        // Each run learns anew, and a file of the user's stays as it is.
        command.env_remove(LEARNED_ENV);
        let list = std::env::var_os(attach::LIST);
        let directory = match recorded {
            Recorded::Profile(directory) => {
                command.env(environment::PROFILE, "1");
                Some(directory)
            }
            Recorded::Executions(directory) => {
                command.env(environment::EXECUTIONS, "1");
                Some(directory)
            }
            Recorded::Not => None,
        };
        match directory {
            Some(directory) => {
                command.env(environment::DIRECTORY, directory);
                attach::attach(command, &self.shim, std::slice::from_ref(&self.recorder), list.as_deref())?;
            }
            // By itself the program is as its user has it, without the shim.
            None if schedules.is_none() => {}
            None => attach::attach(command, &self.shim, &[], list.as_deref())?,
        }
        Ok(())
    }
}
