//! A worker per variant, all alive for a generation: what the suites of loops and tasks have in common.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

use anyhow::{Context, Result};
use fastrand::Rng;
use ompchunk_schedules::VARIABLE;
use ompchunk_trace_format::{Event, Part, environment, parts_in};

use super::build::{LAYOUTS, Workshop};
use super::conditions;
use super::worker::Worker;
use crate::error::Error;
use crate::plan::options::Options;
use crate::plan::variant::{Attach, Build, Variant};
use crate::results::{Reference, Results, VariantInfo};
use ompchunk_toolchain::attach;

/// The most that one worker's recorder writes. Far beyond what a generation needs: whatever does not fit is an
/// error, since a recorder that has nothing more to write costs little.
const MOST_RECORDED: u64 = 2 << 30;

/// What is compiled, and what runs of it.
pub struct Workers<'a> {
    workshop: &'a Workshop,
    /// In the order of the results.
    pub variants: &'a [Variant],
    /// By variant, then by layout.
    programs: Vec<Vec<PathBuf>>,
    tool: PathBuf,
    /// The most that any cell needs.
    threads: u32,
    /// Rounds of a delay's loop.
    pub spins: u32,
    running: Vec<Running>,
    clock: Instant,
}

/// A worker and what it records, if that is its variant.
pub struct Running {
    /// Asked for batches.
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
        let why =
            format!("{lost} events found no room; TMPDIR with a directory that has more of it");
        return Err(recorder(why).into());
    }
    Ok(part)
}

fn recorder(why: String) -> Error {
    Error::Run {
        what: "the recorder".into(),
        why,
    }
}

impl<'a> Workers<'a> {
    /// Compiles what the variants need.
    pub fn new(
        workshop: &'a Workshop,
        variants: &'a [Variant],
        flags: &[String],
        threads: u32,
    ) -> Result<Workers<'a>> {
        let mut builds = Vec::new();
        for build in Build::ALL {
            let is_wanted = variants.iter().any(|variant| variant.build == build);
            let layouts = LAYOUTS.iter().filter(|_| is_wanted);
            builds.push(
                layouts
                    .map(|layout| workshop.worker(build, *layout, flags))
                    .collect::<Result<Vec<_>>>()?,
            );
        }
        let of = |build| &builds[Build::ALL.iter().position(|it| *it == build).unwrap_or(0)];
        Ok(Workers {
            workshop,
            variants,
            programs: variants
                .iter()
                .map(|variant| of(variant.build).clone())
                .collect(),
            tool: workshop.tool()?,
            threads,
            spins: 1,
            running: Vec::new(),
            clock: Instant::now(),
        })
    }

    /// A worker of a variant.
    pub fn start(&self, variant: usize, layout: usize, padding: &str) -> Result<Running> {
        let of = &self.variants[variant];
        let (command, trace) = self.command(variant, layout, padding)?;
        let errors = self.workshop.bench.path(&format!("errors-{}", of.name));
        let mut worker = Worker::start(of.name, command, errors)?;
        worker.ask(&format!("delay {}", self.spins))?;
        Ok(Running { worker, trace })
    }

    /// What a worker of a variant whose shim explains itself says while it answers some lines.
    pub fn said(&self, variant: usize, lines: impl Iterator<Item = String>) -> Result<String> {
        let of = &self.variants[variant];
        let (mut command, _trace) = self.command(variant, 0, "")?;
        command.env(ompchunk_abi::VERBOSE_ENV, "1");
        let errors = self.workshop.bench.path(&format!("said-{}", of.name));
        let mut worker = Worker::start(of.name, command, errors)?;
        worker.ask(&format!("delay {}", self.spins))?;
        for line in lines {
            worker.ask(&line)?;
        }
        Ok(worker.said())
    }

    /// How it is run, and what its recorder writes into.
    pub fn command(
        &self,
        variant: usize,
        layout: usize,
        padding: &str,
    ) -> Result<(Command, Option<tempfile::TempDir>)> {
        let of = &self.variants[variant];
        let mut command = self.workshop.program(&self.programs[variant][layout]);
        command
            // Idle threads sleep, or one worker's would take the processors from another's.
            .env("KMP_BLOCKTIME", "0")
            .env("OMP_WAIT_POLICY", "passive")
            .env("OMP_PROC_BIND", "true")
            .env("OMP_PLACES", "threads")
            .env("OMP_NUM_THREADS", self.threads.to_string())
            // Moves the stack.
            .env("OMPCHUNK_BENCH_PADDING", padding);
        let trace = self.attach(of.attach, &mut command)?;
        Ok((command, trace))
    }

    /// A file of the workshop's.
    pub fn path(&self, name: &str) -> PathBuf {
        self.workshop.bench.path(name)
    }

    fn attach(&self, attach: Attach, command: &mut Command) -> Result<Option<tempfile::TempDir>> {
        let shim = self.workshop.installation.shim()?;
        let tool = std::slice::from_ref(&self.tool);
        let mut trace = None;
        let ours = match attach {
            Attach::Nothing => None,
            Attach::Shim => {
                attach::attach(command, &shim, &[], None)?;
                None
            }
            Attach::ShimAndSchedules(entries) => {
                attach::attach(command, &shim, &[], None)?;
                command.env(VARIABLE, entries());
                None
            }
            Attach::ShimAndTool(callbacks) => {
                attach::attach(command, &shim, tool, None)?;
                Some(callbacks)
            }
            Attach::Recorder => {
                let recorder = self.workshop.installation.recorder()?;
                attach::attach(command, &shim, &[recorder], None)?;
                // In the workshop's own, so that an interruption leaves no more behind than without it.
                let within = self.workshop.bench.path("");
                let directory =
                    tempfile::tempdir_in(&within).context("a directory to record in")?;
                command
                    .env(environment::DIRECTORY, directory.path())
                    .env(environment::MAX_SIZE, MOST_RECORDED.to_string());
                for name in [
                    environment::SAMPLE,
                    environment::AGGREGATE,
                    environment::BOOKKEEPING,
                ] {
                    command.env_remove(name);
                }
                trace = Some(directory);
                None
            }
            Attach::Tool(callbacks) => {
                command.env("OMP_TOOL_LIBRARIES", &self.tool);
                Some(callbacks)
            }
        };
        if let Some(callbacks) = ours {
            command.env("OMPCHUNK_BENCH_TOOL", callbacks);
            command.env("OMPCHUNK_BENCH_TOOL_PATH", &self.tool);
        }
        Ok(trace)
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

    /// What some things cost now, by the worker of the base.
    pub fn references(&mut self) -> Result<Vec<Reference>> {
        references(&mut self.running[0].worker)
    }

    /// The number that answers a line.
    pub fn number(&mut self, variant: usize, line: &str) -> Result<f64> {
        self.running[variant].worker.number(line)
    }

    /// From now on.
    pub fn begin(&mut self) {
        self.clock = Instant::now();
    }

    /// Since then.
    pub fn elapsed(&self) -> Duration {
        self.clock.elapsed()
    }
}

