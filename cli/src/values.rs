//! Values of options, checked as they are read.

use std::ffi::{OsStr, OsString};
use std::ops::RangeInclusive;

use clap::builder::{OsStringValueParser, PossibleValue, PossibleValuesParser, TypedValueParser};
use clap::{Arg, Command, Error};
use clap_complete::Shell;
use ompchunk_trace_format::select::is_number;

/// One of these, by its name; help has what the third says of each.
pub fn choice<const N: usize, T: Copy + Send + Sync + 'static>(
    all: [(&'static str, T, &'static str); N],
) -> impl TypedValueParser<Value = T> {
    let names = all.map(|(name, _, about)| PossibleValue::new(name).help(about));
    PossibleValuesParser::new(names).map(move |chosen| {
        all.iter().find(|(name, ..)| *name == chosen).expect("clap lets through only what is there").1
    })
}

pub fn ranks(text: &str) -> Result<RangeInclusive<u64>, String> {
    let (first, last) = text.split_once('-').unwrap_or((text, text));
    let number = |text: &str| {
        let digits = text.bytes().all(|byte| byte.is_ascii_digit());
        text.parse().ok().filter(|_| digits)
    };
    match (number(first), number(last)) {
        (Some(first), Some(last)) if first <= last => Ok(first..=last),
        _ => Err("neither a rank nor a range of ranks such as 0-63".to_owned()),
    }
}

pub fn loop_to_come(text: &str) -> Result<String, String> {
    if text.is_empty() || text.contains('\n') {
        return Err("not the name of a loop".to_owned());
    }
    if is_number(text) {
        return Err(
            "a number is a loop of a report, and this run has none yet; name FILE:LINE, or a part of a file's or \
             function's name"
                .to_owned(),
        );
    }
    Ok(text.to_owned())
}

pub fn seconds(text: &str) -> Result<f64, String> {
    let number = text.strip_suffix('s').unwrap_or(text).parse::<f64>();
    match number {
        Ok(seconds) if seconds > 0.0 && seconds < 1e9 => Ok(seconds),
        _ => Err("not a number of seconds such as 30 or 0.5".to_owned()),
    }
}

/// A number of bytes, with K, M, G or T for powers of 1024.
fn size(text: &str) -> Result<u64, String> {
    let digits = text.trim_end_matches(|c: char| c.is_ascii_alphabetic());
    let shift = match text[digits.len()..].to_ascii_uppercase().as_str() {
        "" | "B" => 0,
        "K" | "KB" | "KIB" => 10,
        "M" | "MB" | "MIB" => 20,
        "G" | "GB" | "GIB" => 30,
        "T" | "TB" | "TIB" => 40,
        other => return Err(format!("{other} is none of K, M, G, T")),
    };
    let number: u64 = digits.parse().map_err(|_| "not a number".to_owned())?;
    number.checked_mul(1 << shift).ok_or_else(|| "too large".to_owned())
}

pub fn part_size(text: &str) -> Result<u64, String> {
    // Its head, the block for its end, and a block each for two threads.
    const LEAST: u64 = 256 << 10;
    match size(text)? {
        0 => Ok(0),
        size if size < LEAST => Err("too small to hold anything: 256K at least, or 0 for no limit".to_owned()),
        size => Ok(size),
    }
}

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

/// Completes paths, too, where the script completes the names: it has one or the other by itself.
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_of_ranks() {
        assert_eq!(ranks("7"), Ok(7..=7));
        assert_eq!(ranks("0-63"), Ok(0..=63));
        for text in ["", "-", "3-", "-3", "5-4", "+1", "a", "1-2-3"] {
            assert!(ranks(text).is_err(), "{text}");
        }
    }

    #[test]
    fn loops_and_seconds() {
        assert_eq!(loop_to_come("a.c:7"), Ok("a.c:7".to_owned()));
        for text in ["", "3", "a\nb"] {
            assert!(loop_to_come(text).is_err(), "{text}");
        }
        assert_eq!((seconds("0.5"), seconds("30s")), (Ok(0.5), Ok(30.0)));
        for text in ["0", "-1", "nan", "inf", "1e10", "", "x"] {
            assert!(seconds(text).is_err(), "{text}");
        }
    }

    #[test]
    fn sizes() {
        let wanted = [("12", 12), ("3k", 3 << 10), ("500M", 500 << 20), ("2GiB", 2 << 30)];
        for (text, bytes) in wanted {
            assert_eq!(size(text), Ok(bytes));
        }
        for text in ["", "M", "1.5G", "-1", "3x", "99999999T"] {
            assert!(size(text).is_err(), "{text}");
        }
    }
}
