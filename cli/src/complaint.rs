//! The one place that prints errors: what happened, and the next step, which those that have an error know.

use std::error::Error;
use std::io::{self, Write as _};
use std::process::ExitCode;

use anyhow::Result;

use crate::child::Stopped;
use crate::exec;
use crate::table::printable;

/// What to do about an error, if it is one of those that the function knows.
pub type Advice = fn(&(dyn Error + 'static)) -> Option<String>;

/// The process's exit code; an error is printed first, with what the first to know it advises.
pub fn exit(result: Result<ExitCode>, advice: &[Advice]) -> ExitCode {
    match result {
        Ok(code) => code,
        Err(error) => {
            // With standard error gone, nobody is left to tell.
            let _ = io::stderr().write_all(message(&error, advice).as_bytes());
            match error.downcast_ref::<Stopped>() {
                Some(stopped) => stopped.end(),
                // A shell's codes for programs that cannot be started.
                None => ExitCode::from(error.downcast_ref().map_or(1, |error: &exec::Error| error.code)),
            }
        }
    }
}

/// What happened and why, then what to do; every line says whose it is, and commands nothing to a terminal.
fn message(error: &anyhow::Error, advice: &[Advice]) -> String {
    let next = |cause| advice.iter().find_map(|next| next(cause));
    let all = match error.chain().find_map(next) {
        Some(next) => format!("{error:#}\nnext: {next}"),
        None => format!("{error:#}"),
    };
    all.lines().map(|line| format!("ompchunk: {}\n", printable(line))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// An error that knows what to do.
    #[derive(Debug, thiserror::Error)]
    #[error("there is no {0}")]
    struct Missing(&'static str);

    fn look(error: &(dyn Error + 'static)) -> Option<String> {
        let Missing(what) = error.downcast_ref()?;
        Some(format!("look for the {what}"))
    }

    fn knows_nothing(_: &(dyn Error + 'static)) -> Option<String> {
        None
    }

    #[test]
    fn every_line_says_whose_it_is() {
        let error = anyhow::Error::new(Missing("pen"));
        assert_eq!(
            message(&error, &[knows_nothing, look]),
            "ompchunk: there is no pen\nompchunk: next: look for the pen\n"
        );
    }

    #[test]
    fn what_is_around_an_error_hides_no_advice() {
        let error = anyhow::Error::new(Missing("pen")).context("rank 3");
        assert_eq!(message(&error, &[look]), "ompchunk: rank 3: there is no pen\nompchunk: next: look for the pen\n");
        assert_eq!(message(&error, &[knows_nothing]), "ompchunk: rank 3: there is no pen\n");
    }
}
