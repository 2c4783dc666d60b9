//! Files of data in the tree and beside it: JSON that says its format and version.

use std::path::Path;

use anyhow::{Context, Result, ensure};
use serde::Serialize;
use serde::de::DeserializeOwned;

/// Data that say what they are.
pub trait Named: Serialize + DeserializeOwned {
    /// The only format and version that is read.
    const READ: (&'static str, u32);
    /// What these say.
    fn says(&self) -> (&str, u32);
}

/// From a file.
pub fn read<T: Named>(file: &Path) -> Result<T> {
    let shown = || file.display().to_string();
    let text = std::fs::read(file).with_context(shown)?;
    let data: T = serde_json::from_slice(&text).with_context(shown)?;
    let (format, version) = T::READ;
    ensure!(data.says() == (format, version), "{}: not version {version} of {format}", shown());
    Ok(data)
}

/// Into a file, at once or not at all.
pub fn write(data: &impl Named, file: &Path) -> Result<()> {
    let shown = || file.display().to_string();
    let new = file.with_extension("new");
    let text = serde_json::to_string_pretty(data)? + "\n";
    std::fs::write(&new, text).with_context(shown)?;
    std::fs::rename(&new, file).with_context(shown)
}
