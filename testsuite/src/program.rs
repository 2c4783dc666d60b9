//! A program of the run tests: its directives, and its builds.
//!
//! | directive | meaning |
//! |---|---|
//! | `THREADS: 1 2 3 7` | team sizes to run with; these four by default |
//! | `ENV: NAME=value …` | one run more, with these variables; several lines, several runs |
//! | `FLAGS: …` | further flags for compiler and linker |
//! | `LOOPS: n` | loops in the file, all of which the plugin instruments; required |
//! | `DEALT: …` | numbers of loops whose chunks the runtime deals |
//! | `MONOTONIC: …` | those of them with `ordered` or `monotonic:`: each thread has its chunks in ascending order |
//! | `CANCELLED: …` | numbers of loops that may be cancelled |
//! | `USER: …` | loops whose `STEP`s say the user's variable, of which start and step must be known |
//! | `NO-USER: …` | loops without a single variable that counts: nothing may be said of it |
//! | `BY-THREAD: yes` | what iterations compute depends on the thread that runs them |
//! | `UNOBSERVED: yes` | the loops do not tell the oracle of their iterations |
//! | `OLDEST: major` | older clangs get it wrong by themselves, as `docs/coverage.md` says |
//! | `MATRIX: full` | build it in every way ([`crate::matrix`]) |

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail};

use crate::directives::Directives;
use crate::matrix::{self, Build};
use crate::oracle::Expected;
use crate::toolchain::{self, Llvm};
use crate::{child, dist};

const KNOWN: [&str; 13] = [
    "BY-THREAD",
    "THREADS",
    "ENV",
    "FLAGS",
    "LOOPS",
    "DEALT",
    "MONOTONIC",
    "CANCELLED",
    "UNOBSERVED",
    "USER",
    "NO-USER",
    "OLDEST",
    "MATRIX",
];

/// A source file of `run/`.
#[derive(Debug, Clone)]
pub struct Program {
    /// Its path.
    pub source: PathBuf,
    /// Its name without extension.
    pub name: String,
    /// Team sizes.
    pub threads: Vec<u32>,
    /// Environments, at least one.
    pub environments: Vec<Vec<(String, String)>>,
    /// How many loops the plugin instruments.
    pub loops: usize,
    /// Loops it does not.
    pub dealt: BTreeSet<u64>,
    /// Those of them whose chunks ascend on each thread.
    pub monotonic: BTreeSet<u64>,
    /// Loops that may be cancelled.
    pub cancelled: BTreeSet<u64>,
    /// Loops of which the user's start and step must be known.
    pub user_known: BTreeSet<u64>,
    /// Loops of which neither may be.
    pub user_unknown: BTreeSet<u64>,
    /// Its iterations tell the oracle nothing.
    pub unobserved: bool,
    /// What they compute depends on the thread that runs them.
    pub by_thread: bool,
    oldest: u32,
    /// Further flags for compiler and linker.
    pub flags: Vec<String>,
    full_matrix: bool,
}

impl Program {
    /// Reads a source file's directives.
    pub fn read(source: &Path) -> Result<Program> {
        let directives = Directives::read(source, &KNOWN)?;
        let mut threads = directives.words("THREADS")?;
        if threads.is_empty() {
            threads = vec![1, 2, 3, 7];
        }
        let mut environments: Vec<_> = directives
            .all("ENV")
            .map(environment)
            .collect::<Result<_>>()
            .with_context(|| source.display().to_string())?;
        if environments.is_empty() {
            environments.push(Vec::new());
        }
        let [loops] = directives.words("LOOPS")?[..] else {
            bail!("{}: one LOOPS directive is required", source.display());
        };
        Ok(Program {
            source: source.to_owned(),
            name: source.file_stem().context("a file")?.to_string_lossy().into_owned(),
            threads,
            environments,
            loops,
            dealt: directives.words("DEALT")?.into_iter().collect(),
            monotonic: directives.words("MONOTONIC")?.into_iter().collect(),
            cancelled: directives.words("CANCELLED")?.into_iter().collect(),
            user_known: directives.words("USER")?.into_iter().collect(),
            user_unknown: directives.words("NO-USER")?.into_iter().collect(),
            unobserved: directives.one("UNOBSERVED") == Some("yes"),
            by_thread: directives.one("BY-THREAD") == Some("yes"),
            oldest: directives.words("OLDEST")?.first().copied().unwrap_or(0),
            flags: directives.words("FLAGS")?,
            full_matrix: directives.one("MATRIX") == Some("full"),
        })
    }

    /// All programs of `run/`, by name.
    pub fn all() -> Result<Vec<Program>> {
        let mut sources: Vec<PathBuf> =
            std::fs::read_dir(dist::testsuite().join("run"))?.map(|entry| Ok(entry?.path())).collect::<Result<_>>()?;
        sources.retain(|path| path.extension().is_some_and(|e| e == "c" || e == "cpp"));
        sources.sort();
        sources.iter().map(|source| Program::read(source)).collect()
    }

    /// What the oracle judges its events against.
    pub fn expected(&self) -> Expected {
        Expected {
            dealt: self.dealt.clone(),
            monotonic: self.monotonic.clone(),
            cancelled: self.cancelled.clone(),
            user_known: self.user_known.clone(),
            user_unknown: self.user_unknown.clone(),
            unobserved: self.unobserved,
            ..Expected::default()
        }
    }

    /// How it is built with one compiler.
    pub fn builds(&self, major: u32) -> Vec<Build> {
        if major < self.oldest {
            Vec::new()
        } else if major == toolchain::OLDEST {
            matrix::few()
        } else if self.full_matrix || matrix::is_full() {
            matrix::full()
        } else {
            matrix::rotating(&self.name, major)
        }
    }

    /// Compiles and links it.
    pub fn compile(&self, llvm: &Llvm, build: Build, plugin: Option<&Path>, to: &Path) -> Result<()> {
        let mut command = compiler(llvm, &self.source, plugin);
        command.args(build.flags()).arg(&self.source).args(&self.flags);
        child::succeed(command.arg("-o").arg(to))?;
        Ok(())
    }
}

/// A compiler command with what all compiles share. Warnings are errors, and so the plugin must not
/// cause any either. Fine is only that a `simd` loop was not vectorised, since it calls the oracle, and
/// that flags for linking are given to compiles.
pub fn compiler(llvm: &Llvm, source: &Path, plugin: Option<&Path>) -> Command {
    let mut command = child::command(llvm.driver(source));
    // The executable exports the oracle's hook.
    command.args([
        "-fopenmp",
        "-rdynamic",
        "-Wall",
        "-Werror",
        "-Wno-pass-failed",
        "-Wno-unused-command-line-argument",
    ]);
    if let Some(plugin) = plugin {
        command.arg(format!("-fpass-plugin={}", plugin.display()));
    }
    command
}

/// The variables of an `ENV` directive.
pub fn environment(line: &str) -> Result<Vec<(String, String)>> {
    line.split_whitespace()
        .map(|word| {
            let (name, value) = word.split_once('=').with_context(|| format!("ENV: `{word}`"))?;
            Ok((name.to_owned(), value.to_owned()))
        })
        .collect()
}
