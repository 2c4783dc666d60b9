//! A compiled program as it is and under other schedules, in randomly interleaved pairs. Nothing is compiled.
//!
//! As compiled it runs by itself; under the schedules as `ompchunk run --schedule` runs it. How it ends must be the same;
//! what it prints may differ, as sums of floating point numbers do, and is then warned of.

use std::path::Path;
use std::process::Command;

use anyhow::Result;
use ompchunk_schedules::VARIABLE;

use super::build::Runtime;
use super::conditions;
use super::runs::{Runs, Way, runtime_of, said_of_changes, shown};
use crate::error::Error;
use crate::plan::options::Options;
use crate::plan::program::is_program;
use crate::plan::variant::Role;
use crate::results::{Results, VariantInfo};
use ompchunk_toolchain::attach;
use ompchunk_toolchain::installation::Installation;
use ompchunk_toolchain::probe;

/// The ways; the first is the base.
const WAYS: [(&str, &str, Role); 3] = [
    ("compiled", "as compiled", Role::Base),
    ("compiled-again", "as compiled, again (A/A)", Role::Noise),
    ("schedules", "under the schedules", Role::Changed),
];
const CHANGED: usize = 2;

/// Measures.
pub fn run(options: &Options) -> Result<Results> {
    let text = options.schedules.text()?.unwrap_or_default();
    let words = &options.program;
    is_program(options)?;
    let shim = Installation::find()?.shim()?;
    let bench = probe::Bench::new()?;
    let runtime = Runtime::new(&bench, options.runtime.as_deref())?;
    let put_first = |command: &mut Command| runtime.put_first(command);
    let mut results = Results::new("schedules-of-program");
    results.setup = conditions::setup();
    results.setup.program = shown(words);
    results.setup.schedules = text;
    results.setup.seed = options.seed;
    let program = words[0].as_ref();
    results.setup.runtime = runtime_of(program, put_first).unwrap_or_default();
    results.warnings = conditions::worth(conditions::of_machine(1), &results.setup.runtime)?;

    let ways = WAYS.map(|way| way_of(way, options, &shim, &runtime));
    results.variants = ways.iter().map(|way| way.info.clone()).collect();
    let mut runs = Runs::new(&bench, words, ways.into(), "as compiled", 1);
    runs.look_at_base()?;
    look_at_changes(&mut runs)?;
    runs.measure(results, options)
}

/// How a variant runs.
fn way_of<'a>(
    (name, title, role): (&str, &str, Role),
    options: &'a Options,
    shim: &'a Path,
    runtime: &'a Runtime,
) -> Way<'a> {
    let command = move |_| {
        let mut command = Command::new(&options.program[0]);
        runtime.put_first(&mut command);
        if role == Role::Changed {
            let already = std::env::var_os(attach::LIST);
            attach::attach(&mut command, shim, &[], already.as_deref())?;
            options.schedules.set(&mut command)?;
        } else {
            command.env_remove(VARIABLE);
        }
        Ok(command)
    };
    Way {
        info: VariantInfo { name: name.to_owned(), title: title.to_owned(), role },
        command: Box::new(command),
        prints_the_same: role != Role::Changed,
    }
}

/// Runs it under the schedules once: do any loops run under another one? What the shim says of the others is said.
fn look_at_changes(runs: &mut Runs<'_>) -> Result<()> {
    let left = runs.run(CHANGED, &[(ompchunk_abi::VERBOSE_ENV, "1")])?.0;
    runs.judge(CHANGED, &left)?;
    let (changed, complaints) = said_of_changes(&left.said);
    if changed.is_empty() {
        return Err(Error::Unchanged(complaints).into());
    }
    for said in complaints {
        runs.warn(said);
    }
    Ok(())
}
