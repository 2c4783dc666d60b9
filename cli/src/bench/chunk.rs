//! The chunk benchmark: what a chunk costs in every variant, over chunk sizes, bodies and threads. Its
//! method is that of EPCC's Schedbench (Bull, Measuring Synchronisation and Scheduling Overheads in
//! OpenMP, EWOMP 1999): the same loop under different schedules, whose bodies do a known amount of work.

use std::path::PathBuf;
use std::process::Command;
use std::time::{Duration, Instant};

use anyhow::Result;
use fastrand::Rng;

use super::build::{LAYOUTS, Workshop};
use super::measure::{Executor, Rules, measure};
use super::results::{Cell, Reference, Results, Unit, VariantInfo};
use super::variant::{self, Attach, Build, Role, Variant};
use super::worker::Worker;
use super::{Error, conditions};
use crate::args::BenchOptions;
use crate::launch;

const BODIES: [&str; 4] = ["empty", "flops", "delay", "call"];
/// What an iteration of `delay` takes.
const DELAY: f64 = 50.0;
/// What a batch shall take: long against a timer's 25 ns, short against the operating system's interruptions.
const BATCH: f64 = 250_000.0;
/// What one execution of a loop shall take: long against the runtime's two calls.
const EXECUTION: f64 = 20_000.0;

/// Measures.
pub fn run(options: &BenchOptions) -> Result<Results> {
    let variants = variant::chosen(&options.variants).map_err(|name| Error::Unknown {
        what: "variant",
        name,
        known: variant::names(),
    })?;
    let mut cells = cells(options)?;
    let most = cells.iter().map(|cell| cell.threads).max().unwrap_or(1);
    let mut doubts = conditions::of_machine(most);
    let workshop = Workshop::new(options.cc.as_ref(), options.runtime.as_deref())?;
    let mut results = Results::new("chunk");
    results.setup = conditions::setup();
    results.setup.compiler = workshop.version.line.clone();
    results.setup.seed = options.seed;
    let flags = [format!("-O{}", options.opt), "-fopenmp".to_owned()];
    results.setup.flags = flags.join(" ");

    let mut workers = Workers::new(&workshop, &variants, &flags, most)?;
    let mut plain = workers.start(0, 0, "")?;
    let hello = plain.ask("hello")?;
    let mut words = hello.split('\t');
    results.setup.runtime = conditions::resolved(words.next().unwrap_or_default());
    results.setup.pinned = words.filter_map(|cpu| cpu.parse().ok()).collect();
    doubts.extend(conditions::of_runtime(&results.setup.runtime));
    doubts.extend(unpinned(&results.setup.pinned, most));
    results.warnings = conditions::judge(&doubts, options.allow_noisy)?;

    results.references = references(&mut plain)?;
    let spin = plain.number("reference spin")?;
    workers.spins = (DELAY / spin).round() as u32;
    plain.ask(&format!("delay {}", workers.spins))?;
    for cell in &mut cells {
        calibrate(cell, &mut plain)?;
    }
    drop(plain);
    workers.check(&cells)?;

    workers.clock = Instant::now();
    let names: Vec<&str> = variants.iter().map(|variant| variant.name).collect();
    let rules = Rules {
        budget: Duration::from_secs_f64(if options.quick { 2.0 } else { options.time }),
        rounds: if options.quick { 1 } else { 3 },
        layouts: LAYOUTS.len(),
        least_blocks: 6,
        resolution: 0.01,
    };
    measure(&mut workers, &names, &mut cells, rules, options.seed)?;
    results.setup.seconds = workers.clock.elapsed().as_secs_f64();
    results.variants = variants.iter().map(info).collect();
    results.cells = cells;
    Ok(results)
}

fn info(variant: &Variant) -> VariantInfo {
    VariantInfo {
        name: variant.name.to_owned(),
        title: variant.title.to_owned(),
        role: variant.role,
    }
}

