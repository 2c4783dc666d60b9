//! A bar, and how figures met it. Which bars there are is not known here.

use serde::{Deserialize, Serialize};

/// A bar and how it was met.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Bar {
    /// What is limited.
    pub what: String,
    /// How many figures were held against it.
    pub figures: usize,
    /// How many of them miss it.
    pub missed: usize,
    /// The worst of them, with its cell.
    pub worst: String,
}

/// A figure held against a bar.
pub struct Figure {
    /// How far beyond the bar it is; negative: within it.
    pub beyond: f64,
    /// Whether that is certain.
    pub missed: bool,
    /// The figure in words.
    pub says: String,
}

impl Bar {
    /// How many of the figures are within it.
    pub fn within(&self) -> String {
        format!("{} of {}", self.figures - self.missed, self.figures)
    }

    /// How a bar was met by some figures.
    pub fn of(what: &str, figures: &[Figure]) -> Bar {
        let worst = figures.iter().max_by(|a, b| a.beyond.total_cmp(&b.beyond));
        Bar {
            what: what.to_owned(),
            figures: figures.len(),
            missed: figures.iter().filter(|figure| figure.missed).count(),
            worst: worst.map_or(String::new(), |figure| figure.says.clone()),
        }
    }
}
