//! Do the modules of each crate depend in one direction? No circle among its files, and no arrow against what ARCHITECTURE.md
//! says of its phases. How crates depend is in `repo.rs`.

mod arrows;
mod source;

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::Command;

use ompchunk_testsuite::dist::repository;

use self::arrows::{Arrows, arrows, circles, reached};
use ompchunk_testsuite::suite::Suite;
use ompchunk_testsuite::tests;

pub fn trials(suite: &mut Suite) {
    suite.plain(&tests![
        no_files_import_each_other_in_a_circle, phases_depend_in_one_direction, a_circle_is_found_and_told,
        a_parent_and_its_child_can_make_a_circle, what_is_no_circle_is_none, a_way_through_others_is_found
    ]);
}

/// Root files of all crates that git knows.
fn roots() -> Vec<PathBuf> {
    let mut git = Command::new("git");
    git.args(["ls-files", "*/src/lib.rs", "*/src/main.rs"]);
    let listed = git.current_dir(repository()).output().expect("git").stdout;
    let roots: Vec<_> = String::from_utf8(listed).expect("UTF-8").lines().map(|file| repository().join(file)).collect();
    assert!(roots.len() > 20, "{roots:?}");
    roots
}

/// Circles in words: the way around, and how many files are tied.
fn told(arrows: &Arrows, from: &Path) -> Vec<String> {
    let short = |file: &Path| file.strip_prefix(from).unwrap_or(file).display().to_string();
    let mut told = Vec::new();
    for (files, way) in circles(arrows) {
        let mut text = format!("{} files import each other in a circle, for example:", files.len());
        for pair in way.windows(2) {
            let arrow = &arrows[&(pair[0].clone(), pair[1].clone())];
            let (from, to) = (short(&pair[0]), short(&pair[1]));
            text += &format!("\n  {from}:{} takes {} from {to}", arrow.line, arrow.names.join(", "));
        }
        let files: Vec<String> = files.iter().map(|file| short(file)).collect();
        text += &format!("\n  all: {}", files.join(", "));
        told.push(text);
    }
    told
}

/// What must not be reached, not even through others: crate, from, to. Folders end with a slash.
const NEVER: [(&str, &str, &str); 23] = [
    // Finding reads, planning decides from plain facts, emitting alone changes the IR.
    ("pass", "find/", "emit/"),
    ("pass", "find/", "instrumentation_plan.rs"),
    ("pass", "find/", "promises/"),
    ("pass", "promises/", "emit/"),
    ("pass", "instrumentation_plan.rs", "find/"),
    ("pass", "instrumentation_plan.rs", "llvm/"),
    ("pass", "facts.rs", "emit/"),
    ("pass", "remark.rs", "emit/"),
    // What prints errors does not know whose they are, and nobody but `main` prints them.
    ("cli", "complaint.rs", "args.rs"),
    ("cli", "record/", "report/"),
    ("cli", "doctor/", "complaint.rs"),
    // What a lane consists of knows nothing of what threads share.
    ("recorder", "lane.rs", "part.rs"),
    ("recorder", "part/store.rs", "lane.rs"),
    // A model is data.
    ("analysis", "model.rs", "build.rs"),
    // Rules know no time, simulation no opinion, and nothing that is predicted chooses.
    ("advice", "rules.rs", "simulate.rs"),
    ("advice", "simulate.rs", "world.rs"),
    ("advice", "predict.rs", "choose.rs"),
    ("advice", "model.rs", "predict.rs"),
    ("cli", "record/", "advise/"),
    // What is planned is measured, what was measured is kept, a report shows what was kept.
    ("bench", "plan.rs", "results.rs"),
    ("bench", "results.rs", "measure/"),
    ("bench", "measure/", "report.rs"),
    ("bench", "report.rs", "measure/"),
];

fn no_files_import_each_other_in_a_circle() {
    let repository = repository();
    let all: Vec<Arrows> = roots().iter().map(|root| arrows(root)).collect();
    let told: Vec<String> = all.iter().flat_map(|arrows| told(arrows, &repository)).collect();
    assert!(told.is_empty(), "{} circles:\n{}", told.len(), told.join("\n"));
}

fn phases_depend_in_one_direction() {
    let mut broken = Vec::new();
    let members: BTreeSet<&str> = NEVER.iter().map(|rule| rule.0).collect();
    for member in members {
        let source = repository().join(member).join("src");
        let root = ["lib.rs", "main.rs"].map(|file| source.join(file));
        let arrows = arrows(root.iter().find(|file| file.exists()).expect("a crate"));
        for (_, from, to) in NEVER.iter().filter(|rule| rule.0 == member) {
            let found = against(&arrows, &source, from, to);
            broken.extend(found.map(|way| format!("{member}/src: {way}")));
        }
    }
    assert!(broken.is_empty(), "{}", broken.join("\n"));
}

