//! Inputs of the IR tests: LLVM IR, an edit of such ([`edit`]), C or C++ files that say how to run the plugin on them and what
//! must come out.
//!
//! | directive | meaning |
//! |---|---|
//! | `RUN: …` | a command or a pipe of commands; its output is LLVM IR ([`pipeline`]) |
//! | `BASE: file.ll` | in an edit: what it is an edit of; its RUN lines are the base's |
//! | `CHECK: …` | the output has this, after the match of the `CHECK` before ([`check`]) |
//! | `CHECK-NOT: …` | the output has this nowhere |
//! | `CHECK-COUNT-n: …` | the output has this exactly n times |
//! | `REMARK: …` | standard error has this, after the `REMARK` before |
//! | `REMARK-COUNT-n: …` | standard error has this exactly n times |
//! | `UNCHANGED: reason` | the output is what the same command gives without the plugin |
//! | `TWIN: file.rs Reason` | a near miss of what that file of the plugin recognises (`tests/twins.rs`); of `change.rs`, in `ir/fixed`, one whose schedule stays |
//! | `SNAPSHOT: f g` | these functions of the output are kept as a snapshot, for whoever wants to read what the plugin makes of such a loop ([`snapshot`]) |
//! | `LIKE: chunked` | what differs from that snapshot is kept: where both change, `make bless` accepts the base first and this at its second run |
//!
//! Every input is run with every installed LLVM major; what it means may depend on none.

pub mod check;
pub mod edit;
pub mod pipeline;
pub mod snapshot;

use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};

use crate::directives::Directives;
use crate::dist;

const KNOWN: [&str; 10] =
    ["RUN", "CHECK", "CHECK-NOT", "CHECK-COUNT-", "REMARK", "REMARK-COUNT-", "UNCHANGED", "TWIN", "SNAPSHOT", "LIKE"];

#[derive(Debug)]
pub struct Input {
    pub directives: Directives,
}

impl Input {
    /// Reads an input's directives.
    pub fn read(source: &Path) -> Result<Input> {
        let directives =
            Directives::parse(&edit::text(source)?, &KNOWN).with_context(|| source.display().to_string())?;
        let input = Input { directives };
        let says = |names: &[&str]| input.directives.iter().any(|(n, _)| names.iter().any(|s| n.starts_with(s)));
        if !says(&["RUN"]) {
            bail!("{}: no RUN line", source.display());
        }
        if !says(&["CHECK", "UNCHANGED"]) {
            bail!("{}: no semantic check", source.display());
        }
        Ok(input)
    }

    /// All inputs below `ir/`, by path.
    pub fn all() -> Result<Vec<PathBuf>> {
        let mut sources = Vec::new();
        let mut dirs = vec![dist::testsuite().join("ir")];
        while let Some(dir) = dirs.pop() {
            for entry in std::fs::read_dir(dir)? {
                let path = entry?.path();
                match path.extension().and_then(|e| e.to_str()) {
                    _ if path.is_dir() => dirs.push(path),
                    Some("c" | "cpp" | "ll" | "edit") => sources.push(path),
                    _ => bail!("{}: not an input", path.display()),
                }
            }
        }
        sources.sort();
        Ok(sources)
    }

    /// `reject/no_end` for `ir/reject/no_end.edit`.
    pub fn name(source: &Path) -> String {
        let ir = dist::testsuite().join("ir");
        let relative = source.strip_prefix(&ir).unwrap_or(source).with_extension("");
        relative.display().to_string()
    }
}
