//! What `ompchunk advise` says of a loop.

use std::path::Path;

use anyhow::{Context, Result, ensure};
use serde::Deserialize;

use super::shop::Shop;
use crate::plan::corpus::Program;
use crate::results::stats::Interval;

/// All of it.
#[derive(Debug, Deserialize)]
struct Told {
    loops: Vec<Loop>,
}

/// A loop; what else is said of it is not needed here.
#[derive(Debug, Default, Deserialize)]
pub struct Loop {
    file: String,
    line: u32,
    /// How often it ran.
    pub executions: Option<u64>,
    /// What all of them took.
    pub seconds_now: Option<Interval>,
    /// The schedule to write; `None`: leave it.
    pub advice: Option<String>,
    /// Why.
    pub reason: Option<String>,
    /// It has none, and no prediction without one.
    #[serde(default)]
    needs_profile: bool,
    /// All that were looked at.
    #[serde(default)]
    pub candidates: Vec<Candidate>,
    /// Blocks of equal cost, which no clause gives.
    #[serde(default)]
    balanced: Option<Candidate>,
}

/// Another schedule.
#[derive(Debug, Deserialize)]
pub struct Candidate {
    /// As `OMPCHUNK_SCHEDULE` has it.
    pub schedule: String,
    /// To the schedule as it is.
    pub predicted_ratio: Option<Interval>,
}

impl Loop {
    /// With blocks of equal cost as the only candidate, if anything is predicted of them.
    pub fn in_blocks(self) -> Loop {
        Loop { candidates: self.balanced.into_iter().collect(), balanced: None, advice: None, reason: None, ..self }
    }

    /// One of which nothing is predicted.
    pub fn of(schedules: &[String]) -> Loop {
        let candidate = |schedule: &String| Candidate { schedule: schedule.clone(), predicted_ratio: None };
        Loop { candidates: schedules.iter().map(candidate).collect(), ..Loop::default() }
    }
}

/// Records a program with its profile and asks what to do about its loop.
pub fn ask(shop: &Shop, program: &Program, compiled: &Path, runtime: usize) -> Result<Loop> {
    let trace = shop.path("profile");
    let options = ["--profile".into()];
    shop.record(program, compiled, runtime, &trace, &options, &[])?;
    find(&shop.advise(&trace, runtime)?, program)
}

fn find(text: &str, program: &Program) -> Result<Loop> {
    let told: Told = serde_json::from_str(text).context("what ompchunk advise --json says")?;
    let is_marked = |told: &Loop| {
        let name = Path::new(&told.file).file_name();
        told.line == program.line() && name == Some(program.file.as_ref())
    };
    let count = told.loops.len();
    let mut found: Vec<Loop> = told.loops.into_iter().filter(is_marked).collect();
    let what = program.pattern();
    ensure!(found.len() == 1, "ompchunk advise knows {} loops, of which {} at {what}", count, found.len());
    let found = found.remove(0);
    let why = found.reason.as_deref().unwrap_or("no reason");
    ensure!(!found.needs_profile, "{what} has no profile: {why}");
    ensure!(!found.candidates.is_empty(), "ompchunk advise has no candidates for {what}");
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plan::corpus;

    #[test]
    fn finds_the_loop_that_is_marked() {
        let program = corpus::chosen(&["stencil".into()]).unwrap()[0];
        let of = |line: u32, candidates: &str| {
            format!(
                r#"{{"threads":2,"loops":[{{"file":"/a/stencil.c","line":3,"candidates":[]}},
                {{"file":"./stencil.c","line":{line},"function":"step","now":"static","executions":200,
                "seconds_now":{{"low":0.001,"middle":0.002,"high":0.003}},"advice":null,"reason":"balanced",
                "predicted_seconds":null,"candidates":[{candidates}]}}]}}"#
            )
        };
        let one = r#"{"schedule":"dynamic,4","predicted_seconds":{"low":1,"middle":1,"high":1},
            "predicted_ratio":{"low":0.9,"middle":1.0,"high":1.1}}"#;
        let found = find(&of(program.line(), one), program).unwrap();
        assert_eq!(found.executions, Some(200));
        assert_eq!(found.candidates[0].predicted_ratio.unwrap().high, 1.1);
        assert!(found.advice.is_none());
        let without = of(program.line(), one).replace("\"now\"", "\"needs_profile\":true,\"now\"");
        let error = find(&without, program).unwrap_err().to_string();
        assert!(error.contains("stencil.c:8 has no profile: balanced"), "{error}");
        for wrong in [of(99, one), of(program.line(), ""), "{}".into(), "no".into()] {
            assert!(find(&wrong, program).is_err(), "{wrong}");
        }
    }
}
