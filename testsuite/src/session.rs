//! One way to run a program, alone or under the oracle.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, ensure};
use regex::Regex;

use crate::child::{self, Finished};
use crate::log::Log;
use crate::oracle::{self, Expected, Verdict};
use crate::runtime::{Attach, Runtime};
use crate::schedules;

#[derive(Debug, Clone)]
pub struct Session {
    pub runtime: Runtime,
    pub threads: u32,
    pub environment: Vec<(String, String)>,
    /// How libraries come into the process.
    pub attach: Attach,
    pub arguments: Vec<String>,
    pub log: PathBuf,
}

impl Session {
    /// On `runtime` with `threads` threads, and nothing special.
    pub fn new(runtime: &Runtime, threads: u32, dir: &Path) -> Session {
        Session {
            runtime: runtime.clone(),
            threads,
            environment: Vec::new(),
            attach: Attach::ToolLibraries,
            arguments: Vec::new(),
            log: dir.join("oracle.log"),
        }
    }

    /// What the program prints with these libraries attached. A failure, or a word on standard error, is an error.
    pub fn run(&self, program: &Path, libraries: &[&Path]) -> Result<String> {
        output(&mut self.command(program, libraries))
    }

    /// Runs under the oracle, which must be among the libraries or linked; any violation of `expected` is an error.
    pub fn observe(&self, program: &Path, libraries: &[&Path], expected: &Expected) -> Result<(String, Verdict)> {
        // The log of an earlier run must not be taken for this one's.
        let _ = std::fs::remove_file(&self.log);
        let mut command = self.command(program, libraries);
        command.env("ORACLE_LOG", &self.log).env("ORACLE_EVENTS", expected.events());
        let output = output(&mut command)?;
        let text = std::fs::read_to_string(&self.log).context("the oracle wrote no log")?;
        let verdict = oracle::judge(&Log::parse(&text)?, expected);
        let violations = &verdict.violations;
        ensure!(
            violations.is_empty(),
            "registered {}: {} violations, the first of them:\n{}{command:?}",
            expected.events(),
            violations.len(),
            violations.iter().take(5).map(|v| format!("  {v}\n")).collect::<String>(),
        );
        Ok((output, verdict))
    }

    pub fn command(&self, program: &Path, libraries: &[&Path]) -> Command {
        let mut command = self.runtime.command(program, self.threads);
        command.args(&self.arguments).envs(self.environment.iter().map(|(name, value)| (name, value)));
        if !libraries.is_empty() {
            self.attach.apply(&mut command, libraries);
        }
        command
    }
}

fn output(command: &mut Command) -> Result<String> {
    let finished = child::finish(command)?;
    said(command, finished)
}

/// What it printed. A failure, or a word on standard error, is an error.
pub fn said(command: &Command, finished: Finished) -> Result<String> {
    let finished = child::successful(command, finished)?;
    let mut said = finished.stderr.lines();
    ensure!(said.all(schedules::is_expected), "{command:?}\nprinted on stderr:\n{}", finished.stderr);
    Ok(finished.stdout)
}

/// The runs per loop that the program's reports name.
pub fn printed_runs(output: &str) -> BTreeMap<u64, u64> {
    let report = Regex::new(r"(?m)^loop (\d+): (\d+) runs").expect("a regex");
    let mut runs = BTreeMap::new();
    for found in report.captures_iter(output) {
        let number = |at: usize| found[at].parse::<u64>().expect("digits");
        if number(2) > 0 {
            *runs.entry(number(1)).or_default() += number(2);
        }
    }
    runs
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn printed_runs_add_up() {
        let output = "loop 1: 3 runs, 0 twice\nother\nloop 2: 0 runs\nloop 1: 4 runs\n";
        assert_eq!(printed_runs(output), [(1, 7)].into());
    }
}
