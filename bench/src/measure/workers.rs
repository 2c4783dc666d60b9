//! A worker per variant, all alive for a generation.

use std::fs::File;
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context, Result};
use fastrand::Rng;
use ompchunk_toolchain::{Failure, attach};
use ompchunk_trace_format::{Event, Part, Settings, environment, parts_in, settings};
use rustix::event::{PollFd, PollFlags, Timespec, poll};

use super::build::{LAYOUTS, Workshop, broken};
use super::order::Executor;
use crate::plan::{ALL, Attach, Build};
use crate::results::Cell;

/// Far beyond what a generation needs: what does not fit is an error, since a recorder that cannot write costs little.
const MOST_RECORDED: u64 = 2 << 30;

pub struct Workers {
    workshop: Workshop,
    /// By layout.
    plain: Vec<PathBuf>,
    with_plugin: Vec<PathBuf>,
    tool: PathBuf,
    threads: u32,
    running: Vec<Running>,
    clock: Instant,
}

pub struct Running {
    pub worker: Worker,
    trace: Option<tempfile::TempDir>,
}

impl Running {
    /// Ends it. Chunks in what its recorder wrote; nothing may be missing there.
    pub fn recorded(self) -> Result<u64> {
        let Some(directory) = &self.trace else { return Ok(0) };
        drop(self.worker);
        let mut chunks = 0;
        for path in parts_in(directory.path())? {
            let part = complete(&path)?;
            part.for_each(|_, event| chunks += u64::from(matches!(event, Event::Chunk(_))))?;
        }
        Ok(chunks)
    }

    /// Ends it; an error if its recorder found no room, or nothing to record.
    fn end(self) -> Result<()> {
        let Some(directory) = &self.trace else { return Ok(()) };
        drop(self.worker);
        let parts = parts_in(directory.path())?;
        if parts.is_empty() {
            return Err(broken("the recorder", "recorded nothing").into());
        }
        parts.iter().try_for_each(|path| complete(path).map(drop))
    }
}

fn complete(path: &Path) -> Result<Part> {
    let part = Part::open(path)?;
    let lost = part.head().lost_chunks + part.head().lost_events;
    if lost > 0 {
        let why = format!("{lost} events found no room; TMPDIR with a directory that has more of it");
        return Err(broken("the recorder", why).into());
    }
    Ok(part)
}

impl Workers {
    pub fn new(workshop: Workshop, threads: u32) -> Result<Workers> {
        let compiled = |build| LAYOUTS.iter().map(|layout| workshop.worker(build, *layout)).collect::<Result<Vec<_>>>();
        let (plain, with_plugin) = (compiled(Build::Plain)?, compiled(Build::Plugin)?);
        let tool = workshop.tool()?;
        Ok(Workers { workshop, plain, with_plugin, tool, threads, running: Vec::new(), clock: Instant::now() })
    }

    /// Starts a worker of a variant; so much padding moves its stack.
    pub fn start(&self, variant: usize, layout: usize, padding: &str) -> Result<Running> {
        let variant = ALL[variant];
        let programs = if variant.build == Build::Plain { &self.plain } else { &self.with_plugin };
        let mut command = self.workshop.program(&programs[layout]);
        command
            .arg(if variant.attach == Attach::Tool { &*self.tool } else { Path::new("") })
            .arg(padding)
            // Idle threads sleep, or one worker's would take the processors from another's.
            .env("KMP_BLOCKTIME", "0")
            .env("OMP_WAIT_POLICY", "passive")
            .env("OMP_PROC_BIND", "true")
            .env("OMP_PLACES", "threads")
            .env("OMP_NUM_THREADS", self.threads.to_string());
        let trace = self.attach(variant.attach, &mut command)?;
        let errors = self.workshop.bench.path(&format!("errors-{}", variant.name));
        Ok(Running { worker: Worker::start(variant.name, command, errors)?, trace })
    }

    /// Attaches what a variant has; the directory of what it records, if it does.
    fn attach(&self, attached: Attach, command: &mut Command) -> Result<Option<tempfile::TempDir>> {
        let shim = self.workshop.installation.shim()?;
        match attached {
            Attach::Nothing => {}
            Attach::Shim => attach::attach(command, &shim, &[], None)?,
            Attach::Tool => attach::attach(command, &shim, std::slice::from_ref(&self.tool), None)?,
            Attach::Recorder => {
                attach::attach(command, &shim, &[self.workshop.installation.recorder()?], None)?;
                // In the workshop's own, so that an interruption leaves no more behind than without it.
                let within = self.workshop.bench.path("");
                let directory = tempfile::tempdir_in(&within).context("a directory to record in")?;
                let mut asked = Settings::default();
                asked.mode.max_size = Some(MOST_RECORDED);
                command.env(environment::DIRECTORY, directory.path()).env(settings::VARIABLE, asked.value());
                return Ok(Some(directory));
            }
        }
        Ok(None)
    }
}

impl Executor for Workers {
    /// What the last ones recorded goes.
    fn restart(&mut self, layouts: &[usize], rng: &mut Rng) -> Result<()> {
        for running in self.running.drain(..) {
            running.end()?;
        }
        for (variant, layout) in layouts.iter().enumerate() {
            let padding = "x".repeat(rng.usize(..4096));
            let worker = self.start(variant, *layout, &padding)?;
            self.running.push(worker);
        }
        Ok(())
    }

    fn sample(&mut self, variant: usize, cell: &Cell) -> Result<f64> {
        let line = batch(cell, 1 + cell.executions / 8, cell.executions);
        Ok(self.running[variant].worker.number(&line)? / f64::from(cell.chunks))
    }

    fn elapsed(&self) -> Duration {
        self.clock.elapsed()
    }
}

pub fn batch(cell: &Cell, warmup: u32, executions: u32) -> String {
    let (body, chunk, threads) = (&cell.body, cell.chunk, cell.threads);
    let iterations = cell.chunks * chunk * threads;
    format!("batch {body} {chunk} {threads} {iterations} {warmup} {executions}")
}

/// Far beyond what any batch takes.
const DEADLINE: Duration = Duration::from_secs(60);

/// A process of `c/worker.c`, which runs one batch per line and lives for a generation.
pub struct Worker {
    name: String,
    child: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
    errors: PathBuf,
}

impl Worker {
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

    pub fn request(&mut self, line: &str) -> Result<String> {
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

    pub fn number(&mut self, line: &str) -> Result<f64> {
        let answer = self.request(line)?;
        let number = answer.parse().ok().filter(|number: &f64| number.is_finite());
        Ok(number.ok_or_else(|| self.error(format!("`{line}` was answered with {answer}")))?)
    }

    fn error(&self, why: String) -> Failure {
        broken(format_args!("the worker of variant {}", self.name), why)
    }

    fn died(&mut self, line: &str) -> Failure {
        let status = self.child.wait().map_or_else(|error| error.to_string(), |status| status.to_string());
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
        assert_eq!(worker.request("say hello").unwrap(), "hello");
        assert_eq!(worker.number("say 2.5").unwrap(), 2.5);
        let error = worker.number("say something").unwrap_err().to_string();
        assert_eq!(error, "the worker of variant w: `say something` was answered with something");
        let error = worker.request("say error too many").unwrap_err().to_string();
        assert!(error.ends_with(": too many"), "{error}");
    }

    #[test]
    fn an_end_is_told_with_its_last_words() {
        let (mut worker, _directory) = shell("read a; echo oh no >&2; exit 3");
        let error = worker.request("batch").unwrap_err().to_string();
        assert_eq!(error, "the worker of variant w: ended at `batch` with exit status: 3; oh no");
    }
}
