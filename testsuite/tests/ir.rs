//! Does the plugin rewrite what it should, and nothing else?
//!
//! One test per input below `ir/`; [`ompchunk_testsuite::ir`] lists the directives. Each RUN line is
//! run with and without the plugin and with every installed LLVM; both outputs must pass LLVM's
//! verifier; then come the input's own checks; then the output is compared with a snapshot, one for
//! all majors if they agree and else one for each, but for
//! those older than 19.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Context, Result, bail, ensure};
use ompchunk_testsuite::dist;
use ompchunk_testsuite::ir::pipeline::{self, Plugin};
use ompchunk_testsuite::ir::snapshot::{Extent, excerpt, without_names};
use ompchunk_testsuite::ir::{Input, check, edit};
use ompchunk_testsuite::suite::Suite;
use ompchunk_testsuite::toolchain::{Llvm, MAJORS};

const BLESS: &str = "look at the difference above; if it is right, accept it with `make bless`";

/// The oldest major that snapshots are kept of.
const OLDEST_SHOWN: u32 = 19;

fn main() -> ExitCode {
    let mut suite = Suite::default();
    for (major, llvm) in Llvm::every() {
        suite.needs(&format!("IR of LLVM {major}"), llvm, |_, _| {});
    }
    for source in Input::all().expect("readable inputs") {
        let name = Input::name(&source);
        suite.scoped(name.clone(), move |dir| test(&name, &source, dir));
    }
    suite.run()
}

fn test(name: &str, source: &Path, dir: &Path) -> Result<()> {
    let input = Input::read(source)?;
    let file = edit::file(source, dir)?;
    let mut excerpts = Vec::new();
    for llvm in Llvm::every().into_iter().filter_map(|(_, llvm)| llvm.ok()) {
        let mut text = String::new();
        for line in input.directives.all("RUN") {
            let output =
                run(&input, line, &file, &llvm, dir).with_context(|| format!("LLVM {}: {line}", llvm.major))?;
            let extent = match input.directives.one("SNAPSHOT") {
                Some("none") => continue,
                Some("all") => Extent::All,
                None | Some("functions") => Extent::Functions,
                Some(other) => bail!("SNAPSHOT: {other}?"),
            };
            text += &format!("; {line}\n\n{}", excerpt(&output, extent));
        }
        // Older clangs write a loop in other words; its checks hold there, too, and three forms of one
        // loop would show a reviewer nothing that two do not.
        if llvm.major >= OLDEST_SHOWN {
            excerpts.push((llvm.major, text));
        }
    }
    // What must stay as the compiler made it needs no second witness.
    if input.directives.one("UNCHANGED").is_none() && input.directives.one("SNAPSHOT") != Some("none") {
        compare(name, &excerpts);
    }
    Ok(())
}

/// Runs one line, verifies and checks; returns the output.
fn run(input: &Input, line: &str, file: &Path, llvm: &Llvm, dir: &Path) -> Result<String> {
    let before = pipeline::run(line, file, llvm, Plugin::Absent, dir)?;
    pipeline::verify(&before.stdout, llvm, &dir.join("before.ll")).context("without the plugin")?;
    let after = pipeline::run(line, file, llvm, Plugin::Loaded, dir)?;
    pipeline::verify(&after.stdout, llvm, &dir.join("after.ll")).context("with the plugin")?;
    check::check(input, &after.stdout, &after.stderr)
        .with_context(|| format!("in after.ll, with standard error\n{}", after.stderr))?;
    if let Some(reason) = input.directives.one("UNCHANGED") {
        ensure!(
            without_names(&after.stdout) == without_names(&before.stdout),
            "the plugin changed what it must leave alone ({reason}): compare before.ll and after.ll"
        );
    }
    Ok(after.stdout)
}

/// Compares with the accepted snapshots; insta panics with the difference.
fn compare(name: &str, excerpts: &[(u32, String)]) {
    let mut settings = insta::Settings::clone_current();
    settings.set_snapshot_path(dist::testsuite().join("snapshots"));
    settings.set_prepend_module_to_snapshot(false);
    settings.set_omit_expression(true);
    settings.set_description(BLESS);
    let name = name.replace('/', "-");
    if Llvm::others().is_some() {
        let accepted = |text: &str, major| accepted(&name, text, major);
        for (major, text) in excerpts {
            settings.bind(|| insta::assert_snapshot!(accepted(text, *major), text));
        }
        return;
    }
    let file = |major: u32| file(&format!("{name}@{major}"));
    let agree = excerpts.windows(2).all(|pair| pair[0].1 == pair[1].1);
    // With a single LLVM installed, agreement means nothing; then the accepted files decide.
    let shared = agree && (excerpts.len() > 1 || !excerpts.iter().any(|(major, _)| file(*major).exists()));
    settings.bind(|| {
        if shared {
            for (major, _) in excerpts {
                // Majors that agree again need no snapshots of their own.
                if blessing() {
                    let _ = std::fs::remove_file(file(*major));
                }
                assert!(!file(*major).exists(), "{} is out of date; {BLESS}", file(*major).display());
            }
            if let Some((_, text)) = excerpts.first() {
                insta::assert_snapshot!(name.clone(), text);
            }
        } else {
            for (major, text) in excerpts {
                insta::assert_snapshot!(format!("{name}@{major}"), text);
            }
        }
    });
}

/// The snapshot that a major which is not one of the usual ones is compared with: its own, or else that of the next newer
/// major, or the one for all. It gets its own where it is blessed and differs.
fn accepted(name: &str, text: &str, major: u32) -> String {
    let own = format!("{name}@{major}");
    let newer = MAJORS.into_iter().rev().filter(|newer| *newer > major);
    let newest = MAJORS.into_iter().take(1);
    let usual = newer.chain(newest).map(|usual| format!("{name}@{usual}"));
    let mut known = std::iter::once(own.clone()).chain(usual);
    let known = known.find(|known| file(known).exists()).unwrap_or(name.to_owned());
    let is_so = |snapshot: &str| {
        let contents = snapshot.splitn(3, "---\n").nth(2);
        contents.is_some_and(|contents| contents.trim_end() == text.trim_end())
    };
    match std::fs::read_to_string(file(&known)) {
        Ok(snapshot) if blessing() && !is_so(&snapshot) => own,
        _ => known,
    }
}

fn file(name: &str) -> PathBuf {
    dist::testsuite().join(format!("snapshots/{name}.snap"))
}

fn blessing() -> bool {
    std::env::var("INSTA_UPDATE").is_ok_and(|how| how == "always")
}
