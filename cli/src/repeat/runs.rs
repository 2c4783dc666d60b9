//! Runs of a program, each with the same arguments and input: what one prints is kept aside and compared with what earlier ones printed.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fs::File;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus};
use std::time::{Duration, Instant};

use anyhow::{Context, Result};
use ompchunk_toolchain::installation::Installation;
use ompchunk_toolchain::{attach, libgomp};
use ompchunk_trace_format::environment;

use super::error::Error;
use super::kept::{aside, end_of, input};
use super::ours;
use super::printed::{Difference, difference};
use crate::record::why_nothing;
use crate::{child, runtime};

/// How the program is run, and what it printed so far.
pub struct Runs<'a> {
    program: &'a [OsString],
    shim: PathBuf,
    recorder: PathBuf,
    /// What the recorded runs have in place of libgomp.
    instead: Option<PathBuf>,
    /// By what a run is of, such as its number of threads: what the first one printed.
    printed: BTreeMap<u32, File>,
    /// Where two runs of the same print something else: then outputs say nothing.
    varies: Option<Difference>,
    /// What the last run that ended well wrote to standard error.
    errors: Option<File>,
}

/// What a program runs with.
#[derive(Debug, Clone, Copy)]
pub enum Attached<'a> {
    /// As its user has it.
    Nothing,
    Shim,
    /// The recorder, with this directory.
    Recorder(&'a Path),
}

/// What became of a run.
pub struct Ran {
    pub status: ExitStatus,
    pub took: Duration,
    pub output: File,
    pub errors: File,
}

impl<'a> Runs<'a> {
    /// `is_moved`: recorded runs of what needs libgomp have another runtime, and so no other run is like them.
    pub fn new(program: &'a [OsString], is_moved: bool) -> Result<Self> {
        let installation = Installation::find()?;
        let (shim, recorder) = (installation.shim()?, installation.recorder()?);
        let instead = is_moved.then(|| runtime::instead(&program[0], &installation)).flatten();
        Ok(Runs { program, shim, recorder, instead, printed: BTreeMap::new(), varies: None, errors: None })
    }

    /// Runs it once, its environment changed by `set`.
    pub fn run(&self, attached: Attached<'_>, set: impl FnOnce(&mut Command) -> Result<()>) -> Result<Ran> {
        let mut command = Command::new(&self.program[0]);
        command.args(&self.program[1..]);
        set(&mut command)?;
        let list = std::env::var_os(attach::LIST);
        match attached {
            Attached::Nothing => {}
            Attached::Shim => attach::attach(&mut command, &self.shim, &[], list.as_deref())?,
            Attached::Recorder(directory) => {
                command.env(environment::DIRECTORY, directory);
                if let Some(runtime) = &self.instead {
                    libgomp::attach(&mut command, runtime);
                }
                attach::attach(&mut command, &self.shim, std::slice::from_ref(&self.recorder), list.as_deref())?;
            }
        }
        let (output, errors) = (aside()?, aside()?);
        let keep = |file: &File| file.try_clone().context("cannot keep what it prints");
        command.stdin(input()).stdout(keep(&output)?).stderr(keep(&errors)?);
        let begin = Instant::now();
        let status = child::run(&mut command)?.status;
        Ok(Ran { status, took: begin.elapsed(), output, errors })
    }

    /// A run ended well: what it printed is the first of its kind, or is compared with that.
    pub fn keep(&mut self, kind: u32, ran: Ran) -> Result<Duration> {
        self.errors = Some(ran.errors);
        let mut output = ran.output;
        // Of the first there is no difference.
        let found = self.difference(kind, &mut output)?;
        self.varies = self.varies.take().or(found);
        self.printed.entry(kind).or_insert(output);
        Ok(ran.took)
    }

    /// Where an output differs from the first of a kind, unless outputs vary by themselves.
    pub fn difference(&mut self, kind: u32, output: &mut File) -> Result<Option<Difference>> {
        match self.printed.get_mut(&kind) {
            Some(first) if self.varies.is_none() => difference(first, output).context("cannot read what it printed"),
            _ => Ok(None),
        }
    }

    /// Where the first of each other kind differ from the first of the lowest.
    pub fn differences(&mut self) -> Result<Vec<(u32, Difference)>> {
        let mut others = self.printed.iter_mut();
        let mut differ = Vec::new();
        if let Some((_, lowest)) = others.next() {
            for (kind, file) in others {
                let found = difference(lowest, file).context("cannot read what it printed")?;
                differ.extend(found.map(|difference| (*kind, difference)));
            }
        }
        Ok(differ)
    }

    /// Where two runs of one kind differ.
    pub fn varies(&self) -> Option<&Difference> {
        self.varies.as_ref()
    }

    /// Whether runs of a kind print anything.
    pub fn prints(&self, kind: u32) -> Result<bool> {
        let first = self.printed.get(&kind).map(File::metadata).transpose().context("cannot read what it printed")?;
        Ok(first.is_some_and(|metadata| metadata.len() > 0))
    }

    /// Why the last run left no trace: what the recorder said then, and what the program is.
    pub fn nothing(&mut self) -> Error {
        let said = self.errors.take().map(end_of).unwrap_or_default();
        let reason = why_nothing(self.program, self.instead.is_some());
        Error::Nothing { why: reason.why, next: reason.next, said: ours(&said) }
    }
}
