//! `--check`: does the trace keep the order that readers rely on?

use std::fmt::Write as _;
use std::process::ExitCode;

use anyhow::Result;
use ompchunk_trace_format::words::counted;
use ompchunk_trace_format::{Ending, Part, shown};

use super::Opened;
use crate::output;
use crate::record::{is_growing, successor};

/// Checks parts; the code is 1 if something is out of order, or damaged. A part that is being written cannot be
/// judged: what is missing of it is still to come.
pub fn print(parts: &[&Part], opened: &[Opened]) -> Result<ExitCode> {
    let mut text = String::new();
    let mut code = ExitCode::SUCCESS;
    for error in opened.iter().flat_map(|opened| &opened.skipped) {
        code = ExitCode::from(1);
        writeln!(text, "{error}")?;
    }
    for part in parts {
        let name = shown(part.path());
        // Before it is read: if it ends meanwhile, what was read of it may still be a part of it.
        if is_growing(part) {
            let pid = part.meta().pid;
            let so_far = match part.check() {
                Ok(found) if found.count == 0 => {
                    format!("{} so far, in order", counted(found.events, "event"))
                }
                _ => "its last blocks cannot be read at this moment".to_owned(),
            };
            writeln!(
                text,
                "{name}: still being written, by process {pid}; {so_far}"
            )?;
            continue;
        }
        let found = match part.check() {
            Ok(found) => found,
            Err(error) if parts.len() > 1 => {
                code = ExitCode::from(1);
                writeln!(text, "{error}")?;
                continue;
            }
            Err(error) => return Err(error.into()),
        };
        let cut = match (part.ending(), successor(part)) {
            (Ending::Clean, _) => String::new(),
            (Ending::Cut { .. }, Some(next)) => {
                let next = next.path().file_name().unwrap_or_default();
                let next = next.to_string_lossy();
                format!("; ends where the process became another program (exec): that is {next}")
            }
            (Ending::Cut { offset, what }, None) => format!("; cut at byte {offset}: {what}"),
        };
        if found.count == 0 {
            writeln!(
                text,
                "{name}: {}, in order{cut}",
                counted(found.events, "event")
            )?;
            continue;
        }
        code = ExitCode::from(1);
        writeln!(
            text,
            "{name}: {}, {} out of order{cut}",
            counted(found.events, "event"),
            found.count
        )?;
        for violation in &found.violations {
            writeln!(text, "  {violation}")?;
        }
        let more = found.count - found.violations.len() as u64;
        if more > 0 {
            writeln!(text, "  and {more} more")?;
        }
    }
    output::print(&text)?;
    Ok(code)
}
