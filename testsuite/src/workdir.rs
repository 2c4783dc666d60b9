//! Temporary directories that survive a failure, so that it can be looked at.

use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use anyhow::{Context, Result};
use tempfile::TempDir;

/// Runs `body` in a fresh directory. The directory is removed on success; on failure it is kept and its path becomes part of the message.
pub fn scoped<T>(name: &str, body: impl FnOnce(&Path) -> Result<T>) -> Result<T> {
    let dir = create(name)?;
    let path = dir.path().to_owned();
    match catch_unwind(AssertUnwindSafe(|| body(&path))) {
        Ok(Ok(value)) => Ok(value),
        Ok(Err(error)) => {
            let kept = dir.keep();
            Err(error.context(format!("failed; its files are kept in {}", kept.display())))
        }
        Err(panic) => {
            eprintln!("panicked; its files are kept in {}", dir.keep().display());
            resume_unwind(panic)
        }
    }
}

fn create(name: &str) -> Result<TempDir> {
    let prefix: String = name.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '-' }).collect();
    tempfile::Builder::new()
        .prefix(&format!("ompchunk-{prefix}-"))
        .tempdir()
        .context("cannot create a temporary directory")
}

static SHARED: OnceLock<TempDir> = OnceLock::new();

/// One directory for what all tests of a process share, such as the compiled oracle.
pub fn shared() -> PathBuf {
    SHARED.get_or_init(|| create("shared").expect("a directory for files that tests share")).path().to_owned()
}

/// Removes the shared directory. Statics are not dropped at exit, so the harness calls this last.
pub fn remove_shared() {
    if let Some(dir) = SHARED.get() {
        // Leftovers in the temporary directory are not worth failing a passed run.
        let _ = std::fs::remove_dir_all(dir.path());
    }
}
