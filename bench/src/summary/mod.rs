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

/// The tree that this was built in.
pub fn tree() -> &'static Path {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    here.parent().unwrap_or(here)
}

/// Writes all pages and pictures of a tree anew, and prints the files that change.
pub fn write_all(tree: &Path) -> Result<()> {
    for (name, text) in files(tree)? {
        let file = tree.join(&name);
        if std::fs::read_to_string(&file).is_ok_and(|there| there == text) {
            continue;
        }
        std::fs::write(&file, text).with_context(|| file.display().to_string())?;
        println!("  {}", name.display());
    }
    Ok(())
}

/// All pages and pictures as the data have them, with their paths from the top of the tree.
pub fn files(tree: &Path) -> Result<Vec<(PathBuf, String)>> {
    let mut files: Vec<(PathBuf, String)> = vec![advised::page(tree)?];
    for page in page::ALL {
        files.extend(page.files(tree)?);
    }
    Ok(files)
}
