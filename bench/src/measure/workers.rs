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
use crate::plan::case::{Case, ascending};
use crate::plan::options::Options;
use crate::plan::variant::{self, Attach, Build, Variant};
use crate::results::{Cell, Reference, Results, VariantInfo};
use ompchunk_toolchain::attach;

/// The most that one worker's recorder writes. Far beyond what a generation needs: whatever does not fit is an
/// error, since a recorder that has nothing more to write costs little.
const MOST_RECORDED: u64 = 2 << 30;

/// What is compiled, and what runs of it.
pub struct Workers {
    workshop: Workshop,
    /// In the order of the results.
    pub variants: Vec<Variant>,
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
        let why = format!("{lost} events found no room; TMPDIR with a directory that has more of it");
        return Err(recorder(why).into());
    }
    Ok(part)
}

fn recorder(why: String) -> Error {
    Error::Run { what: "the recorder".into(), why }
}

impl Workers {
    /// Compiles what the variants need.
    fn new(workshop: Workshop, variants: Vec<Variant>, flags: &[String], threads: u32) -> Result<Workers> {
        let mut builds = Vec::new();
        for build in Build::ALL {
            let is_wanted = variants.iter().any(|variant| variant.build == build);
            let layouts = LAYOUTS.iter().filter(|_| is_wanted);
            let compiled = layouts.map(|layout| workshop.worker(build, *layout, flags));
            builds.push(compiled.collect::<Result<Vec<_>>>()?);
        }
        let of = |build| &builds[Build::ALL.iter().position(|known| *known == build).unwrap_or(0)];
        Ok(Workers {
            programs: variants.iter().map(|variant| of(variant.build).clone()).collect(),
            tool: workshop.tool()?,
            workshop,
            variants,
            threads,
            spins: 1,
            running: Vec::new(),
            clock: Instant::now(),
        })
    }

    /// A worker of a variant.
    pub fn start(&self, variant: usize, layout: usize, padding: &str) -> Result<Running> {
        let (command, trace) = self.command(variant, layout, padding)?;
        let worker = self.worker(variant, command, "errors")?;
        Ok(Running { worker, trace })
    }

    /// What a worker of a variant whose shim explains itself says while it answers some lines.
    pub fn said(&self, variant: usize, lines: impl Iterator<Item = String>) -> Result<String> {
        let (mut command, _trace) = self.command(variant, 0, "")?;
        command.env(ompchunk_abi::VERBOSE_ENV, "1");
        let mut worker = self.worker(variant, command, "said")?;
        for line in lines {
            worker.ask(&line)?;
        }
        Ok(worker.said())
    }

    /// Runs it; what it says goes to a file of that name.
    fn worker(&self, variant: usize, command: Command, file: &str) -> Result<Worker> {
        let name = self.variants[variant].name;
        let file = self.workshop.bench.path(&format!("{file}-{name}"));
        let mut worker = Worker::start(name, command, file)?;
        worker.ask(&format!("delay {}", self.spins))?;
        Ok(worker)
    }

    /// How it is run, and what its recorder writes into.
    pub fn command(
        &self,
        variant: usize,
        layout: usize,
        padding: &str,
    ) -> Result<(Command, Option<tempfile::TempDir>)> {
        let attached = self.variants[variant].attach;
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
        let trace = self.attach(attached, &mut command)?;
        Ok((command, trace))
    }

    /// A file of the workshop's.
    pub fn path(&self, name: &str) -> PathBuf {
        self.workshop.bench.path(name)
    }

    fn attach(&self, attach: Attach, command: &mut Command) -> Result<Option<tempfile::TempDir>> {
        let shim = self.workshop.installation.shim()?;
        let tool = std::slice::from_ref(&self.tool);
        match attach {
            Attach::Nothing => {}
            Attach::Shim => attach::attach(command, &shim, &[], None)?,
            Attach::ShimAndSchedules(entries) => {
                attach::attach(command, &shim, &[], None)?;
                command.env(VARIABLE, entries());
            }
            Attach::ShimAndTool(_) => attach::attach(command, &shim, tool, None)?,
            Attach::Recorder => {
                let recorder = self.workshop.installation.recorder()?;
                attach::attach(command, &shim, &[recorder], None)?;
                return self.record(command).map(Some);
            }
            Attach::Tool(_) => {
                command.env("OMP_TOOL_LIBRARIES", &self.tool);
            }
        }
        if let Attach::ShimAndTool(callbacks) | Attach::Tool(callbacks) = attach {
            command.env("OMPCHUNK_BENCH_TOOL", callbacks);
            command.env("OMPCHUNK_BENCH_TOOL_PATH", &self.tool);
        }
        Ok(None)
    }

