//! `ompchunk doctor`: well here, and it finds what is wrong where something is.

use std::path::Path;
use std::process::Command;

use serde_json::Value;

use crate::common::{dist, finish, majors, must_say, ompchunk, on_terminal, script, succeed};

/// Its checks, and whether it says that all is well; the exit code must say the same.
fn checks(command: &mut Command) -> (bool, Vec<Value>) {
    let (code, stdout, stderr) = finish(command.arg("--json"));
    let report: Value = serde_json::from_str(&stdout).unwrap_or_else(|e| panic!("{e}: {stderr}"));
    assert_eq!(report["version"], 1);
    let ok = report["ok"].as_bool().unwrap();
    assert_eq!(code, Some(i32::from(!ok)), "{stdout}");
    (ok, report["checks"].as_array().unwrap().clone())
}

fn failing(command: &mut Command) -> Value {
    let (ok, checks) = checks(command);
    assert!(!ok, "{checks:?}");
    let mut failed = checks.iter().filter(|check| check["level"] == "fail");
    let first = failed.next().unwrap().clone();
    assert!(failed.next().is_none(), "{checks:?}");
    assert!(first["next"].is_string(), "{first}");
    first
}

#[test]
fn all_is_well_here() {
    let (ok, checks) = checks(&mut ompchunk(&["doctor"]));
    assert!(ok, "{checks:#?}");
    for subject in ["plugin", "shim", "tools", "C", "OMPT"] {
        let mut with_subject = checks.iter().filter(|check| check["subject"] == subject);
        assert!(with_subject.any(|check| check["level"] == "ok"), "{subject}: {checks:#?}");
    }
    let text = succeed(&mut ompchunk(&["doctor"]));
    must_say(&text, "100 dispatch and 100 chunk events of 100 chunks");
    assert!(text.ends_with("0 missing: ompchunk works here\n"), "{text}");
}

#[test]
fn a_runtime_without_debugging_paths() {
    let Some(iomp5) = ompchunk_testkit::runtimes::libiomp5() else { return };
    let directory = tempfile::tempdir().unwrap();
    let library = Path::new(&iomp5).canonicalize().unwrap().join("libiomp5.so");
    std::os::unix::fs::symlink(&library, directory.path().join("libomp.so.5")).unwrap();
    let (ok, checks) = checks(ompchunk(&["doctor"]).env("LD_LIBRARY_PATH", directory.path()));
    assert!(ok, "{checks:#?}");
    let runtime = checks.iter().find(|check| check["subject"] == "runtime").unwrap();
    assert_eq!(runtime["level"], "ok", "{runtime}");
    assert!(runtime["seen"].as_str().unwrap().contains("libiomp5.so"), "{runtime}");
}

#[test]
fn a_compiler_that_is_no_clang() {
    let check = failing(ompchunk(&["doctor"]).env("OMPCHUNK_CC", "gcc"));
    assert_eq!(check["subject"], "C");
    assert!(check["seen"].as_str().unwrap().contains("gcc is no clang"));
}

#[test]
fn a_clang_that_hides_its_llvm() {
    let major = majors()[0];
    let directory = tempfile::tempdir().unwrap();
    let text = format!(
        "#!/bin/sh\nfor word; do case $word in -fpass-plugin=*)\n\
         echo \"error: unable to load plugin: undefined symbol: _ZN4llvm1xE\" >&2; exit 1;; esac; done\n\
         exec clang-{major} \"$@\"\n"
    );
    let clang = script(directory.path(), "static-clang", &text);
    let check = failing(ompchunk(&["doctor"]).env("OMPCHUNK_CC", clang));
    assert!(check["seen"].as_str().unwrap().contains("undefined symbol: _ZN4llvm"));
    assert!(check["cause"].as_str().unwrap().contains("linked statically"));
}

#[test]
fn a_shim_that_is_none() {
    let directory = tempfile::tempdir().unwrap();
    let lib = directory.path();
    for name in ["llvm-22", "llvm-19", "tools"] {
        let from = dist().canonicalize().unwrap().join("lib").join(name);
        if from.is_dir() {
            std::os::unix::fs::symlink(from, lib.join(name)).unwrap();
        }
    }
    let missing = failing(ompchunk(&["doctor"]).env("OMPCHUNK_LIBDIR", lib));
    assert!(missing["seen"].as_str().unwrap().contains("no libompchunk_rt.so"));
    std::fs::write(lib.join("libompchunk_rt.so"), "").unwrap();
    let broken = failing(ompchunk(&["doctor"]).env("OMPCHUNK_LIBDIR", lib));
    assert_eq!(broken["subject"], "OMPT");
    assert!(broken["cause"].as_str().unwrap().contains("the runtime has OMPT, but the shim"));
}

#[test]
fn nothing_installed() {
    let directory = tempfile::tempdir().unwrap();
    let check = failing(ompchunk(&["doctor"]).env("OMPCHUNK_LIBDIR", directory.path()));
    assert_eq!(check["subject"], "installation");
}

#[test]
fn variables_that_turn_things_off_are_noted() {
    let (ok, checks) = checks(ompchunk(&["doctor"]).env("OMPCHUNK", "off").env("OMP_TOOL", "disabled"));
    assert!(ok, "{checks:#?}");
    let noted = checks.iter().filter(|check| check["subject"] == "environment");
    assert_eq!(noted.count(), 2);
}

/// On a terminal sentences go on below where they began; a pipe's lines are whole.
#[test]
fn sentences_fit_the_terminal() {
    let directory = tempfile::tempdir().unwrap();
    let text = on_terminal(directory.path(), 60, "doctor");
    let words = |line: &str| line.split_whitespace().count();
    let wide = text.lines().filter(|line| line.chars().count() > 60);
    // A path is one word, and none is broken.
    let broken: Vec<&str> = wide.filter(|wide| words(wide) > 3).collect();
    assert!(broken.is_empty(), "{text}");
    let is_continued = |line: &str| line.starts_with("               ") && words(line) > 0;
    assert!(text.lines().any(is_continued), "{text}");
    let (_, piped, _) = finish(&mut ompchunk(&["doctor"]));
    assert!(
        !piped.lines().any(|line| is_continued(line) && !line.contains("because: ") && !line.contains("next: ")),
        "{piped}"
    );
}
