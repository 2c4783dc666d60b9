//! `ompchunk advise`. Data flow: the trace is read as for a report; `forecast` reads it once more for profiles, has what dealing
//! costs measured or finds where that was kept (`dealing`), and a crate of its own predicts and chooses; `text` or JSON says so.

mod dealing;
pub mod forecast;
mod patch;
mod text;

use std::process::ExitCode;
use std::time::{Duration, SystemTime};

use anyhow::Result;
use ompchunk_advice::Advice;
use ompchunk_advice::model::{SCHEMA, VERSION};
use ompchunk_analysis::{LoopReport, Order, is_meant, sort};
use ompchunk_figures::Interval;

pub use self::dealing::child;
use crate::args::Advise as Arguments;
use crate::output;
use crate::report::{self, command, missing};

pub fn print(arguments: &Arguments) -> Result<ExitCode> {
    let Advised { advice, command, started } = advised(arguments)?;
    if arguments.patch {
        output::print_bytes(&patch::patch(&advice, started))?;
    } else if arguments.json {
        output::print(&(serde_json::to_string_pretty(&advice)? + "\n"))?;
    } else {
        output::print_styled(&text::text(&advice, &command, arguments, report::terminal_width()))?;
    }
    Ok(ExitCode::SUCCESS)
}

pub struct Advised {
    pub advice: Advice,
    pub command: String,
    pub started: SystemTime,
}

pub fn advised(arguments: &Arguments) -> Result<Advised> {
    let traces = report::open(&[&arguments.trace])?;
    let parts = report::parts(&traces, &arguments.ranks)?;
    let mut analysis = report::read(&parts)?;
    let mut found = std::mem::take(&mut analysis.report);
    for error in traces.iter().flat_map(|trace| &trace.skipped) {
        found.skips(error);
    }
    sort(&mut found.loops, Order::Lost);
    report::hot_lines(&analysis, &mut found)?;
    let are_all = arguments.loops.is_empty();
    let is_asked = |the_loop: &&LoopReport| are_all || arguments.loops.iter().any(|one| is_meant(the_loop, one));
    let loops: Vec<&LoopReport> = found.loops.iter().filter(is_asked).collect();
    if loops.is_empty() {
        missing(&arguments.loops)?;
    }
    let read = report::progress(&parts);
    let forecast = forecast::forecasts(&analysis, &loops, &found.loops, &parts, arguments, &read)?;
    // Loops within others are in their time.
    let outer = forecast.loops.iter().zip(&loops).filter(|(_, report)| report.nested_executions == 0);
    let notes = found.notes.iter().map(|note| note.text.clone());
    let advice = Advice {
        schema: SCHEMA,
        version: VERSION,
        gain_of_run: outer.filter_map(|(advice, _)| advice.gain_of_run).reduce(Interval::plus),
        loops: forecast.loops,
        threads: arguments.threads.map(|threads| threads as usize),
        run_seconds: found.run.seconds,
        dealing: forecast.dealing,
        notes: notes.chain(forecast.notes).collect(),
    };
    let started = Duration::from_nanos(parts.iter().map(|part| part.meta().started).min().unwrap_or(0));
    Ok(Advised { advice, command: command::recorded(&parts), started: SystemTime::UNIX_EPOCH + started })
}
