//! What profiles and sampled stacks tell. Reads the trace anew for each, where it has that.

use anyhow::Result;
use ompchunk_advice::LoopAdvice;
use ompchunk_analysis::hot::{Hot, HotLine, HotLines};
use ompchunk_analysis::{Analysis, Curve, LoopReport, Report};
use ompchunk_trace_format::Part;

use super::open::progress;
use super::units::{count, counted, percent, time};
use super::verdict::matters;
use crate::advise::forecast;
use crate::args::Advise;
use crate::output;
use crate::prose::wrapped;
use crate::signature::short;
use crate::table::{Field, printable, render};

/// Loops of which a page has pictures, and JSON has profiles: the first of the list, or those that were asked for.
pub const PICTURES: usize = 20;
const LINES: usize = 8;

pub fn curves(analysis: &Analysis<'_>, found: &Report, parts: &[&Part]) -> Result<Vec<Option<Curve>>> {
    if !analysis.has_profile() {
        return Ok(Vec::new());
    }
    let loops: Vec<&LoopReport> = found.loops.iter().take(PICTURES).collect();
    Ok(analysis.curves(&loops, &progress(parts))?)
}

/// Of those of the first loops that matter: to simulate one takes half a second.
pub fn forecasts(analysis: &Analysis<'_>, found: &Report, parts: &[&Part]) -> Result<Vec<LoopAdvice>> {
    if !analysis.has_profile() {
        return Ok(Vec::new());
    }
    let some: Vec<&LoopReport> = found.loops.iter().take(PICTURES).filter(|loops| matters(found, loops)).collect();
    let forecast = forecast::forecasts(analysis, &some, &found.loops, parts, &Advise::default(), &progress(parts))?;
    forecast.notes.iter().for_each(output::notice);
    Ok(forecast.loops)
}

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

/// Of the first loops; what they and the stacks of serial code say goes into the report. The user is told what is missing.
pub fn hot_lines(analysis: &Analysis<'_>, found: &mut Report) -> Result<Vec<Option<Hot>>> {
    if !analysis.has_stacks() {
        return Ok(Vec::new());
    }
    let loops: Vec<&LoopReport> = found.loops.iter().take(PICTURES).collect();
    let HotLines { loops, serial, notes } = analysis.hot_lines(&loops)?;
    found.run.serial_functions = serial;
    for (the_loop, hot) in found.loops.iter_mut().zip(&loops) {
        hot.iter().for_each(|hot| the_loop.with_hot(hot));
    }
    notes.iter().for_each(output::notice);
    Ok(loops)
}

pub fn hot_text(hot: &Hot, width: Option<usize>) -> String {
    let mut prose =
        format!("  hot lines, from {} in {} of thread time", counted(hot.samples, "sample"), time(hot.seconds));
    if hot.unsampled_seconds > 0.0 {
        prose += &format!("; in {} of it no sample was taken", time(hot.unsampled_seconds));
    }
    let row = |hot_line: &HotLine| {
        let [low, high] = hot_line.between;
        let name = hot_line.file.as_deref().map(|file| file.rsplit('/').next().unwrap_or(file));
        let line = match name {
            Some(name) if hot_line.line > 0 => format!("{name}:{}", hot_line.line),
            name => name.unwrap_or("not known").to_owned(),
        };
        vec![
            Field::number("share", 0, percent(hot_line.share)),
            Field::number("95 %", 2, format!("{:.0}–{:.0} %", low * 100.0, high * 100.0)),
            Field::number("samples", 3, count(hot_line.samples)),
            Field::text("line", 0, printable(&line)),
            Field::text("function", 1, printable(&short(hot_line.function.as_deref().unwrap_or("not known")))),
        ]
    };
    let rows: Vec<Vec<Field>> = hot.lines.iter().take(LINES).map(row).collect();
    let mut text = format!("\n{}", wrapped(&(prose + "\n"), width));
    text += &render(&rows, 2, width);
    if hot.lines.len() > LINES {
        text += &format!("  {}: --json has all\n", counted((hot.lines.len() - LINES) as u64, "more line"));
    }
    text
}
