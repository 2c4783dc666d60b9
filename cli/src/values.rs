//! Values of options, checked as they are read.

use std::ops::RangeInclusive;

use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use ompchunk_trace_format::select::is_number;

/// One of these, by its name; help has what the third says of each.
pub fn choice<const N: usize, T: Copy + Send + Sync + 'static>(
    all: [(&'static str, T, &'static str); N],
) -> impl TypedValueParser<Value = T> {
    let names = all.map(|(name, _, about)| PossibleValue::new(name).help(about));
    PossibleValuesParser::new(names).map(move |chosen| {
        let found = all.iter().find(|(name, ..)| *name == chosen);
        found.expect("clap lets through only what is there").1
    })
}

/// A rank, or the first and the last of several.
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

/// A loop of a run that is still to come.
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

/// A time of which there is something.
pub fn seconds(text: &str) -> Result<f64, String> {
    let number = text.strip_suffix('s').unwrap_or(text).parse::<f64>();
    match number {
        Ok(seconds) if seconds > 0.0 && seconds < 1e9 => Ok(seconds),
        _ => Err("not a number of seconds such as 30 or 0.5".to_owned()),
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
}
