//! Traces made by hand, and what a report says of them.
#![allow(dead_code, unused_imports, reason = "each test file uses a part of it")]

#[path = "../../../trace/tests/common/maker.rs"]
mod made;

use std::path::Path;

use ompchunk_analysis::{Analysis, Report, analyse};
use ompchunk_trace_format::Trace;

pub use made::*;

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
