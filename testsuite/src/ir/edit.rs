//! Inputs that are an edit of another, above all near misses: what turns a loop that is instrumented into one that is not stands alone in its part of a file.
//!
//! ```text
//! ; BASE: canonical.ll
//! ;--- lower_escapes.edit
//! ; The address of the lower bound is stored somewhere before the call.
//! ; TWIN: bounds.rs BoundsEscape
//!
//! +@keep = global ptr null
//!  @text = private unnamed_addr constant [23 x i8] c";unknown;unknown;0;0;;\00", align 1
//!
//!  init:
//! +  store ptr %lb, ptr @keep, align 8
//! ```
//!
//! The head, up to the first blank line, takes the place of the base's head; where it says `BASE`, a file of `ir/`, the base's RUN lines
//! come. Blank lines part the hunks below. Of a hunk, lines behind `-` go, lines behind `+` come, and those behind a blank stay. What goes
//! and stays must stand in the base once: hunks have no line numbers, so that a base can change.

use std::fmt;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail, ensure};

use crate::dist;

const EXTENSION: &str = "edit";

/// The text of an input; of an edit, the base with it.
pub fn text(source: &Path) -> Result<String> {
    let text = read(source)?;
    match is_edit(source) {
        false => Ok(text),
        true => expanded(&text).with_context(|| source.display().to_string()),
    }
}

/// The input as a file that compilers read: itself, or an edit's text in `dir`.
pub fn file(source: &Path, dir: &Path) -> Result<PathBuf> {
    if !is_edit(source) {
        return Ok(source.to_owned());
    }
    let name = source.with_extension("ll");
    let file = dir.join(name.file_name().context("a file")?);
    std::fs::write(&file, text(source)?)?;
    Ok(file)
}

fn is_edit(source: &Path) -> bool {
    source.extension().is_some_and(|e| e == EXTENSION)
}

fn read(path: &Path) -> Result<String> {
    std::fs::read_to_string(path).with_context(|| format!("cannot read {}", path.display()))
}

fn expanded(edit: &str) -> Result<String> {
    let base = edit.lines().find_map(|line| line.strip_prefix("; BASE: "));
    let base = base.context("no `; BASE: file`")?;
    let base_text = text(&dist::testsuite().join("ir").join(base))?;
    apply(edit, &base_text).with_context(|| format!("as an edit of {base}"))
}

fn apply(edit: &str, base: &str) -> Result<String> {
    let (head, hunks) = edit.split_once("\n\n").context("no blank line")?;
    let (base_head, body) = base.split_once("\n\n").context("no blank line in it")?;
    let runs = || base_head.lines().filter(|line| line.starts_with("; RUN:"));
    let mut lines: Vec<&str> = Vec::new();
    for line in head.lines() {
        match line.starts_with("; BASE:") {
            true => lines.extend(runs()),
            false => lines.push(line),
        }
    }
    lines.push("");
    let body: Vec<&str> = body.lines().collect();
    let mut from = 0;
    for (at, hunk) in placed(hunks, &body)? {
        ensure!(from <= at, "another hunk takes a line of this one:\n{hunk}");
        lines.extend(&body[from..at]);
        lines.extend(&hunk.after);
        from = at + hunk.before.len();
    }
    lines.extend(&body[from..]);
    Ok(lines.join("\n") + "\n")
}

/// The hunks in the order of the base, each with the number of the first line that it takes.
fn placed<'a>(hunks: &'a str, base: &[&str]) -> Result<Vec<(usize, Hunk<'a>)>> {
    let mut placed = Vec::new();
    for text in hunks.split("\n\n") {
        let hunk = Hunk::read(text)?;
        let is_here = |at: &usize| base[*at..].starts_with(&hunk.before);
        let found: Vec<usize> = (0..base.len()).filter(is_here).collect();
        let [at] = found[..] else {
            let times = found.len();
            bail!("this hunk's lines stand there {times} times, not once:\n{hunk}");
        };
        placed.push((at, hunk));
    }
    placed.sort_by_key(|(at, _)| *at);
    Ok(placed)
}

struct Hunk<'a> {
    text: &'a str,
    /// What goes and what stays.
    before: Vec<&'a str>,
    /// What comes and what stays.
    after: Vec<&'a str>,
}

impl<'a> Hunk<'a> {
    fn read(text: &'a str) -> Result<Hunk<'a>> {
        let (mut before, mut after) = (Vec::new(), Vec::new());
        for line in text.lines() {
            match line.split_at_checked(1) {
                Some(("-", line)) => before.push(line),
                Some(("+", line)) => after.push(line),
                Some((" ", line)) => {
                    before.push(line);
                    after.push(line);
                }
                _ => bail!("`{line}` begins with neither `-`, `+` nor a blank"),
            }
        }
        let hunk = Hunk { text, before, after };
        ensure!(!hunk.before.is_empty(), "this hunk does not say where:\n{hunk}");
        ensure!(hunk.before != hunk.after, "this hunk changes nothing:\n{hunk}");
        Ok(hunk)
    }
}

impl fmt::Display for Hunk<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const BASE: &str = "; A loop.\n; RUN: opt %s\n; CHECK: x\n\na:\n  one\n  br\n\nb:\n  two\n  br\n";

    fn edited(hunks: &str) -> Result<String> {
        apply(&format!("; None.\n; BASE: loop.ll\n; UNCHANGED: y\n\n{hunks}"), BASE)
    }

    #[test]
    fn hunks_go_where_their_lines_stand() {
        let text = edited(" b:\n-  two\n+  2\n+\n+c:\n\n-  one\n   br\n").unwrap();
        let head = "; None.\n; RUN: opt %s\n; UNCHANGED: y\n\n";
        assert_eq!(text, format!("{head}a:\n  br\n\nb:\n  2\n\nc:\n  br\n"));
    }

    #[test]
    fn a_hunk_that_is_not_clear_is_an_error() {
        for (hunks, said) in [
            ("-  three\n", "stand there 0 times"),
            ("-  br\n", "stand there 2 times"),
            ("+  three\n", "does not say where"),
            ("   two\n", "changes nothing"),
            ("-  one\n-  br\n\n-  br\n-\n-b:\n", "another hunk takes"),
            ("two\n", "`two` begins with neither"),
            ("", "does not say where"),
        ] {
            let error = edited(hunks).unwrap_err().to_string();
            assert!(error.contains(said), "{hunks:?}: {error}");
        }
    }

    #[test]
    fn the_case_and_its_base_are_named() {
        let dir = tempfile::tempdir().unwrap();
        let case = dir.path().join("case.edit");
        std::fs::write(&case, "; BASE: canonical.ll\n\n-  three\n").unwrap();
        let error = format!("{:#}", text(&case).unwrap_err());
        assert!(error.contains("case.edit: as an edit of canonical.ll: "), "{error}");
    }
}
