//! The JSON form, which `docs/scaling.md` documents: fields may be added within a version.

use anyhow::Result;
use ompchunk_analysis::Identity;
use serde::Serialize;
use serde_json::Value;

use super::curve::{Curve, Point, Unit};
use super::found::{Found, LoopFound};
use super::text::Head;
use super::verdict::Verdict;
use super::whole::RunPoint;

/// Version of the JSON form.
const VERSION: u32 = 1;

#[derive(Serialize)]
struct All<'a> {
    schema: &'static str,
    version: u32,
    command: &'a str,
    processors: u32,
    runs: usize,
    threads: &'a [u32],
    notes: &'a [String],
    run: &'a [RunPoint],
    /// Why the processor's counters could not be read.
    no_counters: Option<&'a str>,
    loops_together: Option<Together<'a>>,
    loops: Vec<Loop<'a>>,
}

#[derive(Serialize)]
struct Together<'a> {
    teams: &'a [Point],
    compared_by: Unit,
    verdict: Option<&'a Verdict>,
}

#[derive(Serialize)]
struct Loop<'a> {
    name: &'a str,
    #[serde(flatten)]
    identity: &'a Identity,
    /// The largest share of a run that it takes.
    run_share: Option<f64>,
    #[serde(flatten)]
    together: Together<'a>,
    notes: &'a [String],
}

impl<'a> Together<'a> {
    fn of(curve: &'a Curve, verdict: Option<&'a Verdict>) -> Self {
        Together { teams: &curve.points, compared_by: curve.unit, verdict }
    }
}

impl<'a> Loop<'a> {
    fn of(loop_found: &'a LoopFound) -> Self {
        Loop {
            name: &loop_found.name,
            identity: &loop_found.identity,
            run_share: loop_found.share,
            together: Together::of(&loop_found.curve, loop_found.verdict.as_ref()),
            notes: &loop_found.remarks,
        }
    }
}

/// All that is known.
pub fn value(head: &Head<'_>, found: &Found) -> Result<Value> {
    let together = found.together.as_ref();
    Ok(serde_json::to_value(All {
        schema: "ompchunk-scale",
        version: VERSION,
        command: head.command,
        processors: head.processors,
        runs: head.rounds,
        threads: &head.asked,
        notes: head.notes,
        run: &found.run,
        no_counters: head.no_counters,
        loops_together: together.map(|together| Together::of(together, found.verdict.as_ref())),
        loops: found.loops.iter().map(Loop::of).collect(),
    })?)
}
