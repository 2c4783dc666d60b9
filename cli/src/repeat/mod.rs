//! What commands share that run a program again and again: its input and what it prints (`kept`), how that is compared (`printed`), and
//! what is said if there is nothing to look at.

mod compared;
mod error;
mod executions;
mod kept;
mod order;
mod printed;
mod runs;
mod turns;

use std::ffi::OsString;
use std::time::Duration;

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use ompchunk_figures::time;

pub use self::compared::Compared;
pub use self::error::{Error, next};
pub use self::executions::{DealtAs, Executions};
pub use self::kept::{aside, end_of};
pub use self::order::in_turns;
pub use self::printed::Difference;
pub use self::runs::{Attached, Ran, Runs};
pub use self::turns::{Turn, take_turns};
use crate::table::printable;

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

/// Of a run without worksharing loops. `consequence`: what therefore cannot be done.
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
