//! What runs print, compared: where the first difference is, in words.

use std::fmt;
use std::fs::File;
use std::io::{self, BufReader, Read, Seek, SeekFrom};

/// The first line that is not the same.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Difference {
    /// Its number, from 1.
    line: u64,
    /// What the first run has there, and what the second; none: it ends before.
    lines: [Option<String>; 2],
}

impl fmt::Display for Difference {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        let text = |line: &Option<String>| match line {
            Some(line) => format!("'{}'", crate::table::printable(line)),
            None => "missing".to_owned(),
        };
        let [before, now] = &self.lines;
        write!(to, "line {} is {}, before {}", self.line, text(now), text(before))
    }
}

/// Bytes that are shown of a line.
const SHOWN: u64 = 60;

/// None: both have the same.
pub fn difference(first: &mut File, second: &mut File) -> io::Result<Option<Difference>> {
    let Some((line, begin)) = parts_at(first, second)? else {
        return Ok(None);
    };
    Ok(Some(Difference { line, lines: [line_from(first, begin)?, line_from(second, begin)?] }))
}

/// The number of the first line that differs, and where it begins.
fn parts_at(first: &mut File, second: &mut File) -> io::Result<Option<(u64, u64)>> {
    first.seek(SeekFrom::Start(0))?;
    second.seek(SeekFrom::Start(0))?;
    let (mut line, mut begin) = (1, 0);
    let both = BufReader::new(first).bytes();
    let mut others = BufReader::new(second).bytes();
    for (place, byte) in (1..).zip(both) {
        let byte = byte?;
        if others.next().transpose()? != Some(byte) {
            return Ok(Some((line, begin)));
        }
        if byte == b'\n' {
            (line, begin) = (line + 1, place);
        }
    }
    Ok(others.next().transpose()?.map(|_| (line, begin)))
}

fn line_from(file: &mut File, begin: u64) -> io::Result<Option<String>> {
    let mut bytes = Vec::new();
    file.seek(SeekFrom::Start(begin))?;
    file.take(SHOWN).read_to_end(&mut bytes)?;
    let end = bytes.iter().position(|byte| *byte == b'\n');
    let line = String::from_utf8_lossy(&bytes[..end.unwrap_or(bytes.len())]).into_owned();
    Ok((!bytes.is_empty()).then_some(line))
}

#[cfg(test)]
mod tests {
    use std::io::Write as _;

    use super::*;

    fn said(first: &str, second: &str) -> Option<String> {
        let file = |text: &str| {
            let mut file = tempfile::tempfile().unwrap();
            file.write_all(text.as_bytes()).unwrap();
            file
        };
        let found = difference(&mut file(first), &mut file(second)).unwrap();
        found.map(|difference| difference.to_string())
    }

    #[test]
    fn the_first_line_that_differs() {
        assert_eq!(said("", ""), None);
        assert_eq!(said("a\nb\n", "a\nb\n"), None);
        let of = |first, second| said(first, second).unwrap();
        assert_eq!(of("a\nsum 1\n", "a\nsum 2\nc\n"), "line 2 is 'sum 2', before 'sum 1'");
        assert_eq!(of("a\n", "a\nb\n"), "line 2 is 'b', before missing");
        assert_eq!(of("a\nb", "a\n"), "line 2 is missing, before 'b'");
        assert_eq!(of("", "\n"), "line 1 is '', before missing");
        let long = "x".repeat(500);
        assert!(of(&long, "y").len() < 120);
    }
}
