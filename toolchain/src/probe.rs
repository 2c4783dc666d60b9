//! Small programs: compiled in a temporary directory, and run with an end to waiting.

use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

use anyhow::{Context, Result};
use tempfile::TempDir;

/// Far beyond what any of them takes.
const DEADLINE: Duration = Duration::from_secs(60);

pub struct Bench {
    directory: TempDir,
}

pub struct Finished {
    pub was_started: bool,
    /// How it ended; `None` if it was not started or had to be stopped.
    pub status: Option<ExitStatus>,
    pub stdout: String,
    pub stderr: String,
}

impl Finished {
    pub fn succeeded(&self) -> bool {
        self.status.is_some_and(|status| status.success())
    }

    /// Its first error, else how it ended.
    pub fn outcome(&self) -> String {
        let lines = || self.stderr.lines().filter(|line| !line.trim().is_empty());
        let line = lines().find(|line| line.contains("error")).or_else(|| lines().next_back());
        match (line, self.status) {
            (Some(line), _) => line.trim().to_owned(),
            (None, Some(status)) => status.to_string(),
            (None, None) => format!("stopped after {} s", DEADLINE.as_secs()),
        }
    }
}

impl Bench {
    pub fn new() -> Result<Bench> {
        let directory =
            tempfile::Builder::new().prefix("ompchunk-").tempdir().context("cannot create a temporary directory")?;
        Ok(Bench { directory })
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.directory.path().join(name)
    }

    pub fn source(&self, name: &str, text: &str) -> Result<PathBuf> {
        let path = self.path(name);
        std::fs::write(&path, text).with_context(|| path.display().to_string())?;
        Ok(path)
    }

    pub fn finish(&self, command: &mut Command) -> Result<Finished> {
        self.finish_here(command.current_dir(self.directory.path()))
    }

    /// In the directory that the user is in.
    pub fn finish_here(&self, command: &mut Command) -> Result<Finished> {
        let (out, err) = (self.path("stdout"), self.path("stderr"));
        command
            .stdin(Stdio::null())
            // Files: a pipe would fill up while we wait.
            .stdout(File::create(&out)?)
            .stderr(File::create(&err)?);
        Ok(match wait(command) {
            Ok(status) => Finished { was_started: true, status, stdout: text(&out), stderr: text(&err) },
            // As on a file system that nothing may be run from.
            Err(error) => {
                Finished { was_started: false, status: None, stdout: String::new(), stderr: error.to_string() }
            }
        })
    }
}

/// `None` if it had to be stopped.
fn wait(command: &mut Command) -> io::Result<Option<ExitStatus>> {
    let mut child = command.spawn()?;
    let start = Instant::now();
    while start.elapsed() < DEADLINE {
        if let Some(status) = child.try_wait()? {
            return Ok(Some(status));
        }
        sleep(Duration::from_millis(5));
    }
    child.kill()?;
    child.wait()?;
    Ok(None)
}

fn text(path: &Path) -> String {
    String::from_utf8_lossy(&std::fs::read(path).unwrap_or_default()).into_owned()
}

/// Removes what steers OpenMP programs, but for what chooses the runtime, such as LD_LIBRARY_PATH.
pub fn without_openmp_variables(command: &mut Command) {
    for (name, _) in std::env::vars_os() {
        let text = name.to_string_lossy();
        if ["OMP_", "KMP_", "OMPCHUNK_", "CHUNK_"].iter().any(|prefix| text.starts_with(prefix)) {
            command.env_remove(name);
        }
    }
    command.env("OMP_DYNAMIC", "false");
}