/// What a suite's results say of the setup before anything is known of the runtime.
pub fn results(suite: &str, options: &Options, workshop: &Workshop) -> (Results, Vec<String>) {
    let mut results = Results::new(suite);
    results.setup = conditions::setup();
    results.setup.compiler = workshop.version.line.clone();
    results.setup.seed = options.seed;
    let flags = vec![format!("-O{}", options.opt), "-fopenmp".to_owned()];
    results.setup.flags = flags.join(" ");
    (results, flags)
}

/// Asks a worker where it runs, judges that and what was doubtful before, and measures what things cost here and
/// what makes a delay of so many nanoseconds, which is the answer.
pub fn prepare(
    results: &mut Results,
    plain: &mut Worker,
    mut doubts: Vec<conditions::Doubt>,
    (threads, delay): (u32, f64),
    options: &Options,
) -> Result<u32> {
    let hello = plain.ask("hello")?;
    let mut words = hello.split('\t');
    results.setup.runtime = conditions::resolved(words.next().unwrap_or_default());
    results.setup.pinned = words.filter_map(|cpu| cpu.parse().ok()).collect();
    doubts.extend(conditions::of_runtime(&results.setup.runtime));
    doubts.extend(unpinned(&results.setup.pinned, threads));
    results.warnings = conditions::judge(&doubts, options.allow_noisy)?;
    results.references = references(plain)?;
    let spins = (delay / plain.number("reference spin")?).round() as u32;
    plain.ask(&format!("delay {spins}"))?;
    Ok(spins)
}

/// What the results say of variants.
pub fn infos(variants: &[Variant]) -> Vec<VariantInfo> {
    variants.iter().map(VariantInfo::from).collect()
}

/// Two threads on one CPU, or threads that may move.
fn unpinned(cpus: &[u32], threads: u32) -> Option<conditions::Doubt> {
    let mut different = cpus.to_vec();
    different.sort_unstable();
    different.dedup();
    (different.len() < threads as usize).then(|| conditions::Doubt {
        says: format!(
            "the runtime pinned {threads} threads to {} CPUs",
            different.len()
        ),
        stops: true,
    })
}

fn references(plain: &mut Worker) -> Result<Vec<Reference>> {
    [
        ("call", "empty indirect call and return"),
        ("rdtsc", "reading the processor's counter"),
        ("clock", "clock_gettime"),
    ]
    .into_iter()
    .map(|(name, title)| {
        Ok(Reference {
            name: name.to_owned(),
            title: title.to_owned(),
            ns: plain.number(&format!("reference {name}"))?,
        })
    })
    .collect()
}
