//! `ompchunk doctor`: everything that is needed, found through the code that the other commands use.
//!
//! Gather (`compilers`, `runtimes`, `machine`) -> findings -> checks in words -> text or JSON (`render`).
//! A finding never stops the gathering; only what depends on a missing thing is left out.

mod check;
mod compilers;
mod finding;
mod machine;
mod render;
mod runtimes;

use std::process::ExitCode;

use anyhow::Result;
use ompchunk_toolchain::installation::Installation;
use ompchunk_toolchain::probe::Bench;

use self::check::Check;
use self::finding::Finding;
use crate::args::Doctor;
use crate::{output, report};

/// Prints the checks; the exit code says whether something required is missing.
pub fn print(arguments: &Doctor) -> Result<ExitCode> {
    let findings = gather()?;
    let checks: Vec<Check> = findings.iter().map(Finding::check).collect();
    let text = if arguments.json { render::json(&checks)? } else { render::text(&checks, report::terminal_width()) };
    output::print(&text)?;
    Ok(if render::is_healthy(&checks) { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

fn gather() -> Result<Vec<Finding>> {
    let mut findings = Vec::new();
    match Installation::find() {
        Ok(installation) => findings.extend(installed(&installation)?),
        Err(error) => findings.push(Finding::NotInstalled(error)),
    }
    findings.extend(machine::variables());
    findings.extend(machine::findings());
    Ok(findings)
}

fn installed(installation: &Installation) -> Result<Vec<Finding>> {
    let tools = installation.tools();
    let has_tool = installation.tool("chunk-print").is_some();
    let shim = installation.shim();
    let has_shim = shim.is_ok();
    let mut findings = vec![
        Finding::Installation { directory: installation.directory().to_owned(), majors: installation.majors() },
        shim.map_or_else(Finding::NotInstalled, Finding::Shim),
        Finding::Tools(tools),
    ];
    let bench = Bench::new()?;
    let (compilers, for_c) = compilers::findings(&bench, installation)?;
    findings.extend(compilers);
    // Without the one or the other nothing can be run.
    if let (Some(compiler), true, true) = (for_c, has_shim, has_tool) {
        findings.extend(runtimes::findings(&bench, installation, &compiler)?);
    }
    Ok(findings)
}
