//! `ompchunk doctor`: everything that is needed, found through the code that the other commands use. What is found
//! never stops the gathering; only what depends on a missing thing is left out.

mod compilers;
mod finding;
mod render;
mod runtimes;

use std::process::ExitCode;
use std::thread::available_parallelism;

use anyhow::Result;
use ompchunk_toolchain::installation::Installation;
use ompchunk_toolchain::probe::Bench;

use self::finding::Check;
use crate::args::Doctor;
use crate::{child, output, report, wrap};

pub fn print(arguments: &Doctor) -> Result<ExitCode> {
    let mut checks = match Installation::find() {
        Ok(installation) => installed(&installation)?,
        Err(error) => vec![finding::not_installed(&error)],
    };
    checks.extend(of_variables());
    checks.extend(of_machine());
    let text = if arguments.json { render::json(&checks)? } else { render::text(&checks, report::terminal_width()) };
    output::print(&text)?;
    Ok(if render::is_healthy(&checks) { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

fn installed(installation: &Installation) -> Result<Vec<Check>> {
    let has_tool = installation.tool("chunk-print").is_some();
    let shim = installation.shim();
    let has_shim = shim.is_ok();
    let mut checks = vec![
        finding::plugin(installation),
        shim.map_or_else(|error| finding::not_installed(&error), |path| finding::shim(&path)),
        finding::tools(&installation.tools()),
    ];
    let bench = Bench::new()?;
    let (compilers, for_c) = compilers::checks(&bench, installation)?;
    checks.extend(compilers);
    // Without the one or the other nothing can be run.
    if let (Some(compiler), true, true) = (for_c, has_shim, has_tool) {
        checks.extend(runtimes::checks(&bench, installation, &compiler)?);
    }
    Ok(checks)
}

const CLOCK: &str = "/sys/devices/system/clocksource/clocksource0/current_clocksource";
const PERF: &str = "/proc/sys/kernel/perf_event_paranoid";

fn of_machine() -> Vec<Check> {
    let word = |path| Some(std::fs::read_to_string(path).ok()?.trim().to_owned());
    let mut found = vec![
        finding::clock(word(CLOCK).as_deref()),
        finding::perf(word(PERF).and_then(|level| level.parse().ok())),
        finding::cores(available_parallelism().map_or(1, usize::from)),
    ];
    let stale = child::stale_registered();
    found.extend((stale > 0).then(|| finding::registered(stale)));
    found
}

fn of_variables() -> Vec<Check> {
    let note = |name, effect, matters: fn(&str) -> bool| {
        let value = std::env::var_os(name)?.to_string_lossy().into_owned();
        matters(&value).then(|| finding::variable(name, &value, effect))
    };
    let preloaded = "a preloaded tool or runtime comes before those that ompchunk run names";
    let found = [
        note(wrap::VARIABLE, "off compiles without the plugin", |value| !value.is_empty()),
        note("OMP_TOOL", "runtimes ask no tool, unless ompchunk run starts the program", |value| value == "disabled"),
        note("LD_PRELOAD", preloaded, |value| value.contains("omp")),
    ];
    found.into_iter().flatten().collect()
}
