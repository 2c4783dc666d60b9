//! A table: words in rows. How they are written down is each format's own.

use serde::{Deserialize, Serialize};

use super::bar::Bar;

/// A table.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Table {
    /// What it shows.
    pub title: String,
    /// The names of the columns.
    pub head: Vec<String>,
    /// The rows; the first column is a name.
    pub rows: Vec<Vec<String>>,
}

impl Table {
    /// With its rows.
    pub fn new<Name: Into<String>>(
        title: impl Into<String>,
        head: impl IntoIterator<Item = Name>,
        rows: impl IntoIterator<Item = Vec<String>>,
    ) -> Table {
        Table {
            title: title.into(),
            head: head.into_iter().map(Into::into).collect(),
            rows: rows.into_iter().collect(),
        }
    }

    /// How bars were met, each as a row; `within` says how many figures are within one.
    pub fn of_bars(bars: &[Bar], within: impl Fn(&Bar) -> String) -> Table {
        let row = |bar: &Bar| vec![bar.what.clone(), within(bar), bar.worst.clone()];
        let head = ["bar", "figures within it", "worst"];
        Table::new("", head, bars.iter().map(row))
    }
}

/// A row, or a head: a name and what stands beside it.
pub fn row(name: impl Into<String>, words: impl IntoIterator<Item = String>) -> Vec<String> {
    std::iter::once(name.into()).chain(words).collect()
}

/// What is known of something in words; a dash where nothing is.
pub fn known<T>(value: Option<T>, word: impl Fn(T) -> String) -> String {
    value.map_or("-".into(), word)
}
