//! Figures and cells in words. Pure.

use crate::results::stats::Interval;
use crate::results::{Cell, Unit};

/// As many digits as are worth reading.
pub fn number(value: f64) -> String {
    match value.abs() {
        size if !value.is_finite() || size == 0.0 => value.to_string(),
        size if size < 10.0 => format!("{value:.2}"),
        size if size < 100.0 => format!("{value:.1}"),
        _ => format!("{value:.0}"),
    }
}

/// A ratio with its interval.
pub fn ratio(of: Interval) -> String {
    let digits = if of.estimate < 2.0 { 3 } else { 1 };
    if of.low.is_finite() && of.high.is_finite() {
        format!(
            "{:.digits$} [{:.digits$}, {:.digits$}]",
            of.estimate, of.low, of.high
        )
    } else {
        format!("{:.digits$} [?]", of.estimate)
    }
}

/// A difference with its interval.
pub fn signed(of: Interval) -> String {
    format!("{:+.2} [{:+.2}, {:+.2}]", of.estimate, of.low, of.high)
}

/// More than the base, in per cent.
pub fn percent(of: Interval) -> String {
    let of = of.map(|ratio| 100.0 * (ratio - 1.0));
    if of.low.is_finite() && of.high.is_finite() {
        format!("{:+.1} [{:+.1}, {:+.1}] %", of.estimate, of.low, of.high)
    } else {
        format!("{:+.1} [?] %", of.estimate)
    }
}

/// Loops of a schedule with chunks of different sizes, which cells call `body_kind` where there are several bodies.
pub fn loops_of(body: &str) -> String {
    match body.split_once('_') {
        Some((body, kind)) => format!("`schedule({kind}, chunk)`, body `{body}`"),
        None => format!("`schedule({body}, chunk)`"),
    }
}

/// A cell's name.
pub fn name_of(cell: &Cell) -> String {
    let threads = if cell.threads == 1 {
        "thread"
    } else {
        "threads"
    };
    match cell.unit {
        Unit::Loop => format!("a loop of one chunk per thread, {} {threads}", cell.threads),
        Unit::Chunk | Unit::Schedule => format!(
            "{}, chunk {}, {} {threads}",
            cell.body, cell.chunk, cell.threads
        ),
        Unit::Task => format!("{} tasks, {} {threads}", cell.chunk, cell.threads),
        Unit::Run => cell.body.clone(),
    }
}

/// Text for HTML, also within quotes.
pub fn escaped(text: &str) -> String {
    text.replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
        .replace('"', "&quot;")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn digits() {
        let all = [0.123, 12.34, 1234.5, f64::NAN].map(number);
        assert_eq!(all, ["0.12", "12.3", "1234", "NaN"]);
    }
}
