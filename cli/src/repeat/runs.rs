//! Runs of a program, each with the same arguments and input: what one prints is kept aside and compared with what earlier ones printed.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fs::File;
use std::io::{self, BufReader, Read, Seek, SeekFrom};
use std::os::fd::AsFd;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context, Result};
use ompchunk_toolchain::installation::Installation;
use ompchunk_toolchain::{Failure, attach, libgomp};
use ompchunk_trace_format::environment;

use super::repeated;
use crate::record::why_nothing;
use crate::table::printable;
use crate::{child, runtime, stock};

pub struct Runs<'a> {
    program: &'a [OsString],
    installation: Installation,
    shim: PathBuf,
    recorder: PathBuf,
    /// What the recorded runs have in place of libgomp.
    instead: Option<PathBuf>,
    /// By what a run is of, such as its number of threads: what the first one printed.
    printed: BTreeMap<u32, File>,
    /// Where two runs of the same print something else: then outputs say nothing.
    varies: Option<String>,
    /// What the last run that ended well wrote to standard error.
    errors: Option<File>,
}

#[derive(Debug, Clone, Copy)]
pub enum Attached<'a> {
    /// As its user has it.
    Nothing,
    Shim,
    /// The recorder, with this directory.
    Recorder(&'a Path),
}

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
        let printed = BTreeMap::new();
        Ok(Runs { program, installation, shim, recorder, instead, printed, varies: None, errors: None })
    }

    pub fn run(&self, attached: Attached<'_>, set: impl FnOnce(&mut Command) -> Result<()>) -> Result<Ran> {
        let mut command = Command::new(&self.program[0]);
        command.args(&self.program[1..]);
        set(&mut command)?;
        if !matches!(attached, Attached::Nothing) {
            stock::attach(&mut command, false, &self.installation)?;
        }
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
        let status = child::run_once(&mut command)?;
        Ok(Ran { status, took: begin.elapsed(), output, errors })
    }

    /// A run ended well: what it printed is the first of its kind, or is compared with that.
    pub fn keep(&mut self, kind: u32, ran: Ran) -> Result<Duration> {
        self.errors = Some(ran.errors);
        let mut output = ran.output;
        // The first has no difference.
        let found = self.difference(kind, &mut output)?;
        self.varies = self.varies.take().or(found);
        self.printed.entry(kind).or_insert(output);
        Ok(ran.took)
    }

    /// Where an output differs from the first of a kind, unless outputs vary by themselves.
    pub fn difference(&mut self, kind: u32, output: &mut File) -> Result<Option<String>> {
        match self.printed.get_mut(&kind) {
            Some(first) if self.varies.is_none() => difference(first, output).context("cannot read what it printed"),
            _ => Ok(None),
        }
    }

    /// Where the first of each other kind differ from the first of the lowest.
    pub fn differences(&mut self) -> Result<Vec<(u32, String)>> {
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

    pub fn varies(&self) -> Option<&str> {
        self.varies.as_deref()
    }

    pub fn prints(&self, kind: u32) -> Result<bool> {
        let first = self.printed.get(&kind).map(File::metadata).transpose().context("cannot read what it printed")?;
        Ok(first.is_some_and(|metadata| metadata.len() > 0))
    }

    /// Why the last run left no trace: what the recorder said then, and what the program is.
    pub fn nothing(&mut self) -> Failure {
        let said = self.errors.take().map(end_of).unwrap_or_default();
        let reason = why_nothing(self.program, self.instead.is_some());
        // What recorder and shim wrote.
        let ours: Vec<&str> = said.lines().filter_map(|line| line.strip_prefix("ompchunk: ")).collect();
        let (why, said) = (reason.why, repeated(&ours.join("\n")));
        Failure::new(format!("nothing was recorded, so nothing can be compared: {why}{said}"), reason.next)
    }
}

pub fn aside() -> Result<File> {
    tempfile::tempfile().context("cannot make a file for what the program prints")
}

/// A file that is our input is that of each run, from its beginning; from elsewhere nothing can be read twice.
pub fn input() -> Stdio {
    let ours = std::io::stdin();
    let again = || {
        let status = rustix::fs::fstat(ours.as_fd()).ok()?;
        let is_file = rustix::fs::FileType::from_raw_mode(status.st_mode).is_file();
        is_file.then(|| File::open("/proc/self/fd/0").ok()).flatten()
    };
    again().map_or_else(Stdio::null, Stdio::from)
}

/// How much of what a program said is repeated.
const MOST_SAID: u64 = 2000;

pub fn end_of(mut errors: File) -> String {
    let mut said = Vec::new();
    let length = errors.metadata().map_or(0, |metadata| metadata.len());
    let from = SeekFrom::Start(length.saturating_sub(MOST_SAID));
    let _ = errors.seek(from).and_then(|_| errors.read_to_end(&mut said));
    String::from_utf8_lossy(&said).trim_end().to_owned()
}

/// Bytes that are shown of a line.
const SHOWN: u64 = 60;

/// The first line that is not the same, in words. None: both have the same.
pub fn difference(first: &mut File, second: &mut File) -> io::Result<Option<String>> {
    let Some((line, begin)) = parts_at(first, second)? else { return Ok(None) };
    let [before, now] = [line_from(first, begin)?, line_from(second, begin)?];
    Ok(Some(format!("line {line} is {now}, before {before}")))
}

/// The number of the first line that differs, and where it begins.
fn parts_at(first: &mut File, second: &mut File) -> io::Result<Option<(u64, u64)>> {
    first.seek(SeekFrom::Start(0))?;
    second.seek(SeekFrom::Start(0))?;
    let (mut line, mut begin) = (1, 0);
    let both = BufReader::new(first).bytes();
    let mut others = BufReader::new(second).bytes();
    for (place, byte) in (1..).zip(both) {
        let byte = byte?;
        if others.next().transpose()? != Some(byte) {
            return Ok(Some((line, begin)));
        }
        if byte == b'\n' {
            (line, begin) = (line + 1, place);
        }
    }
    Ok(others.next().transpose()?.map(|_| (line, begin)))
}

fn line_from(file: &mut File, begin: u64) -> io::Result<String> {
    let mut bytes = Vec::new();
    file.seek(SeekFrom::Start(begin))?;
    file.take(SHOWN).read_to_end(&mut bytes)?;
    let line = bytes.split(|byte| *byte == b'\n').next().unwrap_or_default();
    Ok(if bytes.is_empty() { "missing".to_owned() } else { format!("'{}'", printable(&String::from_utf8_lossy(line))) })
}

#[cfg(test)]
mod tests {
    use std::io::Write as _;

    use super::*;

    fn said(first: &str, second: &str) -> Option<String> {
        let file = |text: &str| {
            let mut file = tempfile::tempfile().unwrap();
            file.write_all(text.as_bytes()).unwrap();
            file
        };
        difference(&mut file(first), &mut file(second)).unwrap()
    }

    #[test]
    fn the_first_line_that_differs() {
        assert_eq!(said("", ""), None);
        assert_eq!(said("a\nb\n", "a\nb\n"), None);
        let of = |first, second| said(first, second).unwrap();
        assert_eq!(of("a\nsum 1\n", "a\nsum 2\nc\n"), "line 2 is 'sum 2', before 'sum 1'");
        assert_eq!(of("a\n", "a\nb\n"), "line 2 is 'b', before missing");
        assert_eq!(of("a\nb", "a\n"), "line 2 is missing, before 'b'");
        assert_eq!(of("", "\n"), "line 1 is '', before missing");
        let long = "x".repeat(500);
        assert!(of(&long, "y").len() < 120);
    }
}
