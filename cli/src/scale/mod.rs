//! `ompchunk scale`: what each loop loses with more threads. Runs of the program with several team sizes (`gather`),
//! whose traces are read at once (`sample`, `counters`) -> per loop from rounds to ranges (`curve`) -> what is said of
//! each (`verdict`) and of all (`found`) -> `text`, JSON or `page` (with `chart`).

mod chart;
mod counters;
mod curve;
mod found;
mod gather;
mod page;
mod sample;
mod text;
mod verdict;

use std::path::Path;
use std::process::ExitCode;
use std::thread::available_parallelism;
use std::time::Duration;

use anyhow::Result;
use ompchunk_toolchain::Failure;
use serde_json::{Value, json};

use self::found::Found;
use self::gather::{Gathered, Teams, TraceFolder, gather};
use self::text::Head;
use crate::args::Scale;
use crate::repeat::{no_loop, progress, words};
use crate::{output, report};

pub fn run(scale: &Scale) -> Result<ExitCode> {
    // Those that this process, and so the program, may use.
    let processors = available_parallelism().map_or(1, |processors| processors.get() as u32);
    let sizes = team_sizes(&scale.threads, processors);
    if let [only] = sizes[..] {
        return Err(Failure::new(
            format!("there is one team size ({only}), and nothing to compare it with"),
            "name two or more, as in --threads 1,2,4; more threads than processors tell little",
        )
        .into());
    }
    if let Some(page) = scale.html.as_deref().filter(|html| *html != Path::new("-")) {
        output::check(page)?;
    }
    let rounds = scale.runs as usize;
    let place = TraceFolder::prepare(scale.output.as_deref())?;
    let mut runs = Teams::new(&scale.program, &scale.schedules)?;
    let bar = progress();
    let gathered = gather(&mut runs, &place, &sizes, rounds, |round, threads| {
        bar.set_message(format!("run {} of {rounds}, with {threads} of {sizes:?} threads", round + 1));
    })?;
    bar.finish_and_clear();

    let found = Found::from_gathered(&gathered, processors);
    let command = words(&scale.program);
    let notes = found::notes(&gathered, &found, runs.outputs()?, rounds, processors);
    let head = Head {
        command: &command,
        asked: gathered.asked(),
        rounds,
        processors,
        notes: &notes,
        no_counters: runs.no_counters.as_deref(),
    };
    print(scale, &head, &found, &gathered)?;
    Ok(ExitCode::SUCCESS)
}

fn print(scale: &Scale, head: &Head<'_>, found: &Found, gathered: &Gathered) -> Result<()> {
    if scale.json {
        output::print(&format!("{:#}\n", as_json(head, found)))?;
    } else if scale.html.as_deref() == Some(Path::new("-")) {
        output::write_page(Path::new("-"), &page::page(head, found))?;
    } else if found.loops.is_empty() {
        let took = gathered.runs.first().map_or(Duration::ZERO, |run| run.ran.took);
        output::print(&no_loop(took, head.command, "there is nothing to compare"))?;
    } else {
        let text = text::text(head, found, scale.top, report::terminal_width());
        output::print_styled(&text)?;
        if let Some(path) = &scale.html {
            output::write_page(path, &page::page(head, found))?;
        }
    }
    Ok(())
}

fn as_json(head: &Head<'_>, found: &Found) -> Value {
    json!({
        "schema": "ompchunk-scale",
        "version": 1,
        "command": head.command,
        "processors": head.processors,
        "runs": head.rounds,
        "threads": head.asked,
        "notes": head.notes,
        "run": found.run,
        "no_counters": head.no_counters,
        "loops_together": found.together,
        "loops": found.loops,
    })
}

/// The sizes that were asked for, or powers of two and last all processors: the smallest first, each once.
fn team_sizes(asked: &[u32], processors: u32) -> Vec<u32> {
    let mut teams = asked.to_vec();
    if asked.is_empty() {
        teams.extend((0..).map(|power| 1 << power).take_while(|threads| *threads < processors));
        teams.push(processors);
    }
    teams.sort_unstable();
    teams.dedup();
    teams
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn powers_of_two_and_all_processors() {
        assert_eq!(team_sizes(&[], 1), [1]);
        assert_eq!(team_sizes(&[], 2), [1, 2]);
        assert_eq!(team_sizes(&[], 6), [1, 2, 4, 6]);
        assert_eq!(team_sizes(&[], 8), [1, 2, 4, 8]);
        assert_eq!(team_sizes(&[4, 2, 4], 2), [2, 4]);
    }
}
