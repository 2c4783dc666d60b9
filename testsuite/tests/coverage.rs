//! Is every shape of a static loop handled as `docs/coverage.md` says, and does it say what is so?
//!
//! One test per case of `coverage/`, compiler and flags ([`ompchunk_testsuite::coverage`]). Each row is
//! compared with the document by the test that saw it; `INSTA_UPDATE=always` (`make bless`) writes it.

use std::process::ExitCode;
use std::sync::{Arc, Mutex};

use anyhow::{Result, ensure};
use ompchunk_testsuite::coverage::case::Case;
use ompchunk_testsuite::coverage::compiler::Compiler;
use ompchunk_testsuite::coverage::table::{self, Key, Row};
use ompchunk_testsuite::coverage::{check, emulated};
use ompchunk_testsuite::runtime::Runtime;
use ompchunk_testsuite::suite::Suite;
use ompchunk_testsuite::{dist, workdir};

fn main() -> ExitCode {
    let bless = std::env::var_os("INSTA_UPDATE").is_some_and(|value| value == "always");
    let cases: Arc<Vec<Case>> = Arc::new(Case::all().expect("readable cases"));
    let document = Arc::new(table::committed());
    let seen: Arc<Mutex<Vec<Row>>> = Arc::default();
    let mut keys = Vec::new();

    let mut suite = Suite::default();
    suite.needs("second runtime", Runtime::libiomp5(), |_, _| {});
    suite.needs("third runtime", Runtime::libomp16(), |_, _| {});
    let compilers = Compiler::all();
    for (at, case) in cases.iter().enumerate() {
        for variant in &case.variants {
            for (name, compiler) in &compilers {
                // LLVM 16 is there for its form of the IR, not for its flags and linkers.
                if !Compiler::reads(name, case) || (*name == "clang 16" && !variant.is_empty()) {
                    continue;
                }
                keys.push((table::case_cell(&case.file, variant), name.to_string()));
                let Ok(compiler) = compiler.clone() else {
                    continue;
                };
                let (cases, variant, name) = (Arc::clone(&cases), variant.clone(), *name);
                let (document, seen) = (Arc::clone(&document), Arc::clone(&seen));
                let test = format!("{}{variant}/{name}", case.file).replace(' ', "-");
                suite.test(test.clone(), move || {
                    let row = workdir::scoped(&test, |dir| {
                        check::row(&cases[at], &compiler, &variant, name, dir)
                    })?;
                    seen.lock().expect("no test panics here").push(row.clone());
                    match bless {
                        true => Ok(()),
                        false => table::compare(&row, &document),
                    }
                });
            }
        }
    }
    let to_come: Arc<Mutex<Vec<(usize, String)>>> = Arc::default();
    for (at, (name, compiler)) in compilers.iter().enumerate() {
        let Some(compiler) = emulated::by(name).then(|| compiler.clone().ok()).flatten() else {
            continue;
        };
        let (to_come, name) = (Arc::clone(&to_come), *name);
        let test = format!("{}/{name}", emulated::CASE).replace(' ', "-");
        suite.test(test.clone(), move || {
            let row = workdir::scoped(&test, |dir| emulated::row(&compiler, name, dir))?;
            match bless {
                true => {
                    to_come.lock().expect("no test panics here").push((at, row));
                    Ok(())
                }
                false => table::compare_to_come(&row, &table::committed_to_come()),
            }
        });
    }
    for (name, compiler) in compilers {
        suite.needs(name, compiler, |_, _| {});
    }
    let (rows, right) = (Arc::clone(&document), keys.clone());
    suite.test("document", move || match bless {
        true => Ok(()),
        false => no_other_rows(&rows, &right),
    });
    let code = suite.run();
    if bless {
        let seen = seen.lock().expect("no test panics here");
        std::fs::create_dir_all(dist::repository().join("docs")).expect("a directory to write to");
        let mut rows = to_come.lock().expect("no test panics here").clone();
        rows.sort();
        // With a filter, or for want of a compiler, they stay as they are.
        let rows: Vec<String> = match rows.len() {
            emulated::ROWS => rows.into_iter().map(|(_, row)| row).collect(),
            _ => table::committed_to_come(),
        };
        std::fs::write(
            table::path(),
            table::document(&keys, &seen, &document, &rows),
        )
        .expect("docs/coverage.md can be written");
    }
    code
}

/// Rows of cases that are gone, or out of order.
fn no_other_rows(document: &[Row], keys: &[Key]) -> Result<()> {
    let found: Vec<Key> = document.iter().map(Row::key).collect();
    let other = found.iter().zip(keys).find(|(found, right)| found != right);
    ensure!(
        other.is_none() && found.len() == keys.len(),
        "docs/coverage.md has {} rows for {} cases, the first difference: {other:?}; run make bless",
        found.len(),
        keys.len()
    );
    let to_come = table::committed_to_come().len();
    ensure!(
        to_come == emulated::ROWS,
        "docs/coverage.md has {to_come} rows of runtimes to come, not {}; run make bless",
        emulated::ROWS
    );
    Ok(())
}
