//! Runs of the program: recorded or by itself, each with the same input, what it prints kept aside and compared.

use std::fs::File;
use std::io::{Read, Seek, SeekFrom};
use std::os::fd::AsFd;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context, Result};
use ompchunk_schedules::VARIABLE;
use ompchunk_toolchain::attach;
use ompchunk_toolchain::installation::Installation;
use ompchunk_trace_format::environment;

use super::error::Error;
use crate::child;

/// How the program is run.
pub struct Runs<'a> {
    program: &'a [std::ffi::OsString],
    shim: PathBuf,
    recorder: PathBuf,
    /// What the first run printed.
    printed: Option<File>,
    /// No run has printed anything else.
    pub prints_the_same: bool,
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

impl<'a> Runs<'a> {
    pub fn of(program: &'a [std::ffi::OsString]) -> Result<Self> {
        let installation = Installation::find()?;
        Ok(Runs {
            program,
            shim: installation.shim()?,
            recorder: installation.recorder()?,
            printed: None,
            prints_the_same: true,
        })
    }

    /// Runs it once, under these schedules. Gives how long it took.
    pub fn run(&mut self, recorded: Recorded<'_>, schedules: Option<&str>) -> Result<Duration> {
        let mut command = Command::new(&self.program[0]);
        command.args(&self.program[1..]);
        self.attach(&mut command, recorded, schedules)?;
        let (output, errors) = (aside()?, aside()?);
        command
            .stdin(input())
            .stdout(output.try_clone().context("cannot keep what it prints")?)
            .stderr(errors.try_clone().context("cannot keep what it prints")?);
        let begin = Instant::now();
        let status = child::run(&mut command)?;
        let took = begin.elapsed();
        if !status.success() {
            return Err(failed(status, errors, schedules).into());
        }
        self.compare(output)?;
        Ok(took)
    }

    fn attach(
        &self,
        command: &mut Command,
        recorded: Recorded<'_>,
        schedules: Option<&str>,
    ) -> Result<()> {
        match schedules {
            Some(text) => command.env(VARIABLE, text),
            None => command.env_remove(VARIABLE),
        };
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
                attach::attach(
                    command,
                    &self.shim,
                    std::slice::from_ref(&self.recorder),
                    list.as_deref(),
                )?;
            }
            // By itself the program is as its user has it, without the shim.
            None if schedules.is_none() => {}
            None => attach::attach(command, &self.shim, &[], list.as_deref())?,
        }
        Ok(())
    }

    /// Is that what the first run printed?
    fn compare(&mut self, mut output: File) -> Result<()> {
        let Some(first) = &mut self.printed else {
            self.printed = Some(output);
            return Ok(());
        };
        self.prints_the_same &=
            is_same(first, &mut output).context("cannot read what it printed")?;
        Ok(())
    }
}

/// A file without a name.
fn aside() -> Result<File> {
    tempfile::tempfile().context("cannot make a file for what the program prints")
}

/// A file that is our input is that of each run, from its beginning; from elsewhere nothing can be read twice.
fn input() -> Stdio {
    let ours = std::io::stdin();
    let again = || {
        let status = rustix::fs::fstat(ours.as_fd()).ok()?;
        let is_file = rustix::fs::FileType::from_raw_mode(status.st_mode).is_file();
        is_file
            .then(|| File::open("/proc/self/fd/0").ok())
            .flatten()
    };
    again().map_or_else(Stdio::null, Stdio::from)
}

fn is_same(first: &mut File, second: &mut File) -> std::io::Result<bool> {
    if first.metadata()?.len() != second.metadata()?.len() {
        return Ok(false);
    }
    first.seek(SeekFrom::Start(0))?;
    second.seek(SeekFrom::Start(0))?;
    let mut parts = [vec![0; 1 << 16], vec![0; 1 << 16]];
    loop {
        let read = first.read(&mut parts[0])?;
        if read == 0 {
            return Ok(true);
        }
        second.read_exact(&mut parts[1][..read])?;
        if parts[0][..read] != parts[1][..read] {
            return Ok(false);
        }
    }
}

/// How much of what a program said is repeated.
const MOST_SAID: u64 = 2000;

fn failed(status: ExitStatus, mut errors: File, schedules: Option<&str>) -> Error {
    let mut said = Vec::new();
    let length = errors.metadata().map_or(0, |it| it.len());
    let from = SeekFrom::Start(length.saturating_sub(MOST_SAID));
    let _ = errors
        .seek(from)
        .and_then(|_| errors.read_to_end(&mut said));
    Error::Failed {
        status,
        schedules: schedules.map(ToOwned::to_owned),
        said: String::from_utf8_lossy(&said).trim_end().to_owned(),
    }
}
