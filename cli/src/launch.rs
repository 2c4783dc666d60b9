//! `ompchunk run`: the program with the shim and the tools in the runtime's list.

use std::process::{Command, ExitCode};

use anyhow::Result;
use ompchunk_toolchain::attach;
use ompchunk_toolchain::installation::Installation;

use crate::args::Run;
use crate::exec;

/// Becomes the program.
pub fn exec(run: &Run) -> Result<ExitCode> {
    let installation = Installation::find()?;
    let tools = run
        .tools
        .iter()
        .map(|tool| attach::find_tool(&installation, tool))
        .collect::<Result<Vec<_>, _>>()?;
    let mut command = Command::new(&run.program[0]);
    command.args(&run.program[1..]);
    attach::attach(
        &mut command,
        &installation.shim()?,
        &tools,
        std::env::var_os(attach::LIST).as_deref(),
    )?;
    run.schedules.set(&mut command)?;
    if run.verbose {
        command.env(ompchunk_abi::VERBOSE_ENV, "1");
    }
    match exec::replace(&mut command)? {}
}
