//! What iterations cost, for the report's JSON form and for the page. Reads the trace a second time, where it has a profile.

use anyhow::Result;
use ompchunk_analysis::{Analysis, Curve, LoopReport, Report};
use ompchunk_trace_format::Part;

use super::page::PICTURES;
use super::progress;

/// Of the first loops of the report, as many as have pictures; none of a trace without a profile.
pub fn of(analysis: &Analysis<'_>, found: &Report, parts: &[&Part]) -> Result<Vec<Option<Curve>>> {
    if !analysis.has_profile() {
        return Ok(Vec::new());
    }
    let some = found.loops.len().min(PICTURES);
    let loops: Vec<&LoopReport> = found.loops[..some].iter().collect();
    let bar = progress::bar(parts);
    let curves = analysis.curves(&loops, &|bytes| bar.inc(bytes))?;
    bar.finish_and_clear();
    Ok(curves)
}

/// The report with them.
pub fn json(found: &Report, curves: &[Option<Curve>]) -> Result<String> {
    if curves.is_empty() {
        return Ok(serde_json::to_string_pretty(found)? + "\n");
    }
    let mut value = serde_json::to_value(found)?;
    for (at, curve) in curves.iter().enumerate() {
        value["loops"][at]["profile"] = serde_json::to_value(curve)?;
    }
    Ok(serde_json::to_string_pretty(&value)? + "\n")
}
