//! Command lines that are mistaken in a way that is common: what was meant is said beside what clap says.

use std::ffi::OsString;

use clap::Parser;
use clap::error::{ContextKind, ContextValue, Error, ErrorKind};

use crate::args::{Arguments, Record};

/// The arguments; ends the process if they are wrong.
pub fn parsed(arguments: &[OsString]) -> Arguments {
    Arguments::try_parse_from(arguments).unwrap_or_else(|error| explained(error, arguments).exit())
}

/// With a tip, where there is one.
fn explained(mut error: Error, arguments: &[OsString]) -> Error {
    let is_export = arguments.get(1).is_some_and(|word| word == "export");
    let misses = matches!(error.kind(), ErrorKind::MissingRequiredArgument | ErrorKind::InvalidValue);
    if is_export && misses {
        let tip = "the trace comes by itself, and the option names what to write: ompchunk export TRACE --csv FILE";
        let tips = ContextValue::StyledStrs(vec![tip.into()]);
        error.insert(ContextKind::Suggested, tips);
    }
    error
}

/// `--sample-stacks 200 ./app` means a program called 200. If there is none, the number was meant as the option's.
pub fn rate_as_program(record: &Record) -> Option<String> {
    record.sample_stacks?;
    let [number, rest @ ..] = record.program.as_slice() else {
        return None;
    };
    let rate: u32 = number.to_str()?.parse().ok()?;
    let program = rest.first().map_or("PROG".into(), |program| program.to_string_lossy());
    Some(format!("ompchunk record --sample-stacks={rate} {program}: without the equals sign {rate} is the program"))
}
