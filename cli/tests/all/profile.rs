//! The profile of a loop in the report: its JSON form and its page.

use std::path::Path;
use std::process::Command;

use serde_json::Value;

use crate::common::traces::profiled as trace;
use crate::common::{self, clean, fail, succeed};

fn ompchunk(arguments: &[&str], directory: &Path) -> Command {
    let mut command = clean(env!("CARGO_BIN_EXE_ompchunk"));
    command.args(arguments).current_dir(directory);
    command
}

#[test]
fn json_has_the_bins() {
    let directory = tempfile::tempdir().unwrap();
    trace(directory.path(), true);
    let report = crate::common::json(&mut ompchunk(&["report", ".", "--json"], directory.path()));
    let of = |function: &str| {
        let loops = report["loops"].as_array().unwrap();
        let found = loops.iter().find(|the_loop| the_loop["function"] == function).unwrap();
        found["profile"].clone()
    };
    let ramp = of("ramp");
    assert_eq!((&ramp["iterations"], &ramp["divided"]), (&32.into(), &true.into()));
    assert_eq!(ramp["mean"].as_array().unwrap().len(), 32);
    let mean = |at: usize| ramp["mean"][at].as_f64().unwrap();
    assert!((mean(0) - 10e-6).abs() < 1e-9 && (mean(31) - 80e-6).abs() < 1e-9, "{ramp}");
    assert_eq!(ramp["borders"], serde_json::json!([16]));
    assert_eq!(ramp["user"], serde_json::json!([100, 410]));
    assert!(ramp["cost"].is_null(), "all were divided");
    assert!(of("flat").is_null(), "one chunk per thread, undivided");
    common::are_documented(ramp.as_object().unwrap().keys());
}

#[test]
fn without_a_profile_nothing_is_said_of_one() {
    let directory = tempfile::tempdir().unwrap();
    trace(directory.path(), false);
    let text = succeed(&mut ompchunk(&["report", ".", "--json"], directory.path()));
    let report: Value = serde_json::from_str(&text).unwrap();
    assert_eq!(report["parts"][0]["profile"], false);
    assert!(report["loops"][0].get("profile").is_none(), "{text}");
}

#[test]
fn a_profile_and_sums_exclude_each_other() {
    let directory = tempfile::tempdir().unwrap();
    let arguments = ["record", "--profile", "--aggregate", "true"];
    let (code, error) = fail(&mut ompchunk(&arguments, directory.path()));
    assert_eq!(code, 2);
    assert!(error.contains("--profile") && error.contains("--aggregate"), "{error}");
}
