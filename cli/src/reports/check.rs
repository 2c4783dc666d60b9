//! `--check`: does the trace keep the order that readers rely on?

use std::fmt::Write as _;
use std::process::ExitCode;

use anyhow::Result;
use ompchunk_trace_format::{Ending, Part};

use crate::report;

/// Checks parts; the code is 1 if something is out of order.
pub fn print(parts: &[&Part]) -> Result<ExitCode> {
    let mut text = String::new();
    let mut code = ExitCode::SUCCESS;
    for part in parts {
        let name = part.path().display();
        let found = part.check()?;
        let cut = match part.ending() {
            Ending::Clean => String::new(),
            Ending::Cut { offset, what } => format!("; cut at byte {offset}: {what}"),
        };
        if found.count == 0 {
            writeln!(text, "{name}: {} events, in order{cut}", found.events)?;
            continue;
        }
        code = ExitCode::from(1);
        writeln!(
            text,
            "{name}: {} events, {} out of order{cut}",
            found.events, found.count
        )?;
        for violation in &found.violations {
            writeln!(text, "  {violation}")?;
        }
        let more = found.count - found.violations.len() as u64;
        if more > 0 {
            writeln!(text, "  and {more} more")?;
        }
    }
    report::print(&text)?;
    Ok(code)
}
