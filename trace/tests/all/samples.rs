//! Sample files of every version of the format: what old recorders wrote stays readable.

use std::path::Path;

use ompchunk_trace_format::{Trace, layout};

use crate::common;

/// Files were written by the tests below with `OMPCHUNK_WRITE_SAMPLE=1`; a file that is committed is never written again.
fn check(version: u32) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("tests/samples/version-{version}.trace"));
    if std::env::var_os("OMPCHUNK_WRITE_SAMPLE").is_some() && !path.exists() {
        assert_eq!(version, layout::VERSION, "written by older versions only");
        common::sample(&path).unwrap();
    }
    let trace = Trace::open(&path).unwrap();
    let part = &trace.parts[0];
    assert_eq!(*part.meta(), common::meta());
    assert!((part.clock().hertz - 2e9).abs() < 1.0);
    let mut found = Vec::new();
    part.for_each(|at, event| found.push((at.ticks, format!("{event:?}")))).unwrap();
    let written: Vec<_> =
        common::kinds_of(version).into_iter().map(|(ticks, event)| (ticks, format!("{event:?}"))).collect();
    assert_eq!(found, written);
    assert_eq!(part.check().unwrap().violations, []);
}

#[test]
fn version_1() {
    check(1);
}

#[test]
fn version_2() {
    check(2);
}

#[test]
fn version_3() {
    check(3);
}
