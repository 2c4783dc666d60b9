//! Is every shape of a static loop handled as `docs/data/coverage.csv` says, and does it say what is so?
//!
//! One test per case of `coverage/`, compiler and flags ([`ompchunk_testsuite::coverage`]). Each row is
//! compared with the table by the test that saw it; `INSTA_UPDATE=always` (`make bless`) writes it, and the page that
//! is made of it. One build of each case is tried under other schedules and in sub-blocks, too; where it has no row, in a test of its own.

use std::path::Path;
use std::sync::{Arc, Mutex};

use anyhow::{Context, Result, ensure};
use ompchunk_testsuite::coverage::build::Builder;
use ompchunk_testsuite::coverage::case::Case;
use ompchunk_testsuite::coverage::compiler::{COLUMNS, Column, Compiler, Found};
use ompchunk_testsuite::coverage::table::{self, Key, Row};
use ompchunk_testsuite::coverage::{check, emulated, page};
use ompchunk_testsuite::runtime::Runtime;
use ompchunk_testsuite::schedules::{Plan, plans};
use ompchunk_testsuite::suite::Suite;
use ompchunk_testsuite::{target, workdir};

/// Executions under other schedules of a build.
const RUNS: usize = 4;
/// Ends the name of a test that has more than events.
const WAYS: &str = "/schedules/sub-blocks";

pub fn trials(suite: &mut Suite) {
    suite.needs("second runtime", Runtime::second(), |_, _| {});
    suite.needs("third runtime", Runtime::libomp16(), |_, _| {});
    let mut tests = Tests::new(suite);
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
    tests.finish();
}

/// A build of a case that is tried in other ways than as compiled, unless that has been asked for already.
struct Planned {
    column: &'static str,
    compiler: Compiler,
    variant: String,
    plan: Option<Plan>,
}

fn planned(case: &Case) -> Vec<Planned> {
    let compilers = Compiler::exact(case);
    // The runtime of what is proposed is to come; of others docs/coverage.md says why no compiler makes a program that is right.
    if !case.proposed.is_empty() || compilers.is_empty() {
        return Vec::new();
    }
    let planned = plans(&case.file, RUNS).into_iter().map(|plan| {
        let level = match (case.is_fortran(), plan.level) {
            // flang has no -Os.
            (true, "-Os") => "-O1",
            (_, level) => level,
        };
        let variant = match (level, plan.debug) {
            // As rows are built that say nothing else.
            ("-O2", false) => String::new(),
            (level, true) => format!("{level} -g"),
            (level, false) => level.to_owned(),
        };
        let at = plan.compiler % compilers.len();
        let (column, compiler) = compilers[at].clone();
        Planned { column, compiler, variant, plan: Some(plan) }
    });
    planned.collect()
}

struct Tests<'a> {
    suite: &'a mut Suite,
    bless: bool,
    table: Arc<Vec<Row>>,
    seen: Arc<Mutex<Vec<Row>>>,
    /// Keys of all rows that the table shall have, in order.
    keys: Vec<Key>,
}

fn key(case: &str, variant: &str, compiler: &str) -> Key {
    (case.to_owned(), variant.to_owned(), compiler.to_owned())
}

impl Tests<'_> {
    fn new(suite: &mut Suite) -> Tests<'_> {
        Tests {
            suite,
            bless: std::env::var_os("INSTA_UPDATE").is_some_and(|value| value == "always"),
            table: Arc::new(table::committed().expect("a table that can be read")),
            seen: Arc::default(),
            keys: Vec::new(),
        }
    }

    /// A test per variant and compiler that this machine shall have, a key per variant and column.
    fn of_case(&mut self, cases: &Arc<Vec<Case>>, at: usize, compilers: &[(Column, Found)]) {
        let case = &cases[at];
        let mut planned = planned(case);
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
                let is_here = |planned: &&mut Planned| planned.column == name && planned.variant == *variant;
                let here: Vec<Plan> =
                    planned.iter_mut().filter(is_here).filter_map(|planned| planned.plan.take()).collect();
                let ways = if here.is_empty() { "" } else { WAYS };
                let test = format!("{}{variant}/{name}{ways}", case.file);
                let (cases, variant) = (Arc::clone(cases), variant.clone());
                self.row(test, compiler, move |compiler, dir| {
                    let builder = Builder { case: &cases[at], compiler, variant: &variant, dir };
                    check::row(&builder, name, &here)
                });
            }
        }
        for Planned { column, compiler, variant, plan } in planned {
            let Some(plan) = plan else { continue };
            let test = format!("{}{variant}/{column}{WAYS}", case.file).replace(' ', "-");
            let cases = Arc::clone(cases);
            self.suite.scoped(test, move |dir| {
                let builder = Builder { case: &cases[at], compiler: &compiler, variant: &variant, dir };
                check::other_ways(&builder, &plan).with_context(|| format!("{plan:?}"))
            });
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

    fn finish(self) {
        let (rows, right, bless) = (Arc::clone(&self.table), self.keys.clone(), self.bless);
        self.suite.test("document", move || match bless {
            true => Ok(()),
            false => no_other_rows(&rows, &right),
        });
        if bless {
            let Tests { seen, keys, table, .. } = self;
            let write = move || write(&table::rows(&keys, &seen.lock().expect("no test panics here"), &table));
            self.suite.after(write);
        }
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
