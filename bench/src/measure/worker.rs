//! A worker process: a program of `c/worker.c` that runs one batch per line. It lives for a generation;
//! its environment says what differs from another worker.

use std::fs::File;
use std::io::{BufRead, BufReader, Write};
use std::path::PathBuf;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::time::Duration;

use anyhow::{Context, Result};
use rustix::event::{PollFd, PollFlags, Timespec, poll};

use crate::error::Error;

/// Far beyond what any batch takes.
const DEADLINE: Duration = Duration::from_secs(60);

pub struct Worker {
    name: String,
    child: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
    errors: PathBuf,
}

impl Worker {
    /// Starts it; what it writes to standard error goes to the file.
    pub fn start(name: &str, mut command: Command, errors: PathBuf) -> Result<Worker> {
        let mut child = command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(File::create(&errors).context("a worker's standard error")?)
            .spawn()
            .with_context(|| format!("cannot run {}", command.get_program().to_string_lossy()))?;
        let (input, output) = (child.stdin.take(), child.stdout.take());
        Ok(Worker {
            name: name.to_owned(),
            input: input.context("a pipe")?,
            output: BufReader::new(output.context("a pipe")?),
            child,
            errors,
        })
    }

    pub fn ask(&mut self, line: &str) -> Result<String> {
        let line_of_its_own = format!("{line}\n");
        if self.input.write_all(line_of_its_own.as_bytes()).is_err() {
            return Err(self.died(line).into());
        }
        let timeout = Timespec::try_from(DEADLINE)?;
        let readable = PollFd::new(self.output.get_ref(), PollFlags::IN);
        if poll(&mut [readable], Some(&timeout))? == 0 {
            let why = format!("no answer to `{line}` for {} s", DEADLINE.as_secs());
            return Err(self.error(why).into());
        }
        let mut answer = String::new();
        self.output.read_line(&mut answer)?;
        if answer.is_empty() {
            return Err(self.died(line).into());
        }
        let answer = answer.trim_end();
        match answer.strip_prefix("error ") {
            Some(why) => Err(self.error(format!("`{line}`: {why}")).into()),
            None => Ok(answer.to_owned()),
        }
    }

    /// The number that answers a line.
    pub fn number(&mut self, line: &str) -> Result<f64> {
        let answer = self.ask(line)?;
        let number = answer.parse().ok().filter(|number: &f64| number.is_finite());
        Ok(number.ok_or_else(|| self.error(format!("`{line}` was answered with {answer}")))?)
    }

    fn error(&self, why: String) -> Error {
        Error::Run { what: format!("the worker of variant {}", self.name), why }
    }

    fn died(&mut self, line: &str) -> Error {
        let status = match self.child.wait() {
            Ok(status) => status.to_string(),
            Err(error) => error.to_string(),
        };
        let said = std::fs::read(&self.errors).unwrap_or_default();
        let said = String::from_utf8_lossy(&said);
        let last = said.lines().next_back().unwrap_or("it said nothing");
        self.error(format!("ended at `{line}` with {status}; {last}"))
    }
}

impl Drop for Worker {
    fn drop(&mut self) {
        // It may be gone already, or not answer any more; either way it shall not stay.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shell(script: &str) -> (Worker, tempfile::TempDir) {
        let directory = tempfile::tempdir().unwrap();
        let mut command = Command::new("sh");
        command.args(["-c", script]);
        let worker = Worker::start("w", command, directory.path().join("errors")).unwrap();
        (worker, directory)
    }

    #[test]
    fn answers_line_by_line() {
        let (mut worker, _directory) = shell("while read a b; do echo $b; done");
        assert_eq!(worker.ask("say hello").unwrap(), "hello");
        assert_eq!(worker.number("say 2.5").unwrap(), 2.5);
        let error = worker.number("say something").unwrap_err().to_string();
        assert_eq!(error, "the worker of variant w: `say something` was answered with something");
        let error = worker.ask("say error too many").unwrap_err().to_string();
        assert!(error.ends_with(": too many"), "{error}");
    }

    #[test]
    fn an_end_is_told_with_its_last_words() {
        let (mut worker, _directory) = shell("read a; echo oh no >&2; exit 3");
        let error = worker.ask("batch").unwrap_err().to_string();
        assert_eq!(error, "the worker of variant w: ended at `batch` with exit status: 3; oh no");
    }
}
