//! One mutant: where it is and what it changes.

use std::ops::Range;
use std::path::PathBuf;

use anyhow::{Context, Result};
use serde_json::{Value, json};

use crate::sites::{Change, Site};

/// Characters of its text in the table.
const MOST: usize = 60;

/// Its number is its place among all, from 1.
#[derive(Debug, Clone)]
pub struct Mutant {
    pub room: String,
    /// Relative to the tree.
    pub file: PathBuf,
    pub line: usize,
    pub function: String,
    pub was: String,
    pub is: String,
    /// Bytes of the file; empty once it is built.
    pub range: Range<usize>,
    pub change: Change,
}

impl Mutant {
    /// At a site of a file with that text.
    pub fn new(room: &str, file: PathBuf, text: &str, site: Site) -> Mutant {
        let was = &text[site.range.clone()];
        let (was, is) = match &site.change {
            Change::Expression(with) => {
                let alike = was.chars().zip(with.chars()).take_while(|(a, b)| a == b).count();
                (short(was, alike), short(with, alike))
            }
            Change::Returns(value) => ("its body".to_owned(), format!("returns {value}")),
            Change::Nothing => (short(was, 0), "nothing".to_owned()),
        };
        let Site { line, function, range, change, .. } = site;
        Mutant { room: room.to_owned(), file, line, function, was, is, range, change }
    }

    pub fn noted(&self) -> Value {
        json!({"room": self.room, "file": self.file, "line": self.line, "function": self.function, "was": self.was, "is": self.is})
    }

    pub fn from_noted(noted: &Value) -> Result<Mutant> {
        let text = |name: &str| Ok::<_, anyhow::Error>(noted[name].as_str().context(name.to_owned())?.to_owned());
        Ok(Mutant {
            room: text("room")?,
            file: text("file")?.into(),
            line: noted["line"].as_u64().context("line")? as usize,
            function: text("function")?,
            was: text("was")?,
            is: text("is")?,
            range: 0..0,
            change: Change::Nothing,
        })
    }
}

/// On one line, and not long: what is around that character.
fn short(text: &str, around: usize) -> String {
    let characters: Vec<char> = text.chars().collect();
    let start = if characters.len() <= MOST { 0 } else { around.saturating_sub(MOST / 2) };
    let end = characters.len().min(start + MOST);
    let part: String = characters[start..end].iter().collect();
    let words: Vec<&str> = part.split_whitespace().collect();
    let (before, behind) = (if start > 0 { "…" } else { "" }, if end < characters.len() { "…" } else { "" });
    format!("{before}{}{behind}", words.join(" "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_differs_is_shown() {
        let text = format!("{} &&\n    a", "b".repeat(70));
        assert_eq!(short(&text, 71), format!("…{} && a", "b".repeat(29)));
        assert_eq!(short("a\n  < b", 2), "a < b");
        assert_eq!(short(&text, 0), format!("{}…", "b".repeat(60)));
    }
}
