//! The profile of a loop in the report: its JSON form and its page.

mod common;
#[path = "../../analysis/tests/common/mod.rs"]
mod maker;

use std::path::Path;
use std::process::Command;

use common::{clean, fail, succeed};
use maker::{Maker, definition, meta};
use ompchunk_trace_format::{Event, Mode, SubBlock};
use serde_json::Value;

fn ompchunk(arguments: &[&str], directory: &Path) -> Command {
    let mut command = clean(env!("CARGO_BIN_EXE_ompchunk"));
    command.args(arguments).current_dir(directory);
    command
}

/// Two loops of two threads and 32 iterations: the first's cost grows, the second is told in one piece per thread.
fn trace(directory: &Path, profile: bool) {
    let mut meta = meta(None);
    meta.mode = Mode {
        profile,
        ..meta.mode
    };
    let mut maker = Maker::new(directory, "pid-7", &meta);
    maker.threads(2, &[definition(0, 12, "ramp"), definition(1, 20, "flat")]);
    let mut now = 100;
    for region in 1..=20 {
        for lane in 0..2 {
            maker.task(lane, now, region, 2);
            let mut at = now;
            for the_loop in 0..2 {
                maker.begin(lane, at, the_loop, 32);
                let lower = u64::from(lane) * 16;
                maker.chunk(lane, at, lower, 16, 0);
                for piece in 0..4 {
                    if the_loop == 0 && profile {
                        let flags = u32::from(piece == 0) | u32::from(piece == 3) << 1;
                        let it = SubBlock::of(lower + piece * 4, 4, flags);
                        maker.put(lane, at, &Event::SubBlock(it));
                    }
                    at += 40 * (lower / 4 + piece + 1);
                }
                maker.put(lane, at, &Event::LoopEnd { the_loop });
            }
            maker.put(
                lane,
                now + 3000,
                &Event::ImplicitTaskEnd { parallel: region },
            );
        }
        now += 3100;
    }
    maker.finish(now);
}

#[test]
fn json_has_the_bins() {
    let directory = tempfile::tempdir().unwrap();
    trace(directory.path(), true);
    let text = succeed(&mut ompchunk(&["report", ".", "--json"], directory.path()));
    let report: Value = serde_json::from_str(&text).unwrap();
    let of = |function: &str| {
        let loops = report["loops"].as_array().unwrap();
        let found = loops.iter().find(|it| it["function"] == function).unwrap();
        found["profile"].clone()
    };
    let ramp = of("ramp");
    assert_eq!(
        (&ramp["iterations"], &ramp["divided"]),
        (&32.into(), &true.into())
    );
    assert_eq!(ramp["mean"].as_array().unwrap().len(), 32);
    let mean = |at: usize| ramp["mean"][at].as_f64().unwrap();
    assert!(
        (mean(0) - 10e-6).abs() < 1e-9 && (mean(31) - 80e-6).abs() < 1e-9,
        "{ramp}"
    );
    assert_eq!(ramp["borders"], serde_json::json!([16]));
    assert_eq!(ramp["user"], serde_json::json!([100, 410]));
    assert!(ramp["cost"].is_null(), "all were divided");
    assert!(of("flat").is_null(), "one chunk per thread, undivided");
    let document =
        std::fs::read_to_string(common::repository().join("docs/report-json.md")).unwrap();
    for key in ramp.as_object().unwrap().keys() {
        assert!(
            document.contains(&format!("`{key}`")),
            "{key} is not in docs/report-json.md"
        );
    }
}

#[test]
fn without_a_profile_nothing_is_said_of_one() {
    let directory = tempfile::tempdir().unwrap();
    trace(directory.path(), false);
    let text = succeed(&mut ompchunk(&["report", ".", "--json"], directory.path()));
    assert!(!text.contains("\"profile\""), "{text}");
}

#[test]
fn a_profile_and_sums_exclude_each_other() {
    let directory = tempfile::tempdir().unwrap();
    let arguments = ["record", "--profile", "--aggregate", "true"];
    let (code, error) = fail(&mut ompchunk(&arguments, directory.path()));
    assert_eq!(code, 2);
    assert!(
        error.contains("--profile") && error.contains("--aggregate"),
        "{error}"
    );
}
