//! A program of the run tests: its directives, and its builds.
//!
//! Beside those of [`crate::facts`]; by default it runs with teams of 1, 2, 3 and 7 threads:
//!
//! | directive | meaning |
//! |---|---|
//! | `LOOPS: n` | loops in the file, all of which the plugin instruments; required |
//! | `OLDEST: major` | older clangs get it wrong by themselves, as `docs/coverage.md` says |
//! | `MATRIX: full` | build it in every way ([`crate::matrix`]) |

use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result, bail};

use crate::facts::{Facts, sources};
use crate::matrix::{self, Build};
use crate::toolchain::{self, Llvm};
use crate::{child, dist};

/// A source file of `run/`.
#[derive(Debug, Clone)]
pub struct Program {
    pub name: String,
    pub facts: Facts,
    /// How many loops the plugin instruments.
    pub loops: usize,
    oldest: u32,
    full_matrix: bool,
}

impl Program {
    pub fn read(source: &Path) -> Result<Program> {
        let (facts, directives) = Facts::read(source, &["LOOPS", "OLDEST", "MATRIX"], &[1, 2, 3, 7])?;
        let [loops] = directives.words("LOOPS")?[..] else {
            bail!("{}: one LOOPS directive is required", source.display());
        };
        Ok(Program {
            name: source.file_stem().context("a file")?.to_string_lossy().into_owned(),
            facts,
            loops,
            oldest: directives.words("OLDEST")?.first().copied().unwrap_or(0),
            full_matrix: directives.one("MATRIX") == Some("full"),
        })
    }

    /// All programs of `run/`, by name.
    pub fn all() -> Result<Vec<Program>> {
        let sources = sources(&dist::testsuite().join("run"), &["c", "cpp"])?;
        sources.iter().map(|source| Program::read(source)).collect()
    }

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

    pub fn compile(&self, llvm: &Llvm, build: Build, plugin: Option<&Path>, to: &Path) -> Result<()> {
        let mut command = compiler(llvm, &self.facts.source, plugin);
        command.args(build.flags()).arg(&self.facts.source).args(&self.facts.flags);
        child::succeed(command.arg("-o").arg(to))?;
        Ok(())
    }
}

/// A compiler command with what all compiles share. Warnings are errors, and so the plugin must not cause any either. Fine is only that a `simd` loop
/// was not vectorised, since it calls the oracle, and that flags for linking are given to compiles.
pub fn compiler(llvm: &Llvm, source: &Path, plugin: Option<&Path>) -> Command {
    let mut command = child::command(llvm.driver(source));
    // The executable exports the oracle's hook.
    command
        .args(["-fopenmp", "-rdynamic", "-Wall", "-Werror", "-Wno-pass-failed", "-Wno-unused-command-line-argument"]);
    if let Some(plugin) = plugin {
        command.arg(format!("-fpass-plugin={}", plugin.display()));
    }
    command
}
