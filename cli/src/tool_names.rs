//! The names of the tools that come with ompchunk, for completion. Any path is a tool as well, so these limit nothing.

use std::ffi::{OsStr, OsString};

use clap::builder::{OsStringValueParser, PossibleValue, TypedValueParser};
use clap::{Arg, Command, Error};
use clap_complete::Shell;

/// What `ompchunk run --tool` knows by name.
pub const NAMES: [&str; 6] =
    ["chunk-balance", "chunk-balance-rs", "chunk-overhead", "chunk-print", "chunk-print-rs", "schedule-check"];

/// Takes any text, and tells completion scripts the names.
#[derive(Debug, Clone)]
pub struct ToolParser;

impl TypedValueParser for ToolParser {
    type Value = OsString;

    fn parse_ref(&self, command: &Command, arg: Option<&Arg>, value: &OsStr) -> Result<OsString, Error> {
        OsStringValueParser::new().parse_ref(command, arg, value)
    }

    fn possible_values(&self) -> Option<Box<dyn Iterator<Item = PossibleValue> + '_>> {
        Some(Box::new(NAMES.into_iter().map(PossibleValue::new)))
    }
}

/// A completion script that also completes paths where it completes the names: a script has one or the other by itself.
pub fn with_paths(shell: Shell, script: &str) -> String {
    let names = NAMES.join(" ");
    match shell {
        Shell::Bash => script.replace(&format!("compgen -W \"{names}\""), &format!("compgen -f -W \"{names}\"")),
        // A function, because zsh takes no more than a word where the names stand. The first line says what the script is.
        Shell::Zsh => {
            let function =
                format!("_ompchunk_tool() {{ _alternative 'tools:tool:({names})' 'files:library:_files' }}\n");
            let (first, rest) = script.split_once('\n').unwrap_or((script, ""));
            let rest = rest.replace(&format!(":LIB:({names})"), ":LIB:_ompchunk_tool");
            format!("{first}\n{function}{rest}")
        }
        Shell::Fish => {
            let first = format!(" -r -f -a \"{}", NAMES[0]);
            script.replace(&first, &first.replace(" -f ", " -F "))
        }
        _ => script.to_owned(),
    }
}
