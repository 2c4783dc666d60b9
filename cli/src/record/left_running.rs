//! Processes that a program has left running, as `daemon` does: they may record when the program has long ended. They have its
//! environment, and with it the name of the run.

use std::path::Path;

use ompchunk_trace_format::settings::VARIABLE;
use ompchunk_trace_format::{Settings, shown};

use crate::table::printable;

/// More are not named.
const NAMED: usize = 3;

/// Processes of a run, without those that are known: "process 7 (app)".
pub(super) fn of(run: &str, known: impl Fn(u32) -> bool) -> Vec<String> {
    let entry = format!("{VARIABLE}={}\n", Settings::line_of_run(run));
    let processes = std::fs::read_dir("/proc").into_iter().flatten().flatten();
    let ids = processes.filter_map(|process| process.file_name().to_str()?.parse::<u32>().ok());
    let mut ids: Vec<u32> = ids.filter(|ids| !known(*ids) && has(*ids, &entry)).collect();
    ids.sort_unstable();
    ids.into_iter().map(name).collect()
}

/// Of another user's processes it is not known. One that has ended has no environment.
fn has(id: u32, entry: &str) -> bool {
    let environment = std::fs::read(format!("/proc/{id}/environ")).unwrap_or_default();
    let mut entries = environment.split(|byte| *byte == 0);
    entries.any(|found| found.starts_with(entry.as_bytes()))
}

fn name(id: u32) -> String {
    let name = std::fs::read_to_string(format!("/proc/{id}/comm")).unwrap_or_default();
    match name.trim_end() {
        "" => format!("process {id}"),
        name => format!("process {id} ({})", printable(name)),
    }
}

/// What is said of them, and what to do.
pub(super) fn text(processes: &[String], directory: &Path) -> String {
    let named: Vec<&str> = processes.iter().take(NAMED).map(String::as_str).collect();
    let more = match processes.len().saturating_sub(NAMED) {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    let (verb, it) = match processes.len() {
        1 => ("runs", "it has"),
        _ => ("run", "they have"),
    };
    let directory = shown(directory);
    format!(
        "{}{more}, which the program left behind, still {verb} and may yet record into {directory}\nompchunk: next: ompchunk report \
         {directory} when {it} ended\n",
        named.join(", ")
    )
}
