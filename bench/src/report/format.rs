//! The formats of reports.

/// How results are shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub enum Format {
    /// Text
    Terminal,
    /// Markdown
    Markdown,
    /// Comma-separated values
    Csv,
    /// One HTML page
    Html,
}
