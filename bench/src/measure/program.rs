//! Any program: built without and with the plugin side by side, run in randomly interleaved pairs, while nobody listens. What
//! the two print, and how they end, must be the same.
//! With `--record` the build with the plugin also runs under `ompchunk record`: what recording costs, from outside.

use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context, Result};
use fastrand::Rng;
use ompchunk_toolchain::{Failure, program};

use super::build::{Workshop, broken, succeeded};
use super::conditions;
use super::order::{Executor, Rules, measure};
use crate::options::{Options, Words, split};
use crate::plan::{self, Attach, Build, Variant};
use crate::results::{Cell, Results, Unit};

pub fn run(options: &Options) -> Result<Results> {
    let words = split(&options.program)?;
    let workshop = Workshop::new(Some(&words.compiler), options.runtime.as_deref())?;
    let variants = plan::of_program(options.record);
    let mut setup = conditions::setup();
    setup.compiler = workshop.version.line.clone();
    setup.flags = shown(&words.arguments);
    setup.program = shown(&words.run);
    let (plain, with_plugin) = (build(&workshop, &words, Build::Plain)?, build(&workshop, &words, Build::Plugin)?);
    setup.runtime = runtime_of(&workshop, &plain).unwrap_or_default();
    let doubts = conditions::of_machine(1).into_iter().chain(conditions::of_runtime(&setup.runtime));

    let mut runs = Builds {
        workshop: &workshop,
        words: &words.run,
        variants,
        plain,
        with_plugin,
        first: None,
        warnings: vec![],
        clock: Instant::now(),
    };
    doubts.for_each(|doubt| runs.warn(doubt));
    runs.look_at_plain()?;
    for variant in 0..runs.variants.len() {
        if runs.variants[variant].build == Build::Plugin {
            let left = runs.run(variant)?.0;
            runs.judge(variant, &left)?;
        }
    }
    let mut results = Results::new("program", setup, runs.variants.clone());
    results.cells = vec![Cell::new(&results.setup.program, 0, conditions::cores(), Unit::Run)];
    measure(&mut runs, &mut results, Rules::of_runs(options))?;
    results.warnings = runs.warnings;
    Ok(results)
}

fn build(workshop: &Workshop, words: &Words, which: Build) -> Result<PathBuf> {
    let directory = workshop.bench.path(which.name());
    std::fs::create_dir(&directory).context("a directory for a build")?;
    let program = directory.join(Path::new(&words.run[0]).file_name().unwrap_or(OsStr::new("program")));
    let mut arguments = words.arguments.clone();
    arguments.extend(["-o".into(), program.clone().into_os_string()]);
    let compiled = workshop.bench.finish_here(&mut workshop.compile(which, &arguments))?;
    let how = if which == Build::Plain { "without" } else { "with" };
    succeeded(&compiled, &format!("the program {how} the plugin"))?;
    Ok(program)
}

struct Left {
    how: String,
    output: Vec<u8>,
    said: String,
}

struct Builds<'a> {
    workshop: &'a Workshop,
    /// The program and its arguments, as the user wrote them.
    words: &'a [OsString],
    variants: Vec<Variant>,
    plain: PathBuf,
    with_plugin: PathBuf,
    /// What the first run printed, if it is the same in every run without the plugin.
    first: Option<Vec<u8>>,
    warnings: Vec<String>,
    clock: Instant,
}

impl Builds<'_> {
    fn command(&self, variant: usize) -> Result<Command> {
        let variant = self.variants[variant];
        let program = if variant.build == Build::Plain { &self.plain } else { &self.with_plugin };
        let mut command = match variant.attach {
            // As a user does it: what the command takes to start and to sum up is in it.
            Attach::Recorder => {
                let mut record = Command::new(std::env::current_exe()?);
                record.args(["record", "--force", "-o"]).arg(self.workshop.bench.path("trace")).arg(program);
                record
            }
            _ => Command::new(program),
        };
        self.workshop.runtime.put_first(&mut command);
        Ok(command)
    }

    fn run(&self, variant: usize) -> Result<(Left, f64)> {
        let (stdout, stderr) = (self.workshop.bench.path("stdout"), self.workshop.bench.path("stderr"));
        let mut command = self.command(variant)?;
        command
            .args(&self.words[1..])
            .stdin(Stdio::null())
            .stdout(File::create(&stdout)?)
            .stderr(File::create(&stderr)?);
        let start = Instant::now();
        let status = command.status().map_err(|cause| {
            let program = command.get_program();
            let what = format!("{} cannot be run: {cause}", program.to_string_lossy());
            Failure::new(what, program::next(program, &cause))
        })?;
        let ns = start.elapsed().as_nanos() as f64;
        let said = std::fs::read(&stderr).unwrap_or_default();
        let left = Left {
            how: status.to_string(),
            output: std::fs::read(&stdout)?,
            said: String::from_utf8_lossy(&said).into_owned(),
        };
        Ok((left, ns))
    }

    /// Runs it twice without the plugin before anything is measured: warm-up, and a look at what it does.
    fn look_at_plain(&mut self) -> Result<()> {
        let first = self.run(0)?.0;
        if first.how != WELL {
            let last = first.said.lines().next_back().unwrap_or("it said nothing");
            let what = format!("{}, without the plugin", shown(self.words));
            return Err(broken(what, format_args!("{}; {last}", first.how)).into());
        }
        if self.run(0)?.0.output == first.output {
            self.first = Some(first.output);
        } else {
            self.warn(
                "the program's output differs from run to run even without the plugin, so outputs were not compared \
                 (they should not hold times or addresses)"
                    .to_owned(),
            );
        }
        Ok(())
    }

    fn judge(&self, variant: usize, left: &Left) -> Result<()> {
        let why = if left.how != WELL {
            format!("ended with {} instead of {WELL}", left.how)
        } else if self.first.as_ref().is_some_and(|first| *first != left.output) {
            "printed something else than without the plugin".to_owned()
        } else {
            return Ok(());
        };
        let what = format!("{} ({})", shown(self.words), self.variants[variant].title);
        Err(broken(what, why).into())
    }

    fn warn(&mut self, says: String) {
        conditions::warn_of(&says);
        self.warnings.push(says);
    }
}

/// How a run ends that counts.
const WELL: &str = "exit status: 0";

impl Executor for Builds<'_> {
    fn restart(&mut self, _: &[usize], _: &mut Rng) -> Result<()> {
        Ok(())
    }

    fn sample(&mut self, variant: usize, _: &Cell) -> Result<f64> {
        let (left, ns) = self.run(variant)?;
        self.judge(variant, &left)?;
        Ok(ns)
    }

    fn elapsed(&self) -> Duration {
        self.clock.elapsed()
    }
}

fn shown(words: &[OsString]) -> String {
    words.join(OsStr::new(" ")).to_string_lossy().into_owned()
}

/// The file of the runtime that a program gets, as the dynamic linker would tell `ldd`.
fn runtime_of(workshop: &Workshop, program: &Path) -> Option<String> {
    let mut command = Command::new(program);
    workshop.runtime.put_first(&mut command);
    let output = command.env("LD_TRACE_LOADED_OBJECTS", "1").output().ok()?;
    let listed = String::from_utf8_lossy(&output.stdout).into_owned();
    let line = listed.lines().find(|line| line.contains("libomp") || line.contains("libiomp"))?;
    Some(conditions::resolved(line.split_whitespace().nth(2)?))
}
