//! The one place that prints errors: what happened, and the next step.

use std::fmt::Write as _;
use std::io::{self, Write as _};
use std::process::ExitCode;

use anyhow::Result;
use ompchunk_toolchain::{attach, compiler, installation, schedule};

use crate::{exec, record, report, switch};

/// The process's exit code; an error is printed first.
pub fn exit(result: Result<ExitCode>) -> ExitCode {
    match result {
        Ok(code) => code,
        Err(error) => {
            // With standard error gone, nobody is left to tell.
            let _ = io::stderr().write_all(message(&error).as_bytes());
            ExitCode::from(code(&error))
        }
    }
}

/// What happened and why, then what to do; every line says whose it is.
fn message(error: &anyhow::Error) -> String {
    let mut text = String::new();
    let all = match next(error) {
        Some(next) => format!("{error:#}\nnext: {next}"),
        None => format!("{error:#}"),
    };
    for line in all.lines() {
        // Writing to a string does not fail.
        let _ = writeln!(text, "ompchunk: {line}");
    }
    text
}

/// The next step that a part's error knows of.
fn next(error: &anyhow::Error) -> Option<String> {
    error.chain().find_map(|cause| {
        if let Some(error) = cause.downcast_ref::<installation::Error>() {
            return Some(error.next());
        }
        if let Some(error) = cause.downcast_ref::<compiler::Error>() {
            return Some(error.next());
        }
        if let Some(error) = cause.downcast_ref::<record::Error>() {
            return Some(error.next());
        }
        if let Some(error) = cause.downcast_ref::<schedule::Error>() {
            return Some(error.next());
        }
        if let Some(error) = cause.downcast_ref::<attach::Error>() {
            return Some(error.next());
        }
        if let Some(error) = cause.downcast_ref::<ompchunk_bench::Error>() {
            return Some(error.next());
        }
        if let Some(error) = cause.downcast_ref::<ompchunk_bench::ResultsError>() {
            return Some(error.next());
        }
        if let Some(error) = cause.downcast_ref::<switch::Error>() {
            return Some(error.next());
        }
        if let Some(error) = cause.downcast_ref::<ompchunk_export::Error>() {
            return Some(error.next().to_owned());
        }
        if let Some(error) = cause.downcast_ref::<ompchunk_trace_format::Error>() {
            return Some(error.next().to_owned());
        }
        if let Some(error) = cause.downcast_ref::<report::Error>() {
            return Some(error.next());
        }
        cause
            .downcast_ref::<ompchunk_loops::Error>()
            .and_then(ompchunk_loops::Error::next)
    })
}

/// A shell's codes for programs that cannot be started; 1 for everything else.
fn code(error: &anyhow::Error) -> u8 {
    error
        .downcast_ref::<exec::Error>()
        .map_or(1, exec::Error::code)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_line_says_whose_it_is() {
        let error = anyhow::Error::new(switch::Error("maybe".into()));
        assert_eq!(
            message(&error),
            "ompchunk: OMPCHUNK=maybe is neither on nor off\n\
             ompchunk: next: OMPCHUNK=off to compile without the plugin, or unset it\n"
        );
    }
}
