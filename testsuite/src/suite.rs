//! Building the list of tests that a file runs, and skipping none of them silently.

use std::fmt;
use std::path::Path;
use std::process::ExitCode;

use anyhow::Result;
use libtest_mimic::{Arguments, Failed, Trial};

use crate::workdir;

/// Something the machine lacks.
#[derive(Debug, Clone)]
pub enum Missing {
    /// It could have it: with the command that would help.
    Here(String),
    /// There is none for its processor.
    Anywhere(String),
}

impl fmt::Display for Missing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (Missing::Here(what) | Missing::Anywhere(what)) = self;
        f.write_str(what)
    }
}

impl std::error::Error for Missing {}

/// The tests of one file.
#[derive(Default)]
pub struct Suite {
    trials: Vec<Trial>,
}

impl Suite {
    /// Adds a test; an error or a panic fails it.
    pub fn test(&mut self, name: impl Into<String>, body: impl FnOnce() -> Result<()> + Send + 'static) {
        self.trials.push(Trial::test(name, move || body().map_err(|error| Failed::from(format!("{error:#}")))));
    }

    /// Likewise, in a directory of its own, which stays if it fails.
    pub fn scoped(&mut self, name: impl Into<String>, body: impl FnOnce(&Path) -> Result<()> + Send + 'static) {
        let name = name.into();
        self.test(name.clone(), move || workdir::scoped(&name, body));
    }

    /// Adds tests that need something, or says why they are skipped. CI machines have everything that there is, so
    /// there a skip is a failure.
    pub fn needs<T>(&mut self, name: &str, thing: Result<T, Missing>, add: impl FnOnce(&mut Suite, T)) {
        match thing {
            Ok(thing) => add(self, thing),
            Err(missing @ Missing::Here(_)) if std::env::var_os("CI").is_some() => {
                self.test(name, move || Err(missing.into()))
            }
            Err(missing) => eprintln!("skipped: {name}: {missing}"),
        }
    }

    /// Runs the tests as the command line asks.
    pub fn run(self) -> ExitCode {
        let conclusion = libtest_mimic::run(&Arguments::from_args(), self.trials);
        workdir::remove_shared();
        conclusion.exit_code()
    }
}
