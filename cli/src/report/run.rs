//! The run as a whole, in a few sentences. All of it is time that passed, of several processes the mean.

use std::fmt::{self, Write as _};

use ompchunk_analysis::Report;
use ompchunk_analysis::run::LEFT_OUT;

use super::causes::length;
use super::units::{percent, time};

/// What came before the recording is said where it is so much of the run.
const LONG: f64 = 0.02;

/// Executions were left out because somebody asked for it.
pub fn is_part(report: &Report) -> bool {
    report.notes.iter().any(|note| note.code == LEFT_OUT)
}

/// What is known of it; nothing if that is nothing.
pub fn write(report: &Report, to: &mut String) -> fmt::Result {
    let run = &report.run;
    if run.seconds <= 0.0 {
        return Ok(());
    }
    let length = length(report);
    let share = |seconds: f64| percent(seconds / length);
    let of = |seconds: f64| format!("{} ({})", time(seconds), share(seconds));
    let base = match run.processes {
        1 => time(length),
        all => format!("{} elapsed, the mean of {all} processes", time(length)),
    };
    let before = run.before_seconds.unwrap_or(0.0);
    let until = match before >= LONG * length {
        true => format!(", {} of it before the recording began", time(before)),
        false => String::new(),
    };
    let regions = run.serial_seconds.zip(run.parallel_seconds);
    let regions = regions.map(|(serial, parallel)| {
        format!("{} serial{until}, {} in parallel regions", of(serial + before), of(parallel))
    });
    let has_sections = report.loops.iter().any(|the_loop| the_loop.identity.is_sections());
    let which = match (is_part(report), has_sections) {
        (true, _) => "in the loops that were recorded",
        (false, true) => "in loops and sections",
        (false, false) => "in loops",
    };
    let loops = run.loop_seconds.map(|loop_seconds| format!("{} {which}", of(loop_seconds)));
    let shares: Vec<String> = regions.into_iter().chain(loops).collect();
    match shares.is_empty() {
        true => writeln!(to, "run: {base}; its shares were not measured")?,
        false => writeln!(to, "run: {base}; {}", shares.join("; "))?,
    }
    let lost = run.lost_seconds.zip(run.imbalance_seconds);
    let Some((lost, gain)) = lost.filter(|_| !report.loops.is_empty()) else {
        return Ok(());
    };
    writeln!(to, "loops lose {} of the run; perfect balance of all would save {}", of(lost), of(gain))
}