    /// Makes its recorder write into a directory of its own, all that there is.
    fn record(&self, command: &mut Command) -> Result<tempfile::TempDir> {
        // In the workshop's own, so that an interruption leaves no more behind than without it.
        let within = self.workshop.bench.path("");
        let directory = tempfile::tempdir_in(&within).context("a directory to record in")?;
        command.env(environment::DIRECTORY, directory.path()).env(environment::MAX_SIZE, MOST_RECORDED.to_string());
        for name in [environment::SAMPLE, environment::AGGREGATE, environment::BOOKKEEPING] {
            command.env_remove(name);
        }
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

    /// What some things cost now, by the worker of the base.
    pub fn references(&mut self) -> Result<Vec<Reference>> {
        references(&mut self.running[0].worker)
    }

    /// The number that answers a line.
    pub fn number(&mut self, variant: usize, line: &str) -> Result<f64> {
        self.running[variant].worker.number(line)
    }

    /// Since they were compiled.
    pub fn elapsed(&self) -> Duration {
        self.clock.elapsed()
    }
}

/// A benchmark of loops or tasks, whose variants are workers.
pub struct Suite {
    /// For the command line and the results.
    pub name: &'static str,
    /// What is compared.
    pub variants: &'static [Variant],
    /// What is measured, on so many cores.
    pub cases: fn(&Options, u32) -> Result<Vec<Case>, Error>,
    /// What the worker is compiled with, beside what the options say.
    pub flag: Option<&'static str>,
    /// What an iteration of `delay` takes, in nanoseconds.
    pub delay: f64,
    /// Measures.
    pub run: fn(Prepared, &Options) -> Result<Results>,
}

/// A suite whose workers are compiled.
pub struct Prepared {
    /// To be started.
    pub workers: Workers,
    /// One of the base, to calibrate with.
    pub plain: Worker,
    /// With setup, variants, and cells to be filled in.
    pub results: Results,
}

impl Suite {
    /// Compiles, judges where it is to run, and measures.
    pub fn measure(&self, options: &Options) -> Result<Results> {
        let variants = variant::chosen(self.variants, &options.variants)?;
        let cases = (self.cases)(options, conditions::cores())?;
        let threads = cases.iter().map(|case| case.threads).max().unwrap_or(1);
        let mut doubts = conditions::of_machine(threads);
        let workshop = Workshop::new(options.cc.as_ref(), options.runtime.as_deref())?;
        let mut results = Results::new(self.name);
        results.setup = conditions::setup();
        results.setup.compiler = workshop.version.line.clone();
        results.setup.seed = options.seed;
        results.variants = variants.iter().map(VariantInfo::from).collect();
        results.cells = cases.into_iter().map(Cell::new).collect();
        let mut flags = vec![format!("-O{}", options.opt), "-fopenmp".to_owned()];
        results.setup.flags = flags.join(" ");
        flags.extend(self.flag.map(str::to_owned));
        let mut workers = Workers::new(workshop, variants, &flags, threads)?;
        let mut plain = workers.start(0, 0, "")?.worker;
        let (runtime, pinned) = where_it_runs(&mut plain)?;
        doubts.extend(conditions::of_runtime(&runtime));
        doubts.extend(unpinned(&pinned, threads));
        (results.setup.runtime, results.setup.pinned) = (runtime, pinned);
        results.warnings = conditions::judge(&doubts, options.allow_noisy)?;
        results.references = references(&mut plain)?;
        workers.spins = (self.delay / plain.number("reference spin")?).round() as u32;
        plain.ask(&format!("delay {}", workers.spins))?;
        let prepared = Prepared { workers, plain, results };
        (self.run)(prepared, options)
    }
}

/// The file of a worker's runtime, and the CPUs that its threads are pinned to.
fn where_it_runs(plain: &mut Worker) -> Result<(String, Vec<u32>)> {
    let hello = plain.ask("hello")?;
    let mut words = hello.split('\t');
    let runtime = conditions::resolved(words.next().unwrap_or_default());
    Ok((runtime, words.filter_map(|cpu| cpu.parse().ok()).collect()))
}

/// Two threads on one CPU, or threads that may move.
fn unpinned(cpus: &[u32], threads: u32) -> Option<conditions::Doubt> {
    let different = ascending(cpus.iter().copied()).len();
    (different < threads as usize).then(|| conditions::Doubt {
        says: format!("the runtime pinned {threads} threads to {different} CPUs"),
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
