//! Compiles programs of the corpus and runs them, on each runtime, recorded or not.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result};
use ompchunk_toolchain::language::Language;
use ompchunk_toolchain::probe;

use super::super::build::Runtime;
use crate::error::Error;
use crate::plan::advice::AdviceOptions;
use crate::plan::corpus::{INCLUDED, Program};

/// What all programs are compiled with.
const FLAGS: [&str; 3] = ["-O2", "-g", "-fopenmp"];

/// A directory with what was compiled and recorded, and the runtimes.
pub struct Shop {
    bench: probe::Bench,
    ompchunk: PathBuf,
    runtimes: Vec<Host>,
    threads: u32,
}

/// A runtime.
struct Host {
    name: String,
    runtime: Runtime,
    /// Its file, unless it is the one that programs find by themselves.
    file: Option<PathBuf>,
}

impl Shop {
    /// With the runtimes that are wanted.
    pub fn new(options: &AdviceOptions) -> Result<Shop> {
        let bench = probe::Bench::new()?;
        let mut runtimes = Vec::new();
        if !options.only_runtime {
            runtimes.push(Host { name: "libomp".to_owned(), runtime: Runtime::new(&bench, None)?, file: None });
        }
        if let Some(path) = &options.runtime {
            let name = path.file_stem().unwrap_or_default().to_string_lossy();
            runtimes.push(Host {
                name: name.into_owned(),
                runtime: Runtime::new(&bench, Some(path))?,
                file: Some(std::path::absolute(path)?),
            });
        }
        Ok(Shop { bench, ompchunk: found(&options.ompchunk)?, runtimes, threads: options.threads })
    }

    /// By number.
    pub fn runtimes(&self) -> std::ops::Range<usize> {
        0..self.runtimes.len()
    }

    /// A runtime's name.
    pub fn name(&self, runtime: usize) -> &str {
        &self.runtimes[runtime].name
    }

    /// A path for files of our own.
    pub fn path(&self, name: &str) -> PathBuf {
        self.bench.path(name)
    }

    /// What compiles; nothing of what cannot be asked.
    pub fn versions(&self) -> Vec<(&'static str, String)> {
        let of = |(name, language): (&'static str, Language)| {
            let mut command = self.ompchunk();
            let output = command.args([language.command(), "--version"]).output().ok()?;
            let text = String::from_utf8_lossy(&output.stdout).into_owned();
            Some((name, text.lines().next()?.trim().to_owned()))
        };
        let asked = [("compiler", Language::C), ("compiler of Fortran", Language::Fortran)];
        asked.into_iter().filter_map(of).collect()
    }

    /// A program, compiled with the plugin.
    pub fn compile(&self, program: &Program) -> Result<PathBuf> {
        for (file, text) in INCLUDED {
            self.bench.source(file, text)?;
        }
        self.bench.source(program.file, program.source)?;
        let to = self.path(program.name());
        let mut command = self.ompchunk();
        // The file by its name alone, as records and patterns shall have it.
        command
            .current_dir(self.path(""))
            .arg(program.language().command())
            .args(FLAGS)
            .arg(program.file)
            .arg("-o")
            .arg(&to)
            .arg("-lm");
        let output = finish(&mut command)?;
        if !output.status.success() {
            return Err(Error::Compile {
                what: program.file.to_owned(),
                says: String::from_utf8_lossy(&output.stderr).trim().to_owned(),
            }
            .into());
        }
        Ok(to)
    }

    /// What a program prints as it is.
    pub fn prints(&self, program: &Program, compiled: &Path, runtime: usize) -> Result<String> {
        let mut command = Command::new(compiled);
        command.arg(program.repetitions.to_string());
        self.run(&mut command, runtime)
    }

    /// `ompchunk record`, with options.
    pub fn record(
        &self,
        program: &Program,
        compiled: &Path,
        runtime: usize,
        trace: &Path,
        options: &[OsString],
        variables: &[(&str, &str)],
    ) -> Result<String> {
        // Of a run before.
        let _ = std::fs::remove_dir_all(trace);
        let mut command = self.ompchunk();
        command.arg("record").args(options).arg("-o").arg(trace);
        command.arg(compiled).arg(program.repetitions.to_string());
        command.envs(variables.iter().copied());
        self.run(&mut command, runtime)
    }

    /// What `ompchunk advise` says of a trace. What dealing costs is measured anew: what is kept of it may be from a busier machine.
    pub fn advise(&self, trace: &Path, runtime: usize) -> Result<String> {
        let mut command = self.ompchunk();
        command.args(["advise", "--json", "--all"]);
        if let Some(file) = &self.runtimes[runtime].file {
            command.arg("--runtime").arg(file);
        }
        command.env("XDG_CACHE_HOME", self.path("cache"));
        let output = finish(command.arg(trace))?;
        succeeded(&command, &output)?;
        Ok(String::from_utf8_lossy(&output.stdout).into_owned())
    }

    fn ompchunk(&self) -> Command {
        let mut command = Command::new(&self.ompchunk);
        clean(&mut command);
        command
    }

    fn run(&self, command: &mut Command, runtime: usize) -> Result<String> {
        clean(command);
        command.env("OMP_NUM_THREADS", self.threads.to_string()).env("OMP_DYNAMIC", "false");
        self.runtimes[runtime].runtime.put_first(command);
        let output = finish(command)?;
        succeeded(command, &output)?;
        Ok(String::from_utf8_lossy(&output.stdout).into_owned())
    }
}

/// A command's path from anywhere, unless it is in PATH.
fn found(ompchunk: &Path) -> Result<PathBuf> {
    if ompchunk.components().count() == 1 {
        return Ok(ompchunk.to_owned());
    }
    let path = ompchunk.canonicalize();
    path.with_context(|| format!("--ompchunk {}", ompchunk.display()))
}

/// Nothing that steers OpenMP, or ompchunk, but what was set for this command.
fn clean(command: &mut Command) {
    let set: Vec<OsString> = command.get_envs().map(|variable| variable.0.to_owned()).collect();
    let steers = |name: &str| {
        let kept = name == ompchunk_toolchain::installation::VARIABLE;
        let compilers = Language::ALL.iter().any(|language| language.variable() == name);
        let begins = ["OMP_", "KMP_", "OMPCHUNK_", "LD_PRELOAD"];
        !kept && !compilers && begins.iter().any(|of| name.starts_with(of))
    };
    for (name, _) in std::env::vars_os() {
        if !set.contains(&name) && steers(&name.to_string_lossy()) {
            command.env_remove(name);
        }
    }
}

fn finish(command: &mut Command) -> Result<std::process::Output> {
    let output = command.output();
    output.with_context(|| format!("cannot run {}", Path::new(command.get_program()).display()))
}

fn succeeded(command: &Command, output: &std::process::Output) -> Result<(), Error> {
    if output.status.success() {
        return Ok(());
    }
    let said = String::from_utf8_lossy(&output.stderr);
    let said: Vec<&str> = said.trim().lines().collect();
    let words = std::iter::once(command.get_program()).chain(command.get_args());
    let words: Vec<_> = words.map(|word| word.to_string_lossy()).collect();
    Err(Error::Run { what: words.join(" "), why: format!("{}: {}", output.status, said.join("; ")) })
}
