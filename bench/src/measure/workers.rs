//! A worker per variant, all alive for a generation.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

use anyhow::{Context, Result};
use fastrand::Rng;
use ompchunk_toolchain::attach;
use ompchunk_trace_format::{Event, Part, Settings, environment, parts_in, settings};

use super::build::{LAYOUTS, Workshop};
use super::worker::Worker;
use crate::error::Error;
use crate::plan::{ALL, Attach, Build};

/// The most that one worker's recorder writes. Far beyond what a generation needs: whatever does not fit is an
/// error, since a recorder that has nothing more to write costs little.
const MOST_RECORDED: u64 = 2 << 30;

/// What is compiled, and what runs of it.
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

/// A worker and what it records, if that is its variant.
pub struct Running {
    pub worker: Worker,
    trace: Option<tempfile::TempDir>,
}

impl Running {
    /// Ends it. Chunks in what its recorder wrote; nothing may be missing there.
    pub fn recorded(self) -> Result<u64> {
        let Some(directory) = &self.trace else {
            return Ok(0);
        };
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
        let Some(directory) = &self.trace else {
            return Ok(());
        };
        drop(self.worker);
        let parts = parts_in(directory.path())?;
        if parts.is_empty() {
            return Err(recorder("recorded nothing".into()).into());
        }
        for path in parts {
            complete(&path)?;
        }
        Ok(())
    }
}

fn complete(path: &Path) -> Result<Part> {
    let part = Part::open(path)?;
    let lost = part.head().lost_chunks + part.head().lost_events;
    if lost > 0 {
        let why = format!("{lost} events found no room; TMPDIR with a directory that has more of it");
        return Err(recorder(why).into());
    }
    Ok(part)
}

fn recorder(why: String) -> Error {
    Error::Run { what: "the recorder".into(), why }
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
                return self.record(command).map(Some);
            }
        }
        Ok(None)
    }

    /// Makes its recorder write into a directory of its own, all that there is.
    fn record(&self, command: &mut Command) -> Result<tempfile::TempDir> {
        // In the workshop's own, so that an interruption leaves no more behind than without it.
        let within = self.workshop.bench.path("");
        let directory = tempfile::tempdir_in(&within).context("a directory to record in")?;
        let asked = Settings { max_size: MOST_RECORDED, ..Settings::default() };
        command.env(environment::DIRECTORY, directory.path()).env(settings::VARIABLE, asked.value());
        Ok(directory)
    }

    /// All anew, each in its layout. What the last ones recorded goes.
    pub fn restart(&mut self, layouts: &[usize], rng: &mut Rng) -> Result<()> {
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

    pub fn number(&mut self, variant: usize, line: &str) -> Result<f64> {
        self.running[variant].worker.number(line)
    }

    /// Since they were compiled.
    pub fn elapsed(&self) -> Duration {
        self.clock.elapsed()
    }
}
