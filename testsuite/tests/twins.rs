//! Has every reason to leave a loop alone a near miss that is left alone for it?
//!
//! For each file of the plugin that gives reasons, and each reason that it gives, an input of
//! `ir/reject` must say `TWIN: file.rs Reason`, which demands the reason's sentence. For each reason why the schedule of a loop is
//! fixed, an input of `ir/fixed` says `TWIN: change.rs REASON` likewise: such a loop is instrumented. `tests/ir.rs` runs them.

use std::collections::BTreeSet;
use std::path::Path;

use ompchunk_testsuite::dist;
use ompchunk_testsuite::ir::Input;
use ompchunk_testsuite::suite::Suite;
use ompchunk_testsuite::tests;
use regex::Regex;

pub fn trials(suite: &mut Suite) {
    suite.plain(&tests![
        every_reason_of_every_recogniser_has_a_near_miss,
        every_reason_why_a_schedule_is_fixed_has_a_near_miss
    ]);
}

/// No input can bring these about.
const IMPOSSIBLE: [(&str, &str, &str); 1] = [("mod.rs", "MalformedCall", "a call always stands in a block")];

fn read(path: &Path) -> String {
    std::fs::read_to_string(path).unwrap_or_else(|e| panic!("{}: {e}", path.display()))
}

/// Every file of the plugin and every reason in it.
fn given() -> BTreeSet<(String, String)> {
    let source = dist::repository().join("pass/src");
    let mut files = vec![source.join("entry.rs")];
    for folder in ["find", "find/forms"] {
        let listed = std::fs::read_dir(source.join(folder)).expect(folder);
        files.extend(listed.map(|entry| entry.expect("an entry").path()).filter(|path| path.is_file()));
    }
    let reason = Regex::new(r"\bReason::([A-Z]\w+)").expect("a regex");
    let mut given = BTreeSet::new();
    for file in files {
        let name = file.file_name().expect("a file").to_string_lossy().into_owned();
        let text = read(&file);
        given.extend(reason.captures_iter(&text).map(|r| (name.clone(), r[1].to_owned())));
    }
    given
}

/// What near misses there are for reasons of `change.rs`, or of all other files.
fn twins(of_change: bool) -> BTreeSet<(String, String)> {
    let mut twins = BTreeSet::new();
    for source in Input::all().expect("readable inputs") {
        let input = Input::read(&source).expect("an input");
        for twin in input.directives.all("TWIN") {
            let (file, reason) = twin.split_once(' ').expect("TWIN: file.rs Reason");
            if (file == "change.rs") == of_change {
                assert!(of_change || input.unchanged, "{} may be changed", source.display());
                twins.insert((file.to_owned(), reason.to_owned()));
            }
        }
    }
    twins
}

fn every_reason_of_every_recogniser_has_a_near_miss() {
    let twins = twins(false);
    let mut given = given();
    assert!(given.len() > 20, "only {} pairs were found", given.len());
    for (file, reason, why) in IMPOSSIBLE {
        assert!(given.remove(&(file.to_owned(), reason.to_owned())), "{file} does not give {reason} any more ({why})");
    }
    let without: Vec<_> = given.difference(&twins).collect();
    assert!(without.is_empty(), "without a twin in testsuite/ir/reject: {without:#?}");
    let stale: Vec<_> = twins.difference(&given).collect();
    assert!(stale.is_empty(), "twins of what is not there any more: {stale:#?}");
}

fn every_reason_why_a_schedule_is_fixed_has_a_near_miss() {
    let given = Regex::new(r"\bfixed::([A-Z]+)").expect("a regex");
    let source = read(&dist::repository().join("pass/src/find/change.rs"));
    let given: BTreeSet<_> =
        given.captures_iter(&source).map(|of| ("change.rs".to_owned(), of[1].to_owned())).collect();
    assert!(given.len() >= 6, "{given:?}");
    assert_eq!(twins(true), given, "near misses, and reasons that are given");
}
