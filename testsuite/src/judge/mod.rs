//! The judge: a program of the suite, compiled once with one compiler and one set of flags, and run in every way that is asked of that build.
//!
//! | way | process | expected |
//! |---|---|---|
//! | [`Built::stock`] | the stock program alone | what all others are compared with |
//! | [`events`] | no shim; shim, no tool; shim and oracle with all callbacks and with fewer; stock program with shim | same output, every event exact, as many iterations seen as printed |
//! | [`schedules`] | the schedule that `OMPCHUNK_SCHEDULE` orders, with and without the oracle | same output, every event exact |
//! | [`sub_blocks`] | an oracle that wants sub-blocks | same output, they are all of each chunk, in order |
//!
//! The programs of `run/` are judged by `tests/programs.rs`, those of `coverage/` by `tests/coverage.rs`.

pub mod events;
pub mod schedules;
pub mod sub_blocks;

use std::cell::RefCell;
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::process::ExitStatus;

use anyhow::{Result, ensure};
use ompchunk_abi::{LOOP_CHANGEABLE, LOOP_DEALT, LOOP_DIVISIBLE, LOOP_REASSOCIATED, fixed};

use crate::child;
use crate::facts::{Environment, Facts};
use crate::oracle::Expected;
use crate::records::{self, Record};
use crate::runtime::Runtime;
use crate::session::{self, Session};

/// What is known of a program, whatever it is built with.
pub struct Known<'a> {
    pub facts: &'a Facts,
    /// What the oracle judges its events against; none where the output must do.
    pub expected: Option<&'a Expected>,
    /// The oracle can judge them under other schedules, too.
    pub judged_changed: bool,
}

pub struct Built<'a> {
    pub known: Known<'a>,
    /// As the compiler makes it.
    pub stock: PathBuf,
    pub instrumented: PathBuf,
    /// With `-g`, so that its loops have names.
    pub debug: bool,
    pub records: Vec<Record>,
    /// What every run needs.
    always: Environment,
    dir: &'a Path,
    outputs: RefCell<HashMap<String, Stock>>,
}

/// What the stock program prints, or why there is nothing to compare with.
pub type Stock = Result<String, Instead>;

/// Why a stock program prints nothing.
#[derive(Debug, Clone, thiserror::Error)]
pub enum Instead {
    /// The compiler calls what this older runtime does not have, as docs/coverage.md says.
    #[error("the runtime lacks `{0}`")]
    Lacks(String),
    #[error("fails without the plugin: {0}\n{1}")]
    Fails(ExitStatus, String),
}

impl<'a> Built<'a> {
    /// From the two executables in `dir`; a loop that does not say why it is not changed or divided is an error.
    pub fn new(
        known: Known<'a>,
        [stock, instrumented]: [PathBuf; 2],
        (debug, always): (bool, Environment),
        dir: &'a Path,
    ) -> Result<Built<'a>> {
        let records = records::of_file(&instrumented)?;
        records.iter().try_for_each(says_why)?;
        Ok(Built { known, stock, instrumented, debug, records, always, dir, outputs: RefCell::default() })
    }

    /// A run, as yet of nothing special.
    pub fn session(&self, runtime: &Runtime, threads: u32, environment: &Environment) -> Session {
        let mut session = Session::new(runtime, threads, self.dir);
        session.environment = environment.iter().chain(&self.always).cloned().collect();
        session
    }

    /// What the stock program prints there; it runs once.
    pub fn stock(&self, session: &Session) -> Result<Stock> {
        let place = format!("{} {} {:?}", session.runtime.name, session.threads, session.environment);
        if let Some(known) = self.outputs.borrow().get(&place) {
            return Ok(known.clone());
        }
        let mut command = session.command(&self.stock, &[]);
        let finished = child::finish(&mut command)?;
        let stock = match lacking(&finished.stderr) {
            Some(function) => Err(Instead::Lacks(function.to_owned())),
            None if !finished.status.success() => Err(Instead::Fails(finished.status, finished.stderr)),
            None => Ok(session::said(&command, finished)?),
        };
        self.outputs.borrow_mut().insert(place, stock.clone());
        Ok(stock)
    }

    /// Once a program can be cancelled, nothing is changed or divided, and the shim says so.
    fn cancels(&self) -> bool {
        self.known.facts.environments.iter().flatten().any(|(name, _)| name == "OMP_CANCELLATION")
    }
}

/// Whether its schedule can be changed, and whether results stay the same in sub-blocks, or why not.
fn says_why(record: &Record) -> Result<()> {
    let changeable = record.flags & LOOP_CHANGEABLE != 0;
    ensure!(
        changeable == (record.fixed == 0) && (changeable || fixed::sentence(record.fixed).is_some()),
        "{record:?} does not say why it cannot be changed"
    );
    let said = record.flags & (LOOP_DIVISIBLE | LOOP_REASSOCIATED);
    let says_one = said != 0 && said != LOOP_DIVISIBLE | LOOP_REASSOCIATED;
    let may_be = record.flags & (LOOP_CHANGEABLE | LOOP_DEALT) == LOOP_CHANGEABLE;
    ensure!(says_one || said == 0 && !may_be, "{record:?} does not say whether results stay the same");
    Ok(())
}

/// The entry that the compiler calls and this older runtime does not have yet.
fn lacking(stderr: &str) -> Option<&str> {
    let (_, symbol) = stderr.split_once("undefined symbol: ")?;
    let (symbol, _) = symbol.split_once(',')?;
    symbol.starts_with("__kmpc_").then_some(symbol)
}

fn same(output: &str, stock: &str, what: &str) -> Result<()> {
    ensure!(output == stock, "{what}: the output is\n{output}instead of\n{stock}");
    Ok(())
}
