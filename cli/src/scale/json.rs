//! The JSON form, which `docs/scaling.md` documents: fields may be added within a version.

use anyhow::Result;
use serde::Serialize;
use serde_json::Value;

use super::found::{Found, Judged, LoopFound};
use super::text::Head;
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
    loops_together: Option<&'a Judged>,
    loops: &'a [LoopFound],
}

/// All that is known.
pub fn value(head: &Head<'_>, found: &Found) -> Result<Value> {
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
        loops_together: found.together.as_ref(),
        loops: &found.loops,
    })?)
}
