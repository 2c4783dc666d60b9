//! `--check`: does the trace keep the order that readers rely on?

use std::process::ExitCode;

use anyhow::Result;
use ompchunk_figures::counted;
use ompchunk_trace_format::{Checked, Ending, Part, shown};

use super::Opened;
use crate::output;
use crate::record::{is_growing, successor};

/// The code is 1 if something is out of order, or damaged. A part that is being written cannot be judged.
pub fn print(parts: &[&Part], opened: &[Opened]) -> Result<ExitCode> {
    let mut text = String::new();
    let mut is_sound = true;
    for error in opened.iter().flat_map(|opened| &opened.skipped) {
        is_sound = false;
        text += &format!("{error}\n");
    }
    for part in parts {
        // Before it is read: if it ends meanwhile, what was read of it may still be a part of it.
        if is_growing(part) {
            text += &still_written(part);
            continue;
        }
        match part.check() {
            Ok(found) => {
                is_sound &= found.count == 0;
                text += &ended(part, &found);
            }
            Err(error) if parts.len() > 1 => {
                is_sound = false;
                text += &format!("{error}\n");
            }
            Err(error) => return Err(error.into()),
        }
    }
    output::print(&text)?;
    Ok(if is_sound { ExitCode::SUCCESS } else { ExitCode::from(1) })
}

fn still_written(part: &Part) -> String {
    let so_far = match part.check() {
        Ok(found) if found.count == 0 => format!("{} so far, in order", counted(found.events, "event")),
        _ => "its last blocks cannot be read at this moment".to_owned(),
    };
    format!("{}: still being written, by process {}; {so_far}\n", shown(part.path()), part.meta().pid)
}

fn ended(part: &Part, found: &Checked) -> String {
    let name = shown(part.path());
    let events = counted(found.events, "event");
    let cut = cut(part);
    if found.count == 0 {
        return format!("{name}: {events}, in order{cut}\n");
    }
    let mut text = format!("{name}: {events}, {} out of order{cut}\n", found.count);
    text.extend(found.violations.iter().map(|violation| format!("  {violation}\n")));
    let more = found.count - found.violations.len() as u64;
    if more > 0 {
        text += &format!("  and {more} more\n");
    }
    text
}

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
