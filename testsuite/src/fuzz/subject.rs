//! What the fuzzer judges, whatever it draws, and what can come of it.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result};

use super::ast::Language;
use super::build;
use super::config::Config;
use crate::dist;
use crate::session::Session;

/// What went wrong. While a case is made smaller, this must stay the same.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, thiserror::Error)]
pub enum Kind {
    #[error("does not compile, without the plugin")]
    StockCompile,
    #[error("does not run to its end, without the plugin")]
    StockRun,
    #[error("does not run its iterations, without the plugin")]
    StockResult,
    #[error("does not compile with the plugin")]
    Compile,
    #[error("has another number of instrumented loops than it should")]
    Records,
    #[error("differs with the plugin, without the shim")]
    Unattached,
    #[error("differs with plugin, shim and oracle")]
    Attached,
    #[error("has events that are not exact")]
    Events,
    #[error("differs under another schedule")]
    Changed,
    /// Its fault: no space, no permission.
    #[error("could not be judged")]
    Machine,
}

impl Kind {
    /// ompchunk has no part in it.
    pub fn is_stock(self) -> bool {
        matches!(self, Kind::StockCompile | Kind::StockRun | Kind::StockResult)
    }
}

#[derive(Debug)]
pub struct Failure {
    pub kind: Kind,
    pub message: String,
}

/// What a case that passed had to offer.
#[derive(Debug, Default, Clone, Copy)]
pub struct Counts {
    /// Static loops in its text.
    pub loops: u64,
    /// Executed chunks whose events were compared with the iterations.
    pub chunks: u64,
    /// Iterations that the oracle saw.
    pub iterations: u64,
    pub changed: u64,
    /// Loops that ran under another schedule than their own, by what the shim said.
    pub changed_loops: u64,
}

/// How much is asked of a case.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Depth {
    Whole,
    /// Whether it does under other schedules what it does as compiled, and what the generator computed: a third of the time. What
    /// fails is judged whole, which tells whose fault it is. Every second program relies on which thread runs which iteration.
    Schedules,
    /// The same of programs that do, alone.
    Promises,
}

/// What the fuzzer draws, judges, and makes smaller.
pub trait Subject: Clone {
    fn judge_as(&self, depth: Depth, dir: &Path) -> Result<Counts, Failure>;
    /// Everything one step simpler, large steps first.
    fn simpler(&self) -> Vec<Self>;
    /// With what it is compiled, and where it runs.
    fn config(&self) -> &Config;
    fn language(&self) -> Language;
    fn text(&self) -> String;
    fn session(&self, dir: &Path) -> Session;

    fn write(&self, dir: &Path) -> Result<PathBuf> {
        let source = dir.join(match self.language() {
            Language::C => "program.c",
            Language::Fortran => "program.f90",
        });
        std::fs::write(&source, self.text()).with_context(|| source.display().to_string())?;
        Ok(source)
    }

    /// The program with the plugin, and what it prints without the shim.
    fn instrumented(&self, dir: &Path) -> Result<(PathBuf, String), Failure> {
        let source = self.write(dir).blame(Kind::Machine)?;
        let program = dir.join("instrumented");
        let plugin = dist::plugin(self.config().llvm.major).blame(Kind::Machine)?;
        build::build(self.config(), &source, Some(&plugin), &program).blame(Kind::Compile)?;
        let right = self.session(dir).run(&program, &[]).blame(Kind::Unattached)?;
        Ok((program, right))
    }
}

/// Says what kind of failure an error is.
pub trait Blame<T> {
    fn blame(self, kind: Kind) -> Result<T, Failure>;
}

impl<T> Blame<T> for Result<T> {
    fn blame(self, kind: Kind) -> Result<T, Failure> {
        self.map_err(|error| Failure { kind, message: format!("{error:#}") })
    }
}
