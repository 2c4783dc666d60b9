//! Directives: what an input file says about itself, in its own comments.
//!
//! A directive is a comment line `// NAME: value` (C, C++), `; NAME: value` (LLVM IR) or `! NAME: value` (Fortran) with the name in capitals. A name
//! that the reader of a file does not know is an error, so that a misspelt expectation cannot pass by being ignored.

use std::path::Path;

use anyhow::{Context, Result, bail};

/// All directives of a file, in order.
#[derive(Debug)]
pub struct Directives {
    found: Vec<(String, String)>,
}

impl Directives {
    /// Reads a file's directives, which must all be among `known`.
    pub fn read(path: &Path, known: &[&str]) -> Result<Directives> {
        let text = std::fs::read_to_string(path).with_context(|| format!("cannot read {}", path.display()))?;
        Directives::parse(&text, known).with_context(|| path.display().to_string())
    }

    pub fn parse(text: &str, known: &[&str]) -> Result<Directives> {
        let mut found = Vec::new();
        for line in text.lines() {
            let line = line.trim_start();
            let styles = ["//", ";", "!"];
            let Some(comment) = styles.iter().find_map(|style| line.strip_prefix(style)) else {
                continue;
            };
            let Some((name, value)) = comment.trim_start().split_once(':') else {
                continue;
            };
            if !is_name(name) {
                continue;
            }
            if !known.contains(&name) && !is_counted(name, known) {
                bail!("unknown directive {name}; known are {}", known.join(", "));
            }
            found.push((name.to_owned(), value.trim().to_owned()));
        }
        Ok(Directives { found })
    }

    /// All directives in the order of the file.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &str)> {
        self.found.iter().map(|(name, value)| (name.as_str(), value.as_str()))
    }

    /// The values of every directive called `name`.
    pub fn all<'a>(&'a self, name: &'a str) -> impl Iterator<Item = &'a str> {
        self.iter().filter(move |(n, _)| *n == name).map(|(_, value)| value)
    }

    /// The value of a directive that may stand once.
    pub fn one(&self, name: &str) -> Option<&str> {
        self.iter().find(|(n, _)| *n == name).map(|(_, value)| value)
    }

    pub fn yes(&self, name: &str) -> bool {
        self.one(name) == Some("yes")
    }

    /// The words of every directive called `name`, parsed.
    pub fn words<T: std::str::FromStr>(&self, name: &str) -> Result<Vec<T>> {
        self.all(name)
            .flat_map(str::split_whitespace)
            .map(|word| word.parse().ok().with_context(|| format!("{name}: cannot read `{word}`")))
            .collect()
    }
}

fn is_name(name: &str) -> bool {
    name.len() > 2
        && name.starts_with(|c: char| c.is_ascii_uppercase())
        && name.chars().all(|c| c.is_ascii_uppercase() || c.is_ascii_digit() || c == '-')
}

/// `CHECK-COUNT-3` where `CHECK-COUNT-` is known.
fn is_counted(name: &str, known: &[&str]) -> bool {
    name.rsplit_once('-').is_some_and(|(stem, count)| {
        count.parse::<u32>().is_ok() && known.iter().any(|k| k.strip_suffix('-') == Some(stem))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_directives_of_both_comment_styles() {
        let text = "// RUN: clang %s\n; CHECK-COUNT-2: x: y\nint x; // not: one\n// Note: prose\n";
        let directives = Directives::parse(text, &["RUN", "CHECK-COUNT-"]).unwrap();
        let found: Vec<_> = directives.iter().collect();
        assert_eq!(found, [("RUN", "clang %s"), ("CHECK-COUNT-2", "x: y")]);
    }

    #[test]
    fn a_misspelt_directive_is_an_error() {
        let error = Directives::parse("// CHEKC: x\n", &["CHECK"]).unwrap_err();
        assert!(error.to_string().contains("unknown directive CHEKC"));
    }

    #[test]
    fn words_are_parsed() {
        let directives = Directives::parse("// THREADS: 1 2\n// THREADS: 7\n", &["THREADS"]).unwrap();
        assert_eq!(directives.words::<u32>("THREADS").unwrap(), [1, 2, 7]);
    }
}
