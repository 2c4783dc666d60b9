//! `--html`: one file with everything in it. The script draws from data that the analysis has already binned.

use std::path::Path;

use anyhow::Result;
use ompchunk_advice::LoopAdvice;
use ompchunk_analysis::hot::Hot;
use ompchunk_analysis::{Analysis, Curve, LoopReport, Pictures, Report};
use ompchunk_trace_format::Part;
use serde::Serialize;
use serde_json::Value;

use super::account;
use super::between::Between;
use super::open::progress;
use super::profiles::{PICTURES, curves, forecasts, hot_lines};
use super::units::{place, schedule};
use super::verdict::{Loss, Verdict, matters};
use crate::output;
use crate::signature::short;

const FRAME: &str = include_str!("page/page.html");
const STYLE: &str = include_str!("page/page.css");
/// In an order in which each finds what it needs when it runs; the last one begins.
const SCRIPTS: [&str; 14] = [
    include_str!("page/axis.js"),
    include_str!("page/palette.js"),
    include_str!("page/draw.js"),
    include_str!("page/timeline.js"),
    include_str!("page/chunks.js"),
    include_str!("page/profile.js"),
    include_str!("page/whatif.js"),
    include_str!("page/ranks.js"),
    include_str!("page/tables.js"),
    include_str!("page/numbers.js"),
    include_str!("page/tasks.js"),
    include_str!("page/openacc.js"),
    include_str!("page/first.js"),
    include_str!("page/page.js"),
];

/// Loops of which a page has numbers.
pub const LOOPS: usize = 500;
/// Numbers beyond this are not exact in a browser: they become texts.
const EXACT: u64 = 1 << 53;

#[derive(Serialize)]
struct Data<'a> {
    title: String,
    between: Option<Between>,
    verdict: Verdict,
    account: String,
    report: &'a Report,
    pictures: Vec<Pictures>,
    /// Of the same loops, as is what follows.
    curves: Vec<Option<Curve>>,
    hot: Vec<Option<Hot>>,
    forecasts: Vec<LoopAdvice>,
    /// Of all loops that the page has.
    labels: Vec<Label>,
    left_out: usize,
    columns: usize,
    rows: usize,
}

#[derive(Serialize)]
struct Label {
    place: String,
    schedule: String,
    lost: Option<f64>,
    lost_share: Option<f64>,
    least: bool,
    matters: bool,
}

impl Label {
    fn for_loop(report: &Report, loop_report: &LoopReport) -> Label {
        let loss = Loss::from_loop(report, loop_report);
        Label {
            place: place(loop_report),
            schedule: schedule(loop_report),
            lost: loss.map(|loss| loss.seconds),
            lost_share: loss.and_then(|loss| loss.share),
            least: loss.is_some_and(|loss| loss.least),
            matters: matters(report, loop_report),
        }
    }
}

pub fn write(to: &Path, analysis: &Analysis, found: &mut Report, parts: &[&Part]) -> Result<()> {
    let loops: Vec<&LoopReport> = found.loops.iter().take(PICTURES).collect();
    let pictures = analysis.pictures(&loops, &progress(parts))?;
    let curves = curves(analysis, found, parts)?;
    let hot = hot_lines(analysis, found)?;
    let forecasts = forecasts(analysis, found, parts)?;
    let mut shown = found.clone();
    let left_out = shown.loops.len().saturating_sub(LOOPS);
    shown.loops.truncate(LOOPS);
    let title = match shown.parts.first() {
        Some(part) if !part.command.is_empty() => part.command.join(" "),
        Some(part) => part.file.clone(),
        None => "ompchunk report".to_owned(),
    };
    let mut verdict = Verdict::from_report(found).with(found, &forecasts);
    // In another order than that of what they lose, a loop may be named that is not in the page.
    verdict.loops.retain(|the_loop| the_loop.at < shown.loops.len());
    let mut between = Between::from_report(found);
    if let Some(between) = &mut between {
        between.loops.retain(|the_loop| the_loop.at < shown.loops.len());
    }
    let data = Data {
        title,
        between,
        verdict,
        account: account::sentence(found).unwrap_or_default(),
        labels: shown.loops.iter().map(|the_loop| Label::for_loop(&shown, the_loop)).collect(),
        report: &shown,
        pictures,
        curves,
        hot,
        forecasts,
        left_out,
        columns: ompchunk_analysis::COLUMNS,
        rows: ompchunk_analysis::ROWS,
    };
    let mut value = serde_json::to_value(data)?;
    exact(&mut value);
    // Nothing in it ends the script element that it stands in, or begins a comment there.
    let json = serde_json::to_string(&value)?.replace('<', "\\u003c");
    let page = FRAME.replace("/*STYLE*/", STYLE).replace("/*SCRIPT*/", &SCRIPTS.concat()).replace("/*DATA*/", &json);
    output::write_page(to, &page)
}

/// What a browser can show: exact numbers, short names of functions.
fn exact(value: &mut Value) {
    match value {
        Value::Number(number) => {
            let large = number.as_u64().is_some_and(|number| number > EXACT)
                || number.as_i64().is_some_and(|number| number.unsigned_abs() > EXACT);
            if large {
                *value = Value::String(number.to_string());
            }
        }
        Value::Array(all) => all.iter_mut().for_each(exact),
        Value::Object(all) => {
            all.values_mut().for_each(exact);
            if let Some(Value::String(function)) = all.get_mut("function") {
                *function = short(function);
            }
        }
        _ => {}
    }
}
