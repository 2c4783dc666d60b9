//! `ompchunk run`: the program with the shim and the tools in the runtime's list.

use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::OsStrExt as _;
use std::path::{self, PathBuf};
use std::process::{Command, ExitCode};

use anyhow::{Result, ensure};
use ompchunk_abi::overrides::{CHECK_TOOL, VARIABLE};
use ompchunk_abi::run::{CHECK, DECISIONS, SEPARATOR};
use ompchunk_toolchain::installation::Installation;
use ompchunk_toolchain::schedule_option::Schedules;
use ompchunk_toolchain::{Failure, attach};

use crate::args::Run;
use crate::{exec, runtime, stock};

pub fn exec(run: &Run) -> Result<ExitCode> {
    if run.check && !is_ordered(run) {
        return Err(Failure::new(
            format!("--check has nothing to check: there is no --schedule, and {VARIABLE} is not set"),
            "name schedules, as in ompchunk run --schedule 'solver.c:118=static,16' --check ./app",
        )
        .into());
    }
    let installation = Installation::find()?;
    let check = run.check.then(|| OsString::from(CHECK_TOOL));
    let tools = run
        .tools
        .iter()
        .chain(&check)
        .map(|tool| attach::find_tool(&installation, tool))
        .collect::<Result<Vec<_>, _>>()?;
    let mut command = Command::new(&run.program[0]);
    command.args(&run.program[1..]);
    let list = std::env::var_os(attach::LIST).filter(|list| !list.is_empty());
    attach::attach(&mut command, &installation.shim()?, &tools, list.as_deref())?;
    match &run.balance {
        Some(learned) => balance(run, learned.as_ref().or(run.learned.as_ref()), &mut command)?,
        None => run.schedules.set(&mut command)?,
    }
    if is_ordered(run) {
        runtime::say_unchanged(&command, &installation);
        stock::attach(&mut command, run.unproven, &installation)?;
    }
    // Where nobody listens, the program is as its user has it.
    if !tools.is_empty() || list.is_some() || run.verbose || run.runtime.is_some() {
        if let Some(why) = runtime::attach(&mut command, run.runtime.as_ref(), &installation)? {
            runtime::notice_once(&why);
        }
    }
    if run.check || run.tools.iter().any(|tool| tool == CHECK_TOOL) {
        // Where another tool comes first all the same, a preloaded one, the shim says so.
        exec::set_run_entry(&mut command, CHECK, Some(OsStr::new("1")));
    }
    if run.verbose {
        command.env(ompchunk_abi::VERBOSE_ENV, "1");
    }
    match exec::replace(&mut command)? {}
}

/// All loops that may change are `adaptive`. What is ordered of loops by name counts more.
fn balance(run: &Run, learned: Option<&PathBuf>, command: &mut Command) -> Result<()> {
    let mut schedules = vec!["*=adaptive".to_owned()];
    match std::env::var(VARIABLE) {
        Ok(inherited) if run.schedules.schedules.is_empty() => schedules.push(inherited),
        Ok(_) | Err(_) => schedules.extend(run.schedules.schedules.iter().cloned()),
    }
    Schedules { schedules }.set(command)?;
    let decisions = match &run.json {
        // The program may change its directory.
        Some(file) => path::absolute(file)?.into_os_string(),
        None => OsString::from("-"),
    };
    ensure!(
        !decisions.as_bytes().contains(&(SEPARATOR as u8)),
        "--json: the path {} has a U+001E, which the program cannot be told. Name another file",
        decisions.to_string_lossy().escape_debug()
    );
    exec::set_run_entry(command, DECISIONS, Some(&decisions));
    if let Some(file) = learned {
        command.env(ompchunk_abi::LEARNED_ENV, path::absolute(file)?);
    }
    Ok(())
}

fn is_ordered(run: &Run) -> bool {
    let inherited = std::env::var_os(VARIABLE).is_some_and(|value| !value.is_empty());
    inherited || run.balance.is_some() || !run.schedules.schedules.is_empty()
}
