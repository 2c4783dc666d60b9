//! Inputs of the IR tests: LLVM IR, an edit of it ([`edit`]), C or C++ files that say how to run the plugin on them and what must come out.
//!
//! | directive | meaning |
//! |---|---|
//! | `RUN: …` | a command or a pipe of commands; its output is LLVM IR ([`pipeline`]) |
//! | `BASE: file.ll` | in an edit: what it is an edit of, which may be an edit itself; its RUN lines are the base's |
//! | `CHECK: …` | the output has this, after the match of the `CHECK` before ([`check`]) |
//! | `CHECK-NOT: …` | the output has this nowhere |
//! | `CHECK-COUNT-n: …` | the output has this exactly n times |
//! | `REMARK: …` | standard error has this, after the `REMARK` before |
//! | `REMARK-COUNT-n: …` | standard error has this exactly n times |
//! | `TWIN: file.rs Reason` | a near miss of what that file of the plugin recognises (`tests/twins.rs`), and standard error says that reason; `change.rs`, in `ir/fixed`: one whose schedule stays |
//! | `SNAPSHOT: f g` | what the plugin changed in these functions is kept as a snapshot, for whoever wants to read what the plugin makes of such a loop ([`snapshot`]) |
//! | `LIKE: chunked` | what differs from that snapshot is kept: where both change, `make bless` accepts the base first and this at its second run |
//!
//! The output of an input below `ir/reject` is what the same command gives without the plugin. There and below `ir/fixed` one remark is
//! made, unless a `REMARK-COUNT-n` says otherwise.
//!
//! Every input is run with every installed LLVM major; what it means may depend on none.

pub mod check;
pub mod copies;
pub mod edit;
pub mod numbers;
pub mod pipeline;
pub mod snapshot;

use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};

use crate::directives::Directives;
use crate::dist;

const KNOWN: [&str; 9] =
    ["RUN", "CHECK", "CHECK-NOT", "CHECK-COUNT-", "REMARK", "REMARK-COUNT-", "TWIN", "SNAPSHOT", "LIKE"];

#[derive(Debug)]
pub struct Input {
    pub directives: Directives,
    pub unchanged: bool,
    one_remark: bool,
}

impl Input {
    pub fn read(source: &Path) -> Result<Input> {
        let directives =
            Directives::parse(&edit::text(source)?, &KNOWN).with_context(|| source.display().to_string())?;
        let says = |name: &str| directives.iter().any(|(own, _)| own.starts_with(name));
        let is_below = |folder: &str| source.starts_with(dist::testsuite().join("ir").join(folder));
        let unchanged = is_below("reject");
        let one_remark = (unchanged || is_below("fixed")) && !says("REMARK-COUNT");
        if !says("RUN") {
            bail!("{}: no RUN line", source.display());
        }
        if !says("CHECK") && !unchanged {
            bail!("{}: no semantic check", source.display());
        }
        Ok(Input { directives, unchanged, one_remark })
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

    /// `reject/no_end` for the part `no_end.edit` in `ir/reject`.
    pub fn name(source: &Path) -> String {
        let ir = dist::testsuite().join("ir");
        let relative = source.strip_prefix(&ir).unwrap_or(source).with_extension("");
        relative.display().to_string()
    }
}
