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
    let digits = if of.middle < 2.0 { 3 } else { 1 };
    let Interval { low, middle, high } = of;
    match low.is_finite() && high.is_finite() {
        true => format!("{middle:.digits$} [{low:.digits$}, {high:.digits$}]"),
        false => format!("{middle:.digits$} [?]"),
    }
}

/// A difference with its interval.
pub fn signed(Interval { low, middle, high }: Interval) -> String {
    format!("{middle:+.2} [{low:+.2}, {high:+.2}]")
}

/// More than the base, in per cent.
pub fn percent(of: Interval) -> String {
    let Interval { low, middle, high } = of.map(|ratio| 100.0 * (ratio - 1.0));
    match low.is_finite() && high.is_finite() {
        true => format!("{middle:+.1} [{low:+.1}, {high:+.1}] %"),
        false => format!("{middle:+.1} [?] %"),
    }
}

/// Loops of a schedule with chunks of different sizes, which cells call `body_kind` where there are several bodies.
pub fn loops_of(body: &str) -> String {
    match body.split_once('_') {
        Some((body, kind)) => format!("`schedule({kind}, chunk)`, body `{body}`"),
        None => format!("`schedule({body}, chunk)`"),
    }
}

/// So many threads.
pub fn threads(count: u32) -> String {
    match count {
        1 => "1 thread".to_owned(),
        _ => format!("{count} threads"),
    }
}

/// A cell's name.
pub fn name_of(cell: &Cell) -> String {
    let (body, size, threads) = (&cell.body, cell.chunk, threads(cell.threads));
    match cell.unit {
        Unit::Loop => format!("a loop of one chunk per thread, {threads}"),
        Unit::Chunk | Unit::Schedule => format!("{body}, chunk {size}, {threads}"),
        Unit::Task => format!("{size} tasks, {threads}"),
        Unit::Run => body.clone(),
    }
}

/// Without the marks of code, for formats that know none.
pub fn plain(text: &str) -> String {
    text.replace('`', "")
}

/// Text for HTML, also within quotes.
pub fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
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
