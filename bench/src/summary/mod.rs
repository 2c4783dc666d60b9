//! What of a run stays in the tree: its figures and how it met the bars as data (`run`, `rows`), and pages that sum them up
//! (`page`) and draw them (`map`), written from the data alone. Of advice likewise: data (`advice`) and page (`advised`).

pub mod advice;
pub mod advised;
pub mod map;
pub mod page;
pub mod rows;
pub mod run;

use std::path::{Path, PathBuf};

use anyhow::{Context, Result};

/// Writes all pages and pictures of a tree anew; the answer is the files that change.
pub fn write_all(tree: &Path) -> Result<Vec<PathBuf>> {
    let mut written = Vec::new();
    for (file, text) in files(tree)? {
        let file = tree.join(file);
        if std::fs::read_to_string(&file).is_ok_and(|there| there == text) {
            continue;
        }
        std::fs::write(&file, text).with_context(|| file.display().to_string())?;
        written.push(file);
    }
    Ok(written)
}

/// All pages and pictures as the data have them, with their paths from the top of the tree.
pub fn files(tree: &Path) -> Result<Vec<(PathBuf, String)>> {
    let mut files: Vec<(PathBuf, String)> = vec![advised::page(tree)?];
    for page in page::ALL {
        files.extend(page.files(tree)?);
    }
    Ok(files)
}
