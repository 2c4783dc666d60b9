//! What a profile tells: what iterations cost, for the report's JSON form and for the page, and what other schedules would make of
//! loops, for the page. Reads the trace anew for each, where it has a profile.

use anyhow::Result;
use ompchunk_advice::LoopAdvice;
use ompchunk_analysis::hot::Hot;
use ompchunk_analysis::{Analysis, Curve, LoopReport, Report};
use ompchunk_trace_format::Part;

use super::open::bar;
use super::page::PICTURES;
use super::verdict::matters;
use crate::advise::forecast::{self, Asked};
use crate::output;

/// Curves of the report's first loops, as many as have pictures; none of a trace without a profile.
pub fn curves(analysis: &Analysis<'_>, found: &Report, parts: &[&Part]) -> Result<Vec<Option<Curve>>> {
    if !analysis.has_profile() {
        return Ok(Vec::new());
    }
    let some = found.loops.len().min(PICTURES);
    let loops: Vec<&LoopReport> = found.loops[..some].iter().collect();
    let bar = bar(parts);
    let curves = analysis.curves(&loops, &|bytes| bar.inc(bytes))?;
    bar.finish_and_clear();
    Ok(curves)
}

/// What other schedules would make of those of the same loops that matter: to simulate one takes half a second.
pub fn forecasts(analysis: &Analysis<'_>, found: &Report, parts: &[&Part]) -> Result<Vec<LoopAdvice>> {
    if !analysis.has_profile() {
        return Ok(Vec::new());
    }
    let first = found.loops.iter().take(PICTURES);
    let some: Vec<&LoopReport> = first.filter(|loops| matters(found, loops)).collect();
    let bar = bar(parts);
    let asked = Asked::default();
    let forecast = forecast::forecasts(analysis, &some, &found.loops, parts, &asked, &|bytes| {
        bar.inc(bytes);
    });
    bar.finish_and_clear();
    let forecast = forecast?;
    for note in forecast.old.into_iter().chain(forecast.note) {
        output::notice(&note);
    }
    Ok(forecast.loops)
}

/// The report with what iterations cost, and where in loops the time goes.
pub fn json(found: &Report, curves: &[Option<Curve>], hot: &[Option<Hot>]) -> Result<String> {
    if curves.is_empty() && hot.is_empty() {
        return Ok(serde_json::to_string_pretty(found)? + "\n");
    }
    let mut value = serde_json::to_value(found)?;
    for (at, curve) in curves.iter().enumerate() {
        value["loops"][at]["profile"] = serde_json::to_value(curve)?;
    }
    for (at, hot) in hot.iter().enumerate() {
        value["loops"][at]["hot_lines"] = serde_json::to_value(hot)?;
    }
    Ok(serde_json::to_string_pretty(&value)? + "\n")
}
