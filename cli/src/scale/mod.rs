//! `ompchunk scale`: the program with several team sizes, and what each loop loses with more threads.
//!
//! Which sizes and in which order (`teams`) -> runs of the program (`runs`), each with a trace (`place`), which is read at once
//! (`gather`, `sample`, with the processor's `counters`) -> per loop from rounds to ranges (`range`, `curve`), and for the run (`whole`) -> what is said of each
//! (`verdict`, `sentence`) and of all (`found`, `notes`) -> `text`, `json` or `page` (with `chart`).

mod chart;
mod counters;
mod curve;
mod found;
mod gather;
mod json;
mod notes;
mod page;
mod place;
mod runs;
mod sample;
mod sentence;
mod teams;
mod text;
mod verdict;
mod whole;

use std::path::Path;
use std::process::ExitCode;
use std::time::Duration;

use anyhow::Result;

use self::found::Found;
use self::gather::{Gathered, gather};
use self::place::Place;
use self::runs::Teams;
use self::text::Head;
use crate::args::Scale;
use crate::repeat::{Error, no_loop, progress, words};
use crate::{output, report};

/// Runs, compares, prints.
pub fn run(scale: &Scale) -> Result<ExitCode> {
    let processors = teams::processors();
    let sizes = teams::of(&scale.threads, processors);
    if let [only] = sizes[..] {
        return Err(Error::Alone(only).into());
    }
    if let Some(page) = scale.html.as_deref().filter(|html| *html != Path::new("-")) {
        output::check(page)?;
    }
    let rounds = scale.runs as usize;
    let place = Place::prepare(scale.output.as_deref())?;
    let mut runs = Teams::new(&scale.program, &scale.schedules)?;
    let bar = progress();
    let gathered = gather(&mut runs, &place, &sizes, rounds, |round, threads| {
        bar.set_message(format!("run {} of {rounds}, with {threads} of {sizes:?} threads", round + 1));
    })?;
    bar.finish_and_clear();

    let found = Found::of(&gathered, processors);
    let command = words(&scale.program);
    let notes = notes::of(&gathered, &found, &runs.outputs()?, rounds, processors);
    let head = Head {
        command: &command,
        asked: gathered.asked(),
        rounds,
        processors,
        notes: &notes,
        no_counters: runs.no_counters(),
    };
    print(scale, &head, &found, &gathered)?;
    Ok(ExitCode::SUCCESS)
}

fn print(scale: &Scale, head: &Head<'_>, found: &Found, gathered: &Gathered) -> Result<()> {
    if scale.json {
        let value = json::value(head, found)?;
        output::print(&(serde_json::to_string_pretty(&value)? + "\n"))?;
    } else if scale.html.as_deref() == Some(Path::new("-")) {
        page::write(Path::new("-"), head, found)?;
    } else if found.loops.is_empty() {
        let took = gathered.runs.first().map_or(Duration::ZERO, |run| run.ran.took);
        output::print(&no_loop(took, head.command, "there is nothing to compare"))?;
    } else {
        let text = text::text(head, found, scale.top, report::terminal_width());
        output::print_styled(&text)?;
        if let Some(path) = &scale.html {
            page::write(path, head, found)?;
        }
    }
    Ok(())
}
