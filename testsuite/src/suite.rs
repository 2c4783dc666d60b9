//! Building the list of tests that a program runs, and skipping none of them silently.

use std::path::Path;
use std::process::ExitCode;

use anyhow::Result;
use libtest_mimic::{Arguments, Failed, Trial};

use crate::workdir;

#[derive(Debug, Clone, thiserror::Error)]
#[error("{0}")]
pub enum Missing {
    /// It could have it: with the command that would help.
    Here(String),
    /// There is none for its processor.
    Anywhere(String),
}

/// Tests by their names.
#[macro_export]
macro_rules! tests {
    ($($test:ident),+ $(,)?) => { [$((stringify!($test), $test as fn())),+] };
}

/// A module's name, and what adds its tests.
pub type Module = (&'static str, fn(&mut Suite));

/// The tests of a program, module by module.
#[derive(Default)]
pub struct Suite {
    trials: Vec<Trial>,
    module: &'static str,
    after: Vec<Box<dyn FnOnce()>>,
}

impl Suite {
    /// Runs the tests of these modules as the command line asks. A filter `tasks::` is for that module alone, `tasks::sum` for its tests with
    /// that in their names, and `tasks::|ir::` for two modules. One that fits no test is an error.
    pub fn run(modules: &[Module]) -> ExitCode {
        let mut arguments = Arguments::from_args();
        let said = arguments.filter.take_if(|filter| !arguments.exact && filter.contains("::"));
        let filters: Vec<(&str, &str)> = said.iter().flat_map(|said| said.split('|')).map(halves).collect();
        let mut suite = Suite::default();
        for &(module, add) in modules {
            if filters.is_empty() || filters.iter().any(|(wanted, _)| *wanted == module) {
                suite.module = module;
                add(&mut suite);
            }
        }
        let fits = |filter: &(&str, &str), trial: &Trial| {
            let (module, name) = halves(trial.name());
            filter.0 == module && name.contains(filter.1)
        };
        suite.trials.retain(|trial| filters.is_empty() || filters.iter().any(|filter| fits(filter, trial)));
        for filter in &filters {
            // A module may have none on this machine.
            let is_module = filter.1.is_empty() && modules.iter().any(|(module, _)| *module == filter.0);
            if !is_module && !suite.trials.iter().any(|trial| fits(filter, trial)) {
                eprintln!("no such test: {}::{}", filter.0, filter.1);
                return ExitCode::FAILURE;
            }
        }
        let conclusion = libtest_mimic::run(&arguments, suite.trials);
        suite.after.into_iter().for_each(|then| then());
        workdir::remove_shared();
        conclusion.exit_code()
    }

    /// Adds a test; an error or a panic fails it.
    pub fn test(&mut self, name: impl AsRef<str>, body: impl FnOnce() -> Result<()> + Send + 'static) {
        let name = format!("{}::{}", self.module, name.as_ref());
        self.trials.push(Trial::test(name, move || body().map_err(|error| Failed::from(format!("{error:#}")))));
    }

    /// Adds tests that fail by panics alone.
    pub fn plain(&mut self, tests: &[(&str, fn())]) {
        for &(name, body) in tests {
            self.test(name, move || {
                body();
                Ok(())
            });
        }
    }

    /// Adds a test that runs in a directory of its own, which stays if it fails.
    pub fn scoped(&mut self, name: impl Into<String>, body: impl FnOnce(&Path) -> Result<()> + Send + 'static) {
        let name = name.into();
        self.test(name.clone(), move || workdir::scoped(&name, body));
    }

    /// What is done when all tests have run.
    pub fn after(&mut self, then: impl FnOnce() + 'static) {
        self.after.push(Box::new(then));
    }

    /// Adds tests that need something, or says why they are skipped. CI machines have everything that there is, so there a skip is a failure.
    pub fn needs<T>(&mut self, name: &str, thing: Result<T, Missing>, add: impl FnOnce(&mut Suite, T)) {
        match thing {
            Ok(thing) => add(self, thing),
            Err(missing @ Missing::Here(_)) if std::env::var_os("CI").is_some() => {
                self.test(name, move || Err(missing.into()))
            }
            Err(missing) => eprintln!("skipped: {}::{name}: {missing}", self.module),
        }
    }
}

/// Module and rest of a name or a filter.
fn halves(name: &str) -> (&str, &str) {
    name.split_once("::").unwrap_or((name, ""))
}
