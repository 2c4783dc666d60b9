//! Numbers for people.

use anstyle::{AnsiColor, Style};

use crate::table::Cell;

/// Three digits and a unit.
pub fn time(seconds: f64) -> String {
    let (value, unit) = match seconds.abs() {
        zero if zero < 5e-10 => return "0 s".to_owned(),
        value if value < 9.995e-7 => (seconds * 1e9, "ns"),
        value if value < 9.995e-4 => (seconds * 1e6, "µs"),
        value if value < 0.9995 => (seconds * 1e3, "ms"),
        _ => (seconds, "s"),
    };
    let digits = match value.abs() {
        value if value >= 99.95 => 0,
        value if value >= 9.995 => 1,
        _ => 2,
    };
    format!("{value:.digits$} {unit}")
}

/// Thousands apart.
pub fn count(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at) % 3 == 0 {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// So many of something.
pub fn several(number: u64, what: &str) -> String {
    let plural = if number == 1 { "" } else { "s" };
    format!("{} {what}{plural}", count(number))
}

/// A share, or what stands for none.
pub fn percent(share: Option<f64>) -> String {
    share.map_or_else(|| "-".to_owned(), |share| format!("{:.1} %", share * 100.0))
}

/// From here on an efficiency is acceptable, and from there on bad, as the POP project colours them.
const ACCEPTABLE: f64 = 0.8;
const BAD: f64 = 0.6;

/// An efficiency, in its colour where it matters.
pub fn efficiency(share: Option<f64>, at_most: bool, matters: bool) -> Cell {
    let style = match share.filter(|_| matters) {
        Some(share) if share < BAD => RED,
        Some(share) if share < ACCEPTABLE => YELLOW,
        Some(_) => GREEN,
        None => Style::new(),
    };
    Cell::styled(percent_at_most(share, at_most), style)
}

/// The same where something that is a loss may not have been measured.
pub fn percent_at_most(share: Option<f64>, at_most: bool) -> String {
    let at_most = if at_most && share.is_some() { "≤ " } else { "" };
    format!("{at_most}{}", percent(share))
}

/// Bad.
pub const RED: Style = Style::new().fg_color(Some(anstyle::Color::Ansi(AnsiColor::Red)));
/// Worth a look.
pub const YELLOW: Style = Style::new().fg_color(Some(anstyle::Color::Ansi(AnsiColor::Yellow)));
/// Fine.
pub const GREEN: Style = Style::new().fg_color(Some(anstyle::Color::Ansi(AnsiColor::Green)));
/// A heading.
pub const BOLD: Style = Style::new().bold();

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn three_digits_and_a_unit() {
        for (seconds, text) in [
            (0.0, "0 s"),
            (1e-9, "1.00 ns"),
            (9.996e-7, "1.00 µs"),
            (1.234e-5, "12.3 µs"),
            (0.9994, "999 ms"),
            (0.9996, "1.00 s"),
            (12345.6, "12346 s"),
            (-0.0021, "-2.10 ms"),
        ] {
            assert_eq!(time(seconds), text);
        }
    }

    #[test]
    fn thousands_apart() {
        assert_eq!(count(7), "7");
        assert_eq!(count(1000), "1,000");
        assert_eq!(count(u64::MAX), "18,446,744,073,709,551,615");
    }
}
