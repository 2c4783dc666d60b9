//! Checks of one output.
//!
//! A pattern is literal text, in which a run of blanks matches any run of blanks, with regular expressions between `{{` and `}}`.

use anyhow::{Context, Result, ensure};
use regex::Regex;

use super::{Input, reasons};

/// Holds the output and standard error of a run against the input's checks.
pub fn check(input: &Input, stdout: &str, stderr: &str) -> Result<()> {
    let (mut checked, mut remarked) = (0, 0);
    for (name, pattern) in input.directives.iter() {
        let regex = || compile(pattern);
        match name {
            "CHECK" => checked = after(stdout, checked, &regex()?, name, pattern)?,
            "REMARK" => remarked = after(stderr, remarked, &regex()?, name, pattern)?,
            "TWIN" => {
                let remark = reasons::remark(pattern)?;
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
