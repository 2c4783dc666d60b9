//! What commands share that run a program again and again: its input, what it prints and how that is compared
//! (`runs`), and what is said if there is nothing to look at.

mod executions;
mod runs;
mod turns;

use std::ffi::OsString;
use std::path::PathBuf;
use std::process::ExitStatus;
use std::time::Duration;

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use ompchunk_figures::time;
use ompchunk_trace_format::shown;

use crate::table::printable;

pub use self::executions::{Compared, DealtAs, Executions, LoopPlace};
pub use self::runs::{Attached, Difference, Ran, Runs, aside, end_of};
pub use self::turns::{Turn, in_turns, take_turns};

/// The program and its arguments, for people.
pub fn words(program: &[OsString]) -> String {
    let words: Vec<_> = program.iter().map(|program| program.to_string_lossy()).collect();
    words.join(" ")
}

/// What recorder and shim wrote among what a program wrote to standard error.
fn ours(said: &str) -> String {
    let ours = said.lines().filter_map(|line| line.strip_prefix("ompchunk: "));
    ours.collect::<Vec<_>>().join("\n")
}

/// What a run wrote to standard error, below what is said of it.
fn repeated(said: &str) -> String {
    match said {
        "" => String::new(),
        said => format!(":\n{said}"),
    }
}

/// Says that a run had no worksharing loop. `consequence`: what therefore cannot be done.
pub fn no_loop(took: Duration, command: &str, consequence: &str) -> String {
    let command = printable(command);
    format!(
        "{command} ran no OpenMP loop (omp for, omp do) in {}, so {consequence}\n\
         next: arguments with which its loops run; ompchunk loops PROGRAM lists those that were compiled with ompchunk cc\n",
        time(took.as_secs_f64())
    )
}

/// A line on standard error, if that is a terminal.
pub fn progress() -> ProgressBar {
    let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::stderr());
    if let Ok(style) = ProgressStyle::with_template("{spinner} {elapsed} {msg}") {
        bar.set_style(style);
    }
    bar.enable_steady_tick(Duration::from_millis(200));
    bar
}

#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// A run ended with an error that must not; `with`: what it ran with, and what follows.
    #[error("the program ended with {status}{with}{}", repeated(.said))]
    Failed { status: ExitStatus, with: String, said: String },
    /// The user's check does not accept a run as compiled.
    #[error("the check '{check}' ended with {status} for a run of the program as compiled, so it cannot tell what other schedules \
             break{}", repeated(.said))]
    Refused { check: String, status: ExitStatus, said: String },
    /// No runtime asked for the recorder.
    #[error("nothing was recorded, so nothing can be compared: {why}{}", repeated(.said))]
    Nothing { why: String, next: String, said: String },
    /// There is a file that somebody else wrote.
    #[error("{} was not written by `ompchunk tune`, so it stays as it is", .0.display())]
    Foreign(PathBuf),
    /// A file for `--gate` that has no schedules.
    #[error("--gate: {why}")]
    Unusable { why: String },
    #[error("there is one team size ({0}), and nothing to compare it with")]
    Alone(u32),
    /// There is something where traces shall be kept.
    #[error("{} is there and not empty, so it stays as it is", shown(.0))]
    Taken(PathBuf),
}

impl Error {
    fn step(&self) -> &str {
        match self {
            Error::Failed { .. } => {
                "the program runs many times, with the same arguments; run it by itself first. What it reads from standard input must \
                 come from a file"
            }
            Error::Refused { .. } => {
                "--check takes a shell command that reads on standard input what a run printed, in this directory, and succeeds if \
                 that is right; try it by hand: PROG | CMD"
            }
            Error::Nothing { next, .. } => next,
            Error::Unusable { .. } => {
                "--gate takes the file that `ompchunk tune PROG` writes, with a line such as solver.c:118=dynamic,16 for each loop"
            }
            Error::Foreign(_) => "choose another file with -o",
            Error::Alone(_) => "name two or more, as in --threads 1,2,4; more threads than processors tell little",
            Error::Taken(_) => "choose another directory with -o, or empty this one",
        }
    }
}

pub fn next(cause: &(dyn std::error::Error + 'static)) -> Option<String> {
    cause.downcast_ref().map(|error: &Error| error.step().to_owned())
}