/// A file of `from` that reaches one of `to`, if there is one.
fn against(arrows: &Arrows, source: &Path, from: &str, to: &str) -> Option<String> {
    let is = |file: &Path, what: &str| match what.ends_with('/') {
        true => file.starts_with(source.join(what)),
        false => file == source.join(what),
    };
    let files = || arrows.keys().flat_map(|(one, other)| [one, other]);
    for what in [from, to] {
        assert!(files().any(|file| is(file, what)), "no {what}");
    }
    files().filter(|file| is(file, from)).find_map(|file| {
        let reached = reached(arrows, file);
        let found = reached.iter().find(|file| is(file, to))?;
        let short = |file: &Path| file.strip_prefix(source).unwrap_or(file).display().to_string();
        Some(format!("{} reaches {}", short(file), short(found)))
    })
}

/// A crate of files with these texts, each tied to the others as the test needs it.
fn made(files: &[(&str, &str)]) -> (tempfile::TempDir, PathBuf) {
    let folder = tempfile::tempdir().expect("a folder");
    for (name, text) in files {
        let path = folder.path().join(name);
        std::fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
        std::fs::write(path, text).expect("a file");
    }
    let root = folder.path().join("lib.rs");
    (folder, root)
}

fn circles_of(files: &[(&str, &str)]) -> Vec<String> {
    let (folder, root) = made(files);
    told(&arrows(&root), folder.path())
}

fn a_circle_is_found_and_told() {
    let ties = [
        ("use crate::one::First;", "use of a leaf"),
        ("use super::one::{self as first, First};", "group"),
        ("fn f() -> crate::one::First { todo!() }", "path"),
        ("fn f() { println!(\"{:?}\", super::one::first()); }", "macro"),
        ("use crate::one::*;", "glob"),
        ("use crate::First;", "handed on by the root"),
        ("mod inner { fn f() { super::super::one::first(); } }", "inner module"),
    ];
    for (tie, what) in ties {
        let two = format!("{tie}\npub struct Second;\n");
        let told = circles_of(&[
            ("lib.rs", "mod one;\nmod two;\npub use one::First;\n"),
            ("one.rs", "use crate::two;\npub struct First;\npub fn first() -> two::Second { two::Second }\n"),
            ("two.rs", &two),
        ]);
        assert_eq!(told.len(), 1, "{what}: {told:?}");
        assert!(told[0].starts_with("2 files"), "{what}: {}", told[0]);
        assert!(told[0].contains("one.rs:3 takes Second from two.rs"), "{what}: {}", told[0]);
    }
}

fn a_parent_and_its_child_can_make_a_circle() {
    let child = ("a/b.rs", "use super::Shared;\npub fn make() -> Shared { Shared }\n");
    let uses = ("a.rs", "mod b;\npub struct Shared;\npub fn f() { b::make(); }\n");
    let told = circles_of(&[("lib.rs", "mod a;\n"), uses, child]);
    assert_eq!(told.len(), 1, "{told:?}");
    // To hand on what the child has is no use of it.
    let hands_on = ("a.rs", "mod b;\npub use b::make;\npub struct Shared;\n");
    assert!(circles_of(&[("lib.rs", "mod a;\n"), hands_on, child]).is_empty());
    let both = ("a.rs", "mod b;\npub use b::make;\npub struct Shared;\nfn f() { make(); }\n");
    assert_eq!(circles_of(&[("lib.rs", "mod a;\n"), both, child]).len(), 1);
}

fn what_is_no_circle_is_none() {
    let told = circles_of(&[
        ("lib.rs", "mod one;\nmod two;\nmod three;\n"),
        ("one.rs", "use crate::two::Second;\nuse crate::three::Third;\npub struct First(Second, Third);\n"),
        // Named in tests alone, in a doc comment, in a string, of another crate with that name, and by visibility.
        (
            "two.rs",
            "//! As [`crate::one::First`].\nuse one::First;\npub(in crate::two) fn f() -> &'static str { \"crate::one\" }\n\
             pub struct Second;\n#[cfg(test)]\nmod tests { use crate::one::First; }\n",
        ),
        ("three.rs", "use crate::two::Second;\npub struct Third(Second);\n"),
    ]);
    assert!(told.is_empty(), "{told:?}");
}

fn a_way_through_others_is_found() {
    let (folder, root) = made(&[
        ("lib.rs", "mod a;\nmod b;\nmod c;\n"),
        ("a.rs", "use crate::b::B;\npub struct A(B);\n"),
        ("b.rs", "pub struct B(crate::c::C);\n"),
        ("c.rs", "pub struct C;\n"),
    ]);
    let (arrows, source) = (arrows(&root), folder.path());
    let found = against(&arrows, source, "a.rs", "c.rs");
    assert_eq!(found.as_deref(), Some("a.rs reaches c.rs"));
    assert_eq!(against(&arrows, source, "c.rs", "a.rs"), None);
}
