//! Does the plugin rewrite what it should, and nothing else?
//!
//! One test per input below `ir/`; [`ompchunk_testsuite::ir`] lists the directives. Each RUN line is run with and without the plugin and with every
//! installed LLVM; both outputs must pass LLVM's verifier; then come the input's own checks; then what the plugin changed in the functions that it names
//! is compared with a snapshot: the newest major's, and what differs from it for each that differs, but for those older than 19.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result, ensure};
use ompchunk_testsuite::dist;
use ompchunk_testsuite::ir::pipeline::{self, Plugin};
use ompchunk_testsuite::ir::snapshot::{changes, difference, difference_from, without_names};
use ompchunk_testsuite::ir::{Input, check, edit};
use ompchunk_testsuite::suite::Suite;
use ompchunk_testsuite::toolchain::{Llvm, MAJORS};

const BLESS: &str = "look at the difference above; if it is right, accept it with `make bless`";

/// The oldest major that snapshots are kept of.
const OLDEST_SHOWN: u32 = 19;

pub fn trials(suite: &mut Suite) {
    for (major, llvm) in Llvm::every() {
        suite.needs(&format!("IR of LLVM {major}"), llvm, |_, _| {});
    }
    for source in Input::all().expect("readable inputs") {
        let name = Input::name(&source);
        suite.scoped(name.clone(), move |dir| test(&name, &source, dir));
    }
}

fn test(name: &str, source: &Path, dir: &Path) -> Result<()> {
    let input = Input::read(source)?;
    let file = edit::file(source, dir)?;
    let shown: Vec<&str> = input.directives.one("SNAPSHOT").into_iter().flat_map(str::split_whitespace).collect();
    let mut excerpts = Vec::new();
    for llvm in Llvm::every().into_iter().filter_map(|(_, llvm)| llvm.ok()) {
        let mut text = String::new();
        // Older clangs write a loop in other words; its checks hold there, too, and three forms of one
        // loop would show a reviewer nothing that two do not.
        let is_shown = llvm.major >= OLDEST_SHOWN && !shown.is_empty();
        for line in input.directives.all("RUN") {
            let context = || format!("LLVM {}: {line}", llvm.major);
            let (before, after) = run(&input, line, &file, &llvm, dir).with_context(context)?;
            if is_shown {
                let excerpts = shown.iter().map(|function| changes(&before, &after, function));
                text += &excerpts.collect::<Result<String>>().with_context(context)?;
            }
        }
        if is_shown {
            excerpts.push((llvm.major, text));
        }
    }
    if let Some(base) = input.directives.one("LIKE") {
        let base = contents(base).with_context(|| format!("LIKE: no snapshot {base}"))?;
        excerpts.iter_mut().for_each(|(_, text)| *text = difference_from(&base, &as_kept(text)));
    }
    compare(name, &excerpts);
    Ok(())
}

/// Runs one line, verifies and checks; returns the output without the plugin, and with it.
fn run(input: &Input, line: &str, file: &Path, llvm: &Llvm, dir: &Path) -> Result<(String, String)> {
    let before = pipeline::run(line, file, llvm, Plugin::Absent, dir)?;
    pipeline::verify(&before.stdout, llvm, &dir.join("before.ll")).context("without the plugin")?;
    let after = pipeline::run(line, file, llvm, Plugin::Loaded, dir)?;
    pipeline::verify(&after.stdout, llvm, &dir.join("after.ll")).context("with the plugin")?;
    check::check(input, &after.stdout, &after.stderr)
        .with_context(|| format!("in after.ll, with standard error\n{}", after.stderr))?;
    ensure!(
        !input.unchanged || without_names(&after.stdout) == without_names(&before.stdout),
        "the plugin changed what it must leave alone: compare before.ll and after.ll"
    );
    Ok((before.stdout, after.stdout))
}

/// Compares with the accepted snapshots; insta panics with the difference.
fn compare(name: &str, excerpts: &[(u32, String)]) {
    let mut settings = insta::Settings::clone_current();
    settings.set_snapshot_path(dist::repository().join("testsuite/snapshots"));
    settings.set_prepend_module_to_snapshot(false);
    settings.set_omit_expression(true);
    settings.set_description(BLESS);
    let name = name.replace('/', "-");
    for (major, text) in excerpts {
        if *major == MAJORS[0] {
            settings.bind(|| insta::assert_snapshot!(name.clone(), text));
            continue;
        }
        let newest = contents(&name).unwrap_or_else(|| panic!("no snapshot {name}: {BLESS}"));
        let found = difference(&newest, &as_kept(text));
        let own = format!("{name}@{major}");
        let mut newer = MAJORS.into_iter().rev().filter(|newer| newer > major).map(|newer| format!("{name}@{newer}"));
        let inherited = newer.find_map(|newer| contents(&newer)).unwrap_or_default();
        if found.trim_end() == inherited.trim_end() {
            // A major that agrees again needs no snapshot of its own.
            if blessing() {
                let _ = std::fs::remove_file(file(&own));
            }
            assert!(!file(&own).exists(), "{} is out of date; {BLESS}", file(&own).display());
        } else {
            settings.bind(|| insta::assert_snapshot!(own, found));
        }
    }
}

/// What a snapshot says, if there is one.
fn contents(name: &str) -> Option<String> {
    let text = std::fs::read_to_string(file(name)).ok()?;
    text.splitn(3, "---\n").nth(2).map(as_kept)
}

/// As a snapshot's file has it.
fn as_kept(text: &str) -> String {
    text.trim_end().to_owned() + "\n"
}

fn file(name: &str) -> PathBuf {
    dist::repository().join(format!("testsuite/snapshots/{name}.snap"))
}

fn blessing() -> bool {
    std::env::var("INSTA_UPDATE").is_ok_and(|how| how == "always")
}
