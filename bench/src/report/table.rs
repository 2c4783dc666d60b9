//! A table: words in rows. How they are written down is each format's own.

use serde::{Deserialize, Serialize};

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
