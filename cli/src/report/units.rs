//! Numbers for people, and their colours.

use anstyle::{AnsiColor, Style};
pub use ompchunk_figures::{count, counted, number, percent, time};

use crate::table::Cell;

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
