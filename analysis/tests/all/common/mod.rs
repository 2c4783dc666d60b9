//! Traces made by hand, and what a report says of them.

pub mod made_tasks;

use std::path::Path;

use ompchunk_analysis::{Analysis, Report, analyse};
use ompchunk_trace_format::Trace;

pub use ompchunk_testkit::traces::*;

/// The report of a directory or part.
pub fn report(path: &Path) -> Report {
    with(path, |analysis| analysis.report.clone())
}

pub fn with<T>(path: &Path, see: impl FnOnce(&Analysis<'_>) -> T) -> T {
    let trace = Trace::open(path).unwrap();
    let parts: Vec<_> = trace.parts.iter().collect();
    see(&analyse(&parts, &|_| {}).unwrap())
}

/// Equal but for rounding.
pub fn near(found: f64, expected: f64) {
    let error = (found - expected).abs();
    assert!(error <= expected.abs() * 1e-9 + 1e-12, "{found}, not {expected}");
}
