//! Is every shape of a static loop handled as `docs/data/coverage.csv` says, and does it say what is so?
//!
//! One test per case of `coverage/`, compiler and flags ([`ompchunk_testsuite::coverage`]). Each row is
//! compared with the table by the test that saw it; `INSTA_UPDATE=always` (`make bless`) writes it, and the page that
//! is made of it.

use std::path::Path;
use std::process::ExitCode;
use std::sync::{Arc, Mutex};

use anyhow::{Result, ensure};
use ompchunk_testsuite::coverage::case::Case;
use ompchunk_testsuite::coverage::compiler::{COLUMNS, Column, Compiler, Found};
use ompchunk_testsuite::coverage::table::{self, Key, Row};
use ompchunk_testsuite::coverage::{check, emulated, page};
use ompchunk_testsuite::runtime::Runtime;
use ompchunk_testsuite::suite::Suite;
use ompchunk_testsuite::{target, workdir};

fn main() -> ExitCode {
    let mut tests = Tests::new();
    let suite = &mut tests.suite;
    suite.needs("second runtime", Runtime::second(), |_, _| {});
    suite.needs("third runtime", Runtime::libomp16(), |_, _| {});
    let compilers = Compiler::wanted();
    let cases: Arc<Vec<Case>> = Arc::new(Case::all().expect("readable cases"));
    for at in 0..cases.len() {
        tests.of_case(&cases, at, &compilers);
    }
    for column in COLUMNS {
        if emulated::by(column.name) {
            tests.keys.push(key(emulated::CASE, "", column.name));
        }
    }
    for (column, compiler) in &compilers {
        let name = column.name;
        if emulated::by(name) {
            let test = format!("{}/{name}", emulated::CASE);
            tests.row(test, compiler, move |compiler, dir| emulated::row(compiler, name, dir));
        }
    }
    for (column, compiler) in compilers {
        tests.suite.needs(column.name, compiler, |_, _| {});
    }
    tests.run()
}

/// The tests, and what they see.
struct Tests {
    suite: Suite,
    /// Rows are written, not compared.
    bless: bool,
    table: Arc<Vec<Row>>,
    seen: Arc<Mutex<Vec<Row>>>,
    /// Of all rows that the table shall have, in order.
    keys: Vec<Key>,
}

fn key(case: &str, variant: &str, compiler: &str) -> Key {
    (case.to_owned(), variant.to_owned(), compiler.to_owned())
}

impl Tests {
    fn new() -> Tests {
        Tests {
            suite: Suite::default(),
            bless: std::env::var_os("INSTA_UPDATE").is_some_and(|value| value == "always"),
            table: Arc::new(table::committed().expect("a table that can be read")),
            seen: Arc::default(),
            keys: Vec::new(),
        }
    }

    /// A test per variant and compiler that this machine shall have, a key per variant and column.
    fn of_case(&mut self, cases: &Arc<Vec<Case>>, at: usize, compilers: &[(Column, Found)]) {
        let case = &cases[at];
        for variant in &case.variants {
            let has_row = |column: Column| column.reads(case) && (variant.is_empty() || !column.is_plain());
            let columns = COLUMNS.into_iter().filter(|column| has_row(*column));
            self.keys.extend(columns.map(|column| key(&case.file, variant, column.name)));
            for (column, compiler) in compilers.iter().filter(|(column, _)| has_row(*column)) {
                if !target::can_link(variant) {
                    eprintln!("left out for another processor: {} {variant}", case.file);
                    continue;
                }
                let name = column.name;
                let test = format!("{}{variant}/{name}", case.file);
                let (cases, variant) = (Arc::clone(cases), variant.clone());
                self.row(test, compiler, move |compiler, dir| check::row(&cases[at], compiler, &variant, name, dir));
            }
        }
    }

    /// A test that sees a row, if there is the compiler.
    fn row(
        &mut self,
        test: String,
        compiler: &Found,
        look: impl FnOnce(&Compiler, &Path) -> Result<Row> + Send + 'static,
    ) {
        let Ok(compiler) = compiler.clone() else {
            return;
        };
        let (table, seen, bless) = (Arc::clone(&self.table), Arc::clone(&self.seen), self.bless);
        let test = test.replace(' ', "-");
        self.suite.test(test.clone(), move || {
            let row = workdir::scoped(&test, |dir| look(&compiler, dir))?;
            seen.lock().expect("no test panics here").push(row.clone());
            match bless {
                true => Ok(()),
                false => table::compare(&row, &table),
            }
        });
    }

    fn run(mut self) -> ExitCode {
        let (rows, right, bless) = (Arc::clone(&self.table), self.keys.clone(), self.bless);
        self.suite.test("document", move || match bless {
            true => Ok(()),
            false => no_other_rows(&rows, &right),
        });
        let code = self.suite.run();
        if bless {
            let seen = self.seen.lock().expect("no test panics here");
            write(&table::rows(&self.keys, &seen, &self.table));
        }
        code
    }
}

/// The table, and the page that is made of it.
fn write(rows: &[Row]) {
    let directory = table::path().parent().map(std::fs::create_dir_all);
    directory.transpose().expect("a directory to write to");
    let text = table::text(rows).expect("a table");
    std::fs::write(table::path(), text).expect("the table can be written");
    std::fs::write(page::path(), page::text(rows)).expect("the page can be written");
}

/// Rows of cases that are gone, or out of order; a page of another table.
fn no_other_rows(rows: &[Row], keys: &[Key]) -> Result<()> {
    let found: Vec<Key> = rows.iter().map(Row::key).collect();
    let differing = found.iter().zip(keys).find(|(found, right)| found != right);
    ensure!(
        differing.is_none() && found.len() == keys.len(),
        "docs/data/coverage.csv has {} rows for {} cases, the first difference: {differing:?}; run make bless",
        found.len(),
        keys.len()
    );
    ensure!(
        std::fs::read_to_string(page::path())? == page::text(rows),
        "docs/coverage.md is not what docs/data/coverage.csv says; run make bless"
    );
    Ok(())
}
