//! What an execution of a loop and a chunk take in instructions: callgrind runs a worker on batches that differ in one
//! number, and the difference is what that adds, wherever it is spent. Right on a busy machine too.

use std::io::Write;
use std::path::Path;
use std::process::{Command, Output, Stdio};

use anyhow::{Context, Result};

use super::workers::Workers;
use crate::error::Error;
use crate::results::Instructions;

/// Executions of the short batch, and of the long one. Far more than what differs from start to start comes to.
const FEW: u32 = 2_000;
const MANY: u32 = 42_000;
/// Chunks of an execution where they are many.
const CHUNKS: u32 = 33;

/// Whether valgrind is there.
pub fn find() -> bool {
    let asked = Command::new("valgrind").arg("--version").output();
    asked.is_ok_and(|output| output.status.success())
}

/// Counts a variant; `divided`: the runtime deals a team of one its chunks.
pub fn count(workers: &Workers, variant: usize, divided: bool) -> Result<Instructions> {
    let total = |chunks: u32, executions: u32| {
        let line = format!("batch empty 1 1 {chunks} 0 {executions}");
        run(workers, variant, &line).map(|total| total as f64)
    };
    let few = total(1, FEW)?;
    let execution = (total(1, MANY)? - few) / f64::from(MANY - FEW);
    let chunk = if divided { Some((total(CHUNKS, FEW)? - few) / f64::from(FEW * (CHUNKS - 1))) } else { None };
    Ok(Instructions {
        variant: workers.variants[variant].name.to_owned(),
        execution: rounded(execution),
        chunk: chunk.map(rounded),
    })
}

fn rounded(count: f64) -> f64 {
    (count * 10.0).round() / 10.0
}

/// All instructions of a worker that is told one line.
fn run(workers: &Workers, variant: usize, line: &str) -> Result<u64> {
    // What the recorder writes stays until it has ended.
    let (worker, _trace) = workers.command(variant, 0, "")?;
    let file = workers.path("callgrind.out");
    let output = told(under_valgrind(&worker, &file), line)?;
    let name = workers.variants[variant].name;
    let wrong = |why: String| Error::Run { what: format!("the worker of variant {name} under valgrind"), why };
    let answer = String::from_utf8_lossy(&output.stdout);
    if !output.status.success() || answer.trim().parse::<f64>().is_err() {
        let said = String::from_utf8_lossy(&output.stderr);
        let last = said.lines().next_back().unwrap_or("it said nothing");
        let why = format!("answered `{line}` with {}; {last}", answer.trim());
        return Err(wrong(why).into());
    }
    let counted = std::fs::read_to_string(&file).context("callgrind's output")?;
    Ok(total(&counted).ok_or_else(|| wrong("callgrind wrote no total".into()))?)
}

/// A command, by callgrind.
fn under_valgrind(worker: &Command, counts: &Path) -> Command {
    let mut valgrind = Command::new("valgrind");
    valgrind
        .arg("--tool=callgrind")
        .arg(format!("--callgrind-out-file={}", counts.display()))
        .arg(worker.get_program())
        .args(worker.get_args());
    for (name, value) in worker.get_envs() {
        match value {
            Some(value) => valgrind.env(name, value),
            None => valgrind.env_remove(name),
        };
    }
    valgrind
}

/// What comes of a command that reads one line.
fn told(mut valgrind: Command, line: &str) -> Result<Output> {
    let mut child =
        valgrind.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().context("valgrind")?;
    let input = child.stdin.take().context("a pipe")?;
    // It ends when the pipe does. If it ends before, it says why.
    let _ = { input }.write_all(format!("{line}\n").as_bytes());
    Ok(child.wait_with_output()?)
}

/// The total in callgrind's output.
fn total(counted: &str) -> Option<u64> {
    let of = |name| counted.lines().find_map(|line| line.strip_prefix(name));
    of("totals: ").or(of("summary: "))?.trim().parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn totals() {
        assert_eq!(total("events: Ir\nfn=main\n1 20\ntotals: 20\n"), Some(20));
        assert_eq!(total("summary: 7\nevents: Ir\n"), Some(7));
        assert_eq!(total("events: Ir\ntotals: many\n"), None);
        assert_eq!(total(""), None);
    }
}
