//! What commands share that run a program again and again: its input and what it prints (`kept`), how that is compared (`printed`), and
//! what is said if there is nothing to look at.

mod kept;
mod printed;

use std::ffi::OsString;
use std::time::Duration;

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

pub use self::kept::{aside, end_of, input};
pub use self::printed::{Difference, difference};
use crate::table::printable;

/// The program and its arguments, for people.
pub fn words(program: &[OsString]) -> String {
    let words: Vec<_> = program.iter().map(|program| program.to_string_lossy()).collect();
    words.join(" ")
}

/// What recorder and shim wrote among what a program wrote to standard error.
pub fn ours(said: &str) -> String {
    let ours = said.lines().filter_map(|line| line.strip_prefix("ompchunk: "));
    ours.collect::<Vec<_>>().join("\n")
}

/// What a run wrote to standard error, below what is said of it.
pub fn repeated(said: &str) -> String {
    match said {
        "" => String::new(),
        said => format!(":\n{said}"),
    }
}

/// Of a run without worksharing loops. `consequence`: what therefore cannot be done.
pub fn no_loop(seconds: f64, command: &str, consequence: &str) -> String {
    let command = printable(command);
    format!(
        "{command} ran no OpenMP loop (omp for, omp do) in {seconds:.3} s, so {consequence}\n\
         next: arguments with which its loops run; ompchunk loops PROGRAM lists those that were compiled with ompchunk cc\n"
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
