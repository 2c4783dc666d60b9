//! Checks of one output.
//!
//! A pattern is literal text, in which a run of blanks matches any run of blanks, with regular expressions between `{{` and `}}`.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use anyhow::{Context, Result, ensure};
use regex::Regex;

use super::Input;
use crate::dist;

/// Holds the output and standard error of a run against the input's checks.
pub fn check(input: &Input, stdout: &str, stderr: &str) -> Result<()> {
    let (mut checked, mut remarked) = (0, 0);
    for (name, pattern) in input.directives.iter() {
        let regex = || compile(pattern);
        match name {
            "CHECK" => checked = after(stdout, checked, &regex()?, name, pattern)?,
            "REMARK" => remarked = after(stderr, remarked, &regex()?, name, pattern)?,
            "TWIN" => {
                let remark = remark(pattern)?;
                ensure!(stderr.contains(remark), "TWIN: no `{remark}`");
            }
            "CHECK-NOT" => exactly(0, stdout, &regex()?, name, pattern)?,
            _ if name.starts_with("CHECK-COUNT-") => {
                exactly(count(name)?, stdout, &regex()?, name, pattern)?;
            }
            _ if name.starts_with("REMARK-COUNT-") => {
                exactly(count(name)?, stderr, &regex()?, name, pattern)?;
            }
            _ => {}
        }
    }
    match input.one_remark {
        true => exactly(1, stderr, &compile("remark:")?, "remarks", "remark:"),
        false => Ok(()),
    }
}

fn count(name: &str) -> Result<usize> {
    let digits = name.rsplit('-').next().expect("the last part");
    digits.parse().with_context(|| name.to_owned())
}

/// Where the first match after `from` ends.
fn after(text: &str, from: usize, regex: &Regex, name: &str, pattern: &str) -> Result<usize> {
    let found = regex.find_at(text, from);
    let found = found.with_context(|| format!("{name}: no `{pattern}` after line {}", line(text, from)))?;
    Ok(found.end())
}

fn exactly(count: usize, text: &str, regex: &Regex, name: &str, pattern: &str) -> Result<()> {
    let found = regex.find_iter(text).count();
    ensure!(found == count, "{name}: `{pattern}` stands {found} times");
    Ok(())
}

fn line(text: &str, at: usize) -> usize {
    text[..at].lines().count()
}

fn compile(pattern: &str) -> Result<Regex> {
    let mut regex = String::new();
    let mut rest = pattern;
    while let Some((literal, tail)) = rest.split_once("{{") {
        let (inner, tail) = tail.split_once("}}").with_context(|| format!("no }}}} in `{pattern}`"))?;
        regex += &escape(literal);
        regex += &format!("(?:{inner})");
        rest = tail;
    }
    regex += &escape(rest);
    Regex::new(&regex).with_context(|| format!("`{pattern}`"))
}

fn escape(literal: &str) -> String {
    let blanks = Regex::new(r"\s+").expect("a regex");
    blanks.replace_all(&regex::escape(literal), r"\s+").into_owned()
}

/// A file, what stands there of a reason, and what a remark says before its sentence.
const TABLES: [(&str, &str, &str); 2] = [
    ("docs/reasons.md", r"(?m)^\| `([A-Z]\w+)` \| (.+) \|$", "left alone"),
    ("ompt/src/raw/loop_record.rs", r#"(?m)fixed_\w+: ([A-Z]+) = \d+,\s+"(.+)";$"#, "its schedule is fixed"),
];

/// What a remark must say of `TWIN: file.rs Reason`.
pub fn remark(twin: &str) -> Result<&'static str> {
    static SENTENCES: LazyLock<BTreeMap<String, String>> = LazyLock::new(|| {
        let mut sentences = BTreeMap::new();
        for (file, row, before) in TABLES {
            let row = Regex::new(row).expect("a regex");
            let text = std::fs::read_to_string(dist::repository().join(file)).expect("a table of reasons");
            sentences.extend(row.captures_iter(&text).map(|row| (row[1].to_owned(), format!("{before}: {}", &row[2]))));
        }
        sentences
    });
    let (_, reason) = twin.split_once(' ').context("TWIN: file.rs Reason")?;
    SENTENCES.get(reason).map(String::as_str).with_context(|| format!("{twin}: no such reason"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_are_literal_but_for_braces() {
        let regex = compile("call void @f(i32 {{[0-9]+}}, ptr").unwrap();
        assert!(regex.is_match("call void @f(i32  42, ptr %x)"));
        assert!(!regex.is_match("call void @f(i32 x, ptr %x)"));
    }

    #[test]
    fn checks_are_ordered_and_counts_exact() {
        let (b, a) = (compile("b").unwrap(), compile("a").unwrap());
        let end = after("a b", 0, &b, "CHECK", "b").unwrap();
        assert!(after("a b", end, &a, "CHECK", "a").is_err());
        assert!(exactly(2, "a b a", &a, "CHECK-COUNT-2", "a").is_ok());
        assert!(exactly(1, "a b a", &a, "CHECK-COUNT-1", "a").is_err());
    }
}
