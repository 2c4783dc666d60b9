//! `ompchunk doctor`: everything that is needed, found through the code that the other commands use.
//!
//! Gather (`compilers`, `runtimes`) -> findings -> checks in words -> text or JSON (`render`).
//! A finding never stops the gathering; only what depends on a missing thing is left out.

mod compilers;
mod finding;
mod render;
mod runtimes;

use std::process::ExitCode;
use std::thread::available_parallelism;

use anyhow::Result;
use ompchunk_toolchain::installation::Installation;
use ompchunk_toolchain::probe::Bench;

use self::finding::{Check, Finding};
use crate::args::Doctor;
use crate::{output, registered, report, wrap};

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
    findings.extend(variable_findings());
    findings.extend(machine_findings());
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

const CLOCK: &str = "/sys/devices/system/clocksource/clocksource0/current_clocksource";
const PERF: &str = "/proc/sys/kernel/perf_event_paranoid";

fn machine_findings() -> Vec<Finding> {
    let word = |path| {
        let text = std::fs::read_to_string(path).ok()?;
        Some(text.trim().to_owned())
    };
    let mut found = vec![
        Finding::Clock(word(CLOCK)),
        Finding::Perf(word(PERF).and_then(|level| level.parse().ok())),
        Finding::Cores(available_parallelism().map_or(1, usize::from)),
    ];
    let stale = registered::stale();
    found.extend((stale > 0).then_some(Finding::Registered(stale)));
    found
}

fn variable_findings() -> Vec<Finding> {
    let mut found = Vec::new();
    let mut note = |name, effect, matters: fn(&str) -> bool| {
        if let Some(value) = std::env::var_os(name) {
            let value = value.to_string_lossy().into_owned();
            if matters(&value) {
                found.push(Finding::Variable { name, value, effect });
            }
        }
    };
    note(wrap::VARIABLE, "off compiles without the plugin", |value| !value.is_empty());
    note("OMP_TOOL", "runtimes ask no tool, unless ompchunk run starts the program", |value| value == "disabled");
    note("LD_PRELOAD", "a preloaded tool or runtime comes before those that ompchunk run names", |value| {
        value.contains("omp")
    });
    found
}
