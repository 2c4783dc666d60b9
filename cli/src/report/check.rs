//! `--check`: does the trace keep the order that readers rely on?

use std::fmt::{self, Write as _};
use std::process::ExitCode;

use anyhow::Result;
use ompchunk_figures::counted;
use ompchunk_trace_format::{Checked, Ending, Part, shown};

use super::Opened;
use crate::output;
use crate::record::{is_growing, successor};

/// Checks parts; the code is 1 if something is out of order, or damaged. A part that is being written cannot be
/// judged: what is missing of it is still to come.
pub fn print(parts: &[&Part], opened: &[Opened]) -> Result<ExitCode> {
    let mut text = String::new();
    let mut is_sound = true;
    for error in opened.iter().flat_map(|opened| &opened.skipped) {
        is_sound = false;
        writeln!(text, "{error}")?;
    }
    for part in parts {
        // Before it is read: if it ends meanwhile, what was read of it may still be a part of it.
        if is_growing(part) {
            still_written(part, &mut text)?;
            continue;
        }
        match part.check() {
            Ok(found) => {
                is_sound &= found.count == 0;
                ended(part, &found, &mut text)?;
            }
            Err(error) if parts.len() > 1 => {
                is_sound = false;
                writeln!(text, "{error}")?;
            }
            Err(error) => return Err(error.into()),
        }
    }
    output::print(&text)?;
    Ok(match is_sound {
        true => ExitCode::SUCCESS,
        false => ExitCode::from(1),
    })
}

/// The line of a part whose process still runs.
fn still_written(part: &Part, to: &mut String) -> fmt::Result {
    let so_far = match part.check() {
        Ok(found) if found.count == 0 => {
            format!("{} so far, in order", counted(found.events, "event"))
        }
        _ => "its last blocks cannot be read at this moment".to_owned(),
    };
    writeln!(to, "{}: still being written, by process {}; {so_far}", shown(part.path()), part.meta().pid)
}

/// The lines of a part that is whole, or was cut.
fn ended(part: &Part, found: &Checked, to: &mut String) -> fmt::Result {
    let name = shown(part.path());
    let events = counted(found.events, "event");
    let cut = cut(part);
    if found.count == 0 {
        return writeln!(to, "{name}: {events}, in order{cut}");
    }
    writeln!(to, "{name}: {events}, {} out of order{cut}", found.count)?;
    for violation in &found.violations {
        writeln!(to, "  {violation}")?;
    }
    let more = found.count - found.violations.len() as u64;
    if more > 0 {
        writeln!(to, "  and {more} more")?;
    }
    Ok(())
}

/// How a part that did not end as it should ends.
fn cut(part: &Part) -> String {
    match (part.ending(), successor(part)) {
        (Ending::Clean, _) => String::new(),
        (Ending::Cut { .. }, Some(next)) => {
            let name = next.path().file_name().unwrap_or_default();
            format!("; ends where the process became another program (exec): that is {}", name.to_string_lossy())
        }
        (Ending::Cut { offset, what }, None) => format!("; cut at byte {offset}: {what}"),
    }
}
