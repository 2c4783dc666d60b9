//! Is every shape of a static loop handled as `docs/data/coverage.csv` says, and does it say what is so?
//!
//! One test per case of `coverage/`, compiler and flags ([`ompchunk_testsuite::coverage`]). Each row is
//! compared with the table by the test that saw it; `INSTA_UPDATE=always` (`make bless`) writes it, and the page that
//! is made of it.

use std::process::ExitCode;
use std::sync::{Arc, Mutex};

use anyhow::{Result, ensure};
use ompchunk_testsuite::coverage::case::Case;
use ompchunk_testsuite::coverage::compiler::Compiler;
use ompchunk_testsuite::coverage::table::{self, Key, Row};
use ompchunk_testsuite::coverage::{check, emulated, page};
use ompchunk_testsuite::runtime::Runtime;
use ompchunk_testsuite::suite::Suite;
use ompchunk_testsuite::{target, workdir};

fn main() -> ExitCode {
    let bless = std::env::var_os("INSTA_UPDATE").is_some_and(|value| value == "always");
    let cases: Arc<Vec<Case>> = Arc::new(Case::all().expect("readable cases"));
    let table = Arc::new(table::committed().expect("a table that can be read"));
    let seen: Arc<Mutex<Vec<Row>>> = Arc::default();
    let mut keys = Vec::new();

    let mut suite = Suite::default();
    suite.needs("second runtime", Runtime::second(), |_, _| {});
    suite.needs("third runtime", Runtime::libomp16(), |_, _| {});
    let compilers = Compiler::all();
    for (at, case) in cases.iter().enumerate() {
        for variant in &case.variants {
            for (name, compiler) in &compilers {
                // LLVM 16 is there for its form of the IR, not for its flags and linkers.
                if !Compiler::reads(name, case) || (*name == "clang 16" && !variant.is_empty()) {
                    continue;
                }
                keys.push((case.file.clone(), variant.clone(), (*name).to_owned()));
                if !target::can_link(variant) {
                    eprintln!("left out for another processor: {} {variant}", case.file);
                    continue;
                }
                let Ok(compiler) = compiler.clone() else {
                    continue;
                };
                let (cases, variant, name) = (Arc::clone(&cases), variant.clone(), *name);
                let (table, seen) = (Arc::clone(&table), Arc::clone(&seen));
                let test = format!("{}{variant}/{name}", case.file).replace(' ', "-");
                suite.test(test.clone(), move || {
                    let row = workdir::scoped(&test, |dir| {
                        check::row(&cases[at], &compiler, &variant, name, dir)
                    })?;
                    seen.lock().expect("no test panics here").push(row.clone());
                    match bless {
                        true => Ok(()),
                        false => table::compare(&row, &table),
                    }
                });
            }
        }
    }
    for (name, compiler) in &compilers {
        if !emulated::by(name) {
            continue;
        }
        keys.push((emulated::CASE.to_owned(), String::new(), (*name).to_owned()));
        let Ok(compiler) = compiler.clone() else {
            continue;
        };
        let (table, seen, name) = (Arc::clone(&table), Arc::clone(&seen), *name);
        let test = format!("{}/{name}", emulated::CASE).replace(' ', "-");
        suite.test(test.clone(), move || {
            let row = workdir::scoped(&test, |dir| emulated::row(&compiler, name, dir))?;
            seen.lock().expect("no test panics here").push(row.clone());
            match bless {
                true => Ok(()),
                false => table::compare(&row, &table),
            }
        });
    }
    for (name, compiler) in compilers {
        suite.needs(name, compiler, |_, _| {});
    }
    let (rows, right) = (Arc::clone(&table), keys.clone());
    suite.test("document", move || match bless {
        true => Ok(()),
        false => no_other_rows(&rows, &right),
    });
    let code = suite.run();
    if bless {
        let seen = seen.lock().expect("no test panics here");
        let rows = table::rows(&keys, &seen, &table);
        let directory = table::path().parent().map(std::fs::create_dir_all);
        directory.transpose().expect("a directory to write to");
        let text = table::text(&rows).expect("a table");
        std::fs::write(table::path(), text).expect("the table can be written");
        std::fs::write(page::path(), page::text(&rows)).expect("the page can be written");
    }
    code
}

/// Rows of cases that are gone, or out of order; a page of another table.
fn no_other_rows(rows: &[Row], keys: &[Key]) -> Result<()> {
    let found: Vec<Key> = rows.iter().map(Row::key).collect();
    let other = found.iter().zip(keys).find(|(found, right)| found != right);
    ensure!(
        other.is_none() && found.len() == keys.len(),
        "docs/data/coverage.csv has {} rows for {} cases, the first difference: {other:?}; run make bless",
        found.len(),
        keys.len()
    );
    ensure!(
        std::fs::read_to_string(page::path())? == page::text(rows),
        "docs/coverage.md is not what docs/data/coverage.csv says; run make bless"
    );
    Ok(())
}