/// What is to be measured: every body, chunk size and number of threads, and for each number of threads a
/// loop of one chunk per thread.
fn cells(options: &BenchOptions) -> Result<Vec<Cell>> {
    if let Some(unknown) = options
        .bodies
        .iter()
        .find(|name| !BODIES.contains(&name.as_str()))
    {
        return Err(Error::Unknown {
            what: "body",
            name: unknown.clone(),
            known: BODIES.to_vec(),
        }
        .into());
    }
    let quick = |all: Vec<u32>, few: &[u32]| if options.quick { few.to_vec() } else { all };
    let or = |named: &[u32], default: Vec<u32>| {
        if named.is_empty() {
            default
        } else {
            named.to_vec()
        }
    };
    let chunks = or(
        &options.chunks,
        quick((0..=12).map(|of| 1 << of).collect(), &[1, 64]),
    );
    let all = u32::try_from(conditions::cores())?;
    let mut threads = or(
        &options.threads,
        quick(vec![1, 2.min(all), all], &[2.min(all)]),
    );
    threads.sort_unstable();
    threads.dedup();
    let mut cells = Vec::new();
    for threads in threads {
        for body in BODIES {
            let is_wanted =
                options.bodies.is_empty() || options.bodies.iter().any(|name| name == body);
            if is_wanted && (!options.quick || !options.bodies.is_empty() || body == "empty") {
                cells.extend(
                    chunks
                        .iter()
                        .map(|chunk| Cell::new(body, *chunk, threads, Unit::Chunk)),
                );
            }
        }
        cells.push(Cell::new("empty", 1, threads, Unit::Loop));
    }
    Ok(cells)
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

/// How many chunks and executions make a batch, so that all batches take about as long. All variants run
/// the same.
fn calibrate(cell: &mut Cell, plain: &mut Worker) -> Result<()> {
    let mut per_chunk = f64::INFINITY;
    cell.chunks = if cell.unit == Unit::Loop { 1 } else { 8 };
    for _ in 0..3 {
        let ns = plain.number(&batch(cell, 1, 16))?;
        per_chunk = per_chunk.min(ns / f64::from(cell.chunks));
    }
    if cell.unit == Unit::Chunk {
        cell.chunks = (EXECUTION / per_chunk).clamp(2.0, 4096.0) as u32;
        if cell.body == "flops" {
            // What it reads and writes shall stay in the first-level cache.
            cell.chunks = cell.chunks.min(4096 / cell.chunk).max(2);
        }
    }
    cell.executions = (BATCH / per_chunk / f64::from(cell.chunks)).clamp(1.0, 1e6) as u32;
    Ok(())
}

fn iterations(cell: &Cell) -> u32 {
    cell.chunks * cell.chunk * cell.threads
}

fn batch(cell: &Cell, warmup: u32, executions: u32) -> String {
    let (body, chunk, threads) = (&cell.body, cell.chunk, cell.threads);
    format!(
        "batch {body} {chunk} {threads} {} {warmup} {executions}",
        iterations(cell)
    )
}

/// A worker per variant.
struct Workers<'a> {
    workshop: &'a Workshop,
    variants: &'a [Variant],
    /// By variant, then by layout.
    programs: Vec<Vec<PathBuf>>,
    tool: PathBuf,
    threads: u32,
    spins: u32,
    running: Vec<Worker>,
    /// Variants whose runtime does not deal a team of one its chunks.
    not_alone: Vec<usize>,
    clock: Instant,
}

impl<'a> Workers<'a> {
    fn new(
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
            not_alone: Vec::new(),
            clock: Instant::now(),
        })
    }

    fn start(&self, variant: usize, layout: usize, padding: &str) -> Result<Worker> {
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
        self.attach(of.attach, &mut command)?;
        let errors = self.workshop.bench.path(&format!("errors-{}", of.name));
        let mut worker = Worker::start(of.name, command, errors)?;
        worker.ask(&format!("delay {}", self.spins))?;
        Ok(worker)
    }

    fn attach(&self, attach: Attach, command: &mut Command) -> Result<()> {
        let shim = self.workshop.installation.shim()?;
        let tool = std::slice::from_ref(&self.tool);
        let ours = match attach {
            Attach::Nothing => None,
            Attach::Shim => {
                launch::attach(command, &shim, &[], None)?;
                None
            }
            Attach::ShimAndTool(callbacks) => {
                launch::attach(command, &shim, tool, None)?;
                Some(callbacks)
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
        Ok(())
    }

    /// Each variant does what its name says: its tool gets an event per chunk, or none.
    fn check(&mut self, cells: &[Cell]) -> Result<()> {
        const CHUNKS: u32 = 24;
        let mut threads: Vec<u32> = cells.iter().map(|cell| cell.threads).collect();
        threads.dedup();
        for (at, variant) in self.variants.iter().enumerate() {
            let mut worker = self.start(at, 0, "")?;
            for threads in &threads {
                let iterations = 3 * CHUNKS;
                let events = worker.number(&format!("check 3 {threads} {iterations}"))?;
                let expected = if variant.events { CHUNKS } else { 0 };
                if events == f64::from(expected) {
                    continue;
                }
                // Some runtimes give a team of one the whole loop at once.
                if variant.role == Role::Dealt && *threads == 1 {
                    self.not_alone.push(at);
                    continue;
                }
                return Err(Error::Run {
                    what: format!("variant {}, {threads} threads", variant.name),
                    why: format!("its tool got {events} events of {CHUNKS} chunks, not {expected}"),
                }
                .into());
            }
        }
        Ok(())
    }
}

impl Executor for Workers<'_> {
    fn restart(&mut self, layouts: &[usize], rng: &mut Rng) -> Result<()> {
        self.running.clear();
        for (variant, layout) in layouts.iter().enumerate() {
            let padding = "x".repeat(rng.usize(..4096));
            let worker = self.start(variant, *layout, &padding)?;
            self.running.push(worker);
        }
        Ok(())
    }

    fn sample(&mut self, variant: usize, cell: &Cell) -> Result<f64> {
        let warmup = 1 + cell.executions / 8;
        let ns = self.running[variant].number(&batch(cell, warmup, cell.executions))?;
        Ok(ns / f64::from(cell.chunks))
    }

    fn applies(&self, variant: usize, cell: &Cell) -> bool {
        cell.threads > 1 || !self.not_alone.contains(&variant)
    }

    fn elapsed(&self) -> Duration {
        self.clock.elapsed()
    }
}
