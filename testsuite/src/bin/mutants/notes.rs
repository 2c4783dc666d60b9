//! What is known so far, a line each, so that a run which was stopped goes on.

use std::fs::{self, File};
use std::io::Write;
use std::path::Path;

use anyhow::{Context, Result};
use serde_json::Value;

/// All lines; none where there is no file. What a stop left of the last one is not one.
pub fn read(path: &Path) -> Result<Vec<Value>> {
    let text = match fs::read_to_string(path) {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => String::new(),
        text => text.with_context(|| path.display().to_string())?,
    };
    Ok(text.lines().filter_map(|line| serde_json::from_str(line).ok()).collect())
}

pub fn append(path: &Path, line: &Value) -> Result<()> {
    let mut file = File::options().append(true).create(true).open(path)?;
    Ok(file.write_all(format!("{line}\n").as_bytes())?)
}
