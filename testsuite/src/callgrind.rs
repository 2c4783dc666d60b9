//! Instruction counts of functions, by valgrind's callgrind. Parsing is pure.

use std::collections::BTreeMap;
use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result};

use crate::child;
use crate::suite::Missing;

/// By function: instructions in it and in what it called, summed over all its calls and all threads.
pub type Counts = BTreeMap<String, u64>;

/// Whether valgrind is there.
pub fn find() -> Result<(), Missing> {
    match Command::new("valgrind").arg("--version").output() {
        Ok(output) if output.status.success() => Ok(()),
        _ => Err(Missing(
            "valgrind is not installed: apt-get install valgrind".into(),
        )),
    }
}

/// Runs a program under callgrind; the command's environment is kept.
pub fn count(command: &Command, dir: &Path) -> Result<Counts> {
    let file = dir.join("callgrind.out");
    let mut valgrind = child::command("valgrind");
    valgrind.args([
        "--tool=callgrind",
        "--compress-strings=no",
        "--compress-pos=no",
    ]);
    valgrind.arg(format!("--callgrind-out-file={}", file.display()));
    valgrind.arg(command.get_program()).args(command.get_args());
    for (name, value) in command.get_envs() {
        match value {
            Some(value) => valgrind.env(name, value),
            None => valgrind.env_remove(name),
        };
    }
    child::succeed(&mut valgrind)?;
    parse(&std::fs::read_to_string(&file).context("callgrind's output")?)
}

/// Sums the cost lines below each `fn=`: a call's line holds everything that was called.
fn parse(text: &str) -> Result<Counts> {
    let mut counts = Counts::new();
    let mut function = None;
    for line in text.lines() {
        if let Some(name) = line.strip_prefix("fn=") {
            function = Some(name.to_owned());
        } else if line.starts_with(|c: char| c.is_ascii_digit())
            && let Some(name) = &function
        {
            let cost = line.split_whitespace().nth(1).context("a cost line")?;
            let cost: u64 = cost.parse().with_context(|| line.to_owned())?;
            *counts.entry(name.clone()).or_default() += cost;
        }
    }
    Ok(counts)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn calls_count_for_the_caller() {
        let text = "events: Ir\n\nfl=a.c\nfn=main\n16 400\ncfn=f\ncalls=2 50\n16 1000\n17 5\n\n\
                    fn=f\n51 1000\n\nfn=main\n18 1\ntotals: 1406\n";
        let counts = parse(text).unwrap();
        assert_eq!(counts["main"], 1406);
        assert_eq!(counts["f"], 1000);
        assert!(parse("fn=f\n1 x\n").is_err());
    }
}
